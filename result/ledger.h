#ifndef RESULT_LEDGER_H
#define RESULT_LEDGER_H
#include "arming.h"

/* Where it is on record that an arming is used up.  There may be several places (the result volume, a server
 * that remembers this machine): what one of them has is used up, and all that keep a record must have taken a
 * new one before the first write. */
struct ledger_keeper {
    char *ledger; /* LEDGER_BYTES, zeros behind the last record: as it was read, and what was put since */
    bool keeps;   /* it was read, and what is put into it will be there at the next start */
    void *ctx;
    /* Makes the place hold the record at `at` of the ledger, and looks whether it does.  False: `why`. */
    bool (*put)(struct ledger_keeper *k, size_t at, struct text *why);
};
bool ledgers_keep(const struct ledger_keeper *k, unsigned count);
bool ledgers_have(const struct ledger_keeper *k, unsigned count, const char *arming_id);
/* True: each place that keeps has it, and there is one.  False: `why`; some may have it then. */
bool ledgers_put(struct ledger_keeper *k, unsigned count, const char *arming_id, struct text *why);

/* A text of whole records and nothing else, as ledger_len counts them, into the zeroed ledger.  False: it is
 * damaged, and the ledger keeps nothing. */
bool ledger_take(char *ledger, const char *text, size_t len);
/* Bytes of the records from the begin on. */
size_t ledger_len(const char *ledger);

#endif
