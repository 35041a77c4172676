#include "fio_logs.h"
#include "bits.h"
#include "crc.h"
#include "math.h"
#include "pen.h"
#include "series_walk.h"
#include "str.h"

static const struct {
    const char *key, *suffix; /* the member of the wish; what stands in the file's name */
} kinds[FIO_LOG_KIND_COUNT] = { { "bw", "bw" }, { "iops", "iops" }, { "lat", "lat" }, { "lat", "clat" } };

/* ---- names ---- */
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static bool is_same(const char *a, const char *b)
{
    for (; *a && lower(*a) == lower(*b); a++, b++)
        ;
    return lower(*a) == lower(*b);
}

/* Windows takes these for devices, whatever follows a point. */
static bool is_device(const char *name)
{
    static const char *const words[] = { "con", "prn", "aux", "nul" };
    char base[8] = "";

    for (unsigned i = 0; i < sizeof base - 1 && name[i] && name[i] != '.'; i++)
        base[i] = lower(name[i]);
    for (unsigned i = 0; i < ARRAY_COUNT(words); i++)
        if (str_equal(base, words[i]))
            return true;
    return (str_starts(base, "com") || str_starts(base, "lpt")) && base[3] >= '0' && base[3] <= '9' &&
           !base[4];
}

/* What a FAT volume and every system takes as the begin of a name. */
static void make_safe(char *name)
{
    for (char *c = name; *c; c++) {
        bool safe = (*c >= '0' && *c <= '9') || (lower(*c) >= 'a' && lower(*c) <= 'z') || *c == '_' ||
                    *c == '-' || *c == '+' || (c != name && (*c == '.' || *c == ' '));

        if (!safe)
            *c = '_';
    }
    if (is_device(name))
        name[0] = '_';
}

/* A folder per disk.  A name that had to be changed gets a sum behind it, so that two stay two. */
static void put_folder(const struct run *run, bool first_run, const char *disk, struct text *t)
{
    char safe[28];
    bool changed = !disk[0];

    str_copy(safe, sizeof safe, disk[0] ? disk : "_");
    make_safe(safe);
    for (size_t i = 0; safe[i]; i++)
        changed |= safe[i] != disk[i] || safe[i] != lower(safe[i]) || safe[i] == ' ' ||
                   (safe[i] == '.' && !safe[i + 1]);
    text_str(t, "logs");
    if (!first_run)
        text_fmt(t, "-%016llx", (unsigned long long)run->run_id);
    text_fmt(t, "/%s", safe);
    if (changed)
        text_fmt(t, "_%08x", crc32c(0, disk, str_len(disk)));
    text_char(t, '/');
}

/* step 0: the plain name. */
static void put_file(const struct journal_line *wish, enum fio_log_kind kind, uint64_t step, struct text *t)
{
    char prefix[STEP_LOG_PREFIX_BYTES];

    event_str(wish, kinds[kind].key, prefix, sizeof prefix);
    make_safe(prefix);
    text_str(t, prefix);
    if (step)
        text_fmt(t, "-step%llu", (unsigned long long)step);
    text_fmt(t, "_%s", kinds[kind].suffix);
    if (event_u64(wish, "per_job"))
        text_fmt(t, ".%llu", (unsigned long long)event_u64(wish, "number"));
    text_str(t, ".log");
}

static bool wants(const struct journal_line *wish, enum fio_log_kind kind)
{
    char prefix[STEP_LOG_PREFIX_BYTES];

    return event_str(wish, kinds[kind].key, prefix, sizeof prefix);
}

static bool is_called(const struct journal_line *wish, enum fio_log_kind kind, const char *file)
{
    char name[128];
    struct text t = text_over(name, sizeof name);

    if (!wants(wish, kind))
        return false;
    put_file(wish, kind, 0, &t);
    return is_same(name, file);
}

/* Whether a wish for the same disk before this one has a file of that name: the same job again, or one that
 * shares it. */
static __attribute__((noinline)) bool came_before(const struct run *run, const struct journal_line *wish,
                                                  const char *disk, enum fio_log_kind kind, const char *file)
{
    struct run_lines lines;
    struct journal_line l;

    run_lines_of(&lines, run, disk);
    while (run_lines_find(&lines, "fio_log", &l) && l.body.at < wish->body.at)
        if (event_is(&l, "disk", disk) && is_called(&l, kind, file))
            return true;
    return false;
}

/* False: the file is one that an earlier wish has already. */
static bool make_path(const struct fio_logs *w, struct fio_log *f)
{
    char disk[96], file[128];
    struct text path = text_over(f->path, sizeof f->path), t = text_over(file, sizeof file);
    bool again;

    json_str(&f->wish.body, "disk", disk, sizeof disk);
    put_file(&f->wish, f->kind, 0, &t);
    again = came_before(&f->run, &f->wish, disk, f->kind, file);
    if (again && !event_u64(&f->wish, "per_job"))
        return false;
    put_folder(&f->run, w->walk.runs == 1, disk, &path);
    put_file(&f->wish, f->kind, again ? event_u64(&f->wish, "step") : 0, &path);
    return true;
}

