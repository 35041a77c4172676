#include "clock.h"
#include "net_firmware.h"
#include "net_http.h"
#include "net_link.h"

enum { CONNECT_S = 5, CLOSE_S = 1 };

static EFI_STATUS EFIAPI poll_tcp(void *tcp) { return ((EFI_TCP4 *)tcp)->Poll(tcp); }

static EFI_STATUS configure(EFI_TCP4 *tcp, const struct uri *u)
{
    EFI_TCP4_CONFIG_DATA c = { .TimeToLive = 64 };

    c.AccessPoint.UseDefaultAddress = net_link.default_address;
    memcpy(c.AccessPoint.StationAddress.Addr, net_link.ip, 4);
    memcpy(c.AccessPoint.SubnetMask.Addr, net_link.mask, 4);
    memcpy(c.AccessPoint.RemoteAddress.Addr, u->ip, 4);
    c.AccessPoint.RemotePort = u->port;
    c.AccessPoint.ActiveFlag = TRUE;
    return tcp->Configure(tcp, &c);
}

static int connect_words(EFI_STATUS status, struct text *why)
{
    if (status == EFI_CONNECTION_REFUSED || status == EFI_CONNECTION_RESET) {
        text_str(why, "connection refused: does a server run there?");
        return E_REFUSED;
    }
    if (status == EFI_TIMEOUT || status == EFI_NO_RESPONSE || status == EFI_HOST_UNREACHABLE ||
        status == EFI_NETWORK_UNREACHABLE) {
        text_fmt(why, "no answer within %u s: is the server on?", CONNECT_S);
        return E_TIMEOUT;
    }
    text_fmt(why, "no connection (firmware status 0x%llx)", (unsigned long long)(status & 0xffff));
    return E_IO;
}

/* A reset ends it at once at both sides. */
static void close_now(EFI_TCP4 *tcp)
{
    struct net_event e;
    EFI_TCP4_CLOSE_TOKEN token = { .AbortOnClose = TRUE };

    if (!net_event_open(&e))
        return;
    token.CompletionToken.Event = e.event;
    if (!EFI_ERROR(tcp->Close(tcp, &token)))
        net_event_wait(&e, poll_tcp, tcp, clock_now_ns() + CLOSE_S * NS_PER_S);
    tcp->Configure(tcp, NULL);
    net_event_close(&e);
}

static EFI_STATUS connect(EFI_TCP4 *tcp)
{
    struct net_event e;
    EFI_TCP4_CONNECTION_TOKEN token = { .CompletionToken.Status = EFI_NOT_READY };
    EFI_STATUS status;

    if (!net_event_open(&e))
        return EFI_OUT_OF_RESOURCES;
    token.CompletionToken.Event = e.event;
    status = tcp->Connect(tcp, &token);
    if (!EFI_ERROR(status)) {
        if (net_event_wait(&e, poll_tcp, tcp, clock_now_ns() + CONNECT_S * NS_PER_S))
            status = token.CompletionToken.Status;
        else
            status = EFI_TIMEOUT;
    }
    close_now(tcp);
    net_event_close(&e);
    return status;
}

int net_tcp_probe(const struct uri *u, struct text *why)
{
    struct net_child child;
    EFI_STATUS status;

    /* Without TCP of its own the firmware cannot be asked in this way; its HTTP may still work. */
    if (!net_child_open(net_link.nic, &guid_tcp4_binding, &guid_tcp4, &child))
        return OK;
    status = configure(child.protocol, u);
    if (!EFI_ERROR(status))
        status = connect(child.protocol);
    net_child_close(&child);
    return EFI_ERROR(status) ? connect_words(status, why) : OK;
}
