/* Generation data that Secure Boot's shim reads before it starts a signed image (shim's SBAT format:
 * component, generation, vendor, package, version, address).  Raised when a signed release must no longer be
 * started. */
extern const char sbat[];
__attribute__((section(".sbat"), used)) const char sbat[] =
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
    "baresweep,1,Baresweep,baresweep,0.1,local build\n";
