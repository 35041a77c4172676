#include "firmware.h" /* before efiser.h, which needs its types */
#include <efiser.h>
#include "clock.h"
#include "serial.h"

enum { SERIAL_PORTS_MAX = 4, CHUNK_BYTES = 64 };
static struct {
    EFI_SERIAL_IO_PROTOCOL *io; /* NULL: its transmitter stood still */
    EFI_HANDLE handle;
    bool lent; /* carries a screen */
} ports[SERIAL_PORTS_MAX];
static unsigned port_count;

void serial_init(void)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&guid_serial_io, &count);

    for (UINTN i = 0; i < count && port_count < SERIAL_PORTS_MAX; i++) {
        EFI_SERIAL_IO_PROTOCOL *port = firmware_protocol(handles[i], &guid_serial_io);

        if (port) {
            ports[port_count].handle = handles[i];
            ports[port_count++].io = port;
        }
    }
    if (handles)
        boot->FreePool(handles);
}

unsigned serial_port_count(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < port_count; i++)
        n += !ports[i].lent;
    return n;
}

void *serial_lend(unsigned port)
{
    if (port >= port_count)
        return NULL;
    ports[port].lent = true;
    return ports[port].handle;
}

void serial_take_back(unsigned port)
{
    if (port < port_count)
        ports[port].lent = false;
}

/* In chunks, since a driver may answer EFI_TIMEOUT after part of a long buffer. */
bool serial_write(void *to, const char *bytes, size_t len)
{
    EFI_SERIAL_IO_PROTOCOL *port = to;

    uint64_t last_progress_ns = clock_now_ns();

    while (len) {
        UINTN n = len < CHUNK_BYTES ? len : CHUNK_BYTES;
        EFI_STATUS status = port->Write(port, &n, (void *)bytes);

        if (EFI_ERROR(status) && status != EFI_TIMEOUT)
            return false;
        if (n)
            last_progress_ns = clock_now_ns();
        else if (clock_now_ns() - last_progress_ns > NS_PER_S)
            return false;
        bytes += n;
        len -= n;
    }
    return true;
}

bool serial_line(void *ctx, const char *line, size_t len)
{
    bool any = false;

    (void)ctx;
    if (len && line[len - 1] == '\n')
        len--;
    for (unsigned i = 0; i < port_count; i++) {
        if (!ports[i].io || ports[i].lent)
            continue;
        if (serial_write(ports[i].io, line, len) && serial_write(ports[i].io, "\r\n", 2))
            any = true;
        else
            ports[i].io = NULL;
    }
    return any;
}

void serial_say(const char *fmt, ...)
{
    char line[256];
    struct text t = text_over(line, sizeof line - 1);
    va_list ap;

    text_str(&t, "# ");
    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    text_char(&t, '\n');
    serial_line(NULL, line, t.len);
}
