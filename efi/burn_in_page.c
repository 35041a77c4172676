#include "burn_in_page.h"
#include "bits.h"
#include "platform.h"
#include "str.h"
#include "text.h"

static struct text next(struct note *notes, unsigned *n, enum ink ink)
{
    notes[*n] = (struct note){ .ink = (uint8_t)ink };
    return text_over(notes[(*n)++].text, sizeof notes[0].text);
}

static void add_capacity(struct text *t, const struct burn_in_state *s, uint64_t blocks)
{
    text_capacity(t, blocks * s->block_bytes);
}

static void blocks_line(struct text *t, const struct burn_in_drive *d)
{
    const struct burn_in_state *s = &d->state;

    if (!d->writes) {
        text_str(t, "Nothing is written; all of ");
        add_capacity(t, s, s->blocks);
        text_str(t, " is read");
        return;
    }
    text_str(t, "Written: ");
    add_capacity(t, s, s->written_blocks);
    text_str(t, " of ");
    add_capacity(t, s, s->blocks);
    text_str(t, ", read back as written: ");
    add_capacity(t, s, s->verified_blocks);
}

static void time_line(struct text *t, const struct burn_in_drive *d)
{
    const struct burn_in_state *s = &d->state;

    text_str(t, "Time: ");
    text_duration(t, s->spent_ms * NS_PER_MS);
    text_str(t, " of at most ");
    text_duration(t, d->limits.budget_ms * NS_PER_MS);
    if (s->phase_ms) { /* counted when a part of the phase is done */
        text_str(t, ", in this phase ");
        text_duration(t, s->phase_ms * NS_PER_MS);
    }
    if (d->pauses) {
        text_fmt(t, "; rested %u time%s because of heat, ", d->pauses, str_plural(d->pauses));
        text_duration(t, d->paused_ms * NS_PER_MS);
    }
}

unsigned burn_in_page_facts(const struct burn_in_drive *d, struct note *notes, unsigned max)
{
    enum { FACTS = 5 };
    const struct burn_in_state *s = &d->state;
    unsigned n = 0;
    struct text t;

    if (max < FACTS)
        return 0;
    t = next(notes, &n, INK_TITLE);
    if (s->end == BURN_IN_GOING)
        text_fmt(&t, "Phase %u of %u: %s%s", s->phase + 1u, (unsigned)BURN_IN_DONE,
                 burn_in_phases[s->phase].words, d->paused ? ", rests until it is cooler" : "");
    else
        text_fmt(&t, "Its burn-in is %s, in the phase: %s", burn_in_end_words[s->end],
                 burn_in_phases[s->phase].words);
    t = next(notes, &n, INK_PLAIN);
    blocks_line(&t, d);
    t = next(notes, &n, INK_PLAIN);
    time_line(&t, d);
    if (s->interruptions) {
        t = next(notes, &n, INK_PLAIN);
        text_fmt(&t, "Interrupted %u time%s and resumed", s->interruptions, str_plural(s->interruptions));
    }
    if (s->errors || s->why[0]) {
        t = next(notes, &n, s->errors ? INK_BAD : INK_PLAIN);
        text_fmt(&t, "%llu error%s%s%s", (unsigned long long)s->errors, str_plural(s->errors),
                 s->why[0] ? ": " : "", s->why);
    }
    return n;
}
