#include "net_transfer.h"
#include "clock.h"
#include "net_http.h"
#include "net_link.h"
#include "net_udp.h"
#include "tftp.h"

/* A packet without an answer is sent again after 0.4 s, 14 times (6 s): short, since each lost packet of a
 * stop-and-wait transfer costs that much. */
enum { TFTP_RESEND_MS = 400, TFTP_RESENDS = 14, TFTP_TOTAL_S = 60, GET_MAX_BYTES = 1 << 20 };

struct tftp_run {
    struct net_udp socket;
    unsigned resends_left;
    uint64_t resend_at_ns; /* what else comes in meanwhile does not put it off */
};

static void tftp_send(struct tftp_run *r, const struct tftp *t)
{
    net_udp_send(&r->socket, t->packet_port, t->packet, t->packet_len); /* refused is as good as lost */
    r->resend_at_ns = clock_now_ns() + TFTP_RESEND_MS * NS_PER_MS;
}

static int tftp_send_again(struct tftp_run *r, const struct tftp *t, struct text *why)
{
    if (r->resends_left) {
        r->resends_left--;
        tftp_send(r, t);
        return OK;
    }
    text_fmt(why,
             t->peer_port ? "the TFTP server stopped answering after %u KiB"
                          : "no answer from a TFTP server (%u KiB sent)",
             (unsigned)((uint64_t)t->block * t->block_bytes >> 10));
    return E_TIMEOUT;
}

/* One packet in, or the last one of ours again. */
static int tftp_step(struct tftp_run *r, struct tftp *t, struct text *why)
{
    static uint8_t packet[TFTP_PACKET_BYTES + 1];
    size_t len;
    uint16_t port;
    int rc = net_udp_receive(&r->socket, packet, sizeof packet, &len, &port, r->resend_at_ns);

    if (rc == OK && tftp_take(t, port, packet, len)) {
        r->resends_left = TFTP_RESENDS;
        tftp_send(r, t);
    }
    if (rc == E_REFUSED)
        text_str(why, t->peer_port ? "the TFTP server went away" : "no TFTP server listens there");
    if (rc == E_TIMEOUT || (rc == OK && clock_now_ns() >= r->resend_at_ns))
        return t->done || t->failed ? OK : tftp_send_again(r, t, why);
    return rc;
}

static int tftp_run(const struct uri *u, struct tftp *t, struct text *why)
{
    static struct tftp_run r;
    uint64_t until_ns = clock_now_ns() + TFTP_TOTAL_S * NS_PER_S;
    int rc = net_udp_open(&r.socket, u->ip, why);

    if (rc != OK)
        return rc;
    r.resends_left = TFTP_RESENDS;
    tftp_send(&r, t);
    while (rc == OK && !t->done && !t->failed) {
        rc = tftp_step(&r, t, why);
        if (rc == OK && !t->done && !t->failed && clock_now_ns() > until_ns) {
            text_fmt(why, "the TFTP server is too slow: not done after %u s", TFTP_TOTAL_S);
            rc = E_TIMEOUT;
        }
    }
    net_udp_close(&r.socket);
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
