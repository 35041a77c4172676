#ifndef CHECKS_RESPONDERS_H
#define CHECKS_RESPONDERS_H
#include "finding_list.h"
#include "pins.h"

/* What one run saw of the bus, as a line of text that the stick keeps per board; and what two such lines, one
 * with the card and one without (or with its contacts covered), prove together.
 *
 *   v1 when=2026-11-30T14:00:00 cards=1000:0079+1000:0060 map=M-F----- clock=0/250 data=0/250 trouble=0
 * probed=1 */
enum { RESPONDER_LINE_MAX = 200, RESPONDER_MAX_CARDS = 4 };
struct responder_map {
    char when[24];                        /* "" not known */
    char cards[RESPONDER_MAX_CARDS * 10]; /* suspects that are fitted, sorted; "-" none */
    enum responder_kind kind[SMBUS_ADDRESSES];
    bool probed; /* kind means something */
    uint32_t clock_low, data_low, samples;
    uint32_t trouble; /* collisions, late answers, reads without end, gaps, foreign edges */
};
void responders_of(const struct smbus_evidence *e, const struct board_facts *board, const char *when,
                   const char *cards, struct responder_map *out);
void responders_write(const struct responder_map *m, struct text *out); /* one line, with newline */
/* False: not such a line. */
bool responders_parse(const char *line, size_t len, struct responder_map *out);
/* The newest (first) valid line of such a file; false: none. */
bool responders_newest(const char *text, size_t len, struct responder_map *out);

/* The file that the stick keeps for a board: always the same size, so that it is written in place.  The new
 * line comes first, then as many of the old file's valid lines as fit, then blanks. */
enum { RESPONDER_FILE_BYTES = 4096 };
void responders_file(const char *old, size_t old_len, const struct responder_map *now,
                     char out[RESPONDER_FILE_BYTES]);

/* At most one finding: what appeared, vanished or was cured between the two. */
void responders_compare(const struct responder_map *before, const struct responder_map *now,
                        struct finding_list *out);

#endif
