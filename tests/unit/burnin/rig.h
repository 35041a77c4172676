#ifndef TESTS_UNIT_BURNIN_RIG_H
#define TESTS_UNIT_BURNIN_RIG_H
#include "bits.h"
#include "burn_in_lane.h"
#include "burn_in_loop.h"
#include "conf.h"
#include "err.h"
#include "platform_model.h"
#include "resume.h"
#include "stored_disk.h"
#include "test.h"

/* Whole burn-ins on disks that keep what is written, with a journal from which the next start resumes.
 *
 *     machine(2, SETTINGS); disks[0]...; start(1); all_passed();
 */
enum { DRIVES = 3, LBAS = 16 << 11 /* 16 MiB */, CHECKPOINT_MS = 20 };
#define SETTINGS "plan = burn-in\nburn_in_budget_s = 20\n"
extern struct stored_disk disks[DRIVES];
extern struct burn_in_drive drives[DRIVES];
extern struct conf conf;
extern unsigned first_drive, drive_count; /* drives below first_drive are not in the machine */
extern const struct burn_in_hooks hooks;

extern char *journal_text; /* of all starts */
extern size_t journal_len, journal_flushed;

/* What the hooks were told. */
extern unsigned checkpoints, warm, too_hot;
extern char found[4000];
/* Of the phases, all starts together. */
extern struct burn_in_phase_sum told[DRIVES][BURN_IN_PHASE_COUNT];
/* Somebody stops it, for this reason, after so many checkpoints; 0: nobody. */
extern const char *stop_reason;
extern unsigned stop_after_checkpoints;

/* A new world with so many drives, all blank, and this configuration. */
void machine(unsigned count, const char *settings);
/* A start of the program: what the journals say, then the burn-in.  How many drives resumed. */
unsigned start(uint64_t run_id);
/* What the journals of all starts say now. */
const struct resume *journals(void);
void all_passed(void);

#endif
