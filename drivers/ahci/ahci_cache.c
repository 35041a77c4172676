#include "ahci_internal.h"

/* A drive's caches, switched for a job and put back (fact sheet B7).  What counts is what IDENTIFY says
 * afterwards, not how SET FEATURES ended. */

static int ask_drive(struct ahci_port *p, enum disk_cache which, uint8_t state,
                     int (*how)(struct ahci_port *, const struct ahci_command *, uint8_t *))
{
    static const uint8_t feature[CACHE_COUNT][2] = {
        [CACHE_WRITE] = { FEATURE_WRITE_CACHE_OFF, FEATURE_WRITE_CACHE_ON },
        [CACHE_LOOK_AHEAD] = { FEATURE_LOOK_AHEAD_OFF, FEATURE_LOOK_AHEAD_ON },
    };
    const struct ahci_command c = { .name = "SET FEATURES: cache",
                                    .command = ATA_SET_FEATURES,
                                    .features = feature[which][state == CACHE_ON],
                                    .deadline_ms = CACHE_MS,
                                    .no_data = true };

    return how(p, &c, NULL);
}

static void take_states(struct ahci_port *p, const uint16_t *words)
{
    uint8_t state[CACHE_COUNT];

    ahci_cache_states(words, state);
    for (unsigned i = 0; i < CACHE_COUNT; i++)
        p->disk.cache[i].now = state[i];
}

/* As ahci_ask: a drive that hangs over the question is reset, or given up. */
static int read_back(struct ahci_port *p)
{
    uint16_t words[IDENTIFY_WORDS];
    int rc = ahci_read_words(p, words);

    if (rc == OK) {
        take_states(p, words);
        return OK;
    }
    for (unsigned i = 0; i < CACHE_COUNT; i++)
        p->disk.cache[i].now = CACHE_UNKNOWN;
    if (rc == E_REFUSED || rc == E_UNSUPPORTED)
        return rc;
    int again = rc == E_GONE || p->disk.fault.err ? rc : ahci_reset_drive(p);
    if (again) {
        FAULT(&p->disk.fault, again, "IDENTIFY DEVICE after a cache was switched", p->resets, 0);
        ahci_die(p);
    }
    return rc;
}

int ahci_set_cache(struct disk *d, enum disk_cache which, bool on)
{
    struct ahci_port *p = ahci_port_of(d);
    struct cache_switch *s = &d->cache[which];
    int rc = OK, back;

    if (d->fault.err)
        return d->fault.err;
    if (s->found == CACHE_UNKNOWN)
        return E_UNSUPPORTED;
    if (which == CACHE_WRITE && !gate_permits_write_cache(d->identity, on, s->found == CACHE_ON))
        return NOTE(E_REFUSED, "write cache of a disk that is not armed, to be switched on", on, s->found);
    s->asked = on ? CACHE_ON : CACHE_OFF;
    if (s->now != s->asked)
        rc = ask_drive(p, which, s->asked, ahci_ask);
    back = d->fault.err ? d->fault.err : read_back(p);
    if (back == OK && s->now == s->asked)
        return OK;
    s->asked = s->found;
    if (d->fault.err)
        return d->fault.err;
    return rc == OK || rc == E_UNSUPPORTED ? NOTE(back ? back : E_PROTO, "cache read back", s->now, on) : rc;
}

int ahci_caches_again(struct ahci_port *p, const uint16_t *words)
{
    uint16_t now[IDENTIFY_WORDS];
    bool sent = false;
    int rc;

    take_states(p, words);
    for (unsigned i = 0; i < CACHE_COUNT; i++) {
        const struct cache_switch *s = &p->disk.cache[i];

        if (s->asked == CACHE_UNKNOWN || s->now == s->asked)
            continue;
        sent = true;
        rc = ask_drive(p, (enum disk_cache)i, s->asked, ahci_port_command);
        if (rc && rc != E_REFUSED && rc != E_UNSUPPORTED)
            return rc;
    }
    if (!sent)
        return OK;
    rc = ahci_read_words(p, now);
    if (rc == OK)
        take_states(p, now);
    return rc;
}

void ahci_caches_put_back(struct ahci_port *p)
{
    for (unsigned i = 0; i < CACHE_COUNT; i++) {
        struct cache_switch *s = &p->disk.cache[i];

        if (p->dead || s->asked == CACHE_UNKNOWN || s->now == s->found)
            continue;
        if (ask_drive(p, (enum disk_cache)i, s->found, ahci_port_command))
            plat_log(LOG_WARN, "%s: a cache that was switched could not be put back", p->disk.name);
    }
}
