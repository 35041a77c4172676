#include <stdlib.h>
#include "bits.h"
#include "math.h"
#include "render.h"
#include "sample.h"
#include "step.h"
#include "test.h"

/* What lanes that write leave, and what several steps together show, stands in every report. */

static const char *const kinds[VERIFY_KIND_COUNT] = { "ok",          "lost",    "stale",
                                                      "misdirected", "corrupt", "other-job" };
static const struct disk_info disk = {
    .name = "nvme0n1", .controller = "nvme0", .kind = "NVMe", .lba_bytes = 512, .lba_count = 1 << 30
};

static struct step_result mix(void)
{
    return (struct step_result){ .step = 7,
                                 .disk = "nvme0n1",
                                 .job = "mix",
                                 .rw = "randrw",
                                 .block_bytes = 4096,
                                 .command_bytes = 4096,
                                 .depth_asked = 4,
                                 .depth = 4,
                                 .span_lbas = 4096,
                                 .ios = 30000,
                                 .bytes = 30000 * 4096,
                                 .run_ns = 2 * NS_PER_S };
}

static struct memory written(uint64_t bad_lbas)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = mix();
    struct step_side side = { .ios = 20000,
                              .bytes = 20000 * 4096,
                              .latency_mean_ns = 123456,
                              .latency_max_ns = 7000000,
                              .percentile_valid = 1u << 9 };
    struct step_writing w = { .writes = true,
                              .verifies = true,
                              .verify_complete = true,
                              .written_bytes = 10000 * 4096,
                              .verified_bytes = 40000000,
                              .flushes = 11,
                              .flush_min_ns = 1000000,
                              .flush_mean_ns = 2000000,
                              .flush_max_ns = 3000000,
                              .bad_lbas = bad_lbas,
                              .first_bad_lba = bad_lbas ? 4711 : 0,
                              .unwritten_lbas = bad_lbas ? 8 : 0,
                              .bad_kind_lbas = { 0, bad_lbas ? bad_lbas - 1 : 0, bad_lbas ? 1 : 0 } };

    side.latency_percentile_ns[9] = 654321;
    journal_disk(j, &disk);
    journal_step_end(j, &r, "");
    journal_step_side(j, &r, &side);
    side.writes = true;
    side.ios = 10000;
    side.bytes = 10000 * 4096;
    journal_step_side(j, &r, &side);
    journal_writing(j, &r, &w, kinds);
    journal_step_start(j, 8, "next", 1); /* of another step: no matter of this one */
    w.bad_lbas = 99;
    r.step = 8;
    journal_writing(j, &r, &w, kinds);
    free(j);
    return file;
}

TEST(both_sides_of_a_mix_stand_beside_the_whole)
{
    struct memory file = written(0), page = summary_of(file.bytes, file.len);

    HAS_STR(page.bytes, "reads: 40.9 MB/s, 10000 IOPS, mean 123 us, p99 654 us");
    HAS_STR(page.bytes, "writes: 20.4 MB/s, 5000 IOPS, mean 123 us");
    HAS_STR(page.bytes, "11 flushes: mean 2.00 ms, longest 3.00 ms");
    HAS_STR(page.bytes, "compared 40.00 MB: all as written");
    memory_free(&page);
    page = rendered(render_html, file.bytes, file.len);
    HAS_STR(page.bytes, "<small>writes: 20.4 MB/s, 5000 IOPS");
    memory_free(&page);
    page = csv_of(file.bytes, file.len);
    HAS_STR(page.bytes,
            ",20000,40960000,10000000,123456,7000000,10000,20480000,5000000,123456,7000000,40960000,11,"
            "2000000,3000000,40000000,1,0,,,0\r\n");
    memory_free(&page);
    memory_free(&file);
}

