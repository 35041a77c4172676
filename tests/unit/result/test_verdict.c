#include <string.h>
#include "verdict.h"
#include "test.h"

TEST(words_of_verdicts_and_levels_are_fixed)
{
    EQ_STR(verdict_text(VERDICT_NOT_TESTED), "NOT-TESTED");
    EQ_STR(verdict_text(VERDICT_PASS), "PASS");
    EQ_STR(verdict_text(VERDICT_WARN), "WARN");
    EQ_STR(verdict_text(VERDICT_FAIL), "FAIL");
    EQ_STR(verdict_text(VERDICT_ABORTED), "ABORTED");
    EQ_STR(verdict_text((enum verdict)VERDICT_COUNT), "unknown verdict");
    EQ_STR(verdict_text((enum verdict) - 1), "unknown verdict");
    EQ_STR(finding_level_text(FINDING_PASS), "PASS");
    EQ_STR(finding_level_text(FINDING_INFO), "INFO");
    EQ_STR(finding_level_text(FINDING_WARN), "WARN");
    EQ_STR(finding_level_text(FINDING_FAIL), "FAIL");
    EQ_STR(finding_level_text(FINDING_CANNOT_TELL), "CANNOT TELL");
    EQ_STR(finding_level_text((enum finding_level) - 1), "unknown level");
}

TEST(every_verdict_is_read_back_from_its_word_and_nothing_else_is)
{
    enum verdict v;

    for (unsigned i = 0; i < VERDICT_COUNT; i++) {
        CHECK(verdict_from_text(verdict_text((enum verdict)i), &v));
        EQ(v, i);
    }
    v = VERDICT_WARN;
    CHECK(!verdict_from_text("", &v));
    CHECK(!verdict_from_text("pass", &v));
    CHECK(!verdict_from_text("PASSED", &v));
    EQ(v, VERDICT_WARN);
}

TEST(what_nobody_set_is_not_tested)
{
    enum verdict v;

    memset(&v, 0, sizeof v);
    EQ(v, VERDICT_NOT_TESTED);
}

enum { N = VERDICT_NOT_TESTED, P = VERDICT_PASS, W = VERDICT_WARN, F = VERDICT_FAIL, A = VERDICT_ABORTED };

TEST(a_finding_only_raises_a_verdict)
{
    /*                                             PASS INFO WARN FAIL CANNOT TELL */
    static const int after[VERDICT_COUNT][FINDING_LEVEL_COUNT] = {
        [VERDICT_NOT_TESTED] = { P, N, W, F, N }, [VERDICT_PASS] = { P, P, W, F, P },
        [VERDICT_WARN] = { W, W, W, F, W },       [VERDICT_FAIL] = { F, F, F, F, F },
        [VERDICT_ABORTED] = { A, A, A, A, A },
    };

    for (int v = 0; v < VERDICT_COUNT; v++)
        for (int l = 0; l < FINDING_LEVEL_COUNT; l++)
            EQ(verdict_after((enum verdict)v, (enum finding_level)l), after[v][l]);
    EQ(verdict_after(VERDICT_PASS, (enum finding_level)99), VERDICT_PASS);
}

TEST(a_whole_takes_the_worst_of_its_parts)
{
    static const int joined[VERDICT_COUNT][VERDICT_COUNT] = {
        /*                         N  P  W  F  A */
        [VERDICT_NOT_TESTED] = { N, P, W, F, A }, [VERDICT_PASS] = { P, P, W, F, A },
        [VERDICT_WARN] = { W, W, W, F, A },       [VERDICT_FAIL] = { F, F, F, F, F },
        [VERDICT_ABORTED] = { A, A, A, F, A },
    };

    for (int a = 0; a < VERDICT_COUNT; a++)
        for (int b = 0; b < VERDICT_COUNT; b++)
            EQ(verdict_join((enum verdict)a, (enum verdict)b), joined[a][b]);
}

static void ends(int verdict, bool bad, bool missed, bool warn_chains, int exit_code, unsigned efi,
                 bool chains)
{
    struct run_status s = { (enum verdict)verdict, bad, missed };
    struct run_ending e = run_ending(&s, warn_chains);

    EQ(e.exit_code, exit_code);
    EQ(e.efi_code, efi);
    EQ(e.chains_to_next, chains);
}

TEST(a_run_ends_as_the_table_of_the_design_says)
{
    for (int w = 0; w <= 1; w++) {
        /*   verdict bad    missed        exit  EFI status          chains */
        ends(P, false, false, w, 0, 0, true);
        ends(N, false, false, w, 0, RUN_EFI_NOT_TESTED, false);
        ends(F, false, false, w, 1, RUN_EFI_FAIL, false);
        ends(A, false, false, w, 1, RUN_EFI_ABORTED, false);
    }
    ends(W, false, false, true, 0, 0, true);
    ends(W, false, false, false, 0, RUN_EFI_WARN, false);
}

TEST(a_bad_configuration_ends_with_2_unless_something_worse_happened)
{
    for (int w = 0; w <= 1; w++) {
        ends(P, true, false, w, 2, RUN_EFI_BAD_CONFIGURATION, false);
        ends(W, true, false, w, 2, RUN_EFI_BAD_CONFIGURATION, false);
        ends(N, true, false, w, 2, RUN_EFI_BAD_CONFIGURATION, false);
        ends(F, true, false, w, 1, RUN_EFI_FAIL, false);
        ends(A, true, false, w, 1, RUN_EFI_ABORTED, false);
    }
}

TEST(a_missed_expectation_fails_whatever_was_measured)
{
    for (int v = 0; v < VERDICT_COUNT; v++)
        for (int bad = 0; bad <= 1; bad++)
            ends(v, bad, true, true, 1, RUN_EFI_FAIL, false);
}

TEST(our_status_numbers_keep_apart_from_uefis_also_in_the_seven_bits_that_ipxe_shows)
{
    static const unsigned codes[] = { RUN_EFI_NOT_TESTED, RUN_EFI_WARN, RUN_EFI_FAIL, RUN_EFI_ABORTED,
                                      RUN_EFI_BAD_CONFIGURATION };

    for (unsigned i = 0; i < 5; i++) {
        CHECK(codes[i] >= 0x2000 && (codes[i] & 0x7f) > 35);
        for (unsigned k = i + 1; k < 5; k++)
            CHECK((codes[i] & 0x7f) != (codes[k] & 0x7f));
    }
}
