#include "resume.h"
#include "runs.h"
#include "str.h"

void resume_start(struct resume *r, const char *machine_serial, const char *machine_uuid,
                  struct resume_drive *drives)
{
    *r = (struct resume){ .drives = drives };
    str_copy(r->machine_serial, sizeof r->machine_serial, machine_serial);
    str_copy(r->machine_uuid, sizeof r->machine_uuid, machine_uuid);
}

/* A machine without a UUID is known by its serial number; one that has neither is not told apart: the
 * identities of the disks must do. */
static bool is_this_machine(const struct resume *r, const struct journal_line *l)
{
    if (r->machine_uuid[0])
        return event_is(l, "uuid", r->machine_uuid);
    return event_is(l, "serial", r->machine_serial);
}

bool resume_run_head(struct resume *r, const char *text, size_t len)
{
    struct journal_reader reader;
    struct journal_line l;

    journal_reader_start(&reader, text, len);
    if (journal_reader_next(&reader, &l) != JOURNAL_LINE || !str_equal(l.ev, "run_start"))
        return false;
    if (!is_this_machine(r, &l)) {
        r->other_machines++;
        return false;
    }
    r->run_id = l.run_id;
    event_str(&l, "clock", r->clock, sizeof r->clock);
    return true;
}

static unsigned word_index(const char *const *words, unsigned count, const char *word)
{
    unsigned i = 0;

    while (i < count && !str_equal(words[i], word))
        i++;
    return i;
}

static uint32_t u32(const struct journal_line *l, const char *key)
{
    uint64_t v = event_u64(l, key);

    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

/* False: not one that could be gone on with, however right its checksum is. */
static bool read_state(const struct journal_line *l, struct burn_in_state *s)
{
    char phase[24], end[16];

    *s = (struct burn_in_state){ .job_hash = event_u64(l, "job_hash"),
                                 .seed = event_u64(l, "seed"),
                                 .block_bytes = u32(l, "block_bytes"),
                                 .blocks = event_u64(l, "blocks"),
                                 .pass = u32(l, "pass"),
                                 .position = event_u64(l, "position"),
                                 .written_blocks = event_u64(l, "written_blocks"),
                                 .verified_blocks = event_u64(l, "verified_blocks"),
                                 .written_bytes = event_u64(l, "written_bytes"),
                                 .errors = event_u64(l, "errors"),
                                 .interruptions = u32(l, "interruptions"),
                                 .stuck = u32(l, "stuck"),
                                 .phase_ms = event_u64(l, "phase_ms"),
                                 .spent_ms = event_u64(l, "spent_ms") };
    event_str(l, "phase", phase, sizeof phase);
    event_str(l, "end", end, sizeof end);
    event_str(l, "disk", s->disk, sizeof s->disk);
    event_str(l, "arming", s->arming, sizeof s->arming);
    event_str(l, "why", s->why, sizeof s->why);
    s->phase = (uint8_t)burn_in_phase_from_key(phase);
    s->end = (uint8_t)word_index(burn_in_end_words, BURN_IN_END_COUNT, end);
    return event_str(l, "identity", s->identity, sizeof s->identity) && s->phase < BURN_IN_PHASE_COUNT &&
           s->end < BURN_IN_END_COUNT && s->written_blocks <= s->blocks && s->verified_blocks <= s->blocks;
}

static struct resume_drive *find(const struct resume *r, const char *identity)
{
    for (unsigned i = 0; i < r->count; i++)
        if (str_equal(r->drives[i].state.identity, identity))
            return &r->drives[i];
    return NULL;
}

/* Without a clock the one that is offered later. */
static bool began_later(const struct resume_drive *a, const struct resume_drive *b)
{
    if (!a->clock[0] || !b->clock[0])
        return true;
    for (unsigned i = 0; a->clock[i] || b->clock[i]; i++)
        if (a->clock[i] != b->clock[i])
            return a->clock[i] > b->clock[i];
    return true;
}

/* Of the same run the later line; of the same burn-in the later state, whatever clocks say; else the run that
 * began later, or that was offered later where a clock is missing. */
static bool is_newer(const struct resume_drive *a, const struct resume_drive *b)
{
    if (a->run_id == b->run_id)
        return a->seq >= b->seq;
    if (a->state.seed == b->state.seed && a->state.job_hash == b->state.job_hash)
        return !burn_in_state_is_later(&b->state, &a->state) &&
               (burn_in_state_is_later(&a->state, &b->state) || began_later(a, b));
    return began_later(a, b);
}

static void take(struct resume *r, const struct journal_line *l)
{
    struct resume_drive new = { .run_id = l->run_id, .seq = l->seq };

    if (!read_state(l, &new.state))
        return;
    str_copy(new.clock, sizeof new.clock, r->clock);
    struct resume_drive *old = find(r, new.state.identity);
    if (old && is_newer(&new, old))
        *old = new;
    else if (!old && r->count < RESUME_MAX_DRIVES)
        r->drives[r->count++] = new;
}

bool resume_run_lies_in(const struct resume *r, const char *text, size_t len)
{
    struct journal_reader reader;
    struct journal_line l;
    enum journal_read got;

    journal_reader_start(&reader, text, len);
    while ((got = journal_reader_next(&reader, &l)) != JOURNAL_END)
        if (got == JOURNAL_LINE && l.run_id == r->run_id)
            return true;
    return false;
}

bool resume_run_window(struct resume *r, const char *text, size_t len)
{
    struct journal_reader reader;
    struct journal_line l;
    enum journal_read got;
    bool found = false;

    journal_reader_start(&reader, text, len);
    reader.skip_series = true;
    while ((got = journal_reader_next(&reader, &l)) != JOURNAL_END) {
        if (got != JOURNAL_LINE || l.run_id != r->run_id || !str_equal(l.ev, "burn_in"))
            continue;
        found = true;
        take(r, &l);
    }
    return found;
}

void resume_run_text(struct resume *r, const char *text, size_t len)
{
    struct run_walk w;
    struct run run;

    run_walk_start(&w, text, len);
    while (run_walk_next(&w, &run))
        if (resume_run_head(r, run.text, run.len))
            resume_run_window(r, run.text, run.len);
}

const struct burn_in_state *resume_find(const struct resume *r, const char *identity)
{
    const struct resume_drive *d = identity[0] ? find(r, identity) : NULL;

    return d ? &d->state : NULL;
}

bool resume_is_of_one_run(const struct resume *r, const char *identity, const char *other)
{
    const struct resume_drive *a = identity[0] ? find(r, identity) : NULL,
                              *b = other[0] ? find(r, other) : NULL;

    return a && b && a->run_id == b->run_id;
}

uint64_t resume_last_piece(uint64_t size_bytes, bool (*lies_at)(void *ctx, uint64_t at_bytes), void *ctx)
{
    uint64_t low = 0, high = size_bytes / RESUME_PROBE_BYTES + 1; /* low holds lines, high holds none */

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (lies_at(ctx, middle * RESUME_PROBE_BYTES))
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t resume_cut_bytes(uint64_t size_bytes, uint64_t preallocated_bytes, uint64_t last_piece)
{
    /* A line may begin in one piece and end in the next. */
    uint64_t end = (last_piece + 2) * RESUME_PROBE_BYTES;

    return size_bytes && size_bytes % preallocated_bytes == 0 && end < size_bytes ? end : 0;
}
