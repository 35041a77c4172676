#include "question.h"
#include "bits.h"
#include "str.h"

/* 25 characters a second: above any record. */
enum { FASTEST_KEY_MS = 40 };

void question_start(struct question *q, const char *word)
{
    *q = (struct question){ .word = word, .remark = "" };
}

static void forget(struct question *q, const char *why)
{
    q->len = 0;
    q->typed[0] = 0;
    q->remark = why;
}

static enum answer enter(struct question *q, uint64_t now_ns)
{
    bool right = str_equal(q->typed, q->word);

    if (!right) {
        forget(q, q->len ? "that was another word: type it again" : "");
        return ANSWER_NONE;
    }
    if (now_ns - q->first_ns < q->len * FASTEST_KEY_MS * NS_PER_MS) {
        forget(q, "ignored: that came faster than a person types");
        return ANSWER_NONE;
    }
    return ANSWER_YES;
}

enum answer question_key(struct question *q, uint16_t key, uint64_t now_ns)
{
    switch (typing_key(&q->typing, key, now_ns)) {
    case TYPING_REPEATS:
        forget(q, "ignored: a key repeats itself (held down or stuck?)");
        return ANSWER_NONE;
    case TYPING_TOO_FAST:
        forget(q, "ignored: input faster than a person types");
        return ANSWER_NONE;
    case TYPING_TAKE:
        break;
    }
    if (key == KEY_ESC)
        return ANSWER_NO;
    if (key == KEY_ENTER)
        return enter(q, now_ns);
    if (key == KEY_BACKSPACE) {
        q->len -= q->len != 0;
        q->typed[q->len] = 0;
    } else if (key >= 0x20 && key <= 0x7e && q->len < QUESTION_WORD_MAX) {
        if (!q->len)
            q->first_ns = now_ns;
        q->typed[q->len++] = (char)key;
        q->typed[q->len] = 0;
    } else {
        return ANSWER_NONE;
    }
    q->remark = "";
    return ANSWER_NONE;
}
