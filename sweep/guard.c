#include "guard.h"
#include "arming.h"
#include "bits.h"
#include "gate.h"
#include "guard_content.h"
#include "str.h"

/* ---- the conditions ---- */

static bool is_a_writable_kind(const struct guard_case *c, struct text *why_not)
{
    const struct disk *d = c->disk;

    if (d->ops && d->kind != DISK_FIRMWARE && d->lba_bytes && d->lba_count > GUARD_HEAD_BYTES / d->lba_bytes)
        return true;
    if (!d->ops)
        text_fmt(why_not, "the disk cannot be used: %s", d->why_not);
    else if (d->kind == DISK_FIRMWARE)
        text_str(why_not, "it is reached through the firmware, and that path is never written");
    else
        text_str(why_not, "it is too small to be written: 1 MiB at its begin is the guard's own");
    return false;
}

static bool works(const struct guard_case *c, struct text *why_not)
{
    if (!c->disk->fault.err)
        return true;
    text_str(why_not, "it broke down while it was looked at: ");
    fault_text(&c->disk->fault, why_not);
    return false;
}

static bool is_off_the_boot_path(const struct guard_case *c, struct text *why_not)
{
    if (!c->on_boot_path)
        return true;
    text_str(why_not, "the medium of this run is on it or behind its controller");
    return false;
}

static bool is_no_member(const struct guard_case *c, struct text *why_not)
{
    if (!c->array_member)
        return true;
    text_str(why_not, "it is a member of an array: arm the array as a whole, or take it apart first");
    return false;
}

/* A serial number of one repeated character, or of zeros and blanks only, is a filler; so is none at all. */
static bool is_filler(const char *s)
{
    static const char *const words[] = { "none", "n/a", "unknown", "default", "to be filled", "0123456789" };
    bool same = true;

    for (unsigned i = 0; i < ARRAY_COUNT(words); i++)
        if (str_equal_nocase(s, words[i]))
            return true;
    for (const char *p = s; *p; p++)
        same &= *p == s[0] || *p == ' ' || *p == '0';
    return same;
}

static bool has_an_identity(const struct guard_case *c, struct text *why_not)
{
    if (!is_filler(c->disk->identity))
        return true;
    text_str(why_not,
             "it has no identity that could be told from another's (no serial number, or only a filler)");
    return false;
}

static bool is_alone_with_it(const struct guard_case *c, struct text *why_not)
{
    if (c->same_identity == 1)
        return true;
    text_fmt(why_not, "%u disks of this machine carry its identity: which one is meant cannot be told",
             c->same_identity);
    return false;
}

/* Said of a disk that was decided about without an arming file, and of one that nobody decided about. */
#define NO_ARMING "not armed: no arming file names it (arm = in baresweep.conf, docs/safety.md)"

static const struct arming *arming_of(const struct guard_case *c)
{
    return c->batch && c->disk->identity[0] ? arming_find(c->batch, c->disk->identity) : NULL;
}

static bool is_armed(const struct guard_case *c, struct text *why_not)
{
    if (arming_of(c))
        return true;
    if (c->batch_problem && c->batch_problem[0])
        text_fmt(why_not, "not armed: %s", c->batch_problem);
    else if (c->batch)
        text_str(why_not, "not armed: the arming file does not name it");
    else
        text_str(why_not, NO_ARMING);
    return false;
}

static bool is_on_its_machine(const struct guard_case *c, struct text *why_not)
{
    const struct arming *a = arming_of(c);

    if (!a->machine[0] || (c->machine_serial && str_equal(a->machine, c->machine_serial)) ||
        (c->machine_uuid && str_equal_nocase(a->machine, c->machine_uuid)))
        return true;
    text_fmt(why_not, "it was armed for the machine %.60s, and this is another one", a->machine);
    return false;
}

static bool was_looked_at(const struct guard_case *c, struct text *why_not)
{
    const struct guard_content *k = c->content;

    if (k && (k->state == CONTENT_BLANK || k->state == CONTENT_FOUND))
        return true;
    if (k && k->state == CONTENT_UNREADABLE)
        text_fmt(why_not,
                 "what it holds cannot be read (LBA %llu): an unreadable disk is never taken for blank",
                 (unsigned long long)k->unreadable_lba);
    else if (k && k->state == CONTENT_UNFINISHED)
        text_str(why_not, "looking at what it holds took too long");
    else
        text_str(why_not, "what it holds was not looked at");
    return false;
}

/* An interrupted run of ours: its mark names this very arming and nothing of anybody else is on the disk. */
static bool is_interrupted_run(const struct guard_case *c)
{
    const struct arming *a = arming_of(c);
    const struct guard_content *k = c->content;

    return c->spent && k->has_mark && k->only_ours && !k->mark.finished &&
           str_equal(k->mark.arming_id, a->id);
}

static bool holds_what_was_armed(const struct guard_case *c, struct text *why_not)
{
    const struct arming *a = arming_of(c);
    char words[120];
    struct text t = text_over(words, sizeof words);

    if (str_equal(a->fingerprint, c->content->fingerprint) || is_interrupted_run(c))
        return true;
    guard_content_words(c->content, &t);
    text_fmt(why_not, "it does not hold what was armed to be overwritten; there is now: %s", words);
    return false;
}

