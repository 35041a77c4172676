#ifndef EFI_NET_HTTP_H
#define EFI_NET_HTTP_H
#include "uri.h"

/* One HTTP/1.1 request by the firmware's EFI_HTTP_PROTOCOL, a fresh child each time.  The link is up.
 *
 * The firmware's Request blocks in its own connect (62 s seen): the server is tried first with a TCP
 * connection whose end we decide.  The most that one call takes: 5 s to connect, 25 s for the rest. */

/* OK: a status of 2xx.  E_TIMEOUT, E_REFUSED (a clear no: connection or status), E_IO (it broke off),
 * E_UNSUPPORTED (no HTTP in this firmware); `why` says it in words. */
int net_http_put(const struct uri *u, const void *body, size_t len, struct text *why);
/* The body into room[0..cap); E_LIMIT: it is larger. */
int net_http_get(const struct uri *u, void *room, size_t cap, size_t *len, struct text *why);

/* A TCP connection to that place comes up within 5 s; it is closed again. */
int net_tcp_probe(const struct uri *u, struct text *why);

#endif
