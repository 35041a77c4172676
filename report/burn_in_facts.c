#include "burn_in_facts.h"
#include "bits.h"
#include "math.h"
#include "str.h"

bool burn_in_next_phase(struct run_lines *lines, const char *disk, struct journal_line *out)
{
    while (run_lines_find(lines, "burn_in_phase", out))
        if (event_is(out, "disk", disk))
            return true;
    return false;
}

static void take_disk_size(const struct run *run, const char *disk, struct burn_in_facts *f)
{
    struct journal_line l;

    if (run_find_disk(run, disk, &l))
        f->disk_bytes = mul_div_u64(event_u64(&l, "lba_count"), event_u64(&l, "lba_bytes"), 1);
    f->covered_bytes =
        min_u64(mul_div_u64(event_u64(&f->state, "verified_blocks"), event_u64(&f->state, "block_bytes"), 1),
                f->disk_bytes);
}

static void take_phase(const struct journal_line *l, struct burn_in_facts *f)
{
    struct json_value v;
    int64_t degrees;

    f->phases++;
    if (json_member(&l->body, "temperature_max_c", &v) && json_to_i64(&v, &degrees) && degrees > f->warmest_c)
        f->warmest_c = degrees;
}

bool burn_in_facts(const struct run *run, const char *disk, struct burn_in_facts *out)
{
    struct run_lines lines;
    struct journal_line l;
    char word[4];
    bool any = false;

    *out = (struct burn_in_facts){ .warmest_c = INT64_MIN };
    run_lines_of(&lines, run, disk);
    while (run_lines_next(&lines, &l)) {
        if (!event_is(&l, "disk", disk))
            continue;
        if (str_equal(l.ev, "burn_in")) {
            out->state = l;
            any = true;
        } else if (str_equal(l.ev, "burn_in_phase")) {
            take_phase(&l, out);
        }
    }
    if (!any)
        return false;
    out->writes = event_str(&out->state, "arming", word, sizeof word);
    take_disk_size(run, disk, out);
    return true;
}

static void share(struct text *t, uint64_t part, uint64_t of)
{
    text_fixed(t, mul_div_u64(part, 1000, of), 1);
    text_str(t, " %");
}

void burn_in_covered_words(const struct burn_in_facts *f, struct text *t)
{
    uint64_t bare_bytes = f->disk_bytes - f->covered_bytes;

    if (!f->disk_bytes)
        return;
    share(t, f->covered_bytes, f->disk_bytes);
    text_str(t, f->writes ? " of the disk written and verified (" : " of the disk read (");
    text_capacity(t, f->covered_bytes);
    text_str(t, "), ");
    /* Both shares are rounded down: together they are not to be less than all of it. */
    text_fixed(t, 1000 - mul_div_u64(f->covered_bytes, 1000, f->disk_bytes), 1);
    text_str(t, " % not covered (");
    text_capacity(t, bare_bytes);
    text_str(t, ")");
}

void burn_in_phase_words(const struct journal_line *phase, struct text *t)
{
    char key[24];

    event_str(phase, "phase", key, sizeof key);
    enum burn_in_phase p = burn_in_phase_from_key(key);
    text_str(t, p < BURN_IN_PHASE_COUNT ? burn_in_phases[p].words : key);
}

uint64_t burn_in_phase_bytes_per_s(const struct journal_line *phase)
{
    uint64_t ms = event_u64(phase, "ms");

    return ms ? mul_div_u64(event_u64(phase, "read_bytes") + event_u64(phase, "written_bytes"), 1000, ms) : 0;
}

uint64_t burn_in_bytes_per_s(const struct run *run, const char *disk, enum burn_in_phase p)
{
    struct run_lines lines;
    struct journal_line l;
    uint64_t bytes = 0, ms = 0;

    run_lines_of(&lines, run, disk);
    while (burn_in_next_phase(&lines, disk, &l))
        if (event_is(&l, "phase", burn_in_phases[p].key)) {
            bytes += event_u64(&l, "read_bytes") + event_u64(&l, "written_bytes");
            ms += event_u64(&l, "ms");
        }
    return ms ? mul_div_u64(bytes, 1000, ms) : 0;
}

bool burn_in_is_all(const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;

    run_lines_start(&lines, run);
    return !run->cells && run_lines_find(&lines, "burn_in", &l);
}
