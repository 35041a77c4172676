#include "heat_run.h"
#include "bits.h"
#include "checks_state.h"
#include "clock.h"
#include "record.h"

/* By the place in the inventory. */
static struct heated {
    struct disk *disk;
    bool in_step;
    bool said; /* a finding was made of it */
    uint64_t asked_ns;
    struct heat_track track;
} heated[INVENTORY_MAX_DISKS];
static unsigned heated_count, next_asked;
static uint64_t step_began_ns, last_hold_ns;

static struct heated *heated_of(const struct disk *d)
{
    for (unsigned i = 0; i < heated_count; i++)
        if (heated[i].disk == d)
            return &heated[i];
    return NULL;
}

static bool step_has(const struct plan_step *step, const struct disk *d)
{
    for (unsigned i = 0; i < step->lane_count; i++)
        if (step->lanes[i].disk == d)
            return true;
    return false;
}

/* What the disk said last is what a rise in this step rises from. */
void heat_step_begin(const struct inventory *inv, const struct plan_step *step)
{
    heated_count = inv->disk_count;
    next_asked = 0;
    step_began_ns = last_hold_ns = clock_now_ns();
    for (unsigned i = 0; i < heated_count; i++) {
        struct heated *h = &heated[i];
        const struct disk_health *before = checks_state.health_known[i] ? &checks_state.health[i] : NULL;

        h->disk = inv->disks[i].disk;
        h->in_step = before && step_has(step, h->disk);
        if (h->in_step)
            heat_begin(&h->track, h->track.looks ? &h->track.last : before);
    }
}

static bool is_due(const struct heated *h, uint64_t now_ns)
{
    return h->in_step && now_ns - h->asked_ns >= HEAT_EVERY_S * NS_PER_S;
}

static void ask(struct heated *h)
{
    struct disk_health now;

    h->asked_ns = clock_now_ns();
    if (!h->disk->fault.err && checks_read_health(h->disk, &now))
        heat_look(&h->track, h->asked_ns, &now);
}

bool heat_hold_is_due(void) { return clock_now_ns() - last_hold_ns >= HEAT_HOLD_EVERY_S * NS_PER_S; }

void heat_hold(const struct engine *e)
{
    uint64_t began_ns = clock_now_ns();

    last_hold_ns = began_ns;
    for (unsigned i = 0; i < heated_count && clock_now_ns() - began_ns < HEAT_HOLD_MS * NS_PER_MS; i++) {
        struct heated *h = &heated[next_asked++ % heated_count];

        if (is_due(h, began_ns) && engine_disk_is_idle(e, h->disk))
            ask(h);
    }
}

void heat_step_measured(void)
{
    for (unsigned i = 0; i < heated_count; i++)
        if (is_due(&heated[i], clock_now_ns()))
            ask(&heated[i]);
}

bool heat_disk_slowed(const struct disk *d)
{
    const struct heated *h = heated_of(d);

    return h && h->in_step && heat_slowed(&h->track, NULL);
}

const struct disk_health *heat_last(const struct disk *d)
{
    const struct heated *h = heated_of(d);

    return h && h->track.has_first ? &h->track.last : NULL;
}

static void journal_track(const struct heated *h, unsigned step_number)
{
    uint64_t at_ms[HEAT_POINTS];
    int64_t celsius[HEAT_POINTS];
    const struct heat_track *t = &h->track;
    struct temperature_info info = { .disk = h->disk->name,
                                     .step = step_number,
                                     .looks = t->looks,
                                     .slowed = heat_slowed(t, NULL),
                                     .count = t->count,
                                     .at_ms = at_ms,
                                     .celsius = celsius };

    for (unsigned i = 0; i < t->count; i++) {
        at_ms[i] = (t->point[i].at_ns - step_began_ns) / NS_PER_MS;
        celsius[i] = t->point[i].celsius;
    }
    journal_temperature(record_journal(), &info);
}

void heat_step_end(struct inventory *inv, unsigned step_number, const char *title)
{
    struct finding_list *l = checks_list();

    for (unsigned i = 0; i < heated_count; i++) {
        struct heated *h = &heated[i];
        unsigned before = l->count;

        if (!h->in_step || !h->track.looks)
            continue;
        journal_track(h, step_number);
        if (!h->said && l->count < l->capacity)
            heat_judge(&h->track, h->disk->name, title, l);
        h->said |= l->count > before;
    }
    checks_say(inv);
}
