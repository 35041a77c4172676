#include "nvme_internal.h"
#include "str.h"
#include "text.h"

/* What moves numbers and is not the medium: recorded, quietened while we measure, put back (fact sheet A12).
 * Nothing is ever saved in the drive: a reset alone would undo all of it.  Only what the drive says it has is
 * asked for, because many drives count a refused question as an error. */

static int get_feature(struct nvme_ctrl *c, struct fault *f, uint8_t feature, uint64_t bus, uint32_t *value,
                       uint32_t limit_ms)
{
    struct nvme_sqe command = { .cdw0 = NVME_GET_FEATURES, .prp1 = bus, .cdw10 = feature };
    struct nvme_answer answer;
    int rc = nvme_admin(c, f, "Get Features", &command, limit_ms, &answer);

    *value = answer.dw0;
    return rc;
}

static int set_feature(struct nvme_ctrl *c, struct fault *f, uint8_t feature, uint32_t value, uint64_t bus,
                       uint32_t limit_ms)
{
    struct nvme_sqe command = { .cdw0 = NVME_SET_FEATURES, .prp1 = bus, .cdw10 = feature, .cdw11 = value };
    struct nvme_answer answer;

    return nvme_admin(c, f, "Set Features", &command, limit_ms, &answer);
}

/* OK, too, when the drive has no answer; anything else ends the attach. */
static int only_trouble(int rc) { return rc == E_REFUSED ? OK : rc; }

static int read_power_state(struct nvme_ctrl *c)
{
    struct nvme_settings *s = &c->settings;
    uint32_t value;
    int rc = get_feature(c, &c->base.fault, NVME_FEATURE_POWER_STATE, 0, &value, NVME_ADMIN_LIMIT_MS);

    if (rc)
        return only_trouble(rc);
    s->power_state_known = true;
    s->power_state = (uint8_t)FIELD_GET(POWER_STATE, value);
    if (!s->power_state)
        return OK;
    rc = set_feature(c, &c->base.fault, NVME_FEATURE_POWER_STATE, 0, 0, NVME_ADMIN_LIMIT_MS);
    s->power_state_changed = !rc;
    return only_trouble(rc);
}

/* The table is needed to switch it off, too: the drive takes both at once. */
static int read_apst(struct nvme_ctrl *c)
{
    struct nvme_settings *s = &c->settings;
    uint32_t value;
    int rc;

    if (!s->has_apst)
        return OK;
    memset(c->scratch.cpu, 0, NVME_APST_BYTES);
    if ((rc = get_feature(c, &c->base.fault, NVME_FEATURE_APST, c->scratch.bus, &value, NVME_ADMIN_LIMIT_MS)))
        return only_trouble(rc);
    s->apst_known = true;
    s->apst_was_on = value & 1;
    if (!s->apst_was_on)
        return OK;
    memcpy(s->apst_table, c->scratch.cpu, NVME_APST_BYTES);
    rc = set_feature(c, &c->base.fault, NVME_FEATURE_APST, 0, c->scratch.bus, NVME_ADMIN_LIMIT_MS);
    s->apst_changed = !rc;
    return only_trouble(rc);
}

static void share_write_cache(struct nvme_ctrl *c)
{
    for (unsigned i = 0; i < c->base.disk_count; i++)
        c->disks[i]->cache[CACHE_WRITE] = c->settings.write_cache;
}

static int read_write_cache(struct nvme_ctrl *c, struct fault *f, uint32_t limit_ms)
{
    uint32_t value;
    int rc = get_feature(c, f, NVME_FEATURE_WRITE_CACHE, 0, &value, limit_ms);

    c->settings.write_cache.now = rc ? CACHE_UNKNOWN : value & 1 ? CACHE_ON : CACHE_OFF;
    share_write_cache(c);
    return rc;
}

static int find_write_cache(struct nvme_ctrl *c)
{
    int rc;

    if (!c->settings.has_write_cache)
        return OK;
    rc = read_write_cache(c, &c->base.fault, NVME_ADMIN_LIMIT_MS);
    c->settings.write_cache.found = c->settings.write_cache.now;
    return only_trouble(rc);
}

static int write_write_cache(struct nvme_ctrl *c, struct fault *f, uint8_t state, uint32_t limit_ms)
{
    return set_feature(c, f, NVME_FEATURE_WRITE_CACHE, state == CACHE_ON, 0, limit_ms);
}

/* After a reset: the drive may have gone back to what is saved in it. */
static int write_cache_again(struct nvme_ctrl *c)
{
    const struct cache_switch *s = &c->settings.write_cache;
    int rc;

    if (s->asked == CACHE_UNKNOWN)
        return OK;
    rc = read_write_cache(c, NULL, NVME_LADDER_LIMIT_MS);
    if (rc || s->now == s->asked)
        return rc;
    rc = write_write_cache(c, NULL, s->asked, NVME_LADDER_LIMIT_MS);
    return rc ? rc : read_write_cache(c, NULL, NVME_LADDER_LIMIT_MS);
}

