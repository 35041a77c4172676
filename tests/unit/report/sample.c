#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "render.h"
#include "sample.h"
#include "bits.h"
#include "test.h"

/* ---- memory ---- */
void memory_add(struct memory *m, const char *bytes, size_t len)
{
    if (m->len + len + 1 > m->cap) {
        m->cap = (m->len + len + 1) * 2;
        m->bytes = realloc(m->bytes, m->cap);
    }
    memcpy(m->bytes + m->len, bytes, len);
    m->len += len;
    m->bytes[m->len] = 0;
}

bool memory_line(void *ctx, const char *line, size_t len)
{
    struct memory *m = ctx;

    if (m->limit && m->len + len > m->limit) {
        m->refused++;
        return false;
    }
    memory_add(m, line, len);
    return true;
}

void memory_free(struct memory *m)
{
    free(m->bytes);
    *m = (struct memory){ 0 };
}

bool contains(const struct memory *m, const char *part) { return m->bytes && strstr(m->bytes, part); }

/* ---- a run ---- */
static uint64_t now_ns;

uint64_t sample_now_ns(void)
{
    now_ns += 1500000000;
    return now_ns;
}

struct journal *journal_new(struct memory *file, uint64_t run_id)
{
    struct journal *j = calloc(1, sizeof *j);

    now_ns = 0;
    journal_start(j, run_id, sample_now_ns);
    journal_add_sink(j, memory_line, file, false);
    return j;
}

static void put_devices(struct journal *j)
{
    static const struct controller_info controllers[] = {
        { "nvme0", "nvme", "0000:01:00.0", 0x144d, 0xa80a, 0x144d, 0xa801, 0x010802, "NVM Express controller",
          "Samsung SSD 980 PRO 1TB", "S5GXNX0T123456", "5B2QGXA7", "" },
        { "sata0", "ahci", "0000:00:1f.2", 0x8086, 0x2922, 0x1af4, 0x1100, 0x010601,
          "SATA controller, AHCI mode", "", "", "", "" },
        { "raid0", "", "0000:02:00.0", 0x1000, 0x005d, 0x1028, 0x1f49, 0x010400, "MegaRAID SAS-3 3108", "",
          "", "",
          "this card is of a generation that this version does not drive; its drives can be tested with the firmware "
          "path (firmware_path=1), without speeds" },
    };
    static const struct disk_info disks[] = {
        { "nvme0n1", "nvme0", "NVMe", "Samsung SSD 980 PRO 1TB", "S5GXNX0T123456", "5B2QGXA7",
          "S5GXNX0T123456 eui.0025385b11b3f2a1", 512, 4096, 131072, 1953525168, 1023, "no", "" },
        { "sata0.0", "sata0", "SATA", "WDC WD40EFRX-68N32N0", "WD-WCC7K0AB1CD2", "82.00A82",
          "WD-WCC7K0AB1CD2 5000c500a1b2c3d4", 512, 4096, 33554432, 7814037168, 32, "yes", "" },
        { "sata0.1", "sata0", "SATA", "ST31000524AS, \"refurb\"", "9VPE0000", "JC45", "9VPE0000", 512, 512,
          33554432, 1953525168, 32, "yes", "locked by an ATA password" },
    };

    for (unsigned i = 0; i < 3; i++)
        journal_controller(j, &controllers[i]);
    for (unsigned i = 0; i < 3; i++)
        journal_disk(j, &disks[i]);
}

static void put_raid(struct journal *j)
{
    static const struct raid_card_info card = { "megaraid0",
                                                "3108",
                                                "PERC H730P Mini",
                                                "PERC H730P Mini",
                                                "5BG001X",
                                                "25.5.0.0018",
                                                "APP 4.270.00, BIOS 6.33",
                                                2048,
                                                61,
                                                30,
                                                30,
                                                30,
                                                30,
                                                30,
                                                1,
                                                "present, not good, charge 41 %, 31 C, learn cycle running",
                                                1,
                                                1,
                                                1,
                                                41,
                                                12,
                                                "32 DP BACKPLANE" };
    static const struct virtual_drive_info vd = { "megaraid0.vd0",
                                                  "system",
                                                  "RAID 10",
                                                  "degraded",
                                                  2,
                                                  2,
                                                  65536,
                                                  1999844147200,
                                                  1,
                                                  0x04,
                                                  0x05,
                                                  1,
                                                  0,
                                                  "write through, read ahead, direct I/O, drive cache on",
                                                  "write back, read ahead, direct I/O",
                                                  "0 1 2 65535",
                                                  "rebuild 12 %",
                                                  2147483648 };
    static const struct raid_drive_info drive = { "megaraid0.pd2",
                                                  "megaraid0",
                                                  "rebuilding",
                                                  "SAS",
                                                  2,
                                                  32,
                                                  2,
                                                  0,
                                                  0,
                                                  999653638144,
                                                  0x5000c500a1b2c3d5,
                                                  3,
                                                  1,
                                                  0,
                                                  38,
                                                  300,
                                                  600,
                                                  "rebuild 12 %" };

    journal_raid_card(j, &card);
    journal_virtual_drive(j, &vd);
    journal_raid_drive(j, &drive);
}

