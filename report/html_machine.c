#include "html.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* The machine, its controllers, and what hangs on each. */

static void put_facts(struct html *h)
{
    static const struct {
        const char *label, *key;
    } facts[] = {
        { "Maker", "vendor" },           { "Model", "model" },
        { "Serial number", "serial" },   { "UUID", "uuid" },
        { "Firmware", "bios" },          { "UEFI", "firmware" },
        { "Program", "product" },        { "Version", "version" },
        { "Started from", "boot_path" }, { "Clock at start", "clock" },
    };
    struct run_lines lines;
    struct journal_line l;
    uint64_t tsc_hz;

    run_lines_start(&lines, h->run);
    if (!run_lines_find(&lines, "run_start", &l)) {
        pen_str(h->pen, "<p class=\"note\">The line that describes the machine is missing.</p>\n");
        return;
    }
    pen_str(h->pen, "<dl class=\"facts\">");
    for (unsigned i = 0; i < ARRAY_COUNT(facts); i++)
        html_fact(h, &l, facts[i].label, facts[i].key);
    tsc_hz = event_u64(&l, "tsc_hz");
    if (tsc_hz) {
        pen_str(h->pen, "<div><dt>Time base</dt><dd>time stamp counter, ");
        html_number(h->pen, tsc_hz / 1000, 3);
        pen_fmt(h->pen, " MHz, %s</dd></div>",
                event_u64(&l, "tsc_invariant") ? "invariant" : "not promised to be invariant");
    }
    run_lines_start(&lines, h->run);
    if (run_lines_find(&lines, "plan", &l)) {
        pen_fmt(h->pen, "<div><dt>Plan</dt><dd>%llu step%s, estimated ",
                (unsigned long long)event_u64(&l, "steps"), str_plural(event_u64(&l, "steps")));
        html_duration(h->pen, event_u64(&l, "estimate_ns"));
        pen_str(h->pen, "</dd></div>");
    }
    pen_str(h->pen, "</dl>\n");
}

/* ---- topology ---- */
static void put_disk_leaf(struct html *h, const struct journal_line *l, unsigned index)
{
    uint64_t size_bytes = mul_div_u64(event_u64(l, "lba_count"), event_u64(l, "lba_bytes"), 1);
    char words[28];

    pen_fmt(h->pen, "<li><a href=\"#r%ud%u\">", h->run_number, index);
    pen_member(h->pen, l, "name");
    pen_str(h->pen, "</a> ");
    pen_member(h->pen, l, "model");
    pen_str(h->pen, size_bytes ? ", " : "");
    if (size_bytes)
        html_capacity(h->pen, size_bytes);
    if (event_str(l, "why_not", words, sizeof words)) {
        pen_str(h->pen, " ");
        html_badge(h->pen, "NOT-TESTED");
    }
    pen_str(h->pen, "</li>\n");
}

static bool controller_is_described(const struct run *run, const char *name)
{
    struct run_lines lines;
    struct journal_line l;

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "controller", &l))
        if (event_is(&l, "name", name))
            return true;
    return false;
}

/* The disks of one controller; name NULL: of all that are not described. */
static void put_leaves(struct html *h, const char *name)
{
    struct run_lines lines;
    struct journal_line l;
    char controller[20];
    unsigned index = 0, count = 0;

    run_lines_start(&lines, h->run);
    lines.reader.len = h->run->disks_len;
    for (; run_lines_find(&lines, "disk", &l); index++) {
        event_str(&l, "controller", controller, sizeof controller);
        if (name ? !str_equal(controller, name) : controller_is_described(h->run, controller))
            continue;
        if (!count++)
            pen_str(h->pen, name ? "<ul>" : "<li>Controllers that are not described<ul>");
        put_disk_leaf(h, &l, index);
    }
    if (count)
        pen_str(h->pen, name ? "</ul>" : "</ul></li>\n");
}

