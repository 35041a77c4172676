#ifndef SWEEP_BURN_IN_LOOP_H
#define SWEEP_BURN_IN_LOOP_H
#include "burn_in.h"

/* Runs the burn-ins of all drives of a machine side by side, each at its own pace, until all have ended.
 * Works in rounds: each drive does a piece of its work, at most until the next checkpoint is due; then all is
 * drained and flushed, and the states are written down.  A drive that ends leaves, the others go on. */
struct burn_in_hooks {
    void *ctx;
    /* All states are to be on the medium when this returns; nothing is in flight. */
    void (*checkpoint)(void *ctx, const struct burn_in_drive *drives, unsigned count);
    /* Every BURN_IN_ATTEND_MS while lanes run: is there work for which they must hold? */
    bool (*wants_hold)(void *ctx);
    /* Nothing is in flight; also between rounds.  NULL: go on; else all stop, for this reason. */
    const char *(*attend)(void *ctx, const struct burn_in_drive *drives, unsigned count);
    /* The drive's health, read when nothing is in flight; `when` NULL: only for the temperature.  False: it
     * tells nothing. */
    bool (*health)(void *ctx, struct disk *d, const char *when, struct disk_health *h);
    /* Something worth a finding: code of result/finding.h, what was seen. */
    void (*finding)(void *ctx, const struct burn_in_drive *d, const char *code, const char *seen);
    /* A phase of a drive is over, or the drive has ended in it. */
    void (*phase_over)(void *ctx, const struct burn_in_drive *d, const struct burn_in_phase_sum *p);
};
enum { BURN_IN_ATTEND_MS = 200, BURN_IN_HEALTH_EVERY_MS = 60000 };
/* checkpoint_ms: between two checkpoints; also the longest piece of work.  E_NOMEM: nothing was done. */
int burn_in_loop(struct burn_in_drive *drives, unsigned count, uint64_t checkpoint_ms,
                 const struct burn_in_hooks *hooks);

#endif
