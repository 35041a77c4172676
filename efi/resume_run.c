#include "resume_run.h"
#include "live.h"
#include "platform.h"
#include "presets.h"
#include "record.h"
#include "scaling_run.h"
#include "serial.h"
#include "summary.h"
#include "unfinished.h"

enum { RUNS_LOOKED_AT = 32, HEAD_BYTES = 64 << 10, JOURNAL_MOST_BYTES = 64 << 20 };

static struct {
    struct unfinished run;
    char *text; /* its journal; NULL: nothing is offered */
    bool taken; /* this run goes on with it */
    bool *has;  /* per step of the plan: taken over */
    unsigned has_count;
    const char *hint;
} resume = { .hint = "" };
static struct unfinished_step steps[UNFINISHED_MAX_STEPS];

/* ---- looking for it ---- */
static bool is_of_machine(const struct medium *m, const char *name, const struct machine_info *machine,
                          char *head, uint64_t *size)
{
    size_t got;

    return medium_run_read(m, name, 0, head, HEAD_BYTES, &got, size) == OK && *size <= JOURNAL_MOST_BYTES &&
           unfinished_is_of(head, got, machine->serial, machine->uuid);
}

/* True when this is the run that counts: the last in which something was measured. */
static bool read_run(const struct medium *m, const char *name, uint64_t size)
{
    char *text = plat_alloc((size_t)size + 1);
    size_t got = 0;
    uint64_t again;
    bool counts = text && medium_run_read(m, name, 0, text, (size_t)size, &got, &again) == OK &&
                  unfinished_read(&resume.run, text, got, steps) && resume.run.began;

    if (counts && resume.run.open && resume.run.done_steps && resume.run.done_steps < resume.run.steps)
        resume.text = text;
    else
        plat_free(text);
    return counts;
}

static bool is_dated(const char *name) { return !str_starts(name, "noclock"); }

void resume_look(const struct medium *m, const struct machine_info *machine)
{
    char(*names)[MEDIUM_RUN_NAME_BYTES] = plat_alloc((RUNS_LOOKED_AT + 1) * sizeof *names);
    char *head = plat_alloc(HEAD_BYTES);
    unsigned count = names && head ? medium_runs(m, names, RUNS_LOOKED_AT) : 0;
    bool found = false;
    uint64_t size;

    /* Names of runs without a clock say nothing of their order: they are looked at last. */
    for (unsigned dated = 1; dated < 2 && !found; dated--)
        for (unsigned i = 0; i < count && !found; i++)
            found = is_dated(names[i]) == dated && is_of_machine(m, names[i], machine, head, &size) &&
                    read_run(m, names[i], size);
    plat_free(names);
    plat_free(head);
}

bool resume_offered(void) { return resume.text != NULL; }
bool resume_taken(void) { return resume.taken; }
void resume_drop(void) { resume.taken = false; }

/* ---- in words ---- */
static void put_when(struct text *t)
{
    const char *c = resume.run.clock;

    if (str_len(c) >= 16)
        text_fmt(t, "%.10s %.5s", c, c + 11);
    else
        text_fmt(t, "run %s", resume.run.code);
}

const char *resume_title(void)
{
    static char title[80];
    struct text t = text_over(title, sizeof title);

    text_reset(&t);
    if (!resume_offered())
        return "";
    put_when(&t);
    text_fmt(&t, ", %u of %u steps done", resume.run.done_steps, resume.run.steps);
    return title;
}

const char *resume_what(void)
{
    static char what[240];
    const struct plan_choice *c = &resume.run.choice;
    struct text t = text_over(what, sizeof what);

    text_fmt(&t,
             "%s%s%s: runs the %u step%s left, on its disks and with its settings; those done are taken "
             "over. What writes is asked for as ever.",
             str_equal(c->plan, "default") ? "built-in plan" : c->plan, c->what[0] ? " " : "", c->what,
             resume.run.steps - resume.run.done_steps, str_plural(resume.run.steps - resume.run.done_steps));
    return what;
}

/* ---- taking it ---- */
static unsigned preset_of(const char *name)
{
    struct preset p;

    for (unsigned i = 1; preset_get(i, &p); i++)
        if (str_equal(p.name, name))
            return i;
    return 0;
}

