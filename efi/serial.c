#include "firmware.h" /* before efiser.h, which needs its types */
#include <efiser.h>
#include "clock.h"
#include "lines.h"
#include "platform.h"
#include "serial.h"

enum { SERIAL_PORTS_MAX = 4, CHUNK_BYTES = 64 };
static struct {
    EFI_SERIAL_IO_PROTOCOL *io; /* NULL: its transmitter stood still */
    EFI_HANDLE handle;
    bool lent; /* carries a screen */
} ports[SERIAL_PORTS_MAX];
static unsigned port_count;
static struct lines lines;
static char *waiting;

static bool write_ports(const char *line, size_t len);

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
    lines_begin(&lines, write_ports, clock_now_ns);
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

/* To every port that carries lines.  A line ends in CR LF there. */
static bool write_ports(const char *line, size_t len)
{
    bool any = false;

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

void serial_keep_waiting(void)
{
    enum { WAITING_BYTES = 1 << 20 };

    if (!serial_port_count())
        return;
    waiting = plat_alloc(WAITING_BYTES);
    lines_give_buffer(&lines, waiting, WAITING_BYTES);
}

void serial_finish(bool whole_elsewhere)
{
    enum { FINISH_S = 60 };
    uint64_t left_out = lines_finish(&lines, whole_elsewhere ? FINISH_S * NS_PER_S : 0);

    if (left_out)
        serial_say("%llu lines of the journal are left out above: this port is too slow; the result that was "
                   "kept has them",
                   (unsigned long long)left_out);
    lines_give_buffer(&lines, NULL, 0);
    plat_free(waiting);
    waiting = NULL;
}

bool serial_line(void *ctx, const char *line, size_t len)
{
    (void)ctx;
    return lines_put(&lines, line, len);
}

static size_t comment(char *line, size_t cap, const char *fmt, va_list ap)
{
    struct text t = text_over(line, cap - 1);

    text_str(&t, "# ");
    text_vfmt(&t, fmt, ap);
    text_char(&t, '\n');
    if (t.cut)
        line[t.len - 1] = '\n';
    return t.len;
}

void serial_say(const char *fmt, ...)
{
    char line[256];
    va_list ap;

    va_start(ap, fmt);
    size_t len = comment(line, sizeof line, fmt, ap);
    va_end(ap);
    lines_now(&lines, line, len);
}

void serial_tell(const char *fmt, ...)
{
    char line[256];
    va_list ap;

    va_start(ap, fmt);
    size_t len = comment(line, sizeof line, fmt, ap);
    va_end(ap);
    lines_progress(&lines, line, len);
}
