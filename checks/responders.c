#include "responders.h"
#include "str.h"

static const char letters[RESPONDER_KINDS + 1] = "-MBDFOS";

void responders_of(const struct smbus_evidence *e, const struct board_facts *board, const char *when,
                   const char *cards, struct responder_map *out)
{
    struct pin_counts c;

    pins_count(e, board, &c);
    *out = (struct responder_map){ .probed = e->probed && e->complete,
                                   .clock_low = e->clock_low,
                                   .data_low = e->data_low,
                                   .samples = e->has_pins ? e->pin_samples : 0 };
    str_copy(out->when, sizeof out->when, when);
    str_copy(out->cards, sizeof out->cards, cards[0] ? cards : "-");
    memcpy(out->kind, c.kind, sizeof out->kind);
    out->trouble = e->collisions + e->late + e->timed_out + e->foreign_edges;
    for (unsigned i = 0; i < SMBUS_ADDRESSES; i++)
        out->trouble += e->responder[i].gaps;
}

void responders_write(const struct responder_map *m, struct text *out)
{
    text_fmt(out, "v1 when=%s cards=%s map=", m->when[0] ? m->when : "-", m->cards);
    for (unsigned i = 0; i < SMBUS_ADDRESSES; i++)
        text_char(out, letters[m->kind[i]]);
    text_fmt(out, " clock=%u/%u data=%u/%u trouble=%u probed=%u\n", m->clock_low, m->samples, m->data_low,
             m->samples, m->trouble, m->probed);
}

/* ---- reading ---- */

/* The word behind "key=", up to the next blank. */
static bool find_word(const char *line, size_t len, const char *key, char *out, size_t cap)
{
    size_t n = str_len(key);

    for (size_t i = 0; i + n < len; i++) {
        if (memcmp(line + i, key, n) || (i && line[i - 1] != ' '))
            continue;
        size_t end = i + n;
        while (end < len && line[end] != ' ')
            end++;
        return str_copy_n(out, cap, line + i + n, end - i - n);
    }
    return false;
}

static bool find_number(const char *line, size_t len, const char *key, uint32_t *out, uint32_t *of)
{
    char word[32];
    uint64_t v, w = 0;

    if (!find_word(line, len, key, word, sizeof word))
        return false;
    const char *slash = str_find(word, "/");
    size_t n = slash ? (size_t)(slash - word) : str_len(word);
    if (!str_to_u64(word, n, &v) || v > UINT32_MAX || !slash != !of)
        return false;
    if (slash && (!str_to_u64(slash + 1, str_len(slash + 1), &w) || w > UINT32_MAX))
        return false;
    *out = (uint32_t)v;
    if (of)
        *of = (uint32_t)w;
    return true;
}

static bool parse_map(const char *word, struct responder_map *out)
{
    if (str_len(word) != SMBUS_ADDRESSES)
        return false;
    for (unsigned i = 0; i < SMBUS_ADDRESSES; i++) {
        unsigned k = 0;

        while (k < RESPONDER_KINDS && letters[k] != word[i])
            k++;
        if (k == RESPONDER_KINDS)
            return false;
        out->kind[i] = (enum responder_kind)k;
    }
    return true;
}

bool responders_parse(const char *line, size_t len, struct responder_map *out)
{
    char map[16];
    uint32_t probed, samples;

    *out = (struct responder_map){ 0 };
    while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
        len--;
    if (len < 3 || memcmp(line, "v1 ", 3) || len >= RESPONDER_LINE_MAX ||
        !find_word(line, len, "when=", out->when, sizeof out->when) ||
        !find_word(line, len, "cards=", out->cards, sizeof out->cards) ||
        !find_word(line, len, "map=", map, sizeof map) || !parse_map(map, out) ||
        !find_number(line, len, "clock=", &out->clock_low, &out->samples) ||
        !find_number(line, len, "data=", &out->data_low, &samples) ||
        !find_number(line, len, "trouble=", &out->trouble, NULL) ||
        !find_number(line, len, "probed=", &probed, NULL))
        return false;
    if (str_equal(out->when, "-"))
        out->when[0] = 0;
    out->probed = probed != 0;
    return true;
}

