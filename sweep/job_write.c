#include "bits.h"
#include "job.h"
#include "str.h"

/* The words of a job file that concern writing and verifying. */

/* ---- patterns ---- */
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 0xdeadface: the bytes de ad fa ce; an odd digit in front counts as a byte of its own. */
static bool read_hex(const char *digits, struct job_pattern *out)
{
    size_t len = str_len(digits), half = len % 2;

    if (!len || (len + 1) / 2 > JOB_PATTERN_MAX_BYTES)
        return false;
    *out = (struct job_pattern){ .count = (uint8_t)((len + 1) / 2) };
    for (size_t i = 0; i < len; i++) {
        int v = hex_digit(digits[i]);
        if (v < 0)
            return false;
        uint8_t *byte = &out->byte[(i + half) / 2];
        *byte = (uint8_t)(*byte << 4 | v);
    }
    return true;
}

static bool read_pattern(const char *name, const char *value, struct job_pattern *out, struct text *why)
{
    size_t len = str_len(value);
    struct job_pattern p = { 0 };

    if (str_starts(value, "0x") && read_hex(value + 2, &p)) {
        *out = p;
        return true;
    }
    if (len > 2 && value[0] == '"' && value[len - 1] == '"' && len - 2 <= JOB_PATTERN_MAX_BYTES) {
        p.count = (uint8_t)(len - 2);
        memcpy(p.byte, value + 1, len - 2);
        *out = p;
        return true;
    }
    text_fmt(why, "%s=%.40s: write 0x and hexadecimal digits, or text in quotes, at most %u bytes", name,
             value, JOB_PATTERN_MAX_BYTES);
    return false;
}

bool job_parse_verify_pattern(struct job *j, struct text *why)
{
    return read_pattern("verify_pattern", j->verify_pattern, &j->stamp_fill, why);
}

bool job_parse_buffer_pattern(struct job *j, struct text *why)
{
    return read_pattern("buffer_pattern", j->buffer_pattern, &j->write_fill, why);
}

/* ---- verify ---- */
bool job_parse_verify(struct job *j, struct text *why)
{
    static const struct {
        const char *word;
        uint8_t verify;
    } rows[] = {
        { "stamp", JOB_VERIFY_STAMP },
        { "crc32c", JOB_VERIFY_STAMP },
        { "crc32c-intel", JOB_VERIFY_STAMP },
        { "meta", JOB_VERIFY_STAMP },
        { "md5", JOB_VERIFY_STAMP },
        { "crc64", JOB_VERIFY_STAMP },
        { "crc32", JOB_VERIFY_STAMP },
        { "crc16", JOB_VERIFY_STAMP },
        { "crc7", JOB_VERIFY_STAMP },
        { "xxhash", JOB_VERIFY_STAMP },
        { "sha1", JOB_VERIFY_STAMP },
        { "sha256", JOB_VERIFY_STAMP },
        { "sha512", JOB_VERIFY_STAMP },
        { "sha3-224", JOB_VERIFY_STAMP },
        { "sha3-256", JOB_VERIFY_STAMP },
        { "sha3-384", JOB_VERIFY_STAMP },
        { "sha3-512", JOB_VERIFY_STAMP },
        { "pattern_hdr", JOB_VERIFY_STAMP },
        { "0", JOB_VERIFY_NONE },
        { "pattern", JOB_VERIFY_PATTERN },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        if (str_equal(j->verify_text, rows[i].word)) {
            j->verify = rows[i].verify;
            return true;
        }
    if (str_equal(j->verify_text, "null"))
        text_str(why, "verify=null only pretends to verify; write verify=crc32c, or remove the line");
    else
        text_fmt(why, "verify=%.23s: write crc32c (or stamp, the same here), or pattern", j->verify_text);
    return false;
}

bool job_parse_verify_run(struct job *j, struct text *why)
{
    uint64_t run = 0;
    unsigned n = 0;

    for (int v; j->verify_run_text[n] && (v = hex_digit(j->verify_run_text[n])) >= 0; n++)
        run = run << 4 | (unsigned)v;
    j->verify_run = run;
    if (n == 16 && !j->verify_run_text[n] && run)
        return true;
    text_fmt(
        why,
        "verify_run=%.19s: write the 16 hexadecimal digits that follow \"run\" in the lines of its journal",
        j->verify_run_text);
    return false;
}

/* Order and size of the requests have to say by themselves what was written where, and when last. */
static const char *verify_trouble(const struct job *j)
{
    const struct {
        bool is_so;
        const char *why;
    } rows[] = {
        { j->split_count || j->block_min_bytes,
          "verify needs requests of one size: remove bssplit and bsrange" },
        { job_rw_is_random(j->rw) && (j->distribution || j->random_pct < 100 || j->align_bytes),
          "verify needs each block to be written once: remove random_distribution, percentage_random and "
          "blockalign" },
        { j->run_ios || j->gap_bytes, "verify with a number behind rw= is not implemented; remove it" },
        { j->verify == JOB_VERIFY_PATTERN && !j->stamp_fill.count,
          "verify=pattern needs verify_pattern, such as verify_pattern=0xdeadface" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].is_so)
            return rows[i].why;
    return NULL;
}

const char *job_write_trouble(struct job *j, const char **note)
{
    if (j->verify_only && (!j->verify || !job_rw_writes(j->rw)))
        return "verify_only needs verify, and the rw of the job that wrote: add verify=crc32c";
    if (j->verify_run && !j->verify_only)
        return "verify_run says whose stamps verify_only looks for: add verify_only, or remove it";
    if (j->verify_after_reset && (!j->verify || !job_writes(j) || !j->do_verify))
        return "verify_after_reset is for a job that writes and reads back: it needs verify and a rw that writes, and goes "
               "neither with verify_only nor with do_verify=0";
    if (j->verify_after_reset && j->numjobs > 1)
        return "verify_after_reset needs the disk for itself; remove numjobs";
    if (j->verify_only && j->rw == JOB_RW)
        return "verify_only of rw=rw cannot know how far the writes came; verify in the job that writes";
    if (job_writes(j) && j->unmet >> JOB_UNMET_LISTS & 1)
        return "sizes, splits and rates that differ between reads and writes are not implemented in a job that writes; "
               "give one for both";
    for (unsigned i = 0; i < job_write_refusal_count; i++)
        if (job_writes(j) && j->unmet >> i & 1)
            return job_write_refusals[i].why;
    if (!j->verify)
        return NULL;
    if (j->verify == JOB_VERIFY_STAMP && j->verify_text[0] && !str_equal(j->verify_text, "stamp") &&
        !str_starts(j->verify_text, "crc32c"))
        *note = "verify: whatever sum is named, each LBA carries this program's stamp and a CRC-32C";
    if (job_rw_is_random(j->rw) && j->norandommap) {
        j->norandommap = 0;
        *note = "norandommap: not followed in a job that verifies; each block comes once per pass";
    }
    return verify_trouble(j);
}
