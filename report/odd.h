#ifndef REPORT_ODD_H
#define REPORT_ODD_H
#include "outlier.h"
#include "runs.h"
#include "text.h"

/* Which of the drives of one machine is the odd one among like drives, from the machine's own journal: the
 * same question that rack/ asks of many, by the same function (outlier.h).  What a drive measured more than
 * once with the same settings counts by its last time. */

enum { ODD_MAX_DRIVES = 512, ODD_MAX_CELLS = 16384 };
struct odd_drive {
    char disk[24];
    enum outlier_metric metric;
    unsigned odd, measured; /* measurements in which it is worse than its peers, and all that it has */
    struct outlier most;    /* the one that is farthest off; most.cell is of the search's memory */
    char job[40], rw[12];   /* of it */
    uint32_t block_bytes, depth;
};
struct odd_search {
    struct outlier_counts counts;
    unsigned drives, cells;
    unsigned left_out; /* drives and measurements beyond the limits above */
};
/* Bytes of memory that odd_find needs for this run. */
size_t odd_memory_bytes(const struct run *run);
/* Calls found once per drive and kind of oddness (slow; long tail, the farther of both), for the worse only,
 * drives in the order of the journal.  memory: 8-byte aligned, odd_memory_bytes of it, used up. */
void odd_find(const struct run *run, void *memory, struct odd_search *s,
              void (*found)(void *ctx, const struct odd_drive *o), void *ctx);

/* What shows in several measurements lasts and is a warning; what shows in one of several is worth knowing.
 */
enum finding_level odd_level(const struct odd_drive *o);
/* Of finding_kinds. */
const char *odd_code(const struct odd_drive *o);
/* The evidence in a sentence, and what the others did. */
void odd_seen(const struct odd_drive *o, struct text *t);
void odd_expected(const struct odd_drive *o, struct text *t);

#endif