static void put_controller(struct html *h, const struct journal_line *l)
{
    static const char *const ids[] = { "vendor_id", "device_id", "subvendor_id", "subdevice_id" };
    static const struct {
        const char *before, *key;
    } parts[] = { { " \xc2\xb7 ", "what" },
                  { " \xc2\xb7 ", "model" },
                  { " \xc2\xb7 serial ", "serial" },
                  { " \xc2\xb7 firmware ", "firmware" } };
    char words[120], name[20];

    event_str(l, "name", name, sizeof name);
    pen_str(h->pen, "<li><b>");
    pen_escaped(h->pen, name);
    pen_str(h->pen, "</b>");
    for (unsigned i = 0; i < ARRAY_COUNT(parts); i++)
        if (event_str(l, parts[i].key, words, sizeof words)) {
            pen_str(h->pen, parts[i].before);
            pen_member(h->pen, l, parts[i].key);
        }
    pen_str(h->pen, "<small>PCI ");
    pen_member(h->pen, l, "pci_address");
    for (unsigned i = 0; i < ARRAY_COUNT(ids); i++)
        pen_fmt(h->pen, "%s%04llx",
                i % 2 ? ":"
                : i   ? " subsystem "
                      : " \xc2\xb7 ",
                (unsigned long long)event_u64(l, ids[i]) & 0xffff);
    pen_fmt(h->pen, " \xc2\xb7 class %06llx \xc2\xb7 ",
            (unsigned long long)event_u64(l, "class_code") & 0xffffff);
    if (event_str(l, "driver", words, sizeof words)) {
        pen_str(h->pen, "driven by ");
        pen_escaped(h->pen, words);
        pen_str(h->pen, "</small>");
    } else {
        pen_str(h->pen, "not driven</small><p>");
        pen_member(h->pen, l, "why_not");
        pen_str(h->pen, "</p>");
    }
    put_leaves(h, name);
    pen_str(h->pen, "</li>\n");
}

/* ---- the tree of the whole machine ---- */
static void put_node(struct html *h, const struct journal_line *l)
{
    char name[28];

    if (event_str(l, "name", name, sizeof name)) {
        pen_str(h->pen, "<b>");
        html_subject(h, name);
        pen_str(h->pen, "</b> ");
    } else {
        pen_member(h->pen, l, "kind");
        pen_str(h->pen, " ");
    }
    if (event_str(l, "pci_address", name, sizeof name)) {
        pen_str(h->pen, "<code>");
        pen_escaped(h->pen, name);
        pen_str(h->pen, "</code> ");
    }
    pen_member(h->pen, l, "words");
}

/* Each line is a node, one deeper than the one that it hangs on; a line that is lost must not leave a list
 * open. */
static void put_paths(struct html *h)
{
    enum { DEEPEST = 12 };
    struct run_lines lines;
    struct journal_line l;
    unsigned open = 0;

    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_find(&lines, "topology", &l)) {
        unsigned depth = (unsigned)min_u64(event_u64(&l, "depth"), open);

        depth = depth < DEEPEST ? depth : DEEPEST;
        if (!open)
            pen_str(h->pen, "<h3>Paths from the processor to the disks</h3><ul class=\"tree paths\">");
        if (open > depth)
            pen_str(h->pen, "</li>");
        else if (open)
            pen_str(h->pen, "<ul>");
        for (; open > depth + 1; open--)
            pen_str(h->pen, "</ul></li>");
        open = depth + 1;
        pen_str(h->pen, "\n<li>");
        put_node(h, &l);
    }
    for (; open; open--)
        pen_str(h->pen, "</li></ul>");
}

void html_put_machine(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;

    pen_fmt(h->pen, "<section id=\"r%umachine\"><h2>Machine</h2>\n<div class=\"two\">\n<div>", h->run_number);
    put_facts(h);
    pen_str(h->pen, "</div>\n<div><h3>Controllers and what hangs on them</h3><ul class=\"tree\">\n");
    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_find(&lines, "controller", &l))
        put_controller(h, &l);
    put_leaves(h, NULL);
    pen_str(h->pen, "</ul></div>\n</div>\n");
    put_paths(h);
    html_put_tables(h);
    html_put_records(h, NULL);
    pen_str(h->pen, "</section>\n");
}
