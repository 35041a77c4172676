#include "net_http.h"
#include "clock.h"
#include "http_words.h"
#include "net_firmware.h"
#include "net_link.h"

enum { REQUEST_S = 25, URL_CHARACTERS = 200, HEADERS = 3 };

struct exchange {
    struct net_child child;
    EFI_HTTP_PROTOCOL *http;
    uint64_t until_ns;
    EFI_HTTP_MESSAGE answer;
    unsigned status; /* as the protocol counts them; 0 unknown */
};

static EFI_STATUS EFIAPI poll_http(void *http) { return ((EFI_HTTP_PROTOCOL *)http)->Poll(http); }

static int open_exchange(struct exchange *x, struct text *why)
{
    EFI_HTTPv4_ACCESS_POINT point = { .UseDefaultAddress = net_link.default_address };
    EFI_HTTP_CONFIG_DATA config = { .HttpVersion = HTTP_VERSION_11,
                                    .TimeOutMillisec = REQUEST_S * 1000,
                                    .IPv4Node = &point };

    *x = (struct exchange){ .until_ns = clock_now_ns() + REQUEST_S * NS_PER_S };
    if (!net_child_open(net_link.nic, &guid_http_binding, &guid_http, &x->child)) {
        text_str(why, "this firmware offers no HTTP to applications; a tftp:// place may work");
        return E_UNSUPPORTED;
    }
    x->http = x->child.protocol;
    memcpy(point.LocalAddress.Addr, net_link.ip, 4);
    memcpy(point.LocalSubnet.Addr, net_link.mask, 4);
    EFI_STATUS status = x->http->Configure(x->http, &config);
    if (!EFI_ERROR(status))
        return OK;
    net_child_close(&x->child);
    text_fmt(why, "the firmware's HTTP refuses to be used (status 0x%llx)",
             (unsigned long long)(status & 0xffff));
    return E_UNSUPPORTED;
}

static void close_exchange(struct exchange *x)
{
    if (x->answer.Headers)
        boot->FreePool(x->answer.Headers);
    net_child_close(&x->child);
}

/* Runs one token to its end or to the deadline. */
static EFI_STATUS run_token(struct exchange *x,
                            EFI_STATUS(EFIAPI *call)(EFI_HTTP_PROTOCOL *, EFI_HTTP_TOKEN *),
                            EFI_HTTP_MESSAGE *message)
{
    struct net_event e;
    EFI_HTTP_TOKEN token = { .Status = EFI_NOT_READY, .Message = message };
    EFI_STATUS status;

    if (!net_event_open(&e))
        return EFI_OUT_OF_RESOURCES;
    token.Event = e.event;
    status = call(x->http, &token);
    if (!EFI_ERROR(status)) {
        if (net_event_wait(&e, poll_http, x->http, x->until_ns))
            status = token.Status;
        else {
            x->http->Cancel(x->http, &token);
            status = EFI_TIMEOUT;
        }
    }
    net_event_close(&e);
    return status;
}

static EFI_STATUS send_request(struct exchange *x, const struct uri *u, enum http_method method,
                               const void *body, size_t len)
{
    char host[32], length[24], url[URL_CHARACTERS];
    CHAR16 wide[URL_CHARACTERS];
    struct text h = text_over(host, sizeof host), l = text_over(length, sizeof length),
                t = text_over(url, sizeof url);
    EFI_HTTP_HEADER headers[HEADERS] = {
        { (CHAR8 *)"Host", (CHAR8 *)host },
        { (CHAR8 *)"Content-Length", (CHAR8 *)length },
        { (CHAR8 *)"Content-Type", (CHAR8 *)"application/octet-stream" },
    };
    EFI_HTTP_REQUEST_DATA request = { .Method = method, .Url = wide };
    EFI_HTTP_MESSAGE message = { .Data.Request = &request,
                                 .HeaderCount = method == HTTP_METHOD_PUT ? HEADERS : 1,
                                 .Headers = headers,
                                 .BodyLength = len,
                                 .Body = (void *)body };

    ip4_text(u->ip, &h);
    if (u->port != 80)
        text_fmt(&h, ":%u", u->port);
    text_u64(&l, len);
    uri_text(u, "", &t);
    ucs2_from_text(wide, URL_CHARACTERS, url);
    return run_token(x, x->http->Request, &message);
}

