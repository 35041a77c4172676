#ifndef RACK_INGEST_H
#define RACK_INGEST_H
#include "rack.h"

struct rack_ingest_counts {
    uint64_t files, bytes;
    uint64_t lines;     /* good ones */
    uint64_t new_lines; /* of these, not yet in the database */
    uint64_t damaged;   /* refused one by one */
    uint64_t omitted;   /* left out by a slow channel; the file may bring them */
    uint64_t newer;     /* of a later schema than this program's: kept as they stand */
};
struct rack_ingest;
/* NULL after a message.  rack_name is given to runs that are new. */
struct rack_ingest *rack_ingest_new(struct rack *r, const char *rack_name);
void rack_ingest_free(struct rack_ingest *g);
/* Takes every good line of the text that the database does not have, by run and seq; adds to the counts.  All
 * of the text or, after a message and false, nothing of it. */
bool rack_ingest_text(struct rack_ingest *g, const char *source, const char *text, size_t len,
                      struct rack_ingest_counts *counts);

#endif
