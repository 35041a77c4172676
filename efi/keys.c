#include "keys.h"
#include "firmware.h" /* before eficonex.h, which needs its types */
#include <eficonex.h>
#include "ask.h"
#include "clock.h"
#include "platform.h"
#include "record.h"
#include "serial.h"
#include "serial_screen.h"

static EFI_GUID guid_text_in = EFI_SIMPLE_TEXT_INPUT_PROTOCOL_GUID;
static EFI_GUID guid_text_in_ex = EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL_GUID;

enum { HANDLES_MAX = 32, LOOK_EVERY_MS = 20 };

/* A keyboard is known by its handle; what it typed is kept apart from the others'. */
struct keyboard {
    EFI_HANDLE handle;
    struct typing typing;
    uint64_t told_ns;
};
static struct keyboard keyboards[KEYS_SOURCES_MAX];

/* More keyboards than we keep apart share the last place. */
static unsigned keyboard_of(EFI_HANDLE handle)
{
    unsigned i = 0;

    while (i < KEYS_SOURCES_MAX - 1 && keyboards[i].handle && keyboards[i].handle != handle)
        i++;
    if (!keyboards[i].handle)
        keyboards[i] = (struct keyboard){ .handle = handle };
    return i;
}

static uint16_t read_key(EFI_HANDLE handle)
{
    EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *ex = firmware_protocol(handle, &guid_text_in_ex);
    EFI_SIMPLE_TEXT_IN_PROTOCOL *in;
    EFI_KEY_DATA data = { 0 };

    if (ex)
        return EFI_ERROR(ex->ReadKeyStrokeEx(ex, &data))
                   ? KEY_NONE
                   : key_from_efi(data.Key.ScanCode, data.Key.UnicodeChar);
    in = firmware_protocol(handle, &guid_text_in);
    return !in || EFI_ERROR(in->ReadKeyStroke(in, &data.Key))
               ? KEY_NONE
               : key_from_efi(data.Key.ScanCode, data.Key.UnicodeChar);
}

/* The console splitter stands for all keyboards at once and has no device path: it is asked only when there
 * is no keyboard of its own.  Handles are looked up each time, since a virtual keyboard may be gone. */
bool keys_take(struct press *out)
{
    static uint8_t terminal; /* its address stands for a handle */
    EFI_HANDLE handles[HANDLES_MAX];
    UINTN bytes = sizeof handles, count;
    EFI_HANDLE whole = firmware->ConsoleInHandle;
    bool any = false;

    *out = (struct press){ .key = serial_screen_key() };
    if (out->key != KEY_NONE) {
        out->source = (uint8_t)keyboard_of(&terminal);
        return true;
    }
    if (EFI_ERROR(boot->LocateHandle(ByProtocol, &guid_text_in, NULL, &bytes, handles)))
        bytes = 0;
    count = bytes / sizeof handles[0];
    for (UINTN i = 0; i < count; i++) {
        if (!device_path_of(handles[i]))
            continue;
        any = true;
        *out = (struct press){ .key = read_key(handles[i]) };
        if (out->key == KEY_NONE)
            continue;
        out->source = (uint8_t)keyboard_of(handles[i]);
        return true;
    }
    if (any || !whole)
        return false;
    *out = (struct press){ .key = read_key(whole), .source = (uint8_t)keyboard_of(whole) };
    return out->key != KEY_NONE;
}

bool keys_wait(struct press *out, unsigned ms)
{
    uint64_t end_ns = clock_now_ns() + ms * NS_PER_MS;

    for (;;) {
        if (keys_take(out))
            return true;
        if (clock_now_ns() >= end_ns)
            return false;
        boot->Stall(LOOK_EVERY_MS * 1000);
    }
}

void keys_drop(void)
{
    struct press p;

    /* A flood has no end. */
    for (unsigned i = 0; i < 1000 && keys_take(&p); i++) {}
}

/* ---- persons ---- */

