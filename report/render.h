#ifndef REPORT_RENDER_H
#define REPORT_RENDER_H
#include <stdbool.h>
#include <stddef.h>
#include "text.h"

/* Pure functions from a journal's text to what people read.  A journal cut short still yields a result
 * that says what is missing.  Output goes out in pieces, so that no one needs a buffer of the whole. */
struct render_out {
    bool (*write)(void *ctx, const char *bytes, size_t len);
    void *ctx;
    bool failed; /* a write was refused; nothing more was tried */
};
/* The human page: verdict first, then drives, numbers with flags, findings with advice, what is missing. */
void render_summary(const char *journal, size_t len, struct render_out *out);
/* results.csv: one row per step_end; header and rows walk one column table; names carry units. */
void render_csv(const char *journal, size_t len, struct render_out *out);
/* fio's JSON, all measurements as jobs[] (report/fio_json.h: one by one). */
void render_fio_json(const char *journal, size_t len, struct render_out *out);
/* junit.xml: a testsuite per drive and one for the machine; NOT-TESTED is `skipped`. */
void render_junit(const char *journal, size_t len, struct render_out *out);
/* report.html: one file without scripts that needs no network.  Not from two threads at once. */
void render_html(const char *journal, size_t len, struct render_out *out);

#endif
