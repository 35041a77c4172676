#include "guard_run.h"
#include "arming.h"
#include "ask.h"
#include "guard.h"
#include "guard_content.h"
#include "guard_record.h"
#include "image_pin.h"
#include "io_once.h"
#include "net_link.h"
#include "platform.h"
#include "record.h"
#include "settings_net.h"

/* About 200 reads one after another: 3 s on a slow disk that rotates. */
enum { LOOK_MAX_S = 10, LANE_BYTES = 64 << 10, ASK_TIMEOUT_S = 120 };
/* Two rows each on a screen of 80 x 25: nobody confirms what he cannot see. */
enum { ASK_MAX_LINES = 8 };

/* What is known of a disk between deciding and the end. */
struct guarded {
    struct guard_content content;
    bool looked, decided, asked, confirmed, committed;
    uint8_t leave; /* enum guard_leave */
};
static struct guarded *guarded; /* by the index in the inventory */
static struct arming armings[ARMING_MAX];
static struct {
    struct arming_batch batch;
    bool has_batch;
    char problem[300]; /* why there is none although one was asked for */
    struct inventory *inv;
    const struct conf *conf;
    const struct medium *medium;
    const struct machine_info *machine;
    char run_id[17];
} run;

/* ---- looking ---- */

struct looker {
    struct disk *disk;
    struct io_lane *lane;
    uint64_t used_ns; /* by the disk: what this program does with the data is not its fault */
};

static int look_read(void *ctx, uint64_t lba, uint32_t blocks, void *buf)
{
    struct looker *l = ctx;
    uint32_t most = LANE_BYTES / l->disk->lba_bytes;
    uint8_t *to = buf;

    while (blocks) {
        struct io_request r = { .lba = lba, .blocks = blocks < most ? blocks : most, .op = IO_READ };
        size_t bytes = (size_t)r.blocks * l->disk->lba_bytes;

        if (l->used_ns > LOOK_MAX_S * NS_PER_S)
            return E_TIMEOUT;
        uint64_t began_ns = plat_now_ns();
        int rc = io_once(l->lane, &r, NULL);
        l->used_ns += plat_now_ns() - began_ns;
        if (rc != OK)
            return rc;
        memcpy(to, lane_data(l->lane, 0), bytes);
        to += bytes;
        lba += r.blocks;
        blocks -= r.blocks;
    }
    return OK;
}

static void look_at(struct disk *d, struct guard_memory *memory, struct guard_content *out)
{
    struct lane_shape shape = { .depth = 1, .buffer_per_slot = true, .request_bytes = LANE_BYTES };
    struct looker l = { .disk = d };
    struct guard_reader r = {
        .read = look_read, .ctx = &l, .lba_bytes = d->lba_bytes, .lba_count = d->lba_count
    };

    *out = (struct guard_content){ .state = CONTENT_UNREADABLE };
    if (d->ops->open(d, &shape, &l.lane) != OK)
        return;
    guard_look(&r, memory, out);
    d->ops->close(l.lane);
}

static void tell_content(const struct disk *d, const struct guard_content *c)
{
    static const char *const states[] = {
        [CONTENT_NOT_LOOKED] = "not-looked", [CONTENT_UNREADABLE] = "unreadable",
        [CONTENT_UNFINISHED] = "unfinished", [CONTENT_BLANK] = "blank",
        [CONTENT_FOUND] = "found",
    };
    static char words[2000];
    struct text t = text_over(words, sizeof words);

    guard_content_words(c, &t);
    struct content_info info = { .disk = d->name,
                                 .identity = d->identity,
                                 .state = states[c->state],
                                 .fingerprint = c->fingerprint,
                                 .found = words,
                                 .mark = c->has_mark ? c->mark.arming_id : "",
                                 .size_bytes = d->lba_count * d->lba_bytes,
                                 .data_places = c->data_places };
    journal_content(record_journal(), &info);
}

