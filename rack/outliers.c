#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "rack.h"
#include "step.h"
#include "str.h"
#include "text.h"

/* ---- what is read from the database ---- */
struct rack_work {
    struct outlier_cell *cells;
    uint64_t *seqs, *scratch; /* seqs: by the cell's number, which its drive is until the drives are known */
    size_t cell_count, cell_cap;
    struct outlier_peers **peers;
    size_t peers_count, peers_cap;
    uint32_t *peers_slots; /* 1 + number of peers, 0: free */
    uint32_t *owner;       /* of a cell's number: its drive */
    char **texts;
    size_t text_count, text_cap;
    size_t odd_cap, drive_cap;
    bool no_memory;
};

/* Grows an array that holds `count` of `size` bytes for one more; false and no_memory when it cannot. */
static bool room(struct rack_work *w, void *array, size_t *cap, size_t count, size_t size)
{
    size_t want = *cap ? *cap * 2 : 256;
    void *more;

    if (count < *cap)
        return true;
    more = realloc(*(void **)array, want * size);
    if (!more) {
        w->no_memory = true;
        return false;
    }
    *(void **)array = more;
    *cap = want;
    return true;
}

static const char *keep(struct rack_work *w, const char *s)
{
    char *copy;

    if (!s[0])
        return "";
    if (!room(w, &w->texts, &w->text_cap, w->text_count, sizeof *w->texts) || !(copy = strdup(s))) {
        w->no_memory = true;
        return "";
    }
    rack_clean(copy);
    w->texts[w->text_count++] = copy;
    return copy;
}

enum {
    RUN_KEY,
    RUN,
    MACHINE,
    SEQ,
    DISK,
    SERIAL,
    MODEL,
    FIRMWARE,
    SIZE,
    LINK,
    POLICY,
    JOB,
    RW,
    BLOCK,
    DEPTH,
    FLAGS,
    VALUE
};
static const char cells_sql[] =
    "SELECT run_key, run, machine, seq, disk, serial, model, firmware, size_bytes, link, policy, job, rw, block_bytes, depth, "
    "flags, bytes_per_s, tail_p99_milli, tail_p999_milli FROM peer_cell JOIN temp.chosen USING(run_key) "
    "ORDER BY run_key, disk, seq";

/* ---- peers: one struct for all that are equal ---- */
static bool same_peers(const struct outlier_peers *a, const struct outlier_peers *b)
{
    return a->size_bytes == b->size_bytes && a->block_bytes == b->block_bytes && a->depth == b->depth &&
           !strcmp(a->model, b->model) && !strcmp(a->firmware, b->firmware) && !strcmp(a->link, b->link) &&
           !strcmp(a->policy, b->policy) && !strcmp(a->job, b->job) && !strcmp(a->rw, b->rw);
}

static uint64_t hash_text(uint64_t h, const char *s)
{
    do
        h = (h ^ (uint8_t)*s) * 0x100000001b3u;
    while (*s++);
    return h;
}

static uint64_t hash_peers(const struct outlier_peers *p)
{
    uint64_t h = (p->size_bytes * 31 + p->block_bytes) * 31 + p->depth;

    h = hash_text(hash_text(hash_text(h, p->model), p->firmware), p->link);
    h = hash_text(hash_text(hash_text(h, p->policy), p->job), p->rw);
    return h ^ h >> 29;
}

/* The table of slots is kept at most half full. */
static bool grow_slots(struct rack_work *w)
{
    size_t cap = w->peers_cap, slots = cap * 2;

    if (w->peers_slots && w->peers_count < cap)
        return true;
    if (!room(w, &w->peers, &w->peers_cap, w->peers_count, sizeof *w->peers))
        return false;
    slots = w->peers_cap * 2;
    free(w->peers_slots);
    w->peers_slots = calloc(slots, sizeof *w->peers_slots);
    w->no_memory |= !w->peers_slots;
    for (size_t i = 0; i < w->peers_count && !w->no_memory; i++) {
        size_t at = hash_peers(w->peers[i]) % slots;

        while (w->peers_slots[at])
            at = (at + 1) % slots;
        w->peers_slots[at] = (uint32_t)i + 1;
    }
    return !w->no_memory;
}

