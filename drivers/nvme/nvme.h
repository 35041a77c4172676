#ifndef NVME_H
#define NVME_H
#include "disk.h"

/* NVM Express controllers on PCI Express, read path.  One controller yields one disk per active namespace
 * of the NVM command set; namespaces that cannot be read are listed with their reason. */
extern const struct controller_driver nvme_driver;

#endif
