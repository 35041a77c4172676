#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fio_json.h"
#include "fio_logs.h"
#include "render.h"
#include "runs.h"
#include "str.h"

/* Makes reports from a journal on the host: a file, a serial capture, an upload. */

static const char usage[] =
    "usage: journal-tool summary FILE   the page for people\n"
    "       journal-tool csv FILE       one row per measurement\n"
    "       journal-tool html FILE      a page with charts\n"
    "       journal-tool junit FILE     test cases for a build server\n"
    "       journal-tool fio-json FILE [--disk D] [--job J] [--every-percentile]\n"
    "                                   fio's JSON: of all measurements, or of the first that is named\n"
    "       journal-tool logs FILE DIR  the files that jobs asked for by write_bw_log and its kin:\n"
    "                                   logs/DISK/NAME_bw.NUMBER.log\n"
    "       journal-tool all FILE DIR [--every-percentile]\n"
    "                                   all of these as files: summary.txt results.csv report.html junit.xml\n"
    "                                   fio/combined.json fio/DISK/RW-DEPTH-1-JOB.json logs/...\n"
    "       journal-tool check FILE [--expect-cells N] [--expect-runs N] [--allow-cut]\n"
    "                                   exit 0 when every run is complete and undamaged\n"
    "FILE may be -.  --every-percentile: those with too few samples are the largest latency, for parsers that\n"
    "want them all.  Exit 1: the check failed, or nothing is called so.  Exit 2: wrong use, or a file cannot be\n"
    "read or written.\n";

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

static bool to_file(void *ctx, const char *bytes, size_t len) { return fwrite(bytes, 1, len, ctx) == len; }

typedef void renderer(const char *journal, size_t len, struct render_out *out);

static int render(renderer *how, const struct whole *w)
{
    struct render_out out = { .write = to_file, .ctx = stdout };

    how(w->bytes, w->len, &out);
    return out.failed || fflush(stdout) ? 2 : 0;
}

/* ---- what is asked for ---- */
struct wish {
    bool cells_given, runs_given, allow_cut, every_percentile;
    unsigned long long cells, runs;
    const char *folder, *disk, *job;
};

/* ---- fio's JSON, one by one ---- */
static bool is_wanted(const struct journal_line *l, const struct wish *wish)
{
    return (!wish->disk || event_is(l, "disk", wish->disk)) && (!wish->job || event_is(l, "job", wish->job));
}

static int fio_json(const struct whole *w, const struct wish *wish)
{
    struct render_out out = { .write = to_file, .ctx = stdout };
    struct run_walk walk;
    struct run_lines lines;
    struct journal_line l;
    struct run run;

    if (!wish->disk && !wish->job)
        return render(render_fio_json, w);
    run_walk_start(&walk, w->bytes, w->len);
    while (run_walk_next(&walk, &run)) {
        run_lines_start(&lines, &run);
        while (run_lines_find(&lines, "step_end", &l)) {
            if (!is_wanted(&l, wish))
                continue;
            fio_json_job(&run, &l, wish->every_percentile, &out);
            return out.failed || fflush(stdout) ? 2 : 0;
        }
    }
    fprintf(stderr, "no measurement is called so\n");
    return 1;
}

/* ---- all files ---- */
static bool make_folder(const char *path) { return !mkdir(path, 0777) || errno == EEXIST; }

static FILE *open_output(const char *path)
{
    FILE *f = fopen(path, "wb");

    if (!f)
        perror(path);
    return f;
}

static bool close_output(FILE *f, const char *path, const struct render_out *out)
{
    bool good = !fclose(f) && !out->failed;

    if (!good)
        perror(path);
    return good;
}

static bool write_file(renderer *how, const struct whole *w, const char *path)
{
    struct render_out out = { .write = to_file };

    out.ctx = open_output(path);
    if (!out.ctx)
        return false;
    how(w->bytes, w->len, &out);
    return close_output(out.ctx, path, &out);
}

/* Names that were written; a job that ran again gets its step, and in another run that as well. */
enum { NAME_BYTES = 192 };
struct names {
    char (*name)[NAME_BYTES];
    size_t count, cap;
};

static bool is_new_name(struct names *n, const char *path)
{
    for (size_t i = 0; i < n->count; i++)
        if (!strcmp(n->name[i], path))
            return false;
    if (n->count == n->cap) {
        void *more = realloc(n->name, (n->cap = n->cap * 2 + 64) * sizeof *n->name);

        if (!more)
            return false;
        n->name = more;
    }
    snprintf(n->name[n->count++], sizeof *n->name, "%s", path);
    return true;
}