static bool can_choose(const struct settings *s, struct text *outcome)
{
    const struct plan_choice *c = &resume.run.choice;
    bool jobs = str_equal(c->plan, "jobs");

    if (c->time_scale_pct != s->conf.time_scale_pct)
        text_fmt(outcome, "Not resumed: its times were scaled to %u %%, now to %u %%.", c->time_scale_pct,
                 s->conf.time_scale_pct);
    else if (jobs && (s->conf.plan != CONF_PLAN_JOBS || !str_equal(s->conf.jobs, c->what)))
        text_fmt(outcome, "Not resumed: its job file %s is not the one that baresweep.conf names.", c->what);
    else if (!jobs && !str_equal(c->plan, "default") && !preset_of(c->what))
        text_fmt(outcome, "Not resumed: this version has no plan %s %s.", c->plan, c->what);
    else
        return true;
    return false;
}

/* Whatever the configuration excludes now stays excluded. */
static unsigned choose_disks(const struct settings *s, struct inventory *inv)
{
    unsigned n = 0;

    for (unsigned i = 0; i < inv->disk_count; i++) {
        struct known_disk *k = &inv->disks[i];

        if (!k->disk->ops)
            continue;
        k->wanted = unfinished_has_disk(&resume.run, k->disk->name, k->disk->identity) &&
                    !plan_list_has(s->conf.exclude, k->disk);
        str_copy(k->why, sizeof k->why, k->wanted ? "" : "not in the run that is resumed");
        n += k->wanted;
    }
    return n;
}

bool resume_take(struct settings *s, struct inventory *inv, struct text *outcome)
{
    const struct plan_choice *c = &resume.run.choice;

    if (!resume_offered()) {
        text_str(outcome, "No run of this machine on the result medium is unfinished.");
        return false;
    }
    if (!can_choose(s, outcome))
        return false;
    choose_disks(s, inv);
    s->conf.budget_s = c->budget_s;
    unsigned preset = preset_of(c->what);
    if (!str_equal(c->plan, "jobs"))
        settings_choose(s, preset ? CONF_PLAN_PRESET : CONF_PLAN_DEFAULT, preset);
    resume.taken = true;
    return true;
}

unsigned resume_done_steps(const struct plan *plan, uint64_t *rest_ns)
{
    unsigned done = 0;

    *rest_ns = plan->estimate_ns;
    if (!resume.taken)
        return 0;
    unfinished_untake(&resume.run);
    for (unsigned i = 0; i < plan->step_count; i++)
        if (unfinished_find(&resume.run, plan_step_key(&plan->steps[i]))) {
            *rest_ns -= plan->steps[i].estimate_ns;
            done++;
        }
    return done;
}

/* ---- for the start after this one ---- */
void resume_note_choice(const struct settings *s, const struct inventory *inv)
{
    static const char *names[INVENTORY_MAX_DISKS];
    struct plan_choice c = { .budget_s = s->conf.budget_s, .time_scale_pct = s->conf.time_scale_pct };
    struct preset p;
    unsigned n = 0;

    if (s->conf.plan != CONF_PLAN_DEFAULT && s->conf.plan != CONF_PLAN_PRESET &&
        s->conf.plan != CONF_PLAN_JOBS)
        return;
    for (unsigned i = 0; i < inv->disk_count; i++)
        if (inv->disks[i].wanted)
            names[n++] = inv->disks[i].disk->name;
    str_copy(c.plan, sizeof c.plan, settings_plan_word((enum conf_plan)s->conf.plan));
    if (s->conf.plan == CONF_PLAN_JOBS)
        str_copy(c.what, sizeof c.what, s->conf.jobs);
    else if (s->conf.plan == CONF_PLAN_PRESET && preset_get(s->conf.preset, &p))
        str_copy(c.what, sizeof c.what, p.name);
    if (resume.taken)
        str_fmt(c.resumes, sizeof c.resumes, "%016llx", (unsigned long long)resume.run.run.run_id);
    journal_plan_choice(record_journal(), &c, names, n);
}

void resume_note_stop(unsigned step, const char *why, bool done)
{
    journal_plan_stop(record_journal(), step + 1, why);
    resume.hint = done ? "The next start offers to resume this run." : "";
}

void resume_note_burn_in_stop(void) { resume.hint = "The next start with this plan resumes the burn-in."; }

const char *resume_hint(void) { return resume.hint; }

/* ---- taking steps over ---- */
static struct known_disk *find_disk(struct inventory *inv, const struct plan_step *step, const char *name)
{
    for (unsigned i = 0; i < step->lane_count; i++)
        if (str_equal(step->lanes[i].disk->name, name))
            return inventory_find(inv, step->lanes[i].disk);
    return NULL;
}

