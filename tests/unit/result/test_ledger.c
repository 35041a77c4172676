#include <string.h>
#include "bits.h"
#include "ledger.h"
#include "str.h"
#include "test.h"

/* Two places, as a stick and a server are: what each really holds is apart from what was put into it. */
static char ledger[2][LEDGER_BYTES], held[2][LEDGER_BYTES];
static bool takes[2];
static unsigned asked[2];

static bool put(struct ledger_keeper *k, size_t at, struct text *why)
{
    unsigned i = *(unsigned *)k->ctx;

    asked[i]++;
    if (takes[i])
        memcpy(held[i] + at, k->ledger + at, LEDGER_RECORD_BYTES);
    else
        text_fmt(why, "place %u does not take it", i);
    return takes[i];
}

static struct ledger_keeper *places(bool first, bool second)
{
    static unsigned index[2] = { 0, 1 };
    static struct ledger_keeper k[2];

    memset(ledger, 0, sizeof ledger);
    memset(held, 0, sizeof held);
    for (unsigned i = 0; i < 2; i++) {
        k[i] = (struct ledger_keeper){
            .ledger = ledger[i], .keeps = i ? second : first, .ctx = &index[i], .put = put
        };
        takes[i] = true;
        asked[i] = 0;
    }
    return k;
}

static char words[200];
static struct text *fresh(void)
{
    static struct text t;

    t = text_over(words, sizeof words);
    words[0] = 0;
    return &t;
}

#define A "00000000000000aa"
#define B "00000000000000bb"

TEST(what_any_place_has_is_used_up)
{
    struct ledger_keeper *k = places(true, false);
    size_t at;

    CHECK(!ledgers_have(k, 2, A));
    EQ(ledger_add(ledger[1], LEDGER_BYTES, A, &at), 0);
    CHECK(ledgers_have(k, 2, A) && !ledgers_have(k, 2, B) && !ledgers_have(k, 1, A));
}

TEST(a_record_is_kept_only_when_every_place_that_keeps_one_took_it)
{
    struct ledger_keeper *k = places(true, true);

    CHECK(ledgers_put(k, 2, A, fresh()));
    CHECK(ledger_has(held[0], LEDGER_BYTES, A) && ledger_has(held[1], LEDGER_BYTES, A));
    for (unsigned bad = 0; bad < 2; bad++) {
        k = places(true, true);
        takes[bad] = false;
        CHECK(!ledgers_put(k, 2, A, fresh()));
        HAS_STR(words, bad ? "place 1 does not take it" : "place 0 does not take it");
        CHECK(!ledger_has(ledger[bad], LEDGER_BYTES, A));
        CHECK(!ledgers_put(k, 2, A, fresh())); /* nor the second time */
        takes[bad] = true;
        CHECK(ledgers_put(k, 2, A, fresh()));
    }
}

TEST(a_place_that_does_not_keep_is_not_asked_and_none_at_all_is_no_record)
{
    struct ledger_keeper *k = places(false, true);

    CHECK(ledgers_keep(k, 2) && !ledgers_keep(k, 1));
    CHECK(ledgers_put(k, 2, A, fresh()));
    EQ(asked[0], 0);
    k = places(false, false);
    CHECK(!ledgers_keep(k, 2));
    CHECK(!ledgers_put(k, 2, A, fresh()));
    HAS_STR(words, "nothing here keeps it");
    EQ(asked[0] + asked[1], 0);
}

TEST(what_a_place_has_is_not_put_there_again_and_a_new_place_gets_it)
{
    struct ledger_keeper *k = places(true, true);
    size_t at;

    EQ(ledger_add(ledger[0], LEDGER_BYTES, A, &at), 0);
    CHECK(ledgers_put(k, 2, A, fresh()));
    EQ(asked[0], 0);
    EQ(asked[1], 1);
}

TEST(a_full_ledger_takes_no_record)
{
    struct ledger_keeper *k = places(true, false);
    char id[17];
    size_t at;

    for (unsigned i = 0; i < LEDGER_BYTES / LEDGER_RECORD_BYTES; i++) {
        str_fmt(id, sizeof id, "%016x", i + 1);
        EQ(ledger_add(ledger[0], LEDGER_BYTES, id, &at), 0);
    }
    EQ(ledger_len(ledger[0]), LEDGER_BYTES);
    CHECK(!ledgers_put(k, 2, "ffffffffffffffff", fresh()));
    HAS_STR(words, "no room");
    CHECK(ledgers_put(k, 2, "0000000000000001", fresh()));
}

TEST(a_text_from_elsewhere_counts_only_when_it_is_whole_records)
{
    static char text[LEDGER_BYTES + LEDGER_RECORD_BYTES];
    char *to = ledger[0];
    size_t at;

    places(true, true);
    EQ(ledger_add(text, LEDGER_BYTES, A, &at), 0);
    EQ(ledger_add(text, LEDGER_BYTES, B, &at), 0);
    CHECK(ledger_take(to, text, 2 * LEDGER_RECORD_BYTES));
    CHECK(ledger_has(to, LEDGER_BYTES, A) && ledger_has(to, LEDGER_BYTES, B));
    EQ(ledger_len(to), 2 * LEDGER_RECORD_BYTES);
    CHECK(!ledger_take(to, text, 2 * LEDGER_RECORD_BYTES - 1));
    EQ(ledger_len(to), 0);
    CHECK(!ledger_take(to, text, 3 * LEDGER_RECORD_BYTES)); /* one of them is none */
    CHECK(!ledger_take(to, text, sizeof text));
    CHECK(ledger_take(to, text, 0));
}
