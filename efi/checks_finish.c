#include "checks_odd.h"
#include "checks_state.h"
#include "drive_health.h"
#include "drive_state.h"
#include "numa_run.h"
#include "record.h"
#include "runs.h"

static struct checks_state *const s = &checks_state;

/* ---- while a step runs ---- */

static bool step_uses(const struct plan_step *step, const struct topology_controller *c)
{
    for (unsigned i = 0; i < step->lane_count; i++)
        if (step->lanes[i].disk->controller && str_equal(step->lanes[i].disk->controller->name, c->name))
            return true;
    return false;
}

void checks_sample(const struct plan_step *step)
{
    if (!s->watched_count)
        return;
    struct watched *w = &s->watched[s->next_sample];
    s->next_sample = (s->next_sample + 1) % s->watched_count;
    pci_watch_sample(&w->watch, step_uses(step, &s->controllers[w->controller]));
}

/* ---- what was measured, from the journal itself ---- */

struct measured {
    uint64_t step_bytes_per_s, most_bytes_per_s;
}; /* of a controller: all its disks together */
static struct measured measured[INVENTORY_MAX_CONTROLLERS];

static unsigned controller_of(const struct inventory *inv, const struct disk *d)
{
    unsigned c = 0;

    while (c < inv->controller_count && inv->controllers[c].driven != d->controller)
        c++;
    return c;
}

static void step_is_over(const struct inventory *inv)
{
    for (unsigned c = 0; c < inv->controller_count; c++) {
        measured[c].most_bytes_per_s = max_u64(measured[c].most_bytes_per_s, measured[c].step_bytes_per_s);
        measured[c].step_bytes_per_s = 0;
    }
}

static void take_cell(const struct inventory *inv, const struct journal_line *l)
{
    uint64_t rate = event_u64(l, "bytes_per_s");
    char name[28];

    event_str(l, "disk", name, sizeof name);
    for (unsigned i = 0; i < inv->disk_count; i++) {
        struct expect_disk *e = &s->expected[i];

        if (!str_equal(inv->disks[i].disk->name, name))
            continue;
        unsigned c = controller_of(inv, inv->disks[i].disk);
        if (c < inv->controller_count)
            measured[c].step_bytes_per_s += rate;
        if (event_is(l, "rw", "read")) {
            e->measured = true;
            e->best_bytes_per_s = max_u64(e->best_bytes_per_s, rate);
        }
        return;
    }
}

static void take_measurements(const struct inventory *inv)
{
    struct run_walk w;
    struct run run;
    struct run_lines lines;
    struct journal_line l;
    uint64_t step = UINT64_MAX;
    size_t len;
    const char *text = record_text(&len);

    run_walk_start(&w, text, len);
    if (!run_walk_next(&w, &run))
        return;
    run_lines_start(&lines, &run);
    while (run_lines_find(&lines, "step_end", &l)) {
        if (event_u64(&l, "step") != step)
            step_is_over(inv);
        step = event_u64(&l, "step");
        take_cell(inv, &l);
    }
    step_is_over(inv);
}

/* ---- links ---- */

static const struct pci_watch *watch_of(unsigned function)
{
    for (unsigned i = 0; i < s->watched_count; i++)
        if (s->watched[i].function == function)
            return &s->watched[i].watch;
    return NULL;
}

static void judge_hops(unsigned controller, struct finding_list *l)
{
    struct hop hops[PATH_MAX];
    unsigned n = path_hops(s->facts, &s->controllers[controller].path, hops);

    for (unsigned i = 0; i < n; i++)
        link_judge(&s->facts[hops[i].port], &s->facts[hops[i].device], watch_of(hops[i].device),
                   s->controllers[controller].name, l);
}

bool checks_link_is_narrow(const struct inventory *inv, const struct disk *d)
{
    unsigned c = controller_of(inv, d), n;
    struct hop hops[PATH_MAX];

    if (c == inv->controller_count)
        return false;
    n = path_hops(s->facts, &s->controllers[c].path, hops);
    for (unsigned i = 0; i < n; i++)
        if (link_is_narrow(&s->facts[hops[i].port], &s->facts[hops[i].device], watch_of(hops[i].device)))
            return true;
    return false;
}

