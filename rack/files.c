#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "bits.h"
#include "ingest.h"

enum { FILES_PER_TRANSACTION = 64 };
#define LARGEST_FILE (1ull << 30)

struct intake {
    struct rack rack;
    struct rack_ingest *ingest;
    struct rack_ingest_counts total;
    uint64_t in_transaction, without_lines;
    bool verbose, unreadable, broken; /* broken: the database refused; there is no going on */
};

struct ingest_options {
    const char *db, *rack_name;
    bool verbose;
};

static bool commit(struct intake *in, bool begin_next)
{
    in->in_transaction = 0;
    if (rack_exec(&in->rack, "COMMIT") && (!begin_next || rack_exec(&in->rack, "BEGIN")))
        return true;
    in->broken = true;
    return false;
}

static void take(struct intake *in, const char *path, const char *text, size_t len, bool named)
{
    struct rack_ingest_counts c = { 0 };

    if (!rack_ingest_text(in->ingest, path, text, len, &c)) {
        fprintf(stderr, "baresweep-rack: %s: nothing of it was taken\n", path);
        in->broken = true;
        return;
    }
    if (!c.lines && !c.damaged) {
        in->without_lines++;
        if (named)
            fprintf(stderr, "baresweep-rack: %s: there is no journal line in it\n", path);
    }
    if (in->verbose || c.damaged)
        printf("%s: %llu lines, %llu new, %llu damaged\n", path, (unsigned long long)c.lines,
               (unsigned long long)c.new_lines, (unsigned long long)c.damaged);
    in->total.files++;
    in->total.bytes += c.bytes;
    in->total.lines += c.lines;
    in->total.new_lines += c.new_lines;
    in->total.damaged += c.damaged;
    in->total.omitted += c.omitted;
    in->total.newer += c.newer;
    if (++in->in_transaction == FILES_PER_TRANSACTION)
        commit(in, true);
}

static void complain(struct intake *in, const char *path, const char *what)
{
    fprintf(stderr, "baresweep-rack: %s: %s; the others are taken\n", path, what);
    in->unreadable = true;
}

/* Reads until the end: a pipe and a file that grows have no size that could be trusted. */
static char *read_whole(FILE *f, size_t *len)
{
    size_t cap = 1 << 16, n;
    char *text = malloc(cap);

    *len = 0;
    while (text && (n = fread(text + *len, 1, cap - *len, f)) > 0) {
        *len += n;
        if (*len == cap) {
            char *more = cap < LARGEST_FILE ? realloc(text, cap * 2) : NULL;

            if (!more) {
                free(text);
                errno = EFBIG;
                return NULL;
            }
            text = more;
            cap *= 2;
        }
    }
    if (text && ferror(f)) {
        free(text);
        return NULL;
    }
    return text;
}

static void take_file(struct intake *in, const char *path, bool named)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t len = 0;
    char *text = f ? read_whole(f, &len) : NULL;

    if (!text)
        complain(in, path, strerror(errno));
    else
        take(in, path, text, len, named);
    free(text);
    if (f && f != stdin)
        fclose(f);
}

static void take_path(struct intake *in, const char *path, bool named);

static void take_folder(struct intake *in, const char *path)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);

    if (n < 0)
        complain(in, path, strerror(errno));
    for (int i = 0; i < n; i++) {
        char *full = NULL;

        if (names[i]->d_name[0] != '.' && !in->broken &&
            asprintf(&full, "%s/%s", path, names[i]->d_name) >= 0)
            take_path(in, full, false);
        free(full);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

/* Within a folder only plain files and folders: a link could lead round in a circle, a pipe never ends. */
static void take_path(struct intake *in, const char *path, bool named)
{
    struct stat st;

    if (named && !strcmp(path, "-"))
        take_file(in, path, named);
    else if (named ? stat(path, &st) : lstat(path, &st))
        complain(in, path, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        take_folder(in, path);
    else if (S_ISREG(st.st_mode) || named)
        take_file(in, path, named);
}

static int finish(struct intake *in, uint64_t began_ms, uint64_t now_ms)
{
    const struct rack_ingest_counts *t = &in->total;
    uint64_t ms = now_ms - began_ms ? now_ms - began_ms : 1;

    printf(
        "%llu files, %llu lines, %llu new, %llu known, %llu damaged lines refused, %llu omitted on a slow channel, %llu of "
        "a newer schema\n",
        (unsigned long long)t->files, (unsigned long long)t->lines, (unsigned long long)t->new_lines,
        (unsigned long long)(t->lines - t->new_lines), (unsigned long long)t->damaged,
        (unsigned long long)t->omitted, (unsigned long long)t->newer);
    if (in->verbose)
        printf("%llu bytes in %llu ms: %llu lines/s, %llu KB/s\n", (unsigned long long)t->bytes,
               (unsigned long long)ms, (unsigned long long)(t->lines * 1000 / ms),
               (unsigned long long)(t->bytes / ms));
    if (in->broken || in->unreadable)
        return RACK_BROKEN;
    return t->damaged || (in->without_lines && in->without_lines == t->files) ? RACK_FOUND : RACK_GOOD;
}

static uint64_t clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int rack_ingest_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--db", "FILE", "the database (rack.sqlite); made when it is not there",
          offsetof(struct ingest_options, db) },
        { "--rack", "NAME", "what the rack of these machines is called",
          offsetof(struct ingest_options, rack_name) },
        { "--verbose", NULL, "a line for each file, and the rate", offsetof(struct ingest_options, verbose) },
    };
    static const char usage[] =
        "ingest [--db FILE] [--rack NAME] PATH...\n\n"
        "PATH is a journal, a serial capture or any other text with journal lines in it, a folder of such files, or\n"
        "- for standard input.  A line is known by its run and number: taking a file again adds nothing, a file and\n"
        "a serial capture of one run complete each other.  Damaged lines are refused one by one and counted.\n"
        "Exit: 0 all taken; 1 lines were damaged, or no file had any; 3 a file could not be read.";
    struct ingest_options o = { .db = "rack.sqlite", .rack_name = "" };
    struct intake in = { 0 };
    uint64_t began_ms = clock_ms();
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &o, usage, &ending))
        return ending;
    if (argc < 2) {
        fputs(
            "baresweep-rack ingest: name a journal or a folder of journals; see baresweep-rack ingest --help\n",
            stderr);
        return RACK_USAGE;
    }
    if (!rack_open(&in.rack, o.db, false))
        return RACK_BROKEN;
    in.verbose = o.verbose;
    in.ingest = rack_ingest_new(&in.rack, o.rack_name);
    in.broken = !in.ingest || !rack_exec(&in.rack, "BEGIN");
    for (int i = 1; i < argc && !in.broken; i++)
        take_path(&in, argv[i], true);
    if (!in.broken)
        commit(&in, false);
    ending = finish(&in, began_ms, clock_ms());
    rack_ingest_free(in.ingest);
    rack_close(&in.rack);
    return ending;
}
