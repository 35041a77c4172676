#include <string.h>
#include "attention.h"
#include "test.h"

#define MS 1000000ull
#define S  (1000 * MS)

/* A run on a model clock: a console and keyboards that take their time, and a person. */
struct rig {
    struct attention a;
    uint64_t now_ns, began_ns;
    uint64_t look_ns, picture_ns; /* what they take */
    uint64_t left_ns;             /* of the picture that was broken off */
    unsigned looks, pictures;
    bool (*presses)(const struct rig *r); /* since the last look */
    uint64_t whole_ns, dark_ns, blind_ns; /* a whole picture; the longest without one, without a look */
};
static bool always(const struct rig *r) { return r != NULL; }
static bool never(const struct rig *r) { return r == NULL; }

static struct rig rig_new(uint64_t look_us, uint64_t picture_us, uint64_t estimate_ns,
                          bool (*presses)(const struct rig *r))
{
    struct rig r = { .now_ns = 77 * S, .look_ns = look_us * 1000, .picture_ns = picture_us * 1000 };

    r.presses = presses;
    r.began_ns = r.whole_ns = r.now_ns;
    attention_begin(&r.a, r.now_ns, estimate_ns);
    return r;
}

/* Run by run, as the console does it, each a thirtieth of the picture. */
static void draw(struct rig *r)
{
    uint64_t began_ns = r->now_ns, most_ns = attention_picture_ns(&r->a, began_ns);

    if (!most_ns)
        return;
    if (!r->left_ns)
        r->left_ns = r->picture_ns;
    do {
        uint64_t run_ns = r->picture_ns / 30 + 1;

        r->now_ns += run_ns;
        r->left_ns -= run_ns < r->left_ns ? run_ns : r->left_ns;
    } while (r->left_ns && r->now_ns - began_ns < most_ns);
    if (!r->left_ns) {
        r->dark_ns = began_ns - r->whole_ns > r->dark_ns ? began_ns - r->whole_ns : r->dark_ns;
        r->whole_ns = began_ns;
        r->pictures++;
    }
    attention_drew(&r->a, began_ns, r->now_ns, !r->left_ns);
}

static void attend(struct rig *r)
{
    uint64_t began_ns = r->now_ns;

    if (attention_look_is_due(&r->a, began_ns)) {
        r->blind_ns = began_ns - r->a.looked_ns > r->blind_ns ? began_ns - r->a.looked_ns : r->blind_ns;
        r->now_ns += r->look_ns;
        r->looks++;
        attention_looked(&r->a, began_ns, r->now_ns, r->presses(r));
    }
    draw(r);
}

static void run(struct rig *r, uint64_t ns)
{
    for (uint64_t end_ns = r->now_ns + ns; r->now_ns < end_ns; r->now_ns += 10 * MS)
        attend(r);
}

static uint64_t share_ppm(const struct rig *r)
{
    return attention_spent_ns(&r->a) * 1000000 / (r->now_ns - r->began_ns);
}

static const uint64_t look_us[] = { 0, 1, 50, 1000, 3000, 10000, 50000, 300000 };
static const uint64_t picture_us[] = { 0, 10, 1000, 12000, 40000, 150000, 700000, 3000000 };

TEST(pictures_and_looks_take_less_than_a_hundredth_with_keys_pressed_all_the_time)
{
    static const uint64_t estimates[] = { 0, 450 * S, 900 * S, 3600 * S };

    for (unsigned i = 0; i < sizeof look_us / sizeof *look_us; i++)
        for (unsigned k = 0; k < sizeof picture_us / sizeof *picture_us; k++)
            for (unsigned n = 0; n < 2 * sizeof estimates / sizeof *estimates; n++) {
                unsigned person = n % 2, e = n / 2;
                struct rig r = rig_new(look_us[i], picture_us[k], estimates[e], person ? always : never);

                run(&r, 900 * S);
                if (share_ppm(&r) >= 10000)
                    test_fail(__FILE__, __LINE__, "look %llu us, picture %llu us: %llu ppm",
                              (unsigned long long)look_us[i], (unsigned long long)picture_us[k],
                              (unsigned long long)share_ppm(&r));
                CHECK(r.pictures >= 1 && r.looks >= 2);
                EQ(r.a.looks.spent_ns, r.looks * r.look_ns);
            }
}