static void put_machine_path(struct journal *j)
{
    static const struct topology_info nodes[] = {
        { 0, "root", "", "0000:00", "" },
        { 1, "port", "", "0000:00:1c.4", "link Gen3 x2, possible Gen4 x4, slot 4" },
        { 2, "controller", "nvme0", "0000:01:00.0", "NVM Express controller" },
        { 3, "disk", "nvme0n1", "", "Samsung SSD 980 PRO 1TB" },
        { 1, "controller", "sata0", "0000:00:1f.2", "SATA controller, AHCI mode" },
        { 2, "disk", "sata0.0", "", "WDC WD40EFRX-68N32N0" },
        { 2, "disk", "sata0.1", "", "ST31000524AS, \"refurb\"" },
    };
    static const struct smbus_info smbus = { "Intel i801 (ICH, PCH)", "0000:00:1f.3", true, "M-MF----",
                                             "Intel i801 (ICH, PCH); base 0x6000, status 0x00" };

    for (unsigned i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        journal_topology(j, &nodes[i]);
    journal_smbus(j, &smbus);
}

static void put_guard(struct journal *j)
{
    static const char print[] = "5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e";
    static const struct content_info contents[] = {
        { "nvme0n1", "S5GXNX0T123456 Samsung SSD 980 PRO 1TB", "blank", "blank",
          "nothing but zeros at every place looked at", "", 1000204886016, 0 },
        { "sata0.0", "WD-WCC4E0000001 WDC WD40EFRX-68N32N0", "found", print,
          "protective MBR; GPT at byte 512; ext4 at byte 1024 of partition 1", "", 4000787030016, 97 },
    };

    for (unsigned i = 0; i < sizeof contents / sizeof contents[0]; i++)
        journal_content(j, &contents[i]);
    journal_arming_batch(j, "arming.txt, boot medium", "0123456789abcdef", 1, "Jane Doe",
                         "2026-11-30T13:00:00", "");
    journal_write_permit(j, "sata0.0", "", "refused", "not armed: the arming file does not name it");
}

static struct step_result cell(uint32_t step, const char *disk, const char *rw, uint32_t block_bytes,
                               uint16_t depth, uint64_t ios, uint64_t latency_ns)
{
    struct step_result r = { .step = step,
                             .block_bytes = block_bytes,
                             .command_bytes = block_bytes,
                             .depth_asked = depth,
                             .depth = depth,
                             .span_lbas = 1000000,
                             .ios = ios,
                             .bytes = ios * block_bytes,
                             .run_ns = 10000000000,
                             .ramp_ns = 500000000,
                             .latency_min_ns = latency_ns / 2,
                             .latency_mean_ns = latency_ns,
                             .latency_max_ns = latency_ns * 40,
                             .latency_stddev_ns = latency_ns / 3,
                             .longest_poll_gap_ns = 900,
                             .busy_ns = 70000000 };

    snprintf(r.disk, sizeof r.disk, "%s", disk);
    snprintf(r.rw, sizeof r.rw, "%s", rw);
    snprintf(r.job, sizeof r.job, "%s-%uk-qd%u", strcmp(rw, "read") ? "rand" : "seq", block_bytes / 1024,
             depth);
    for (unsigned i = 0, left = 0; i < LATENCY_CLASS_COUNT; i++) {
        /* Nine in ten around the mean, the rest in the class above. */
        bool mean_is_here = latency_ns < latency_class_ns[i] && (!i || latency_ns >= latency_class_ns[i - 1]);
        r.latency_class_ios[i] = mean_is_here ? ios - ios / 10 : left ? ios / 10 : 0;
        left = mean_is_here;
    }
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        r.latency_percentile_ns[i] = latency_ns * (i + 4) / 8;
        if (ios * (1000000 - percentile_ppm[i]) >= 10000000)
            r.percentile_valid |= 1u << i;
    }
    return r;
}

