#ifndef CHECKS_PINS_H
#define CHECKS_PINS_H
#include "finding_list.h"
#include "smbios.h"
#include "smbus/smbus.h"
#include "spd.h"

/* The SMBus contacts B5 and B6 of a card: may the bus be read, and what does the evidence mean.  Rows S1-S14
 * of fact sheet pin-check 3.  A card is named as a suspect and never as the culprit: no source says at which
 * address a card answers. */

enum pin_wish { PIN_AUTO, PIN_LOOK, PIN_PROBE, PIN_LEAVE }; /* the words of the option `smbus` */
struct pin_suspect {
    bool there;
    char name[64]; /* "PERC H700 at 0000:05:00.0 in slot 3" */
    bool slot_known, slot_has_smbus;
};
/* Whether transactions may be made; *why says why not ("" when they may). */
bool pins_may_probe(enum pin_wish wish, const struct smbus_row *row, const struct board_facts *board,
                    const struct pin_suspect *suspect, const char **why);

/* What answers, as one word per address. */
enum responder_kind {
    RESPONDER_NONE,
    RESPONDER_MODULE, /* SPD_VALID, or a DDR5 hub */
    RESPONDER_BLANK,
    RESPONDER_DAMAGED,
    RESPONDER_FRU,
    RESPONDER_OTHER,
    RESPONDER_SILENT, /* blocked the bus or did not end */
    RESPONDER_KINDS
};
struct pin_counts {
    unsigned modules, foreign, blank; /* V, X without blanks, blanks */
    uint64_t modules_mib;             /* what the modules state; 0 when one of them does not */
    int unstable_at, unstable_of_3;   /* the worst address: how many of three comparisons or sums were bad */
    int foreign_at;                   /* the first one; -1 */
    bool foreign_is_fru;
    enum responder_kind kind[SMBUS_ADDRESSES];
};
void pins_count(const struct smbus_evidence *e, const struct board_facts *board, struct pin_counts *out);

/* Adds exactly one finding: the first row that fits. */
void pins_judge(const struct smbus_evidence *e, const struct board_facts *board,
                const struct pin_suspect *suspect, struct finding_list *out);
/* Every number that the verdict stands on, in one line for the journal. */
void pins_text(const struct smbus_evidence *e, const struct pin_counts *c, struct text *out);

#endif
