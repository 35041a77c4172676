#include "uri.h"
#include "bits.h"
#include "str.h"

static const struct {
    const char *word;
    uint16_t port;
} schemes[URI_SCHEMES] = {
    [URI_HTTP] = { "http://", 80 },
    [URI_TFTP] = { "tftp://", 69 },
    [URI_UDP] = { "udp://", 514 },
};

bool ip4_parse(const char *s, size_t len, uint8_t ip[4])
{
    size_t at = 0;

    for (unsigned i = 0; i < 4; i++) {
        size_t start = at;
        uint64_t v;

        while (at < len && s[at] >= '0' && s[at] <= '9')
            at++;
        if (at == start || at - start > 3 || !str_to_u64(s + start, at - start, &v) || v > 255)
            return false;
        ip[i] = (uint8_t)v;
        if (i < 3 && (at == len || s[at++] != '.'))
            return false;
    }
    return at == len;
}

void ip4_text(const uint8_t ip[4], struct text *out)
{
    text_fmt(out, "%u.%u.%u.%u", ip[0], ip[1], ip[2], ip[3]);
}

bool ip4_is_zero(const uint8_t ip[4]) { return !(ip[0] | ip[1] | ip[2] | ip[3]); }

bool ip4_is_near(const uint8_t a[4], const uint8_t b[4], const uint8_t mask[4])
{
    for (unsigned i = 0; i < 4; i++)
        if ((a[i] ^ b[i]) & mask[i])
            return false;
    return true;
}

static int wrong(struct text *why, const char *s, size_t len, const char *what)
{
    text_str(why, "\"");
    text_bytes(why, s, len < 60 ? len : 60);
    text_fmt(why, "\": %s", what);
    return E_SYNTAX;
}

static bool read_host(const char *s, size_t len, struct uri *out)
{
    out->boot_server = len == 11 && !memcmp(s, "boot-server", 11);
    if (out->boot_server)
        return true;
    return ip4_parse(s, len, out->ip) && !ip4_is_zero(out->ip);
}

/* host[:port] at s[0..len). */
static int read_authority(const char *s, size_t len, struct uri *out, struct text *why)
{
    size_t host = 0;
    uint64_t port;

    while (host < len && s[host] != ':')
        host++;
    if (!read_host(s, host, out))
        return wrong(why, s, len,
                     "a server is an IPv4 address or boot-server; write http://10.9.0.1/results/");
    if (host == len)
        return OK;
    if (!str_to_u64(s + host + 1, len - host - 1, &port) || !port || port > 65535)
        return wrong(why, s, len, "a port is a number from 1 to 65535");
    out->port = (uint16_t)port;
    return OK;
}

static int read_rest(const char *s, size_t len, struct uri *out, struct text *why)
{
    size_t host = 0;
    int rc;

    while (host < len && s[host] != '/')
        host++;
    if ((rc = read_authority(s, host, out, why)) != OK)
        return rc;
    for (size_t i = host; i < len; i++)
        if (s[i] <= ' ' || s[i] > '~' || s[i] == '\\')
            return wrong(why, s, len, "a path has printable characters without blanks");
    if (host == len)
        str_copy(out->path, sizeof out->path, "/");
    else if (!str_copy_n(out->path, sizeof out->path, s + host, len - host))
        return wrong(why, s, len, "a path may have 159 characters");
    return OK;
}

int uri_parse(const char *s, size_t len, struct uri *out, struct text *why)
{
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < URI_SCHEMES; i++) {
        size_t n = str_len(schemes[i].word);

        if (len < n || memcmp(s, schemes[i].word, n))
            continue;
        out->scheme = (enum uri_scheme)i;
        out->port = schemes[i].port;
        return read_rest(s + n, len - n, out, why);
    }
    return wrong(why, s, len, "a place begins with http:// or tftp://; write http://10.9.0.1/results/");
}

int uri_parse_syslog(const char *s, size_t len, struct uri *out, struct text *why)
{
    size_t n = str_len(schemes[URI_UDP].word);

    memset(out, 0, sizeof *out);
    out->scheme = URI_UDP;
    out->port = schemes[URI_UDP].port;
    if (len >= n && !memcmp(s, schemes[URI_UDP].word, n)) {
        s += n;
        len -= n;
    }
    return read_rest(s, len, out, why);
}

static bool is_between(char c) { return c == ',' || c == ' ' || c == '\t'; }

size_t uri_list_next(const char **at, const char **word)
{
    const char *p = *at;

    while (is_between(*p))
        p++;
    *word = p;
    while (*p && !is_between(*p))
        p++;
    *at = p;
    return (size_t)(p - *word);
}

int uri_parse_list(const char *list, struct uri *out, unsigned max, unsigned *count, struct text *why)
{
    const char *word;
    size_t len;
    int rc;

    *count = 0;
    while ((len = uri_list_next(&list, &word))) {
        if (*count == max)
            return wrong(why, word, len, "there are more places than can be kept (4); remove some");
        if ((rc = uri_parse(word, len, &out[*count], why)) != OK)
            return rc;
        if (out[*count].scheme == URI_UDP)
            return wrong(why, word, len, "files go to http:// or tftp://");
        ++*count;
    }
    return OK;
}

void uri_text(const struct uri *u, const char *name, struct text *out)
{
    text_str(out, schemes[u->scheme].word);
    if (u->boot_server && ip4_is_zero(u->ip))
        text_str(out, "boot-server");
    else
        ip4_text(u->ip, out);
    if (u->port != schemes[u->scheme].port)
        text_fmt(out, ":%u", u->port);
    text_fmt(out, "%s%s", u->path, name);
}

bool uri_join(const struct uri *u, const char *name, struct uri *out)
{
    size_t len = str_len(u->path);

    *out = *u;
    if (!len || u->path[len - 1] != '/')
        return true;
    return str_copy(out->path + len, sizeof out->path - len, name);
}
