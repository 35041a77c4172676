#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "math.h"
#include "render.h"
#include "sample.h"
#include "step.h"
#include "test.h"

/* A number never stands without what says not to trust it, whichever report one reads. */

static const struct {
    const char *name;
    void (*render)(const char *, size_t, struct render_out *);
} reports[] = {
    { "summary.txt", render_summary }, { "results.csv", render_csv },   { "report.html", render_html },
    { "junit.xml", render_junit },     { "fio JSON", render_fio_json },
};

/* 10 s of 128 KiB reads at 3.2 GB/s, as somebody once measured through a PERC 5/i (PCI Express 1, 8 lanes).
 */
static struct step_result fast_cell(uint32_t flags)
{
    struct step_result r = { .step = 1,
                             .disk = "megaraid0.vd0",
                             .job = "seq-128k-qd4",
                             .rw = "read",
                             .block_bytes = 131072,
                             .command_bytes = 131072,
                             .depth_asked = 4,
                             .depth = 4,
                             .span_lbas = 1 << 20,
                             .ios = 244141,
                             .bytes = 244141ull * 131072,
                             .run_ns = 10 * NS_PER_S,
                             .latency_mean_ns = 163000,
                             .latency_max_ns = 199000,
                             .first_third_bytes_per_s = 3211112222,
                             .last_third_bytes_per_s = 3199998888,
                             .flags = flags };

    r.percentile_valid = 1u << 4;
    r.latency_percentile_ns[4] = 161234;
    return r;
}

/* Of one cell, or with one behind it that has no flags. */
static struct memory journal_of(const struct step_result *r, bool another)
{
    static const struct disk_info disk = { .name = "megaraid0.vd0",
                                           .controller = "megaraid0",
                                           .kind = "virtual drive",
                                           .lba_bytes = 512,
                                           .lba_count = 1 << 30 };
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);

    journal_disk(j, &disk);
    journal_step_end(j, r, "");
    if (another) {
        struct step_result plain = *r;
        plain.flags = 0;
        plain.step++;
        strcpy(plain.job, "plain");
        journal_step_end(j, &plain, "");
    }
    free(j);
    return file;
}

TEST(each_flag_stands_in_every_report)
{
    for (unsigned f = 0; f < 2 * step_flag_count; f++) {
        const char *name = step_flags[f / 2].name;
        struct step_result r = fast_cell(step_flags[f / 2].flag);
        struct memory file = journal_of(&r, f % 2);

        for (unsigned i = 0; i < ARRAY_COUNT(reports); i++) {
            struct memory page = rendered(reports[i].render, file.bytes, file.len);
            if (!contains(&page, name))
                test_fail(__FILE__, __LINE__, "%s does not say %s", reports[i].name, name);
            memory_free(&page);
        }
        memory_free(&file);
    }
}

TEST(a_flag_of_one_cell_stands_beside_its_number)
{
    struct step_result r = fast_cell(FLAG_ABOVE_LINK);
    struct memory file = journal_of(&r, true);
    struct memory page = rendered(render_summary, file.bytes, file.len);
    char *cell = strstr(page.bytes, "seq-128k-qd4"), *next = strstr(page.bytes, "plain");

    CHECK(cell && next && cell < next);
    char *flag = strstr(cell, "above-link");
    CHECK(flag && flag < next);
    memory_free(&page);
    memory_free(&file);
}

TEST(more_than_the_link_of_a_perc_5i_carries_is_flagged_beside_its_number)
{
    static const char *const number[] = { "3200.0", ",3200004915,", "<data value=\"3200004915\">",
                                          "3200.0 MB/s", "\"bw_bytes\":3200004915" };
    struct step_result r = fast_cell(FLAG_ABOVE_LINK);
    struct memory file = journal_of(&r, false);

    for (unsigned i = 0; i < ARRAY_COUNT(reports); i++) {
        struct memory page = rendered(reports[i].render, file.bytes, file.len);
        HAS_STR(page.bytes, "above-link");
        HAS_STR(page.bytes, number[i]);
        memory_free(&page);
    }
    memory_free(&file);
}

TEST(a_number_that_is_too_short_is_printed_nowhere)
{
    static const char *const digits[] = { "3555.5", "3555561016", "163000",   "161234",
                                          "199000", "3211112222", "199998888" };
    struct step_result r = fast_cell(FLAG_TOO_SHORT);

    r.run_ns = 9 * NS_PER_S;
    struct memory file = journal_of(&r, false);

    for (unsigned i = 0; i + 1 < ARRAY_COUNT(reports); i++) { /* fio's JSON: below */
        struct memory page = rendered(reports[i].render, file.bytes, file.len);
        for (unsigned k = 0; k < ARRAY_COUNT(digits); k++)
            if (contains(&page, digits[k]))
                test_fail(__FILE__, __LINE__, "%s has %s", reports[i].name, digits[k]);
        HAS_STR(page.bytes, reports[i].render == render_csv ? "too-short" : "too short");
        memory_free(&page);
    }
    memory_free(&file);
}

TEST(what_is_too_short_is_idle_to_a_reader_of_fio_json_but_for_its_counts)
{
    static const char *const digits[] = { "\"bw_bytes\":3200004915", "\"percentile\":{",
                                          "\"mean\":163000.000000", "\"250\":100.000000", "\"N\":244141" };

    for (unsigned k = 0; k < 2; k++) {
        struct step_result r = fast_cell(k ? FLAG_TOO_SHORT : FLAG_ABOVE_LINK);
        r.latency_class_ios[16] = r.ios; /* those below 250 us */
        struct memory file = journal_of(&r, false), page = rendered(render_fio_json, file.bytes, file.len);

        HAS_STR(page.bytes, "\"total_ios\":244141,");
        HAS_STR(page.bytes, "\"io_bytes\":32000049152,");
        for (unsigned i = 0; i < ARRAY_COUNT(digits); i++)
            if (contains(&page, digits[i]) != !k)
                test_fail(__FILE__, __LINE__, "%s, %s", digits[i], k ? "too short" : "a number");
        memory_free(&page);
        memory_free(&file);
    }
}

TEST(the_thirds_of_a_cell_are_in_the_table_and_on_the_page)
{
    struct step_result r = fast_cell(FLAG_UNEVEN);
    struct memory file = journal_of(&r, false);
    struct memory csv = csv_of(file.bytes, file.len), page = rendered(render_html, file.bytes, file.len);

    HAS_STR(csv.bytes, ",first_third_bytes_per_s,last_third_bytes_per_s");
    HAS_STR(csv.bytes, ",3211112222,3199998888");
    HAS_STR(page.bytes, "<td>3211112222</td><td>3199998888</td>");
    memory_free(&csv);
    memory_free(&page);
    memory_free(&file);
}
