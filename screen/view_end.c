#include "parts.h"
#include "str.h"
#include "text.h"
#include "views.h"

/* ---- letters for two metres ---- */
enum { LETTER_ROWS = 7, LETTER_COLUMNS = 5, LETTER_STEP = LETTER_COLUMNS + 1 };
struct letter {
    char c;
    const char *row[LETTER_ROWS];
};
/* Those that the verdicts need; a test holds the table against verdict_text. */
static const struct letter letters[] = {
    { '-', { "     ", "     ", "     ", " ### ", "     ", "     ", "     " } },
    { 'A', { " ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #" } },
    { 'B', { "#### ", "#   #", "#   #", "#### ", "#   #", "#   #", "#### " } },
    { 'D', { "#### ", "#   #", "#   #", "#   #", "#   #", "#   #", "#### " } },
    { 'E', { "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####" } },
    { 'F', { "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    " } },
    { 'I', { " ### ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### " } },
    { 'L', { "#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####" } },
    { 'N', { "#   #", "##  #", "##  #", "# # #", "#  ##", "#  ##", "#   #" } },
    { 'O', { " ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### " } },
    { 'P', { "#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    " } },
    { 'R', { "#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #" } },
    { 'S', { " ####", "#    ", "#    ", " ### ", "    #", "    #", "#### " } },
    { 'T', { "#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  " } },
    { 'W', { "#   #", "#   #", "#   #", "# # #", "# # #", "## ##", "#   #" } },
};

