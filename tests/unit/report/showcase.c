#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "crc.h"
#include "showcase.h"
#include "step.h"

/* Numbers as real devices give them, made from formulas: the same at every run. */

enum { POINTS = 50 };
struct run_state {
    struct journal *j;
    uint32_t step;
    uint32_t noise;
};

/* -512 .. 511 */
static int noise(struct run_state *s)
{
    s->noise = s->noise * 1664525u + 1013904223u;
    return (int)(s->noise >> 22) - 512;
}

/* ---- latency ---- */
/* Percentiles in hundredths of the mean: of flash, and of a disk that seeks. */
static const unsigned flash_shape[PERCENTILE_COUNT] = { 62,  70,  74,  84,  96,  104,  108,
                                                        126, 148, 230, 510, 900, 1500, 2600 };
static const unsigned disk_shape[PERCENTILE_COUNT] = { 28,  42,  52,  74,  98,  116,  122,
                                                       152, 178, 240, 420, 800, 1100, 1400 };

/* Every request lies in the class of the next percentile above it. */
static void fill_classes(struct step_result *r)
{
    uint64_t left = r->ios;

    for (unsigned c = 0; c < LATENCY_CLASS_COUNT; c++) {
        uint64_t below = 0;

        for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
            if (r->latency_percentile_ns[i] < latency_class_ns[c])
                below = r->ios * percentile_ppm[i] / 1000000;
        if (r->latency_max_ns < latency_class_ns[c])
            below = r->ios;
        r->latency_class_ios[c] = below > r->ios - left ? below - (r->ios - left) : 0;
        left -= r->latency_class_ios[c];
    }
}

static void fill_latency(struct step_result *r, const unsigned *shape, uint64_t mean_ns)
{
    r->latency_mean_ns = mean_ns;
    r->latency_min_ns = mean_ns * shape[0] / 130;
    r->latency_max_ns = mean_ns * shape[PERCENTILE_COUNT - 1] / 80;
    r->latency_stddev_ns = mean_ns * shape[9] / 600;
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        r->latency_percentile_ns[i] = mean_ns * shape[i] / 100;
        if (r->ios * (1000000 - percentile_ppm[i]) >= 10000000)
            r->percentile_valid |= 1u << i;
    }
    fill_classes(r);
}

/* ---- a cell ---- */
struct wish {
    const char *disk, *job, *rw;
    uint32_t block_bytes, command_bytes;
    uint16_t depth;
    uint64_t first_lba, span_lbas, iops_milli;
    const unsigned *shape;
    uint32_t flags;
    unsigned slower_from; /* point of the series from which on it is at two thirds; 0: never */
};

static void put_series(struct run_state *s, const struct wish *w)
{
    uint64_t ios[POINTS], bytes[POINTS], max_ns[POINTS];
    struct series_view view = { 200 * NS_PER_MS, POINTS, ios, bytes, max_ns, sizeof ios[0], NULL };

    for (unsigned i = 0; i < POINTS; i++) {
        uint64_t base = w->iops_milli / 5 * (uint64_t)(10000 + noise(s) / 2) / 10000;

        if (w->slower_from && i >= w->slower_from)
            base = base * 2 / 3;
        ios[i] = base / 1000 + 1;
        bytes[i] = ios[i] * w->block_bytes;
        max_ns[i] = w->depth * 1000000000000ull / w->iops_milli * (uint64_t)(900 + noise(s)) / 100;
    }
    journal_series(s->j, s->step, w->disk, w->job, &view);
}

