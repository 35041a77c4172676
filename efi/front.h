#ifndef EFI_FRONT_H
#define EFI_FRONT_H
#include "inventory.h"
#include "machine.h"
#include "medium.h"
#include "plan.h"
#include "settings.h"

/* Before the first step: the start screen, the countdown, and the menu for who presses a key.  Silence always
 * means that the run begins; without console nothing of this happens. */
struct front {
    struct inventory *inv;
    struct settings *settings;
    struct medium *medium;
    const struct machine_info *machine;
    const struct plan *plan;
    void (*plan_anew)(void); /* after settings or the choice of disks changed */
};
enum front_choice {
    FRONT_RUN,
    FRONT_CHECKS, /* the checks alone: nothing is to be measured */
    FRONT_LEAVE   /* conf.after says where to: the run is ABORTED */
};
enum front_choice front_run(const struct front *f);

/* The menu; FRONT_RUN also after a minute of silence. */
enum front_choice front_menu(const struct front *f);

#endif
