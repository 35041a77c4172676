#include "html.h"
#include "bits.h"
#include "str.h"

/* Tables with a row per line of one kind: links, the SMBus, RAID cards, their virtual drives and what is
 * behind them. */

struct column {
    const char *title;
    void (*put)(struct html *h, const struct journal_line *l, const char *key);
    const char *key;
    bool is_number; /* to the right */
};
struct table {
    const char *ev, *title, *note;
    const struct column *columns;
    unsigned count;
};

/* ---- values ---- */
static void put_words(struct html *h, const struct journal_line *l, const char *key)
{
    pen_member(h->pen, l, key);
}

static void put_number(struct html *h, const struct journal_line *l, const char *key)
{
    html_number(h->pen, event_u64(l, key), 0);
}

/* 0: not told. */
static void put_known(struct html *h, const struct journal_line *l, const char *key)
{
    if (event_u64(l, key))
        put_number(h, l, key);
}

static void put_subject(struct html *h, const struct journal_line *l, const char *key)
{
    char name[28];

    event_str(l, key, name, sizeof name);
    html_subject(h, name);
}

static void put_size(struct html *h, const struct journal_line *l, const char *key)
{
    if (event_u64(l, key))
        html_size(h->pen, event_u64(l, key));
}

static void put_capacity(struct html *h, const struct journal_line *l, const char *key)
{
    if (event_u64(l, key))
        html_capacity(h->pen, event_u64(l, key));
}

static void put_rate(struct html *h, const struct journal_line *l, const char *key)
{
    if (event_u64(l, key))
        html_rate(h->pen, event_u64(l, key));
}

static void put_chip(struct html *h, const char *class_name, const struct journal_line *l, const char *key)
{
    pen_fmt(h->pen, "<span class=\"chip %s\">", class_name);
    pen_member(h->pen, l, key);
    pen_str(h->pen, "</span>");
}

/* Of a drive of which the card tells nothing. */
static bool state_is_told(const struct journal_line *l)
{
    return !event_is(l, "state", "not told") && !event_is(l, "state", "in an unknown state");
}

/* Words that mean that all is well; others want to be looked at. */
static void put_state(struct html *h, const struct journal_line *l, const char *key)
{
    static const char *const good[] = { "optimal", "online", "JBOD", "hot spare", "unconfigured" };
    bool is_good = false;

    for (unsigned i = 0; i < ARRAY_COUNT(good); i++)
        is_good |= event_is(l, key, good[i]);
    if (state_is_told(l))
        put_chip(h, is_good ? "good" : "odd", l, key);
    else
        put_words(h, l, key);
}

/* Errors that were counted. */
static void put_errors(struct html *h, const struct journal_line *l, const char *key)
{
    if (!state_is_told(l))
        return;
    pen_str(h->pen, event_u64(l, key) ? "<span class=\"chip odd\">" : "");
    put_number(h, l, key);
    pen_str(h->pen, event_u64(l, key) ? "</span>" : "");
}

/* ---- links ---- */
static void put_lanes(struct html *h, const struct journal_line *l, const char *speed, const char *width,
                      bool narrow)
{
    uint64_t generation = event_u64(l, speed), lanes = event_u64(l, width);

    if (!generation || !lanes)
        return;
    pen_str(h->pen, narrow ? "<span class=\"chip odd\">" : "");
    pen_fmt(h->pen, "Gen%llu\xc2\xa0x%llu", (unsigned long long)generation, (unsigned long long)lanes);
    pen_str(h->pen, narrow ? "</span>" : "");
}

static void put_link(struct html *h, const struct journal_line *l, const char *key)
{
    bool narrow = event_u64(l, "speed") < event_u64(l, "speed_max") ||
                  event_u64(l, "width") < event_u64(l, "width_max");

    (void)key;
    put_lanes(h, l, "speed", "width", narrow);
}

static void put_possible_link(struct html *h, const struct journal_line *l, const char *key)
{
    (void)key;
    put_lanes(h, l, "speed_max", "width_max", false);
}