static const struct outlier_peers *peers_for(struct rack_work *w, const struct outlier_peers *key)
{
    struct outlier_peers *p;
    size_t at;

    if (!grow_slots(w))
        return NULL;
    for (at = hash_peers(key) % (w->peers_cap * 2); w->peers_slots[at]; at = (at + 1) % (w->peers_cap * 2))
        if (same_peers(w->peers[w->peers_slots[at] - 1], key))
            return w->peers[w->peers_slots[at] - 1];
    p = malloc(sizeof *p);
    if (!p) {
        w->no_memory = true;
        return NULL;
    }
    *p = *key;
    p->model = keep(w, key->model);
    p->firmware = keep(w, key->firmware);
    p->link = keep(w, key->link);
    p->policy = keep(w, key->policy);
    p->job = keep(w, key->job);
    p->rw = keep(w, key->rw);
    w->peers[w->peers_count++] = p;
    w->peers_slots[at] = (uint32_t)w->peers_count;
    return p;
}

/* ---- rows ---- */
static uint32_t flags_of(const char *words)
{
    uint32_t flags = 0;

    while (*words) {
        size_t len = strcspn(words, "|");

        for (unsigned i = 0; i < step_flag_count; i++)
            if (strlen(step_flags[i].name) == len && !memcmp(words, step_flags[i].name, len))
                flags |= step_flags[i].flag;
        words += len + (words[len] == '|');
    }
    return flags;
}

/* Rows come drive by drive. */
static bool take_drive(struct rack_outliers *o, sqlite3_stmt *s)
{
    struct rack_drive *last = o->drive_count ? &o->drives[o->drive_count - 1] : NULL;
    uint64_t run_key = rack_u64(s, RUN_KEY);

    if (last && last->run_key == run_key && !strcmp(last->disk, rack_text(s, DISK)))
        return true;
    if (!room(o->work, &o->drives, &o->work->drive_cap, o->drive_count, sizeof *o->drives))
        return false;
    last = &o->drives[o->drive_count++];
    *last = (struct rack_drive){ .run_key = run_key };
    last->run = keep(o->work, rack_text(s, RUN));
    last->machine = keep(o->work, rack_text(s, MACHINE));
    last->disk = keep(o->work, rack_text(s, DISK));
    last->serial = keep(o->work, rack_text(s, SERIAL));
    last->model = keep(o->work, rack_text(s, MODEL));
    last->firmware = keep(o->work, rack_text(s, FIRMWARE));
    last->link = keep(o->work, rack_text(s, LINK));
    return !o->work->no_memory;
}

static bool take_cell(struct rack_outliers *o, sqlite3_stmt *s)
{
    struct rack_work *w = o->work;
    struct outlier_peers key = { .model = rack_text(s, MODEL),
                                 .firmware = rack_text(s, FIRMWARE),
                                 .link = rack_text(s, LINK),
                                 .policy = rack_text(s, POLICY),
                                 .job = rack_text(s, JOB),
                                 .rw = rack_text(s, RW),
                                 .size_bytes = rack_u64(s, SIZE),
                                 .block_bytes = (uint32_t)rack_u64(s, BLOCK),
                                 .depth = (uint32_t)rack_u64(s, DEPTH) };
    const struct outlier_peers *peers = peers_for(w, &key);
    size_t cap = w->cell_cap, again = cap, owners = cap;

    if (!peers || !room(w, &w->cells, &w->cell_cap, w->cell_count, sizeof *w->cells) ||
        !room(w, &w->seqs, &again, w->cell_count, sizeof *w->seqs) ||
        !room(w, &w->owner, &owners, w->cell_count, sizeof *w->owner))
        return false;
    w->seqs[w->cell_count] = rack_u64(s, SEQ);
    w->owner[w->cell_count] = (uint32_t)o->drive_count - 1;
    w->cells[w->cell_count] = (struct outlier_cell){ .peers = peers,
                                                     .drive = (uint32_t)w->cell_count,
                                                     .flags = flags_of(rack_text(s, FLAGS)) };
    for (unsigned m = 0; m < OUTLIER_METRIC_COUNT; m++)
        w->cells[w->cell_count].value[m] = rack_u64(s, VALUE + (int)m);
    w->cell_count++;
    return true;
}

static bool read_cells(struct rack *r, struct rack_outliers *o)
{
    sqlite3_stmt *s = rack_prepare(r, cells_sql);
    bool good = s != NULL;
    int got = SQLITE_DONE;

    while (good && (got = sqlite3_step(s)) == SQLITE_ROW)
        good = take_drive(o, s) && take_cell(o, s);
    if (s && (!good || got != SQLITE_DONE))
        good = rack_failed(r, o->work->no_memory ? "out of memory" : "measurements cannot be read");
    sqlite3_finalize(s);
    return good;
}

