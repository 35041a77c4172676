#include "mfi_internal.h"

enum { MAX_CALLS = 16 }; /* of 16 events each */

struct tally {
    unsigned warnings, criticals, fatals;
    bool more;
    char worst[129]; /* the text of the newest event of the highest class */
    int worst_class;
};

static void count(struct tally *t, const struct mfi_event *e)
{
    int class = EVENT_CLASS(e->class_locale);

    if (class < EVENT_CLASS_WARNING)
        return;
    if (class == EVENT_CLASS_WARNING)
        t->warnings++;
    else if (class == EVENT_CLASS_CRITICAL)
        t->criticals++;
    else
        t->fatals++;
    if (class >= t->worst_class) {
        t->worst_class = class;
        str_scrub(t->worst, sizeof t->worst, e->text, sizeof e->text);
    }
}

/* Events of class warning and above from `sequence` on.  E_UNSUPPORTED when the first call says so. */
static int read_events(struct mfi_card *card, uint32_t sequence, struct tally *t)
{
    const uint32_t warnings_of_all = (uint32_t)EVENT_CLASS_WARNING << 24 | EVENT_LOCALE_ALL;

    for (unsigned call = 0; call < MAX_CALLS; call++) {
        const struct mfi_mbox from = { { sequence, warnings_of_all } };
        struct mfi_events *e = &card->events;
        int rc = mfi_dcmd(card, &MFI_EVENT_GET, from, e, sizeof *e);
        unsigned n = (unsigned)min_u64(e->count, MFI_EVENTS_PER_CALL);

        if (rc)
            return card->command_status == MFI_STAT_NOT_FOUND || call ? OK : rc;
        if (!n)
            return OK;
        for (unsigned i = 0; i < n; i++)
            count(t, &e->event[i]);
        /* A log that does not move on would be read for ever. */
        uint32_t next = e->event[n - 1].sequence + 1;
        if ((int32_t)(next - sequence) <= 0)
            return OK;
        sequence = next;
    }
    t->more = true;
    return OK;
}

int mfi_event_log(struct mfi_card *card)
{
    struct mfi_event_info info;
    struct tally t = { 0 };
    int rc = mfi_dcmd(card, &MFI_EVENT_INFO, (struct mfi_mbox){ { 0 } }, &info, sizeof info);

    if (!rc)
        rc = read_events(card, info.boot, &t);
    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc) {
        controller_remark(&card->c, REMARK_INFO, "event log: not reported by this controller");
        return OK;
    }
    if (t.fatals || t.criticals || t.warnings)
        controller_remark(&card->c, t.fatals ? REMARK_FAIL : REMARK_WARN,
                          "event log since the card started: %u fatal, %u critical, %u warnings%s; \"%s\"",
                          t.fatals, t.criticals, t.warnings, t.more ? " and more" : "", t.worst);
    return OK;
}
