#include "net_transfer.h"
#include "clock.h"
#include "net_http.h"
#include "net_link.h"
#include "net_udp.h"
#include "tftp.h"

/* Without an answer the first packet is sent again after 1 s, 5 times; a server that went away in between
 * costs the same. */
enum { TFTP_RESEND_S = 1, TFTP_RESENDS = 5, TFTP_TOTAL_S = 60, GET_MAX_BYTES = 1 << 20 };

static int tftp_send(struct net_udp *u, const struct tftp *t)
{
    return net_udp_send(u, t->packet_port, t->packet, t->packet_len);
}

/* One packet in, or the last one of ours again.  *left are the times it may be sent again. */
static int tftp_step(struct net_udp *u, struct tftp *t, uint8_t *packet, unsigned *left, struct text *why)
{
    size_t len;
    uint16_t port;
    int rc = net_udp_receive(u, packet, TFTP_PACKET_BYTES + 1, &len, &port,
                             clock_now_ns() + TFTP_RESEND_S * NS_PER_S);

    if (rc == OK) {
        if (!tftp_take(t, port, packet, len))
            return OK;
        *left = TFTP_RESENDS;
        tftp_send(u, t);
        return OK;
    }
    if (rc == E_REFUSED) {
        text_str(why, "no TFTP server listens there");
        return rc;
    }
    if (!*left) {
        text_fmt(why,
                 t->peer_port ? "the TFTP server stopped answering after %u KiB"
                              : "no answer from a TFTP server (%u KiB sent)",
                 (unsigned)((uint64_t)t->block * t->block_bytes >> 10));
        return E_TIMEOUT;
    }
    --*left;
    tftp_send(u, t); /* one that the firmware refuses is a lost one */
    return OK;
}

static int tftp_run(const struct uri *u, struct tftp *t, struct text *why)
{
    static uint8_t packet[TFTP_PACKET_BYTES + 1];
    struct net_udp socket;
    unsigned left = TFTP_RESENDS;
    uint64_t until_ns = clock_now_ns() + TFTP_TOTAL_S * NS_PER_S;
    int rc = net_udp_open(&socket, u->ip, why);

    if (rc != OK)
        return rc;
    tftp_send(&socket, t);
    while (rc == OK && !t->done && !t->failed) {
        rc = tftp_step(&socket, t, packet, &left, why);
        if (rc == OK && !t->done && !t->failed && clock_now_ns() > until_ns) {
            text_fmt(why, "the TFTP server is too slow: not done after %u s", TFTP_TOTAL_S);
            rc = E_TIMEOUT;
        }
    }
    net_udp_close(&socket);
    if (t->failed) {
        text_str(why, t->problem);
        return t->err;
    }
    return rc;
}

/* What servers call a name has no leading '/': tftp://10.9.0.1/cfg/default asks for cfg/default. */
static const char *tftp_name(const struct uri *u) { return u->path + (u->path[0] == '/'); }

static struct tftp *tftp_state(void)
{
    static struct tftp t; /* a packet's room is too much for the stack */
    return &t;
}

static int ready(const struct uri *place, const char *name, struct uri *out, struct text *why)
{
    int rc = net_link_up();

    if (rc != OK) {
        text_str(why, net_link.problem);
        return rc;
    }
    if (!uri_join(place, name, out)) {
        text_str(why, "the path is too long");
        return E_LIMIT;
    }
    if (net_link_place(out))
        return OK;
    text_str(why, "this machine was not started by a boot server; write the server's address");
    return E_UNSUPPORTED;
}

int net_put(const struct uri *place, const char *name, const void *body, size_t len, struct text *why)
{
    struct tftp *t = tftp_state();
    struct uri u;
    int rc = ready(place, name, &u, why);

    if (rc != OK)
        return rc;
    if (u.scheme == URI_HTTP)
        return net_http_put(&u, body, len, why);
    if (tftp_put(t, tftp_name(&u), body, len, u.port) != OK) {
        text_str(why, "too large for TFTP");
        return E_LIMIT;
    }
    return tftp_run(&u, t, why);
}

static int get_into(const struct uri *u, char *room, size_t *len, struct text *why)
{
    struct tftp *t = tftp_state();
    int rc;

    if (u->scheme == URI_HTTP)
        return net_http_get(u, room, GET_MAX_BYTES, len, why);
    if ((rc = tftp_get(t, tftp_name(u), room, GET_MAX_BYTES, u->port)) == OK)
        rc = tftp_run(u, t, why);
    *len = t->len;
    return rc;
}

int net_get(const struct uri *place, const char *name, char **text, size_t *len, struct text *why)
{
    struct uri u;
    int rc = ready(place, name, &u, why);

    *text = NULL;
    if (rc != OK)
        return rc;
    if (EFI_ERROR(boot->AllocatePool(EfiBootServicesData, GET_MAX_BYTES + 1, (void **)text))) {
        text_str(why, "no memory");
        return E_NOMEM;
    }
    rc = get_into(&u, *text, len, why);
    if (rc == OK)
        (*text)[*len] = 0;
    else {
        boot->FreePool(*text);
        *text = NULL;
    }
    return rc;
}
