#ifndef SCREEN_QUESTION_H
#define SCREEN_QUESTION_H
#include "grid.h"
#include "key.h"

/* A question that only a typed word answers with yes: what cannot be undone hangs on no single key, no stuck
 * one, no noise on a line, no pasted text. */
enum { QUESTION_WORD_MAX = 32 };
struct question {
    const char *word;
    char typed[QUESTION_WORD_MAX + 1];
    uint8_t len;
    uint64_t first_ns; /* when its first character was typed */
    struct typing typing;
    const char *remark; /* why the last key was ignored; "" */
};
enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO };
/* word: 1 .. QUESTION_WORD_MAX printable characters without blanks at its ends. */
void question_start(struct question *q, const char *word);
/* Enter after exactly the word, typed at a person's speed, is YES; Esc is NO; all else leaves it open. */
enum answer question_key(struct question *q, uint16_t key, uint64_t now_ns);

/* The question in a frame on an otherwise empty screen. */
struct question_view {
    const char *title;
    const char (*lines)[120];
    unsigned line_count;
    const char *word, *typed, *remark;
    unsigned seconds_left;
};
void view_question(struct grid *g, const struct question_view *v);

#endif