/* A console that suddenly takes long is paid for before the next picture. */
static bool now_and_then(const struct rig *r) { return r->looks % 3 == 0; }

TEST(one_that_takes_longer_than_expected_is_earned_before_the_next)
{
    struct rig r = rig_new(500, 12000, 0, now_and_then);

    for (unsigned n = 0; n < 20; n++) {
        r.picture_ns = n % 5 == 4 ? 900 * MS : 12 * MS;
        r.look_ns = n % 7 == 6 ? 200 * MS : MS / 2;
        run(&r, 120 * S);
        /* Besides what was earned, one of each at most. */
        CHECK(attention_spent_ns(&r.a) <=
              (r.now_ns - r.began_ns) / 133 + 150 * MS + 200 * MS + 900 * MS / 30);
    }
    CHECK(share_ppm(&r) < 10000);
}

TEST(neither_looks_nor_pictures_starve_the_other)
{
    struct rig r = rig_new(20000, 100000, 0, always);

    run(&r, 600 * S);
    /* The first of each is earned after it came, and the second before. */
    CHECK(r.blind_ns <= 2 * 20 * MS * LOOK_SHARE + r.picture_ns + 11 * MS);
    CHECK(r.dark_ns <= 2 * 100 * MS * PICTURE_SHARE + r.blind_ns + 11 * MS);
}

TEST(a_person_who_comes_is_answered_at_once_for_as_long_as_was_earned)
{
    struct rig r = rig_new(300, 12000, 0, never);
    unsigned pictures;

    run(&r, 120 * S);
    r.presses = always;
    run(&r, LOOK_EVERY_MS * MS); /* the look that finds the first key */
    pictures = r.pictures;
    run(&r, 2 * S);
    /* Each look finds a key and is answered. */
    CHECK(r.pictures - pictures >= 9);
}

TEST(at_the_start_of_a_long_run_a_person_is_answered_with_earnings_that_are_to_come)
{
    struct rig r = rig_new(300, 100000, 900 * S, always);

    run(&r, 10 * S);
    CHECK(r.pictures >= 5);
    CHECK(share_ppm(&r) > 10000); /* of these ten seconds, but ... */
    run(&r, 890 * S);
    CHECK(share_ppm(&r) < 10000);
    r = rig_new(300, 100000, 40 * S, always); /* a short run earns less */
    run(&r, 40 * S);
    CHECK(r.pictures >= 2 && share_ppm(&r) < 10000);
}

TEST(without_keys_a_usual_console_gets_a_picture_every_few_seconds_from_the_start)
{
    struct rig r = rig_new(300, 12000, 0, never);

    run(&r, 60 * S);
    CHECK(r.pictures >= 15 && r.dark_ns < 5 * S);
    CHECK(r.blind_ns <= LOOK_EVERY_MS * MS + 11 * MS + r.picture_ns);
}

TEST(a_picture_that_costs_nothing_is_not_drawn_more_often_than_a_person_can_read)
{
    struct rig r = rig_new(0, 0, 0, never);

    run(&r, 60 * S);
    CHECK(r.pictures <= 60 * 1000 / PICTURE_EVERY_MS);
    CHECK(r.looks <= 61);
}

TEST(what_is_not_spent_is_saved_for_ten_minutes_at_most)
{
    struct pace p;

    pace_begin(&p, 100, 5 * S);
    EQ(pace_earned_ns(&p, 5 * S, 0, 0), 0);
    EQ(pace_earned_ns(&p, 15 * S, 5 * S, 0), 50 * MS);
    EQ(pace_earned_ns(&p, 15 * S, 11 * S, 0), 0);
    EQ(pace_earned_ns(&p, 15 * S, 0, 10 * S), 200 * MS);
    pace_spend(&p, 3605 * S, 3605 * S + 100 * MS);
    EQ(pace_earned_ns(&p, 3605 * S, 0, 0), 5900 * MS);
    EQ(p.count, 1);
    EQ(p.expected_ns, 100 * MS);
}

TEST(a_look_that_takes_longer_than_can_be_saved_comes_again_all_the_same)
{
    struct rig r = rig_new(5 * 1000000, 1000, 0, never);

    run(&r, 36000 * S);
    CHECK(r.looks >= 4 && share_ppm(&r) < 10000);
}
