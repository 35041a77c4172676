#include "parts.h"
#include "column.h"
#include "str.h"

int part_width(const struct grid *g) { return g->columns ? g->columns - 1 : 0; }

enum ink part_verdict_ink(enum verdict v)
{
    static const uint8_t inks[VERDICT_COUNT] = {
        [VERDICT_NOT_TESTED] = INK_DIM, [VERDICT_PASS] = INK_GOOD,   [VERDICT_WARN] = INK_WARN,
        [VERDICT_FAIL] = INK_BAD,       [VERDICT_ABORTED] = INK_BAD,
    };

    return (unsigned)v < VERDICT_COUNT ? (enum ink)inks[v] : INK_BAD;
}

/* ---- fields ---- */
enum { NARROWEST = 3 };

static void put_field(struct grid *g, int row, int column, int width, enum ink ink, const char *s,
                      void (*fit)(struct text *, size_t, size_t, const char *))
{
    char field[GRID_MAX_COLUMNS + 1];
    struct text t = text_over(field, sizeof field);

    if (width < NARROWEST)
        return;
    fit(&t, 0, (size_t)width, s);
    grid_text(g, row, column, ink, "%s", field);
}

void part_text(struct grid *g, int row, int column, int width, enum ink ink, const char *s)
{
    put_field(g, row, column, width, ink, s, column_left);
}

void part_name(struct grid *g, int row, int column, int width, enum ink ink, const char *s)
{
    put_field(g, row, column, width, ink, s, column_name);
}

void part_right(struct grid *g, int row, int column, int width, enum ink ink, const char *s)
{
    int len = (int)str_len(s);

    if (len < width)
        column += width - len;
    part_text(g, row, column, width, ink, s);
}

/* ---- wrapped text ---- */
static int word_length(const char *s)
{
    int len = 0;

    while (s[len] && s[len] != ' ')
        len++;
    return len;
}

/* How many characters of s stand on a row of `room` columns: up to a blank, but a word that no row can hold
 * begins at once. */
static int row_length(const char *s, int room)
{
    int len = 0, at_blank = 0;

    while (len < room && s[len]) {
        len++;
        if (s[len] == ' ' || !s[len])
            at_blank = len;
    }
    return !s[len] || !at_blank || (s[at_blank] && word_length(s + at_blank + 1) > room) ? len : at_blank;
}

static const char *next_row(const char *s, int taken)
{
    for (s += taken; *s == ' '; s++)
        ;
    return s;
}

int part_next_row(const char **s, int room)
{
    int len = row_length(*s, room);

    *s = next_row(*s, len);
    return len;
}

int part_wrapped(struct grid *g, int row, int max_rows, int hang, enum ink ink, const char *s)
{
    int rows = 0;

    while (rows < max_rows) {
        int indent = rows ? hang : 0, room = part_width(g) - indent, len;

        if (room < NARROWEST)
            break;
        len = row_length(s, room);
        rows++;
        if (rows == max_rows || !s[len]) {
            part_text(g, row + rows - 1, indent, room, ink, s);
            break;
        }
        grid_text(g, row + rows - 1, indent, ink, "%.*s", len, s);
        s = next_row(s, len);
        if (!*s)
            break;
    }
    return rows ? rows : 1;
}

int part_rows_needed(const struct grid *g, int hang, const char *s)
{
    int rows = 0;

    do {
        int room = part_width(g) - (rows ? hang : 0);

        rows++;
        if (room < NARROWEST)
            break;
        s = next_row(s, row_length(s, room));
    } while (*s);
    return rows;
}

void part_list(struct grid *g, int row, int end, const char (*lines)[120], unsigned count)
{
    enum { HANG = 4 };
    unsigned fit = end > row ? (unsigned)(end - row) : 0, needed = 0, shown = count;
    bool wrap;

    for (unsigned i = 0; i < count && needed <= fit; i++)
        needed += (unsigned)part_rows_needed(g, HANG, lines[i]);
    wrap = needed <= fit;
    if (count > fit)
        shown = fit ? fit - 1 : 0;
    for (unsigned i = 0; i < shown; i++)
        row += part_wrapped(g, row, wrap ? end - row : 1, HANG, INK_PLAIN, lines[i]);
    if (shown < count && fit)
        grid_text(g, row, 0, INK_WARN, "%u more below", count - shown);
}

/* ---- more than fits ---- */
struct scroll scroll_over(struct grid *g, int row, int end, unsigned first)
{
    return (struct scroll){ .g = g, .row = row, .end = end > row ? end : row, .first = first };
}

bool scroll_row(struct scroll *s, int *row)
{
    unsigned n = s->seen++;

    *row = s->row + (int)(n - s->first);
    return n >= s->first && n - s->first < (unsigned)(s->end - s->row);
}

void scroll_text(struct scroll *s, int hang, enum ink ink, const char *text)
{
    int indent = 0, row;

    do {
        const char *at = text;
        int room = part_width(s->g) - indent, len;

        if (room < NARROWEST)
            break;
        len = part_next_row(&text, room);
        if (scroll_row(s, &row))
            grid_text(s->g, row, indent, ink, "%.*s", len, at);
        indent = hang;
    } while (*text);
}

unsigned scroll_end(struct scroll *s)
{
    unsigned fit = (unsigned)(s->end - s->row), last;

    if (s->seen <= fit || !fit)
        return 0;
    /* The last row is taken back for the words about where one is. */
    last = s->first + fit - 1 < s->seen ? s->first + fit - 1 : s->seen;
    for (int c = 0; c < s->g->columns; c++)
        grid_text(s->g, s->end - 1, c, INK_PLAIN, " ");
    grid_text(s->g, s->end - 1, 0, INK_WARN, "rows %u-%u of %u%s%s", s->first + 1, last, s->seen,
              last < s->seen ? "  PgDn: more" : "", s->first ? "  PgUp: back" : "");
    return s->seen - (fit - 1);
}

void part_bar(struct grid *g, int row, enum ink ink, const char *s)
{
    grid_text(g, row, 0, ink, "%*s", part_width(g), "");
    part_text(g, row, 1, part_width(g) - 2, ink, s);
}

void part_keys(struct grid *g, const char *keys) { part_bar(g, g->rows - 1, INK_HEAD, keys); }
