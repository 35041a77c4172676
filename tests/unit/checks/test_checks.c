#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checks.h"
#include "checks_doc.h"
#include "finding.h"
#include "drive_health.h"
#include "test.h"

TEST(every_check_has_a_finding_with_advice)
{
    for (unsigned i = 0; i < check_count; i++) {
        if (!finding_kind(checks[i].code))
            test_fail(__FILE__, __LINE__, "no row in finding_kinds for %s", checks[i].code);
        CHECK(strlen(checks[i].sign) >= 10 && strlen(checks[i].meaning) >= 3);
    }
}

TEST(all_rows_of_the_fact_sheet_are_there)
{
    char row[4];

    for (unsigned n = 1; n <= 14; n++)
        for (unsigned letter = 0; letter < 2; letter++) {
            unsigned found = 0;

            if (letter && n > 13)
                continue;
            snprintf(row, sizeof row, "%c%u", letter ? 'P' : 'S', n);
            for (unsigned i = 0; i < check_count; i++)
                found += !strcmp(checks[i].row, row);
            if (!found)
                test_fail(__FILE__, __LINE__, "no row %s", row);
        }
}

TEST(every_finding_of_health_is_a_check)
{
    for (unsigned i = 0; i < health_threshold_count; i++) {
        unsigned found = 0;

        for (unsigned k = 0; k < check_count; k++)
            found += !strcmp(checks[k].code, health_thresholds[i].code);
        CHECK(found >= 1);
        CHECK(strlen(health_thresholds[i].reason) > 10);
    }
}

TEST(the_page_of_checks_is_what_the_tables_say)
{
    static char made[96 * 1024], file[96 * 1024];
    struct text t = text_over(made, sizeof made);
    FILE *f = fopen("docs/checks.md", "rb");

    checks_doc(&t);
    CHECK(!t.cut);
    CHECK(f != NULL);
    file[fread(file, 1, sizeof file - 1, f)] = 0;
    fclose(f);
    if (strcmp(file, made))
        test_fail(__FILE__, __LINE__, "docs/checks.md is not what the tables say: run make docs");
}