/* It counts for its disk as it did when it was found. */
static void raise_finding(struct inventory *inv, const struct plan_step *step, const struct journal_line *l)
{
    char code[40], subject[24], expected[200], seen[240];
    enum finding_level level = FINDING_INFO;

    for (unsigned i = 0; i < FINDING_LEVEL_COUNT; i++)
        if (event_is(l, "level", finding_level_text((enum finding_level)i)))
            level = (enum finding_level)i;
    event_str(l, "code", code, sizeof code);
    event_str(l, "subject", subject, sizeof subject);
    event_str(l, "expected", expected, sizeof expected);
    event_str(l, "seen", seen, sizeof seen);
    struct known_disk *k = find_disk(inv, step, subject);
    if (k)
        inventory_disk_finding(inv, k->disk, code, level, expected, "%s", seen);
    else
        record_finding(code, level, subject, expected, "%s", seen);
}

/* The chart of the disk, and that it was tested.  Returns the rate. */
static uint64_t take_result(struct inventory *inv, const struct plan_step *step, const struct journal_line *l)
{
    static struct step_result r;
    char name[24];

    event_str(l, "disk", name, sizeof name);
    struct known_disk *k = find_disk(inv, step, name);
    r = (struct step_result){ .block_bytes = (uint32_t)event_u64(l, "block_bytes"),
                              .ios = event_u64(l, "ios"),
                              .bytes = event_u64(l, "bytes"),
                              .run_ns = event_u64(l, "run_ns"),
                              .flags = summary_flags(l) };
    event_str(l, "rw", r.rw, sizeof r.rw);
    if (!k)
        return 0;
    if (r.ios && k->verdict == VERDICT_NOT_TESTED)
        k->verdict = VERDICT_PASS;
    live_result(k->disk, &r);
    return step_bytes_per_s(&r);
}

static unsigned carry_step(struct inventory *inv, const struct plan_step *step,
                           const struct unfinished_step *from, unsigned number)
{
    struct unfinished_lines lines;
    struct journal_line l;
    uint64_t bytes_per_s = 0;

    unfinished_lines_start(&lines, &resume.run, from);
    while (unfinished_lines_next(&lines, &l)) {
        if (unfinished_is_carried(&l))
            journal_carry(record_journal(), &l, number + 1 - from->first);
        else
            raise_finding(inv, step, &l);
        if (str_equal(l.ev, "step_end")) {
            uint64_t rate = take_result(inv, step, &l);
            bytes_per_s += event_u64(&l, "step") == from->last ? rate : 0;
        }
    }
    scaling_note(step, bytes_per_s);
    number += from->last - from->first + 1;
    journal_checkpoint(record_journal(), number);
    return number;
}

static void tell(unsigned done, unsigned of)
{
    char when[40];
    struct text t = text_over(when, sizeof when);

    put_when(&t);
    if (!done)
        record_finding(
            "run-resumed", FINDING_INFO, "run", NULL,
            "nothing of the run of %s (code %s) is taken over: its disks or settings are others now", when,
            resume.run.code);
    else
        record_finding("run-resumed", FINDING_INFO, "run", NULL,
                       "%u of %u steps were measured in the run of %s (code %s) before it was interrupted",
                       done, of, when, resume.run.code);
}

unsigned resume_carry(const struct plan *plan, struct inventory *inv)
{
    unsigned number = 0, done = 0;

    if (!resume.taken)
        return 0;
    unfinished_untake(&resume.run);
    resume.has = plat_alloc(plan->step_count * sizeof *resume.has + 1);
    resume.has_count = resume.has ? plan->step_count : 0;
    for (unsigned i = 0; i < resume.has_count; i++) {
        const struct unfinished_step *from = unfinished_find(&resume.run, plan_step_key(&plan->steps[i]));

        resume.has[i] = from != NULL;
        if (!from)
            continue;
        number = carry_step(inv, &plan->steps[i], from, number);
        done++;
    }
    tell(done, plan->step_count);
    return number;
}

bool resume_has(unsigned step) { return step < resume.has_count && resume.has[step]; }

void resume_end(void)
{
    plat_free(resume.text);
    plat_free(resume.has);
    resume.text = NULL;
    resume.has = NULL;
    resume.has_count = 0;
}
