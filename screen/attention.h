#ifndef SCREEN_ATTENTION_H
#define SCREEN_ATTENTION_H
#include <stdbool.h>
#include <stdint.h>

/* When, while a plan runs, the keyboards are looked at and a picture is drawn.  Both are firmware calls for
 * which the measuring stands still, and how long they take is known only afterwards: each has a share of the
 * time and waits until it has been earned; a picture ends when its time is over, the next goes on with it. So
 * all of them together take less than a hundredth, whatever a console costs and however many keys are
 * pressed.
 */

/* ---- a share of the time ---- */
struct pace {
    unsigned share;         /* one part in so many */
    uint64_t paid_until_ns; /* what was spent, as the time that earns it */
    uint64_t expected_ns;   /* what the next one takes: the most that was seen, slowly forgotten */
    uint64_t spent_ns, count;
};
void pace_begin(struct pace *p, unsigned share, uint64_t now_ns);
/* What is earned, without so much time's earnings or with those of the time ahead. */
uint64_t pace_earned_ns(const struct pace *p, uint64_t now_ns, uint64_t reserve_ns, uint64_t ahead_ns);
void pace_spend(struct pace *p, uint64_t began_ns, uint64_t now_ns);

/* ---- keys and pictures ---- */
enum {
    LOOK_SHARE = 400,      /* 0.25 % for keys and ... */
    PICTURE_SHARE = 200,   /* ... 0.5 % for pictures, with DEBT 0.75 %: room for one that takes longer */
    PACE_SAVED_S = 600,    /* earnings of more time than this are not kept */
    RESERVE_S = 300,       /* earnings that pictures without a key leave for a person who comes; until they */
    RESERVE_PART = 4,      /* are made, one part in so many of the time */
    PICTURE_LEAST_MS = 15, /* a part of a picture that takes less is not worth while */
    AHEAD_PART = 8,        /* of what is to come, one that answers a key may spend one part in so many */
    DEBT_PART = 2,         /* it may also owe so much of what was earned so far, ... */
    DEBT_MOST_S = 30,      /* ... at most what this time earns (150 ms): pages that come at once, and whole */
    PICTURE_EVERY_MS = 2000,
    ANSWER_EVERY_MS = 100,
    LOOK_EVERY_MS = 1000,
    LOOK_EVERY_WHEN_PRESSED_MS = 200,
    PRESSED_FOR_S = 10 /* after a key so long a person is taken to be there */
};
struct attention {
    struct pace looks, pictures;
    uint64_t began_ns, end_ns, looked_ns, drawn_ns, pressed_ns;
    bool pressed, answer; /* answer: a key moved something that is not drawn yet */
};
/* estimate_ns: what the run is thought to take. */
void attention_begin(struct attention *a, uint64_t now_ns, uint64_t estimate_ns);
bool attention_look_is_due(const struct attention *a, uint64_t now_ns);
/* So long a picture may take that begins now; 0: none is due. */
uint64_t attention_picture_ns(const struct attention *a, uint64_t now_ns);
/* pressed: a key was there; it wants its picture. */
void attention_looked(struct attention *a, uint64_t began_ns, uint64_t now_ns, bool pressed);
/* whole: nothing of it is left for the next one. */
void attention_drew(struct attention *a, uint64_t began_ns, uint64_t now_ns, bool whole);
static inline uint64_t attention_spent_ns(const struct attention *a)
{
    return a->looks.spent_ns + a->pictures.spent_ns;
}

#endif