static void put_samples(struct html *h, const struct journal_line *l, const char *key)
{
    uint64_t samples = event_u64(l, key);

    if (samples)
        html_number(h->pen, samples, 0);
    else
        pen_str(h->pen, "seen idle only");
}

/* ---- RAID ---- */
static void put_policy(struct html *h, const struct journal_line *l, const char *key)
{
    char now[104], wanted[104];
    bool differs = event_str(l, key, now, sizeof now) &&
                   event_str(l, "configured_policy", wanted, sizeof wanted) && !str_starts(now, wanted);

    pen_escaped(h->pen, now);
    if (!differs)
        return;
    pen_str(h->pen, " <span class=\"chip odd\">set up as</span> ");
    pen_escaped(h->pen, wanted);
}

static void put_shape(struct html *h, const struct journal_line *l, const char *key)
{
    uint64_t spans = event_u64(l, "spans"), drives = event_u64(l, key);

    if (spans && drives)
        pen_fmt(h->pen, "%llu\xc2\xa0\xc3\x97\xc2\xa0%llu", (unsigned long long)spans,
                (unsigned long long)drives);
}

static void put_drive_cache(struct html *h, const struct journal_line *l, const char *key)
{
    static const char *const words[] = { "as it comes", "on", "off" };
    uint64_t v = event_u64(l, key);

    pen_str(h->pen, event_u64(l, "policy_told") && v < ARRAY_COUNT(words) ? words[v] : "");
}

static void put_place(struct html *h, const struct journal_line *l, const char *key)
{
    enum { NO_ENCLOSURE = 65535 };
    uint64_t enclosure = event_u64(l, "enclosure_id");

    if (enclosure != NO_ENCLOSURE)
        pen_fmt(h->pen, "%llu:", (unsigned long long)enclosure);
    put_number(h, l, key);
}

static void put_pd_link(struct html *h, const struct journal_line *l, const char *key)
{
    uint64_t now = event_u64(l, key), most = event_u64(l, "max_link_mb_per_s");

    if (!now)
        return;
    pen_str(h->pen, now < most ? "<span class=\"chip odd\">" : "");
    html_number(h->pen, now, 0);
    pen_str(h->pen, now < most ? "</span>" : "");
    if (now < most) {
        pen_str(h->pen, " of ");
        html_number(h->pen, most, 0);
    }
}

static void put_rates(struct html *h, const struct journal_line *l, const char *key)
{
    static const struct {
        const char *word, *key;
    } rates[] = { { "rebuild", "rebuild_percent" },
                  { "patrol", "patrol_percent" },
                  { "initialise", "init_percent" },
                  { "check", "check_percent" } };
    const char *before = "";

    (void)key;
    for (unsigned i = 0; i < ARRAY_COUNT(rates); i++)
        if (event_u64(l, rates[i].key)) {
            pen_fmt(h->pen, "%s%s %llu\xc2\xa0%%", before, rates[i].word,
                    (unsigned long long)event_u64(l, rates[i].key));
            before = ", ";
        }
}

static void put_battery(struct html *h, const struct journal_line *l, const char *key)
{
    if (event_u64(l, "battery_bad"))
        put_chip(h, "odd", l, key);
    else
        put_words(h, l, key);
}