static void look_at_wanted(void)
{
    struct guard_memory *memory = NULL;

    for (unsigned i = 0; i < run.inv->disk_count; i++) {
        struct known_disk *k = &run.inv->disks[i];

        if (!k->disk->ops || !k->wanted || k->disk->fault.err || guarded[i].looked)
            continue;
        if (!memory && !(memory = plat_alloc(sizeof *memory)))
            return;
        look_at(k->disk, memory, &guarded[i].content);
        guarded[i].looked = true;
        tell_content(k->disk, &guarded[i].content);
    }
    plat_free(memory);
}

/* ---- the arming file ---- */

/* A pin counts where a person put it: in the baresweep.conf of a stick, not in what a server sent; or in this
 * copy of the application. */
static const char *pinned_sha256(const struct settings *s)
{
    bool local = !net_link.booted_by_network || str_equal(s->conf_source, "result volume");

    return local && s->conf.arm_sha256[0] && !str_find(s->args, "arm_sha256") ? s->conf.arm_sha256
                                                                              : image_pin();
}

static void read_batch(const struct settings *s, const struct medium *m)
{
    const char *path = s->conf.arm;
    struct text why = text_over(run.problem, sizeof run.problem);
    char *text = NULL, from[160] = "", source[300];
    size_t len = 0;
    int rc = medium_read_file(m, path, &text, &len, from, sizeof from);
    /* What lies beside the application came the way the application came. */
    bool network = net_link.booted_by_network && !(rc == OK && str_equal(from, "result volume"));

    if (rc == E_IO && net_link.booted_by_network)
        rc = settings_net_file(path, &text, &len, from, sizeof from);
    if (rc != OK) {
        text_fmt(&why, "the arming file %s is not there or cannot be read (%s)", path, err_text(rc));
    } else {
        run.batch.armings = armings;
        run.has_batch = arming_accept(network, pinned_sha256(s), text, len, &why) &&
                        arming_read(text, len, &run.batch, &why) == OK;
        boot->FreePool(text);
    }
    str_fmt(source, sizeof source, "%s%s%s", path, rc == OK ? ", " : "", rc == OK ? from : "");
    journal_arming_batch(record_journal(), source, run.has_batch ? run.batch.id : "",
                         run.has_batch ? run.batch.count : 0, run.has_batch ? run.batch.approved_by : "",
                         run.has_batch ? run.batch.approved_at : "", run.problem);
    if (!run.has_batch)
        record_finding("arming-refused", FINDING_WARN, "run", NULL, "%s; nothing is armed", run.problem);
}

/* ---- deciding ---- */

static unsigned count_identity(const struct disk *d)
{
    unsigned n = 0;

    for (unsigned i = 0; i < run.inv->disk_count; i++)
        n += str_equal(run.inv->disks[i].disk->identity, d->identity);
    return n;
}

/* Drives behind a RAID card that are not shown to the host, and the members of the configuration's stripe. */
static bool is_array_member(const struct disk *d)
{
    const struct raid_ops *raid = d->controller->driver ? d->controller->driver->raid : NULL;
    const struct raid_drive *drive = raid && d->kind == DISK_PHYSICAL_BEHIND_RAID ? raid->drive(d) : NULL;

    return (d->kind == DISK_PHYSICAL_BEHIND_RAID && !(drive && drive->exposed)) ||
           (run.conf->stripe[0] && plan_list_has(run.conf->stripe, d));
}

static struct guard_case case_of(unsigned i)
{
    const struct disk *d = run.inv->disks[i].disk;
    const struct arming *a = run.has_batch ? arming_find(&run.batch, d->identity) : NULL;

