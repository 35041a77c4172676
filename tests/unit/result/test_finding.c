#include <string.h>
#include "finding.h"
#include "test.h"

/* Codes that the application and the drivers report; a code without a row has no advice. */
static const char *const needed[] = {
    "io-error",
    "io-timeout",
    "io-retries",
    "slow-request",
    "device-fault",
    "controller-not-driven",
    "controller-attach-failed",
    "no-disk",
    "no-namespace",
    "shared-boot-path",
    "clock-not-invariant",
    "clock-disagrees",
    "stick-full",
    "stick-read-only",
    "no-result-medium",
    "not-reported",
    "depth-reduced",
    "configuration-error",
    "job-refused",
    "expectation-missed",
    "firmware-path",
    "driver-remark",
};

TEST(every_code_in_use_has_a_row)
{
    for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!finding_kind(needed[i]))
            test_fail(__FILE__, __LINE__, "no row for %s", needed[i]);
    CHECK(finding_kind("") == NULL);
    CHECK(finding_kind("io-erro") == NULL);
    CHECK(finding_kind("io-errors") == NULL);
}

TEST(codes_are_unique_and_spelt_in_lower_case_with_hyphens)
{
    for (unsigned i = 0; i < finding_kind_count; i++) {
        CHECK(finding_kind(finding_kinds[i].code) == &finding_kinds[i]);
        CHECK(strspn(finding_kinds[i].code, "abcdefghijklmnopqrstuvwxyz-") == strlen(finding_kinds[i].code));
    }
}

TEST(every_row_has_a_title_in_one_line_and_advice_in_whole_sentences)
{
    for (unsigned i = 0; i < finding_kind_count; i++) {
        const struct finding_kind *k = &finding_kinds[i];
        size_t n = strlen(k->advice);

        CHECK(strlen(k->title) >= 10 && strlen(k->title) <= 70);
        CHECK(k->title[strlen(k->title) - 1] != '.');
        CHECK(n >= 40 && n <= 400 && k->advice[n - 1] == '.');
        CHECK(k->certainty == SURE || k->certainty == LIKELY || k->certainty == HINT);
        for (unsigned c = 0; c < n; c++) /* serial consoles and firmware fonts know ASCII */
            CHECK(k->advice[c] >= ' ' && k->advice[c] <= '~');
    }
}
