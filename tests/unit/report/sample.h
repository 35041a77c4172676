#ifndef TESTS_REPORT_SAMPLE_H
#define TESTS_REPORT_SAMPLE_H
#include <stdbool.h>
#include <stddef.h>
#include "journal.h"
#include "render.h"

/* A text that grows: the file or the port behind a sink. */
struct memory {
    char *bytes;
    size_t len, cap;
    size_t limit; /* refuses what would make it longer; 0: none */
    unsigned refused;
};
bool memory_line(void *ctx, const char *line, size_t len);
void memory_add(struct memory *m, const char *bytes, size_t len);
void memory_free(struct memory *m);

/* A clock that advances by 1.5 s with each look. */
uint64_t sample_now_ns(void);
struct journal *journal_new(struct memory *file, uint64_t run_id);

/* A whole run with everything in it: three drives, one of them failing, one not tested. */
void sample_run(struct journal *j);
/* The same, in a fresh text that the caller frees. */
struct memory sample_text(uint64_t run_id);
/* A result in which every member has its top bit set. */
struct step_result extreme_result(void);

/* What a report writes, as one string in memory. */
struct memory rendered(void (*how)(const char *, size_t, struct render_out *), const char *text, size_t len);
struct memory summary_of(const char *text, size_t len);
struct memory csv_of(const char *text, size_t len);
bool contains(const struct memory *m, const char *part);

#endif
