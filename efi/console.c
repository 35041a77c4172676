#include "console.h"
#include "clock.h"
#include "firmware.h"
#include "platform.h"

enum { CONSOLES_MAX = 4 };
static EFI_SIMPLE_TEXT_OUT_PROTOCOL *consoles[CONSOLES_MAX];
static unsigned console_count;
static struct grid wanted, shown;

/* The console splitter's own handle has no device path; its parts do.  A part on a UART is left to serial.c.
 */
static bool is_local_console(EFI_HANDLE handle)
{
    EFI_DEVICE_PATH_PROTOCOL *path = device_path_of(handle);

    return path && !device_path_has_node(path, MESSAGING_DEVICE_PATH, MSG_UART_DP);
}

static void take_console(EFI_SIMPLE_TEXT_OUT_PROTOCOL *out, UINTN *columns, UINTN *rows)
{
    UINTN c = 0, r = 0;

    if (!out || !out->Mode || console_count == CONSOLES_MAX ||
        EFI_ERROR(out->QueryMode(out, (UINTN)(out->Mode->Mode < 0 ? 0 : out->Mode->Mode), &c, &r)) ||
        c < 40 || r < 10)
        return;
    consoles[console_count++] = out;
    *columns = c < *columns ? c : *columns;
    *rows = r < *rows ? r : *rows;
}

void console_init(void)
{
    UINTN count, columns = GRID_MAX_COLUMNS, rows = GRID_MAX_ROWS;
    EFI_HANDLE *handles = firmware_handles(&guid_text_out, &count);

    for (UINTN i = 0; i < count; i++)
        if (is_local_console(handles[i]))
            take_console(firmware_protocol(handles[i], &guid_text_out), &columns, &rows);
    if (handles)
        boot->FreePool(handles);
    for (unsigned i = 0; i < console_count; i++) {
        consoles[i]->ClearScreen(consoles[i]);
        consoles[i]->EnableCursor(consoles[i], FALSE);
    }
    grid_clear(&wanted, (unsigned)columns, (unsigned)rows);
    grid_clear(&shown, (unsigned)columns, (unsigned)rows);
}

bool console_present(void) { return console_count != 0; }
struct grid *console_grid(void) { return &wanted; }

static const UINTN ink_attribute[INK_COUNT] = {
    [INK_PLAIN] = EFI_WHITE,     [INK_DIM] = EFI_LIGHTGRAY, [INK_TITLE] = EFI_WHITE,
    [INK_GOOD] = EFI_LIGHTGREEN, [INK_WARN] = EFI_YELLOW,   [INK_BAD] = EFI_LIGHTRED,
    [INK_BAR] = EFI_LIGHTCYAN,
};

static void put_cells(void *ctx, int row, int column, enum ink ink, const char *text, int len)
{
    CHAR16 line[GRID_MAX_COLUMNS + 1];
    int n = 0;

    (void)ctx;
    for (; n < len && n < GRID_MAX_COLUMNS; n++) {
        /* The very last cell would scroll the screen. */
        if (row == wanted.rows - 1 && column + n == wanted.columns - 1)
            break;
        line[n] = (CHAR16)(unsigned char)text[n];
    }
    if (!n)
        return;
    line[n] = 0;
    for (unsigned i = 0; i < console_count; i++) {
        consoles[i]->SetCursorPosition(consoles[i], (UINTN)column, (UINTN)row);
        consoles[i]->SetAttribute(consoles[i], ink_attribute[ink]);
        consoles[i]->OutputString(consoles[i], line);
    }
}

void console_show(void)
{
    if (console_count)
        grid_diff(&wanted, &shown, put_cells, NULL);
}

bool console_wait_key(unsigned seconds)
{
    uint64_t end_ns = clock_now_ns() + seconds * NS_PER_S;
    EFI_INPUT_KEY key;

    while (clock_now_ns() < end_ns) {
        if (firmware->ConIn && !EFI_ERROR(firmware->ConIn->ReadKeyStroke(firmware->ConIn, &key)))
            return true;
        boot->Stall(50000);
    }
    return false;
}
