#ifndef REPORT_FIO_PEN_H
#define REPORT_FIO_PEN_H
#include "pen.h"
#include "runs.h"

/* Within the fio JSON: its syntax, piece by piece (fio_pen.c), and its directions (fio_direction.c). */
struct fio_pen {
    struct pen pen;
    bool comma;
    unsigned depth;
    bool every_percentile;
};

/* A comma where one is due, and the name of what follows; key NULL: an element of a list.  Members of a job
 * and above begin a line; what lies deeper goes on in it. */
void fio_put_key(struct fio_pen *j, const char *key);
void fio_begin(struct fio_pen *j, const char *key, const char *bracket);
void fio_end(struct fio_pen *j, const char *bracket);
void fio_put_u64(struct fio_pen *j, const char *key, uint64_t v);
/* v millionths: fio writes its fractions with six decimals. */
void fio_put_micro(struct fio_pen *j, const char *key, uint64_t v);
/* Words of ours: nothing in them needs to be escaped. */
void fio_put_words(struct fio_pen *j, const char *key, const char *words);
/* A number as a text: fio's options are what a person wrote. */
void fio_put_option(struct fio_pen *j, const char *key, uint64_t v);
/* A value as it stands in the journal, escapes and digits alike; an empty text when it is missing. */
void fio_put_verbatim(struct fio_pen *j, const char *key, const struct journal_line *l, const char *member);
/* All of a line but what belongs to the line alone, each name once. */
void fio_put_members(struct fio_pen *j, const char *key, const struct journal_line *l);

/* read, write, trim and sync of a step_end. */
void fio_put_directions(struct fio_pen *j, const struct run *run, const struct journal_line *l);
/* As an option's text: the percentiles that the job asked for, or (also with l NULL) the usual ones. */
void fio_put_percentile_list(struct fio_pen *j, const struct journal_line *l);
/* Within our own part: the drives that were burnt in; nothing when there is none.  fio_burn_in.c */
void fio_put_burn_ins(struct fio_pen *j, const struct run *run);
/* Whether a step_end is of a job that reads and writes. */
bool fio_is_mix(const struct journal_line *l);

#endif
