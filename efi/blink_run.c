#include "blink_run.h"
#include "blink.h"
#include "console.h"
#include "parts.h"
#include "raid_report.h"
#include "record.h"
#include "serial.h"
#include "str.h"

enum { SLICE_MS = 200 };

static struct disk *find(const struct inventory *inv, const char *name)
{
    for (unsigned i = 0; i < inv->disk_count; i++) {
        struct disk *d = inv->disks[i].disk;

        if (str_equal(d->name, name) ||
            (str_starts(name, "serial.") && d->serial[0] && str_equal(d->serial, name + 7)))
            return d;
    }
    return NULL;
}

static void announce(const struct disk *d, const struct conf *conf)
{
    serial_say("%s (%s, %s) blinks for %u s: three flashes, then a pause", d->name, d->model, d->serial,
               conf->blink_s);
    if (!console_present())
        return;
    char words[100];
    struct grid *g = console_grid();

    str_fmt(words, sizeof words, "%s blinks for %u s: look for three flashes, then a pause", d->name,
            conf->blink_s);
    part_bar(g, g->rows - 1, INK_ALARM, words);
    console_show();
}

bool blink_run(struct inventory *inv, const struct conf *conf)
{
    struct disk *d;
    struct blink *b;
    int rc;

    if (!conf->blink[0])
        return false;
    d = find(inv, conf->blink);
    if (!d) {
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "blink: no disk is called %s",
                       conf->blink);
        return true;
    }
    announce(d, conf);
    if (raid_locate(inv, d, conf->blink_s))
        return true;
    rc = blink_begin(d, conf->blink_s, &b);
    if (rc != OK) {
        inventory_disk_finding(inv, d, "blink", FINDING_CANNOT_TELL, NULL, "it cannot blink: %s",
                               d->why_not[0] ? d->why_not : err_text(rc));
        return true;
    }
    while (blink_go_on(b, SLICE_MS * NS_PER_MS)) {}
    const struct blink_report *r = blink_report(b);
    inventory_disk_finding(
        inv, d, "blink", FINDING_INFO, NULL,
        "the light that flashed three times and paused is this disk's (%llu read%s, %llu error%s)%s%s",
        (unsigned long long)r->reads, str_plural(r->reads), (unsigned long long)r->errors,
        str_plural(r->errors), r->reason[0] ? "; " : "", r->reason);
    blink_end(b);
    return true;
}