static const struct letter *letter_for(char c)
{
    for (unsigned i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (letters[i].c == c)
            return &letters[i];
    return NULL;
}

static void put_letter(struct grid *g, int row, int column, int wide, int high, enum ink ink,
                       const struct letter *l)
{
    for (int y = 0; y < LETTER_ROWS * high; y++)
        for (int x = 0; x < LETTER_COLUMNS * wide; x++)
            if (l->row[y / high][x / wide] == '#')
                grid_text(g, row + y, column + x, ink, "#");
}

/* As large as the screen allows; cells are about twice as high as wide.  Returns the rows used. */
static int put_big(struct grid *g, int row, enum ink ink, const char *word)
{
    int len = (int)str_len(word), high = g->rows >= 50 ? 2 : 1, wide = 2 * high, width;

    while (wide > 1 && len * LETTER_STEP * wide > part_width(g))
        wide--;
    width = (len * LETTER_STEP - 1) * wide;
    if (width > part_width(g)) {
        grid_text(g, row, 0, ink, "%s", word);
        return 1;
    }
    for (int i = 0; i < len; i++) {
        const struct letter *l = letter_for(word[i]);
        if (l)
            put_letter(g, row, (part_width(g) - width) / 2 + i * LETTER_STEP * wide, wide, high, ink, l);
    }
    return LETTER_ROWS * high;
}

static enum ink solid_ink(enum verdict v)
{
    static const uint8_t solid[INK_COUNT] = {
        [INK_DIM] = INK_SOLID_DIM,
        [INK_GOOD] = INK_SOLID_GOOD,
        [INK_WARN] = INK_SOLID_WARN,
        [INK_BAD] = INK_SOLID_BAD,
    };

    return (enum ink)solid[part_verdict_ink(v)];
}

/* ---- drives and findings ---- */
static const uint8_t worst_first[] = { VERDICT_FAIL, VERDICT_ABORTED, VERDICT_WARN, VERDICT_NOT_TESTED,
                                       VERDICT_PASS };

/* Columns; on narrower screens, and when it is longer than what is left, the reason has rows of its own. */
enum { WITH_REASON = 120, VERDICT = 10, NAME = 15, MODEL = 20, SERIAL = 20 };

static bool reason_fits(const struct grid *g, const struct end_drive *d, int bay)
{
    int column = VERDICT + 1 + (bay ? bay + 1 : 0) + NAME + 1 + MODEL + 1 + SERIAL + 1;

    return part_width(g) >= WITH_REASON && (int)str_len(d->why) <= part_width(g) - column;
}

static void put_drive(struct scroll *s, const struct end_drive *d, int bay)
{
    int row, column = 0, width = part_width(s->g);

    if (!scroll_row(s, &row))
        return;
    part_text(s->g, row, column, VERDICT, part_verdict_ink((enum verdict)d->verdict),
              verdict_text((enum verdict)d->verdict));
    column += VERDICT + 1;
    part_text(s->g, row, column, bay, INK_TITLE, d->bay);
    column += bay ? bay + 1 : 0;
    part_name(s->g, row, column, NAME, INK_PLAIN, d->name);
    column += NAME + 1;
    part_text(s->g, row, column, MODEL, INK_PLAIN, d->model);
    column += MODEL + 1;
    part_name(s->g, row, column, width - column < SERIAL ? width - column : SERIAL, INK_PLAIN, d->serial);
    column += SERIAL + 1;
    if (reason_fits(s->g, d, bay))
        part_text(s->g, row, column, width - column, INK_PLAIN, d->why);
}

static int bay_width(const struct end_view *v)
{
    enum { BAY_MIN = 3 };
    int bay = 0;

    for (unsigned i = 0; i < v->drive_count; i++) {
        int len = (int)str_len(v->drives[i].bay);
        bay = len > bay ? len : bay;
    }
    return bay && bay < BAY_MIN ? BAY_MIN : bay;
}

/* The next drive of that verdict after the i-th; drive_count: none. */
static unsigned next_of(const struct end_view *v, unsigned i, uint8_t verdict)
{
    while (i < v->drive_count && v->drives[i].verdict != verdict)
        i++;
    return i;
}

/* How many drives of its verdict behind the i-th have the same reason, one after the other. */
static unsigned alike(const struct end_view *v, unsigned i)
{
    const struct end_drive *d = &v->drives[i];
    unsigned n = 0;

    while ((i = next_of(v, i + 1, d->verdict)) < v->drive_count && str_equal(v->drives[i].why, d->why))
        n++;
    return n;
}

/* The reason under the first of those that have it.  Not inlined: its buffer beside those of the page is more
 * than a frame may be. */
static __attribute__((noinline)) void put_reason(struct scroll *s, const struct end_drive *d, unsigned more)
{
    char why[400];
    struct text t = text_over(why, sizeof why);

    text_str(&t, "           ");
    if (more)
        text_fmt(&t, "this and the next %u: ", more);
    text_str(&t, d->why);
    scroll_text(s, 11, part_verdict_ink((enum verdict)d->verdict), why);
}

static void put_drives_of(struct scroll *s, const struct end_view *v, uint8_t verdict, int bay)
{
    unsigned said = 0; /* for so many more */

    for (unsigned i = next_of(v, 0, verdict); i < v->drive_count; i = next_of(v, i + 1, verdict)) {
        const struct end_drive *d = &v->drives[i];

        put_drive(s, d, bay);
        if (said)
            said--;
        else if (d->why[0] && !reason_fits(s->g, d, bay)) {
            said = alike(v, i);
            put_reason(s, d, said);
        }
    }
}

static void put_drives(struct scroll *s, const struct end_view *v)
{
    int bay = bay_width(v);

    for (unsigned k = 0; k < sizeof worst_first; k++)
        put_drives_of(s, v, worst_first[k], bay);
}

static void put_findings(struct scroll *s, const struct end_view *v)
{
    static const uint8_t inks[FINDING_LEVEL_COUNT] = { [FINDING_WARN] = INK_WARN, [FINDING_FAIL] = INK_BAD };
    char line[320];

    if (v->finding_count)
        scroll_text(s, 0, INK_PLAIN, "");
    for (int level = FINDING_FAIL; level >= FINDING_WARN; level--)
        for (unsigned i = 0; i < v->finding_count; i++) {
            const struct end_finding *f = &v->findings[i];
            struct text t = text_over(line, sizeof line);

            if (f->level != level)
                continue;
            text_fmt(&t, "%s %s: %s", finding_level_text((enum finding_level)f->level), f->subject, f->seen);
            if (f->more)
                text_fmt(&t, " (and %u more like it)", f->more);
            scroll_text(s, 4, (enum ink)inks[f->level], line);
            str_fmt(line, sizeof line, "  > %s", f->advice ? f->advice : "");
            if (f->advice && f->advice[0])
                scroll_text(s, 4, INK_PLAIN, line);
        }
}

unsigned view_end(struct grid *g, const struct end_view *v)
{
    enum { HEADLINE_ROWS = 2, WHERE_ROWS = 3, HANG = 4 };
    char where[440];
    int row = 1, where_rows;
    struct scroll s;

    grid_clear(g, g->columns, g->rows);
    row += put_big(g, row, solid_ink(v->verdict), verdict_text(v->verdict)) + 1;
    row += part_wrapped(g, row, HEADLINE_ROWS, HANG, INK_TITLE, v->headline) + 1;
    str_fmt(where, sizeof where, "Run %s. Results: %s", v->code, v->where);
    where_rows = part_rows_needed(g, HANG, where);
    if (where_rows > WHERE_ROWS)
        where_rows = WHERE_ROWS;
    s = scroll_over(g, row, g->rows - where_rows - 2, v->first);
    put_drives(&s, v);
    put_findings(&s, v);
    part_wrapped(g, g->rows - where_rows - 1, where_rows, HANG, INK_TITLE, where);
    part_keys(g, v->keys);
    return scroll_end(&s);
}
