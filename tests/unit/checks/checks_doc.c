#include "checks_doc.h"
#include "bits.h"
#include "cards.h"
#include "checks.h"
#include "finding.h"
#include "drive_health.h"
#include "str.h"

static const char intro[] =
    "# Checks\n"
    "\n"
    "<!-- Made from checks/checks.c, result/finding.c, checks/drive_health.c and checks/cards.c by `make docs`: change it there. -->\n"
    "\n"
    "What is looked at beside the disks themselves, by which sign it is judged, and what to do. A finding is PASS, INFO,\n"
    "WARN, FAIL or CANNOT TELL; INFO and CANNOT TELL change no verdict. Of the SMBus rows the first that fits is the\n"
    "answer; every number it stands on is in the journal (`smbus`, `link`, `topology`).\n"
    "\n"
    "Error bits of links are cleared between two looks only where the firmware's HEST table claims no PCI Express errors\n"
    "for itself; else they are only read. _OSC, by which an operating system asks for these errors, is a method of AML,\n"
    "which is not interpreted here: it is not asked.\n"
    "\n"
    "What to do when a machine does not start at all with a card in it, and how to cover the contacts B5 and B6, is in\n"
    "[pins.md](pins.md).\n";

struct group {
    const char *letters, *title;
};
static const struct group groups[] = {
    { "S", "SMBus: the contacts B5 and B6" },
    { "D", "SMBus: this run against an earlier one of the same board" },
    { "PLN", "Slots, links and memory nodes" },
    { "H", "Health of drives and batteries" },
    { "O", "One drive among its like" },
    { "E", "Expectations" },
};

static bool is_in(const struct check *c, const struct group *g)
{
    const char *p = g->letters;

    while (*p && *p != c->row[0])
        p++;
    return *p != 0;
}

static void put_check(struct text *t, const struct check *c)
{
    static const char *const sure[] = { [SURE] = "sure", [LIKELY] = "likely", [HINT] = "a hint" };
    const struct finding_kind *k = finding_kind(c->code);

    text_fmt(t, "### %s `%s`: %s\n\n", c->row, c->code, k->title);
    text_fmt(t, "- Sign: %s\n- Means: %s (%s)\n- Do: %s\n\n", c->sign, c->meaning, sure[k->certainty],
             k->advice);
}

static void put_limit(struct text *t, const struct health_threshold *h, int64_t v)
{
    if (v == THRESHOLD_NONE)
        text_str(t, " |");
    else
        text_fmt(t, " %s %lld%s |", h->low_is_bad ? "below" : "from", (long long)v, h->unit);
}

static void put_thresholds(struct text *t)
{
    static const char *const rise[] = {
        [RISE_NORMAL] = "", [RISE_INFO] = "INFO", [RISE_WARN] = "WARN", [RISE_FAIL] = "FAIL"
    };

    text_str(t, "## Limits of health\n\n| value | WARN | FAIL | why |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < health_threshold_count; i++) {
        const struct health_threshold *h = &health_thresholds[i];

        text_fmt(t, "| %s |", health_rows[h->value].words);
        put_limit(t, h, h->warn);
        put_limit(t, h, h->fail);
        text_fmt(t, " %s |\n", h->reason);
    }
    text_fmt(
        t,
        "| temperature of a battery | from %d C | from %d C | cards stop charging above 60 C, and each 10 C "
        "halve its life |\n",
        BATTERY_WARN_C, BATTERY_FAIL_C);
    text_str(t, "\nWhat a rise during the run means:\n\n| value | level | why |\n|---|---|---|\n");
    for (unsigned i = 0; i < HEALTH_VALUE_COUNT; i++)
        if (health_rows[i].rise != RISE_NORMAL)
            text_fmt(t, "| %s | %s | %s |\n", health_rows[i].words, rise[health_rows[i].rise],
                     health_rows[i].advice);
    text_char(t, '\n');
}

static void put_cards(struct text *t)
{
    text_str(
        t,
        "## Cards whose design is known\n\n"
        "\"Suspect\" cards are made for servers with a management controller and drive SMBus by themselves.\n\n"
        "| PCI id | card | design | suspect |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < card_count; i++)
        text_fmt(t, "| %04x:%04x | %s | Gen%u x%u | %s |\n", cards[i].vendor_id, cards[i].device_id,
                 cards[i].name, cards[i].speed, cards[i].width, cards[i].suspect ? "yes" : "no");
}

void checks_doc(struct text *t)
{
    text_str(t, intro);
    for (unsigned g = 0; g < ARRAY_COUNT(groups); g++) {
        text_fmt(t, "\n## %s\n\n", groups[g].title);
        for (unsigned i = 0; i < check_count; i++)
            if (is_in(&checks[i], &groups[g]))
                put_check(t, &checks[i]);
        t->len -= 1; /* the blank line before the next heading is its own */
        t->buf[t->len] = 0;
    }
    text_char(t, '\n');
    put_thresholds(t);
    put_cards(t);
}
