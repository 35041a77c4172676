#include "guard_record.h"
#include "ledger.h"
#include "net_state.h"
#include "platform.h"
#include "record.h"

static const char file_name[] = "baresweep.spent", part_name[] = "spent";
enum { KEEPER_SERVER, KEEPER_MEDIUM, KEEPERS };
static char ledgers[KEEPERS][LEDGER_BYTES];
static const struct medium *medium;
static struct {
    char id[17];
} elsewhere[ARMING_MAX]; /* of this batch, used up by the record of another volume */
static unsigned elsewhere_count;

static bool put_on_medium(struct ledger_keeper *k, size_t at, struct text *why)
{
    if (medium_ledger_write(medium, file_name, k->ledger, LEDGER_BYTES, at, LEDGER_RECORD_BYTES))
        return true;
    text_str(why, "the result volume does not take the record, or gives back another");
    return false;
}

static bool put_on_server(struct ledger_keeper *k, size_t at, struct text *why)
{
    char words[160];
    struct text t = text_over(words, sizeof words);

    (void)at;
    if (!net_state_keep(part_name, k->ledger, ledger_len(k->ledger)))
        text_str(&t, "it is too large");
    else if (net_state_send_sure(&t) == OK)
        return true;
    text_fmt(why, "the server of `state`: %s", words);
    return false;
}

static struct ledger_keeper keepers[KEEPERS] = {
    [KEEPER_SERVER] = { .ledger = ledgers[KEEPER_SERVER], .put = put_on_server },
    [KEEPER_MEDIUM] = { .ledger = ledgers[KEEPER_MEDIUM], .put = put_on_medium },
};

/* A server whose text is damaged may have lost the record: it keeps nothing. */
static void ask_server(void)
{
    struct ledger_keeper *k = &keepers[KEEPER_SERVER];
    size_t len;
    const char *part = net_state_part(part_name, &len);

    memset(k->ledger, 0, LEDGER_BYTES);
    k->keeps = net_state_is_whole() && (!part || ledger_take(k->ledger, part, len));
    if (net_state_answers() && !k->keeps)
        record_finding("arming-refused", FINDING_WARN, "run", "a whole text, or none",
                       "what the server of `state` remembers of this machine is damaged: it keeps no record "
                       "of what is used up");
}

static void ask_other_volumes(const struct arming_batch *batch)
{
    char *ledger = plat_alloc(LEDGER_BYTES);
    unsigned at = 0;

    elsewhere_count = 0;
    while (ledger && medium_ledger_elsewhere(medium, file_name, ledger, LEDGER_BYTES, &at))
        for (unsigned i = 0; i < batch->count && elsewhere_count < ARMING_MAX; i++)
            if (ledger_has(ledger, LEDGER_BYTES, batch->armings[i].id))
                str_copy(elsewhere[elsewhere_count++].id, sizeof elsewhere[0].id, batch->armings[i].id);
    plat_free(ledger);
}

void guard_record_begin(const struct medium *m, const struct arming_batch *batch)
{
    struct ledger_keeper *k = &keepers[KEEPER_MEDIUM];

    medium = m;
    memset(k->ledger, 0, LEDGER_BYTES);
    k->keeps = medium_ledger_read(m, file_name, k->ledger, LEDGER_BYTES);
    ask_server();
    ask_other_volumes(batch);
}

bool guard_record_keeps(void) { return ledgers_keep(keepers, KEEPERS); }

bool guard_record_spent(const char *arming_id)
{
    for (unsigned i = 0; i < elsewhere_count; i++)
        if (str_equal(elsewhere[i].id, arming_id))
            return true;
    return ledgers_have(keepers, KEEPERS, arming_id);
}

bool guard_record_put(const char *arming_id, struct text *why)
{
    return ledgers_put(keepers, KEEPERS, arming_id, why);
}
