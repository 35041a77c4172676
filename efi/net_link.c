#include "net_link.h"
#include "clock.h"
#include "dhcp.h"
#include "net_firmware.h"
#include "serial.h"

struct net_link net_link;
static struct net_link *const link = &net_link;

enum { NICS_MAX = 16, DHCP_WAIT_S = 40, CLASS_NETWORK = 2 };
static struct nic {
    EFI_HANDLE handle;
    EFI_IP4_CONFIG2_PROTOCOL *config;
    UINT32 policy_before;
    bool policy_changed;
} nics[NICS_MAX];
static unsigned nic_count;
static int up_result = E_AGAIN;
static EFI_HANDLE connected; /* the boot card, when the firmware's stack was put on it here */

/* ---- what the way we were started tells ---- */

static const uint8_t *path_node(EFI_HANDLE handle, uint8_t type, uint8_t sub_type, size_t *len)
{
    const uint8_t *n = (const uint8_t *)device_path_of(handle);
    const uint8_t *end = n + device_path_len((const EFI_DEVICE_PATH_PROTOCOL *)(const void *)n);

    for (; n && n < end; n += *len) {
        *len = (size_t)(n[2] | n[3] << 8);
        if (n[0] == type && n[1] == sub_type)
            return n;
    }
    return NULL;
}

static bool mac_of(EFI_HANDLE handle, uint8_t mac[6])
{
    size_t len;
    const uint8_t *n = path_node(handle, MESSAGING_DEVICE_PATH, MSG_MAC_ADDR_DP, &len);

    if (!n || len < 10)
        return false;
    memcpy(mac, n + 4, 6);
    return true;
}

/* What the answer calls the boot file.  iPXE's is a script, often somewhere else at a web server: then that
 * server's root counts. */
static void take_boot_file(const struct dhcp_facts *d)
{
    struct uri place;
    char words[160];
    struct text why = text_over(words, sizeof words);

    memcpy(link->server, d->server, 4);
    if (uri_parse(d->boot_file, str_len(d->boot_file), &place, &why) != OK || place.scheme != URI_HTTP) {
        dhcp_folder(link->by_ipxe ? "" : d->boot_file, link->folder, sizeof link->folder);
        return;
    }
    link->by_http = true;
    memcpy(link->server, place.ip, 4);
    link->server_port = place.port;
}

static void look_at_pxe(EFI_HANDLE own)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe = firmware_protocol(own, &guid_pxe);
    struct dhcp_facts answer;

    if (!pxe || !pxe->Mode || !pxe->Mode->Started || pxe->Mode->UsingIpv6)
        return;
    link->pxe = pxe;
    memcpy(link->ip, &pxe->Mode->StationIp, 4);
    memcpy(link->mask, &pxe->Mode->SubnetMask, 4);
    dhcp_read(&pxe->Mode->DhcpAck, sizeof pxe->Mode->DhcpAck, &answer);
    memcpy(link->router, answer.router, 4);
    take_boot_file(&answer);
    if (!pxe->Mode->ProxyOfferReceived)
        return;
    dhcp_read(&pxe->Mode->ProxyOffer, sizeof pxe->Mode->ProxyOffer, &answer);
    if (answer.valid && answer.boot_file[0])
        take_boot_file(&answer);
}

/* HTTP Boot: .../MAC/IPv4(local, remote, ports, protocol, static, gateway, mask)/Uri(http://...). */
static void look_at_path(EFI_HANDLE own)
{
    enum { AT_LOCAL = 4, AT_GATEWAY = 19, AT_MASK = 23, IPV4_NODE_BYTES = 27 };
    struct uri place;
    char words[100], text[200];
    struct text why = text_over(words, sizeof words);
    size_t len;
    const uint8_t *n = path_node(own, MESSAGING_DEVICE_PATH, MSG_IPv4_DP, &len);

    if (n && len >= IPV4_NODE_BYTES && ip4_is_zero(link->ip)) {
        memcpy(link->ip, n + AT_LOCAL, 4);
        memcpy(link->mask, n + AT_MASK, 4);
        memcpy(link->router, n + AT_GATEWAY, 4);
    }
    n = path_node(own, MESSAGING_DEVICE_PATH, MSG_URI_DP, &len);
    if (!n || len <= 4)
        return;
    str_scrub(text, sizeof text, n + 4, len - 4);
    if (uri_parse(text, str_len(text), &place, &why) != OK || place.scheme != URI_HTTP)
        return;
    link->by_http = true;
    memcpy(link->server, place.ip, 4);
    link->server_port = place.port;
    dhcp_folder(text, link->folder, sizeof link->folder);
}

