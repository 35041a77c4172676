#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "bits.h"
#include "journal.h"
#include "math.h"
#include "str.h"

/* Journals of a rack that does not exist, for tests and benchmarks: written by the application's own writer,
 * one file per machine, with faults planted on request. */

static const char usage[] =
    "usage: rack-generate [OPTION...] FOLDER\n\n"
    "  --machines N       machines (24)\n"
    "  --first N          number of the first (0): several calls make one rack\n"
    "  --drives N         drives of each (8)\n"
    "  --jobs N           measurements of each drive, at most 6 (6)\n"
    "  --series N         points over time of each measurement, at most 600 (0: no series)\n"
    "  --seed N           other chance, same rack (1)\n"
    "  --spread PERMILLE  how much drives of a kind differ by chance (15)\n"
    "  --shift PPM        all rates higher by this, may be negative: what a new firmware would bring (0)\n"
    "  --label TEXT, --clock TEXT\n"
    "  --fault NAME       slow-drive, long-tail, narrow-link, missing-drive, other-firmware, hostile-names;\n"
    "                     may be given several times; each is printed with the machine and drive it struck\n";

enum fault { SLOW_DRIVE, LONG_TAIL, NARROW_LINK, MISSING_DRIVE, OTHER_FIRMWARE, HOSTILE_NAMES, FAULT_COUNT };
static const char *const fault_names[FAULT_COUNT] = { "slow-drive",    "long-tail",      "narrow-link",
                                                      "missing-drive", "other-firmware", "hostile-names" };

struct wish {
    unsigned long machines, first, drives, jobs, series, seed, spread_permille;
    long shift_ppm;
    const char *label, *clock, *folder;
    bool fault[FAULT_COUNT];
    unsigned long fault_machine[FAULT_COUNT], fault_drive[FAULT_COUNT];
};

struct job {
    const char *name, *rw;
    uint32_t block_bytes;
    uint16_t depth;
    uint64_t iops_milli;
};
static const struct job jobs[] = {
    { "rand-4k-qd32", "randread", 4096, 32, 520000000 }, { "rand-4k-qd1", "randread", 4096, 1, 12500000 },
    { "seq-128k-qd4", "read", 131072, 4, 24000000 },     { "seq-1m-qd4", "read", 1048576, 4, 3200000 },
    { "rand-16k-qd8", "randread", 16384, 8, 95000000 },  { "together-128k-qd4", "read", 131072, 4, 21000000 },
};
/* Latency at each percentile in thousandths of the mean: a flash drive's under load. */
static const uint32_t tail_permille[PERCENTILE_COUNT] = { 620,  700,  740,  830,  940,  1020, 1070,
                                                          1290, 1480, 2100, 3900, 7000, 9500, 12000 };

static uint64_t now_ns;
static uint64_t read_clock(void) { return now_ns += 250000; }

static bool to_file(void *ctx, const char *line, size_t len) { return fwrite(line, 1, len, ctx) == len; }

/* About normal: mean x (1 + spread x N(0,1)), from the sum of twelve uniform values. */
static uint64_t varied(struct rng *r, uint64_t mean, unsigned long spread_permille)
{
    int64_t sum = -6000;

    for (unsigned i = 0; i < 12; i++)
        sum += (int64_t)mul_high_u64(rng_next(r), 1001);
    sum = sum * (int64_t)spread_permille;
    return (uint64_t)((int64_t)mean + (int64_t)(mean / 1000) * sum / 1000);
}

/* ---- a machine ---- */
struct machine {
    const struct wish *wish;
    unsigned long number;
    struct journal *journal;
    struct rng rng;
};

static bool is_struck(const struct machine *m, enum fault f, unsigned long drive)
{
    return m->wish->fault[f] && m->wish->fault_machine[f] == m->number &&
           (drive == (unsigned long)-1 || m->wish->fault_drive[f] == drive);
}

