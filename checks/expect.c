#include "expect.h"
#include "err.h"
#include "str.h"

/* ---- items between commas ---- */

enum { ITEM_MAX = 96 };

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static void trim(char *s)
{
    size_t from = 0, n = str_len(s);

    while (is_blank(s[from]))
        from++;
    while (n > from && is_blank(s[n - 1]))
        n--;
    memmove(s, s + from, n - from);
    s[n - from] = 0;
}

/* The next item that is not empty; false at the end. */
static bool next_item(const char **at, char item[ITEM_MAX])
{
    while (**at) {
        size_t n = 0;

        while ((*at)[n] && (*at)[n] != ',')
            n++;
        str_copy_n(item, ITEM_MAX, *at, n);
        *at += n + ((*at)[n] == ',');
        trim(item);
        if (item[0])
            return true;
    }
    return false;
}

/* ---- patterns ---- */

static bool same_letters(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char x = a[i], y = b[i];

        x = x >= 'A' && x <= 'Z' ? (char)(x + 32) : x;
        y = y >= 'A' && y <= 'Z' ? (char)(y + 32) : y;
        if (x != y)
            return false;
    }
    return true;
}

bool expect_matches(const char *pattern, const char *text)
{
    size_t n = str_len(pattern), m = str_len(text);
    bool open_start = n && pattern[0] == '*', open_end = n > 1 && pattern[n - 1] == '*';

    if (open_start) {
        pattern++;
        n--;
    }
    n -= open_end;
    if (m < n)
        return false;
    if (!open_start)
        return (open_end || m == n) && same_letters(pattern, text, n);
    if (!open_end)
        return same_letters(pattern, text + m - n, n);
    for (size_t i = 0; i + n <= m; i++)
        if (same_letters(pattern, text + i, n))
            return true;
    return false;
}

/* ---- the shapes of items ---- */

/* "4x WD*": at least four; "WD*": at least one. */
static bool parse_model(char *item, uint64_t *count, const char **pattern)
{
    size_t n = 0;

    *count = 1;
    *pattern = item;
    while (item[n] >= '0' && item[n] <= '9')
        n++;
    if (!n || (item[n] != 'x' && item[n] != 'X') || !is_blank(item[n + 1]))
        return true; /* a model may begin with a digit */
    if (!str_to_u64(item, n, count) || !*count)
        return false;
    trim(item + n + 1);
    *pattern = item + n + 1;
    return (*pattern)[0] != 0;
}

/* "WD*: 82.00*" */
static bool parse_firmware(char *item, const char **model, const char **firmware)
{
    char *colon = item;

    while (*colon && *colon != ':')
        colon++;
    if (!*colon)
        return false;
    *colon = 0;
    trim(item);
    trim(colon + 1);
    *model = item;
    *firmware = colon + 1;
    return item[0] && colon[1];
}

/* "gen2 x8" */
static bool parse_link(const char *words, uint64_t *speed, uint64_t *width)
{
    const char *blank = str_find(words, " ");

    if (!blank || !str_starts(words, "gen") || blank[1] != 'x')
        return false;
    return str_to_u64(words + 3, (size_t)(blank - words - 3), speed) &&
           str_to_u64(blank + 2, str_len(blank + 2), width) && *speed && *speed < 16 && *width &&
           *width <= 32;
}

/* "hdd 100" */
static bool parse_floor(char *item, const char **what, uint64_t *mb_per_s)
{
    size_t n = str_len(item), from = n;

    while (from && !is_blank(item[from - 1]))
        from--;
    if (!from || !str_to_u64(item + from, n - from, mb_per_s) || !*mb_per_s || *mb_per_s > 1000000)
        return false;
    item[from - 1] = 0;
    trim(item);
    *what = item;
    return true;
}

