#include "ask.h"
#include "bits.h"
#include "clock.h"
#include "console.h"
#include "keys.h"
#include "platform.h"
#include "question.h"
#include "serial.h"

enum { LOOK_MS = 1000 };

static struct question asked[KEYS_SOURCES_MAX];

static void say(const char *title, const char (*lines)[120], unsigned line_count, const char *word,
                unsigned timeout_s)
{
    serial_say("%s", title);
    for (unsigned i = 0; i < line_count; i++)
        serial_say("  %s", lines[i]);
    serial_say("Type the word %s and press Enter within %u s; Esc: no", word, timeout_s);
}

static void show(struct question_view *v, const struct question *q, uint64_t end_ns)
{
    uint64_t now_ns = clock_now_ns();

    v->typed = q->typed;
    v->remark = q->remark;
    v->seconds_left = now_ns < end_ns ? (unsigned)((end_ns - now_ns + NS_PER_S - 1) / NS_PER_S) : 0;
    view_question(console_grid(), v);
    console_show();
}

/* Each keyboard answers for itself. */
static enum answer take(const struct press *p, struct question **shown)
{
    static const char *said = "";
    struct question *q = *shown = &asked[p->source];
    enum answer a = question_key(q, p->key, clock_now_ns());

    if (q->remark[0] && q->remark != said)
        serial_say("%s", q->remark);
    said = q->remark;
    return a;
}

/* All keys that wait are taken before anything is drawn: a word that came at once is not to look as if it had
 * been typed, key by key, between pictures. */
static enum answer wait_answer(struct question_view *v, uint64_t end_ns)
{
    struct question *shown = &asked[0];
    enum answer a = ANSWER_NONE;
    struct press p;

    while (clock_now_ns() < end_ns) {
        show(v, shown, end_ns);
        for (bool any = keys_wait(&p, LOOK_MS); any && clock_now_ns() < end_ns; any = keys_take(&p))
            if ((a = take(&p, &shown)) != ANSWER_NONE)
                return a;
    }
    return ANSWER_NONE;
}

bool ask_word(const char *title, const char (*lines)[120], unsigned line_count, const char *word,
              unsigned timeout_s)
{
    static const char *const ends[] = {
        [ANSWER_NONE] = "no answer: no", [ANSWER_YES] = "answered: yes", [ANSWER_NO] = "answered: no"
    };
    struct question_view v = { .title = title, .lines = lines, .line_count = line_count, .word = word };

    if (!console_present() && !serial_port_count())
        return false;
    for (unsigned i = 0; i < KEYS_SOURCES_MAX; i++)
        question_start(&asked[i], word);
    keys_drop();
    say(title, lines, line_count, word, timeout_s);
    enum answer a = wait_answer(&v, clock_now_ns() + timeout_s * NS_PER_S);
    serial_say("%s: %s", title, ends[a]);
    return a == ANSWER_YES;
}