static void put_nvme_steps(struct journal *j)
{
    static const uint64_t ios[] = { 490, 505, 498 }, bytes[] = { 32112640, 33095680, 32636928 },
                          max_ns[] = { 180000, 190000, UINT64_MAX };
    static const uint64_t sum_ns[] = { 490 * 80000ull, 505 * 80200ull, 498 * 80100ull + 497 };
    struct series_view series = { 1000000000, 3, ios, bytes, max_ns, sizeof ios[0], sum_ns };
    struct step_result r = cell(0, "nvme0n1", "read", 65536, 4, 490123, 80100);

    r.flags = FLAG_HOST_BOUND;
    journal_step_start(j, 0, "sequential read 64 KiB QD 4", 1);
    journal_series(j, 0, r.disk, r.job, &series);
    journal_step_end(j, &r, "");
    journal_step_start(j, 1, "sequential read 8 MiB QD 4", 1);
    r = cell(1, "nvme0n1", "read", 8 << 20, 4, 4100, 9700000);
    r.command_bytes = 131072;
    r.flags = FLAG_SPLIT | FLAG_POLL_GAP | FLAG_HOST_BOUND;
    journal_step_end(j, &r, "");
    journal_checkpoint(j, 1);
    journal_step_start(j, 2, "random read 4 KiB QD 32", 1);
    r = cell(2, "nvme0n1", "randread", 4096, 32, 5400321, 58700);
    r.flags = FLAG_HOST_BOUND;
    journal_step_end(j, &r, "");
}

static void put_sata_steps(struct journal *j)
{
    struct io_error_record e = {
        .lba = 1234567, .blocks = 8, .located = true, .status = 3, .detail = 0x4051, .at_ns = 21500000000
    };
    struct step_result r = cell(3, "sata0.0", "randread", 4096, 1, 812, 12300000);

    journal_step_start(j, 3, "random read 4 KiB QD 1", 1);
    journal_io_error(j, 3, r.disk, r.job, &e, "uncorrectable data (ERR UNC)");
    e.lba = 99999999;
    e.blocks = 2048;
    e.located = false;
    journal_io_error(j, 3, r.disk, r.job, &e, "no answer within 60 s");
    journal_io_errors_more(j, 3, r.disk, r.job, 115);
    r.errors = 117;
    r.retries = 1;
    r.flags = FLAG_ERRORS | FLAG_ENDED_EARLY | FLAG_TOO_SHORT;
    journal_step_end(j, &r, "the drive stopped answering and did not come back after a reset");
}

static void put_findings(struct journal *j)
{
    struct finding f = { "io-error", FINDING_FAIL, "sata0.0",
                         "117 of 929 reads failed, the first at LBA 1234567", "no failed read" };

    journal_finding(j, &f);
    snprintf(f.seen, sizeof f.seen, "1 of 12 reads failed in another step");
    journal_finding(j, &f);
    f = (struct finding){ "controller-not-driven", FINDING_WARN, "raid0",
                          "MegaRAID SAS-3 3108 at 0000:02:00.0", "" };
    journal_finding(j, &f);
    f = (struct finding){ "clock-not-invariant", FINDING_INFO, "clock", "CPUID 80000007h EDX bit 8 is 0",
                          "1" };
    journal_finding(j, &f);
    f = (struct finding){ "from-the-future", FINDING_CANNOT_TELL, "nvme0n1", "something new", "" };
    journal_finding(j, &f);
}

static void put_state(struct journal *j)
{
    static const struct health_item before[] = {
        { "temperature_c", -3 }, { "power_on_hours", 1234 }, { "used_percent", 4 }, { "spare_percent", 100 }
    };
    static const struct health_item after[] = { { "temperature_c", 41 }, { "host_read_mb", INT64_MAX } };
    struct health_info h = { "nvme0n1", "before", before, 4, "", "" };

    journal_drive_settings(j, "nvme0n1", "write cache on, power state 0 (found 2)", 131072);
    journal_health(j, &h);
    h = (struct health_info){
        "nvme0n1", "after", after, 2, "temperature spare_low", "newest error: unrecovered read error"
    };
    journal_health(j, &h);
    journal_temperature(j, &(struct temperature_info){ "nvme0n1", 1, 9, true, 3,
                                                       (const uint64_t[]){ 0, 10000, 30000 },
                                                       (const int64_t[]){ -3, 40, 78 } });
}