/* ---- the tables ---- */
static const struct column link_columns[] = {
    { "Controller", put_subject, "controller", false },
    { "In use", put_link, "", false },
    { "Possible", put_possible_link, "", false },
    { "Carries at most, MB/s", put_rate, "ceiling_bytes_per_s", true },
    { "Payload", put_size, "payload_bytes", true },
    { "Looks under load", put_samples, "samples", true },
    { "Port", put_words, "port", false },
};
static const struct column smbus_columns[] = {
    { "SMBus controller", put_words, "controller", false },
    { "Address", put_words, "pci_address", false },
    { "Who answers at 50h to 57h", put_words, "answers", false },
    { "Evidence", put_words, "evidence", false },
};
static const struct column card_columns[] = {
    { "RAID card", put_subject, "controller", false },
    { "Product", put_words, "product", false },
    { "Serial number", put_words, "serial", false },
    { "Firmware", put_words, "package", false },
    { "Cache, MiB", put_known, "memory_mib", true },
    { "Battery", put_battery, "battery", false },
    { "\xc2\xb0"
      "C",
      put_known, "temperature_c", true },
    { "Share of background work", put_rates, "", false },
    { "Enclosures", put_words, "enclosures", false },
};
static const struct column virtual_columns[] = {
    { "Virtual drive", put_subject, "disk", false },
    { "Level", put_words, "level", false },
    { "State", put_state, "state", false },
    { "Spans \xc3\x97 drives", put_shape, "drives_per_span", true },
    { "Strip", put_size, "strip_bytes", true },
    { "Size", put_capacity, "size_bytes", true },
    { "Cache policy", put_policy, "policy", false },
    { "Drives' cache", put_drive_cache, "drive_cache", false },
    { "Members", put_words, "members", false },
    { "Meanwhile", put_words, "works", false },
};
static const struct column physical_columns[] = {
    { "Drive", put_subject, "disk", false },
    { "State", put_state, "state", false },
    { "Bay", put_place, "slot", true },
    { "Interface", put_words, "interface", false },
    { "Size", put_capacity, "size_bytes", true },
    { "Link, MB/s", put_pd_link, "link_mb_per_s", true },
    { "\xc2\xb0"
      "C",
      put_known, "temperature_c", true },
    { "Media errors", put_errors, "media_errors", true },
    { "Other errors", put_errors, "other_errors", true },
    { "Predicted failures", put_errors, "predictive_failures", true },
    { "Meanwhile", put_words, "works", false },
};
#define COLUMNS(columns) columns, ARRAY_COUNT(columns)
static const struct table tables[] = {
    { "link", "PCI Express links", "", COLUMNS(link_columns) },
    { "smbus", "SMBus",
      "M memory module, B blank one, D damaged one, F a card that says what it is, O other data, S blocked the bus, - nobody",
      COLUMNS(smbus_columns) },
    { "raid_card", "RAID cards", "", COLUMNS(card_columns) },
    { "virtual_drive", "Virtual drives and their policies", "", COLUMNS(virtual_columns) },
    { "raid_drive", "Drives behind RAID cards", "", COLUMNS(physical_columns) },
};

static void put_head(struct html *h, const struct table *t)
{
    pen_fmt(h->pen, "<h3>%s</h3><div class=\"wide\"><table class=\"state\"><thead><tr>", t->title);
    for (unsigned i = 0; i < t->count; i++)
        pen_fmt(h->pen, "<th%s>%s</th>", t->columns[i].is_number ? "" : " class=\"l\"", t->columns[i].title);
    pen_str(h->pen, "</tr></thead>\n<tbody>\n");
}

static void put_row(struct html *h, const struct table *t, const struct journal_line *l)
{
    pen_str(h->pen, "<tr>");
    for (unsigned i = 0; i < t->count; i++) {
        pen_str(h->pen, i == 0                    ? "<th scope=\"row\">"
                        : t->columns[i].is_number ? "<td>"
                                                  : "<td class=\"l\">");
        t->columns[i].put(h, l, t->columns[i].key);
        pen_str(h->pen, i == 0 ? "</th>" : "</td>");
    }
    pen_str(h->pen, "</tr>\n");
}

void html_put_tables(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;

    for (unsigned i = 0; i < ARRAY_COUNT(tables); i++) {
        unsigned count = 0;

        run_lines_start(&lines, h->run);
        while (!h->pen->out->failed && run_lines_find(&lines, tables[i].ev, &l)) {
            if (!count++)
                put_head(h, &tables[i]);
            put_row(h, &tables[i], &l);
        }
        if (count)
            pen_str(h->pen, "</tbody></table></div>\n");
        if (count && tables[i].note[0])
            pen_fmt(h->pen, "<p class=\"common\">%s</p>\n", tables[i].note);
    }
}