/* False: it has no link. */
static bool journal_narrowest_link(unsigned controller, struct path_ceiling *out)
{
    struct link_info info = { 0 };

    path_ceiling(s->facts, &s->controllers[controller].path, out);
    if (!out->known)
        return false;
    const struct pci_facts *port = &s->facts[out->hop.port], *device = &s->facts[out->hop.device];
    const struct pci_watch *w = watch_of(out->hop.device);
    str_copy(info.controller, sizeof info.controller, s->controllers[controller].name);
    path_address_text(port, info.port, sizeof info.port);
    info.speed = out->speed;
    info.width = out->width;
    info.speed_max = (uint8_t)min_u64(port->link.speed_possible, device->link.speed_possible);
    info.width_max = (uint8_t)min_u64(port->link.width_possible, device->link.width_possible);
    info.payload_bytes = out->payload_bytes;
    info.ceiling_bytes_per_s = out->bytes_per_s;
    info.samples = w ? w->samples : 0;
    journal_link(record_journal(), &info);
    return true;
}

/* What was seen while data moved counts more than what the registers say now, at rest. */
static void put_load_into_facts(const struct watched *w)
{
    struct pci_link *l = &s->facts[w->function].link;

    if (w->watch.speed_most && w->watch.width_most) {
        l->speed = w->watch.speed_most;
        l->width = w->watch.width_most;
    }
}

static bool check_links(struct inventory *inv, const struct conf *conf)
{
    static struct expect_link links[INVENTORY_MAX_CONTROLLERS];
    struct expect_words words = checks_words(conf);
    struct finding_list *l = checks_list();

    for (unsigned i = 0; i < s->watched_count; i++) {
        struct watched *w = &s->watched[i];

        pci_watch_sample(&w->watch, false);
        if (!w->watch.gone)
            pci_facts_read(w->watch.fn, &s->facts[w->function]);
        errors_judge(&s->facts[w->function], &w->watch, s->controllers[w->controller].name, l);
        put_load_into_facts(w);
    }
    for (unsigned c = 0; c < inv->controller_count; c++) {
        struct path_ceiling ceiling = { 0 };

        links[c] = (struct expect_link){ .controller = s->controllers[c].name };
        if (!inv->controllers[c].driven)
            continue;
        judge_hops(c, l);
        if (!journal_narrowest_link(c, &ceiling))
            continue;
        limit_judge(&ceiling, measured[c].most_bytes_per_s, s->controllers[c].name, l);
        links[c].known = true;
        links[c].speed = ceiling.speed;
        links[c].width = ceiling.width;
    }
    bool met = expect_judge_links(&words, links, inv->controller_count, l);
    checks_say(inv);
    return met;
}

/* ---- health ---- */

static void check_batteries(const struct inventory *inv, struct finding_list *l)
{
    for (unsigned i = 0; i < inv->controller_count; i++) {
        const struct controller *c = inv->controllers[i].driven;

        if (c && c->driver->raid)
            battery_judge(c->driver->raid->card(c), c->name, l);
    }
}

static void check_health(struct inventory *inv)
{
    struct finding_list *l = checks_list();

    check_batteries(inv, l);
    for (unsigned i = 0; i < inv->disk_count; i++) {
        struct disk_health now;

        if (!checks_read_health(inv->disks[i].disk, &now))
            continue;
        drive_state_journal(inv->disks[i].disk, &now, "after");
        /* A drive that is not read and tells nothing is no news. */
        if (!now.known && !now.warnings_known && !inv->disks[i].wanted)
            continue;
        health_judge(s->health_known[i] ? &s->health[i] : NULL, &now, inv->disks[i].disk->name, l);
        if (l->count + HEALTH_VALUE_COUNT > l->capacity) {
            checks_say(inv);
            l = checks_list();
        }
    }
    checks_say(inv);
}

bool checks_finish(struct inventory *inv, const struct conf *conf)
{
    struct expect_words words = checks_words(conf);
    bool met;

    take_measurements(inv);
    met = check_links(inv, conf);
    numa_judge(inv);
    check_health(inv);
    checks_odd(inv);
    met &= expect_judge_floors(&words, s->expected, inv->disk_count, checks_list());
    checks_say(inv);
    return !met;
}
