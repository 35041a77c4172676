#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "arming.h"
#include "bits.h"
#include "err.h"
#include "rack.h"

/* baresweep-rack arm: from what the runs saw on the disks to a batch that may overwrite them, once approved.
 */

struct arm_options {
    const char *db, *rack, *label, *machine, *model, *approve, *out;
    bool leftover, any_content, yes;
};

static bool random_id(char out[17])
{
    uint64_t v;

    if (getrandom(&v, sizeof v, 0) != sizeof v)
        return false;
    snprintf(out, 17, "%016llx", (unsigned long long)v);
    return true;
}

/* ---- making a batch ---- */

/* What a run wrote to is not what its content line says any more. */
static const char candidates_sql[] =
    "WITH c AS (SELECT o.run_key, json_extract(o.line, '$.disk') AS disk, json_extract(o.line, '$.identity') AS identity,\n"
    "  json_extract(o.line, '$.state') AS state, json_extract(o.line, '$.fingerprint') AS fingerprint,\n"
    "  json_extract(o.line, '$.found') AS found, json_extract(o.line, '$.mark') AS mark FROM other o\n"
    "  JOIN temp.chosen USING(run_key) WHERE o.ev = 'content')\n"
    "SELECT m.machine, coalesce(nullif(m.serial, ''), m.uuid, ''), c.disk, c.identity, c.fingerprint, c.found,\n"
    "  coalesce(d.model, '') AS model,\n"
    "  (SELECT count(*) FROM c AS twin WHERE twin.identity = c.identity) AS twins\n"
    "FROM c JOIN machine_run m USING(run_key)\n"
    "LEFT JOIN disk d ON d.run_key = c.run_key AND d.name = c.disk\n"
    "WHERE c.fingerprint <> '' AND c.state IN ('blank', 'found')\n"
    "  AND (c.state = 'blank' OR ?3 OR (?4 AND c.mark <> ''))\n"
    "  AND (?1 IS NULL OR m.machine GLOB ?1) AND (?2 IS NULL OR coalesce(d.model, '') GLOB ?2)\n"
    "  AND NOT EXISTS (SELECT 1 FROM other w WHERE w.run_key = c.run_key AND w.ev = 'write_permit'\n"
    "    AND json_extract(w.line, '$.decision') = 'used-up' AND json_extract(w.line, '$.disk') = c.disk)\n"
    "ORDER BY m.machine, c.disk";

enum { MACHINE, SERIAL, DISK, IDENTITY, FINGERPRINT, FOUND, MODEL, TWINS };

