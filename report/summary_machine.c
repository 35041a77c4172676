#include "summary.h"
#include "str.h"

/* What the machine does to its disks: who shares what, how wide the ways are, what the SMBus says. */

static unsigned long long ull(uint64_t v) { return v; }

static void put_node(struct render_out *o, const struct journal_line *l)
{
    char text[200], word[24], label[64];
    struct text t = text_over(text, sizeof text), lt = text_over(label, sizeof label);
    uint64_t depth = event_u64(l, "depth");

    text_pad(&lt, 2 + 2 * (depth < 12 ? (size_t)depth : 12), ' ');
    if (!event_str(l, "name", word, sizeof word))
        event_str(l, "kind", word, sizeof word);
    text_fmt(&lt, "%s ", word);
    summary_add(&t, l, "pci_address", "");
    summary_add(&t, l, "words", "  ");
    page_wrap(o, 0, label, text);
}

static void put_link(struct render_out *o, const struct journal_line *l)
{
    char text[240], label[40], name[16], port[16];
    struct text t = text_over(text, sizeof text);
    uint64_t ceiling = event_u64(l, "ceiling_bytes_per_s");

    event_str(l, "controller", name, sizeof name);
    str_fmt(label, sizeof label, "link of %s: ", name);
    text_fmt(&t, "Gen%llu x%llu", ull(event_u64(l, "speed")), ull(event_u64(l, "width")));
    if (event_u64(l, "speed_max"))
        text_fmt(&t, " of Gen%llu x%llu", ull(event_u64(l, "speed_max")), ull(event_u64(l, "width_max")));
    if (event_str(l, "port", port, sizeof port))
        text_fmt(&t, " behind %s", port);
    if (ceiling)
        text_fmt(&t, ", carries %llu MB/s at most with packets of %llu bytes", ull(ceiling / 1000000),
                 ull(event_u64(l, "payload_bytes")));
    text_str(&t, event_u64(l, "samples") ? ", seen while data moved" : ", seen while idle only");
    page_wrap(o, 2, label, text);
}

static void put_smbus(struct render_out *o, const struct journal_line *l)
{
    char text[480], answers[12];
    struct text t = text_over(text, sizeof text);

    summary_add(&t, l, "evidence", "");
    page_wrap(o, 2, "SMBus: ", text);
    if (event_str(l, "answers", answers, sizeof answers))
        page_wrap(o, 4, "",
                  "0x50 to 0x57: M memory module, B blank, D damaged, F identification of a card, "
                  "O other data, S blocked the bus");
}

void summary_put_machine_path(struct render_out *o, const struct run *run)
{
    static const struct summary_kind kinds[] = {
        { "topology", put_node },
        { "link", put_link },
        { "smbus", put_smbus },
    };

    summary_put_kinds(o, run, "What the machine does to its disks", kinds, sizeof kinds / sizeof kinds[0]);
}
