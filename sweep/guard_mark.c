#include "guard_content.h"
#include "crc.h"
#include "str.h"

/* Readable in a hex dump by whoever finds it on a disk:
 *
 *     BARESWEEP MARK 1\narming <16 hex>\nrun <16 hex>\nstate writing|finished\n ... NULs ... <CRC-32C, LE>
 */
static const char magic[] = "BARESWEEP MARK 1\n";
enum { CRC_AT = GUARD_MARK_BYTES - 4 };

void guard_mark_make(uint8_t block[GUARD_MARK_BYTES], const struct guard_mark *m)
{
    memset(block, 0, GUARD_MARK_BYTES);
    str_fmt(
        (char *)block, CRC_AT,
        "%sarming %.16s\nrun %.16s\nstate %s\n\nThis disk is being burned in, or was. No file is on it.\n",
        magic, m->arming_id, m->run_id, m->finished ? "finished" : "writing");
    uint32_t crc = crc32c(0, block, CRC_AT);
    memcpy(block + CRC_AT, &crc, sizeof crc);
}

static const char *after(const char *s, const char *word)
{
    return s && str_starts(s, word) ? s + str_len(word) : NULL;
}

/* 16 digits and the end of the line. */
static const char *take_id(const char *s, char id[17])
{
    if (!s || str_len(s) < 17 || s[16] != '\n')
        return NULL;
    str_copy_n(id, 17, s, 16);
    return s + 17;
}

bool guard_mark_read(const uint8_t block[GUARD_MARK_BYTES], struct guard_mark *out)
{
    char text[CRC_AT + 1];
    uint32_t crc;

    memcpy(&crc, block + CRC_AT, sizeof crc);
    if (memcmp(block, magic, sizeof magic - 1) || crc != crc32c(0, block, CRC_AT))
        return false;
    memcpy(text, block, CRC_AT);
    text[CRC_AT] = 0;
    *out = (struct guard_mark){ 0 };
    const char *s = take_id(after(text + sizeof magic - 1, "arming "), out->arming_id);
    s = take_id(after(s, "run "), out->run_id);
    s = after(s, "state ");
    out->finished = s && str_starts(s, "finished\n");
    return s && (out->finished || str_starts(s, "writing\n"));
}
