#ifndef NET_DHCP_H
#define NET_DHCP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the boot server's DHCP answer (RFC 2131, 2132), kept by the firmware, says about where we came from.
 */
struct dhcp_facts {
    uint8_t server[4];   /* siaddr, else option 66 when it is an address, else option 54; zero: not told */
    uint8_t router[4];   /* option 3 */
    char boot_file[128]; /* option 67, else the field; printable */
    bool valid;          /* the magic cookie was there */
};
void dhcp_read(const void *packet, size_t len, struct dhcp_facts *out);
/* The folder of a file's name with its last '/', "" when it stands in none, "/" never: "a/b.efi" is "a/".
 * For http://1.2.3.4/a/b.efi the path's folder, "/a/". */
void dhcp_folder(const char *file, char *out, size_t cap);

#endif