/* ---- judging ---- */
static void on_found(void *ctx, const struct outlier *found)
{
    struct rack_outliers *o = ctx;
    struct rack_work *w = o->work;
    struct rack_drive *drive = &o->drives[w->owner[found->cell->drive]];

    if (!room(w, &o->odd, &w->odd_cap, o->odd_count, sizeof *o->odd))
        return;
    o->odd[o->odd_count++] =
        (struct rack_odd){ .o = *found, .drive = drive, .seq = w->seqs[found->cell->drive] };
    o->worse_drives += found->worse && !drive->worse;
    drive->worse += found->worse;
    drive->signs++;
}

static int by_evidence(const void *a, const void *b)
{
    const struct rack_odd *x = a, *y = b;

    if (x->drive->worse != y->drive->worse)
        return x->drive->worse > y->drive->worse ? -1 : 1;
    if (x->drive != y->drive)
        return x->drive < y->drive ? -1 : 1;
    if (x->o.worse != y->o.worse)
        return x->o.worse ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (int)x->o.metric - (int)y->o.metric;
}

bool rack_find_outliers(struct rack *r, struct rack_outliers *out)
{
    struct rack_work *w = calloc(1, sizeof *w);

    *out = (struct rack_outliers){ .work = w };
    if (!w)
        return rack_failed(r, "out of memory");
    if (!read_cells(r, out))
        return false;
    w->scratch = malloc((w->cell_count + 1) * sizeof *w->scratch);
    if (!w->scratch)
        return rack_failed(r, "out of memory");
    outlier_find(w->cells, w->cell_count, w->scratch, on_found, out, &out->counts);
    if (w->no_memory)
        return rack_failed(r, "out of memory");
    if (out->odd_count)
        qsort(out->odd, out->odd_count, sizeof *out->odd, by_evidence);
    return true;
}

void rack_free_outliers(struct rack_outliers *o)
{
    struct rack_work *w = o->work;

    free(o->odd);
    free(o->drives);
    if (!w)
        return;
    for (size_t i = 0; i < w->peers_count; i++)
        free(w->peers[i]);
    for (size_t i = 0; i < w->text_count; i++)
        free(w->texts[i]);
    free(w->peers);
    free(w->peers_slots);
    free(w->texts);
    free(w->cells);
    free(w->seqs);
    free(w->owner);
    free(w->scratch);
    free(w);
}

void rack_each_group(struct rack_outliers *o,
                     void (*each)(void *ctx, const struct outlier_peers *peers, size_t count,
                                  enum outlier_metric m, const struct outlier_centre *centre),
                     void *ctx)
{
    const struct rack_work *w = o->work;

    /* outlier_find left equal peers side by side, and each group has one struct. */
    for (size_t begin = 0, end; begin < w->cell_count; begin = end) {
        for (end = begin + 1; end < w->cell_count && w->cells[end].peers == w->cells[begin].peers;)
            end++;
        for (unsigned m = 0; m < OUTLIER_METRIC_COUNT; m++) {
            struct outlier_centre centre;
            size_t n = 0;

            for (size_t i = begin; i < end; i++)
                if (w->cells[i].value[m] && !(w->cells[i].flags & outlier_metrics[m].unusable_flags))
                    w->scratch[n++] = w->cells[i].value[m];
            if (n < OUTLIER_LEAST_PEERS)
                continue;
            centre = outlier_centre(w->scratch, n);
            each(ctx, w->cells[begin].peers, n, (enum outlier_metric)m, &centre);
        }
    }
}

/* ---- words ---- */
void rack_put_value(struct text *t, enum outlier_metric m, uint64_t v)
{
    if (m == OUTLIER_RATE) {
        text_fixed(t, v / 100000, 1);
        text_str(t, " MB/s");
    } else {
        text_fixed(t, v / 10, 2);
        text_str(t, " x");
    }
}

void rack_odd_words(const struct rack_odd *odd, char *buf, size_t cap)
{
    const struct outlier *o = &odd->o;
    const struct outlier_metric_row *row = &outlier_metrics[o->metric];
    struct text t = text_over(buf, cap);

    text_fmt(&t, "%s (%s): ", o->worse ? row->worse : row->other, row->name);
    rack_put_value(&t, o->metric, o->value);
    text_fmt(&t, ", the median of %zu peers ", o->peers);
    rack_put_value(&t, o->metric, o->median);
    text_str(&t, ": ");
    text_fixed(&t, o->effect_permille, 1);
    text_fmt(&t, " %% %s, z ", o->value < o->median ? "less" : "more");
    text_fixed(&t, o->z_milli / 100, 1);
}

