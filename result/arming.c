#include "arming.h"
#include "bits.h"
#include "crc.h"
#include "err.h"
#include "sha256.h"
#include "str.h"

static const char first_line[] = "baresweep-arming 1";

static bool is_hex(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
            return false;
    return true;
}

static bool is_id(const char *s) { return str_len(s) == 16 && is_hex(s, 16); }

/* ---- lines ---- */
struct line {
    const char *text; /* not terminated, blanks at both ends dropped */
    size_t len;
    unsigned number;
};
struct lines {
    const char *text;
    size_t len, at;
    unsigned number;
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Carriage returns and blanks at the ends are no part of a line, so that an editor that changes them changes
 * nothing that was approved. */
static bool next_line(struct lines *l, struct line *out)
{
    if (l->at >= l->len)
        return false;
    const char *s = l->text + l->at;
    size_t n = 0;
    while (l->at + n < l->len && s[n] != '\n')
        n++;
    l->at += n + (l->at + n < l->len);
    while (n && is_blank(s[n - 1]))
        n--;
    while (n && is_blank(s[0]))
        s++, n--;
    *out = (struct line){ .text = s, .len = n, .number = ++l->number };
    return true;
}

static bool starts(const struct line *l, const char *word)
{
    size_t n = str_len(word);

    return l->len >= n && !memcmp(l->text, word, n) && (l->len == n || is_blank(l->text[n]));
}

/* What follows the first word; false when it does not fit. */
static bool value_of(const struct line *l, const char *word, char *buf, size_t cap)
{
    size_t at = str_len(word);

    while (at < l->len && is_blank(l->text[at]))
        at++;
    return str_copy_n(buf, cap, l->text + at, l->len - at);
}

/* ---- the digest that an approval carries ---- */
static const char approval_word[] = "approved";

void arming_digest(const char *text, size_t len, char out[65])
{
    struct lines all = { .text = text, .len = len };
    struct line l;
    struct sha256 s;
    uint8_t digest[32];

    sha256_begin(&s);
    while (next_line(&all, &l) && !starts(&l, approval_word)) {
        if (!l.len)
            continue;
        sha256_add(&s, l.text, l.len);
        sha256_add(&s, "\n", 1);
    }
    sha256_end(&s, digest);
    sha256_hex(digest, out);
}

/* ---- reading ---- */
struct reading {
    struct arming_batch *batch;
    struct text *why;
    const char *text;
    size_t len;
    unsigned seen; /* kinds of lines that stood here, those of a disk since its arming line */
    bool ended;    /* the approval was read: it is the last line */
};

static int refuse(struct reading *r, int rc, unsigned line, const char *problem)
{
    r->batch->count = 0;
    r->batch->approved_by[0] = 0;
    text_fmt(r->why, "arming file line %u: %s", line, problem);
    return rc;
}

static struct arming *last_arming(struct reading *r)
{
    return r->batch->count ? &r->batch->armings[r->batch->count - 1] : NULL;
}

static int read_batch(struct reading *r, const struct line *l)
{
    if (!value_of(l, "batch", r->batch->id, sizeof r->batch->id) || !is_id(r->batch->id))
        return refuse(r, E_SYNTAX, l->number, "a batch is named by 16 hexadecimal digits");
    return OK;
}

static int read_arming(struct reading *r, const struct line *l)
{
    if (r->batch->count == ARMING_MAX)
        return refuse(r, E_LIMIT, l->number, "more than 512 disks: split the batch");
    struct arming *a = &r->batch->armings[r->batch->count++];
    *a = (struct arming){ 0 };
    if (!value_of(l, "arming", a->id, sizeof a->id) || !is_id(a->id))
        return refuse(
            r, E_SYNTAX, l->number,
            "an arming is named by 16 hexadecimal digits, and means the one disk of its identity line; "
            "baresweep-rack arm makes them");
    for (unsigned i = 0; i + 1 < r->batch->count; i++)
        if (str_equal(r->batch->armings[i].id, a->id))
            return refuse(r, E_SYNTAX, l->number, "this arming stands here twice");
    return OK;
}

/* Words that may mean another disk at the next start, or more than one. */
static bool is_moving_name(const char *s)
{
    static const char *const prefixes[] = { "nvme", "sata", "megaraid", "stripe", "fw", "sd", "hd", "disk" };
    size_t n = str_len(s);

    if (str_equal_nocase(s, "all") || str_equal_nocase(s, "any") || str_find(s, "*") || str_find(s, "?") ||
        s[0] == '/')
        return true;
    for (unsigned i = 0; i < ARRAY_COUNT(prefixes); i++) {
        size_t p = str_len(prefixes[i]);

        if (str_starts(s, prefixes[i]) && n <= p + 12 && n > p && s[p] >= '0' && s[p] <= '9' &&
            !str_find(s, " "))
            return true;
    }
    return str_starts(s, "sd") && n <= 5 && !str_find(s, " ");
}

static int read_identity(struct reading *r, const struct line *l)
{
    struct arming *a = last_arming(r);

    if (!value_of(l, "identity", a->identity, sizeof a->identity) || !a->identity[0])
        return refuse(r, E_SYNTAX, l->number, "an identity has 1 to 95 characters");
    if (is_moving_name(a->identity))
        return refuse(
            r, E_SYNTAX, l->number,
            "a disk is armed by its identity, which fits no other, never by a name that may move, a "
            "pattern or \"all\": take it from the journal's disk line, or let baresweep-rack arm write it");
    for (unsigned i = 0; i + 1 < r->batch->count; i++)
        if (str_equal(r->batch->armings[i].identity, a->identity))
            return refuse(r, E_SYNTAX, l->number, "this identity is armed twice: keep one of them");
    return OK;
}

static int read_fingerprint(struct reading *r, const struct line *l)
{
    struct arming *a = last_arming(r);

    if (!value_of(l, "fingerprint", a->fingerprint, sizeof a->fingerprint) ||
        !(str_equal(a->fingerprint, "blank") ||
          (str_len(a->fingerprint) == 64 && is_hex(a->fingerprint, 64))))
        return refuse(r, E_SYNTAX, l->number, "a fingerprint is \"blank\" or 64 hexadecimal digits");
    return OK;
}

static int read_machine(struct reading *r, const struct line *l)
{
    struct arming *a = last_arming(r);

    if (!value_of(l, "machine", a->machine, sizeof a->machine) || !a->machine[0])
        return refuse(r, E_SYNTAX, l->number, "a machine's serial number or UUID has 1 to 63 characters");
    return OK;
}

static int read_found(struct reading *r, const struct line *l)
{
    struct arming *a = last_arming(r);

    value_of(l, "found", a->found, sizeof a->found); /* for people: a long one is cut */
    return OK;
}

/* "approved WHEN by WHO for DIGEST" */
static int read_approval(struct reading *r, const struct line *l)
{
    char words[200], digest[65];
    const char *by, *with = NULL;

    r->ended = true;
    if (!value_of(l, approval_word, words, sizeof words) || !(by = str_find(words, " by ")))
        return refuse(r, E_SYNTAX, l->number, "an approval is: approved WHEN by WHO for DIGEST");
    for (const char *p = by; (p = str_find(p, " for ")); p += 5)
        with = p;
    if (!with ||
        !str_copy_n(r->batch->approved_at, sizeof r->batch->approved_at, words, (size_t)(by - words)) ||
        with <= by + 4 ||
        !str_copy_n(r->batch->approved_by, sizeof r->batch->approved_by, by + 4, (size_t)(with - by - 4)))
        return refuse(r, E_SYNTAX, l->number, "an approval is: approved WHEN by WHO for DIGEST");
    arming_digest(r->text, r->len, digest);
    if (!str_equal(with + 5, digest))
        return refuse(
            r, E_SYNTAX, l->number,
            "the lines are not those that were approved: approve the batch again with baresweep-rack arm "
            "--approve NAME");
    return OK;
}

static const struct {
    const char *word;
    int (*read)(struct reading *r, const struct line *l);
    bool of_a_disk;
} line_kinds[] = {
    { "batch", read_batch, false },          { "arming", read_arming, false },
    { "identity", read_identity, true },     { "fingerprint", read_fingerprint, true },
    { "machine", read_machine, true },       { "found", read_found, true },
    { approval_word, read_approval, false },
};

/* Of two that differ the later one would count, and a person may have read the first. */
static bool stands_twice(struct reading *r, unsigned kind)
{
    bool twice = r->seen & 1u << kind;

    if (line_kinds[kind].read == read_arming) {
        for (unsigned i = 0; i < ARRAY_COUNT(line_kinds); i++)
            r->seen &= line_kinds[i].of_a_disk ? ~(1u << i) : ~0u;
        return false;
    }
    r->seen |= 1u << kind;
    return twice;
}

static int read_line(struct reading *r, const struct line *l)
{
    if (r->ended)
        return refuse(r, E_SYNTAX, l->number, "a line after the approval");
    for (unsigned i = 0; i < ARRAY_COUNT(line_kinds); i++)
        if (starts(l, line_kinds[i].word)) {
            if (line_kinds[i].of_a_disk && !r->batch->count)
                return refuse(r, E_SYNTAX, l->number,
                              "it belongs to a disk, but no arming line stands before");
            if (stands_twice(r, i))
                return refuse(r, E_SYNTAX, l->number,
                              "a second line of its kind: which of the two counts cannot be told");
            return line_kinds[i].read(r, l);
        }
    return refuse(r, E_SYNTAX, l->number,
                  "it begins with none of batch, arming, identity, fingerprint, machine, found, approved");
}

static int check_whole(struct reading *r, unsigned line)
{
    const struct arming_batch *b = r->batch;

    if (!b->id[0])
        return refuse(r, E_SYNTAX, line, "the batch line is missing");
    for (unsigned i = 0; i < b->count; i++)
        if (!b->armings[i].identity[0] || !b->armings[i].fingerprint[0])
            return refuse(r, E_SYNTAX, line, "an arming lacks its identity or its fingerprint");
    return OK;
}

int arming_read(const char *text, size_t len, struct arming_batch *out, struct text *why)
{
    struct reading r = { .batch = out, .why = why, .text = text, .len = len };
    struct lines all = { .text = text, .len = len };
    struct line l;
    bool begun = false;
    int rc = OK;

    out->id[0] = out->approved_at[0] = out->approved_by[0] = 0;
    out->count = 0;
    if (len > ARMING_MAX_TEXT_BYTES)
        return refuse(&r, E_LIMIT, 0, "longer than 1 MiB: split the batch");
    while (rc == OK && next_line(&all, &l)) {
        if (!l.len || l.text[0] == '#')
            continue;
        for (size_t i = 0; i < l.len; i++)
            if ((uint8_t)l.text[i] < 0x20 || l.text[i] == 0x7f)
                return refuse(&r, E_SYNTAX, l.number, "a control character");
        if (!begun && l.len >= 3 && !memcmp(l.text, "\xef\xbb\xbf", 3))
            return refuse(&r, E_SYNTAX, l.number,
                          "a byte order mark stands before it: save the file as UTF-8 without one");
        if (!begun && (l.len != sizeof first_line - 1 || memcmp(l.text, first_line, l.len)))
            return refuse(&r, E_SYNTAX, l.number, "an arming file begins with \"baresweep-arming 1\"");
        if (begun)
            rc = read_line(&r, &l);
        begun = true;
    }
    if (rc == OK && !begun)
        return refuse(&r, E_SYNTAX, all.number, "it is empty");
    return rc == OK ? check_whole(&r, all.number) : rc;
}

bool arming_accept(bool source_is_network, const char *pinned_sha256, const char *text, size_t len,
                   struct text *why)
{
    struct sha256 s;
    uint8_t digest[32];
    char hex[65];

