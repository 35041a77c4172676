#ifndef EFI_NET_TRANSFER_H
#define EFI_NET_TRANSFER_H
#include "uri.h"

/* A file to or from a place in the network, whatever its scheme.  Brings the link up when it is not yet.
 * Firmware is called for seconds: only between steps and in holds. */

/* `name` goes behind a place that ends in '/'.  Errors as of net_http.h, and those of net_link_up. */
int net_put(const struct uri *place, const char *name, const void *body, size_t len, struct text *why);
/* Pool memory in *text (boot->FreePool), a NUL behind it.  At most 1 MiB. */
int net_get(const struct uri *place, const char *name, char **text, size_t *len, struct text *why);

#endif
