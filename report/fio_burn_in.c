#include "burn_in_facts.h"
#include "fio_pen.h"

/* What our part of the JSON says of drives that were burnt in. */

static void put_phases(struct fio_pen *j, const struct run *run, const char *disk)
{
    struct run_lines lines;
    struct journal_line l;

    fio_begin(j, "phases", "[");
    run_lines_of(&lines, run, disk);
    while (burn_in_next_phase(&lines, disk, &l))
        fio_put_members(j, NULL, &l);
    fio_end(j, "]");
}

static void put_health(struct fio_pen *j, const struct run *run, const char *disk)
{
    struct run_lines lines;
    struct journal_line l, before, after;
    bool has_before = false, has_after = false;

    run_lines_of(&lines, run, disk);
    while (run_lines_find(&lines, "health", &l)) {
        if (!event_is(&l, "disk", disk))
            continue;
        if (event_is(&l, "when", "after"))
            after = l, has_after = true;
        else
            before = l, has_before = true;
    }
    if (has_before)
        fio_put_members(j, "health_before", &before);
    if (has_after)
        fio_put_members(j, "health_after", &after);
}

static void put_drive(struct fio_pen *j, const struct run *run, const struct journal_line *disk)
{
    struct burn_in_facts f;
    char name[28];

    if (!event_str(disk, "name", name, sizeof name) || !burn_in_facts(run, name, &f))
        return;
    fio_begin(j, NULL, "{");
    fio_put_verbatim(j, "disk", disk, "name");
    fio_put_u64(j, "covered_bytes", f.covered_bytes);
    fio_put_u64(j, "not_covered_bytes", f.disk_bytes - f.covered_bytes);
    fio_put_members(j, "state", &f.state);
    put_phases(j, run, name);
    put_health(j, run, name);
    fio_end(j, "}");
}

void fio_put_burn_ins(struct fio_pen *j, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;

    run_lines_start(&lines, run);
    if (!run_lines_find(&lines, "burn_in", &l))
        return;
    fio_begin(j, "burn_in", "[");
    run_lines_start(&lines, run);
    lines.reader.len = run->disks_len;
    while (!j->pen.out->failed && run_lines_find(&lines, "disk", &l))
        put_drive(j, run, &l);
    fio_end(j, "]");
}
