#include "settings_net.h"
#include "names.h"
#include "net_link.h"
#include "net_transfer.h"
#include "serial.h"

/* The server's folder; false when no server is known. */
static bool boot_place(struct uri *u)
{
    const struct net_link *l = &net_link;

    if (!l->booted_by_network || ip4_is_zero(l->server))
        return false;
    *u = (struct uri){ .scheme = l->by_http ? URI_HTTP : URI_TFTP, .port = l->server_port };
    memcpy(u->ip, l->server, 4);
    if (!u->port)
        u->port = l->by_http ? 80 : 69;
    str_fmt(u->path, sizeof u->path, "%s%s", l->folder[0] == '/' ? "" : "/", l->folder);
    return true;
}

int settings_net_file(const char *path, char **text, size_t *len, char *from, size_t from_cap)
{
    struct uri u;
    char words[160];
    struct text why = text_over(words, sizeof words), place = text_over(from, from_cap);
    int rc;

    *text = NULL;
    *len = 0;
    if (!boot_place(&u))
        return E_UNSUPPORTED;
    uri_text(&u, path, &place);
    rc = net_get(&u, path, text, len, &why);
    serial_say("%s: %s", from, rc == OK ? "read" : words);
    return rc;
}

int settings_net_conf(const struct machine_info *machine, char **text, size_t *len, char *from,
                      size_t from_cap)
{
    char name[3][64];
    struct text mac = text_over(name[0], sizeof name[0]), serial = text_over(name[1], sizeof name[1]);
    int rc = E_UNSUPPORTED;

    text_str(&mac, "conf/");
    name_mac(net_link.mac, &mac);
    if (!name_is_filler(machine->serial)) {
        text_str(&serial, "conf/");
        name_word(machine->serial, &serial);
    }
    str_copy(name[2], sizeof name[2], "conf/default");
    for (unsigned i = 0; i < 3; i++) {
        if (!name[i][0])
            continue;
        rc = settings_net_file(name[i], text, len, from, from_cap);
        /* A server that does not answer is not asked for the next name. */
        if (rc != E_REFUSED)
            break;
    }
    return rc;
}
