#include "unfinished.h"
#include "run_code.h"
#include "str.h"

/* ---- one line of each kind ---- */
static struct unfinished_step *current(struct unfinished *u)
{
    return u->step_count ? &u->step[u->step_count - 1] : NULL;
}

static bool is_in(const struct unfinished_step *s, uint64_t step)
{
    return s && step >= s->first && step <= s->last;
}

static void on_run_start(struct unfinished *u, const struct journal_line *l)
{
    event_str(l, "clock", u->clock, sizeof u->clock);
}

static void on_plan(struct unfinished *u, const struct journal_line *l)
{
    u->steps = (unsigned)event_u64(l, "steps");
    u->estimate_ns = event_u64(l, "estimate_ns");
}

static void on_choice(struct unfinished *u, const struct journal_line *l)
{
    event_str(l, "plan", u->choice.plan, sizeof u->choice.plan);
    event_str(l, "what", u->choice.what, sizeof u->choice.what);
    event_str(l, "resumes", u->choice.resumes, sizeof u->choice.resumes);
    u->choice.budget_s = (uint32_t)event_u64(l, "budget_s");
    u->choice.time_scale_pct = (uint32_t)event_u64(l, "time_scale_pct");
}

static void on_step_start(struct unfinished *u, const struct journal_line *l)
{
    struct unfinished_step *last = current(u);

    u->began = true;
    u->step_at = l->body.at;
    if (last && !last->end)
        last->end = l->body.at;
}

static bool hex_key(const struct journal_line *l, uint64_t *key)
{
    char hex[17];

    *key = 0;
    if (!event_str(l, "key", hex, sizeof hex))
        return false;
    for (const char *c = hex; *c; c++) {
        unsigned digit = *c >= '0' && *c <= '9'   ? (unsigned)(*c - '0')
                         : *c >= 'a' && *c <= 'f' ? (unsigned)(*c - 'a' + 10)
                                                  : 16;
        if (digit == 16)
            return false;
        *key = *key << 4 | digit;
    }
    return *key != 0;
}

/* Follows step_start: a further round of the last step, or a step of its own. */
static void on_key(struct unfinished *u, const struct journal_line *l)
{
    struct unfinished_step *last = current(u);
    unsigned planned = (unsigned)event_u64(l, "planned"), step = (unsigned)event_u64(l, "step");
    uint64_t key;

    if (!hex_key(l, &key))
        return;
    if (last && last->planned == planned && last->key == key && last->rounds > 1) {
        last->last = step;
        last->end = NULL;
        return;
    }
    if (!u->step_at || u->step_count == UNFINISHED_MAX_STEPS)
        return;
    u->step[u->step_count++] = (struct unfinished_step){ .key = key,
                                                         .planned = planned,
                                                         .first = step,
                                                         .last = step,
                                                         .rounds = (unsigned)event_u64(l, "rounds"),
                                                         .begin = u->step_at };
}

static bool has_flag(const struct journal_line *l, const char *flag)
{
    struct json_value flags, v;
    size_t cursor = 0;
    char word[24];

    if (!json_member(&l->body, "flags", &flags))
        return false;
    while (json_next(&flags, &cursor, NULL, &v))
        if (json_to_str(&v, word, sizeof word) && str_equal(word, flag))
            return true;
    return false;
}

static void on_step_end(struct unfinished *u, const struct journal_line *l)
{
    struct unfinished_step *s = current(u);

    if (!is_in(s, event_u64(l, "step")))
        return;
    s->measured = true;
    s->early |= has_flag(l, "ended-early");
}

/* What follows is of the run as a whole. */
static void set_done(struct unfinished_step *s, const struct journal_line *l)
{
    if (!s->done)
        s->end = l->body.at + l->body.len;
    s->done = true;
}

/* The checkpoint before a step's first request has its number, too: results stand between the two. */
static void on_checkpoint(struct unfinished *u, const struct journal_line *l)
{
    struct unfinished_step *s = current(u);

    if (is_in(s, event_u64(l, "step")) && s->rounds <= 1 && s->measured)
        set_done(s, l);
}

static void on_rounds(struct unfinished *u, const struct journal_line *l)
{
    struct unfinished_step *s = current(u);
    uint64_t first = event_u64(l, "first_step"), last = event_u64(l, "last_step");

    if (is_in(s, last) && s->first == first && last >= first && s->measured &&
        (event_u64(l, "steady") || last - first + 1 == event_u64(l, "most")))
        set_done(s, l);
}

static void on_stop(struct unfinished *u, const struct journal_line *l)
{
    (void)l;
    u->open = true;
}

static const struct {
    const char *ev;
    void (*on)(struct unfinished *u, const struct journal_line *l);
} kinds[] = {
    { "run_start", on_run_start },   { "plan", on_plan },     { "plan_choice", on_choice },
    { "step_start", on_step_start }, { "step_key", on_key },  { "step_end", on_step_end },
    { "checkpoint", on_checkpoint }, { "rounds", on_rounds }, { "plan_stop", on_stop },
};