static void put_machine(struct machine *m)
{
    struct machine_info info = { .product = "Baresweep",
                                 .version = "0.1.0",
                                 .vendor = "Generated",
                                 .model = "Storage Node",
                                 .bios = "1.0",
                                 .firmware = "EDK II 1.00",
                                 .boot_path = "PciRoot(0x0)/Pci(0x1d,0x0)/USB(0x0,0x0)",
                                 .tsc_hz = 2400000000,
                                 .tsc_invariant = true };

    str_fmt(info.serial, sizeof info.serial, "N%05lu", m->number);
    str_fmt(info.uuid, sizeof info.uuid, "00000000-0000-4000-8000-%012lx", m->number);
    str_fmt(info.clock, sizeof info.clock, "%s", m->wish->clock);
    journal_run_start(m->journal, &info, m->wish->label);
    journal_conf(m->journal, "baresweep.conf", 0x12345678, "plan=default");
}

static void name_disk(char *buf, size_t cap, unsigned long drive) { str_fmt(buf, cap, "nvme%lun1", drive); }

static void put_drive(struct machine *m, unsigned long drive)
{
    struct controller_info c = { .driver = "nvme",
                                 .vendor_id = 0x144d,
                                 .device_id = 0xa80a,
                                 .subvendor_id = 0x144d,
                                 .subdevice_id = 0xa801,
                                 .class_code = 0x010802,
                                 .what = "NVM Express controller" };
    struct link_info link = { .speed = 4, .width = 4, .speed_max = 4, .width_max = 4 };
    struct disk_info d = { .kind = "NVMe",
                           .model = "GEN SSD 3840GB",
                           .firmware = "GF10",
                           .lba_bytes = 512,
                           .physical_block_bytes = 4096,
                           .max_command_bytes = 131072,
                           .lba_count = 7501476528,
                           .max_depth = 1023,
                           .rotation = "no" };

    if (is_struck(m, NARROW_LINK, drive))
        link.width = 2;
    if (is_struck(m, OTHER_FIRMWARE, drive))
        str_copy(d.firmware, sizeof d.firmware, "GF09");
    if (is_struck(m, HOSTILE_NAMES, drive))
        str_copy(d.model, sizeof d.model, "<script>alert(1)</script>\"' onload=x &amp; \xe2\x80\xae");
    str_fmt(c.name, sizeof c.name, "nvme%lu", drive);
    snprintf(c.pci_address, sizeof c.pci_address, "0000:%02lx:00.0", (drive + 1) & 0xff);
    str_fmt(d.serial, sizeof d.serial, "S%05lu%03lu", m->number, drive);
    str_copy(c.model, sizeof c.model, d.model);
    str_copy(c.serial, sizeof c.serial, d.serial);
    str_copy(c.firmware, sizeof c.firmware, d.firmware);
    str_copy(link.controller, sizeof link.controller, c.name);
    str_copy(d.controller, sizeof d.controller, c.name);
    name_disk(d.name, sizeof d.name, drive);
    str_fmt(d.identity, sizeof d.identity, "%s eui.0025385b%08lx", d.serial, m->number * 1000 + drive);
    journal_controller(m->journal, &c);
    journal_link(m->journal, &link);
    journal_disk(m->journal, &d);
}

/* ---- a measurement ---- */
static void fill_latencies(struct machine *m, struct step_result *r, bool long_tail)
{
    uint64_t iops_milli = max_u64(step_iops_milli(r), 1),
             mean_ns = mul_div_u64(r->depth, 1000 * NS_PER_S, iops_milli);
    uint64_t left = r->ios;

    r->latency_mean_ns = mean_ns;
    r->latency_min_ns = mean_ns / 2;
    r->latency_stddev_ns = mean_ns / 3;
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        uint64_t ns = varied(&m->rng, mean_ns / 1000 * tail_permille[i], m->wish->spread_permille);

        if (long_tail && percentile_ppm[i] >= 990000)
            ns *= percentile_ppm[i] >= 999000 ? 12 : 4;
        r->latency_percentile_ns[i] =
            i && ns < r->latency_percentile_ns[i - 1] ? r->latency_percentile_ns[i - 1] : ns;
        if (mul_div_u64(r->ios, 1000000 - percentile_ppm[i], 1000000) >= 10)
            r->percentile_valid |= 1u << i;
    }
    r->latency_max_ns = r->latency_percentile_ns[PERCENTILE_COUNT - 1] * 2;
    for (unsigned i = 0; i < LATENCY_CLASS_COUNT && left; i++)
        if (mean_ns < latency_class_ns[i]) {
            r->latency_class_ios[i] = left - left / 10;
            left = i + 1 < LATENCY_CLASS_COUNT ? left / 10 : 0;
        }
}

