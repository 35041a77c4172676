#include "after.h"
#include "console.h"
#include "net_link.h"
#include "serial.h"

static EFI_GUID global_variable = {
    0x8be4df61, 0x93ca, 0x11d2, { 0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c }
};

static void reset(EFI_RESET_TYPE type, EFI_STATUS status)
{
    firmware->RuntimeServices->ResetSystem(type, status, 0, NULL);
}

/* "Boot0003", or its four digits alone. */
static bool entry_number(const char *s, UINT16 *out)
{
    unsigned v = 0;

    if (str_starts(s, "Boot"))
        s += 4;
    if (str_len(s) != 4)
        return false;
    for (unsigned i = 0; i < 4; i++) {
        char c = s[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        v = v << 4 | digit;
    }
    *out = (UINT16)v;
    return true;
}

static bool entry_exists(UINT16 number)
{
    CHAR16 name[12];
    char text[12];
    UINTN size = 0;

    str_fmt(text, sizeof text, "Boot%04X", number);
    ucs2_from_text(name, ARRAY_COUNT(name), text);
    return firmware->RuntimeServices->GetVariable(name, &global_variable, NULL, &size, NULL) ==
           EFI_BUFFER_TOO_SMALL;
}

/* Only the firmware's next start is touched: it removes BootNext itself when it uses it. */
static bool choose_entry(const char *next)
{
    static CHAR16 boot_next[] = { 'B', 'o', 'o', 't', 'N', 'e', 'x', 't', 0 };
    UINT16 number;

    if (!entry_number(next, &number)) {
        serial_say("next = %s is no boot entry; write Boot0003", next);
        return false;
    }
    if (!entry_exists(number)) {
        serial_say("the firmware has no boot entry %s", next);
        return false;
    }
    return !EFI_ERROR(firmware->RuntimeServices->SetVariable(
        boot_next, &global_variable,
        EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS,
        sizeof number, &number));
}

/* Until somebody comes: going on, or around again, would hide what was found. */
static void stay(const char *why)
{
    serial_say("%s: this machine waits; a key restarts it", why);
    while (!console_wait_key(60))
        ;
    reset(EfiResetCold, EFI_SUCCESS);
}

static EFI_STATUS go_on(const struct conf *conf, const struct run_ending *ending, EFI_STATUS status)
{
    if (net_link.by_ipxe)
        return status; /* its script decides by it */
    if (!ending->chains_to_next)
        stay("the next stage is not started");
    if (!conf->next[0]) {
        serial_say("on to the firmware's next boot entry");
        return EFI_NOT_FOUND;
    }
    if (choose_entry(conf->next)) {
        serial_say("restart into %s", conf->next);
        reset(EfiResetCold, EFI_SUCCESS);
    }
    stay("the next stage was not found");
    return status;
}

EFI_STATUS after_run(const struct conf *conf, const struct run_ending *ending)
{
    EFI_STATUS status = ending->efi_code ? EFIERR(ending->efi_code) : EFI_SUCCESS;

    switch ((enum conf_after)conf->after) {
    case AFTER_REBOOT:
        reset(EfiResetCold, status);
        break;
    case AFTER_POWEROFF:
        reset(EfiResetShutdown, status);
        break;
    case AFTER_NEXT:
        return go_on(conf, ending, status);
    case AFTER_RETURN:
        break;
    }
    return status;
}
