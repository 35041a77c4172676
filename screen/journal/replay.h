#ifndef SCREEN_JOURNAL_REPLAY_H
#define SCREEN_JOURNAL_REPLAY_H
#include <stddef.h>
#include "runs.h"
#include "views.h"

/* A journal played through the live view: what a person would have seen, from the lines that its steps left.
 * So a screen is worked on without a machine. */
enum { REPLAY_LANES_MAX = 512, REPLAY_FRAMES_PER_STEP = 10, REPLAY_CONTROLLERS_MAX = 64 };
struct replay {
    struct run run;
    struct run_lines lines;
    struct journal_line step; /* step_start */
    struct journal_line ends[REPLAY_LANES_MAX];
    struct lane_view lanes[REPLAY_LANES_MAX];
    struct controller_view controllers[REPLAY_CONTROLLERS_MAX];
    struct sweep_view view;
    unsigned frame; /* within the step */
    bool in_step;
};
/* The last run of the text.  False: there is none. */
bool replay_start(struct replay *r, const char *journal, size_t len);
/* The next picture, in r->view; false at the end. */
bool replay_next(struct replay *r);

#endif