static void put_series(struct machine *m, const struct step_result *r)
{
    uint64_t points[3][SERIES_MAX_POINTS];
    unsigned count = (unsigned)m->wish->series;
    struct series_view view = { .interval_ns = r->run_ns / max_u64(count, 1),
                                .count = count,
                                .ios = points[0],
                                .bytes = points[1],
                                .max_ns = points[2],
                                .stride_bytes = sizeof points[0][0] };

    for (unsigned i = 0; i < count; i++) {
        points[0][i] = varied(&m->rng, r->ios / count, 10);
        points[1][i] = points[0][i] * r->block_bytes;
        points[2][i] = varied(&m->rng, r->latency_percentile_ns[PERCENTILE_COUNT - 2], 100);
    }
    journal_series(m->journal, r->step, r->disk, r->job, &view);
}

static void put_cell(struct machine *m, unsigned step, unsigned long drive, uint64_t quality)
{
    const struct job *job = &jobs[step];
    uint64_t iops_milli = mul_div_u64(varied(&m->rng, job->iops_milli, 8), quality, 1000000);
    struct step_result r = { .step = step,
                             .block_bytes = job->block_bytes,
                             .command_bytes = (uint32_t)min_u64(job->block_bytes, 131072),
                             .depth_asked = job->depth,
                             .depth = job->depth,
                             .span_lbas = 7501476528,
                             .run_ns = 10 * NS_PER_S,
                             .ramp_ns = NS_PER_S,
                             .longest_poll_gap_ns = 900,
                             .busy_ns = 300000000 };

    r.ios = iops_milli / 100;
    r.bytes = r.ios * job->block_bytes;
    r.flags = job->block_bytes > 131072 ? FLAG_SPLIT : 0;
    r.flags |= step == 5 ? FLAG_SHARED_PATH : 0;
    name_disk(r.disk, sizeof r.disk, drive);
    str_copy(r.job, sizeof r.job, job->name);
    str_copy(r.rw, sizeof r.rw, job->rw);
    fill_latencies(m, &r, is_struck(m, LONG_TAIL, drive));
    if (m->wish->series)
        put_series(m, &r);
    now_ns += r.run_ns;
    journal_step_end(m->journal, &r, "");
}

static void put_steps(struct machine *m, uint64_t *quality)
{
    for (unsigned step = 0; step < m->wish->jobs; step++) {
        journal_step_start(m->journal, step, jobs[step].name, (unsigned)m->wish->drives);
        for (unsigned long drive = 0; drive < m->wish->drives; drive++)
            if (!is_struck(m, MISSING_DRIVE, drive))
                put_cell(m, step, drive, quality[drive]);
        journal_checkpoint(m->journal, step);
    }
}

static void put_run(struct machine *m, uint64_t *quality)
{
    struct run_status status = { .verdict = VERDICT_PASS };
    struct run_ending ending = run_ending(&status, true);

    put_machine(m);
    for (unsigned long drive = 0; drive < m->wish->drives; drive++) {
        struct rng own; /* a drive is as good as it is in every run */

        rng_seed(&own, 0x5eed0000 + m->number * 1000 + drive);
        quality[drive] = varied(&own, (uint64_t)(1000000 + m->wish->shift_ppm), m->wish->spread_permille);
        if (is_struck(m, SLOW_DRIVE, drive))
            quality[drive] = quality[drive] * 72 / 100;
        if (!is_struck(m, MISSING_DRIVE, drive))
            put_drive(m, drive);
    }
    journal_plan(m->journal, (unsigned)m->wish->jobs, 60 * NS_PER_S);
    put_steps(m, quality);
    for (unsigned long drive = 0; drive < m->wish->drives; drive++) {
        char name[24];

        name_disk(name, sizeof name, drive);
        if (!is_struck(m, MISSING_DRIVE, drive))
            journal_disk_verdict(m->journal, name, VERDICT_PASS, "no errors");
    }
    journal_run_end(m->journal, &status, &ending);
}

