#include "raid_report.h"
#include "disk.h"
#include "record.h"
#include "str.h"

/* drivers/raid.h's values as lines of the journal: report/ knows no driver. */

static uint32_t told(int64_t v) { return v > 0 ? (uint32_t)v : 0; }

static void works_words(const struct raid_works *w, char *to, size_t cap)
{
    struct text t = text_over(to, cap);

    for (unsigned i = 0; i < RAID_WORK_COUNT; i++)
        if (w->active >> i & 1)
            text_fmt(&t, "%s%s %u %%", t.len ? ", " : "", raid_work_words((enum raid_work)i), w->percent[i]);
}

static void journal_card(const struct controller *c)
{
    const struct raid_card *r = c->driver->raid->card(c);
    static struct raid_card_info info;
    int32_t warmest = r->roc_temperature_c > r->controller_temperature_c ? r->roc_temperature_c
                                                                         : r->controller_temperature_c;

    info = (struct raid_card_info){
        .memory_mib = r->memory_mib,
        .temperature_c = told(warmest),
        .rebuild_percent = told(r->rebuild_percent),
        .patrol_percent = told(r->patrol_percent),
        .init_percent = told(r->init_percent),
        .check_percent = told(r->check_percent),
        .reconstruction_percent = told(r->reconstruction_percent),
        .jbod_possible = r->jbod_possible,
        .battery_present = r->battery.presence == RAID_BATTERY_PRESENT,
        .battery_bad = r->battery.bad,
        .battery_learning = r->battery.learn_active,
        .battery_charge_percent = told(r->battery.charge_percent),
        .battery_cycles = told(r->battery.cycles),
    };
    struct text components = text_over(info.components, sizeof info.components);
    struct text enclosures = text_over(info.enclosures, sizeof info.enclosures);
    str_copy(info.controller, sizeof info.controller, c->name);
    str_copy(info.generation, sizeof info.generation, r->generation);
    str_copy(info.fitted_as, sizeof info.fitted_as, r->fitted_as);
    str_copy(info.product, sizeof info.product, r->product);
    str_copy(info.serial, sizeof info.serial, r->serial);
    str_copy(info.package, sizeof info.package, r->package);
    str_copy(info.battery, sizeof info.battery, r->battery.words);
    for (unsigned i = 0; i < r->component_count; i++)
        if (r->component[i].name[0])
            text_fmt(&components, "%s%s %s", components.len ? ", " : "", r->component[i].name,
                     r->component[i].version);
    for (unsigned i = 0; i < r->enclosure_count; i++)
        text_fmt(&enclosures, "%s%u %s", enclosures.len ? ", " : "", r->enclosure[i].id,
                 r->enclosure[i].model);
    journal_raid_card(record_journal(), &info);
}

static void journal_virtual(const struct disk *d, const struct raid_virtual_drive *vd)
{
    static struct virtual_drive_info info;

    info = (struct virtual_drive_info){
        .spans = vd->spans,
        .drives_per_span = vd->drives_per_span,
        .strip_bytes = vd->strip_bytes,
        .size_bytes = vd->size_bytes,
        .policy_told = vd->current_policy != RAID_UNKNOWN,
        .current_policy = told(vd->current_policy),
        .default_policy = told(vd->default_policy),
        .drive_cache = told(vd->drive_cache),
        .access = told(vd->access),
        .cache_bytes = d->cache_bytes,
    };
    struct text members = text_over(info.members, sizeof info.members);
    str_copy(info.disk, sizeof info.disk, d->name);
    str_copy(info.name, sizeof info.name, vd->name);
    str_copy(info.level, sizeof info.level, vd->level);
    str_copy(info.state, sizeof info.state, vd->state);
    str_copy(info.policy, sizeof info.policy, vd->policy);
    str_copy(info.configured_policy, sizeof info.configured_policy, vd->configured_policy);
    for (unsigned i = 0; i < vd->member_count; i++)
        text_fmt(&members, "%s%u", i ? " " : "", vd->member[i]);
    works_words(&vd->works, info.works, sizeof info.works);
    journal_virtual_drive(record_journal(), &info);
}

static void journal_drive(const struct disk *d, const struct raid_drive *pd)
{
    static struct raid_drive_info info;

    info = (struct raid_drive_info){
        .device_id = pd->device_id,
        .enclosure_id = pd->enclosure_id,
        .slot = pd->slot,
        .foreign = pd->foreign,
        .exposed = pd->exposed,
        .size_bytes = pd->size_bytes,
        .wwn = pd->wwn,
        .media_errors = pd->media_errors,
        .other_errors = pd->other_errors,
        .predictive_failures = pd->predictive_failures,
        .temperature_c = told(pd->temperature_c),
        .link_mb_per_s = pd->link_mb_per_s,
        .max_link_mb_per_s = pd->max_link_mb_per_s,
    };
    str_copy(info.disk, sizeof info.disk, d->name);
    str_copy(info.controller, sizeof info.controller, d->controller->name);
    str_copy(info.state, sizeof info.state, pd->state);
    str_copy(info.interface, sizeof info.interface, pd->interface);
    works_words(&pd->works, info.works, sizeof info.works);
    journal_raid_drive(record_journal(), &info);
}

void raid_journal(const struct controller *c)
{
    const struct raid_ops *ops = c->driver->raid;

    if (!ops)
        return;
    journal_card(c);
    for (unsigned i = 0; i < c->disk_count; i++) {
        const struct raid_virtual_drive *vd = ops->virtual_drive(c->disks[i]);
        const struct raid_drive *pd = ops->drive(c->disks[i]);

        if (vd)
            journal_virtual(c->disks[i], vd);
        if (pd)
            journal_drive(c->disks[i], pd);
    }
}

enum { LOOK_AGAIN_US = 100000 };

bool raid_locate(struct inventory *inv, struct disk *d, unsigned seconds)
{
    const struct raid_ops *ops = d->controller->driver ? d->controller->driver->raid : NULL;

    if (!ops || ops->locate(d, true) != OK)
        return false;
    for (unsigned i = 0; i < seconds * (1000000u / LOOK_AGAIN_US); i++)
        plat_stall_us(LOOK_AGAIN_US);
    int rc = ops->locate(d, false);
    inventory_disk_finding(inv, d, "blink", rc == OK ? FINDING_INFO : FINDING_WARN, NULL,
                           rc == OK ? "the card lit its locate LED for %u s"
                                    : "the card lit its locate LED for %u s and did not put it out again",
                           seconds);
    return true;
}