/* Its texts and the caller's lines are too large for one frame. */
static __attribute__((noinline)) bool write_job(const struct run *run, const struct journal_line *l,
                                                const struct wish *wish, struct names *names)
{
    char disk[28], name[112], path[NAME_BYTES];
    struct text t = text_over(name, sizeof name);
    struct render_out out = { .write = to_file };

    event_str(l, "disk", disk, sizeof disk);
    for (char *c = disk; *c; c++)
        if (!(strchr("0123456789.-", *c) || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z')) ||
            (c == disk && *c == '.'))
            *c = '_';
    fio_json_file_name(l, &t);
    snprintf(path, sizeof path, "fio/%s", disk[0] ? disk : "_");
    if (!make_folder(path)) {
        perror(path);
        return false;
    }
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", name);
    if (!is_new_name(names, path))
        snprintf(path + strlen(path) - strlen(".json"), sizeof path - strlen(path), "-step%llu-%016llx.json",
                 (unsigned long long)event_u64(l, "step"), (unsigned long long)run->run_id);
    out.ctx = open_output(path);
    if (!out.ctx)
        return false;
    fio_json_job(run, l, wish->every_percentile, &out);
    return close_output(out.ctx, path, &out);
}

static bool write_jobs(const struct whole *w, const struct wish *wish)
{
    struct names names = { 0 };
    struct run_walk walk;
    struct run_lines lines;
    struct journal_line l;
    struct run run;
    bool good = true;

    run_walk_start(&walk, w->bytes, w->len);
    while (good && run_walk_next(&walk, &run)) {
        run_lines_start(&lines, &run);
        while (good && run_lines_find(&lines, "step_end", &l))
            good = write_job(&run, &l, wish, &names);
    }
    free(names.name);
    return good;
}

/* ---- the files of write_bw_log and its kin ---- */
static bool make_folders(const char *path)
{
    char folder[sizeof((struct fio_log *)0)->path];

    for (size_t i = 0; path[i]; i++)
        if (path[i] == '/') {
            snprintf(folder, sizeof folder, "%.*s", (int)i, path);
            if (!make_folder(folder))
                return false;
        }
    return true;
}

static bool write_log(const struct fio_log *log)
{
    struct render_out out = { .write = to_file };

    if (!fio_log_has_series(log)) {
        fprintf(stderr, "%s is left out: this journal does not have the series\n", log->path);
        return true;
    }
    if (!make_folders(log->path)) {
        perror(log->path);
        return false;
    }
    out.ctx = open_output(log->path);
    if (!out.ctx)
        return false;
    fio_log_render(log, &out);
    return close_output(out.ctx, log->path, &out);
}

static bool write_logs(const struct whole *w)
{
    static struct fio_logs walk;
    static struct fio_log log;
    bool good = true;

    fio_logs_start(&walk, w->bytes, w->len);
    while (good && fio_logs_next(&walk, &log))
        good = write_log(&log);
    return good;
}

static bool enter_folder(const char *path)
{
    bool good = make_folder(path) && !chdir(path);

    if (!good)
        perror(path);
    return good;
}

static int logs(const struct whole *w, const struct wish *wish)
{
    return enter_folder(wish->folder) && write_logs(w) ? 0 : 2;
}

static int all(const struct whole *w, const struct wish *wish)
{
    static const struct {
        const char *name;
        renderer *how;
    } files[] = { { "summary.txt", render_summary },
                  { "results.csv", render_csv },
                  { "report.html", render_html },
                  { "junit.xml", render_junit },
                  { "fio/combined.json", render_fio_json } };
    bool good = enter_folder(wish->folder);

    if (good && !make_folder("fio")) {
        perror("fio");
        good = false;
    }
    for (size_t i = 0; good && i < sizeof files / sizeof files[0]; i++)
        good = write_file(files[i].how, w, files[i].name);
    return good && write_jobs(w, wish) && write_logs(w) ? 0 : 2;
}

/* ---- check ---- */
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

static bool take_text(char **argv, int *i, const char **out)
{
    *out = argv[*i + 1];
    return *out && ++*i;
}

/* What stands behind the file's name.  False: not understood. */
static bool read_wish(char **argv, struct wish *wish)
{
    for (int i = 0; argv[i]; i++) {
        bool known = true;

        if (!strcmp(argv[i], "--allow-cut"))
            wish->allow_cut = true;
        else if (!strcmp(argv[i], "--every-percentile"))
            wish->every_percentile = true;
        else if (!strcmp(argv[i], "--expect-cells"))
            known = take_number(argv, &i, &wish->cells_given, &wish->cells);
        else if (!strcmp(argv[i], "--expect-runs"))
            known = take_number(argv, &i, &wish->runs_given, &wish->runs);
        else if (!strcmp(argv[i], "--disk"))
            known = take_text(argv, &i, &wish->disk);
        else if (!strcmp(argv[i], "--job"))
            known = take_text(argv, &i, &wish->job);
        else if (argv[i][0] != '-' && !wish->folder)
            wish->folder = argv[i];
        else
            known = false;
        if (!known)
            return false;
    }
    return true;
}

/* ---- commands ---- */
static const struct command {
    const char *name;
    renderer *how; /* of those that only render */
    int (*run)(const struct whole *w, const struct wish *wish);
    bool takes_folder, takes_options;
} commands[] = {
    { "summary", render_summary, NULL, false, false },
    { "csv", render_csv, NULL, false, false },
    { "html", render_html, NULL, false, false },
    { "junit", render_junit, NULL, false, false },
    { "fio-json", NULL, fio_json, false, true },
    { "logs", NULL, logs, true, true },
    { "all", NULL, all, true, true },
    { "check", NULL, check, false, true },
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct command *command = argc > 2 ? find_command(argv[1]) : NULL;
    struct wish wish = { 0 };
    struct whole w;
    FILE *f;
    int result;

    if (!command || !read_wish(argv + 3, &wish) || !wish.folder == command->takes_folder ||
        (argc > 3 && !command->takes_options)) {
        fputs(usage, stderr);
        return 2;
    }
    f = strcmp(argv[2], "-") ? fopen(argv[2], "rb") : stdin;
    w = f ? read_all(f) : (struct whole){ 0 };
    if (!w.bytes) {
        perror(argv[2]);
        return 2;
    }
    result = command->run ? command->run(&w, &wish) : render(command->how, &w);
    if (f != stdin)
        fclose(f);
    free(w.bytes);
    return result;
}
