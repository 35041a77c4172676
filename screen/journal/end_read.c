#include "end_read.h"
#include "finding.h"
#include "outcome.h"
#include "run_code.h"
#include "str.h"

static struct end_drive *drive_of(struct end_facts *f, const struct journal_line *l)
{
    char name[24];

    event_str(l, "disk", name, sizeof name);
    for (unsigned i = 0; i < f->drive_count; i++)
        if (str_equal(f->drives[i].name, name))
            return &f->drives[i];
    return NULL;
}

/* ---- one line of each kind ---- */

static void read_disk(struct end_facts *f, const struct journal_line *l)
{
    struct end_drive *d = &f->drives[f->drive_count];
    const char *dot;

    if (f->drive_count == END_DRIVES_MAX)
        return;
    *d = (struct end_drive){ .verdict = VERDICT_NOT_TESTED };
    if (!event_str(l, "name", d->name, sizeof d->name))
        return;
    f->drive_count++;
    event_str(l, "model", d->model, sizeof d->model);
    event_str(l, "serial", d->serial, sizeof d->serial);
    event_str(l, "why_not", d->why, sizeof d->why);
    dot = str_find(d->name, ".");
    if (str_starts(d->name, "sata") && dot)
        str_fmt(d->bay, sizeof d->bay, "port %s", dot + 1);
}

static void read_raid_drive(struct end_facts *f, const struct journal_line *l)
{
    enum { NO_ENCLOSURE = 0xffff };
    struct end_drive *d = drive_of(f, l);
    unsigned enclosure = (unsigned)event_u64(l, "enclosure_id"), slot = (unsigned)event_u64(l, "slot");

    if (d && enclosure != NO_ENCLOSURE)
        str_fmt(d->bay, sizeof d->bay, "%u:%u", enclosure, slot);
    else if (d)
        str_fmt(d->bay, sizeof d->bay, "slot %u", slot);
}

/* The tree lists ports before what hangs below them, one deeper.  An NVMe drive sits in the slot of the
 * nearest port that has a number; 0 is what ports have that nobody numbered. */
static void read_topology(struct end_facts *f, const struct journal_line *l)
{
    unsigned depth = (unsigned)event_u64(l, "depth");
    char words[120], name[24];
    const char *slot;

    event_str(l, "words", words, sizeof words);
    event_str(l, "name", name, sizeof name);
    if (depth < f->slot_depth)
        f->slot[0] = 0;
    slot = event_is(l, "kind", "port") ? str_find(words, "slot ") : NULL;
    if (slot && !str_equal(slot, "slot 0")) {
        str_copy(f->slot, sizeof f->slot, slot);
        f->slot_depth = depth + 1;
    }
    if (!f->slot[0] || !event_is(l, "kind", "disk") || !str_starts(name, "nvme"))
        return;
    for (unsigned i = 0; i < f->drive_count; i++)
        if (str_equal(f->drives[i].name, name))
            str_copy(f->drives[i].bay, sizeof f->drives[i].bay, f->slot);
}

static void read_verdict(struct end_facts *f, const struct journal_line *l)
{
    struct end_drive *d = drive_of(f, l);
    enum verdict v;
    char word[16];

    event_str(l, "verdict", word, sizeof word);
    if (!d || !verdict_from_text(word, &v))
        return;
    d->verdict = (uint8_t)v;
    event_str(l, "why", d->why, sizeof d->why);
}

/* The same code on many drives is one finding with a count. */
static void read_finding(struct end_facts *f, const struct journal_line *l)
{
    struct end_finding *n = &f->findings[f->finding_count];
    const struct finding_kind *kind;
    char code[40];

    event_str(l, "code", code, sizeof code);
    kind = finding_kind(code);
    enum finding_level level = event_is(l, "level", "FAIL")   ? FINDING_FAIL
                               : event_is(l, "level", "WARN") ? FINDING_WARN
                                                              : FINDING_INFO;
    if (level == FINDING_INFO)
        return;
    for (unsigned i = 0; i < f->finding_count; i++)
        if (kind && f->codes[i] == kind->code && f->findings[i].level == level) {
            f->findings[i].more++;
            return;
        }
    if (f->finding_count == END_FINDINGS_MAX)
        return;
    *n = (struct end_finding){ .level = (uint8_t)level, .advice = kind ? kind->advice : NULL };
    event_str(l, "subject", n->subject, sizeof n->subject);
    event_str(l, "seen", n->seen, sizeof n->seen);
    f->codes[f->finding_count++] = kind ? kind->code : NULL;
}

static const struct {
    const char *ev;
    void (*read)(struct end_facts *f, const struct journal_line *l);
} kinds[] = {
    { "disk", read_disk },         { "raid_drive", read_raid_drive },
    { "topology", read_topology }, { "disk_verdict", read_verdict },
    { "finding", read_finding },
};

bool end_read(const char *journal, size_t len, struct end_facts *facts, struct end_view *v)
{
    struct run_walk walk;
    struct run_lines lines;
    struct journal_line l;
    struct run run, last;
    bool any = false;

    run_walk_start(&walk, journal, len);
    while (run_walk_next(&walk, &run)) {
        last = run;
        any = true;
    }
    facts->drive_count = facts->finding_count = 0;
    facts->slot[0] = 0;
    facts->slot_depth = 0;
    if (!any)
        return false;
    run_lines_start(&lines, &last);
    while (run_lines_next(&lines, &l))
        for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            if (str_equal(l.ev, kinds[i].ev))
                kinds[i].read(facts, &l);
    struct text headline = text_over(v->headline, sizeof v->headline);
    outcome_headline(&last, &headline);
    v->verdict = outcome_verdict(&last);
    run_code(last.run_id, v->code);
    v->drives = facts->drives;
    v->drive_count = facts->drive_count;
    v->findings = facts->findings;
    v->finding_count = facts->finding_count;
    return true;
}