void net_link_look(void)
{
    EFI_LOADED_IMAGE *image = firmware_protocol(image_handle, &guid_loaded_image);
    EFI_HANDLE own = image ? image->DeviceHandle : NULL;

    link->has_mac = own && mac_of(own, link->mac);
    link->booted_by_network = link->has_mac;
    if (!link->booted_by_network)
        return;
    link->by_ipxe = firmware_protocol(own, &guid_ipxe_download) != NULL;
    look_at_pxe(own);
    look_at_path(own);
}

/* ---- which card ---- */

static bool has_services(EFI_HANDLE handle)
{
    return firmware_protocol(handle, &guid_http_binding) || firmware_protocol(handle, &guid_udp4_binding);
}

/* The parent that carries the services of the card we were booted through: it is found by its MAC, since the
 * services may lie on another handle than our own (facts: PXE, HTTP Boot). */
static EFI_HANDLE find_by_mac(EFI_GUID *protocol)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(protocol, &count), found = NULL;
    uint8_t mac[6];

    for (UINTN i = 0; i < count && !found; i++)
        if (mac_of(handles[i], mac) && !memcmp(mac, link->mac, 6))
            found = handles[i];
    if (handles)
        boot->FreePool(handles);
    return found;
}

static EFI_HANDLE find_services(void)
{
    EFI_HANDLE h = find_by_mac(&guid_http_binding);

    return h ? h : find_by_mac(&guid_udp4_binding);
}

/* Under iPXE the firmware's stack is gone from the card; connecting it again answers EFI_NOT_FOUND and works:
 * only what is there afterwards counts (facts: snponly, ipxe.efi). */
static void connect_boot_card(void)
{
    UINTN count;
    EFI_HANDLE *handles;
    uint8_t mac[6];

    if ((link->nic = find_services()))
        return;
    handles = firmware_handles(&guid_snp, &count);
    for (UINTN i = 0; i < count; i++)
        if (mac_of(handles[i], mac) && !memcmp(mac, link->mac, 6))
            firmware_connect(connected = handles[i]);
    if (handles)
        boot->FreePool(handles);
    link->nic = find_services();
}

static bool is_network_card(EFI_HANDLE handle)
{
    EFI_PCI_IO *pci = firmware_protocol(handle, &guid_pci_io);
    uint8_t class_code = 0;

    return pci && !EFI_ERROR(pci->Pci.Read(pci, EfiPciIoWidthUint8, 11, 1, &class_code)) &&
           class_code == CLASS_NETWORK;
}

static void connect_all_cards(void)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&guid_pci_io, &count);

    for (UINTN i = 0; i < count; i++)
        if (is_network_card(handles[i]))
            firmware_connect(handles[i]);
    if (handles)
        boot->FreePool(handles);
}

/* A card that tells of a missing cable is not asked; one that cannot tell may have one. */
static bool has_cable(EFI_HANDLE handle)
{
    EFI_SIMPLE_NETWORK *snp = firmware_protocol(handle, &guid_snp);

    return !snp || !snp->Mode || !snp->Mode->MediaPresentSupported || snp->Mode->MediaPresent;
}

/* ---- an address by DHCP ---- */

static void ask_for_address(EFI_HANDLE handle)
{
    struct nic *n = &nics[nic_count];
    UINTN size = sizeof n->policy_before;
    UINT32 policy = IP4C2_POLICY_DHCP;

    *n = (struct nic){ .handle = handle, .config = firmware_protocol(handle, &guid_ip4_config2) };
    if (!n->config || nic_count == NICS_MAX || !has_cable(handle))
        return;
    if (EFI_ERROR(n->config->GetData(n->config, IP4C2_POLICY, &size, &n->policy_before)))
        n->policy_before = IP4C2_POLICY_STATIC;
    if (n->policy_before != IP4C2_POLICY_DHCP)
        n->policy_changed = !EFI_ERROR(n->config->SetData(n->config, IP4C2_POLICY, sizeof policy, &policy));
    nic_count++;
}

static void take_router(const EFI_IP4_CONFIG2_INTERFACE_INFO *info)
{
    for (UINT32 i = 0; info->RouteTable && i < info->RouteTableSize; i++) {
        const EFI_IP4_ROUTE_TABLE *r = &info->RouteTable[i];

        if (ip4_is_zero(r->SubnetMask.Addr))
            memcpy(link->router, r->GatewayAddress.Addr, 4);
    }
}