    if (!source_is_network)
        return true;
    if (!pinned_sha256 || !pinned_sha256[0]) {
        text_str(why,
                 "an arming file from the network counts only when arm_sha256 in the baresweep.conf of the "
                 "stick pins it, or image/pin-arming did in the application");
        return false;
    }
    sha256_begin(&s);
    sha256_add(&s, text, len);
    sha256_end(&s, digest);
    sha256_hex(digest, hex);
    if (str_equal_nocase(hex, pinned_sha256))
        return true;
    text_str(why, "the arming file from the network is not the one that arm_sha256 or the application pins");
    return false;
}

const char *arming_pin(const char *place)
{
    size_t n = sizeof ARMING_PIN_HEAD - 1;

    return str_starts(place, ARMING_PIN_HEAD) && str_len(place + n) == 64 && is_hex(place + n, 64) ? place + n
                                                                                                   : "";
}

const struct arming *arming_find(const struct arming_batch *b, const char *identity)
{
    for (unsigned i = 0; identity[0] && i < b->count; i++)
        if (str_equal(b->armings[i].identity, identity))
            return &b->armings[i];
    return NULL;
}

/* ---- what is used up ---- */
/* "SPENT 0123456789abcdef <crc32c>\n": 6 + 16 + 1 + 8 + 1 */
static void ledger_record(char record[LEDGER_RECORD_BYTES + 1], const char *arming_id)
{
    char words[24];

    str_fmt(words, sizeof words, "SPENT %.16s", arming_id);
    str_fmt(record, LEDGER_RECORD_BYTES + 1, "%s %08x\n", words, crc32c(0, words, str_len(words)));
}

bool ledger_has(const char *ledger, size_t len, const char *arming_id)
{
    char record[LEDGER_RECORD_BYTES + 1];

    ledger_record(record, arming_id);
    for (size_t at = 0; at + LEDGER_RECORD_BYTES <= len; at += LEDGER_RECORD_BYTES)
        if (!memcmp(ledger + at, "SPENT ", 6) && !memcmp(ledger + at + 6, record + 6, 16))
            return true; /* also when its checksum is damaged: rather used up than not */
    return false;
}

int ledger_add(char *ledger, size_t len, const char *arming_id, size_t *at)
{
    char record[LEDGER_RECORD_BYTES + 1];

    if (!is_id(arming_id))
        return E_SYNTAX;
    ledger_record(record, arming_id);
    for (*at = 0; *at + LEDGER_RECORD_BYTES <= len; *at += LEDGER_RECORD_BYTES)
        if (memcmp(ledger + *at, "SPENT ", 6)) {
            memcpy(ledger + *at, record, LEDGER_RECORD_BYTES);
            return OK;
        }
    return E_LIMIT;
}
