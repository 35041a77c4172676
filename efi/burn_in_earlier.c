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

/* A multiple of RESUME_PROBE_BYTES at or behind which no line of the run begins: the file is allocated beyond
 * its end, and may hold anything there. */
static uint64_t find_end(struct resume *r, const struct medium *m, const char *run, uint64_t size, char *buf)
{
    uint64_t low = 0, high = size / RESUME_PROBE_BYTES + 1; /* low holds lines, high holds none */

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        size_t got = read_at(m, run, middle * RESUME_PROBE_BYTES, buf, RESUME_PROBE_BYTES);

        if (resume_run_lies_in(r, buf, got))
            low = middle;
        else
            high = middle;
    }
    return min_u64((low + 1) * RESUME_PROBE_BYTES, size);
}

static void look_at_run(struct resume *r, const struct medium *m, const char *run, char *buf)
{
    uint64_t size, end;
    size_t got;

    if (medium_run_read(m, run, 0, buf, RESUME_HEAD_BYTES, &got, &size) != OK ||
        !resume_run_head(r, buf, got))
        return;
    end = find_end(r, m, run, size, buf);
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