TEST(what_was_not_as_written_is_said_by_kind_and_place)
{
    struct memory file = written(4), page = summary_of(file.bytes, file.len);

    HAS_STR(page.bytes, "4 blocks NOT as written (lost 3, stale 1), the");
    HAS_STR(page.bytes, "8 more of writes that failed");
    memory_free(&page);
    page = rendered(render_html, file.bytes, file.len);
    HAS_STR(page.bytes,
            "NOT as written (lost 3, stale 1), the first at LBA 4711; 8 more of writes that failed");
    memory_free(&page);
    page = csv_of(file.bytes, file.len);
    HAS_STR(page.bytes, ",4,lost:3|stale:1,4711,8\r\n");
    memory_free(&page);
    memory_free(&file);
}

TEST(flushes_are_the_sync_section_of_fio_json)
{
    struct memory file = written(0), page = rendered(render_fio_json, file.bytes, file.len);

    HAS_STR(page.bytes,
            "\"sync\":{\"total_ios\":11,\"lat_ns\":{\"min\":1000000,\"max\":3000000,\"mean\":2000000.000000,"
            "\"stddev\":0.000000,\"N\":11}}");
    memory_free(&page);
    memory_free(&file);
}

static struct memory curves(bool steady)
{
    static const uint64_t disks[] = { 1, 2, 4, 8 }, rate[] = { 200000000, 400000000, 790000000, 800000000 };
    struct scaling_info s = { .controller = "sata0",
                              .job = "seq-1m",
                              .count = 4,
                              .disks = disks,
                              .bytes_per_s = rate,
                              .knee_disks = 4,
                              .ceiling_bytes_per_s = 800000000,
                              .link_bytes_per_s = 810000000,
                              .limit = "link",
                              .words = "the slot's link is full" };
    struct rounds_info r = { .title = "rand-4k",
                             .first_step = 1,
                             .last_step = 4,
                             .count = 4,
                             .most = 25,
                             .steady = steady,
                             .bytes_per_s = rate };
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);

    journal_scaling(j, &s);
    journal_rounds(j, &r);
    free(j);
    return file;
}

TEST(a_scaling_run_is_a_curve_with_its_knee_ceiling_and_limit)
{
    struct memory file = curves(true), page = summary_of(file.bytes, file.len);

    HAS_STR(page.bytes, "sata0, seq-1m");
    HAS_STR(page.bytes, "  4 disks  790.0 MB/s  #############################  <- straight up to here");
    HAS_STR(page.bytes, "ceiling 800 MB/s, the link carries 810 MB/s: the slot's link is full");
    memory_free(&page);
    page = rendered(render_html, file.bytes, file.len);
    HAS_STR(page.bytes, "<title>4 at once: 790.0 MB/s</title>");
    HAS_STR(page.bytes, "the slot&#39;s link is full");
    memory_free(&page);
    memory_free(&file);
}

TEST(rounds_are_listed_with_how_they_ended)
{
    for (unsigned steady = 0; steady < 2; steady++) {
        struct memory file = curves(steady), page = summary_of(file.bytes, file.len);

        HAS_STR(page.bytes, steady
                                ? "rand-4k: steady after 4 rounds; MB/s: 200 400 790 800"
                                : "rand-4k: NOT steady after 4 rounds of at most 25; MB/s: 200 400 790 800");
        memory_free(&page);
        page = rendered(render_html, file.bytes, file.len);
        HAS_STR(page.bytes, steady ? ">steady</span>" : ">not steady</span>");
        memory_free(&page);
        memory_free(&file);
    }
}

TEST(damaged_curves_do_no_harm)
{
    struct scaling_info s = { .controller = "", .job = "", .count = 0, .limit = "", .words = "" };
    uint64_t many[64] = { UINT64_MAX, 1, UINT64_MAX };
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);

    journal_scaling(j, &s);
    s.count = 64;
    s.disks = s.bytes_per_s = many;
    s.knee_disks = s.ceiling_bytes_per_s = s.link_bytes_per_s = UINT64_MAX;
    journal_scaling(j, &s);
    journal_rounds(j, &(struct rounds_info){ .title = "", .count = 64, .bytes_per_s = many });
    for (unsigned i = 0; i < 2; i++) {
        struct memory page = rendered(i ? render_html : render_summary, file.bytes, file.len);
        memory_free(&page);
    }
    memory_free(&file);
    free(j);
}