static void bind_text(sqlite3_stmt *s, int parameter, const char *text)
{
    if (text)
        sqlite3_bind_text(s, parameter, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(s, parameter);
}

static void put_line(FILE *to, const char *word, const char *value)
{
    char *copy = strdup(value);

    if (!copy)
        return;
    rack_clean(copy);
    fprintf(to, "%s %s\n", word, copy);
    free(copy);
}

/* False: left out, after a message. */
static bool put_disk(FILE *to, sqlite3_stmt *s)
{
    char id[17];
    const char *identity = rack_text(s, IDENTITY);

    if (!identity[0] || rack_u64(s, TWINS) != 1) {
        fprintf(stderr, "baresweep-rack: %s %s is left out: %s\n", rack_text(s, MACHINE), rack_text(s, DISK),
                identity[0] ? "its identity occurs more than once" : "it has no identity");
        return false;
    }
    if (!random_id(id))
        return false;
    fprintf(to, "\n# %s on machine ", rack_text(s, DISK));
    put_line(to, rack_text(s, MACHINE), rack_text(s, MODEL));
    fprintf(to, "arming %s\n", id);
    put_line(to, "identity", identity);
    put_line(to, "fingerprint", rack_text(s, FINGERPRINT));
    if (rack_text(s, SERIAL)[0])
        put_line(to, "machine", rack_text(s, SERIAL));
    put_line(to, "found", rack_text(s, FOUND));
    return true;
}

static int make_batch(struct rack *r, const struct arm_options *o)
{
    struct rack_choice choice = { .rack = o->rack, .label = o->label };
    FILE *to = o->out ? fopen(o->out, "w") : stdout;
    sqlite3_stmt *s = rack_choose(r, &choice) ? rack_prepare(r, candidates_sql) : NULL;
    unsigned disks = 0;
    char id[17];
    int step = SQLITE_ERROR;

    if (!to)
        perror(o->out);
    if (to && s && random_id(id)) {
        bind_text(s, 1, o->machine);
        bind_text(s, 2, o->model);
        sqlite3_bind_int(s, 3, o->any_content);
        sqlite3_bind_int(s, 4, o->leftover);
        fprintf(to, "baresweep-arming 1\nbatch %s\n", id);
        while ((step = sqlite3_step(s)) == SQLITE_ROW && disks < ARMING_MAX)
            disks += put_disk(to, s);
    }
    bool good = to && s && (step == SQLITE_DONE || step == SQLITE_ROW);
    sqlite3_finalize(s);
    if (to && to != stdout)
        good = !fclose(to) && good;
    fprintf(stderr, "%u disks; nobody approved them yet: baresweep-rack arm --approve NAME FILE\n", disks);
    if (good && step == SQLITE_ROW)
        fprintf(stderr, "more disks fit, and a batch has room for %d: narrow the choice\n", ARMING_MAX);
    return !good ? RACK_BROKEN : disks ? RACK_GOOD : RACK_FOUND;
}

/* ---- approving ---- */

static bool says_yes(void)
{
    char answer[8] = "";

    fputs("Type yes to approve that all of these are overwritten: ", stdout);
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && !strcmp(answer, "yes\n");
}

static void show(const struct arming_batch *b)
{
    printf("Batch %s: %u disks\n", b->id, b->count);
    for (unsigned i = 0; i < b->count; i++)
        printf("  %s%s%s\n    holds: %s\n", b->armings[i].identity,
               b->armings[i].machine[0] ? " in machine " : "", b->armings[i].machine, b->armings[i].found);
}

static int append_approval(const char *path, const char *text, size_t len, const char *name)
{
    char digest[65], when[24];
    time_t now = time(NULL);
    FILE *f = fopen(path, "a");

    if (!f) {
        perror(path);
        return RACK_BROKEN;
    }
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", gmtime(&now));
    arming_digest(text, len, digest);
    fprintf(f, "%sapproved %s by %s for %s\n", len && text[len - 1] != '\n' ? "\n" : "", when, name, digest);
    return fclose(f) ? RACK_BROKEN : RACK_GOOD;
}

static int approve(const char *path, const struct arm_options *o)
{
    static struct arming armings[ARMING_MAX];
    static char text[ARMING_MAX_TEXT_BYTES + 1];
    struct arming_batch batch = { .armings = armings };
    char words[400] = "";
    struct text why = text_over(words, sizeof words);
    FILE *f = fopen(path, "r");
    size_t len = f ? fread(text, 1, sizeof text, f) : 0;

    if (!f) {
        perror(path);
        return RACK_BROKEN;
    }
    fclose(f);
    int rc = arming_read(text, len, &batch, &why);
    if (rc != OK || batch.approved_by[0] || !batch.count) {
        fprintf(stderr, "baresweep-rack: %s: %s\n", path,
                rc != OK      ? words
                : batch.count ? "it is approved already"
                              : "there is no disk in it");
        return RACK_FOUND;
    }
    show(&batch);
    if (!o->yes && !says_yes()) {
        puts("not approved");
        return RACK_FOUND;
    }
    rc = append_approval(path, text, len, o->approve);
    if (rc == RACK_GOOD)
        puts("approved");
    return rc;
}

static bool is_a_name(const char *s)
{
    size_t n = strlen(s);

    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
            return false;
    return n && n < 64 && !strstr(s, " for ") && s[0] != ' ' && s[n - 1] != ' ';
}

int rack_arm_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--db", "FILE", "the database (rack.sqlite)", offsetof(struct arm_options, db) },
        { "--rack", "NAME", "only machines of this rack", offsetof(struct arm_options, rack) },
        { "--label", "WORD", "only runs with this label", offsetof(struct arm_options, label) },
        { "--machine", "PATTERN", "only these machines (* and ?)", offsetof(struct arm_options, machine) },
        { "--model", "PATTERN", "only drives of these models (* and ?)",
          offsetof(struct arm_options, model) },
        { "--leftover", NULL, "also disks with this program's own mark",
          offsetof(struct arm_options, leftover) },
        { "--any-content", NULL, "also disks that hold something, whatever it is",
          offsetof(struct arm_options, any_content) },
        { "--out", "FILE", "where the batch goes; standard output without",
          offsetof(struct arm_options, out) },
        { "--approve", "NAME", "instead: show the batch in FILE and approve it",
          offsetof(struct arm_options, approve) },
        { "--yes", NULL, "approve without asking", offsetof(struct arm_options, yes) },
    };
    static const char usage[] =
        "arm [--db FILE] [CHOICE...] [--out FILE]\n"
        "       baresweep-rack arm --approve NAME [--yes] FILE\n\n"
        "Makes a batch that arms disks for writing, from the content lines of the latest run of each machine: blank\n"
        "disks unless you say otherwise.  A batch arms nothing unattended before somebody approved it.  Each arming\n"
        "is for one disk, for what it holds now, and for one time (docs/safety.md).\n"
        "Exit: 0 done; 1 no disk fits, or the batch was not approved; 3 a file could not be read or written.";
    struct arm_options o = { .db = "rack.sqlite" };
    struct rack r;
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &o, usage, &ending))
        return ending;
    if (argc != (o.approve ? 2 : 1) || (o.approve && !is_a_name(o.approve))) {
        fputs("baresweep-rack arm: see baresweep-rack arm --help\n", stderr);
        return RACK_USAGE;
    }
    if (o.approve)
        return approve(argv[1], &o);
    if (!rack_open(&r, o.db, true))
        return RACK_BROKEN;
    ending = make_batch(&r, &o);
    rack_close(&r);
    return ending;
}
