#ifndef EFI_NET_LINK_H
#define EFI_NET_LINK_H
#include "firmware.h"
#include "machine.h"
#include "uri.h"

/* The way into the network: which card, which address, which server sent us here.
 *
 * Booted by PXE, HTTP Boot or iPXE the address is known and used as it is.  From a stick a card is connected
 * and asks for an address by DHCP; only then does the machine talk to a network at all. */
struct net_link {
    bool booted_by_network; /* the application itself, and what lies beside it, came through it */
    bool by_ipxe, by_http;
    bool has_mac;
    uint8_t mac[6];
    uint8_t ip[4], mask[4], router[4]; /* zero: not known */
    uint8_t server[4];                 /* that we were booted from */
    uint16_t server_port;
    char folder[128];                /* of the boot file at the server: "", "a/"; by_http: "/a/" */
    EFI_PXE_BASE_CODE_PROTOCOL *pxe; /* of our own boot, started */
    EFI_HANDLE nic;                  /* with the firmware's network services; NULL before net_link_up */
    bool default_address;            /* the firmware's stack has an address of its own (DHCP) */
    char problem[120];               /* why there is no way into the network, once that is known */
};
extern struct net_link net_link;

/* Only looks. */
void net_link_look(void);
/* Makes the link usable, once; later calls return the first answer.  Up to 45 s without a DHCP server.
 * OK, or E_UNSUPPORTED (no card, no stack), E_TIMEOUT (no address): net_link.problem says it. */
int net_link_up(void);
/* A server behind a router can be reached.  With the address that we were booted with the firmware's HTTP has
 * no route there: then an address is asked for by DHCP.  OK or the error of that. */
int net_link_reach(const uint8_t ip[4]);
/* Each card as it was before; nothing here works any more afterwards. */
void net_link_down(void);
/* Fills in the address of boot-server; false: we were not booted by a server. */
bool net_link_place(struct uri *u);

#endif
