#include "html.h"
#include "str.h"

/* How the contacts B5 and B6 of a card are covered, as a picture and in steps: findings about the SMBus end
 * with it, and who reads the page at the machine has no other page at hand.  Facts: docs/pins.md. */

static const char mention[] = "docs/pins.md";

bool html_is_about_contacts(const char *advice) { return advice && str_find(advice, mention); }

void html_put_advice(struct html *h, const char *advice)
{
    const char *at = str_find(advice, mention);
    char before[400];

    if (!at) {
        pen_escaped(h->pen, advice);
        return;
    }
    str_fmt(before, sizeof before, "%.*s", (int)(at - advice), advice);
    pen_escaped(h->pen, before);
    pen_fmt(h->pen, "<a href=\"#r%ucontacts\">picture below</a>", h->run_number);
    pen_escaped(h->pen, at + sizeof mention - 1);
}

/* The edge as it is seen with the components towards the reader and the bracket to the left: eleven contacts,
 * the notch, and the first few behind it. */
enum {
    FIRST_X = 54,
    PITCH = 22,
    WIDTH = 14,
    TOP = 78,
    HEIGHT = 34,
    BEFORE_NOTCH = 11,
    SHOWN = 15,
    NOTCH = 18
};

static unsigned contact_x(unsigned number)
{
    return FIRST_X + (number - 1) * PITCH + (number > BEFORE_NOTCH ? NOTCH : 0);
}

static void put_label(struct pen *p, unsigned number, unsigned y, const char *words, bool strong)
{
    pen_fmt(p, "<text class=\"tx%s\" x=\"%u\" y=\"%u\">%s</text>", strong ? " strong" : "",
            contact_x(number) + WIDTH / 2, y, words);
}

static void put_picture(struct pen *p)
{
    pen_str(
        p,
        "<svg class=\"edge\" viewBox=\"0 0 420 156\" role=\"img\" aria-label=\"Edge of the card: the fifth and "
        "the sixth contact from the bracket are covered\">"
        "<rect class=\"bracket\" x=\"6\" y=\"6\" width=\"12\" height=\"112\"/>");
    pen_fmt(p, "<path class=\"board\" d=\"M18 14H414V%u H%u V%u H%u V%u H18Z\"/>", TOP + 4, contact_x(12) - 6,
            TOP - 12, contact_x(11) + WIDTH + 5, TOP + 4);
    for (unsigned i = 1; i <= SHOWN; i++)
        pen_fmt(p, "<rect class=\"contact\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>", contact_x(i),
                TOP, WIDTH, HEIGHT);
    pen_fmt(p, "<rect class=\"tape\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>", contact_x(5) - 3,
            TOP - 3, PITCH + WIDTH + 6, HEIGHT + 6);
    pen_str(
        p, "<text x=\"26\" y=\"34\">bracket side</text><text class=\"ty\" x=\"406\" y=\"34\">components face "
           "you</text>");
    put_label(p, 1, 130, "1", false);
    put_label(p, 5, 130, "5", true);
    put_label(p, 6, 130, "6", true);
    put_label(p, 8, 130, "8", false);
    put_label(p, 10, 130, "10", false);
    pen_fmt(p, "<text class=\"tx strong\" x=\"%u\" y=\"148\">cover</text>",
            contact_x(5) + (PITCH + WIDTH) / 2);
    pen_fmt(p, "<text class=\"tx\" x=\"%u\" y=\"148\">leave free</text>", contact_x(9) + WIDTH / 2);
    pen_fmt(p, "<text class=\"tx\" x=\"%u\" y=\"148\">notch</text></svg>\n", contact_x(11) + WIDTH + 13);
}

void html_put_contacts(struct html *h)
{
    pen_fmt(h->pen, "<div class=\"contacts\" id=\"r%ucontacts\"><h3>How to cover the contacts B5 and B6</h3>",
            h->run_number);
    put_picture(h->pen);
    pen_str(
        h->pen,
        "<ol><li>Switch off, pull the power plug, take the card out.</li>"
        "<li>Hold it as in the picture: components towards you, bracket to the left. Count from the bracket.</li>"
        "<li>Cover the fifth and the sixth contact over their whole length with a strip of polyimide (Kapton) tape, "
        "about 2 mm wide. No others: 8 and 10 carry power, without them the card does not come up.</li>"
        "<li>Put it back, start, and run this program from the same stick: it compares with this run and says "
        "whether that was the cure.</li></ol>"
        "<p class=\"note\">Speed, lanes and starting from the card stay as they are. What is lost are the card's "
        "reports to a server's management controller: in a Dell server leave both free. The contacts of the "
        "other side of the card have nothing to do with it.</p></div>\n");
}
