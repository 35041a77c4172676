#ifndef REPORT_BURN_IN_FACTS_H
#define REPORT_BURN_IN_FACTS_H
#include "runs.h"

/* What every page says of the burn-in of one drive in this run. */
struct burn_in_facts {
    struct journal_line state; /* its last one */
    bool writes;
    uint64_t disk_bytes;    /* 0: it is not described */
    uint64_t covered_bytes; /* written and read back as written; without writes: read */
    unsigned phases;        /* that are told of */
    int64_t warmest_c;      /* INT64_MIN: not known */
};
/* False: it was not burnt in. */
bool burn_in_facts(const struct run *run, const char *disk, struct burn_in_facts *out);
/* "95.8 % of the disk written and verified (24.12 MB), 4.2 % not covered (1.05 MB)" */
void burn_in_covered_words(const struct burn_in_facts *f, struct text *t);
/* The next line of a phase of that disk. */
bool burn_in_next_phase(struct run_lines *lines, const char *disk, struct journal_line *out);
/* "stamped random writes"; a key that is not known stands for itself. */
void burn_in_phase_words(const struct journal_line *phase, struct text *t);
/* Of a phase; 0: nothing was read or written, or at once. */
uint64_t burn_in_phase_bytes_per_s(const struct journal_line *phase);
/* Of a disk, over all lines of that phase; 0 as above. */
uint64_t burn_in_bytes_per_s(const struct run *run, const char *disk, enum burn_in_phase p);
/* Whether the run measured nothing and burnt in drives. */
bool burn_in_is_all(const struct run *run);

#endif