    return (struct guard_case){
        .disk = d,
        .content = &guarded[i].content,
        .batch = run.has_batch ? &run.batch : NULL,
        .batch_problem = run.problem,
        .same_identity = count_identity(d),
        .on_boot_path = inventory_is_on_boot_path(run.inv, d, run.medium),
        .array_member = is_array_member(d),
        .spent = a && guard_record_spent(a->id),
        .attended = run.conf->attended,
        .asked = guarded[i].asked,
        .confirmed = guarded[i].confirmed,
        .keeps_record = guard_record_keeps(),
        .machine_serial = run.machine->serial,
        .machine_uuid = run.machine->uuid,
    };
}

static void decide(unsigned i)
{
    struct disk *d = run.inv->disks[i].disk;
    struct guard_case c = case_of(i);
    const struct write_permit *p = guard_decide(&c);

    if (p->granted && guard_arm(d) != OK)
        p = guard_permit(d);
    journal_write_permit(record_journal(), d->name, p->arming_id,
                         p->granted       ? "granted"
                         : p->awaits_word ? "awaits-word"
                                          : "refused",
                         p->granted && p->resumes ? "goes on where an interrupted run stopped" : p->why_not);
    if (run.has_batch && arming_find(&run.batch, d->identity) && !guard_may_plan(p))
        record_finding("write-refused", FINDING_WARN, d->name, NULL, "%s", p->why_not);
}

void guard_run_begin(struct inventory *inv, const struct settings *settings, const struct medium *m,
                     const struct machine_info *machine)
{
    guard_forget_all();
    run.inv = inv;
    run.conf = &settings->conf;
    run.medium = m;
    run.machine = machine;
    guarded = plat_alloc(INVENTORY_MAX_DISKS * sizeof *guarded);
    if (!guarded) {
        record_finding("low-memory", FINDING_WARN, "run", NULL,
                       "no memory for the write guard: nothing is armed");
        return;
    }
    if (!run.conf->arm[0])
        return;
    read_batch(settings, m);
    guard_record_begin(m, &run.batch);
}

void guard_run_decide(void)
{
    if (!guarded)
        return;
    look_at_wanted();
    for (unsigned i = 0; run.conf->arm[0] && i < run.inv->disk_count; i++) {
        if (!run.inv->disks[i].wanted || guarded[i].decided)
            continue;
        guarded[i].decided = true;
        decide(i);
    }
}

void guard_run_reconsider(void)
{
    for (unsigned i = 0; guarded && i < run.inv->disk_count; i++)
        guarded[i].decided &= guard_permit(run.inv->disks[i].disk)->granted;
    guard_run_decide();
}

/* ---- the word ---- */

bool guard_run_plan_writes(const struct plan *plan, const struct disk *d)
{
    for (unsigned s = 0; s < plan->step_count; s++)
        for (unsigned i = 0; i < plan->steps[s].lane_count; i++)
            if (plan->steps[s].lanes[i].disk == d && job_writes(&plan->steps[s].lanes[i].job))
                return true;
    return false;
}

static void describe(unsigned i, char *line, size_t cap)
{
    const struct disk *d = run.inv->disks[i].disk;
    struct text t = text_over(line, cap);

    text_fmt(&t, "%s %.30s %.20s ", d->name, d->model, d->serial);
    text_capacity(&t, d->lba_count * d->lba_bytes);
    text_str(&t, ": ");
    guard_content_words(&guarded[i].content, &t);
}

/* Asks about those from *at on that fit a screen. */
static void ask_screenful(const struct plan *plan, unsigned *at, bool *asked)
{
    static char lines[ASK_MAX_LINES][120];
    unsigned shown[ASK_MAX_LINES], n = 0;

    for (; *at < run.inv->disk_count && n < ASK_MAX_LINES; (*at)++) {
        const struct known_disk *k = &run.inv->disks[*at];

        if (!k->wanted || !guard_permit(k->disk)->awaits_word || !guard_run_plan_writes(plan, k->disk))
            continue;
        describe(*at, lines[n], sizeof lines[0]);
        shown[n++] = *at;
    }
    if (!n)
        return;
    bool yes = ask_word("These disks will be overwritten. What they hold is lost.", (const char(*)[120])lines,
                        n, "OVERWRITE", ASK_TIMEOUT_S);
    for (unsigned i = 0; i < n; i++) {
        guarded[shown[i]].confirmed = yes;
        guarded[shown[i]].asked = true;
        guarded[shown[i]].decided = false;
    }
    *asked = true;
}

