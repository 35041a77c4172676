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

/* Cache that is kept for drives which are gone; no command of the known ones tells of it. */
static void look_for_pinned(struct mfi_card *card, const char *text)
{
    if (str_find(text, "pinned") || str_find(text, "Pinned"))
        card->raid.pinned_cache = true;
}

int mfi_event_log(struct mfi_card *card)
{
    struct mfi_event_info info;
    struct tally t = { 0 };
    int rc = mfi_dcmd(card, &MFI_EVENT_INFO, (struct mfi_mbox){ { 0 } }, &info, sizeof info);

    if (!rc) {
        card->next_event = info.newest + 1;
        rc = read_events(card, info.boot, &t);
    }
    if (card->c.fault.err)
        return card->c.fault.err;
    card->has_events = !rc;
    if (rc) {
        controller_remark(&card->c, REMARK_INFO, "event log: not reported by this controller");
        return OK;
    }
    look_for_pinned(card, t.worst);
    if (t.fatals || t.criticals || t.warnings)
        controller_remark(&card->c, t.fatals ? REMARK_FAIL : REMARK_WARN,
                          "event log since the card started: %u fatal, %u critical, %u warnings%s; \"%s\"",
                          t.fatals, t.criticals, t.warnings, t.more ? " and more" : "", t.worst);
    return OK;
}

/* ---- what is new ---- */
/* Events of class "information" that a person should know of all the same (4.9): states, coming and going. */
static bool is_notable(const struct mfi_event *e)
{
    static const uint16_t codes[] = { 0x51, 0x5b, 0xf7, 0x70, 0xf8, 0x72, 0x8a, 0x8b, 0xfc, 0x12f };

    for (unsigned i = 0; i < ARRAY_COUNT(codes); i++)
        if (e->code == codes[i])
            return true;
    return EVENT_CLASS(e->class_locale) >= EVENT_CLASS_WARNING;
}

static void take_event(struct mfi_card *card, struct raid_event *out, const struct mfi_event *e)
{
    *out = (struct raid_event){ .sequence = e->sequence,
                                .code = e->code,
                                .severity = EVENT_CLASS(e->class_locale) };
    str_scrub(out->text, sizeof out->text, e->text, sizeof e->text);
    look_for_pinned(card, out->text);
}

unsigned mfi_new_events(struct mfi_card *card, struct raid_event *out, unsigned max)
{
    const uint32_t information_of_all = EVENT_LOCALE_ALL; /* and above */
    struct mfi_events *e = &card->events;
    unsigned n = 0;

    for (unsigned call = 0; card->has_events && call < MAX_CALLS && n < max; call++) {
        const struct mfi_mbox from = { { card->next_event, information_of_all } };

        if (mfi_dcmd(card, &MFI_EVENT_GET, from, e, sizeof *e) || !e->count)
            return n;
        unsigned count = (unsigned)min_u64(e->count, MFI_EVENTS_PER_CALL);
        for (unsigned i = 0; i < count && n < max; i++) {
            /* A log that does not move on would be read for ever. */
            if ((int32_t)(e->event[i].sequence + 1 - card->next_event) <= 0)
                return n;
            card->next_event = e->event[i].sequence + 1;
            if (is_notable(&e->event[i]))
                take_event(card, &out[n++], &e->event[i]);
        }
    }
    return n;
}
