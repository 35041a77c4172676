#ifndef SCREEN_JOURNAL_END_READ_H
#define SCREEN_JOURNAL_END_READ_H
#include <stddef.h>
#include "views.h"

/* The last screen as a function of a journal: drives with bay and verdict, findings with advice. */
enum { END_DRIVES_MAX = 512, END_FINDINGS_MAX = 64 };
struct end_facts {
    struct end_drive drives[END_DRIVES_MAX];
    struct end_finding findings[END_FINDINGS_MAX]; /* WARN and FAIL; one per code and level */
    const char *codes[END_FINDINGS_MAX];
    unsigned drive_count, finding_count;
    char slot[16]; /* while it reads the tree: "slot 3", and how deep below it one is */
    unsigned slot_depth;
};
/* Of the text's last run, also of one cut short; fills all of *v but where, keys and first.  False: there is
 * no run in it. */
bool end_read(const char *journal, size_t len, struct end_facts *facts, struct end_view *v);

#endif