static bool is_not_spent(const struct guard_case *c, struct text *why_not)
{
    if (!c->spent || is_interrupted_run(c))
        return true;
    text_fmt(why_not, "arming %s is used up: each arms its disk once; make a new batch", arming_of(c)->id);
    return false;
}

static bool stays_on_record(const struct guard_case *c, struct text *why_not)
{
    if (c->keeps_record || c->attended)
        return true;
    text_str(
        why_not,
        "nothing here keeps the record that the arming is used up: unattended writing needs a stick that "
        "can be written, or a server of `state` that answers");
    return false;
}

static bool is_approved(const struct guard_case *c, struct text *why_not)
{
    if (c->attended ? c->confirmed : c->batch->approved_by[0] != 0)
        return true;
    text_str(why_not, c->attended ? "nobody typed the word that confirms it"
                                  : "the arming batch has no approval: baresweep-rack arm --approve NAME");
    return false;
}

const struct guard_condition guard_conditions[] = {
    { "kind that is written", is_a_writable_kind },
    { "in working order", works },
    { "off the boot path", is_off_the_boot_path },
    { "no member of an array", is_no_member },
    { "identity", has_an_identity },
    { "only one with it", is_alone_with_it },
    { "armed", is_armed },
    { "right machine", is_on_its_machine },
    { "content readable", was_looked_at },
    { "not used up", is_not_spent },
    { "content as armed", holds_what_was_armed },
    { "on record", stays_on_record },
    { "approved", is_approved },
};
const unsigned guard_condition_count = ARRAY_COUNT(guard_conditions);

/* The first condition that does not hold, NULL when all do. */
static const struct guard_condition *first_against(const struct guard_case *c, struct text *why_not)
{
    for (unsigned i = 0; i < guard_condition_count; i++)
        if (!guard_conditions[i].holds(c, why_not))
            return &guard_conditions[i];
    return NULL;
}

/* ---- the answers ---- */

static struct answer {
    const struct disk *disk;
    struct write_permit permit;
} answers[GUARD_MAX_DISKS];
static unsigned answer_count;
static const struct write_permit not_armed = { .why_not = NO_ARMING };
static const struct write_permit too_many = { .why_not = "more disks than the guard can answer for" };

static struct answer *answer_of(const struct disk *d)
{
    for (unsigned i = 0; i < answer_count; i++)
        if (answers[i].disk == d)
            return &answers[i];
    return NULL;
}

const struct write_permit *guard_permit(const struct disk *d)
{
    const struct answer *a = answer_of(d);

    return a ? &a->permit : &not_armed;
}

const struct write_permit *guard_decide(const struct guard_case *c)
{
    struct answer *a = answer_of(c->disk);

    if (!a && answer_count == GUARD_MAX_DISKS)
        return &too_many;
    if (!a)
        a = &answers[answer_count++];
    *a = (struct answer){ .disk = c->disk };
    struct text why = text_over(a->permit.why_not, sizeof a->permit.why_not);
    const struct guard_condition *against = first_against(c, &why);
    /* The approval comes last: all else holds. */
    a->permit.granted = !against;
    a->permit.awaits_word = against && against->holds == is_approved && c->attended && !c->asked;
    if (!guard_may_plan(&a->permit))
        return &a->permit;
    a->permit.first_lba = GUARD_HEAD_BYTES / c->disk->lba_bytes;
    a->permit.lba_count = c->disk->lba_count - a->permit.first_lba;
    a->permit.resumes = is_interrupted_run(c);
    if (a->permit.granted)
        str_copy(a->permit.arming_id, sizeof a->permit.arming_id, arming_of(c)->id);
    return &a->permit;
}

bool guard_holds_still(const struct guard_content *then, const struct guard_content *now,
                       struct text *why_not)
{
    char words[120];
    struct text t = text_over(words, sizeof words);

    if (now->fingerprint[0] && str_equal(then->fingerprint, now->fingerprint))
        return true;
    guard_content_words(now, &t);
    text_fmt(why_not, "what it holds changed since the decision to write it; there is now: %s", words);
    return false;
}

void guard_revoke(const struct disk *d, const char *why)
{
    struct answer *a = answer_of(d);

    gate_disarm(d->identity);
    if (!a)
        return;
    a->permit = (struct write_permit){ 0 };
    str_copy(a->permit.why_not, sizeof a->permit.why_not, why);
}

static int open_gate(const struct disk *d, uint64_t first_lba)
{
    char why[120];
    int rc = gate_arm(d->identity, first_lba, d->lba_count - first_lba);

    if (rc != OK) {
        str_fmt(why, sizeof why, "the last lock could not be opened: %s", err_text(rc));
        guard_revoke(d, why);
    }
    return rc;
}

int guard_arm(const struct disk *d)
{
    if (!guard_permit(d)->granted)
        return NOTE(E_REFUSED, "a disk without a permit is to be armed", d->lba_count, 0);
    return open_gate(d, guard_permit(d)->first_lba);
}

int guard_widen(const struct disk *d, bool whole)
{
    const struct write_permit *p = guard_permit(d);

    if (!p->granted || !gate_is_armed(d->identity, NULL, NULL))
        return NOTE(E_REFUSED, "the mark of a disk that is not armed", d->lba_count, 0);
    gate_disarm(d->identity);
    return open_gate(d, whole ? 0 : p->first_lba);
}

void guard_forget_all(void)
{
    gate_disarm_all();
    memset(answers, 0, sizeof answers);
    answer_count = 0;
}
