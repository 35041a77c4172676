#include "console.h"
#include "clock.h"
#include "firmware.h"
#include "keys.h"
#include "platform.h"
#include "serial_screen.h"

enum { CONSOLES_MAX = 4, TERMINAL_COLUMNS = 80, TERMINAL_ROWS = 24 };
static struct {
    EFI_HANDLE handle;
    EFI_SIMPLE_TEXT_OUT_PROTOCOL *out;
    INT32 mode; /* as it was */
} consoles[CONSOLES_MAX];
static unsigned console_count;
static struct grid wanted, shown;

/* The console splitter's own handle has no device path; its parts do.  A part on a UART is left to serial.c.
 */
static bool is_local_console(EFI_HANDLE handle)
{
    EFI_DEVICE_PATH_PROTOCOL *path = device_path_of(handle);

    return path && !device_path_has_node(path, MESSAGING_DEVICE_PATH, MSG_UART_DP);
}

/* The largest mode that a grid can be; the glyphs are as large in all of them.  Mode 0 is 80 x 25 by the
 * specification (UEFI 2.10, 12.4.1). */
static void choose_mode(EFI_SIMPLE_TEXT_OUT_PROTOCOL *out, enum conf_screen_size size)
{
    UINTN best = 0, best_cells = 0, c, r;

    if (size == CONF_SCREEN_80X25) {
        if (out->Mode->Mode)
            out->SetMode(out, 0);
        return;
    }

    for (INT32 i = 0; i < out->Mode->MaxMode; i++)
        if (!EFI_ERROR(out->QueryMode(out, (UINTN)i, &c, &r)) && c <= GRID_MAX_COLUMNS &&
            r <= GRID_MAX_ROWS && c >= 80 && r >= 25 && c * r > best_cells) {
            best = (UINTN)i;
            best_cells = c * r;
        }
    if (best_cells && (INT32)best != out->Mode->Mode)
        out->SetMode(out, best);
}

static void take_console(EFI_HANDLE handle, enum conf_screen_size size, UINTN *columns, UINTN *rows)
{
    EFI_SIMPLE_TEXT_OUT_PROTOCOL *out = firmware_protocol(handle, &guid_text_out);
    UINTN c = 0, r = 0;

    if (!out || !out->Mode || console_count == CONSOLES_MAX)
        return;
    consoles[console_count].mode = out->Mode->Mode;
    choose_mode(out, size);
    if (EFI_ERROR(out->QueryMode(out, (UINTN)(out->Mode->Mode < 0 ? 0 : out->Mode->Mode), &c, &r)) ||
        c < 40 || r < 10)
        return;
    consoles[console_count].handle = handle;
    consoles[console_count++].out = out;
    *columns = c < *columns ? c : *columns;
    *rows = r < *rows ? r : *rows;
}

static void take_consoles(enum conf_screen_size size, UINTN *columns, UINTN *rows)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&guid_text_out, &count);

    for (UINTN i = 0; i < count; i++)
        if (is_local_console(handles[i]))
            take_console(handles[i], size, columns, rows);
    if (handles)
        boot->FreePool(handles);
    for (unsigned i = 0; i < console_count; i++) {
        consoles[i].out->ClearScreen(consoles[i].out);
        consoles[i].out->EnableCursor(consoles[i].out, FALSE);
    }
}

void console_init(const struct conf *conf)
{
    UINTN columns = GRID_MAX_COLUMNS, rows = GRID_MAX_ROWS;
    enum conf_screen_size size = (enum conf_screen_size)conf->screen_size;

    if ((conf->screen == CONF_SCREEN_SERIAL || conf->screen == CONF_SCREEN_BOTH) &&
        serial_screen_open(conf->screen_port, conf->screen_baud)) {
        columns = TERMINAL_COLUMNS;
        rows = TERMINAL_ROWS;
        size = CONF_SCREEN_80X25; /* all show the same */
    }
    if (conf->screen == CONF_SCREEN_TEXT || conf->screen == CONF_SCREEN_BOTH)
        take_consoles(size, &columns, &rows);
    grid_clear(&wanted, (unsigned)columns, (unsigned)rows);
    grid_clear(&shown, (unsigned)columns, (unsigned)rows);
}

