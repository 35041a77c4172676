#include "ledger.h"
#include "err.h"
#include "str.h"

bool ledgers_keep(const struct ledger_keeper *k, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (k[i].keeps)
            return true;
    return false;
}

bool ledgers_have(const struct ledger_keeper *k, unsigned count, const char *arming_id)
{
    for (unsigned i = 0; i < count; i++)
        if (ledger_has(k[i].ledger, LEDGER_BYTES, arming_id))
            return true;
    return false;
}

static bool put(struct ledger_keeper *k, const char *arming_id, struct text *why)
{
    size_t at;
    int rc = ledger_add(k->ledger, LEDGER_BYTES, arming_id, &at);

    if (rc != OK) {
        text_fmt(why, "there is no room for it: %s", err_text(rc));
        return false;
    }
    if (k->put(k, at, why))
        return true;
    memset(k->ledger + at, 0, LEDGER_RECORD_BYTES); /* asked once more, it is not taken for granted */
    return false;
}

bool ledgers_put(struct ledger_keeper *k, unsigned count, const char *arming_id, struct text *why)
{
    for (unsigned i = 0; i < count; i++)
        if (k[i].keeps && !ledger_has(k[i].ledger, LEDGER_BYTES, arming_id) && !put(&k[i], arming_id, why))
            return false;
    if (ledgers_keep(k, count))
        return true;
    text_str(why, "nothing here keeps it");
    return false;
}

size_t ledger_len(const char *ledger)
{
    size_t len = 0;

    while (len < LEDGER_BYTES && !memcmp(ledger + len, "SPENT ", 6))
        len += LEDGER_RECORD_BYTES;
    return len;
}

bool ledger_take(char *ledger, const char *text, size_t len)
{
    if (len <= LEDGER_BYTES && len % LEDGER_RECORD_BYTES == 0) {
        memcpy(ledger, text, len);
        if (ledger_len(ledger) == len)
            return true;
    }
    memset(ledger, 0, LEDGER_BYTES);
    return false;
}
