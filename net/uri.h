#ifndef NET_URI_H
#define NET_URI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "err.h"
#include "text.h"

/* Places in the network as the configuration writes them: http://10.9.0.1/results/, tftp://boot-server/,
 * http://10.9.0.1:8080/state/.  A host is an IPv4 address or the word boot-server, the machine that the
 * application was booted from.  Names are not looked up: a machine before its operating system often has no
 * name server, and one that does not answer costs time. */
enum uri_scheme { URI_HTTP, URI_TFTP, URI_UDP, URI_SCHEMES };
struct uri {
    enum uri_scheme scheme;
    bool boot_server; /* ip is filled in when it is known */
    uint8_t ip[4];
    uint16_t port;  /* the scheme's own when none was written */
    char path[160]; /* begins with '/'; of printable characters without blanks */
};

/* E_SYNTAX: `why` tells what is wrong and what to write; *out is then unspecified. */
int uri_parse(const char *s, size_t len, struct uri *out, struct text *why);
/* "10.9.0.1", "10.9.0.1:514" or "udp://10.9.0.1:514/": where syslog lines go. */
int uri_parse_syslog(const char *s, size_t len, struct uri *out, struct text *why);
/* The next word of a list with commas or blanks between; 0 at its end.  *at moves on. */
size_t uri_list_next(const char **at, const char **word);
/* Each place of a list of http and tftp ones, the whole of it; `max` is how many may stand there.  OK or
 * E_SYNTAX with `why`; *count are those read. */
int uri_parse_list(const char *list, struct uri *out, unsigned max, unsigned *count, struct text *why);

/* "http://10.9.0.1:8080/results/" and then `name`; the scheme's own port is left out. */
void uri_text(const struct uri *u, const char *name, struct text *out);
/* A path that ends in '/' takes `name` behind it; another path is the whole name.  False: does not fit. */
bool uri_join(const struct uri *u, const char *name, struct uri *out);

bool ip4_parse(const char *s, size_t len, uint8_t ip[4]);
void ip4_text(const uint8_t ip[4], struct text *out);
bool ip4_is_zero(const uint8_t ip[4]);
/* In one subnet: a packet needs no gateway. */
bool ip4_is_near(const uint8_t a[4], const uint8_t b[4], const uint8_t mask[4]);

#endif
