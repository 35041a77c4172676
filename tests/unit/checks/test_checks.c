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

/* ---- each row of the fact sheet is reached by a test and just missed by one ---- */
/* Reads the tests themselves: those of a row are called after it. */
static char *read_source(const char *path)
{
    char *text = calloc(1, 1 << 18);
    FILE *f = fopen(path, "rb");

    CHECK(f && fread(text, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    return text;
}

static bool is_code_of_row(const char *row, const char *code, size_t len)
{
    for (unsigned i = 0; i < check_count; i++)
        if (!strcmp(checks[i].row, row) && strlen(checks[i].code) == len &&
            !memcmp(checks[i].code, code, len))
            return true;
    return false;
}

struct row_evidence {
    unsigned reached, missed;
};
/* In one test: assertions of a finding of the row, and of another one or of none. */
static void take_assertions(const char *row, const char *from, const char *end, struct row_evidence *e)
{
    static const char *const asks[] = { "expect(\"", "want(\"" }, *const none[] = { "EQ(list.count, 0)",
                                                                                    "!has(\"" };

    for (const char *at = from; at < end; at++)
        for (unsigned i = 0; i < 2; i++) {
            if (!strncmp(at, asks[i], strlen(asks[i]))) {
                const char *code = at + strlen(asks[i]);
                bool is_its = is_code_of_row(row, code, strcspn(code, "\""));

                e->reached += is_its;
                e->missed += !is_its;
            }
            e->missed += !strncmp(at, none[i], strlen(none[i]));
        }
}

TEST(each_row_of_the_fact_sheet_is_reached_by_a_test_and_just_missed_by_one)
{
    char *sources[2] = { read_source("tests/unit/checks/test_pins.c"),
                         read_source("tests/unit/checks/test_links.c") };

    for (unsigned n = 1; n <= 14; n++)
        for (unsigned letter = 0; letter < 2; letter++) {
            struct row_evidence e = { 0 };
            char row[4], head[16];

            if (letter && n > 13)
                continue;
            snprintf(row, sizeof row, "%c%u", letter ? 'P' : 'S', n);
            snprintf(head, sizeof head, "\nTEST(%s_", row);
            for (const char *at = strstr(sources[letter], head); at; at = strstr(at + 1, head)) {
                const char *end = strstr(at, "\n}");

                take_assertions(row, at, end ? end : at, &e);
            }
            if (!e.reached || !e.missed)
                test_fail(__FILE__, __LINE__, "row %s: %u assertions reach it, %u miss it", row, e.reached,
                          e.missed);
        }
    free(sources[0]);
    free(sources[1]);
}
