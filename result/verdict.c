#include "verdict.h"
#include "str.h"

const char *finding_level_text(enum finding_level l)
{
    static const char *const words[FINDING_LEVEL_COUNT] = {
        [FINDING_PASS] = "PASS",
        [FINDING_INFO] = "INFO",
        [FINDING_WARN] = "WARN",
        [FINDING_FAIL] = "FAIL",
        [FINDING_CANNOT_TELL] = "CANNOT TELL",
    };

    return (unsigned)l < FINDING_LEVEL_COUNT ? words[l] : "unknown level";
}

static const char *const verdict_words[VERDICT_COUNT] = {
    [VERDICT_NOT_TESTED] = "NOT-TESTED",
    [VERDICT_PASS] = "PASS",
    [VERDICT_WARN] = "WARN",
    [VERDICT_FAIL] = "FAIL",
    [VERDICT_ABORTED] = "ABORTED",
};

const char *verdict_text(enum verdict v)
{
    return (unsigned)v < VERDICT_COUNT ? verdict_words[v] : "unknown verdict";
}

bool verdict_from_text(const char *s, enum verdict *out)
{
    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        if (str_equal(s, verdict_words[v])) {
            *out = (enum verdict)v;
            return true;
        }
    }
    return false;
}

/* Higher wins when parts are joined. */
static unsigned weight(enum verdict v)
{
    static const unsigned weights[VERDICT_COUNT] = {
        [VERDICT_NOT_TESTED] = 0, [VERDICT_PASS] = 1, [VERDICT_WARN] = 2,
        [VERDICT_ABORTED] = 3,    [VERDICT_FAIL] = 4,
    };

    return weights[v];
}

enum verdict verdict_join(enum verdict a, enum verdict b) { return weight(a) >= weight(b) ? a : b; }

enum verdict verdict_after(enum verdict v, enum finding_level l)
{
    if (v == VERDICT_ABORTED)
        return v;
    switch (l) {
    case FINDING_PASS:
        return verdict_join(v, VERDICT_PASS);
    case FINDING_WARN:
        return verdict_join(v, VERDICT_WARN);
    case FINDING_FAIL:
        return VERDICT_FAIL;
    default:
        return v;
    }
}

struct run_ending run_ending(const struct run_status *s, bool warn_chains)
{
    /* What is missing against `expect` is a failure, whatever was measured. */
    enum verdict v = s->expectation_missed ? verdict_join(s->verdict, VERDICT_FAIL) : s->verdict;

    if (v == VERDICT_FAIL)
        return (struct run_ending){ .exit_code = 1, .efi_code = RUN_EFI_FAIL };
    if (v == VERDICT_ABORTED)
        return (struct run_ending){ .exit_code = 1, .efi_code = RUN_EFI_ABORTED };
    if (s->bad_configuration)
        return (struct run_ending){ .exit_code = 2, .efi_code = RUN_EFI_BAD_CONFIGURATION };
    if (v == VERDICT_NOT_TESTED)
        return (struct run_ending){ .efi_code = RUN_EFI_NOT_TESTED };
    if (v == VERDICT_WARN && !warn_chains)
        return (struct run_ending){ .efi_code = RUN_EFI_WARN };
    return (struct run_ending){ .chains_to_next = true };
}
