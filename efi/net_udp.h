#ifndef EFI_NET_UDP_H
#define EFI_NET_UDP_H
#include "net_firmware.h"
#include "uri.h"

/* Datagrams to and from one server, over the PXE protocol that booted us or over the firmware's UDP4.
 *
 * Firmware's PXE: its protocol is started and has its address.  iPXE's would take the card away from the
 * firmware's stack, and HTTP would hang after it (facts, trap 3): there UDP4 comes first. */
struct net_udp {
    uint8_t server[4];
    uint16_t port; /* our own */
    EFI_PXE_BASE_CODE_PROTOCOL *pxe;
    struct net_child child;
    struct net_event received;
    EFI_UDP4_COMPLETION_TOKEN receiving;
    bool waiting; /* `receiving` is with the firmware */
};
/* The link is up.  OK, or E_UNSUPPORTED with `why`; net_udp_close after OK. */
int net_udp_open(struct net_udp *u, const uint8_t server[4], struct text *why);
void net_udp_close(struct net_udp *u);
/* E_IO: the firmware refused. */
int net_udp_send(struct net_udp *u, uint16_t to_port, const void *packet, size_t len);
/* A datagram of that server: its bytes, at most cap, and the port it came from.  E_TIMEOUT: none until then;
 * E_REFUSED: the server says that nobody listens there. */
int net_udp_receive(struct net_udp *u, void *packet, size_t cap, size_t *len, uint16_t *from_port,
                    uint64_t until_ns);

#endif
