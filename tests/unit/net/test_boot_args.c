#include <string.h>
#include "bits.h"
#include "boot_args.h"
#include "test.h"

static uint8_t raw[9000];
static char lines[5000];
static struct text out;

static enum boot_args_kind read_wide(const char *s, size_t room)
{
    size_t n = strlen(s);

    memset(raw, 0, sizeof raw);
    for (size_t i = 0; i < n; i++)
        raw[2 * i] = (uint8_t)s[i];
    out = text_over(lines, room);
    return boot_args_read(raw, 2 * n + 2, &out);
}

TEST(words_of_a_boot_loader_become_lines)
{
    static const struct {
        const char *words, *lines;
    } row[] = {
        { "BOOTX64.EFI preset=quick attended", "preset=quick\nattended\n" },
        { "preset=quick", "preset=quick\n" },
        { "a.efi \"run_label=rack 7\"", "run_label=rack 7\n" },
        { "a.efi run_label=\"rack 7\" x=1", "run_label=rack 7\nx=1\n" },
        { "a.efi run_label=\\\"q\\\\", "run_label=\"q\\\n" },
        { "a.efi   a=1 \t b=2  ", "a=1\nb=2\n" },
        { "a.efi \"open=to the end", "open=to the end\n" },
        { "\\EFI\\BOOT\\BOOTX64.EFI x=1", "x=1\n" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        EQ(read_wide(row[i].words, sizeof lines), BOOT_ARGS_TEXT);
        EQ_STR(lines, row[i].lines);
    }
}

TEST(only_the_images_name_or_nothing_is_no_word)
{
    static const char *const row[] = { "", "BOOTX64.EFI", "  BOOTX64.EFI  ", "\"\"" };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        EQ(read_wide(row[i], sizeof lines), BOOT_ARGS_NONE);
        EQ_STR(lines, "");
    }
    out = text_over(lines, sizeof lines);
    EQ(boot_args_read(raw, 0, &out), BOOT_ARGS_NONE);
}

TEST(one_byte_per_character_is_read_too)
{
    const char *s = "preset=quick countdown_s=0";

    out = text_over(lines, sizeof lines);
    EQ(boot_args_read(s, strlen(s), &out), BOOT_ARGS_TEXT);
    EQ_STR(lines, "preset=quick\ncountdown_s=0\n");
}

TEST(what_is_no_text_is_not_taken)
{
    static const uint8_t guid[16] = { 0x3a, 0x91, 0x0c, 0x6d, 0x18, 0x3a, 0xf6, 0x41,
                                      0x95, 0x52, 0xb9, 0xcb, 0x0f, 0x8f, 0x6b, 0x04 };
    static const uint8_t high[4] = { 'a', 0, '=', 0x20 + 0x80 };

    out = text_over(lines, sizeof lines);
    EQ(boot_args_read(guid, sizeof guid, &out), BOOT_ARGS_NO_TEXT);
    EQ_STR(lines, "");
    EQ(boot_args_read(high, sizeof high, &out), BOOT_ARGS_NO_TEXT);
    EQ(read_wide("a.efi x=1\ny=2", sizeof lines), BOOT_ARGS_NO_TEXT);
    /* It would begin a comment in the lines: half a word is not what was meant. */
    EQ(read_wide("a.efi x=1 run_label=#7", sizeof lines), BOOT_ARGS_NO_TEXT);
    EQ_STR(lines, "");
}

TEST(text_ends_at_a_nul_at_an_odd_end_and_at_4096_characters)
{
    memset(raw, 0, sizeof raw);
    memcpy(raw,
           "a\0=\0"
           "1\0\0\0x\0",
           10);
    out = text_over(lines, sizeof lines);
    EQ(boot_args_read(raw, 10, &out), BOOT_ARGS_TEXT);
    EQ_STR(lines, "a=1\n");
    EQ(boot_args_read(raw, 5, &out), BOOT_ARGS_TEXT);
    EQ_STR(lines, "a=\n");
    for (size_t i = 0; i < sizeof raw; i += 2)
        raw[i] = 'b';
    raw[2] = '=';
    out = text_over(lines, sizeof lines);
    EQ(boot_args_read(raw, sizeof raw, &out), BOOT_ARGS_TEXT);
    EQ(out.len, 4097);
}

TEST(words_that_do_not_fit_are_marked)
{
    EQ(read_wide("a.efi run_label=1234567890", 12), BOOT_ARGS_TEXT);
    CHECK(out.cut);
}
