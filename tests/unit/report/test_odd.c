#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "odd.h"
#include "sample.h"
#include "test.h"

/* ---- a machine with like drives ---- */
struct machine {
    struct memory file;
    struct journal *j;
    unsigned step;
};

static void machine_new(struct machine *m)
{
    *m = (struct machine){ 0 };
    m->j = journal_new(&m->file, 7);
}

static void put_disk(struct machine *m, unsigned i, const char *firmware)
{
    struct disk_info d = { .kind = "NVMe",
                           .model = "SSD 1TB",
                           .lba_bytes = 512,
                           .lba_count = 1953525168,
                           .max_depth = 64,
                           .rotation = "no" };

    snprintf(d.name, sizeof d.name, "nvme%un1", i);
    snprintf(d.controller, sizeof d.controller, "nvme%u", i);
    snprintf(d.firmware, sizeof d.firmware, "%s", firmware);
    journal_disk(m->j, &d);
}

/* One second; the mean latency is what depth and rate make it, the tail so many thousandths of it. */
static void put_cell(struct machine *m, unsigned disk, const char *job, uint64_t bytes_per_s,
                     uint64_t tail_milli, uint32_t flags)
{
    struct step_result r = { .step = ++m->step,
                             .rw = "randread",
                             .block_bytes = 4096,
                             .command_bytes = 4096,
                             .depth_asked = 4,
                             .depth = 4,
                             .bytes = bytes_per_s,
                             .ios = bytes_per_s / 4096,
                             .run_ns = NS_PER_S,
                             .flags = flags };
    uint64_t mean_ns = 4 * NS_PER_S / (r.ios ? r.ios : 1);

    snprintf(r.disk, sizeof r.disk, "nvme%un1", disk);
    snprintf(r.job, sizeof r.job, "%s", job);
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        if (percentile_ppm[i] == 990000 || percentile_ppm[i] == 999000) {
            r.latency_percentile_ns[i] = mean_ns * tail_milli / 1000;
            r.percentile_valid |= 1u << i;
        }
    journal_step_end(m->j, &r, "");
}

static void put_link(struct machine *m, unsigned disk, unsigned width)
{
    struct link_info l = { .speed = 3, .width = (uint8_t)width };

    snprintf(l.controller, sizeof l.controller, "nvme%u", disk);
    journal_link(m->j, &l);
}

/* ---- what is found ---- */
struct catch
{
    struct odd_drive at[16];
    unsigned count;
    struct odd_search search;
};

static void on_found(void *ctx, const struct odd_drive *o)
{
    struct catch *c = ctx;

    CHECK(c->count < 16);
    c->at[c->count++] = *o;
}

static struct catch find(struct machine *m)
{
    struct catch c = { 0 };
    struct run_walk w;
    struct run run;

    run_walk_start(&w, m->file.bytes, m->file.len);
    CHECK(run_walk_next(&w, &run));
    void *memory = malloc(odd_memory_bytes(&run) + 1);
    odd_find(&run, memory, &c.search, on_found, &c);
    free(memory);
    memory_free(&m->file);
    free(m->j);
    return c;
}

static uint64_t rate_of(unsigned i) { return 100000000 + 300000 * (i % 5); }

TEST(one_slow_drive_among_eight_is_named_with_evidence)
{
    struct machine m;
    char words[300];
    struct text t = text_over(words, sizeof words);

    machine_new(&m);
    for (unsigned i = 0; i < 8; i++)
        put_disk(&m, i, "1.0");
    for (unsigned i = 0; i < 8; i++)
        put_cell(&m, i, "rand", i == 5 ? 50000000 : rate_of(i), 2000, 0);
    struct catch c = find(&m);
    EQ(c.count, 1);
    EQ_STR(c.at[0].disk, "nvme5n1");
    EQ(c.at[0].metric, OUTLIER_RATE);
    EQ(c.at[0].odd, 1);
    EQ(c.at[0].measured, 1);
    EQ(odd_level(&c.at[0]), FINDING_WARN);
    EQ_STR(odd_code(&c.at[0]), "odd-slow");
    odd_seen(&c.at[0], &t);
    HAS_STR(
        words,
        "in 1 of its 1 measurement; farthest in rand (randread 4 KiB QD 4): 50.00 MB/s, 50 % less than the "
        "8 like drives' median");
    t = text_over(words, sizeof words);
    odd_expected(&c.at[0], &t);
    EQ_STR(words, "as the others: 100.45 MB/s");
}

TEST(like_drives_that_differ_a_little_are_not_odd)
{
    struct machine m;

    machine_new(&m);
    for (unsigned i = 0; i < 24; i++)
        put_disk(&m, i, "1.0");
    for (unsigned i = 0; i < 24; i++)
        put_cell(&m, i, "rand", rate_of(i), 2000 + 100 * (i % 3), 0);
    struct catch c = find(&m);
    EQ(c.count, 0);
    EQ(c.search.counts.judged, 3 * 24);
    EQ(c.search.drives, 24);
}

TEST(five_drives_are_too_few_and_six_are_enough)
{
    for (unsigned n = 5; n <= 6; n++) {
        struct machine m;

        machine_new(&m);
        for (unsigned i = 0; i < n; i++)
            put_disk(&m, i, "1.0");
        for (unsigned i = 0; i < n; i++)
            put_cell(&m, i, "rand", i == 0 ? 10000000 : 100000000, 2000, 0);
        EQ(find(&m).count, n == 6);
    }
}