bool guard_run_confirm(const struct plan *plan)
{
    bool asked = false;

    for (unsigned at = 0; guarded && at < run.inv->disk_count;)
        ask_screenful(plan, &at, &asked);
    return asked;
}

/* ---- the last moment before the first write ---- */

/* Zeros, or the mark and zeros, over the first MiB; zeros over the last. */
static int write_ends(struct disk *d, const struct guard_mark *mark, bool tail)
{
    struct lane_shape shape = {
        .depth = 1, .buffer_per_slot = true, .writes = true, .request_bytes = LANE_BYTES
    };
    uint64_t disk_bytes = d->lba_count * d->lba_bytes;
    struct io_lane *l;
    int rc = guard_widen(d, true);

    if (rc != OK)
        return rc;
    if ((rc = d->ops->open(d, &shape, &l)) != OK) {
        guard_widen(d, false);
        return rc;
    }
    for (uint64_t at = 0; at < GUARD_HEAD_BYTES && rc == OK; at += LANE_BYTES) {
        struct io_request r = { .lba = at / d->lba_bytes,
                                .blocks = LANE_BYTES / d->lba_bytes,
                                .op = IO_WRITE };

        memset(lane_data(l, 0), 0, LANE_BYTES);
        if (!at && mark)
            guard_mark_make(lane_data(l, 0), mark);
        rc = io_once(l, &r, NULL);
        if (rc == OK && tail) {
            memset(lane_data(l, 0), 0, LANE_BYTES);
            r.lba = (disk_bytes - GUARD_HEAD_BYTES + at) / d->lba_bytes;
            rc = io_once(l, &r, NULL);
        }
    }
    struct io_request flush = { .op = IO_FLUSH };
    if (rc == OK)
        rc = io_once(l, &flush, NULL);
    d->ops->close(l);
    int narrowed = guard_widen(d, false);
    return rc != OK ? rc : narrowed;
}

static void take_back(const struct disk *d, const char *why)
{
    guard_revoke(d, why);
    journal_write_permit(record_journal(), d->name, "", "taken-back", why);
}

/* Another host of a shared enclosure, or a hand that changed the drive, needs no more than the time in which
 * a person types. */
static bool holds_still(struct disk *d, const struct guarded *g, struct text *why)
{
    struct guard_memory *memory = plat_alloc(sizeof *memory);
    static struct guard_content now; /* too large for a stack */

    now.fingerprint[0] = 0;
    if (memory)
        look_at(d, memory, &now);
    plat_free(memory);
    return guard_holds_still(&g->content, &now, why);
}

static void refuse_now(struct disk *d, const char *why)
{
    record_finding("write-refused", FINDING_WARN, d->name, NULL, "%s", why);
    take_back(d, why);
}

static void commit(struct disk *d, struct guarded *g, struct medium *m)
{
    char words[200];
    struct text why = text_over(words, sizeof words);
    struct write_permit p = *guard_permit(d);
    struct guard_mark mark = { 0 };

    str_copy(mark.arming_id, sizeof mark.arming_id, p.arming_id);
    str_copy(mark.run_id, sizeof mark.run_id, run.run_id);
    if (!holds_still(d, g, &why)) {
        refuse_now(d, words);
        return;
    }
    if (!guard_record_put(p.arming_id, &why) && guard_record_keeps()) {
        record_finding("write-refused", FINDING_WARN, d->name, NULL,
                       "that its arming is used up could not be put on record: %s; it is not written", words);
        take_back(d, "the record that the arming is used up could not be written");
        return;
    }
    journal_write_permit(record_journal(), d->name, p.arming_id, "used-up",
                         guard_record_keeps() ? "" : "nothing keeps the record: a person confirmed it");
    record_checkpoint(m, 0);
    if (p.resumes) {
        g->committed = true;
        return;
    }
    int rc = write_ends(d, &mark, true);
    if (rc != OK) {
        inventory_disk_finding(run.inv, d, "write-refused", FINDING_FAIL, "the mark is written",
                               "the mark could not be written to it: %s", err_text(rc));
        take_back(d, "the mark could not be written to it");
        return;
    }
    g->committed = true;
}

