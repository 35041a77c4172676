#ifndef REPORT_HTML_H
#define REPORT_HTML_H
#include "plot.h"
#include "runs.h"
#include "step.h"
#include "summary.h"

/* The parts of report.html.  A run is an article, a drive a section of it.  Whatever came from a device or a
 * person goes out through pen_escaped; everything else is markup of ours. */

/* ---- what is known of one drive ---- */
struct html_cell {
    size_t at; /* of its line in the run's text */
    uint64_t step, block_bytes, depth, first_lba, span_lbas, bytes_per_s, iops_milli, run_ns, errors;
    uint32_t flags;
    bool has_p90;
    bool random;
    bool is_point; /* measured in one size, and no cell before it has the same settings */
    bool is_zone;  /* measured alone on less than half of the disk, and no such cell before it is of the same
                      settings and place */
    char rw[12];
};
struct html_content { /* a part of the disk and its checksums */
    uint64_t first_lba, bytes, request_bytes;
    char before[12], after[12];
};
struct html_finding {
    uint64_t seq;
    char level[16], code[40];
};
enum {
    HTML_CELLS_MAX = 512,
    HTML_CONTENTS_MAX = 12,
    HTML_FINDINGS_MAX = 24,
    HTML_PANELS_MAX = 4,
    HTML_KINDS_MAX = 12,
    HTML_LINES_ACROSS = 6
};
struct html_drive {
    struct drive d;
    unsigned index; /* among the run's drives */
    bool described;
    struct journal_line disk; /* when it is described */
    uint64_t lba_bytes, lba_count;
    char why[400];
    size_t health_before, health_after; /* where these lines are; 0: there is none */
    char settings[200];
    bool heat;                                         /* it has lines of temperature */
    uint64_t records;                                  /* lines of kinds that the page does not know */
    unsigned cell_count, content_count, finding_count; /* of those that are kept */
    struct html_cell cell[HTML_CELLS_MAX];
    struct html_content content[HTML_CONTENTS_MAX];
    struct html_finding finding[HTML_FINDINGS_MAX];
};

struct html {
    struct pen *pen;
    const struct run *run;
    unsigned run_number;            /* from 1: part of every id */
    struct html_drive drive;        /* the one that is being written */
    unsigned figures;               /* of it, so far */
    bool contacts;                  /* some finding asks for contacts of a card to be covered */
    char words[4096];               /* for long texts, briefly */
    char kinds[HTML_KINDS_MAX][20]; /* of html_put_records */
    struct journal_line across[HTML_LINES_ACROSS];
    uint64_t points[SERIES_MAX_POINTS];
};
/* Whether the two read in the same way: what differs is the place, or what else ran. */
bool html_cells_are_alike(const struct html_cell *a, const struct html_cell *b);
/* Collects h->drive in one walk.  disk NULL: of drives that are not described, by name. */
void html_collect(struct html *h, const struct journal_line *disk, const struct drive *d, unsigned index);

/* ---- html_words.c ---- */
/* Digits in groups of three; v / 10^decimals. */
void html_number(struct pen *p, uint64_t v, unsigned decimals);
/* <data value="exact">number</data>: what a program reads is exact, what a person reads is short. */
void html_rate(struct pen *p, uint64_t bytes_per_s); /* in MB/s */
void html_iops(struct pen *p, uint64_t iops_milli);
void html_latency(struct pen *p, uint64_t ns);
void html_duration(struct pen *p, uint64_t ns);
void html_size(struct pen *p, uint64_t bytes);
void html_capacity(struct pen *p, uint64_t bytes);
/* "sequential, QD 4" */
void html_setting(struct text *t, const struct html_cell *c);
/* A badge with the word. */
void html_badge(struct pen *p, const char *word);
/* A term of a list and its member, unless it says nothing. */
void html_fact(struct html *h, const struct journal_line *l, const char *label, const char *key);
/* The drive's or controller's name, with a link when it is a drive. */
void html_subject(struct html *h, const char *name);
/* The percentile's name: "99.9 %". */
void html_percentile_name(struct text *t, uint32_t ppm);
bool html_percentile(const struct journal_line *l, uint32_t ppm, uint64_t *ns);
/* Whether the page has a place for lines of that kind. */
bool html_knows(const char *ev);

/* ---- the parts, in the order of the page ---- */
void html_put_style(struct pen *p);     /* html_style.c */
void html_put_top(struct html *h);      /* html_top.c: verdict, machine, what is missing, all drives */
void html_put_findings(struct html *h); /* html_findings.c */
void html_put_not_tested(struct html *h);
/* html_contacts.c: advice about covering contacts of a card, with a link to the picture of them. */
bool html_is_about_contacts(const char *advice);
void html_put_advice(struct html *h, const char *advice);
void html_put_contacts(struct html *h);
void html_put_curves(struct html *h);  /* html_curve.c: scaling runs, rounds until steady */
void html_put_machine(struct html *h); /* html_machine.c: machine, controllers, topology */
void html_put_drive(struct html *h);   /* html_drive.c: the section of h->drive */
void html_put_charts(struct html *h);  /* html_charts.c */
void html_put_time(struct html *h,
                   unsigned panels); /* html_time.c: over time, at most HTML_PANELS_MAX jobs */
void html_put_heat(struct html *h);  /* html_heat.c: temperature over the run; nothing without such lines */
/* A small picture of a cell's series; nothing when it is too short. */
void html_put_spark(struct html *h, const struct journal_line *step_end);
void html_put_cells(struct html *h);   /* html_cells.c: results with their flags, and everything exactly */
void html_put_health(struct html *h);  /* html_health.c */
void html_put_burn_in(struct html *h); /* html_burn_in.c: nothing where it was not burnt in */
void html_put_burn_in_heads(struct html *h); /* columns of the table of all drives ... */
void html_put_burn_in_cells(struct html *h); /* ... in a run that only burnt in */
void html_put_tables(struct html *h);        /* html_table.c: links, SMBus, RAID */
void html_put_settings(struct html *h);      /* html_settings.c: configuration, problems, driver's log */
void html_put_flags(struct html *h);
/* Lines of kinds that have no place of their own, as tables; disk NULL: of no drive. */
void html_put_records(struct html *h, const char *disk);

#endif
