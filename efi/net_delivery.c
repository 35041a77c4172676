#include "net_delivery.h"
#include "clock.h"
#include "names.h"
#include "net_link.h"
#include "net_transfer.h"
#include "platform.h"
#include "record.h"
#include "reports.h"
#include "serial.h"

enum {
    PLACES_MAX = 4,
    PART_BYTES = 512 << 10, /* larger bodies failed with firmware in the field (facts, trap 5) */
    CHECKPOINT_S = 60,      /* small files once a step would be many */
    CHECKPOINT_BYTES = 256 << 10,
    CHECKPOINT_TOTAL_S = 30, /* the engine stands still meanwhile */
    FINISH_TOTAL_S = 120,    /* of each place */
    AGAIN_AFTER_S = 300      /* a place that failed, while the run goes on */
};

static struct place {
    struct uri uri;
    size_t sent; /* bytes of the journal */
    unsigned parts;
    uint64_t not_before_ns;
    bool failed;       /* last time */
    char problem[160]; /* of that time */
} places[PLACES_MAX];
static unsigned place_count;
static char base[140]; /* of all names */
static uint64_t last_ns;

void net_delivery_start(const struct conf *conf, const struct machine_info *machine, const char *run_name)
{
    struct name_parts p = { .serial = machine->serial, .uuid = machine->uuid, .run = run_name };
    struct uri uris[PLACES_MAX];
    char words[200];
    struct text why = text_over(words, sizeof words), name = text_over(base, sizeof base);

    place_count = 0;
    uri_parse_list(conf->upload, uris, PLACES_MAX, &place_count, &why); /* settings told what is wrong */
    for (unsigned i = 0; i < place_count; i++)
        places[i] = (struct place){ .uri = uris[i] };
    /* A stick's machine takes part in a network only because of this: its card is known afterwards. */
    if (place_count)
        net_link_up();
    p.mac = net_link.has_mac ? net_link.mac : NULL;
    name_result(&p, &name);
    last_ns = clock_now_ns();
}

bool net_delivery_wanted(void) { return place_count != 0; }

/* A web server makes the run's folder; TFTP servers make files only. */
static void file_name(const struct place *p, const char *file, struct text *out)
{
    text_fmt(out, "%s%c%s", base, p->uri.scheme == URI_HTTP ? '/' : '_', file);
}

static void give_up(struct place *p, const char *why)
{
    char text[240];
    struct text t = text_over(text, sizeof text);

    p->failed = true;
    p->not_before_ns = clock_now_ns() + AGAIN_AFTER_S * NS_PER_S;
    if (str_equal(p->problem, why))
        return;
    str_copy(p->problem, sizeof p->problem, why);
    text_str(&t, "results not sent to ");
    uri_text(&p->uri, "", &t);
    text_fmt(&t, ": %s", why);
    serial_say("%s", text);
    journal_log(record_journal(), LOG_WARN, text);
}

static bool put(struct place *p, const char *file, const char *body, size_t len)
{
    char name[180], words[160];
    struct text n = text_over(name, sizeof name), why = text_over(words, sizeof words);
    int rc;

    file_name(p, file, &n);
    rc = net_put(&p->uri, name, body, len, &why);
    if (rc == OK)
        return true;
    give_up(p, words);
    return false;
}

static bool in_time(struct place *p, uint64_t until_ns)
{
    if (clock_now_ns() < until_ns)
        return true;
    give_up(p, "too slow: what is left was not sent");
    return false;
}

static bool put_journal(struct place *p, const char *journal, size_t len, uint64_t until_ns)
{
    char file[40];

    while (p->sent < len) {
        size_t n = name_part_len(journal + p->sent, len - p->sent, PART_BYTES);

        str_fmt(file, sizeof file, "journal-%03u.ndjson", p->parts + 1);
        if (!in_time(p, until_ns) || !put(p, file, journal + p->sent, n))
            return false;
        p->sent += n;
        p->parts++;
    }
    p->failed = false;
    return true;
}