void guard_run_commit(const struct plan *plan, struct medium *m)
{
    str_fmt(run.run_id, sizeof run.run_id, "%016llx", (unsigned long long)record_journal()->run_id);
    for (unsigned i = 0; guarded && i < run.inv->disk_count; i++) {
        struct disk *d = run.inv->disks[i].disk;

        if (!guard_permit(d)->granted)
            continue;
        if (guard_run_plan_writes(plan, d))
            commit(d, &guarded[i], m);
        else
            take_back(d, "the plan does not write it: its arming is not used up");
    }
}

const char *guard_run_arming(const struct disk *d)
{
    const struct arming *a = run.has_batch ? arming_find(&run.batch, d->identity) : NULL;

    return a ? a->id : "";
}

/* ---- the end ---- */

void guard_run_leave(const struct disk *d, enum guard_leave how)
{
    for (unsigned i = 0; guarded && i < run.inv->disk_count; i++)
        if (run.inv->disks[i].disk == d)
            guarded[i].leave = (uint8_t)how;
}

static void finish(struct disk *d, bool blank)
{
    struct write_permit p = *guard_permit(d);
    struct guard_mark mark = { .finished = true };

    str_copy(mark.arming_id, sizeof mark.arming_id, p.arming_id);
    str_copy(mark.run_id, sizeof mark.run_id, run.run_id);
    int rc = write_ends(d, blank ? NULL : &mark, blank);
    journal_write_permit(record_journal(), d->name, p.arming_id, rc == OK ? "finished" : "taken-back",
                         rc != OK ? "its mark could not be changed"
                         : blank  ? "head and tail are zeroed"
                                  : "its mark says finished");
}

void guard_run_finish(void)
{
    for (unsigned i = 0; guarded && i < run.inv->disk_count; i++) {
        const struct known_disk *k = &run.inv->disks[i];

        if (guarded[i].committed && guard_permit(k->disk)->granted && !k->disk->fault.err &&
            k->verdict != VERDICT_ABORTED && guarded[i].leave != GUARD_LEAVE_TO_RESUME)
            finish(k->disk, guarded[i].leave == GUARD_LEAVE_BLANK);
    }
    guard_forget_all();
    plat_free(guarded);
    guarded = NULL;
}

/* ---- for the screen ---- */

void guard_run_content(const struct disk *d, struct text *out)
{
    for (unsigned i = 0; guarded && i < run.inv->disk_count; i++)
        if (run.inv->disks[i].disk == d && guarded[i].looked)
            guard_content_words(&guarded[i].content, out);
}

void guard_run_arming_words(struct text *out)
{
    unsigned granted = 0, awaiting = 0;

    for (unsigned i = 0; guarded && i < run.inv->disk_count; i++) {
        granted += guard_permit(run.inv->disks[i].disk)->granted;
        awaiting += guard_permit(run.inv->disks[i].disk)->awaits_word;
    }
    if (awaiting)
        text_fmt(out, "%u armed: the word is asked for when the run begins and writes to them.", awaiting);
    else if (granted)
        text_fmt(out, "%u armed by an approved arming file.", granted);
    else if (run.conf && run.conf->arm[0])
        text_fmt(out, "None armed: %s", run.problem[0] ? run.problem : "see the findings");
    else
        text_str(out, "Needs an arming file: baresweep-rack arm makes it, see docs/safety.md.");
}
