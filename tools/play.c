#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ansi.h"
#include "end_read.h"
#include "replay.h"

/* Plays a journal through the live view and ends with the last screen: in a terminal, or as printed pictures.
 */

static const char usage[] =
    "usage: play FILE [--size COLUMNSxROWS] [--frames] [--ms N]\n"
    "FILE: a journal; - is standard input.  --size: of the screen, 80x25 by default.\n"
    "--frames: every picture as text, one after another, instead of in the terminal.\n"
    "--ms: milliseconds between pictures, 200 by default.\n"
    "Exit 1: no run in the file.  Exit 2: wrong use, or the file cannot be read.\n";

struct wish {
    const char *path;
    unsigned columns, rows, ms;
    bool frames;
};

static struct grid grid, shown;
static char bytes[GRID_MAX_COLUMNS * GRID_MAX_ROWS * 24];

static bool read_wish(struct wish *w, int argc, char **argv)
{
    *w = (struct wish){ .columns = 80, .rows = 25, .ms = 200 };
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--frames"))
            w->frames = true;
        else if (!strcmp(argv[i], "--size") && i + 1 < argc) {
            if (sscanf(argv[++i], "%ux%u", &w->columns, &w->rows) != 2 || !w->columns || !w->rows)
                return false;
        } else if (!strcmp(argv[i], "--ms") && i + 1 < argc) {
            if (sscanf(argv[++i], "%u", &w->ms) != 1)
                return false;
        } else if (!w->path && (argv[i][0] != '-' || !argv[i][1]))
            w->path = argv[i];
        else
            return false;
    }
    return w->path != NULL;
}

static char *read_all(const char *path, size_t *len)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t cap = 1 << 20, n;
    char *text = f ? malloc(cap) : NULL;

    *len = 0;
    while (text && (n = fread(text + *len, 1, cap - *len, f)) > 0) {
        *len += n;
        if (*len == cap) {
            char *more = realloc(text, cap *= 2);
            if (!more)
                free(text);
            text = more;
        }
    }
    if (!text)
        perror(path);
    if (f && f != stdin)
        fclose(f);
    return text;
}

/* ---- pictures ---- */
static bool put(void *ctx, int row, int column, enum ink ink, const char *text, int len)
{
    ansi_put(ctx, row, column, ink, text, len);
    return true;
}

static void print_frame(void)
{
    for (unsigned r = 0; r < grid.rows; r++) {
        unsigned len = 0;

        for (unsigned c = 0; c < grid.columns; c++)
            if (grid.cell[r][c].c != ' ')
                len = c + 1;
        for (unsigned c = 0; c < len; c++)
            putchar(grid.cell[r][c].c);
        putchar('\n');
    }
    for (unsigned c = 0; c + 1 < grid.columns; c++)
        putchar('=');
    putchar('\n');
}

static void show(const struct wish *w)
{
    struct text t = text_over(bytes, sizeof bytes);
    struct timespec wait = { w->ms / 1000, w->ms % 1000 * 1000000 };

    if (w->frames) {
        print_frame();
        return;
    }
    grid_diff(&grid, &shown, put, &t);
    fwrite(bytes, 1, t.len, stdout);
    fflush(stdout);
    nanosleep(&wait, NULL);
}

static void border(const struct wish *w, bool begin)
{
    struct text t = text_over(bytes, sizeof bytes);

    if (w->frames)
        return;
    if (begin)
        ansi_begin(&t);
    else
        ansi_end(&t, w->rows);
    fwrite(bytes, 1, t.len, stdout);
}

int main(int argc, char **argv)
{
    static struct replay replay;
    static struct end_facts facts;
    struct end_view end = { .keys = "" };
    struct wish w;
    size_t len;
    char *text;

    if (!read_wish(&w, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    text = read_all(w.path, &len);
    if (!text)
        return 2;
    if (!replay_start(&replay, text, len)) {
        fprintf(stderr, "%s: no run in it\n", w.path);
        free(text);
        return 1;
    }
    border(&w, true);
    grid_clear(&grid, w.columns, w.rows);
    while (replay_next(&replay)) {
        view_sweep(&grid, &replay.view);
        show(&w);
    }
    end_read(text, len, &facts, &end);
    snprintf(end.where, sizeof end.where, "%s", w.path);
    view_end(&grid, &end);
    show(&w);
    border(&w, false);
    free(text);
    return 0;
}
