#include "firmware.h" /* before efiser.h, which needs its types */
#include <efiser.h>
#include "serial_screen.h"
#include "ansi.h"
#include "clock.h"
#include "math.h"
#include "platform.h"
#include "serial.h"

enum { PICTURE_BYTES = 32 << 10, KEY_BYTES_PER_LOOK = 32 };
static struct {
    EFI_SERIAL_IO_PROTOCOL *port;
    EFI_HANDLE handle;
    unsigned index;
    UINT64 baud_before; /* 0: not changed */
    struct ansi_keys keys;
    uint64_t not_before_ns;
} screen;
static struct grid shown;
static char picture[PICTURE_BYTES];

/* The terminal driver would take bytes away and put its own between ours. */
static bool take_from_firmware(void)
{
    return !EFI_ERROR(boot->OpenProtocol(screen.handle, &guid_serial_io, (VOID **)&screen.port, image_handle,
                                         NULL, EFI_OPEN_PROTOCOL_EXCLUSIVE));
}

/* Only the speed; zeros and defaults keep the rest as the driver likes it. */
static bool set_baud(UINT64 baud)
{
    return !EFI_ERROR(screen.port->SetAttributes(screen.port, baud, 0, 0, DefaultParity, 0, DefaultStopBits));
}

static void choose_baud(unsigned baud)
{
    UINT64 before = screen.port->Mode->BaudRate;

    screen.baud_before = 0;
    if (baud && baud != before && set_baud(baud))
        screen.baud_before = before;
}

bool serial_screen_open(unsigned port, unsigned baud)
{
    struct text t = text_over(picture, sizeof picture);

    screen.handle = serial_lend(port);
    screen.index = port;
    if (!screen.handle)
        return false;
    if (!take_from_firmware()) {
        serial_take_back(port);
        screen.port = NULL;
        return false;
    }
    choose_baud(baud);
    ansi_begin(&t);
    grid_clear(&shown, GRID_MAX_COLUMNS, GRID_MAX_ROWS);
    if (!serial_write(screen.port, picture, t.len))
        serial_screen_close();
    return screen.port != NULL;
}

bool serial_screen_present(void) { return screen.port != NULL; }

enum { SLOW_BAUD = 9600, BITS_PER_BYTE = 10, BYTES_FOR_A_ROW = GRID_MAX_COLUMNS * 24 };
static struct text out;
static size_t bytes_most;

static bool put(void *ctx, int row, int column, enum ink ink, const char *text, int len)
{
    (void)ctx;
    ansi_put(&out, row, column, ink, text, len);
    return out.len < bytes_most && out.len + BYTES_FOR_A_ROW < out.cap;
}

/* A part of the picture, of about so many bytes. */
static bool show_part(const struct grid *g, size_t most)
{
    out = text_over(picture, sizeof picture);
    bytes_most = most;
    bool whole = grid_diff(g, &shown, put, NULL);

    if (out.len && !serial_write(screen.port, picture, out.len)) {
        serial_screen_close();
        return true;
    }
    if (out.len && screen.port)
        screen.not_before_ns = clock_now_ns() + ansi_pause_ns(out.len, screen.port->Mode->BaudRate);
    return whole;
}

void serial_screen_show(const struct grid *g)
{
    while (screen.port && !show_part(g, sizeof picture)) {}
}

bool serial_screen_show_live(const struct grid *g, uint64_t most_ns, bool other_page)
{
    if (!screen.port)
        return true;
    if (other_page && shown.rows)
        shown.next_row = shown.rows - 1;
    if (clock_now_ns() < screen.not_before_ns)
        return false;
    uint64_t baud = screen.port->Mode->BaudRate ? screen.port->Mode->BaudRate : SLOW_BAUD;
    return show_part(g, mul_div_u64(most_ns, baud, BITS_PER_BYTE * NS_PER_S));
}

uint16_t serial_screen_key(void)
{
    uint16_t key = KEY_NONE;

    for (unsigned i = 0; screen.port && i < KEY_BYTES_PER_LOOK && key == KEY_NONE; i++) {
        UINT8 byte;
        UINTN n = 1;
        UINT32 control = 0;

        /* A driver without bytes waits out its time-out: it is asked first whether there are any. */
        if (!EFI_ERROR(screen.port->GetControl(screen.port, &control)) &&
            control & EFI_SERIAL_INPUT_BUFFER_EMPTY)
            break;
        if (EFI_ERROR(screen.port->Read(screen.port, &n, &byte)) || !n)
            break;
        key = ansi_key(&screen.keys, byte, clock_now_ns());
    }
    return key != KEY_NONE ? key : ansi_idle(&screen.keys, clock_now_ns());
}

void serial_screen_close(void)
{
    char last[40];
    struct text t = text_over(last, sizeof last);

    if (!screen.port)
        return;
    ansi_end(&t, shown.rows);
    serial_write(screen.port, last, t.len);
    if (screen.baud_before)
        set_baud(screen.baud_before);
    screen.port = NULL;
    boot->CloseProtocol(screen.handle, &guid_serial_io, image_handle, NULL);
    serial_take_back(screen.index);
    firmware_connect(screen.handle);
}
