#include "net_firmware.h"
#include "clock.h"

EFI_GUID guid_snp = { 0xa19832b9, 0xac25, 0x11d3, { 0x9a, 0x2d, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
EFI_GUID guid_pxe = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
EFI_GUID guid_http_binding = {
    0xbdc8e6af, 0xd9bc, 0x4379, { 0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c }
};
EFI_GUID guid_http = { 0x7a59b29b, 0x910b, 0x4171, { 0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b } };
EFI_GUID guid_tcp4_binding = EFI_TCP4_SERVICE_BINDING_PROTOCOL;
EFI_GUID guid_tcp4 = EFI_TCP4_PROTOCOL;
EFI_GUID guid_udp4_binding = EFI_UDP4_SERVICE_BINDING_PROTOCOL;
EFI_GUID guid_udp4 = EFI_UDP4_PROTOCOL;
EFI_GUID guid_ip4_config2 = {
    0x5b446ed1, 0xe30b, 0x4faa, { 0x87, 0x1a, 0x36, 0x54, 0xec, 0xa3, 0x60, 0x80 }
};
EFI_GUID guid_ipxe_download = {
    0x3eaeaebd, 0xdecf, 0x493b, { 0x9b, 0xd1, 0xcd, 0xb2, 0xde, 0xca, 0xe7, 0x19 }
};

bool net_child_open(EFI_HANDLE nic, EFI_GUID *binding, EFI_GUID *protocol, struct net_child *out)
{
    *out = (struct net_child){ .binding = firmware_protocol(nic, binding) };
    if (!out->binding || EFI_ERROR(out->binding->CreateChild(out->binding, &out->handle)))
        return false;
    out->protocol = firmware_protocol(out->handle, protocol);
    if (out->protocol)
        return true;
    net_child_close(out);
    return false;
}

void net_child_close(struct net_child *c)
{
    if (c->handle)
        c->binding->DestroyChild(c->binding, c->handle);
    *c = (struct net_child){ 0 };
}

static VOID EFIAPI on_event(EFI_EVENT event, VOID *context)
{
    (void)event;
    ((struct net_event *)context)->signalled = true;
}

bool net_event_open(struct net_event *e)
{
    e->signalled = false;
    if (EFI_ERROR(boot->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_NOTIFY, (EFI_EVENT_NOTIFY)on_event, e, &e->event)))
        e->event = NULL;
    return e->event != NULL;
}

void net_event_close(struct net_event *e)
{
    if (e->event)
        boot->CloseEvent(e->event);
    e->event = NULL;
}

bool net_event_wait(struct net_event *e, EFI_STATUS(EFIAPI *poll)(void *self), void *self, uint64_t until_ns)
{
    while (!e->signalled && clock_now_ns() < until_ns)
        poll(self);
    return e->signalled;
}