static void put_cell(struct run_state *s, const struct wish *w)
{
    struct step_result r = { .step = s->step,
                             .block_bytes = w->block_bytes,
                             .command_bytes = w->command_bytes ? w->command_bytes : w->block_bytes,
                             .depth_asked = w->depth,
                             .depth = w->depth,
                             .first_lba = w->first_lba,
                             .span_lbas = w->span_lbas,
                             .ios = w->iops_milli / 100,
                             .run_ns = 10 * NS_PER_S,
                             .ramp_ns = 500 * NS_PER_MS,
                             .longest_poll_gap_ns = 900,
                             .busy_ns = 70 * NS_PER_MS,
                             .flags = w->flags };

    snprintf(r.disk, sizeof r.disk, "%s", w->disk);
    snprintf(r.job, sizeof r.job, "%s", w->job);
    snprintf(r.rw, sizeof r.rw, "%s", w->rw);
    r.bytes = r.ios * r.block_bytes;
    fill_latency(&r, w->shape, w->depth * 1000000000000ull / w->iops_milli);
    journal_step_end(s->j, &r, "");
    put_series(s, w);
}

static void begin_step(struct run_state *s, const char *title)
{
    s->step++;
    journal_step_start(s->j, s->step, title, 1);
}

/* It warms up towards 78 degrees (flash) or 46 (a turning disk), and says so twice in a step. */
static void put_heat(const struct run_state *s, const char *disk, bool flash)
{
    uint64_t at_ms[] = { 1200, 3400 }, past = s->step % 40;
    int64_t most = flash ? 40 : 5, celsius[2];

    for (unsigned i = 0; i < 2; i++)
        celsius[i] = (flash ? 38 : 41) + most - most * 8 / (int64_t)(8 + past + i);
    journal_temperature(s->j,
                        &(struct temperature_info){ disk, s->step, 2, celsius[0] >= 63, 2, at_ms, celsius });
}

static const char *size_word(uint32_t bytes)
{
    static char word[16];

    snprintf(word, sizeof word, bytes >= MIB ? "%um" : "%uk", bytes >= MIB ? bytes >> 20 : bytes >> 10);
    return word;
}

/* A rate that grows with the block up to the medium's own: requests cost overhead_ns each. */
static uint64_t iops_milli_of(uint64_t bytes_per_s, uint32_t block_bytes, uint64_t overhead_ns)
{
    uint64_t each_ns = block_bytes * 1000000000ull / bytes_per_s + overhead_ns;

    return 1000000000000ull / each_ns;
}

static void put_sequential(struct run_state *s, const char *disk, const unsigned *shape, uint64_t bytes_per_s,
                           uint64_t overhead_ns, uint32_t command_bytes, uint64_t lba_count)
{
    char title[64], job[40];
    uint64_t first_lba = 0;

    for (uint32_t block = 4096; block <= 8 * MIB; block *= 2) {
        bool split = block > command_bytes;
        struct wish w = { .disk = disk,
                          .job = job,
                          .rw = "read",
                          .block_bytes = block,
                          .command_bytes = split ? command_bytes : block,
                          .depth = 4,
                          .first_lba = first_lba,
                          .span_lbas = lba_count / 60,
                          .iops_milli = iops_milli_of(bytes_per_s, block, overhead_ns),
                          .shape = shape,
                          .flags = split ? FLAG_SPLIT : 0 };

        snprintf(job, sizeof job, "seq-%s-qd4", size_word(block));
        snprintf(title, sizeof title, "sequential read %s QD 4, %s", size_word(block), disk);
        begin_step(s, title);
        put_cell(s, &w);
        put_heat(s, disk, shape == flash_shape);
        first_lba += w.span_lbas;
    }
}

static void put_random(struct run_state *s, const char *disk, const unsigned *shape, uint16_t depth,
                       uint64_t iops_milli, uint64_t lba_count, unsigned slower_from)
{
    char job[40];
    struct wish w = { .disk = disk,
                      .job = job,
                      .rw = "randread",
                      .block_bytes = 4096,
                      .depth = depth,
                      .span_lbas = lba_count,
                      .iops_milli = iops_milli,
                      .shape = shape,
                      .flags = depth >= 32 && shape == flash_shape ? FLAG_HOST_BOUND : 0,
                      .slower_from = slower_from };

    snprintf(job, sizeof job, "rand-4k-qd%u", depth);
    begin_step(s, job);
    put_cell(s, &w);
    put_heat(s, disk, shape == flash_shape);
}