TEST(rounds_of_one_drive_are_no_peers_of_each_other)
{
    struct machine m;

    machine_new(&m);
    put_disk(&m, 0, "1.0");
    for (unsigned round = 0; round < 25; round++)
        put_cell(&m, 0, "rounds", round == 3 ? 20000000 : 100000000, 2000, 0);
    struct catch c = find(&m);
    EQ(c.count, 0);
    EQ(c.search.cells, 1);
    EQ(c.search.counts.judged, 0);
}

TEST(of_rounds_the_last_one_counts)
{
    struct machine m;

    machine_new(&m);
    for (unsigned i = 0; i < 8; i++)
        put_disk(&m, i, "1.0");
    for (unsigned round = 0; round < 5; round++)
        for (unsigned i = 0; i < 8; i++)
            put_cell(&m, i, "rounds", i == 2 && round < 4 ? 30000000 : 100000000, 2000, 0);
    EQ(find(&m).count, 0); /* it was slow at first only */
}

TEST(a_long_tail_is_named_although_the_rate_is_good)
{
    struct machine m;
    char words[300];
    struct text t = text_over(words, sizeof words);

    machine_new(&m);
    for (unsigned i = 0; i < 12; i++)
        put_disk(&m, i, "1.0");
    for (unsigned i = 0; i < 12; i++)
        for (unsigned job = 0; job < 3; job++)
            put_cell(&m, i, job == 0 ? "a" : job == 1 ? "b" : "c", rate_of(i), i == 11 ? 40000 : 2000, 0);
    struct catch c = find(&m);
    EQ(c.count, 1);
    EQ_STR(c.at[0].disk, "nvme11n1");
    EQ_STR(odd_code(&c.at[0]), "odd-tail");
    EQ(c.at[0].odd, 3);
    EQ(c.at[0].measured, 3);
    odd_seen(&c.at[0], &t);
    HAS_STR(words, "in 3 of its 3 measurements");
    HAS_STR(words, "the slowest 1 in 100 takes ");
    HAS_STR(words, " times the mean");
}

TEST(what_shows_in_one_of_several_measurements_is_information)
{
    struct machine m;

    machine_new(&m);
    for (unsigned i = 0; i < 8; i++)
        put_disk(&m, i, "1.0");
    for (unsigned i = 0; i < 8; i++) {
        put_cell(&m, i, "a", i == 1 ? 50000000 : 100000000, 2000, 0);
        put_cell(&m, i, "b", 100000000, 2000, 0);
    }
    struct catch c = find(&m);
    EQ(c.count, 1);
    EQ(odd_level(&c.at[0]), FINDING_INFO);
}

TEST(another_firmware_or_link_makes_no_peer)
{
    for (unsigned k = 0; k < 2; k++) {
        struct machine m;

        machine_new(&m);
        for (unsigned i = 0; i < 8; i++)
            put_disk(&m, i, !k && i == 3 ? "2.0" : "1.0");
        for (unsigned i = 0; i < 8; i++)
            put_cell(&m, i, "rand", i == 3 ? 50000000 : 100000000, 2000, 0);
        for (unsigned i = 0; i < 8; i++)
            put_link(&m, i, k && i == 3 ? 2 : 4);
        struct catch c = find(&m);
        EQ(c.count, 0);
        EQ(c.search.counts.groups, 2);
    }
}

TEST(numbers_that_may_not_be_compared_are_left_out)
{
    struct machine m;

    machine_new(&m);
    for (unsigned i = 0; i < 8; i++)
        put_disk(&m, i, "1.0");
    for (unsigned i = 0; i < 8; i++)
        put_cell(&m, i, "rand", i == 3 ? 1000000 : 100000000, 2000, i == 3 ? FLAG_ENDED_EARLY : 0);
    struct catch c = find(&m);
    EQ(c.count, 0);
    EQ(c.search.counts.not_usable, 3);
}

TEST(a_journal_cut_at_any_line_is_judged_as_far_as_it_goes)
{
    struct machine m;
    struct memory whole;

    machine_new(&m);
    for (unsigned i = 0; i < 8; i++)
        put_disk(&m, i, "1.0");
    for (unsigned i = 0; i < 8; i++)
        put_cell(&m, i, "rand", i == 5 ? 50000000 : rate_of(i), 2000, 0);
    whole = m.file;
    for (size_t len = 1; len <= whole.len; len += 37) {
        struct run_walk w;
        struct run run;
        struct catch c = { 0 };

        run_walk_start(&w, whole.bytes, len);
        if (!run_walk_next(&w, &run))
            continue;
        void *memory = malloc(odd_memory_bytes(&run) + 1);
        odd_find(&run, memory, &c.search, on_found, &c);
        free(memory);
        CHECK(c.count <= 1);
    }
    memory_free(&whole);
    free(m.j);
}

TEST(drives_beyond_the_limit_are_counted_and_left_out)
{
    struct machine m;

    machine_new(&m);
    for (unsigned i = 0; i < ODD_MAX_DRIVES + 2; i++)
        put_disk(&m, i, "1.0");
    put_cell(&m, ODD_MAX_DRIVES - 1, "rand", 100000000, 2000, 0);
    put_cell(&m, ODD_MAX_DRIVES, "rand", 100000000, 2000, 0);
    struct catch c = find(&m);
    EQ(c.search.drives, ODD_MAX_DRIVES);
    EQ(c.search.left_out, 2);
    EQ(c.search.cells, 1);
}

TEST(a_run_without_drives_or_measurements_has_none)
{
    struct machine m;

    machine_new(&m);
    journal_plan(m.j, 0, 0);
    struct catch c = find(&m);
    EQ(c.count, 0);
    EQ(c.search.cells, 0);
}
