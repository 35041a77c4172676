#include "str.h"
#include "summary.h"

/* RAID cards: what they are, how their virtual drives are set up, how the drives behind them are. */

static unsigned long long ull(uint64_t v) { return v; }

static void put_card(struct render_out *o, const struct journal_line *l)
{
    char text[600], label[40], name[16], word[120];
    struct text t = text_over(text, sizeof text);

    event_str(l, "controller", name, sizeof name);
    str_fmt(label, sizeof label, "%s: ", name);
    summary_add(&t, l, event_str(l, "fitted_as", word, sizeof word) && word[0] ? "fitted_as" : "product", "");
    summary_add(&t, l, "package", ", firmware ");
    text_fmt(&t, ", cache %llu MiB", ull(event_u64(l, "memory_mib")));
    if (event_u64(l, "temperature_c"))
        text_fmt(&t, ", %llu C", ull(event_u64(l, "temperature_c")));
    summary_add(&t, l, "battery", ", battery ");
    page_wrap(o, 2, label, text);
}

static void put_virtual_drive(struct render_out *o, const struct journal_line *l)
{
    char text[700], label[40], name[24];
    struct text t = text_over(text, sizeof text);

    event_str(l, "disk", name, sizeof name);
    str_fmt(label, sizeof label, "%s: ", name);
    summary_add(&t, l, "level", "");
    summary_add(&t, l, "state", ", ");
    if (event_u64(l, "drives_per_span")) {
        uint64_t spans = event_u64(l, "spans"), drives = event_u64(l, "drives_per_span");

        if (spans > 1)
            text_fmt(&t, ", %llu spans of", ull(spans));
        text_fmt(&t, "%s %llu drive%s", spans > 1 ? "" : ",", ull(drives), str_plural(drives));
    }
    if (event_u64(l, "strip_bytes"))
        text_fmt(&t, ", strips of %llu KiB", ull(event_u64(l, "strip_bytes") / 1024));
    summary_add(&t, l, "policy", "; ");
    if (event_u64(l, "policy_told") && event_u64(l, "current_policy") != event_u64(l, "default_policy"))
        summary_add(&t, l, "configured_policy", ", configured: ");
    summary_add(&t, l, "members", "; drives ");
    summary_add(&t, l, "works", "; at work: ");
    page_wrap(o, 4, label, text);
}

static void put_drive(struct render_out *o, const struct journal_line *l)
{
    char text[400], label[60], name[24];
    struct text t = text_over(text, sizeof text);
    uint64_t enclosure = event_u64(l, "enclosure_id");

    event_str(l, "disk", name, sizeof name);
    str_fmt(label, sizeof label, "%s: ", name);
    if (enclosure != 65535)
        text_fmt(&t, "enclosure %llu ", ull(enclosure));
    text_fmt(&t, "slot %llu", ull(event_u64(l, "slot")));
    summary_add(&t, l, "state", ", ");
    if (event_u64(l, "foreign"))
        text_str(&t, ", foreign");
    summary_add(&t, l, "interface", ", ");
    if (event_u64(l, "temperature_c"))
        text_fmt(&t, ", %llu C", ull(event_u64(l, "temperature_c")));
    if (event_u64(l, "media_errors") || event_u64(l, "other_errors") || event_u64(l, "predictive_failures"))
        text_fmt(&t, ", errors: %llu of the medium, %llu others, %llu predicted failures",
                 ull(event_u64(l, "media_errors")), ull(event_u64(l, "other_errors")),
                 ull(event_u64(l, "predictive_failures")));
    summary_add(&t, l, "works", ", at work: ");
    page_wrap(o, 4, label, text);
}

void summary_put_raid(struct render_out *o, const struct run *run)
{
    static const struct summary_kind kinds[] = {
        { "raid_card", put_card },
        { "virtual_drive", put_virtual_drive },
        { "raid_drive", put_drive },
    };

    summary_put_kinds(o, run, "RAID cards and what is behind them", kinds, sizeof kinds / sizeof kinds[0]);
}
