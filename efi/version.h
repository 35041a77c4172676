#ifndef EFI_VERSION_H
#define EFI_VERSION_H
#define PRODUCT_NAME    "Baresweep"
#define PRODUCT_VERSION "0.1"
#endif