/* ---- one after another ---- */
void fio_logs_start(struct fio_logs *w, const char *journal, size_t len)
{
    *w = (struct fio_logs){ 0 };
    run_walk_start(&w->walk, journal, len);
}

static bool next_wish(struct fio_logs *w)
{
    for (;;) {
        if (!w->has_run) {
            if (!run_walk_next(&w->walk, &w->now.run))
                return false;
            run_lines_start(&w->lines, &w->now.run);
            w->has_run = true;
        }
        if (run_lines_find(&w->lines, "fio_log", &w->now.wish))
            return true;
        w->has_run = false;
    }
}

bool fio_logs_next(struct fio_logs *w, struct fio_log *out)
{
    for (;;) {
        if (w->has_wish && ++w->now.kind < FIO_LOG_KIND_COUNT) {
            if (wants(&w->now.wish, w->now.kind) && make_path(w, &w->now)) {
                *out = w->now;
                return true;
            }
            continue;
        }
        if (!next_wish(w))
            return false;
        w->has_wish = true;
        w->now.kind = (enum fio_log_kind) - 1;
    }
}

/* ---- content ---- */
/* What one direction did, its next point looked at already. */
struct side {
    struct series_walk walk;
    struct series_step point;
    bool is_there;
};

static void side_next(struct side *s)
{
    do
        s->is_there = series_walk_next(&s->walk, &s->point);
    while (s->is_there && !s->point.value[SERIES_IOS]); /* fio, too, has no line for them */
}

static bool side_start(struct side *s, const struct run *run, const struct journal_line *wish,
                       const char *side)
{
    struct journal_line series;

    *s = (struct side){ 0 };
    if (!run_find_of_step(run, wish, side ? "side_series" : "series", side, &series))
        return false;
    series_walk_start(&s->walk, &series, event_u64(wish, "run_ns"));
    side_next(s);
    return true;
}

static uint64_t value_of(const struct side *s, enum fio_log_kind kind, bool max)
{
    const struct series_step *p = &s->point;

    switch (kind) {
    case FIO_LOG_BW:
        return mul_div_u64(p->value[SERIES_BYTES], 1000 * NS_PER_S / KIB, p->length_ns) / 1000;
    case FIO_LOG_IOPS:
        return mul_div_u64(p->value[SERIES_IOS], NS_PER_S, p->length_ns);
    default:
        return p->value[max ? SERIES_MAX_NS : SERIES_MEAN_NS];
    }
}

/* False: the series is missing. */
static bool start_sides(struct side side[static 2], const struct run *run, const struct journal_line *wish,
                        bool *mix)
{
    bool writes = event_is(wish, "rw", "write") || event_is(wish, "rw", "randwrite");

    *mix = event_is(wish, "rw", "rw") || event_is(wish, "rw", "randrw");
    side[0] = side[1] = (struct side){ 0 };
    if (!*mix)
        return side_start(&side[writes], run, wish, NULL);
    bool reads_known = side_start(&side[0], run, wish, "read");

    return side_start(&side[1], run, wish, "write") || reads_known;
}

static __attribute__((noinline)) void put_lines(struct pen *p, const struct run *run,
                                                const struct journal_line *wish, enum fio_log_kind kind)
{
    struct side side[2];
    bool mix, max = event_u64(wish, "max") != 0;
    const char *rest = event_u64(wish, "offset") ? ", 0, 0, 0\n" : ", 0, 0\n";

    if (!start_sides(side, run, wish, &mix))
        return;
    while (!p->out->failed && (side[0].is_there || side[1].is_there)) {
        unsigned i =
            !side[0].is_there || (side[1].is_there && side[1].point.end_ns < side[0].point.end_ns) ? 1 : 0;

        pen_u64(p, side[i].point.end_ns / NS_PER_MS);
        pen_str(p, ", ");
        pen_u64(p, value_of(&side[i], kind, max && !mix));
        pen_str(p, i ? ", 1" : ", 0");
        pen_str(p, rest);
        side_next(&side[i]);
    }
}

bool fio_log_has_series(const struct fio_log *f)
{
    struct side side[2];
    bool mix;

    return start_sides(side, &f->run, &f->wish, &mix);
}

void fio_log_render(const struct fio_log *f, struct render_out *out)
{
    char disk[96], file[128];
    struct text t = text_over(file, sizeof file);
    struct run_lines lines;
    struct journal_line l;
    struct pen p;

    pen_start(&p, out);
    put_lines(&p, &f->run, &f->wish, f->kind);
    if (!event_u64(&f->wish, "per_job")) {
        json_str(&f->wish.body, "disk", disk, sizeof disk);
        put_file(&f->wish, f->kind, 0, &t);
        run_lines_of(&lines, &f->run, disk);
        while (!out->failed && run_lines_find(&lines, "fio_log", &l))
            if (l.body.at > f->wish.body.at && event_is(&l, "disk", disk) && is_called(&l, f->kind, file))
                put_lines(&p, &f->run, &l, f->kind);
    }
    pen_end(&p);
}
