#ifndef EFI_SETTINGS_NET_H
#define EFI_SETTINGS_NET_H
#include "journal.h"

/* Files of the server that we were booted from: by HTTP after HTTP Boot, else by TFTP, relative to the folder
 * of the boot file. */

/* conf/<mac>, conf/<serial>, conf/default, the first that is there.  `from` receives its place.  Errors of
 * net_get; E_UNSUPPORTED also when no server booted us. */
int settings_net_conf(const struct machine_info *machine, char **text, size_t *len, char *from,
                      size_t from_cap);
int settings_net_file(const char *path, char **text, size_t *len, char *from, size_t from_cap);

#endif
