#include "html.h"
#include "bits.h"
#include "str.h"

/* What a drive says about its own state, before the run and after it. */

static const struct {
    const char *key, *label, *unit;
} values[] = {
    { "temperature_c", "Temperature",
      " \xc2\xb0"
      "C" },
    { "temperature_warning_c", "Its own limit for a warning",
      " \xc2\xb0"
      "C" },
    { "temperature_critical_c", "Its own limit for danger",
      " \xc2\xb0"
      "C" },
    { "used_percent", "Rated life used", " %" },
    { "spare_percent", "Spare blocks left", " %" },
    { "spare_threshold_percent", "Spare blocks, its own limit", " %" },
    { "power_on_hours", "Powered on", " h" },
    { "power_cycles", "Power cycles", "" },
    { "unsafe_shutdowns", "Power lost without notice", "" },
    { "media_errors", "Media errors", "" },
    { "error_log_entries", "Entries in the error log", "" },
    { "reallocated_sectors", "Reallocated sectors", "" },
    { "pending_sectors", "Pending sectors", "" },
    { "uncorrectable_sectors", "Uncorrectable sectors", "" },
    { "interface_crc_errors", "CRC errors on the cable", "" },
    { "warning_temperature_minutes", "Above its warning limit", " min" },
    { "critical_temperature_minutes", "Above its danger limit", " min" },
    { "light_throttles", "Slowed down a little", " times" },
    { "heavy_throttles", "Slowed down much", " times" },
    { "host_read_mb", "Read so far", " MB" },
    { "host_written_mb", "Written so far", " MB" },
    { "self_tests_failed", "Self-tests failed", "" },
};

static bool is_counted_up(const char *key)
{
    static const char *const errors[] = { "media_errors",
                                          "error_log_entries",
                                          "reallocated_sectors",
                                          "pending_sectors",
                                          "uncorrectable_sectors",
                                          "interface_crc_errors",
                                          "light_throttles",
                                          "heavy_throttles",
                                          "self_tests_failed",
                                          "warning_temperature_minutes",
                                          "critical_temperature_minutes" };

    for (unsigned i = 0; i < ARRAY_COUNT(errors); i++)
        if (str_equal(key, errors[i]))
            return true;
    return false;
}

static bool value_of(const struct journal_line *l, const char *key, int64_t *out)
{
    struct json_value all, v;

    return l->ev[0] && json_member(&l->body, "values", &all) && json_member(&all, key, &v) &&
           json_to_i64(&v, out);
}

static void put_value(struct html *h, bool told, int64_t v, const char *unit)
{
    pen_str(h->pen, "<td>");
    if (told) {
        pen_str(h->pen, v < 0 ? "\xe2\x88\x92" : v == INT64_MAX ? "\xe2\x89\xa5\xc2\xa0" : "");
        html_number(h->pen, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0);
        pen_str(h->pen, unit);
    }
    pen_str(h->pen, "</td>");
}

static void put_change(struct html *h, int64_t was, int64_t is, bool matters)
{
    uint64_t by = is > was ? (uint64_t)is - (uint64_t)was : (uint64_t)was - (uint64_t)is;

    pen_str(h->pen, matters && is > was ? "<span class=\"chip odd\">" : "");
    pen_str(h->pen, is > was ? "+" : "\xe2\x88\x92");
    html_number(h->pen, by, 0);
    pen_str(h->pen, matters && is > was ? "</span>" : "");
}

static void put_row(struct html *h, const struct journal_line *before, const struct journal_line *after,
                    unsigned i)
{
    int64_t was, is;
    bool knew = value_of(before, values[i].key, &was), knows = value_of(after, values[i].key, &is);

    if (!knew && !knows)
        return;
    pen_fmt(h->pen, "<tr><th scope=\"row\" title=\"%s\">%s</th>", values[i].key, values[i].label);
    put_value(h, knew, knew ? was : 0, values[i].unit);
    put_value(h, knows, knows ? is : 0, values[i].unit);
    pen_str(h->pen, "<td>");
    if (knew && knows && was != is)
        put_change(h, was, is, is_counted_up(values[i].key));
    pen_str(h->pen, "</td></tr>\n");
}

/* Keys that came after this version. */
static void put_unknown_values(struct html *h, const struct journal_line *l)
{
    struct json_value all, name, v;
    size_t cursor = 0;
    char key[64];

    if (!l->ev[0] || !json_member(&l->body, "values", &all) || all.kind != JSON_OBJECT)
        return;
    while (json_next(&all, &cursor, &name, &v)) {
        bool known = !json_to_str(&name, key, sizeof key) || v.kind != JSON_NUMBER;

        for (unsigned i = 0; i < ARRAY_COUNT(values); i++)
            known |= str_equal(key, values[i].key);
        if (known)
            continue;
        pen_str(h->pen, "<tr><th scope=\"row\">");
        pen_escaped(h->pen, key);
        pen_str(h->pen, "</th><td></td><td>");
        pen_bytes(h->pen, v.at, v.len);
        pen_str(h->pen, "</td><td></td></tr>\n");
    }
}

static void put_words(struct html *h, const struct journal_line *l, const char *when)
{
    char warnings[200], note[8];

    if (!l->ev[0])
        return;
    if (event_str(l, "warnings", warnings, sizeof warnings)) {
        pen_fmt(h->pen, "<p>Warns %s the run: ", when);
        for (char *at = warnings; *at;) {
            char *end = at;
            bool more;

            while (*end && *end != ' ')
                end++;
            more = *end;
            *end = 0;
            pen_str(h->pen, "<span class=\"chip bad\">");
            pen_escaped(h->pen, at);
            pen_str(h->pen, "</span> ");
            at = end + more;
        }
        pen_str(h->pen, "</p>\n");
    }
    if (event_str(l, "note", note, sizeof note)) {
        pen_fmt(h->pen, "<p>Says %s the run: ", when);
        pen_member(h->pen, l, "note");
        pen_str(h->pen, "</p>\n");
    }
}

static bool tells_values(const struct journal_line *l)
{
    struct json_value all, name, v;
    size_t cursor = 0;

    return l->ev[0] && json_member(&l->body, "values", &all) && all.kind == JSON_OBJECT &&
           json_next(&all, &cursor, &name, &v);
}

static bool tells_words(const struct journal_line *l)
{
    char word[8];

    return l->ev[0] &&
           (event_str(l, "warnings", word, sizeof word) || event_str(l, "note", word, sizeof word));
}

void html_put_health(struct html *h)
{
    struct journal_line before = { 0 }, after = { 0 };

    if ((!h->drive.health_before || !run_line_at(h->run, h->drive.health_before, &before)))
        before.ev[0] = 0;
    if ((!h->drive.health_after || !run_line_at(h->run, h->drive.health_after, &after)))
        after.ev[0] = 0;
    bool values_told = tells_values(&before) || tells_values(&after);

    if (!values_told && !tells_words(&before) && !tells_words(&after))
        return;
    pen_str(h->pen, "<h3>What the drive says of itself</h3>\n");
    put_words(h, &before, "before");
    put_words(h, &after, "after");
    if (!values_told)
        return;
    pen_str(
        h->pen,
        "<div class=\"wide\"><table class=\"state health\"><thead><tr><th></th><th>Before</th><th>After</th>"
        "<th>Change</th></tr></thead>\n<tbody>\n");
    for (unsigned i = 0; i < ARRAY_COUNT(values); i++)
        put_row(h, &before, &after, i);
    put_unknown_values(h, after.ev[0] ? &after : &before);
    pen_str(h->pen, "</tbody></table></div>\n");
}