int expect_check(const struct expect_words *w, struct text *why)
{
    char item[ITEM_MAX], shown[ITEM_MAX];
    const char *at, *a, *b;
    uint64_t n, m;

    for (at = w->models; next_item(&at, item);) {
        str_copy(shown, sizeof shown, item);
        if (!parse_model(item, &n, &a)) {
            text_fmt(why, "expect_models: %s: write 4x MODEL*, items between commas", shown);
            return E_SYNTAX;
        }
    }
    for (at = w->firmware; next_item(&at, item);) {
        str_copy(shown, sizeof shown, item);
        if (!parse_firmware(item, &a, &b)) {
            text_fmt(why, "expect_firmware: %s: write MODEL*: FIRMWARE, items between commas", shown);
            return E_SYNTAX;
        }
    }
    if (w->link[0] && !parse_link(w->link, &n, &m)) {
        text_fmt(why, "expect_link: %s: write gen2 x8", w->link);
        return E_SYNTAX;
    }
    for (at = w->floor; next_item(&at, item);) {
        str_copy(shown, sizeof shown, item);
        if (!parse_floor(item, &a, &n)) {
            text_fmt(why,
                     "expect_mb_per_s: %s: write hdd 100, ssd 400, nvme 1500, virtual 200 or a disk's name",
                     shown);
            return E_SYNTAX;
        }
    }
    return OK;
}

/* ---- judging ---- */

static void judge_model(const char *pattern, uint64_t wanted, const struct expect_disk *disks, unsigned count,
                        struct finding_list *out)
{
    uint64_t found = 0;

    for (unsigned i = 0; i < count; i++)
        found += disks[i].usable && expect_matches(pattern, disks[i].model);
    if (found < wanted)
        finding_add(out, "expectation-missed", FINDING_FAIL, "run", "the drives that expect_models lists",
                    "%llu usable drives of model %s, %llu expected", (unsigned long long)found, pattern,
                    (unsigned long long)wanted);
}

bool expect_judge_disks(const struct expect_words *w, const struct expect_disk *disks, unsigned count,
                        struct finding_list *out)
{
    unsigned before = out->count + out->dropped;
    const char *at, *model, *firmware;
    char item[ITEM_MAX];
    uint64_t wanted;

    for (at = w->models; next_item(&at, item);)
        if (parse_model(item, &wanted, &model))
            judge_model(model, wanted, disks, count, out);
    for (at = w->firmware; next_item(&at, item);) {
        if (!parse_firmware(item, &model, &firmware))
            continue;
        for (unsigned i = 0; i < count; i++)
            if (expect_matches(model, disks[i].model) && !expect_matches(firmware, disks[i].firmware))
                finding_add(out, "expectation-missed", FINDING_FAIL, disks[i].name, firmware,
                            "%s has firmware %s", disks[i].model, disks[i].firmware);
    }
    return out->count + out->dropped == before;
}

bool expect_judge_links(const struct expect_words *w, const struct expect_link *links, unsigned count,
                        struct finding_list *out)
{
    unsigned before = out->count + out->dropped;
    uint64_t speed, width;

    if (!w->link[0] || !parse_link(w->link, &speed, &width))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (links[i].known && (links[i].speed < speed || links[i].width < width))
            finding_add(out, "expectation-missed", FINDING_FAIL, links[i].controller, w->link,
                        "the link is Gen%u x%u", links[i].speed, links[i].width);
    return out->count + out->dropped == before;
}

static bool floor_is_for(const char *what, const struct expect_disk *d)
{
    if (str_equal_nocase(what, "hdd"))
        return d->rotates && !d->is_virtual;
    if (str_equal_nocase(what, "nvme"))
        return d->is_nvme;
    if (str_equal_nocase(what, "virtual"))
        return d->is_virtual;
    if (str_equal_nocase(what, "ssd"))
        return !d->rotates && !d->is_nvme && !d->is_virtual;
    return str_equal(what, d->name);
}

bool expect_judge_floors(const struct expect_words *w, const struct expect_disk *disks, unsigned count,
                         struct finding_list *out)
{
    unsigned before = out->count + out->dropped;
    char item[ITEM_MAX], floor[32];
    const char *at, *what;
    uint64_t mb;

    for (at = w->floor; next_item(&at, item);) {
        if (!parse_floor(item, &what, &mb))
            continue;
        str_fmt(floor, sizeof floor, "%llu MB/s", (unsigned long long)mb);
        for (unsigned i = 0; i < count; i++)
            if (disks[i].measured && floor_is_for(what, &disks[i]) &&
                disks[i].best_bytes_per_s < mb * 1000000)
                finding_add(out, "expectation-missed", FINDING_FAIL, disks[i].name, floor,
                            "its best sequential read was %llu MB/s",
                            (unsigned long long)(disks[i].best_bytes_per_s / 1000000));
    }
    return out->count + out->dropped == before;
}
