#include "burn_in_state.h"
#include "str.h"

const struct burn_in_phase_row burn_in_phases[BURN_IN_PHASE_COUNT] = {
    [BURN_IN_SNAPSHOT] = { "snapshot", "health before" },
    [BURN_IN_SHORT_TEST] = { "short-test", "short self-test" },
    [BURN_IN_SURFACE] = { "surface", "surface read" },
    [BURN_IN_SURFACE_AGAIN] = { "surface-again", "second surface read" },
    [BURN_IN_CAPACITY] = { "capacity", "capacity probe" },
    [BURN_IN_WRITE] = { "write", "stamped random writes" },
    [BURN_IN_RESET] = { "reset", "controller reset" },
    [BURN_IN_VERIFY] = { "verify", "verify" },
    [BURN_IN_VERIFY_BACK] = { "verify-back", "verify in reverse" },
    [BURN_IN_RANDOM] = { "random", "random hours" },
    [BURN_IN_LONG_TEST] = { "long-test", "long self-test" },
    [BURN_IN_DELTA] = { "delta", "health after" },
    [BURN_IN_CLEAR] = { "clear", "head and tail zeroed" },
    [BURN_IN_DONE] = { "done", "done" },
};

const char *const burn_in_end_words[BURN_IN_END_COUNT] = {
    [BURN_IN_GOING] = "going",
    [BURN_IN_STOPPED] = "stopped",
    [BURN_IN_FINISHED] = "finished",
    [BURN_IN_LEFT] = "left",
};

enum burn_in_phase burn_in_phase_from_key(const char *key)
{
    unsigned p = 0;

    while (p < BURN_IN_PHASE_COUNT && !str_equal(burn_in_phases[p].key, key))
        p++;
    return (enum burn_in_phase)p;
}

bool burn_in_state_is_later(const struct burn_in_state *a, const struct burn_in_state *b)
{
    if (a->interruptions != b->interruptions)
        return a->interruptions > b->interruptions;
    if (a->phase != b->phase)
        return a->phase > b->phase;
    if (a->position != b->position)
        return a->position > b->position;
    return a->end > b->end;
}

enum verdict burn_in_state_verdict(const struct burn_in_state *s)
{
    if (s->end == BURN_IN_LEFT || s->errors)
        return VERDICT_FAIL;
    if (s->end != BURN_IN_FINISHED)
        return VERDICT_ABORTED;
    return s->verified_blocks ? VERDICT_PASS : VERDICT_NOT_TESTED;
}
