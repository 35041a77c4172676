#include "bits.h"
#include "menu.h"
#include "step.h"
#include "str.h"
#include "text.h"

static const struct note fixed[] = {
    { "Baresweep reads every disk it may, says what is wrong, and leaves the result on the stick.",
      INK_PLAIN },
    { "It finishes by itself: no key is needed, and silence always means \"go on\".", INK_PLAIN },
    { "", INK_PLAIN },
    { "Everywhere", INK_TITLE },
    { "  Esc goes back. F1 or ? shows this. Arrows, PgUp, PgDn, Home and End move.", INK_PLAIN },
    { "  A stuck key and noise on a serial line count for nothing.", INK_PLAIN },
    { "", INK_PLAIN },
    { "While it runs", INK_TITLE },
    { "  Esc asks whether to stop; only the typed word stop and Enter do. What was measured stays, the rest is "
      "NOT-TESTED, the verdict ABORTED.",
      INK_PLAIN },
    { "  The next start offers to resume a run that was stopped or lost its power, in the menu.", INK_PLAIN },
    { "  * beside a number: it may not be comparable. The disk's own page names why; below is what that means.",
      INK_PLAIN },
    { "  Enter shows the disk with the mark > and its charts. Keys wait for the end of a short step.",
      INK_PLAIN },
    { "", INK_PLAIN },
    { "Verdicts", INK_TITLE },
    { "  PASS         measured, and nothing found", INK_GOOD },
    { "  WARN         usable, but read the finding", INK_WARN },
    { "  FAIL         replace or repair what is named", INK_BAD },
    { "  ABORTED      stopped before its end", INK_BAD },
    { "  NOT-TESTED   nothing was measured: never a pass", INK_PLAIN },
    { "", INK_PLAIN },
    { "Writing", INK_TITLE },
    { "  No disk is written unless it was armed, one by one, with a typed word or on the stick; the start screen "
      "then names it in red.",
      INK_PLAIN },
    { "", INK_PLAIN },
    { "Settings", INK_TITLE },
    { "  All of it can be set in baresweep.conf on the stick; docs/conf.md lists the options.", INK_PLAIN },
    { "", INK_PLAIN },
    { "Flags of numbers", INK_TITLE },
};

/* Each flag by the one table that has them, behind what is written above. */
const struct note *help_notes(unsigned *count)
{
    enum { FLAGS_MAX = 32 };
    static struct note notes[ARRAY_COUNT(fixed) + FLAGS_MAX];
    unsigned n = ARRAY_COUNT(fixed);

    memcpy(notes, fixed, sizeof fixed);
    for (unsigned i = 0; i < step_flag_count && i < FLAGS_MAX; i++, n++)
        str_fmt(notes[n].text, sizeof notes[n].text, "  %s: %s", step_flags[i].name, step_flags[i].sentence);
    *count = n;
    return notes;
}
