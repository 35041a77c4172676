#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "burn_in_facts.h"
#include "sample.h"
#include "test.h"

/* What the pages say of a run that burnt in one drive and measured nothing. */
static struct memory file;
static struct journal *j;

static void begin(void)
{
    struct machine_info machine = { .serial = "SN1" };
    struct disk_info disk = { .name = "sata0.0", .model = "WDC", .lba_bytes = 512, .lba_count = 2000000 };

    file = (struct memory){ 0 };
    j = journal_new(&file, 5);
    journal_run_start(j, &machine, "");
    journal_disk(j, &disk);
}

static void health(const char *when, int64_t degrees, int64_t reallocated, int64_t crc)
{
    struct health_item v[] = { { "temperature_c", degrees },
                               { "reallocated_sectors", reallocated },
                               { "interface_crc_errors", crc } };

    journal_health(j, &(struct health_info){ "sata0.0", when, v, 3, "", "" });
}

static void end(enum verdict verdict)
{
    struct run_status status = { .verdict = verdict };
    struct run_ending ending = run_ending(&status, true);

    journal_disk_verdict(j, "sata0.0", verdict, "why");
    journal_run_end(j, &status, &ending);
}

static void burn_in(uint8_t phase, uint8_t how, uint64_t verified)
{
    struct burn_in_state s = { .disk = "sata0.0",
                               .identity = "id",
                               .arming = "a",
                               .block_bytes = 4096,
                               .blocks = 249744,
                               .phase = phase,
                               .end = how,
                               .verified_blocks = verified };

    journal_burn_in(j, &s);
}

static void phase(uint8_t p, uint8_t how, uint64_t ms, uint64_t read, uint64_t written, uint64_t errors)
{
    struct burn_in_phase_sum sum = { "sata0.0", p, how, 60 * NS_PER_S, ms, read, written, errors, 45 };

    journal_burn_in_phase(j, &sum);
}

static void done(void)
{
    memory_free(&file);
    free(j);
}

static void has(void (*how)(const char *, size_t, struct render_out *), const char *const *parts, unsigned n)
{
    struct memory page = rendered(how, file.bytes, file.len);

    for (unsigned i = 0; i < n; i++)
        if (!contains(&page, parts[i]))
            test_fail(__FILE__, __LINE__, "lacks \"%s\" in\n%s", parts[i], page.bytes);
    memory_free(&page);
}
#define HAS_ALL(how, ...)                                                                                    \
    has(how, (const char *const[]){ __VA_ARGS__ }, ARRAY_COUNT(((const char *const[]){ __VA_ARGS__ })))

TEST(pages_of_a_burn_in_tell_its_phases_what_it_covered_and_how_health_changed)
{
    begin();
    health("before", 31, 0, 7);
    phase(BURN_IN_SURFACE, BURN_IN_GOING, 5000, 1024000000, 0, 0);
    phase(BURN_IN_WRITE, BURN_IN_GOING, 10000, 0, 1022951424, 2);
    health("after", 39, 3, 7);
    burn_in(BURN_IN_DONE, BURN_IN_FINISHED, 249744);
    end(VERDICT_PASS);
    HAS_ALL(
        render_summary,
        "covered: 99.8 % of the disk written and verified (1.02 GB), 0.2 % not covered\n           (1.05 MB)\n",
        "  surface read              58.5 s    5.00 s  204.8  1.02 GB        -      0 45\n",
        "  stamped random writes     58.5 s    10.0 s  102.2        -  1.02 GB      2 45\n",
        "  temperature, C                      31          39          +8\n",
        "  reallocated sectors                  0           3          +3\n",
        "  CRC errors on the cable              7           7           0\n", "warmest on the way: 45 C");
    HAS_ALL(render_html, "<th>Surface read<br>MB/s</th><th>Random writes<br>MB/s</th><th>Not<br>covered</th>",
            "<td data-l=\"Not covered\">1.05", "<h3>Burn-in</h3>", "stamped random writes</th>",
            "What the drive says of itself");
    HAS_ALL(render_fio_json, "\"covered_bytes\":1022951424", "\"not_covered_bytes\":1048576", "\"phases\":[",
            "\"phase\":\"write\"", "\"written_bytes\":1022951424", "\"health_before\":{",
            "\"health_after\":{");
    done();
}

TEST(a_burn_in_that_failed_and_was_stopped_says_both)
{
    begin();
    phase(BURN_IN_WRITE, BURN_IN_STOPPED, 0, 0, 0, 1);
    burn_in(BURN_IN_WRITE, BURN_IN_STOPPED, 0);
    end(VERDICT_FAIL);
    HAS_ALL(render_summary, "FAIL  1 drive tested, 0 not tested; stopped before its end\n",
            "    stopped before its end\n", "100.0 % not covered", "  < 1 ms      -  ");
    HAS_ALL(render_html, "stopped before its end</span>", "<span class=\"chip odd\">stopped</span>",
            "<td>&lt;\xc2\xa0"
            "1\xc2\xa0"
            "ms</td>");
    HAS_ALL(render_junit, "stopped before its end");
    done();
}

TEST(a_drive_that_tells_nothing_of_itself_has_no_empty_table)
{
    begin();
    journal_health(j, &(struct health_info){ "sata0.0", "before", NULL, 0, "", "" });
    end(VERDICT_PASS);
    struct memory page = rendered(render_html, file.bytes, file.len);
    CHECK(!contains(&page, "says of itself"));
    memory_free(&page);
    done();
    begin();
    journal_health(j, &(struct health_info){ "sata0.0", "before", NULL, 0, "", "it sleeps" });
    end(VERDICT_PASS);
    page = rendered(render_html, file.bytes, file.len);
    CHECK(contains(&page, "it sleeps") && !contains(&page, "<th>Before</th>"));
    memory_free(&page);
    done();
}

TEST(one_bad_sector_met_by_each_step_is_one_finding_with_a_count)
{
    struct memory page;

    begin();
    journal_finding(j, &(struct finding){ "burn-in-error", FINDING_FAIL, "sata0.0", "first words", "" });
    for (unsigned i = 0; i < 7; i++)
        journal_finding(j, &(struct finding){ "burn-in-error", FINDING_FAIL, "sata0.0", "later words", "" });
    journal_finding(j, &(struct finding){ "burn-in-error", FINDING_FAIL, "sata0.1", "of another drive", "" });
    journal_finding(j, &(struct finding){ "driver-remark", FINDING_INFO, "sata0.0", "one remark", "" });
    journal_finding(j, &(struct finding){ "driver-remark", FINDING_INFO, "sata0.0", "another remark", "" });
    end(VERDICT_FAIL);
    HAS_ALL(render_summary, "first words", "again:    7 more times", "of another drive", "one remark",
            "another remark");
    HAS_ALL(render_html, "first words", "<dt>Again</dt><dd>7 more times</dd>", "of another drive",
            "one remark", "another remark");
    page = rendered(render_html, file.bytes, file.len);
    CHECK(!contains(&page, "later words"));
    memory_free(&page);
    done();
}
