#include "burn_in_earlier.h"
#include "math.h"
#include "platform.h"

enum { RUNS_LOOKED_AT = 64, WINDOWS_MAX = 64, BUF_BYTES = RESUME_WINDOW_BYTES + RESUME_PROBE_BYTES };

static size_t read_at(const struct medium *m, const char *run, uint64_t at, char *buf, size_t cap)
{
    uint64_t size;
    size_t got;

    return medium_run_read(m, run, at, buf, cap, &got, &size) == OK ? got : 0;
}

struct earlier_run {
    struct resume *r;
    const struct medium *m;
    const char *run;
    char *buf;
};

static bool lies_at(void *ctx, uint64_t at_bytes)
{
    const struct earlier_run *e = ctx;

    return resume_run_lies_in(e->r, e->buf, read_at(e->m, e->run, at_bytes, e->buf, RESUME_PROBE_BYTES));
}

static void look_at_run(struct resume *r, const struct medium *m, const char *run, char *buf)
{
    struct earlier_run e = { r, m, run, buf };
    uint64_t size, end;
    size_t got;

    if (medium_run_read(m, run, 0, buf, RESUME_HEAD_BYTES, &got, &size) != OK ||
        !resume_run_head(r, buf, got))
        return;
    /* Behind it no line of the run begins: the file is allocated beyond its end, and may hold anything there.
     */
    end = min_u64((resume_last_piece(size, lies_at, &e) + 1) * RESUME_PROBE_BYTES, size);
    for (unsigned i = 0; end && i < WINDOWS_MAX; i++) {
        uint64_t from = end > RESUME_WINDOW_BYTES ? end - RESUME_WINDOW_BYTES : 0;

        got = read_at(m, run, from, buf, (size_t)(end - from));
        if (resume_run_window(r, buf, got))
            return;
        end = from ? from + RESUME_OVERLAP_BYTES : 0;
    }
}

void burn_in_earlier(struct resume *r, const struct medium *m)
{
    char(*names)[MEDIUM_RUN_NAME_BYTES] = plat_alloc(RUNS_LOOKED_AT * sizeof *names + sizeof *names);
    char *buf = plat_alloc(BUF_BYTES);
    unsigned count = names && buf ? medium_runs(m, names, RUNS_LOOKED_AT) : 0;

    /* The newest name is first; what is offered last counts where clocks are missing. */
    while (count--)
        look_at_run(r, m, names[count], buf);
    plat_free(names);
    plat_free(buf);
}