/* ---- all of it ---- */
static bool find_last_run(const char *journal, size_t len, struct run *out)
{
    struct run_walk walk;
    struct run run;
    bool any = false;

    run_walk_start(&walk, journal, len);
    while (run_walk_next(&walk, &run)) {
        *out = run;
        any = true;
    }
    return any;
}

/* Steps that were stopped, or whose lines were lost, are measured again. */
static void count_done(struct unfinished *u)
{
    for (unsigned i = 0; i < u->step_count; i++) {
        struct unfinished_step *s = &u->step[i];

        s->done &= !s->early;
        u->done_steps += s->done;
    }
}

bool unfinished_is_of(const char *head, size_t len, const char *machine_serial, const char *machine_uuid)
{
    struct journal_reader reader;
    struct journal_line l;
    char serial[64], uuid[40];

    journal_reader_start(&reader, head, len);
    if (journal_reader_next(&reader, &l) != JOURNAL_LINE || !str_equal(l.ev, "run_start"))
        return false;
    event_str(&l, "serial", serial, sizeof serial);
    event_str(&l, "uuid", uuid, sizeof uuid);
    return str_equal(serial, machine_serial) && str_equal(uuid, machine_uuid);
}

bool unfinished_read(struct unfinished *u, const char *journal, size_t len, struct unfinished_step *steps)
{
    struct journal_reader reader;
    struct journal_line l;
    enum journal_read got;

    *u = (struct unfinished){ .step = steps };
    if (!find_last_run(journal, journal_end(journal, len), &u->run))
        return false;
    u->open = !u->run.ends;
    run_code(u->run.run_id, u->code);
    journal_reader_start(&reader, u->run.text, u->run.len);
    reader.skip_series = true;
    while ((got = journal_reader_next(&reader, &l)) != JOURNAL_END) {
        if (got == JOURNAL_CORRUPT && current(u))
            current(u)->early = true;
        for (unsigned i = 0; got == JOURNAL_LINE && i < sizeof kinds / sizeof kinds[0]; i++)
            if (l.run_id == u->run.run_id && str_equal(l.ev, kinds[i].ev))
                kinds[i].on(u, &l);
    }
    if (current(u) && !current(u)->end)
        current(u)->end = u->run.text + u->run.len;
    count_done(u);
    return u->choice.plan[0] && u->steps;
}

bool unfinished_has_disk(const struct unfinished *u, const char *name, const char *identity)
{
    struct run_lines lines;
    struct journal_line l;
    struct json_value list, v;
    size_t cursor = 0;
    char word[96];
    bool listed = false;

    run_lines_start(&lines, &u->run);
    if (!run_lines_find(&lines, "plan_choice", &l) || !json_member(&l.body, "disks", &list))
        return false;
    while (!listed && json_next(&list, &cursor, NULL, &v))
        listed = json_to_str(&v, word, sizeof word) && str_equal(word, name);
    return listed && run_find_disk(&u->run, name, &l) && event_str(&l, "identity", word, sizeof word) &&
           str_equal(word, identity);
}

const struct unfinished_step *unfinished_find(struct unfinished *u, uint64_t key)
{
    for (unsigned i = 0; key && i < u->step_count; i++) {
        struct unfinished_step *s = &u->step[i];

        if (s->key != key || !s->done || s->taken)
            continue;
        s->taken = true;
        return s;
    }
    return NULL;
}

void unfinished_untake(struct unfinished *u)
{
    for (unsigned i = 0; i < u->step_count; i++)
        u->step[i].taken = false;
}

/* ---- a step's lines ---- */
void unfinished_lines_start(struct unfinished_lines *l, const struct unfinished *u,
                            const struct unfinished_step *s)
{
    journal_reader_start(&l->reader, s->begin, (size_t)(s->end - s->begin));
    l->run_id = u->run.run_id;
}

static const char *const carried[] = { "step_start",  "step_key", "io_error",    "io_errors_more",
                                       "step_end",    "series",   "rounds",      "step_side",
                                       "side_series", "fio_log",  "latency_goal" };

bool unfinished_is_carried(const struct journal_line *l)
{
    for (unsigned i = 0; i < sizeof carried / sizeof carried[0]; i++)
        if (str_equal(l->ev, carried[i]))
            return true;
    return false;
}

bool unfinished_lines_next(struct unfinished_lines *l, struct journal_line *out)
{
    enum journal_read got;

    while ((got = journal_reader_next(&l->reader, out)) != JOURNAL_END)
        if (got == JOURNAL_LINE && out->run_id == l->run_id &&
            (unfinished_is_carried(out) || str_equal(out->ev, "finding")))
            return true;
    return false;
}
