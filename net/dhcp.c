#include "dhcp.h"
#include "bits.h"
#include "str.h"
#include "uri.h"

enum {
    AT_SIADDR = 20,
    AT_FILE = 108,
    FILE_BYTES = 128,
    AT_COOKIE = 236,
    AT_OPTIONS = 240,
    OPTION_ROUTER = 3,
    OPTION_SERVER_ID = 54,
    OPTION_TFTP_SERVER = 66,
    OPTION_BOOT_FILE = 67,
    OPTION_PAD = 0,
    OPTION_END = 255
};

static void take_text(char *out, size_t cap, const uint8_t *p, size_t len)
{
    size_t n = 0;

    while (n < len && p[n])
        n++;
    str_scrub(out, cap, p, n);
}

static void take_option(struct dhcp_facts *out, uint8_t kind, const uint8_t *p, size_t len)
{
    uint8_t ip[4];
    char text[20];

    if (kind == OPTION_ROUTER && len >= 4)
        memcpy(out->router, p, 4);
    else if (kind == OPTION_BOOT_FILE && len)
        take_text(out->boot_file, sizeof out->boot_file, p, len);
    else if (kind == OPTION_TFTP_SERVER && ip4_is_zero(out->server)) {
        take_text(text, sizeof text, p, len);
        if (ip4_parse(text, str_len(text), ip))
            memcpy(out->server, ip, 4);
    }
}

void dhcp_read(const void *packet, size_t len, struct dhcp_facts *out)
{
    static const uint8_t cookie[4] = { 99, 130, 83, 99 };
    const uint8_t *p = packet;
    uint8_t id[4] = { 0 };

    *out = (struct dhcp_facts){ 0 };
    if (len < AT_OPTIONS || memcmp(p + AT_COOKIE, cookie, 4))
        return;
    out->valid = true;
    memcpy(out->server, p + AT_SIADDR, 4);
    take_text(out->boot_file, sizeof out->boot_file, p + AT_FILE, FILE_BYTES);
    for (size_t at = AT_OPTIONS; at < len && p[at] != OPTION_END;) {
        if (p[at] == OPTION_PAD) {
            at++;
            continue;
        }
        if (at + 1 >= len || p[at + 1] > len - at - 2)
            break;
        if (p[at] == OPTION_SERVER_ID && p[at + 1] >= 4)
            memcpy(id, p + at + 2, 4);
        take_option(out, p[at], p + at + 2, p[at + 1]);
        at += 2u + p[at + 1];
    }
    if (ip4_is_zero(out->server))
        memcpy(out->server, id, 4);
}

void dhcp_folder(const char *file, char *out, size_t cap)
{
    const char *scheme = str_find(file, "://");
    size_t end = 0;

    if (scheme) {
        file = scheme + 3;
        while (*file && *file != '/')
            file++;
    }
    for (size_t i = 0; file[i]; i++)
        if (file[i] == '/')
            end = i + 1;
    if (!str_copy_n(out, cap, file, end))
        out[0] = 0;
}
