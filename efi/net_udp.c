#include "net_udp.h"
#include "clock.h"
#include "net_link.h"

enum { FIRST_PORT = 20000, PORTS = 20000, SEND_S = 4 };

static EFI_STATUS EFIAPI poll_udp(void *udp) { return ((EFI_UDP4 *)udp)->Poll(udp); }

static bool needs_router(const uint8_t ip[4])
{
    return !net_link.default_address && !ip4_is_near(net_link.ip, ip, net_link.mask) &&
           !ip4_is_zero(net_link.router);
}

static EFI_STATUS configure(EFI_UDP4 *udp, const struct net_udp *u)
{
    EFI_UDP4_CONFIG_DATA c = { .TimeToLive = 64,
                               .UseDefaultAddress = net_link.default_address,
                               .StationPort = u->port };
    EFI_IPv4_ADDRESS none = { .Addr = { 0 } }, router;

    memcpy(c.StationAddress.Addr, net_link.ip, 4);
    memcpy(c.SubnetMask.Addr, net_link.mask, 4);
    EFI_STATUS status = udp->Configure(udp, &c);
    if (!EFI_ERROR(status) && needs_router(u->server)) {
        memcpy(router.Addr, net_link.router, 4);
        udp->Routes(udp, FALSE, &none, &none, &router);
    }
    return status;
}

int net_udp_open(struct net_udp *u, const uint8_t server[4], struct text *why)
{
    *u = (struct net_udp){ .port = (uint16_t)(FIRST_PORT + clock_now_ns() / 1000 % PORTS) };
    memcpy(u->server, server, 4);
    if (net_link.pxe && !net_link.by_ipxe) {
        u->pxe = net_link.pxe;
        return OK;
    }
    if (net_link.nic && net_event_open(&u->received) &&
        net_child_open(net_link.nic, &guid_udp4_binding, &guid_udp4, &u->child)) {
        if (!EFI_ERROR(configure(u->child.protocol, u)))
            return OK;
        net_child_close(&u->child);
    }
    net_event_close(&u->received);
    u->pxe = net_link.pxe;
    if (u->pxe)
        return OK;
    text_str(why, "this firmware offers no UDP to applications");
    return E_UNSUPPORTED;
}

void net_udp_close(struct net_udp *u)
{
    EFI_UDP4 *udp = u->child.protocol;

    if (udp) {
        udp->Cancel(udp, NULL);
        udp->Configure(udp, NULL);
        net_child_close(&u->child);
        net_event_close(&u->received);
    } else if (u->pxe && net_link.by_ipxe)
        u->pxe->Stop(u->pxe); /* gives the card back to the firmware's stack */
}

/* ---- by UDP4 ---- */

static int send_udp4(struct net_udp *u, uint16_t to_port, const void *packet, size_t len)
{
    EFI_UDP4 *udp = u->child.protocol;
    EFI_UDP4_SESSION_DATA session = { .SourcePort = u->port, .DestinationPort = to_port };
    EFI_UDP4_TRANSMIT_DATA data = { .UdpSessionData = &session,
                                    .DataLength = (UINT32)len,
                                    .FragmentCount = 1 };
    EFI_UDP4_COMPLETION_TOKEN token = { .Status = EFI_NOT_READY, .Packet.TxData = &data };
    struct net_event e;

    if (!net_event_open(&e))
        return E_NOMEM;
    memcpy(session.SourceAddress.Addr, net_link.ip, 4);
    memcpy(session.DestinationAddress.Addr, u->server, 4);
    data.FragmentTable[0].FragmentLength = (UINT32)len;
    data.FragmentTable[0].FragmentBuffer = (void *)packet;
    token.Event = e.event;
    EFI_STATUS status = udp->Transmit(udp, &token);
    if (!EFI_ERROR(status)) {
        if (net_event_wait(&e, poll_udp, udp, clock_now_ns() + SEND_S * NS_PER_S))
            status = token.Status;
        else {
            udp->Cancel(udp, &token);
            status = EFI_TIMEOUT;
        }
    }
    net_event_close(&e);
    return EFI_ERROR(status) ? E_IO : OK;
}