/* The status line and the headers.  A body is not asked for: of an answer without one the firmware would
 * wait for it until our deadline (facts: 201 and 204). */
static EFI_STATUS take_answer(struct exchange *x)
{
    EFI_HTTP_RESPONSE_DATA response = { 0 };
    EFI_STATUS status;

    x->answer.Data.Response = &response;
    status = run_token(x, x->http->Response, &x->answer);
    x->answer.Data.Response = NULL;
    if (!EFI_ERROR(status) || status == HTTP_STATUS_ERROR)
        x->status = http_status_number(response.StatusCode);
    return status;
}

static int broke_off(EFI_STATUS status, const char *when, struct text *why)
{
    if (status == EFI_TIMEOUT || status == EFI_NOT_READY) {
        text_fmt(why, "the server %s and then did not answer in time", when);
        return E_TIMEOUT;
    }
    text_fmt(why, "the connection broke off after the server %s (firmware status 0x%llx)", when,
             (unsigned long long)(status & 0xffff));
    return E_IO;
}

static int judge(struct exchange *x, EFI_STATUS status, struct text *why)
{
    if (EFI_ERROR(status) && status != HTTP_STATUS_ERROR)
        return broke_off(status, "took the request", why);
    if (x->status / 100 == 2)
        return OK;
    http_status_words(x->status, why);
    return E_REFUSED;
}

static int begin(struct exchange *x, const struct uri *u, struct text *why)
{
    int rc = net_link_reach(u->ip);

    if (rc != OK) {
        text_str(why, "no way to that server: it is in another network");
        return rc;
    }
    if ((rc = net_tcp_probe(u, why)) != OK)
        return rc;
    return open_exchange(x, why);
}

int net_http_put(const struct uri *u, const void *body, size_t len, struct text *why)
{
    struct exchange x;
    int rc = begin(&x, u, why);

    if (rc != OK)
        return rc;
    EFI_STATUS status = send_request(&x, u, HTTP_METHOD_PUT, body, len);
    rc = EFI_ERROR(status) ? broke_off(status, "was connected", why) : judge(&x, take_answer(&x), why);
    close_exchange(&x);
    return rc;
}

static bool content_length(const EFI_HTTP_MESSAGE *m, uint64_t *len)
{
    for (UINTN i = 0; m->Headers && i < m->HeaderCount; i++) {
        const char *value = (const char *)m->Headers[i].FieldValue;

        if (str_equal_nocase((const char *)m->Headers[i].FieldName, "Content-Length"))
            return str_to_u64(value, str_len(value), len);
    }
    return false;
}

/* Never asked for more than was announced: Response after the end of the stream asserts in the firmware. */
static int take_body(struct exchange *x, uint8_t *room, size_t cap, size_t *len, struct text *why)
{
    uint64_t want;

    if (!content_length(&x->answer, &want)) {
        text_str(why, "the server does not say how long the file is");
        return E_PROTO;
    }
    if (want > cap) {
        text_fmt(why, "the file is larger than the %llu KiB that are taken", (unsigned long long)(cap >> 10));
        return E_LIMIT;
    }
    for (*len = 0; *len < want;) {
        EFI_HTTP_MESSAGE m = { .BodyLength = (UINTN)want - *len, .Body = room + *len };
        EFI_STATUS status = run_token(x, x->http->Response, &m);

        if (EFI_ERROR(status))
            return broke_off(status, "sent a part", why);
        if (!m.BodyLength || m.BodyLength > want - *len)
            return broke_off(EFI_DEVICE_ERROR, "sent a part", why);
        *len += m.BodyLength;
    }
    return OK;
}

int net_http_get(const struct uri *u, void *room, size_t cap, size_t *len, struct text *why)
{
    struct exchange x;
    int rc = begin(&x, u, why);

    *len = 0;
    if (rc != OK)
        return rc;
    EFI_STATUS status = send_request(&x, u, HTTP_METHOD_GET, NULL, 0);
    rc = EFI_ERROR(status) ? broke_off(status, "was connected", why) : judge(&x, take_answer(&x), why);
    if (rc == OK)
        rc = take_body(&x, room, cap, len, why);
    close_exchange(&x);
    return rc;
}