/* What counts is what Get Features says afterwards. */
int nvme_set_cache(struct disk *d, enum disk_cache which, bool on)
{
    struct nvme_ctrl *c = nvme_of(d->controller);
    struct cache_switch *s = &c->settings.write_cache;
    struct fault *f = &c->base.fault;
    int rc = OK, back = OK;

    if (d->fault.err || f->err)
        return d->fault.err ? d->fault.err : f->err;
    if (which != CACHE_WRITE || s->found == CACHE_UNKNOWN)
        return E_UNSUPPORTED;
    if (!gate_permits_write_cache(d->identity, on, s->found == CACHE_ON))
        return NOTE(E_REFUSED, "write cache of a disk that is not armed, to be switched on", on, s->found);
    s->asked = on ? CACHE_ON : CACHE_OFF;
    if (s->now != s->asked)
        rc = write_write_cache(c, f, s->asked, NVME_CACHE_LIMIT_MS);
    if (!f->err)
        back = read_write_cache(c, f, NVME_ADMIN_LIMIT_MS);
    if (f->err) {
        d->fault = *f;
        rc = f->err;
    } else if (!back && s->now == s->asked) {
        rc = OK;
    } else if (!rc) {
        rc = NOTE(back ? back : E_PROTO, "write cache read back", s->now, on);
    }
    if (rc)
        s->asked = s->found;
    share_write_cache(c);
    return rc;
}

static int read_firmware_slot(struct nvme_ctrl *c)
{
    const uint8_t *log = c->scratch.cpu;
    int rc = nvme_get_log(c, &c->base.fault, LOG_FIRMWARE, 512, NVME_ADMIN_LIMIT_MS);

    if (rc)
        return only_trouble(rc);
    c->settings.firmware_slot = log[0] & 7;
    c->settings.firmware_next = log[0] >> 4 & 7;
    return OK;
}

int nvme_settings_begin(struct nvme_ctrl *c)
{
    int rc;

    if ((rc = read_power_state(c)) || (rc = read_apst(c)) || (rc = find_write_cache(c)) ||
        (rc = read_firmware_slot(c)))
        return rc;
    return nvme_hmb_grant(c);
}

void nvme_settings_again(struct nvme_ctrl *c)
{
    const struct nvme_settings *s = &c->settings;
    int rc = OK;

    if (s->power_state_changed)
        rc = set_feature(c, NULL, NVME_FEATURE_POWER_STATE, 0, 0, NVME_LADDER_LIMIT_MS);
    if (!rc && s->apst_changed) {
        memcpy(c->scratch.cpu, s->apst_table, NVME_APST_BYTES);
        rc = set_feature(c, NULL, NVME_FEATURE_APST, 0, c->scratch.bus, NVME_LADDER_LIMIT_MS);
    }
    if (!rc)
        rc = write_cache_again(c);
    if (rc)
        controller_remark(&c->base, REMARK_WARN,
                          "power settings or write cache are not those from before the reset");
    nvme_hmb_grant_again(c);
}

void nvme_settings_end(struct nvme_ctrl *c)
{
    struct nvme_settings *s = &c->settings;

    nvme_hmb_take_back(c);
    if (s->write_cache.asked != CACHE_UNKNOWN && s->write_cache.now != s->write_cache.found)
        write_write_cache(c, NULL, s->write_cache.found, NVME_CACHE_LIMIT_MS);
    if (s->apst_changed) {
        memcpy(c->scratch.cpu, s->apst_table, NVME_APST_BYTES);
        set_feature(c, NULL, NVME_FEATURE_APST, 1, c->scratch.bus, NVME_DELETE_LIMIT_MS);
    }
    if (s->power_state_changed)
        set_feature(c, NULL, NVME_FEATURE_POWER_STATE, s->power_state, 0, NVME_DELETE_LIMIT_MS);
    s->apst_changed = s->power_state_changed = false;
}

void nvme_settings_words(const struct nvme_ctrl *c, struct text *out)
{
    const struct nvme_settings *s = &c->settings;
    const struct nvme_hmb *h = &c->hmb;

    if (!s->has_write_cache)
        text_str(out, "no volatile write cache: a flush needs no command");
    else if (s->write_cache.found != CACHE_UNKNOWN)
        text_fmt(out, "write cache %s", s->write_cache.found == CACHE_ON ? "on" : "off");
    else
        text_str(out, "write cache not told");
    if (s->power_state_known && s->power_state)
        text_fmt(out, ", power state %s (found %u)", s->power_state_changed ? "0" : "not changed",
                 s->power_state);
    else if (s->power_state_known)
        text_str(out, ", power state 0");
    if (s->apst_known && s->apst_was_on)
        text_fmt(out, ", idle power states %s", s->apst_changed ? "off (found on)" : "on");
    else if (s->apst_known)
        text_str(out, ", idle power states off");
    if (h->wanted_bytes)
        text_fmt(out, ", host memory buffer %llu of %llu MiB", (unsigned long long)(h->bytes / MIB),
                 (unsigned long long)(h->wanted_bytes / MIB));
    if (s->firmware_slot)
        text_fmt(out, ", firmware slot %u of %u", s->firmware_slot, s->firmware_slots);
    if (s->firmware_next && s->firmware_next != s->firmware_slot)
        text_fmt(out, " (slot %u after the next reset)", s->firmware_next);
}
