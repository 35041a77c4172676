#include "rig.h"
#include <stdlib.h>
#include <string.h>
#include "str.h"
#include "text.h"

struct stored_disk disks[DRIVES];
struct burn_in_drive drives[DRIVES];
struct conf conf;
unsigned first_drive, drive_count;
static bool writes;

/* ---- the journal and its medium ---- */
struct journal journal;
char *journal_text;
size_t journal_len, journal_flushed;
enum { TEXT_BYTES = 8 << 20 };

static bool to_text(void *ctx, const char *line, size_t n)
{
    (void)ctx;
    CHECK(journal_len + n <= TEXT_BYTES);
    memcpy(journal_text + journal_len, line, n);
    journal_len += n;
    return true;
}

static uint64_t now_ns(void) { return model_clock_ns; }

/* ---- hooks ---- */
unsigned checkpoints, warm, too_hot;
char found[4000];
const char *stop_reason;
unsigned stop_after_checkpoints;

static void on_checkpoint(void *ctx, const struct burn_in_drive *d, unsigned count)
{
    (void)ctx;
    for (unsigned i = 0; i < count; i++)
        journal_burn_in(&journal, &d[i].state);
    journal_flushed = journal_len;
    checkpoints++;
}

static bool wants_hold(void *ctx)
{
    (void)ctx;
    return true;
}

static const char *on_attend(void *ctx, const struct burn_in_drive *d, unsigned count)
{
    (void)ctx;
    (void)d;
    (void)count;
    for (unsigned i = 0; i < drive_count; i++)
        EQ(disks[i].violations, 0);
    return stop_after_checkpoints && checkpoints >= stop_after_checkpoints ? stop_reason : NULL;
}

static bool on_health(void *ctx, struct disk *d, const char *when, struct disk_health *h)
{
    (void)ctx;
    (void)when;
    return d->controller->driver->health(d, h) == OK;
}

static void on_finding(void *ctx, const struct burn_in_drive *d, const char *code, const char *seen)
{
    struct text t = { found, sizeof found, str_len(found), false };

    (void)ctx;
    warm += str_equal(code, "burn-in-warm");
    too_hot += str_equal(code, "burn-in-too-hot");
    text_fmt(&t, "%s %s: %s\n", d->state.disk, code, seen);
}

struct burn_in_phase_sum told[DRIVES][BURN_IN_PHASE_COUNT];

static void on_phase(void *ctx, const struct burn_in_drive *d, const struct burn_in_phase_sum *p)
{
    struct burn_in_phase_sum *t = &told[d - drives][p->phase];

    (void)ctx;
    CHECK(p->phase < BURN_IN_PHASE_COUNT);
    EQ_STR(p->disk, d->state.disk);
    CHECK(p->began_ns + p->ms * NS_PER_MS <= model_clock_ns);
    t->ms += p->ms;
    t->read_bytes += p->read_bytes;
    t->written_bytes += p->written_bytes;
    t->errors += p->errors;
    t->end = p->end;
    t->temperature_max_c = p->temperature_max_c;
}

const struct burn_in_hooks hooks = { NULL,      on_checkpoint, wants_hold, on_attend,
                                     on_health, on_finding,    on_phase };

/* ---- one machine ---- */
void machine(unsigned count, const char *settings)
{
    static struct conf_problems problems;
    char name[24];

    model_reset_world();
    CHECK(conf_read(settings, str_len(settings), &conf, &problems));
    model_relax_step_ns = 100 * NS_PER_US;
    writes = conf.plan == CONF_PLAN_BURN_IN;
    first_drive = 0;
    drive_count = count;
    memset(told, 0, sizeof told);
    for (unsigned i = 0; i < DRIVES; i++) {
        stored_disk_free(&disks[i]);
        str_fmt(name, sizeof name, "sata0.%u", i);
        if (i < count)
            stored_disk_make(&disks[i], name, LBAS, LBAS);
    }
    journal_text = journal_text ? journal_text : malloc(TEXT_BYTES);
    journal_len = journal_flushed = 0;
    checkpoints = warm = too_hot = stop_after_checkpoints = 0;
    found[0] = 0;
}

const struct resume *journals(void)
{
    static struct resume resume;
    static struct resume_drive states[RESUME_MAX_DRIVES];

    resume_start(&resume, "SN1", "uuid", states);
    resume_run_text(&resume, journal_text, journal_len);
    return &resume;
}

unsigned start(uint64_t run_id)
{
    const struct resume *resume = journals();
    struct machine_info info = { .serial = "SN1", .uuid = "uuid" };
    char words[200];
    unsigned resumed = 0;

    journal_start(&journal, run_id, now_ns);
    journal_add_sink(&journal, to_text, NULL, false);
    journal_run_start(&journal, &info, "");
    for (unsigned i = first_drive; i < drive_count; i++) {
        struct text why = text_over(words, sizeof words);
        struct burn_in_ask ask = { .conf = &conf,
                                   .disk = &disks[i].disk,
                                   .writes = writes,
                                   .first_lba = 2048,
                                   .lba_count = disks[i].disk.lba_count - 2048,
                                   .arming_id = "00112233445566ff",
                                   .seed = run_id * 1000 + i };
        EQ(burn_in_begin(&drives[i], &ask, &why), OK);
        const struct burn_in_state *earlier = resume_find(resume, disks[i].disk.identity);
        resumed += earlier && burn_in_resume(&drives[i], earlier) == OK;
    }
    EQ(burn_in_loop(drives + first_drive, drive_count - first_drive, CHECKPOINT_MS, &hooks), OK);
    return resumed;
}

void all_passed(void)
{
    char words[300];

    for (unsigned i = 0; i < drive_count; i++) {
        struct text t = text_over(words, sizeof words);
        burn_in_words(&drives[i], &t);
        if (burn_in_state_verdict(&drives[i].state) != VERDICT_PASS)
            test_fail(__FILE__, __LINE__, "drive %u: %s\n%s", i, words, found);
        EQ(drives[i].state.verified_blocks, drives[i].state.blocks);
        EQ(disks[i].violations, 0);
        EQ(disks[i].collisions, 0);
        EQ(disks[i].open_lanes, 0);
    }
}
