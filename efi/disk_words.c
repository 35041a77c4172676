#include "disk_words.h"
#include "checks_state.h"
#include "heat_run.h"

void disk_words_what(const struct disk *d, struct text *t)
{
    text_fmt(t, "%s, serial %s, firmware %s, ", d->model, d->serial[0] ? d->serial : "none",
             d->firmware[0] ? d->firmware : "unknown");
    text_capacity(t, d->lba_count * d->lba_bytes);
}

/* Of the nearest port above the controller that has one; 0: none. */
static unsigned slot_of(const struct controller *c)
{
    for (unsigned i = 0; c && i < INVENTORY_MAX_CONTROLLERS; i++) {
        const struct topology_controller *t = &checks_state.controllers[i];

        for (unsigned k = t->path.count; t->name && str_equal(t->name, c->name) && k--;) {
            const struct pci_facts *f = &checks_state.facts[t->path.at[k]];
            if (f->slot.implemented && f->slot.number)
                return f->slot.number;
        }
    }
    return 0;
}

void disk_words_bay(const struct disk *d, char *buf, size_t cap)
{
    const struct controller_driver *driver = d->controller ? d->controller->driver : NULL;
    const struct raid_drive *behind =
        driver && driver->raid && driver->raid->drive ? driver->raid->drive(d) : NULL;
    const char *dot = str_find(d->name, ".");

    buf[0] = 0;
    if (behind && behind->enclosure_id != 0xffff)
        str_fmt(buf, cap, "%u:%u", behind->enclosure_id, behind->slot);
    else if (behind)
        str_fmt(buf, cap, "slot %u", behind->slot);
    else if (d->kind == DISK_SATA && dot)
        str_fmt(buf, cap, "port %s", dot + 1);
    else if (d->kind == DISK_NVME && slot_of(d->controller))
        str_fmt(buf, cap, "slot %u", slot_of(d->controller));
}

void disk_words_where(const struct disk *d, struct text *t)
{
    const struct controller *c = d->controller;
    char bay[16];

    disk_words_bay(d, bay, sizeof bay);
    text_str(t, c ? c->name : "no controller");
    if (c && c->model[0])
        text_fmt(t, " (%s)", c->model);
    if (bay[0])
        text_fmt(t, ", %s", bay);
    if (c && c->link_bytes_per_s)
        text_fmt(t, ", link at most %llu MB/s", (unsigned long long)(c->link_bytes_per_s / 1000000));
}

/* The newest that it told: while a step runs, or before the run. */
static const struct disk_health *health_of(const struct inventory *inv, const struct disk *d)
{
    const struct disk_health *h = heat_last(d);

    for (unsigned i = 0; !h && i < inv->disk_count; i++)
        if (inv->disks[i].disk == d && checks_state.health_known[i])
            h = &checks_state.health[i];
    return h;
}

static bool tells(const struct disk_health *h, enum health_value v) { return h->known & 1u << v; }

void disk_words_state(const struct inventory *inv, const struct disk *d, struct text *t)
{
    const struct disk_health *h = health_of(inv, d);
    const char *comma = "";

    if (d->fault.err) {
        fault_text(&d->fault, t);
        return;
    }
    if (!h) {
        text_str(t, "it tells nothing about its health");
        return;
    }
    for (unsigned i = 0; i < HEALTH_WARNING_COUNT; i++)
        if (h->warnings & 1u << i) {
            text_fmt(t, "%s%s", comma, health_warning_rows[i].words);
            comma = ", ";
        }
    if (!comma[0])
        text_str(t, "health: no warning");
    if (tells(h, HEALTH_TEMPERATURE_C))
        text_fmt(t, ", %lld C", (long long)h->value[HEALTH_TEMPERATURE_C]);
    if (tells(h, HEALTH_USED_PERCENT))
        text_fmt(t, ", %lld %% of its rated life used", (long long)h->value[HEALTH_USED_PERCENT]);
    if (tells(h, HEALTH_POWER_ON_HOURS))
        text_fmt(t, ", %lld h powered on", (long long)h->value[HEALTH_POWER_ON_HOURS]);
}

/* ---- a page ---- */
struct page {
    struct note *notes;
    unsigned count, cap;
};

static struct text page_line(struct page *p, enum ink ink)
{
    static char nowhere[8];
    struct note *n = p->count < p->cap ? &p->notes[p->count++] : NULL;

    if (!n)
        return text_over(nowhere, sizeof nowhere);
    n->ink = (uint8_t)ink;
    return text_over(n->text, sizeof n->text);
}

/* By the end of its name in the journal; counts have none. */
static const char *unit_of(const char *key)
{
    static const struct {
        const char *end, *unit;
    } units[] = { { "_c", " C" }, { "_percent", " %" } };
    size_t len = str_len(key);

    for (unsigned i = 0; i < ARRAY_COUNT(units); i++) {
        size_t n = str_len(units[i].end);
        if (len > n && str_equal(key + len - n, units[i].end))
            return units[i].unit;
    }
    return "";
}

static void put_health(struct page *p, const struct disk_health *h)
{
    for (unsigned i = 0; i < HEALTH_VALUE_COUNT; i++)
        if (tells(h, (enum health_value)i)) {
            struct text t = page_line(p, INK_PLAIN);
            text_fmt(&t, "  %-44s %lld%s", health_rows[i].words, (long long)h->value[i],
                     unit_of(health_rows[i].key));
        }
}

unsigned disk_words_page(const struct inventory *inv, const struct known_disk *k, struct note *notes,
                         unsigned cap)
{
    const struct disk *d = k->disk;
    const struct disk_health *h = health_of(inv, d);
    struct page p = { notes, 0, cap };
    struct text t = page_line(&p, INK_PLAIN);

    disk_words_what(d, &t);
    t = page_line(&p, INK_PLAIN);
    disk_words_where(d, &t);
    t = page_line(&p, INK_PLAIN);
    text_fmt(&t, "%llu blocks of %u bytes (physical %u), at most %u commands in flight",
             (unsigned long long)d->lba_count, d->lba_bytes, d->physical_block_bytes, d->max_depth);
    t = page_line(&p, INK_PLAIN);
    text_fmt(&t, "Identity: %s",
             d->identity[0] ? d->identity : "none that no other disk has: cannot be armed");
    if (d->settings[0]) {
        t = page_line(&p, INK_PLAIN);
        text_fmt(&t, "Settings: %s", d->settings);
    }
    if (k->why[0]) {
        t = page_line(&p, INK_WARN);
        text_fmt(&t, "%s", k->why);
    }
    page_line(&p, INK_PLAIN);
    t = page_line(&p, INK_TITLE);
    text_str(&t, "Health");
    t = page_line(&p, d->fault.err || (h && h->warnings) ? INK_WARN : INK_PLAIN);
    text_str(&t, "  ");
    disk_words_state(inv, d, &t);
    if (h)
        put_health(&p, h);
    return p.count;
}
