#include <string.h>
#include "key.h"
#include "question.h"
#include "test.h"

#define MS 1000000ull

/* ---- keys ---- */
TEST(every_scan_code_of_the_firmware_is_a_key_or_nothing)
{
    EQ(key_from_efi(0x01, 0), KEY_UP);
    EQ(key_from_efi(0x0a, 0), KEY_PAGE_DOWN);
    EQ(key_from_efi(0x0b, 0), KEY_F1);
    EQ(key_from_efi(0x17, 0), KEY_ESC);
    EQ(key_from_efi(0x18, 0), KEY_NONE);
    EQ(key_from_efi(0xffff, 'a'), KEY_NONE);
    EQ(key_from_efi(0, 'a'), 'a');
    EQ(key_from_efi(0, '~'), '~');
    EQ(key_from_efi(0, 0x7f), KEY_BACKSPACE);
    EQ(key_from_efi(0, '\n'), KEY_ENTER);
    EQ(key_from_efi(0, 0), KEY_NONE);
    EQ(key_from_efi(0, 0xe4), KEY_NONE);
    EQ(key_from_efi(0, 0xffff), KEY_NONE);
}

/* ---- persons ---- */
TEST(a_stuck_key_counts_at_most_twice_however_fast_it_repeats)
{
    static const unsigned every_ms[] = { 1, 10, 33, 92, 119, 120, 200, 500, 1499 };

    for (unsigned i = 0; i < sizeof every_ms / sizeof every_ms[0]; i++) {
        struct typing t = { 0 };
        unsigned taken = 0;

        for (unsigned n = 0; n < 500; n++)
            taken += typing_key(&t, KEY_ESC, (1000 + (n ? 500 : 0) + n * every_ms[i]) * MS) == TYPING_TAKE;
        CHECK(taken >= 1 && taken <= 2);
    }
}

TEST(noise_is_shut_out_until_it_has_been_silent)
{
    struct typing t = { 0 };
    unsigned taken = 0;
    uint64_t now = 0;

    for (unsigned n = 0; n < 960; n++, now += MS)
        taken += typing_key(&t, (uint16_t)(0x20 + n * 7 % 95), now) == TYPING_TAKE;
    CHECK(taken <= 26);
    EQ(typing_key(&t, 'a', now + 998 * MS), TYPING_TOO_FAST);
    EQ(typing_key(&t, 'b', now + 1998 * MS), TYPING_TAKE);
}

TEST(a_fast_typist_is_no_noise_also_when_firmware_hands_over_late)
{
    struct typing t = { 0 };

    for (unsigned n = 0; n < 200; n++)
        EQ(typing_key(&t, (uint16_t)('a' + n % 20), n * 80 * MS), TYPING_TAKE);
    for (unsigned n = 0; n < 200; n++)
        EQ(typing_key(&t, (uint16_t)('a' + n % 20), (20000 + n / 5 * 500) * MS), TYPING_TAKE);
}

TEST(keys_that_only_move_may_be_held)
{
    struct typing t = { 0 };

    for (unsigned n = 0; n < 500; n++)
        EQ(typing_key(&t, KEY_DOWN, n * 30 * MS), TYPING_TAKE);
    EQ(typing_key(&t, KEY_ENTER, 500 * 30 * MS), TYPING_TAKE);
}

/* ---- the question ---- */
static enum answer type_word(struct question *q, const char *s, uint64_t *now, unsigned every_ms)
{
    enum answer a = ANSWER_NONE;

    for (; *s && a == ANSWER_NONE; s++, *now += every_ms * MS)
        a = question_key(q, *s == '\n' ? KEY_ENTER : (uint16_t)*s, *now);
    return a;
}

TEST(only_the_word_and_enter_is_yes)
{
    static const char *const no[] = { "\n",      "sto\n",   "stopp\n", "Stop\n",
                                      " stop\n", "stop \n", "stop",    "pots\n" };
    uint64_t now = 5000 * MS;
    struct question q;

    for (unsigned i = 0; i < sizeof no / sizeof no[0]; i++) {
        question_start(&q, "stop");
        EQ(type_word(&q, no[i], &now, 150), ANSWER_NONE);
    }
    question_start(&q, "stop");
    EQ(type_word(&q, "stop\n", &now, 150), ANSWER_YES);
    question_start(&q, "stop");
    EQ(type_word(&q, "halt\nstop\n", &now, 150), ANSWER_YES);
    question_start(&q, "write ABC 12");
    EQ(type_word(&q, "write ABC 12\n", &now, 150), ANSWER_YES);
}

TEST(a_word_may_be_corrected)
{
    uint64_t now = 5000 * MS;
    struct question q;

    question_start(&q, "stop");
    EQ(type_word(&q, "stoq", &now, 150), ANSWER_NONE);
    EQ(question_key(&q, KEY_BACKSPACE, now += 300 * MS), ANSWER_NONE);
    EQ_STR(q.typed, "sto");
    EQ(type_word(&q, "p\n", &now, 150), ANSWER_YES);
    question_start(&q, "stop");
    EQ(question_key(&q, KEY_BACKSPACE, now += 300 * MS), ANSWER_NONE);
    EQ(q.len, 0);
}

TEST(a_word_that_comes_faster_than_a_person_types_is_ignored_and_says_so)
{
    uint64_t now = 5000 * MS;
    struct question q;

    question_start(&q, "stop");
    EQ(type_word(&q, "stop\n", &now, 0), ANSWER_NONE);
    HAS_STR(q.remark, "faster than a person");
    EQ(q.len, 0);
    now += 300 * MS;
    EQ(type_word(&q, "stop\n", &now, 39), ANSWER_NONE);
    now += 3000 * MS;
    EQ(type_word(&q, "stop\n", &now, 45), ANSWER_YES);
}

TEST(a_stuck_key_types_nothing_and_says_so)
{
    struct question q;
    uint64_t now = 5000 * MS;

    question_start(&q, "aaaa");
    for (unsigned i = 0; i < 100; i++)
        EQ(question_key(&q, 'a', now += 33 * MS), ANSWER_NONE);
    HAS_STR(q.remark, "repeats");
    CHECK(q.len < 4);
    for (unsigned i = 0; i < 100; i++)
        EQ(question_key(&q, KEY_ENTER, now += 300 * MS), ANSWER_NONE);
}

TEST(noise_on_a_line_never_answers_yes)
{
    struct question q;
    uint64_t now = 0, seed = 1;
    unsigned yes = 0;

    question_start(&q, "stop");
    for (unsigned i = 0; i < 200000; i++) {
        static const char likely[] = "stop\r";
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        now += (seed >> 40 & 3) * MS;
        yes += question_key(&q, (uint16_t)likely[(seed >> 33) % 5], now) == ANSWER_YES;
    }
    EQ(yes, 0);
}

TEST(more_than_the_longest_word_is_not_kept)
{
    struct question q;
    uint64_t now = 0;

    question_start(&q, "stop");
    for (unsigned i = 0; i < 100; i++)
        question_key(&q, (uint16_t)('a' + i % 20), now += 200 * MS);
    EQ(q.len, QUESTION_WORD_MAX);
    EQ(strlen(q.typed), QUESTION_WORD_MAX);
}

TEST(esc_is_no)
{
    struct question q;

    question_start(&q, "stop");
    EQ(question_key(&q, 's', 1 * MS), ANSWER_NONE);
    EQ(question_key(&q, KEY_ESC, 500 * MS), ANSWER_NO);
}