static bool write_machine(struct machine *m, uint64_t *quality)
{
    char path[4096];
    uint64_t run_id;
    FILE *to;

    rng_seed(&m->rng, m->wish->seed * 1000003 + m->number);
    run_id = rng_next(&m->rng);
    now_ns = 0;
    str_fmt(path, sizeof path, "%s/N%05lu-%016llx.ndjson", m->wish->folder, m->number,
            (unsigned long long)run_id);
    to = fopen(path, "wb");
    if (!to) {
        perror(path);
        return false;
    }
    journal_start(m->journal, run_id, read_clock);
    journal_add_sink(m->journal, to_file, to, false);
    put_run(m, quality);
    if (fclose(to)) {
        perror(path);
        return false;
    }
    return true;
}

/* ---- options ---- */
static bool take_number(struct wish *w, const char *name, const char *value)
{
    const struct {
        const char *name;
        unsigned long *to;
    } numbers[] = { { "--machines", &w->machines },     { "--first", &w->first },
                    { "--drives", &w->drives },         { "--jobs", &w->jobs },
                    { "--series", &w->series },         { "--seed", &w->seed },
                    { "--spread", &w->spread_permille } };
    char *end;

    for (unsigned i = 0; i < ARRAY_COUNT(numbers); i++)
        if (!strcmp(name, numbers[i].name)) {
            *numbers[i].to = strtoul(value, &end, 10);
            return *value && !*end;
        }
    if (strcmp(name, "--shift"))
        return false;
    w->shift_ppm = strtol(value, &end, 10);
    return *value && !*end;
}

static bool take_word(struct wish *w, const char *name, const char *value)
{
    if (!strcmp(name, "--label"))
        w->label = value;
    else if (!strcmp(name, "--clock"))
        w->clock = value;
    else if (!strcmp(name, "--fault")) {
        unsigned f = 0;

        while (f < FAULT_COUNT && strcmp(fault_names[f], value))
            f++;
        if (f == FAULT_COUNT)
            return false;
        w->fault[f] = true;
    } else
        return take_number(w, name, value);
    return true;
}

static bool read_wish(struct wish *w, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (w->folder)
                return false;
            w->folder = argv[i];
        } else if (i + 1 == argc || !take_word(w, argv[i], argv[i + 1])) {
            return false;
        } else {
            i++;
        }
    }
    return w->folder && w->jobs <= ARRAY_COUNT(jobs) && w->series <= SERIES_MAX_POINTS && w->drives <= 256 &&
           w->drives && w->shift_ppm > -900000 && w->shift_ppm < 1000000 && w->spread_permille <= 100;
}

/* Each fault strikes another drive. */
static void plant_faults(struct wish *w)
{
    struct rng r;

    rng_seed(&r, 77);
    for (unsigned f = 0; f < FAULT_COUNT; f++) {
        w->fault_machine[f] = w->first + mul_high_u64(rng_next(&r), w->machines);
        w->fault_drive[f] = mul_high_u64(rng_next(&r), w->drives);
        if (w->fault[f])
            printf("planted %s N%05lu nvme%lun1\n", fault_names[f], w->fault_machine[f], w->fault_drive[f]);
    }
}

int main(int argc, char **argv)
{
    struct wish w = { .machines = 24,
                      .drives = 8,
                      .jobs = 6,
                      .seed = 1,
                      .spread_permille = 15,
                      .label = "generated",
                      .clock = "2026-11-30T14:00:00" };
    struct journal *journal = malloc(sizeof *journal);
    struct machine m = { .wish = &w, .journal = journal };
    uint64_t quality[256];
    bool good = journal != NULL;

    if (argc > 1 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        free(journal);
        return 0;
    }
    if (!read_wish(&w, argc, argv)) {
        fputs(usage, stderr);
        free(journal);
        return 2;
    }
    if (mkdir(w.folder, 0777) && errno != EEXIST) {
        perror(w.folder);
        free(journal);
        return 3;
    }
    plant_faults(&w);
    for (m.number = w.first; good && m.number < w.first + w.machines; m.number++)
        good = write_machine(&m, quality);
    free(journal);
    return good ? 0 : 3;
}
