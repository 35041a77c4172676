#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "render.h"
#include "runs.h"

/* Makes reports from a journal on the host: a file, a serial capture, an upload. */

static const char usage[] =
    "usage: journal-tool summary FILE   the page for people\n"
    "       journal-tool csv FILE       one row per measurement\n"
    "       journal-tool check FILE [--expect-cells N] [--expect-runs N] [--allow-cut]\n"
    "                                   exit 0 when every run is complete and undamaged\n"
    "FILE may be -.  Exit 1: the check failed.  Exit 2: wrong use, or FILE cannot be read.\n";

struct whole {
    char *bytes;
    size_t len;
};

static struct whole read_all(FILE *f)
{
    struct whole w = { NULL, 0 };
    size_t cap = 1 << 20, n;

    w.bytes = malloc(cap);
    while (w.bytes && (n = fread(w.bytes + w.len, 1, cap - w.len, f)) > 0) {
        w.len += n;
        if (w.len == cap) {
            char *more = realloc(w.bytes, cap * 2);
            if (!more)
                free(w.bytes);
            w.bytes = more;
            cap *= 2;
        }
    }
    if (ferror(f)) {
        free(w.bytes);
        w.bytes = NULL;
    }
    return w;
}

static bool to_stdout(void *ctx, const char *bytes, size_t len)
{
    (void)ctx;
    return fwrite(bytes, 1, len, stdout) == len;
}

static int render(void (*how)(const char *, size_t, struct render_out *), const struct whole *w)
{
    struct render_out out = { .write = to_stdout };

    how(w->bytes, w->len, &out);
    return out.failed || fflush(stdout) ? 2 : 0;
}

/* ---- check ---- */
struct wish {
    bool cells_given, runs_given, allow_cut;
    unsigned long long cells, runs;
};

static unsigned long long ull(uint64_t v) { return v; }

/* A cut run may end in one torn line. */
static bool run_is_good(const struct run *r, const struct wish *wish)
{
    bool cut = !r->ends && wish->allow_cut;

    return !r->first_seq && !r->missing_lines && !r->oversize && (r->ends == 1 || cut) &&
           r->corrupt_lines <= (cut ? 1 : 0);
}

static bool check_run(const struct run *r, const struct wish *wish)
{
    bool good = run_is_good(r, wish);

    printf(
        "run=%016llx lines=%llu first_seq=%llu corrupt=%llu missing=%llu repeated=%llu oversize=%llu newer=%llu "
        "disks=%llu cells=%llu findings=%llu problems=%llu not_tested=%llu complete=%d verdict=%s exit_code=%llu %s\n",
        ull(r->run_id), ull(r->lines), ull(r->first_seq), ull(r->corrupt_lines), ull(r->missing_lines),
        ull(r->repeated_lines), ull(r->oversize), ull(r->newer_lines), ull(r->disks), ull(r->cells),
        ull(r->findings), ull(r->problems), ull(r->not_tested), r->ends != 0,
        r->ends ? verdict_text(r->verdict) : "none", ull(r->exit_code), good ? "good" : "BAD");
    if (!r->ends)
        printf("did not finish: last event %s, line %llu\n", r->last_ev, ull(r->last_seq));
    return good;
}

static int check(const struct whole *w, const struct wish *wish)
{
    struct run_walk walk;
    struct run run;
    unsigned long long cells = 0;
    bool good = true;

    run_walk_start(&walk, w->bytes, w->len);
    while (run_walk_next(&walk, &run)) {
        good &= check_run(&run, wish);
        cells += run.cells;
    }
    printf("runs=%llu cells=%llu stale=%llu bytes=%zu end=%zu\n", ull(walk.runs), cells,
           ull(walk.reader.stale_lines), w->len, journal_end(w->bytes, w->len));
    if (!walk.runs) {
        printf("no run in it (%llu damaged lines)\n", ull(walk.reader.corrupt_lines));
        good = false;
    }
    if (wish->cells_given && cells != wish->cells) {
        printf("%llu cells, want %llu\n", cells, wish->cells);
        good = false;
    }
    if (wish->runs_given && walk.runs != wish->runs) {
        printf("%llu runs, want %llu\n", ull(walk.runs), wish->runs);
        good = false;
    }
    return good ? 0 : 1;
}

static bool take_number(char **argv, int *i, bool *given, unsigned long long *out)
{
    char *end;

    if (!argv[*i + 1])
        return false;
    *out = strtoull(argv[++*i], &end, 10);
    *given = true;
    return *end == 0 && end != argv[*i];
}

static bool read_wish(char **argv, struct wish *wish)
{
    for (int i = 0; argv[i]; i++) {
        bool known = true;

        if (!strcmp(argv[i], "--allow-cut"))
            wish->allow_cut = true;
        else if (!strcmp(argv[i], "--expect-cells"))
            known = take_number(argv, &i, &wish->cells_given, &wish->cells);
        else if (!strcmp(argv[i], "--expect-runs"))
            known = take_number(argv, &i, &wish->runs_given, &wish->runs);
        else
            known = false;
        if (!known)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct wish wish = { 0 };
    struct whole w;
    FILE *f;
    int result;

    if (argc < 3 || (strcmp(argv[1], "check") && argc > 3) || !read_wish(argv + 3, &wish) ||
        (strcmp(argv[1], "check") && strcmp(argv[1], "summary") && strcmp(argv[1], "csv"))) {
        fputs(usage, stderr);
        return 2;
    }
    f = strcmp(argv[2], "-") ? fopen(argv[2], "rb") : stdin;
    w = f ? read_all(f) : (struct whole){ 0 };
    if (!w.bytes) {
        perror(argv[2]);
        return 2;
    }
    if (!strcmp(argv[1], "check"))
        result = check(&w, &wish);
    else
        result = render(!strcmp(argv[1], "csv") ? render_csv : render_summary, &w);
    if (f != stdin)
        fclose(f);
    free(w.bytes);
    return result;
}