static void put_zones(struct run_state *s, const char *disk, uint64_t outer, uint64_t inner,
                      uint64_t lba_count)
{
    enum { PLACES = 16 };
    char job[40];

    for (unsigned i = 0; i < PLACES; i++) {
        uint64_t rate = outer - (outer - inner) * i * (i + 14) / ((PLACES - 1) * (PLACES + 13));
        struct wish w = { .disk = disk,
                          .job = job,
                          .rw = "read",
                          .block_bytes = MIB,
                          .depth = 8,
                          .first_lba = lba_count / PLACES * i,
                          .span_lbas = lba_count / 400,
                          .iops_milli = iops_milli_of(rate, MIB, 1000),
                          .shape = disk_shape };

        snprintf(job, sizeof job, "zone-%u", i);
        begin_step(s, "transfer curve");
        put_cell(s, &w);
    }
}

/* ---- the machine ---- */
enum { NVME_LBAS = 1875385008, SATA_LBAS = 1953525168 };

static void put_devices(struct journal *j)
{
    static const struct controller_info controllers[] = {
        { "nvme0", "nvme", "0000:41:00.0", 0x144d, 0xa824, 0x1028, 0x2041, 0x010802, "NVM Express controller",
          "Dell Ent NVMe PM1733a RI 960GB", "S6CSNA0T300123", "2.3.0", "" },
        { "sata0", "ahci", "0000:00:1f.2", 0x8086, 0x1d02, 0x1028, 0x048c, 0x010601,
          "SATA controller, AHCI mode", "", "", "", "" },
        { "raid0", "", "0000:02:00.0", 0x1000, 0x005d, 0x1028, 0x1f49, 0x010400, "MegaRAID SAS-3 3108",
          "PERC H730P", "", "",
          "this card is of a generation that this version does not drive; its drives can be tested with the firmware "
          "path (firmware_path = 1), without speeds" },
    };
    static const struct disk_info disks[] = {
        { "nvme0n1", "nvme0", "NVMe", "Dell Ent NVMe PM1733a RI 960GB", "S6CSNA0T300123", "2.3.0",
          "S6CSNA0T300123 eui.36434e3054300123", 512, 4096, 131072, NVME_LBAS, 1023, "no", "" },
        { "sata0.0", "sata0", "SATA", "ST1000NM0033-9ZM173", "Z1W0AB12", "GA6A", "Z1W0AB12 5000c5007a1b2c3d",
          512, 512, 33554432, SATA_LBAS, 32, "yes", "" },
        { "sata0.1", "sata0", "SATA", "ST1000NM0033-9ZM173", "Z1W0CD34", "GA6A", "Z1W0CD34 5000c5007a1b2d4e",
          512, 512, 33554432, SATA_LBAS, 32, "yes", "" },
        { "sata0.2", "sata0", "SATA", "INTEL SSDSC2BB240G4 <b>&\"x\"</b>", "BTWL3370", "D2010355", "BTWL3370",
          512, 4096, 33554432, 468862128, 32, "no", "locked by an ATA password" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(controllers); i++)
        journal_controller(j, &controllers[i]);
    for (unsigned i = 0; i < ARRAY_COUNT(disks); i++)
        journal_disk(j, &disks[i]);
    journal_not_tested(j, "sata0.2", "", "locked by an ATA password");
    journal_not_tested(j, "sata0.1", "together-1m-qd4", "did not fit into the time budget of 15 min");
}

/* ---- what is around the disks ---- */
static void put_paths(struct journal *j)
{
    static const struct topology_info nodes[] = {
        { 0, "root", "", "0000:00", "" },
        { 1, "controller", "sata0", "0000:00:1f.2", "SATA controller, AHCI mode" },
        { 2, "disk", "sata0.0", "", "ST1000NM0033-9ZM173" },
        { 2, "disk", "sata0.1", "", "ST1000NM0033-9ZM173" },
        { 2, "disk", "sata0.2", "", "INTEL SSDSC2BB240G4" },
        { 1, "port", "", "0000:00:02.0", "link Gen3 x8, slot 3" },
        { 2, "controller", "raid0", "0000:02:00.0", "MegaRAID SAS-3 3108" },
        { 0, "root", "", "0000:40", "" },
        { 1, "port", "", "0000:40:01.0", "link Gen3 x2, possible Gen4 x4, slot 7" },
        { 2, "controller", "nvme0", "0000:41:00.0", "NVM Express controller" },
        { 3, "disk", "nvme0n1", "", "Dell Ent NVMe PM1733a RI 960GB" },
    };
    static const struct smbus_info smbus = { "Intel i801 (ICH, PCH)", "0000:00:1f.3", true, "MM-F----",
                                             "base 0x6000, status 0x00, 2 modules answer, 1 other" };

    for (unsigned i = 0; i < ARRAY_COUNT(nodes); i++)
        journal_topology(j, &nodes[i]);
    journal_smbus(j, &smbus);
    journal_link(j, &(struct link_info){ "nvme0", 3, 2, 4, 4, "0000:40:01.0", 256, 1800000000, 412 });
    journal_link(j, &(struct link_info){ "sata0", 3, 4, 3, 4, "0000:00:1c.0", 256, 3940000000, 0 });
}

static void put_raid(struct journal *j)
{
    static const struct raid_card_info card = { .controller = "raid0",
                                                .generation = "3108",
                                                .fitted_as = "PERC H730P Mini",
                                                .product = "PERC H730P Mini",
                                                .serial = "5BG001X",
                                                .package = "25.5.9.0001",
                                                .memory_mib = 2048,
                                                .temperature_c = 61,
                                                .rebuild_percent = 30,
                                                .patrol_percent = 30,
                                                .battery =
                                                    "present, not good, charge 41 %, learn cycle running",
                                                .battery_present = 1,
                                                .battery_bad = 1,
                                                .enclosures = "32 DP BACKPLANE" };
    static const struct virtual_drive_info vd = { .disk = "raid0.vd0",
                                                  .name = "system",
                                                  .level = "RAID 10",
                                                  .state = "degraded",
                                                  .spans = 2,
                                                  .drives_per_span = 2,
                                                  .strip_bytes = 65536,
                                                  .size_bytes = 1999844147200,
                                                  .policy_told = 1,
                                                  .drive_cache = 1,
                                                  .policy =
                                                      "write through, read ahead, direct I/O, drive cache on",
                                                  .configured_policy = "write back, read ahead, direct I/O",
                                                  .members = "0 1 2 65535",
                                                  .works = "rebuild 12 %",
                                                  .cache_bytes = 2147483648 };
    struct raid_drive_info pd = { .disk = "raid0.pd0",
                                  .controller = "raid0",
                                  .state = "online",
                                  .interface = "SAS",
                                  .enclosure_id = 32,
                                  .size_bytes = 999653638144,
                                  .temperature_c = 34,
                                  .link_mb_per_s = 1200,
                                  .max_link_mb_per_s = 1200 };

    journal_raid_card(j, &card);
    journal_virtual_drive(j, &vd);
    for (unsigned i = 0; i < 4; i++) {
        pd.disk[8] = (char)('0' + i);
        pd.slot = pd.device_id = i;
        journal_raid_drive(j, &pd);
        pd.media_errors = i == 1 ? 3 : 0;
        pd.link_mb_per_s = i == 1 ? 600 : 1200;
        snprintf(pd.state, sizeof pd.state, i == 1 ? "rebuilding" : "online");
    }
}

static void put_health(struct journal *j, const char *when, int64_t warmer)
{
    const struct health_item nvme[] = {
        { "temperature_c", 38 + warmer },   { "temperature_warning_c", 70 }, { "used_percent", 4 },
        { "spare_percent", 100 },           { "power_on_hours", 12034 },     { "unsafe_shutdowns", 17 },
        { "light_throttles", warmer / 10 }, { "host_read_mb", INT64_MAX }
    };
    const struct health_item disk[] = { { "temperature_c", 41 + warmer / 4 },
                                        { "reallocated_sectors", 12 },
                                        { "pending_sectors", 1 + warmer / 15 },
                                        { "interface_crc_errors", 0 },
                                        { "power_on_hours", 40312 } };
    struct health_info h = { "nvme0n1", when, nvme, ARRAY_COUNT(nvme), warmer ? "temperature" : "", "" };

    journal_health(j, &h);
    h = (struct health_info){ "sata0.1",
                              when,
                              disk,
                              ARRAY_COUNT(disk),
                              "failure_expected",
                              "newest error: uncorrectable data at LBA 1234567" };
    journal_health(j, &h);
}

static void put_nvme(struct run_state *s)
{
    static const unsigned iops[] = { 11900, 23600, 46800, 92100, 178000, 336000, 571000 };

    put_sequential(s, "nvme0n1", flash_shape, 6420000000, 9000, 131072, NVME_LBAS);
    for (unsigned i = 0; i < ARRAY_COUNT(iops); i++)
        put_random(s, "nvme0n1", flash_shape, (uint16_t)(1 << i), iops[i] * 1000ull, NVME_LBAS,
                   i == 6 ? 30 : 0);
}

static void put_disk(struct run_state *s, const char *disk, unsigned percent)
{
    put_sequential(s, disk, disk_shape, 1710000ull * percent, 18000, 33554432, SATA_LBAS);
    put_random(s, disk, disk_shape, 1, 790ull * percent, SATA_LBAS, 0);
    put_random(s, disk, disk_shape, 32, 1930ull * percent, SATA_LBAS, 0);
    put_zones(s, disk, 1754000ull * percent, 921000ull * percent, SATA_LBAS);
}

static void put_errors(struct run_state *s)
{
    struct step_result r = { .step = s->step + 1,
                             .block_bytes = 1048576,
                             .command_bytes = 1048576,
                             .depth_asked = 4,
                             .depth = 4,
                             .first_lba = 123456,
                             .span_lbas = 2000000,
                             .ios = 1311,
                             .bytes = 1374683136,
                             .errors = 3,
                             .retries = 2,
                             .run_ns = 10000000000,
                             .flags = FLAG_ERRORS };
    struct io_error_record e = {
        .lba = 1234567, .blocks = 8, .located = true, .status = 3, .detail = 0x4051
    };

    begin_step(s, "sequential read 1 MiB QD 4 once more");
    strcpy(r.disk, "sata0.1");
    strcpy(r.job, "again-1m-qd4");
    strcpy(r.rw, "read");
    fill_latency(&r, disk_shape, 30500000);
    for (unsigned i = 0; i < 3; i++) {
        journal_io_error(s->j, s->step, r.disk, r.job, &e, "uncorrectable data (ERR UNC)");
        e.lba += 2048;
    }
    journal_step_end(s->j, &r, "");
}

static void put_findings(struct journal *j)
{
    static const struct finding findings[] = {
        { "io-error", FINDING_FAIL, "sata0.1", "3 of 1314 reads failed, the first at LBA 1234567",
          "no failed read" },
        { "io-retries", FINDING_WARN, "sata0.1", "2 reads were sent again", "none" },
        { "controller-not-driven", FINDING_WARN, "raid0", "MegaRAID SAS-3 3108 at 0000:02:00.0", "" },
        { "smbus-foreign", FINDING_WARN, "smbus",
          "0x53 answers with a FRU header; suspect: PERC H310 at 0000:02:00.0 in PCIE3",
          "only memory modules" },
        { "slot-narrow", FINDING_WARN, "nvme0",
          "0000:40:01.0 to 0000:41:00.0: Gen3 x2, the slot has Gen4 x2, the card x4", "Gen4 x4" },
        { "wake-request", FINDING_WARN, "sata0", "PME status is set at 0000:00:1f.2", "" },
        { "odd-slow", FINDING_WARN, "sata0.1",
          "in 6 of its 8 measurements; farthest in rand (randread 4 KiB QD 32): 0.63 MB/s, 49 % less than the 8 like "
          "drives' median, robust z 33.6",
          "as the others: 1.27 MB/s" },
        { "driver-remark", FINDING_INFO, "sata0.0", "the drive limits queued commands to 32", "" },
        { "from-the-future", FINDING_CANNOT_TELL, "nvme0n1", "something <script>alert(1)</script> new", "" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(findings); i++)
        journal_finding(j, &findings[i]);
}

static void put_contents(struct journal *j, const char *when)
{
    journal_data_crc(j, "nvme0n1", when, 0, 1048576, 4096, 0xfedcba98);
    journal_data_crc(j, "nvme0n1", when, 1875382960, 1048576, 1048576, 0x01234567);
}

void showcase_run(struct journal *j)
{
    static const struct machine_info machine = {
        "Baresweep",
        "0.1",
        "Dell Inc.",
        "PowerEdge R720",
        "ABC1234",
        "4c4c4544-0042-4310-8031-c3c04f313233",
        "2.9.0",
        "EDK II 1.00",
        "PciRoot(0x0)/Pci(0x1d,0x0)/USB(0x0,0x0)/HD(1)/EFI/BOOT/BOOTX64.EFI",
        "2026-11-30T14:00:00",
        2399998000,
        true
    };
    struct run_status status = { VERDICT_FAIL, true, false };
    struct run_ending ending = { 1, 0x2043, false };
    struct run_state s = { .j = j, .noise = 20261130 };

    journal_run_start(j, &machine,
                      "Rack 12, slot 3 \xe2\x80\x93 abgenommen \xc3\xbc"
                      "ber Nacht");
    journal_conf(j, "baresweep.conf", 0xdeadbeef,
                 "plan=default time_scale_pct=100 budget_s=900 expect_disks=3");
    put_devices(j);
    journal_problem(j, "jobs/burn.fio", 12, "verify-all",
                    "rw=randwrite writes: this version only reads. Use rw=randread, or leave the job out");
    put_paths(j);
    put_raid(j);
    journal_drive_settings(j, "nvme0n1", "write cache on, power state 0 (found 2), 8 queues", 131072);
    put_health(j, "before", 0);
    journal_plan(j, 62, 640 * NS_PER_S);
    put_contents(j, "before");
    put_nvme(&s);
    journal_log(j, 1, "sata0.1: PxCI: timed out (got 0x1, want 0x0)");
    put_disk(&s, "sata0.0", 100);
    put_disk(&s, "sata0.1", 97);
    put_errors(&s);
    journal_checkpoint(j, s.step);
    put_contents(j, "after");
    put_health(j, "after", 33);
    put_findings(j);
    journal_disk_verdict(j, "nvme0n1", VERDICT_PASS, "19 measurements, no errors");
    journal_disk_verdict(j, "sata0.0", VERDICT_PASS, "30 measurements, no errors");
    journal_disk_verdict(j, "sata0.1", VERDICT_FAIL, "3 reads failed; replace the drive in bay 1");
    journal_disk_verdict(j, "sata0.2", VERDICT_NOT_TESTED, "locked by an ATA password");
    journal_run_end(j, &status, &ending);
}

struct memory showcase_text(void)
{
    struct memory m = { 0 };
    struct journal *j = journal_new(&m, 0x5eed0000cafe0001);

    showcase_run(j);
    free(j);
    return m;
}

void append_line(struct memory *m, uint64_t run_id, uint64_t seq, const char *members)
{
    char line[600];
    int len = snprintf(line, sizeof line, "{\"v\":1,\"run\":\"%016llx\",\"seq\":%llu,\"t_ns\":%llu,%s",
                       (unsigned long long)run_id, (unsigned long long)seq, (unsigned long long)seq * 1000000,
                       members);

    memory_add(m, line, (size_t)len);
    snprintf(line + len, sizeof line - (size_t)len, ",\"crc\":\"%08x\"}\n", crc32c(0, line, (size_t)len));
    memory_add(m, line + len, strlen(line + len));
}