/* ---- the sub-command ---- */
struct outliers_options {
    const char *db;
    struct rack_choice choice;
    bool tsv;
};

static void print_words(const struct rack_outliers *o)
{
    const struct rack_drive *last = NULL;

    for (size_t i = 0; i < o->odd_count; i++) {
        const struct rack_odd *odd = &o->odd[i];
        char words[240];

        if (odd->drive != last)
            printf("%s %s  %s %s firmware %s%s%s\n", odd->drive->machine, odd->drive->disk, odd->drive->model,
                   odd->drive->serial, odd->drive->firmware, odd->drive->link[0] ? ", link " : "",
                   odd->drive->link);
        last = odd->drive;
        rack_odd_words(odd, words, sizeof words);
        printf("    %-28s %s\n", odd->o.cell->peers->job, words);
    }
    printf(
        "%zu drives, %zu odd for the worse; %llu values judged, %llu with too few peers (fewer than %d), %llu not "
        "comparable\n",
        o->drive_count, o->worse_drives, (unsigned long long)o->counts.judged,
        (unsigned long long)o->counts.too_few_peers, OUTLIER_LEAST_PEERS,
        (unsigned long long)o->counts.not_usable);
}

static void print_tsv(const struct rack_outliers *o)
{
    printf(
        "machine\tdisk\trun\tseq\tjob\tmetric\tworse\tvalue\tmedian\tdeviation\tz_milli\teffect_permille\tpeers\n");
    for (size_t i = 0; i < o->odd_count; i++) {
        const struct rack_odd *d = &o->odd[i];

        printf("%s\t%s\t%s\t%llu\t%s\t%s\t%d\t%llu\t%llu\t%llu\t%llu\t%llu\t%zu\n", d->drive->machine,
               d->drive->disk, d->drive->run, (unsigned long long)d->seq, d->o.cell->peers->job,
               outlier_metrics[d->o.metric].name, d->o.worse, (unsigned long long)d->o.value,
               (unsigned long long)d->o.median, (unsigned long long)d->o.deviation,
               (unsigned long long)d->o.z_milli, (unsigned long long)d->o.effect_permille, d->o.peers);
    }
}

int rack_outliers_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--db", "FILE", "the database (rack.sqlite)", offsetof(struct outliers_options, db) },
        { "--rack", "NAME", "only machines of this rack", offsetof(struct outliers_options, choice.rack) },
        { "--label", "TEXT", "only runs with this label", offsetof(struct outliers_options, choice.label) },
        { "--run", "HEX", "only this run", offsetof(struct outliers_options, choice.run) },
        { "--all-runs", NULL, "all runs, not only the latest of each machine",
          offsetof(struct outliers_options, choice.all_runs) },
        { "--tsv", NULL, "columns for programs instead of words", offsetof(struct outliers_options, tsv) },
    };
    static const char usage[] =
        "outliers [--db FILE] [--rack NAME] [--label TEXT] [--run HEX] [--all-runs] [--tsv]\n\n"
        "Drives far from the median of their peers: the same model, firmware, size, link, RAID policy, job, block size and depth.\n"
        "docs/rack.md tells how, and how often an alarm is false.\n"
        "Exit: 0 none is odd for the worse; 1 some are; 3 the database cannot be read.";
    struct outliers_options o = { .db = "rack.sqlite" };
    struct rack_outliers found = { 0 };
    struct rack r;
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &o, usage, &ending))
        return ending;
    if (argc > 1) {
        fprintf(stderr, "baresweep-rack outliers: what is %s? Options begin with --\n", argv[1]);
        return RACK_USAGE;
    }
    if (!rack_open(&r, o.db, true))
        return RACK_BROKEN;
    ending = RACK_BROKEN;
    if (rack_choose(&r, &o.choice) && rack_find_outliers(&r, &found)) {
        (o.tsv ? print_tsv : print_words)(&found);
        ending = fflush(stdout) ? RACK_BROKEN : found.worse_drives ? RACK_FOUND : RACK_GOOD;
    }
    rack_free_outliers(&found);
    rack_close(&r);
    return ending;
}