static void send_new(const char *journal, size_t len)
{
    uint64_t now_ns = clock_now_ns();

    last_ns = now_ns;
    for (unsigned i = 0; i < place_count; i++) {
        struct place *p = &places[i];

        if (p->failed && now_ns < p->not_before_ns)
            continue;
        if (put_journal(p, journal, len, now_ns + CHECKPOINT_TOTAL_S * NS_PER_S))
            break;
    }
    last_ns = clock_now_ns();
}

static size_t least_unsent(size_t len)
{
    size_t most = 0;

    for (unsigned i = 0; i < place_count; i++)
        most = places[i].sent > most ? places[i].sent : most;
    return len - most;
}

void net_delivery_checkpoint(const char *journal, size_t len)
{
    uint64_t waited_ns = clock_now_ns() - last_ns;

    if (!place_count || waited_ns < 2 * NS_PER_S)
        return;
    if (waited_ns >= CHECKPOINT_S * NS_PER_S || least_unsent(len) >= CHECKPOINT_BYTES)
        send_new(journal, len);
}

void net_delivery_before_end(const char *journal, size_t len)
{
    for (unsigned i = 0; i < place_count; i++)
        places[i].not_before_ns = 0;
    if (place_count)
        send_new(journal, len);
}

/* ---- reports ---- */

struct body {
    char *text;
    size_t len, cap;
};

static bool add_to_body(void *ctx, const char *bytes, size_t len)
{
    struct body *b = ctx;

    if (b->len + len > b->cap) {
        size_t cap = 2 * b->cap + len + (64 << 10);
        char *bigger = plat_alloc(cap);

        if (!bigger)
            return false;
        if (b->len)
            memcpy(bigger, b->text, b->len);
        plat_free(b->text);
        b->text = bigger;
        b->cap = cap;
    }
    memcpy(b->text + b->len, bytes, len);
    b->len += len;
    return true;
}

/* A report above one part's size goes in numbered pieces, to be put together again. */
static bool put_pieces(struct place *p, const char *file, const struct body *b, uint64_t until_ns)
{
    char name[40];

    if (b->len <= PART_BYTES)
        return in_time(p, until_ns) && put(p, file, b->text, b->len);
    for (size_t at = 0, n = 1; at < b->len; at += PART_BYTES, n++) {
        str_fmt(name, sizeof name, "%s.%03u", file, (unsigned)n);
        if (!in_time(p, until_ns) || !put(p, name, b->text + at, (size_t)min_u64(PART_BYTES, b->len - at)))
            return false;
    }
    return true;
}

static bool put_reports(struct place *p, const char *journal, size_t len, uint64_t until_ns)
{
    bool ok = true;

    for (unsigned i = 0; ok && i < report_count; i++) {
        struct body b = { 0 };
        struct render_out out = { .write = add_to_body, .ctx = &b };

        reports[i].render(journal, len, &out);
        if (out.failed)
            serial_say("%s could not be made: no memory; the journal is whole", reports[i].name);
        else
            ok = put_pieces(p, reports[i].name, &b, until_ns);
        plat_free(b.text);
    }
    return ok;
}

bool net_delivery_finish(const char *journal, size_t len, struct text *where)
{
    for (unsigned i = 0; i < place_count; i++) {
        struct place *p = &places[i];
        uint64_t until_ns = clock_now_ns() + FINISH_TOTAL_S * NS_PER_S;

        /* It has just failed with the journal before its end: not once more. */
        if ((p->failed && clock_now_ns() < p->not_before_ns) || !put_journal(p, journal, len, until_ns) ||
            !put_reports(p, journal, len, until_ns))
            continue;
        text_reset(where);
        text_str(where, "sent to ");
        uri_text(&p->uri, p->uri.scheme == URI_HTTP ? base : "", where);
        return true;
    }
    text_str(where, "NOT SENT: ");
    for (unsigned i = 0; i < place_count; i++) {
        if (i)
            text_str(where, "; ");
        uri_text(&places[i].uri, "", where);
        text_fmt(where, ": %s", places[i].problem);
    }
    return false;
}
