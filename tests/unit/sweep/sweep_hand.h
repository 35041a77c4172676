#ifndef TESTS_SWEEP_HAND_H
#define TESTS_SWEEP_HAND_H
#include "bits.h"
#include "engine.h"
#include "fake_disk.h"
#include "job.h"
#include "plan.h"
#include "platform_model.h"
#include "str.h"
#include "test.h"

/* Short ways to say what a test of the engine needs: disks, one job per disk, a run. */
enum { HAND_DISKS = 8, HAND_LOG = 200000 };
struct hand {
    struct fake_disk fake[HAND_DISKS];
    struct controller controller[HAND_DISKS];
    struct plan_lane lane[HAND_DISKS];
    struct plan_step step;
    struct engine *e;
    unsigned disks;
};
extern struct hand hand;

/* A fresh world with that many disks, each on a controller of its own, each with a sequential 4 KiB QD 1 job
 * over the whole disk.  The first disk's requests are logged. */
void hand_up(unsigned disks);
/* hand_up of one disk that takes writes: it has that many blocks and keeps what is written in `content`,
 * which is zeroed; its job does `rw` at queue depth 8. */
void hand_up_writable(uint8_t *content, uint64_t lba_count, enum job_rw rw);
void hand_begin(void);
/* Runs to the end in slices of 10 ms of the model's clock. */
void hand_run(void);
/* Ends the engine; no allocation, no violation of the disk's contract may be left. */
void hand_down(void);

static inline struct job *hand_job(unsigned i) { return &hand.lane[i].job; }
static inline const struct step_result *hand_result(unsigned i) { return engine_result(hand.e, i); }
#define hand_log    hand.fake[0].log
#define hand_logged hand.fake[0].log_count

/* A conf with all defaults. */
const struct conf *hand_conf(void);
/* As a blank disk that is armed: the guard permits that it is written. */
void hand_grant(struct disk *d);

#endif
