#include "bits.h"
#include "burn_in.h"
#include "math.h"
#include "str.h"
#include "text.h"

/* The numbers of the burn-in (design: default numbers), each with its reason. */

/* Whole budget: a disk of 8 TB that rotates needs about 12 h to be read, 15 h to be written in random order
 * and 12 h to be verified; flash is at least five times as fast. */
#define BUDGET_ROTATING_S (72 * 3600ull)
#define BUDGET_FLASH_S    (24 * 3600ull)

/* Of flash, at most so many times its size is written: far below a hundredth of what the least endurable
 * drive is rated for.  A disk that rotates does not wear by being written. */
enum { FLASH_DRIVE_WRITES = 2 };

/* Long blocks let a disk that rotates spend its time on data instead of seeks: 4 MiB take about 20 ms, a seek
 * 12 ms.  Small disks get smaller ones: at least FEWEST_BLOCKS, so that the order is one. */
#define BLOCK_ROTATING (4 * MIB)
#define BLOCK_FLASH    (1 * MIB)
enum { LEAST_BLOCK = 4096, FEWEST_BLOCKS = 1024, DEPTH_ROTATING = 4, DEPTH_FLASH = 8 };

/* Where a drive tells no limits of its own: makers state 60 degrees for disks that rotate and 70 for flash.
 */
static const struct {
    enum disk_rotation rotation;
    int64_t pause_c, end_c;
} heat[] = {
    { ROTATION_YES, 60, 65 },
    { ROTATION_NONE, 70, 80 },
    { ROTATION_UNKNOWN, 60, 70 },
};

/* When a phase ends at the latest, in percent of the budget, and how long it may take by itself.  What an
 * early phase does not use, the later ones up to the verify may use.  `until` 0: not limited by the budget.
 */
enum { PLAN_WRITES = 1, PLAN_READS = 2, PLAN_BOTH = 3 };
static const struct {
    uint8_t plans, until_pct, most_pct;
} share[BURN_IN_PHASE_COUNT] = {
    [BURN_IN_SNAPSHOT] = { PLAN_BOTH, 0, 0 },
    [BURN_IN_SHORT_TEST] = { PLAN_BOTH, 0, 0 }, /* minutes; the drive says how many */
    [BURN_IN_SURFACE] = { PLAN_BOTH, 15, 0 },
    [BURN_IN_SURFACE_AGAIN] = { PLAN_READS, 75, 0 },
    [BURN_IN_CAPACITY] = { PLAN_WRITES, 0, 0 }, /* below a minute */
    [BURN_IN_WRITE] = { PLAN_WRITES, 48, 0 },
    [BURN_IN_RESET] = { PLAN_WRITES, 60, 0 }, /* seconds; a self-test of a neighbour is waited for */
    [BURN_IN_VERIFY] = { PLAN_WRITES, 77, 0 },
    [BURN_IN_VERIFY_BACK] = { PLAN_WRITES, 82, 0 },
    [BURN_IN_RANDOM] = { PLAN_BOTH, 92, 17 }, /* 4 h of 24, 12 h of 72 */
    [BURN_IN_LONG_TEST] = { PLAN_BOTH, 100, 0 },
    [BURN_IN_DELTA] = { PLAN_BOTH, 0, 0 },
    [BURN_IN_CLEAR] = { PLAN_WRITES, 0, 0 },
    [BURN_IN_DONE] = { 0, 0, 0 },
};
/* Without writes the first surface read has the first half for itself. */
enum { READS_SURFACE_UNTIL_PCT = 45 };

bool burn_in_has_phase(const struct burn_in_drive *d, enum burn_in_phase p)
{
    if (p == BURN_IN_CLEAR && !d->clears)
        return false;
    return share[p].plans & (d->writes ? PLAN_WRITES : PLAN_READS);
}

static void set_times(struct burn_in_drive *d, const struct conf *conf)
{
    struct burn_in_limits *l = &d->limits;
    uint64_t whole_s = d->disk->rotation == ROTATION_YES ? BUDGET_ROTATING_S : BUDGET_FLASH_S;

    l->budget_ms = mul_div_u64((conf->burn_in_budget_s ? conf->burn_in_budget_s : whole_s) * 1000,
                               conf->time_scale_pct, 100);
    for (unsigned p = 0; p < BURN_IN_PHASE_COUNT; p++) {
        unsigned until = share[p].until_pct;

        if (p == BURN_IN_SURFACE && !d->writes)
            until = READS_SURFACE_UNTIL_PCT;
        l->until_ms[p] = until ? mul_div_u64(l->budget_ms, until, 100) : UINT64_MAX;
        l->most_ms[p] = share[p].most_pct ? mul_div_u64(l->budget_ms, share[p].most_pct, 100) : UINT64_MAX;
    }
}