/* The structure is followed by its route table in one buffer of unknown size. */
static bool take_address(struct nic *n)
{
    UINTN size = 0;
    EFI_IP4_CONFIG2_INTERFACE_INFO *info = NULL;
    bool found = false;

    if (n->config->GetData(n->config, IP4C2_INTERFACE_INFO, &size, NULL) != EFI_BUFFER_TOO_SMALL ||
        EFI_ERROR(boot->AllocatePool(EfiBootServicesData, size, (void **)&info)))
        return false;
    if (!EFI_ERROR(n->config->GetData(n->config, IP4C2_INTERFACE_INFO, &size, info)) &&
        !ip4_is_zero(info->StationAddress.Addr)) {
        memcpy(link->ip, info->StationAddress.Addr, 4);
        memcpy(link->mask, info->SubnetMask.Addr, 4);
        take_router(info);
        link->nic = n->handle;
        if (!link->has_mac)
            link->has_mac = mac_of(n->handle, link->mac);
        found = true;
    }
    boot->FreePool(info);
    return found;
}

static int wait_for_address(void)
{
    uint64_t until_ns = clock_now_ns() + DHCP_WAIT_S * NS_PER_S;

    serial_say("network: asking for an address (DHCP), at most %u s", DHCP_WAIT_S);
    while (clock_now_ns() < until_ns) {
        for (unsigned i = 0; i < nic_count; i++)
            if (take_address(&nics[i])) {
                link->default_address = true;
                return OK;
            }
        boot->Stall(50000);
    }
    str_fmt(link->problem, sizeof link->problem, "no answer from a DHCP server within %u s", DHCP_WAIT_S);
    return E_TIMEOUT;
}

static int up_from_stick(void)
{
    UINTN count;
    EFI_HANDLE *handles;

    connect_all_cards();
    handles = firmware_handles(&guid_ip4_config2, &count);
    for (UINTN i = 0; i < count && nic_count < NICS_MAX; i++)
        if (has_services(handles[i]))
            ask_for_address(handles[i]);
    if (handles)
        boot->FreePool(handles);
    if (!nic_count) {
        str_copy(link->problem, sizeof link->problem,
                 count ? "no network card has a cable" : "no network card that this firmware can use");
        return E_UNSUPPORTED;
    }
    return wait_for_address();
}

static int up_from_network(void)
{
    connect_boot_card();
    if (!link->nic && !link->pxe) {
        str_copy(link->problem, sizeof link->problem,
                 "the firmware offers no network services to applications");
        return E_UNSUPPORTED;
    }
    if (!ip4_is_zero(link->ip))
        return OK;
    if (link->nic)
        ask_for_address(link->nic);
    if (nic_count)
        return wait_for_address();
    str_copy(link->problem, sizeof link->problem, "this machine's address is not known");
    return E_UNSUPPORTED;
}

int net_link_up(void)
{
    char words[100];
    struct text t = text_over(words, sizeof words);

    if (up_result != E_AGAIN)
        return up_result;
    up_result = link->booted_by_network ? up_from_network() : up_from_stick();
    if (up_result == OK) {
        ip4_text(link->ip, &t);
        serial_say("network: address %s%s", words, link->default_address ? " by DHCP" : ", as booted with");
    } else
        serial_say("network: %s", link->problem);
    return up_result;
}

int net_link_reach(const uint8_t ip[4])
{
    static int asked = E_AGAIN;

    if (link->default_address || ip4_is_near(link->ip, ip, link->mask))
        return OK;
    if (asked != E_AGAIN)
        return asked;
    if (link->nic)
        ask_for_address(link->nic);
    asked = nic_count ? wait_for_address() : E_UNSUPPORTED;
    return asked;
}

void net_link_down(void)
{
    for (unsigned i = 0; i < nic_count; i++)
        if (nics[i].policy_changed)
            nics[i].config->SetData(nics[i].config, IP4C2_POLICY, sizeof nics[i].policy_before,
                                    &nics[i].policy_before);
    nic_count = 0;
    /* iPXE's script goes on with the card. */
    if (connected)
        firmware_disconnect(connected);
    connected = link->nic = NULL;
}

bool net_link_place(struct uri *u)
{
    if (!u->boot_server)
        return true;
    memcpy(u->ip, link->server, 4);
    return !ip4_is_zero(link->server);
}