static void put_burn_in(struct journal *j)
{
    static const struct burn_in_phase_sum phases[] = {
        { "sata0.0", BURN_IN_SNAPSHOT, BURN_IN_GOING, 1600000000, 12, 0, 0, 0, 31 },
        { "sata0.0", BURN_IN_SHORT_TEST, BURN_IN_GOING, 1612000000, 120400, 0, 0, 0, 33 },
        { "sata0.0", BURN_IN_SURFACE, BURN_IN_GOING, 122012000000, 29100000, 4000787030016, 0, 1, 41 },
        { "sata0.0", BURN_IN_WRITE, BURN_IN_STOPPED, 29222012000000, 52001333, 0, 2480511500288, 2, 44 },
    };
    struct burn_in_state s = { .disk = "sata0.0",
                               .identity = "ata WDC WD40EFRX WD-1234",
                               .arming = "00112233445566ff",
                               .job_hash = 0xfedcba9876543210u,
                               .seed = 0x0123456789abcdefu,
                               .block_bytes = 4 << 20,
                               .blocks = 953869,
                               .phase = BURN_IN_WRITE,
                               .pass = 1,
                               .position = 591398,
                               .written_blocks = 591398,
                               .written_bytes = 591398ull * (4 << 20),
                               .errors = 1,
                               .interruptions = 2,
                               .phase_ms = 7200000,
                               .spent_ms = 36000000,
                               .why = "uncorrectable data (ERR UNC)" };

    journal_burn_in(j, &s);
    for (unsigned i = 0; i < ARRAY_COUNT(phases); i++)
        journal_burn_in_phase(j, &phases[i]);
}

void sample_run(struct journal *j)
{
    static const struct machine_info machine = {
        "Baresweep",
        "0.1.0",
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
    struct run_ending ending = { 1, 3, false };

    journal_run_start(j, &machine, "rack 12, slot 3");
    journal_conf(j, "baresweep.conf", 0xdeadbeef, "plan=default time_scale_pct=100");
    put_devices(j);
    journal_problem(j, "baresweep.conf", 7, "",
                    "unknown key \"expect_disk\": did you mean \"expect_disks\"?");
    journal_problem(j, "jobs/burn.fio", 4294967295u, "verify-all",
                    "rw=randwrite writes: this version only reads. Use rw=randread, or leave the job out");
    journal_plan(j, 4, 40000000000);
    journal_not_tested(j, "sata0.1", "", "locked by an ATA password");
    journal_not_tested(j, "sata0.0", "seq-8192k-qd4", "did not fit into the time budget of 15 min");
    journal_data_crc(j, "nvme0n1", "before", 0, 1048576, 4096, 0xfedcba98);
    put_nvme_steps(j);
    journal_log(j, 1, "sata0.0: PxCI: timed out (got 0x1, want 0x0)");
    put_sata_steps(j);
    put_findings(j);
    journal_disk_verdict(j, "nvme0n1", VERDICT_PASS, "3 measurements, no errors");
    journal_disk_verdict(j, "sata0.0", VERDICT_FAIL, "117 reads failed");
    journal_disk_verdict(j, "sata0.1", VERDICT_NOT_TESTED, "locked by an ATA password");
    journal_link(j, &(struct link_info){ "nvme0", 3, 2, 4, 4, "0000:00:1c.4", 256, 1800000000, 12 });
    put_machine_path(j);
    put_guard(j);
    put_raid(j);
    put_state(j);
    put_burn_in(j);
    journal_run_end(j, &status, &ending);
}

struct memory sample_text(uint64_t run_id)
{
    struct memory m = { 0 };
    struct journal *j = journal_new(&m, run_id);

    sample_run(j);
    free(j);
    return m;
}

struct step_result extreme_result(void)
{
    struct step_result r;

    memset(&r, 0xff, sizeof r);
    r.asked = NULL;
    r.wrapped = true;
    strcpy(r.disk, "sata15.31");
    strcpy(r.job, "the \"last\"\n job");
    strcpy(r.rw, "randread");
    return r;
}

/* ---- reports ---- */
struct memory rendered(void (*how)(const char *, size_t, struct render_out *), const char *text, size_t len)
{
    struct memory m = { 0 };
    struct render_out out = { .write = memory_line, .ctx = &m };

    how(text, len, &out);
    if (!m.bytes)
        memory_add(&m, "", 0);
    return m;
}

struct memory summary_of(const char *text, size_t len) { return rendered(render_summary, text, len); }
struct memory csv_of(const char *text, size_t len) { return rendered(render_csv, text, len); }