static void set_heat(struct burn_in_drive *d, const struct conf *conf)
{
    unsigned i = 0;

    while (i + 1 < ARRAY_COUNT(heat) && heat[i].rotation != d->disk->rotation)
        i++;
    d->limits.pause_fixed = conf->pause_temperature_c != 0;
    d->limits.end_fixed = conf->end_temperature_c != 0;
    d->limits.pause_c = conf->pause_temperature_c ? conf->pause_temperature_c : heat[i].pause_c;
    d->limits.end_c = conf->end_temperature_c ? conf->end_temperature_c : heat[i].end_c;
}

static uint32_t block_for(const struct disk *d, uint64_t range_bytes)
{
    uint64_t block = d->rotation == ROTATION_YES ? BLOCK_ROTATING : BLOCK_FLASH;

    while (block > LEAST_BLOCK && range_bytes / block < FEWEST_BLOCKS)
        block /= 2;
    return (uint32_t)max_u64(block, max_u64(d->lba_bytes, d->physical_block_bytes));
}

int burn_in_set_limits(struct burn_in_drive *d, const struct burn_in_ask *ask, struct text *why)
{
    const struct disk *disk = ask->disk;
    struct burn_in_limits *l = &d->limits;

    if (!disk->ops || !disk->lba_count || !disk->lba_bytes || !disk->identity[0]) {
        text_str(why, disk->why_not[0] ? disk->why_not : "the disk cannot be read or has no identity");
        return E_LIMIT;
    }
    if (d->first_lba >= disk->lba_count || d->lba_count > disk->lba_count - d->first_lba ||
        d->lba_count > UINT64_MAX / disk->lba_bytes) {
        text_str(why, "the range that may be written lies beyond the end of the disk");
        return E_LIMIT;
    }
    uint64_t range_bytes = d->lba_count * disk->lba_bytes;
    l->block_bytes = block_for(disk, range_bytes);
    d->state.blocks = range_bytes / l->block_bytes;
    if (d->state.blocks < FEWEST_BLOCKS / 4) {
        text_fmt(why, "too small: fewer than %u blocks of 4 KiB", FEWEST_BLOCKS / 4);
        return E_LIMIT;
    }
    d->state.block_bytes = l->block_bytes;
    l->depth = disk->rotation == ROTATION_YES ? DEPTH_ROTATING : DEPTH_FLASH;
    if (disk->max_depth && l->depth > disk->max_depth)
        l->depth = disk->max_depth;
    if (d->writes)
        l->write_cap_bytes = disk->rotation == ROTATION_YES
                                 ? UINT64_MAX
                                 : mul_div_u64(disk->lba_count * disk->lba_bytes, FLASH_DRIVE_WRITES, 1) -
                                       2 * BURN_IN_CLEAR_BYTES;
    l->error_limit = ask->conf->burn_in_error_limit;
    set_times(d, ask->conf);
    set_heat(d, ask->conf);
    return OK;
}

/* FNV-1a, 64 bits, over all that makes it this burn-in and not another. */
uint64_t burn_in_job_hash(const struct burn_in_drive *d, const struct conf *conf)
{
    uint64_t hash = 0xcbf29ce484222325u;
    char words[256];
    struct text t = text_over(words, sizeof words);

    text_fmt(&t, "burn-in 1 writes %u leave %u range %llu+%llu block %u scale %u budget %u errors %u ",
             d->writes, conf->leave, (unsigned long long)d->first_lba, (unsigned long long)d->lba_count,
             d->limits.block_bytes, conf->time_scale_pct, conf->burn_in_budget_s, conf->burn_in_error_limit);
    text_str(&t, d->state.identity);
    for (size_t i = 0; i < t.len; i++)
        hash = (hash ^ (uint8_t)words[i]) * 0x100000001b3u;
    return hash;
}