static void tell(struct keyboard *k, enum typing_answer a)
{
    enum { TELL_EVERY_S = 60 };
    uint64_t now_ns = clock_now_ns();
    char line[100];

    if (k->told_ns && now_ns - k->told_ns < TELL_EVERY_S * NS_PER_S)
        return;
    k->told_ns = now_ns;
    str_fmt(line, sizeof line, "keyboard %u: %s: ignored", (unsigned)(k - keyboards),
            a == TYPING_REPEATS ? "a key repeats itself (held down or stuck?)"
                                : "input faster than a person types");
    journal_log(record_journal(), LOG_INFO, line);
    serial_say("%s", line);
}

static bool by_person(const struct press *p)
{
    struct keyboard *k = &keyboards[p->source];
    enum typing_answer a = typing_key(&k->typing, p->key, clock_now_ns());

    if (a != TYPING_TAKE)
        tell(k, a);
    return a == TYPING_TAKE;
}

bool keys_person(struct press *out, unsigned ms)
{
    uint64_t end_ns = clock_now_ns() + ms * NS_PER_MS, now_ns;

    do {
        now_ns = clock_now_ns();
        if (keys_wait(out, now_ns < end_ns ? (unsigned)((end_ns - now_ns) / NS_PER_MS) : 0) && by_person(out))
            return true;
    } while (clock_now_ns() < end_ns);
    return false;
}

/* ---- stop ---- */

enum { KEPT_MAX = 16 };
static struct {
    uint16_t key[KEPT_MAX];
    unsigned count;
    bool esc_is_back;
    uint64_t question_ns;
} kept;

void keys_esc_is_back(bool on) { kept.esc_is_back = on; }

uint16_t keys_kept(void)
{
    uint16_t key = kept.key[0];

    if (!kept.count)
        return KEY_NONE;
    memmove(kept.key, kept.key + 1, --kept.count * sizeof kept.key[0]);
    return key;
}

uint64_t keys_question_ns(void)
{
    uint64_t ns = kept.question_ns;

    kept.question_ns = 0;
    return ns;
}

/* Asked for in vain, it is not asked again at once: nobody holds up a machine by pressing Esc. */
static uint64_t no_question_before_ns;

static bool ask_to_stop(void)
{
    enum { ANSWER_S = 20, PAUSE_FIRST_S = 10, PAUSE_MOST_S = 600 };
    static const char lines[][120] = {
        "The run is held. What was measured so far stays; the rest becomes NOT-TESTED",
        "and the verdict ABORTED. The next start can resume it where it finds the results.",
        "Without an answer the run goes on.",
    };
    static unsigned pause_s = PAUSE_FIRST_S;
    uint64_t began_ns = clock_now_ns();
    bool yes;

    yes = ask_word("Stop this run?", lines, ARRAY_COUNT(lines), "stop", ANSWER_S);
    no_question_before_ns = clock_now_ns() + pause_s * NS_PER_S;
    pause_s = pause_s * 2 < PAUSE_MOST_S ? pause_s * 2 : PAUSE_MOST_S;
    kept.question_ns += clock_now_ns() - began_ns;
    return yes;
}

bool keys_stop_asked(void)
{
    enum { LOOK_AT_MOST_EVERY_MS = 100, KEYS_PER_LOOK = 64 };
    static uint64_t looked_ns;
    struct press p;

    if (clock_now_ns() - looked_ns < LOOK_AT_MOST_EVERY_MS * NS_PER_MS)
        return false;
    /* An Esc that may have been pressed in the pause after a question is gone: it would ask when nobody
     * presses any more. */
    bool may_ask = looked_ns >= no_question_before_ns;
    looked_ns = clock_now_ns();
    for (unsigned i = 0; i < KEYS_PER_LOOK && keys_take(&p); i++) {
        if (!by_person(&p))
            continue;
        if (p.key == KEY_ESC && !kept.esc_is_back) {
            if (may_ask)
                return ask_to_stop();
        } else if (kept.count < KEPT_MAX)
            kept.key[kept.count++] = p.key;
    }
    return false;
}
