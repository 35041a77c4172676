#include "live_disk.h"
#include "console.h"
#include "disk_words.h"

static struct {
    struct size_rate rate[DISK_VIEW_SIZES];
    uint8_t count;
} kept[INVENTORY_MAX_DISKS];

static unsigned index_of(const struct inventory *inv, const struct disk *d)
{
    unsigned i = 0;

    while (i < inv->disk_count && inv->disks[i].disk != d)
        i++;
    return i;
}

/* Ascending by block size; the best of several. */
void live_disk_note(const struct inventory *inv, const struct disk *d, const struct step_result *r)
{
    unsigned i = index_of(inv, d), at = 0;
    uint64_t rate = step_bytes_per_s(r);

    if (i == inv->disk_count || step_no_number(r->flags) || !str_equal(r->rw, "read"))
        return;
    struct size_rate *list = kept[i].rate;
    while (at < kept[i].count && list[at].block_bytes < r->block_bytes)
        at++;
    if (at < kept[i].count && list[at].block_bytes == r->block_bytes) {
        if (rate > list[at].bytes_per_s)
            list[at] = (struct size_rate){ r->block_bytes, r->flags, rate };
        return;
    }
    if (kept[i].count == DISK_VIEW_SIZES)
        return;
    memmove(&list[at + 1], &list[at], (kept[i].count++ - at) * sizeof *list);
    list[at] = (struct size_rate){ r->block_bytes, r->flags, rate };
}

static void words(struct disk_view *v, const struct inventory *inv, const struct disk *d)
{
    struct text what = text_over(v->what, sizeof v->what), where = text_over(v->where, sizeof v->where),
                state = text_over(v->state, sizeof v->state);

    disk_words_what(d, &what);
    disk_words_where(d, &where);
    disk_words_state(inv, d, &state);
}

static struct disk_view view;

void live_disk_draw(const struct inventory *inv, const struct engine *e, unsigned lane,
                    const struct lane_view *shown)
{
    const struct disk *d = engine_plan_lane(e, lane)->disk;
    unsigned i = index_of(inv, d);

    view = (struct disk_view){ .lane = shown };
    words(&view, inv, d);
    if (i < inv->disk_count) {
        view.size_count = kept[i].count;
        memcpy(view.sizes, kept[i].rate, sizeof view.sizes);
    }
    hist_classify(engine_hist(e, lane), latency_class_ns, LATENCY_CLASS_COUNT, view.latency_class_ios);
    view_disk(console_grid(), &view);
}

void live_disk_draw_facts(const struct inventory *inv, const struct disk *d, const struct lane_view *shown,
                          const struct note *facts, unsigned count)
{
    view = (struct disk_view){ .lane = shown, .facts = facts, .fact_count = count };
    words(&view, inv, d);
    view_disk(console_grid(), &view);
}
