#include "mfi_internal.h"

/* Which card a function is, by all four ids: a subdevice number is used again under other devices
 * (facts/mfi.md 1.2).  `adapter`: a plug-in card whose heat sink has no fan of its own; what sits in a
 * server's own place for it has the server's fans. */
static const struct mfi_card_name dell[] = {
    { 0x1028, 0x0015, 0x1f01, "PERC 5/E Adapter", true },
    { 0x1028, 0x0015, 0x1f02, "PERC 5/i Adapter", true },
    { 0x1028, 0x0015, 0x1f03, "PERC 5/i Integrated", false },
    { 0x1000, 0x0060, 0x1f0a, "PERC 6/E Adapter", true },
    { 0x1000, 0x0060, 0x1f0b, "PERC 6/i Adapter", true },
    { 0x1000, 0x0060, 0x1f0c, "PERC 6/i Integrated", false },
    { 0x1000, 0x0060, 0x1f0d, "PERC 6/i Integrated", false },
    { 0x1000, 0x0060, 0x1f11, "CERC 6/i", false },
    { 0x1000, 0x0079, 0x1f15, "PERC H800 Adapter", true },
    { 0x1000, 0x0079, 0x1f16, "PERC H700 Adapter", true },
    { 0x1000, 0x0079, 0x1f17, "PERC H700 Integrated", false },
    { 0x1000, 0x0079, 0x1f18, "PERC H700 Modular", false },
    { 0x1000, 0x0079, 0x1f19, "PERC H700", false },
    { 0x1000, 0x0079, 0x1f1a, "PERC H800 (prototype)", true },
    { 0x1000, 0x0079, 0x1f1b, "PERC H700 Integrated", false },
    { 0x1000, 0x0073, 0x1f4e, "PERC H310 Adapter", true },
    { 0x1000, 0x0073, 0x1f4f, "PERC H310 Integrated", false },
    { 0x1000, 0x0073, 0x1f50, "PERC H310 Mini (blades)", false },
    { 0x1000, 0x0073, 0x1f51, "PERC H310 Mini (monolithic)", false },
    { 0x1000, 0x0073, 0x1f52, "PERC H310 Embedded", false },
    { 0x1000, 0x0073, 0x1f53, "PERC H310 Embedded", false },
    { 0x1000, 0x0073, 0x1f54, "PERC H310 (reserved id)", false },
    { 0x1000, 0x0073, 0x1f78, "PERC H310", false },
    { 0x1000, 0x005b, 0x1f2d, "PERC H810 Adapter", true },
    { 0x1000, 0x005b, 0x1f30, "PERC H710 Embedded", false },
    { 0x1000, 0x005b, 0x1f31, "PERC H710P Adapter", true },
    { 0x1000, 0x005b, 0x1f33, "PERC H710P Mini (blades)", false },
    { 0x1000, 0x005b, 0x1f34, "PERC H710P Mini (monolithic)", false },
    { 0x1000, 0x005b, 0x1f35, "PERC H710 Adapter", true },
    { 0x1000, 0x005b, 0x1f37, "PERC H710 Mini (blades)", false },
    { 0x1000, 0x005b, 0x1f38, "PERC H710 Mini (monolithic)", false },
    { 0x1000, 0x002f, 0x1f39, "SPERC 8-e", false },
    { 0x1000, 0x002f, 0x1f3e, "SPERC 8", false },
    { 0x1000, 0x005d, 0x1f41, "PERC H830 Adapter", true },
    { 0x1000, 0x005d, 0x1f42, "PERC H730P Adapter", true },
    { 0x1000, 0x005d, 0x1f43, "PERC H730 Adapter", true },
    { 0x1000, 0x005d, 0x1f47, "PERC H730P Mini", false },
    { 0x1000, 0x005d, 0x1f48, "PERC H730P Mini (blades)", false },
    { 0x1000, 0x005d, 0x1f49, "PERC H730 Mini", false },
    { 0x1000, 0x005d, 0x1f4a, "PERC H730 Mini (blades)", false },
    { 0x1000, 0x005d, 0x1f4d, "PERC FD33xS", false },
    { 0x1000, 0x005d, 0x1f4f, "PERC H730P Slim", false },
    { 0x1000, 0x005d, 0x1f54, "PERC FD33xD", false },
    { 0x1000, 0x005d, 0x1fd1, "PERC H730P MX", false },
    { 0x1000, 0x005f, 0x1f44, "PERC H330 Adapter", true },
    { 0x1000, 0x005f, 0x1f4b, "PERC H330 Mini", false },
    { 0x1000, 0x005f, 0x1f4c, "PERC H330 Mini (blades)", false },
    { 0x1000, 0x005f, 0x1f4d, "PERC H330 Embedded", false },
    { 0x1000, 0x0016, 0x1fc9, "PERC H840 Adapter", true },
    { 0x1000, 0x0016, 0x1fcb, "PERC H740P Adapter", true },
    { 0x1000, 0x0016, 0x1fcd, "PERC H740P Mini", false },
    { 0x1000, 0x0016, 0x1fcf, "PERC H740P Mini", false },
    { 0x1000, 0x0014, 0x1f3a, "PERC H745 Adapter", true },
    { 0x1000, 0x0014, 0x1f3b, "PERC H745 Front", false },
    { 0x1000, 0x0014, 0x1fd4, "PERC H745P MX", false },
    { 0x1000, 0x0015, 0x1f3c, "PERC H345 Adapter", true },
    { 0x1000, 0x0015, 0x1f3d, "PERC H345 Front", false },
    { 0x1000, 0x10e1, 0x1ae0, "PERC H755 Adapter", true },
    { 0x1000, 0x10e1, 0x1ae1, "PERC H755 Front", false },
    { 0x1000, 0x10e1, 0x1ae2, "PERC H755N Front", false },
    { 0x1000, 0x10e1, 0x1ae3, "PERC H755 MX", false },
    { 0x1000, 0x10e1, 0x2171, "PERC H750 Mini", false },
    { 0x1000, 0x10e1, 0x2176, "PERC H750 Adapter", true },
    { 0x1000, 0x10e2, 0x1ae0, "PERC H755 Adapter", true },
    { 0x1000, 0x10e2, 0x1ae1, "PERC H755 Front", false },
    { 0x1000, 0x10e2, 0x1ae2, "PERC H755N Front", false },
    { 0x1000, 0x10e2, 0x1ae3, "PERC H755 MX", false },
    { 0x1000, 0x10e2, 0x2171, "PERC H750 Mini", false },
    { 0x1000, 0x10e2, 0x2176, "PERC H750 Adapter", true },
    { 0x1000, 0x10e6, 0x2172, "PERC H355 Adapter", true },
    { 0x1000, 0x10e6, 0x2173, "PERC H355 Front", false },
    { 0x1000, 0x10e6, 0x2174, "PERC H350 Mini", false },
    { 0x1000, 0x10e6, 0x2177, "PERC H350 Adapter", true },
    { 0x1000, 0x10e6, 0x2199, "PERC H350 Mini LP", false },
};

enum { DELL = 0x1028 };

const struct mfi_card_name *mfi_card_name_of(const struct pci_fn *fn)
{
    for (unsigned i = 0; i < ARRAY_COUNT(dell); i++)
        if (fn->vendor_id == dell[i].vendor_id && fn->device_id == dell[i].device_id &&
            fn->subvendor_id == DELL && fn->subdevice_id == dell[i].subdevice_id)
            return &dell[i];
    return NULL;
}