/* The next valid line from *at on. */
static bool next_line(const char *text, size_t len, size_t *at, size_t *begin, size_t *end,
                      struct responder_map *m)
{
    while (*at < len) {
        *begin = *end = *at;
        while (*end < len && text[*end] != '\n')
            ++*end;
        *at = *end + 1;
        if (responders_parse(text + *begin, *end - *begin, m))
            return true;
    }
    return false;
}

bool responders_newest(const char *text, size_t len, struct responder_map *out)
{
    size_t at = 0, begin, end;

    return next_line(text, len, &at, &begin, &end, out);
}

void responders_file(const char *old, size_t old_len, const struct responder_map *now,
                     char out[RESPONDER_FILE_BYTES])
{
    struct responder_map m;
    struct text t = text_over(out, RESPONDER_FILE_BYTES);
    size_t at = 0, begin, end;

    responders_write(now, &t);
    while (next_line(old, old_len, &at, &begin, &end, &m) &&
           t.len + RESPONDER_LINE_MAX < RESPONDER_FILE_BYTES)
        responders_write(&m, &t);
    memset(out + t.len, ' ', RESPONDER_FILE_BYTES - t.len);
    out[RESPONDER_FILE_BYTES - 1] = '\n';
}

/* ---- comparing ---- */

static bool is_trouble(enum responder_kind k)
{
    return k == RESPONDER_DAMAGED || k == RESPONDER_FRU || k == RESPONDER_OTHER || k == RESPONDER_SILENT;
}

/* The first address that is trouble in a and not in b; 0: none. */
static unsigned trouble_only_in(const struct responder_map *a, const struct responder_map *b)
{
    for (unsigned i = 0; a->probed && b->probed && i < SMBUS_ADDRESSES; i++)
        if (is_trouble(a->kind[i]) && !is_trouble(b->kind[i]))
            return SMBUS_FIRST + i;
    return 0;
}

/* A line that was always low, or errors, in a and not in b. */
static const char *sign_only_in(const struct responder_map *a, const struct responder_map *b)
{
    if (a->samples && a->clock_low == a->samples && b->samples && !b->clock_low)
        return "the clock was held low";
    if (a->samples && a->data_low == a->samples && b->samples && !b->data_low)
        return "the data line was held low";
    if (a->trouble && !b->trouble && a->probed == b->probed)
        return "reads collided or came late";
    return NULL;
}

void responders_compare(const struct responder_map *before, const struct responder_map *now,
                        struct finding_list *out)
{
    bool same_cards = str_equal(before->cards, now->cards);
    unsigned gone_at = trouble_only_in(before, now), new_at = trouble_only_in(now, before);
    const char *gone = sign_only_in(before, now), *come = sign_only_in(now, before);
    const char *when = before->when[0] ? before->when : "an earlier run";
    char sign[64] = "";

    if (gone_at || new_at)
        str_fmt(sign, sizeof sign, "something at 0x%02x was no memory module", gone_at ? gone_at : new_at);
    else if (gone || come)
        str_copy(sign, sizeof sign, gone ? gone : come);
    if (!sign[0])
        return;
    bool is_gone = gone_at || (!new_at && gone), has_cards = !str_equal(now->cards, "-");
    if (!same_cards)
        finding_add(out, "smbus-comes-with-card", FINDING_WARN, "smbus", NULL,
                    "%s %s; cards then: %s, now: %s", sign,
                    is_gone ? "then and is not now" : "now and was not then", before->cards, now->cards);
    else if (is_gone && has_cards)
        finding_add(out, "smbus-mod-confirmed", FINDING_INFO, "smbus", NULL,
                    "%s in %s and is not now, with the same cards (%s)", sign, when, now->cards);
    else
        finding_add(out, "smbus-comes-and-goes", is_gone ? FINDING_INFO : FINDING_WARN, "smbus", NULL,
                    "%s %s, the cards are the same", sign,
                    is_gone ? "in an earlier run and is not now" : "now and not before");
}