bool console_present(void) { return console_count != 0 || serial_screen_present(); }
struct grid *console_grid(void) { return &wanted; }

static const UINTN ink_attribute[INK_COUNT] = {
    [INK_PLAIN] = EFI_WHITE,
    [INK_DIM] = EFI_LIGHTGRAY,
    [INK_TITLE] = EFI_WHITE,
    [INK_GOOD] = EFI_LIGHTGREEN,
    [INK_WARN] = EFI_YELLOW,
    [INK_BAD] = EFI_LIGHTRED,
    [INK_BAR] = EFI_LIGHTCYAN,
    [INK_HEAD] = EFI_WHITE | EFI_BACKGROUND_BLUE,
    [INK_PICK] = EFI_BLACK | EFI_BACKGROUND_LIGHTGRAY,
    [INK_SOLID_DIM] = EFI_LIGHTGRAY | EFI_BACKGROUND_LIGHTGRAY,
    [INK_SOLID_GOOD] = EFI_GREEN | EFI_BACKGROUND_GREEN,
    [INK_SOLID_WARN] = EFI_BROWN | EFI_BACKGROUND_BROWN,
    [INK_SOLID_BAD] = EFI_RED | EFI_BACKGROUND_RED,
    [INK_ALARM] = EFI_WHITE | EFI_BACKGROUND_RED,
};

static bool put_cells(void *ctx, int row, int column, enum ink ink, const char *text, int len)
{
    const uint64_t *end_ns = ctx;
    CHAR16 line[GRID_MAX_COLUMNS + 1];
    int n = 0;

    for (; n < len && n < GRID_MAX_COLUMNS; n++) {
        /* The very last cell would scroll the screen. */
        if (row == wanted.rows - 1 && column + n == wanted.columns - 1)
            break;
        line[n] = (CHAR16)(unsigned char)text[n];
    }
    if (!n)
        return true;
    line[n] = 0;
    for (unsigned i = 0; i < console_count; i++) {
        EFI_SIMPLE_TEXT_OUT_PROTOCOL *out = consoles[i].out;

        out->SetCursorPosition(out, (UINTN)column, (UINTN)row);
        out->SetAttribute(out, ink_attribute[ink]);
        out->OutputString(out, line);
    }
    return clock_now_ns() < *end_ns;
}

/* A console that firmware took away, with its screen or its adapter, is left out from then on. */
static void forget_the_gone(void)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < console_count; i++)
        if (firmware_protocol(consoles[i].handle, &guid_text_out) == consoles[i].out)
            consoles[kept++] = consoles[i];
    console_count = kept;
}

void console_show(void)
{
    uint64_t end_ns = UINT64_MAX;

    forget_the_gone();
    serial_screen_show(&wanted);
    if (console_count)
        grid_diff(&wanted, &shown, put_cells, &end_ns);
}

bool console_show_live(uint64_t most_ns, bool other_page)
{
    uint64_t end_ns = clock_now_ns() + most_ns;

    forget_the_gone();
    if (other_page && shown.rows)
        shown.next_row = shown.rows - 1;
    bool whole = serial_screen_show_live(&wanted, most_ns, other_page);
    return (!console_count || grid_diff(&wanted, &shown, put_cells, &end_ns)) && whole;
}

bool console_wait_key(unsigned seconds)
{
    struct press p;

    return keys_person(&p, seconds * 1000);
}

void console_end(void)
{
    forget_the_gone();
    serial_screen_close();
    for (unsigned i = 0; i < console_count; i++) {
        EFI_SIMPLE_TEXT_OUT_PROTOCOL *out = consoles[i].out;

        out->SetAttribute(out, EFI_LIGHTGRAY);
        if (consoles[i].mode >= 0 && consoles[i].mode != out->Mode->Mode)
            out->SetMode(out, (UINTN)consoles[i].mode);
        out->SetCursorPosition(out, 0, (UINTN)wanted.rows - 1);
        out->EnableCursor(out, TRUE);
    }
    console_count = 0;
}