/* Copies out of the firmware's fragments; false: from somebody else. */
static bool take_udp4(struct net_udp *u, const EFI_UDP4_RECEIVE_DATA *rx, uint8_t *packet, size_t cap,
                      size_t *len, uint16_t *from_port)
{
    *len = 0;
    if (memcmp(rx->UdpSession.SourceAddress.Addr, u->server, 4))
        return false;
    for (UINT32 i = 0; i < rx->FragmentCount; i++) {
        size_t n = min_u64(rx->FragmentTable[i].FragmentLength, cap - *len);

        memcpy(packet + *len, rx->FragmentTable[i].FragmentBuffer, n);
        *len += n;
    }
    *from_port = rx->UdpSession.SourcePort;
    return true;
}

static int receive_udp4(struct net_udp *u, void *packet, size_t cap, size_t *len, uint16_t *from_port,
                        uint64_t until_ns)
{
    EFI_UDP4 *udp = u->child.protocol;

    while (clock_now_ns() < until_ns) {
        if (!u->waiting) {
            u->received.signalled = false;
            u->receiving = (EFI_UDP4_COMPLETION_TOKEN){ .Event = u->received.event };
            u->waiting = !EFI_ERROR(udp->Receive(udp, &u->receiving));
            if (!u->waiting)
                return E_IO;
        }
        if (!net_event_wait(&u->received, poll_udp, udp, until_ns))
            break;
        u->waiting = false;
        if (u->receiving.Status == EFI_PORT_UNREACHABLE)
            return E_REFUSED;
        if (EFI_ERROR(u->receiving.Status) || !u->receiving.Packet.RxData)
            continue;
        bool ours = take_udp4(u, u->receiving.Packet.RxData, packet, cap, len, from_port);
        boot->SignalEvent(u->receiving.Packet.RxData->RecycleSignal);
        if (ours)
            return OK;
    }
    return E_TIMEOUT;
}

/* ---- by the PXE protocol ---- */

static int send_pxe(struct net_udp *u, uint16_t to_port, const void *packet, size_t len)
{
    EFI_IP_ADDRESS to = { .Addr = { 0 } }, router = { .Addr = { 0 } };
    EFI_PXE_BASE_CODE_UDP_PORT to_udp = to_port, from_udp = u->port;
    UINTN n = len;

    memcpy(to.v4.Addr, u->server, 4);
    memcpy(router.v4.Addr, net_link.router, 4);
    return EFI_ERROR(u->pxe->UdpWrite(u->pxe, 0, &to, &to_udp, needs_router(u->server) ? &router : NULL, NULL,
                                      &from_udp, NULL, NULL, &n, (void *)packet))
               ? E_IO
               : OK;
}

static int receive_pxe(struct net_udp *u, void *packet, size_t cap, size_t *len, uint16_t *from_port,
                       uint64_t until_ns)
{
    EFI_IP_ADDRESS from = { .Addr = { 0 } };
    EFI_PXE_BASE_CODE_UDP_PORT from_udp = 0, own = u->port;

    memcpy(from.v4.Addr, u->server, 4);
    do {
        UINTN n = cap;
        EFI_STATUS status = u->pxe->UdpRead(u->pxe, EFI_PXE_BASE_CODE_UDP_OPFLAGS_ANY_SRC_PORT, NULL, &own,
                                            &from, &from_udp, NULL, NULL, &n, packet);
        if (!EFI_ERROR(status)) {
            *len = n < cap ? n : cap;
            *from_port = from_udp;
            return OK;
        }
        if (status != EFI_TIMEOUT)
            boot->Stall(1000);
    } while (clock_now_ns() < until_ns);
    return E_TIMEOUT;
}

int net_udp_send(struct net_udp *u, uint16_t to_port, const void *packet, size_t len)
{
    return u->child.protocol ? send_udp4(u, to_port, packet, len) : send_pxe(u, to_port, packet, len);
}

int net_udp_receive(struct net_udp *u, void *packet, size_t cap, size_t *len, uint16_t *from_port,
                    uint64_t until_ns)
{
    return u->child.protocol ? receive_udp4(u, packet, cap, len, from_port, until_ns)
                             : receive_pxe(u, packet, cap, len, from_port, until_ns);
}
