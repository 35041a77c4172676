#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "golden.h"
#include "markup.h"
#include "math.h"
#include "showcase.h"
#include "test.h"

static struct memory junit_of(const char *text, size_t len)
{
    struct memory xml = rendered(render_junit, text, len);
    struct markup m;

    markup_read(&m, xml.bytes, xml.len);
    if (m.wrong)
        test_fail(__FILE__, __LINE__, "%s: %.100s", m.wrong, m.at);
    for (size_t i = 0; i < xml.len; i++)
        CHECK(xml.bytes[i] == '\n' || (unsigned char)xml.bytes[i] >= 0x20);
    return xml;
}

static unsigned count_in(const char *from, const char *to, const char *part)
{
    unsigned n = 0;

    for (const char *at = strstr(from, part); at && at < to; at = strstr(at + 1, part))
        n++;
    return n;
}

static unsigned attribute(const char *at, const char *name)
{
    char part[24];

    snprintf(part, sizeof part, " %s=\"", name);
    at = strstr(at, part);
    CHECK(at != NULL);
    return (unsigned)strtoul(at + strlen(part), NULL, 10);
}

/* What a suite says of itself is what stands in it. */
static void check_counts(const char *from, const char *to)
{
    EQ(attribute(from, "tests"), count_in(from, to, "<testcase "));
    EQ(attribute(from, "failures"), count_in(from, to, "<failure "));
    EQ(attribute(from, "errors"), count_in(from, to, "<error "));
    EQ(attribute(from, "skipped"), count_in(from, to, "<skipped "));
}

static unsigned check_all_counts(const struct memory *xml)
{
    const char *all = strstr(xml->bytes, "<testsuites "), *at = strstr(xml->bytes, "<testsuite ");
    unsigned suites = 0;

    check_counts(all, xml->bytes + xml->len);
    for (; at; at = strstr(at + 1, "<testsuite "), suites++)
        check_counts(at, strstr(at, "</testsuite>"));
    return suites;
}

TEST(the_junit_file_of_the_sample_is_the_golden_one)
{
    struct memory text = sample_text(0x0123456789abcdef), xml = junit_of(text.bytes, text.len);

    check_golden("report/junit.xml", xml.bytes, xml.len);
    memory_free(&xml);
    memory_free(&text);
}

TEST(each_drive_is_a_suite_that_counts_its_cases)
{
    struct memory text = showcase_text(), xml = junit_of(text.bytes, text.len);

    EQ(check_all_counts(&xml), 5);
    HAS_STR(xml.bytes, "<testsuite name=\"nvme0n1\" tests=\"21\" failures=\"0\" errors=\"0\" skipped=\"0\"");
    /* Locked: it says why and has the verdict NOT-TESTED. */
    HAS_STR(xml.bytes, "<testsuite name=\"sata0.2\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\"");
    /* A measurement with errors, a finding, the verdict; one job did not fit. */
    HAS_STR(xml.bytes, "<testsuite name=\"sata0.1\" tests=\"36\" failures=\"3\" errors=\"0\" skipped=\"1\"");
    memory_free(&xml);
    memory_free(&text);
}

TEST(a_journal_cut_anywhere_gives_sound_xml_with_an_error_that_says_so)
{
    struct memory text = sample_text(1);
    struct rng rng;

    rng_seed(&rng, 9);
    for (unsigned i = 0; i < 200; i++) {
        size_t cut = (size_t)mul_high_u64(rng_next(&rng), text.len);
        struct memory part = { 0 };

        memory_add(&part, text.bytes, cut);
        struct memory xml = junit_of(part.bytes, part.len);
        check_all_counts(&xml);
        if (cut < text.len - 1)
            HAS_STR(xml.bytes, "<error type=\"incomplete\"");
        memory_free(&xml);
        memory_free(&part);
    }
    memory_free(&text);
}

TEST(no_journal_is_an_error)
{
    struct memory xml = junit_of("", 0);

    EQ(check_all_counts(&xml), 1);
    HAS_STR(xml.bytes, "tests=\"1\" failures=\"0\" errors=\"1\"");
    memory_free(&xml);
}

TEST(cases_of_undescribed_drives_stand_with_the_machine)
{
    struct step_result r = extreme_result();
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);

    journal_step_end(j, &r, "why\x02 <not>");
    struct memory xml = junit_of(file.bytes, file.len);
    EQ(check_all_counts(&xml), 1);
    HAS_STR(xml.bytes, "step 4294967295: the &quot;last&quot;? job");
    HAS_STR(xml.bytes, "why? &lt;not&gt;");
    memory_free(&xml);
    memory_free(&file);
    free(j);
}
