#ifndef SWEEP_SCALING_H
#define SWEEP_SCALING_H
#include <stdint.h>
#include "text.h"

/* What a controller carries with 1, 2, 4 .. disks at once: where its curve bends, what it tops out at, and
 * which hop that is.  Pure. */
enum { SCALING_MAX_POINTS = 12 };
struct scaling_point {
    unsigned disks;
    uint64_t bytes_per_s; /* of all of them */
};
enum scaling_limit {
    SCALING_UNKNOWN,   /* fewer than two points, or nothing was read */
    SCALING_DISKS,     /* each disk still adds its own: more disks would bring more */
    SCALING_LINK,      /* the slot's link is full */
    SCALING_CONTROLLER /* neither: the card, its expander, or this program */
};
struct scaling_verdict {
    unsigned knee_disks; /* the most disks that still brought nine tenths of as many single ones */
    uint64_t ceiling_bytes_per_s;
    enum scaling_limit limit;
};
/* Points ascend in disks.  link_bytes_per_s 0: not known. */
void scaling_judge(const struct scaling_point *p, unsigned count, uint64_t link_bytes_per_s,
                   struct scaling_verdict *out);
/* "link": the limit as one word of the journal, and in a sentence's worth. */
const char *scaling_limit_key(enum scaling_limit limit);
const char *scaling_limit_words(enum scaling_limit limit);
/* "1 disk 120 MB/s, 2 disks 240 MB/s; ..., limited by the link" */
void scaling_text(const struct scaling_point *p, unsigned count, const struct scaling_verdict *v,
                  struct text *t);

#endif
