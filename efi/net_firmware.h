#ifndef EFI_NET_FIRMWARE_H
#define EFI_NET_FIRMWARE_H
#include "firmware.h"

/* The firmware's network protocols that GNU-EFI does not declare (UEFI 2.10: HTTP 29.6, IP4 Config2 28.5). */

extern EFI_GUID guid_snp, guid_pxe, guid_http_binding, guid_http, guid_tcp4_binding, guid_tcp4,
    guid_udp4_binding, guid_udp4, guid_ip4_config2, guid_ipxe_download;

/* ---- HTTP ---- */
enum { HTTP_VERSION_11 = 1 };
enum http_method { HTTP_METHOD_GET = 0, HTTP_METHOD_PUT = 6 };
typedef struct {
    BOOLEAN UseDefaultAddress;
    EFI_IPv4_ADDRESS LocalAddress, LocalSubnet;
    UINT16 LocalPort;
} EFI_HTTPv4_ACCESS_POINT;
typedef struct {
    UINT32 HttpVersion;
    UINT32 TimeOutMillisec;
    BOOLEAN LocalAddressIsIPv6;
    EFI_HTTPv4_ACCESS_POINT *IPv4Node;
} EFI_HTTP_CONFIG_DATA;
typedef struct {
    UINT32 Method;
    CHAR16 *Url;
} EFI_HTTP_REQUEST_DATA;
typedef struct {
    UINT32 StatusCode; /* the enumeration, not the number */
} EFI_HTTP_RESPONSE_DATA;
typedef struct {
    CHAR8 *FieldName, *FieldValue;
} EFI_HTTP_HEADER;
typedef struct {
    union {
        EFI_HTTP_REQUEST_DATA *Request;
        EFI_HTTP_RESPONSE_DATA *Response;
    } Data;
    UINTN HeaderCount;
    EFI_HTTP_HEADER *Headers;
    UINTN BodyLength;
    VOID *Body;
} EFI_HTTP_MESSAGE;
typedef struct {
    EFI_EVENT Event;
    EFI_STATUS Status;
    EFI_HTTP_MESSAGE *Message;
} EFI_HTTP_TOKEN;
typedef struct efi_http EFI_HTTP_PROTOCOL;
struct efi_http {
    EFI_STATUS(EFIAPI *GetModeData)(EFI_HTTP_PROTOCOL *self, EFI_HTTP_CONFIG_DATA *config);
    EFI_STATUS(EFIAPI *Configure)(EFI_HTTP_PROTOCOL *self, EFI_HTTP_CONFIG_DATA *config);
    EFI_STATUS(EFIAPI *Request)(EFI_HTTP_PROTOCOL *self, EFI_HTTP_TOKEN *token);
    EFI_STATUS(EFIAPI *Cancel)(EFI_HTTP_PROTOCOL *self, EFI_HTTP_TOKEN *token);
    EFI_STATUS(EFIAPI *Response)(EFI_HTTP_PROTOCOL *self, EFI_HTTP_TOKEN *token);
    EFI_STATUS(EFIAPI *Poll)(EFI_HTTP_PROTOCOL *self);
};
#define HTTP_STATUS_ERROR EFIERR(35) /* EFI_HTTP_ERROR: there is an answer, and it is 400 or above */

/* ---- IP4 Config2 ---- */
enum { IP4C2_INTERFACE_INFO = 0, IP4C2_POLICY = 1 };
enum { IP4C2_POLICY_STATIC = 0, IP4C2_POLICY_DHCP = 1 };
typedef struct {
    CHAR16 Name[32];
    UINT8 IfType;
    UINT32 HwAddressSize;
    EFI_MAC_ADDRESS HwAddress;
    EFI_IPv4_ADDRESS StationAddress, SubnetMask;
    UINT32 RouteTableSize;
    EFI_IP4_ROUTE_TABLE *RouteTable;
} EFI_IP4_CONFIG2_INTERFACE_INFO;
typedef struct efi_ip4_config2 EFI_IP4_CONFIG2_PROTOCOL;
struct efi_ip4_config2 {
    EFI_STATUS(EFIAPI *SetData)(EFI_IP4_CONFIG2_PROTOCOL *self, UINT32 type, UINTN size, VOID *data);
    EFI_STATUS(EFIAPI *GetData)(EFI_IP4_CONFIG2_PROTOCOL *self, UINT32 type, UINTN *size, VOID *data);
    VOID *RegisterDataNotify, *UnregisterDataNotify;
};

/* ---- children of service bindings, and waiting for tokens ---- */
struct net_child {
    EFI_SERVICE_BINDING *binding;
    EFI_HANDLE handle;
    void *protocol;
};
/* False: the binding is not there or refuses. */
bool net_child_open(EFI_HANDLE nic, EFI_GUID *binding, EFI_GUID *protocol, struct net_child *out);
void net_child_close(struct net_child *c);

/* An event that sets a flag: firmware signals it when a token is finished. */
struct net_event {
    EFI_EVENT event;
    volatile bool signalled;
};
bool net_event_open(struct net_event *e);
void net_event_close(struct net_event *e);
/* Calls poll(self) until the event was signalled (true) or the time is over. */
bool net_event_wait(struct net_event *e, EFI_STATUS(EFIAPI *poll)(void *self), void *self, uint64_t until_ns);

#endif
