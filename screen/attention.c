#include "attention.h"
#include "bits.h"
#include "math.h"

/* ---- a share of the time ---- */

void pace_begin(struct pace *p, unsigned share, uint64_t now_ns)
{
    *p = (struct pace){ .share = share, .paid_until_ns = now_ns };
}

uint64_t pace_earned_ns(const struct pace *p, uint64_t now_ns, uint64_t reserve_ns, uint64_t ahead_ns)
{
    uint64_t have_ns = now_ns + ahead_ns, owed_ns = p->paid_until_ns + reserve_ns;

    return have_ns > owed_ns ? (have_ns - owed_ns) / p->share : 0;
}

/* The earnings that can be saved cover the dearest one that was seen, or it would never come again. */
void pace_spend(struct pace *p, uint64_t began_ns, uint64_t now_ns)
{
    enum { FORGET_PARTS = 8 };
    uint64_t took_ns = now_ns - began_ns, saved_ns = PACE_SAVED_S * NS_PER_S;

    if (saved_ns < p->expected_ns * p->share)
        saved_ns = p->expected_ns * p->share;
    if (began_ns > saved_ns && p->paid_until_ns < began_ns - saved_ns)
        p->paid_until_ns = began_ns - saved_ns;
    p->paid_until_ns += took_ns * p->share;
    p->spent_ns += took_ns;
    p->count++;
    p->expected_ns -= p->expected_ns / FORGET_PARTS;
    if (p->expected_ns < took_ns)
        p->expected_ns = took_ns;
}

/* ---- keys and pictures ---- */

void attention_begin(struct attention *a, uint64_t now_ns, uint64_t estimate_ns)
{
    *a = (struct attention){
        .began_ns = now_ns, .end_ns = now_ns + estimate_ns, .looked_ns = now_ns, .drawn_ns = now_ns
    };
    pace_begin(&a->looks, LOOK_SHARE, now_ns);
    pace_begin(&a->pictures, PICTURE_SHARE, now_ns);
}

static bool person_is_there(const struct attention *a, uint64_t now_ns)
{
    return a->pressed && now_ns - a->pressed_ns < PRESSED_FOR_S * NS_PER_S;
}

bool attention_look_is_due(const struct attention *a, uint64_t now_ns)
{
    unsigned every_ms = person_is_there(a, now_ns) ? LOOK_EVERY_WHEN_PRESSED_MS : LOOK_EVERY_MS;

    return now_ns - a->looked_ns >= every_ms * NS_PER_MS &&
           pace_earned_ns(&a->looks, now_ns, 0, 0) >= a->looks.expected_ns;
}

/* What one that answers a key may spend without having earned it. */
static uint64_t ahead_ns(const struct attention *a, uint64_t now_ns)
{
    uint64_t to_come_ns = a->end_ns > now_ns ? (a->end_ns - now_ns) / AHEAD_PART : 0;

    return min_u64(to_come_ns, PACE_SAVED_S * NS_PER_S) +
           min_u64((now_ns - a->began_ns) / DEBT_PART, DEBT_MOST_S * NS_PER_S);
}

uint64_t attention_picture_ns(const struct attention *a, uint64_t now_ns)
{
    uint64_t reserve_ns = min_u64((now_ns - a->began_ns) / RESERVE_PART, RESERVE_S * NS_PER_S);
    uint64_t least_ns = min_u64(a->pictures.expected_ns, PICTURE_LEAST_MS * NS_PER_MS) + 1;
    uint64_t earned_ns = a->answer ? pace_earned_ns(&a->pictures, now_ns, 0, ahead_ns(a, now_ns))
                                   : pace_earned_ns(&a->pictures, now_ns, reserve_ns, 0);
    unsigned every_ms = a->answer ? ANSWER_EVERY_MS : PICTURE_EVERY_MS;

    return now_ns - a->drawn_ns >= every_ms * NS_PER_MS && earned_ns >= least_ns ? earned_ns : 0;
}

void attention_looked(struct attention *a, uint64_t began_ns, uint64_t now_ns, bool pressed)
{
    pace_spend(&a->looks, began_ns, now_ns);
    a->looked_ns = now_ns;
    if (!pressed)
        return;
    a->pressed = a->answer = true;
    a->pressed_ns = now_ns;
}

void attention_drew(struct attention *a, uint64_t began_ns, uint64_t now_ns, bool whole)
{
    pace_spend(&a->pictures, began_ns, now_ns);
    a->drawn_ns = now_ns;
    a->answer &= !whole;
}
