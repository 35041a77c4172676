#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "rack.h"
#include "text.h"

/* What most machines of a kind have is what all should have: at least three of them, and six in ten agree. */
#define MOST(votes, total) votes " * 10 >= " total " * 6 AND " total " >= 3"
/* The machines that are looked at, and which of them should be alike. */
#define MACHINES                                                                                             \
    "WITH m AS (SELECT r.run_key, r.machine, r.rack || char(9) || ifnull(r.vendor, '') || char(9) || "       \
    "ifnull(r.model, '') AS kind FROM machine_run r JOIN temp.chosen USING(run_key) WHERE r.begun)"

/* Each yields machine, subject, seen, expected. */
static const struct {
    const char *kind;
    bool worse;
    const char *sql;
} questions[] = {
    { "run not finished", true,
      "SELECT machine, run, 'the journal has no run_end', 'a run that ended' FROM machine_run JOIN temp.chosen "
      "USING(run_key) WHERE NOT ended ORDER BY 1" },
    { "beginning missing", true,
      "SELECT machine, run, 'the journal lacks its first lines: the machine is not known', 'run_start' FROM "
      "machine_run JOIN temp.chosen USING(run_key) WHERE NOT begun ORDER BY 1" },
    { "lines missing", true,
      "SELECT machine, run, lost || ' of ' || total || ' lines are not there', '' FROM (SELECT run_key, max(last_seq) "
      "+ 1 AS total, max(last_seq) + 1 - sum(last_seq - first_seq + 1) - (SELECT count(*) FROM omitted o WHERE "
      "o.run_key = s.run_key) AS lost FROM span s JOIN temp.chosen USING(run_key) GROUP BY run_key) JOIN run "
      "USING(run_key) WHERE lost > 0 ORDER BY 1" },
    { "drive failed", true,
      "SELECT machine, disk, verdict || ': ' || ifnull(why, ''), '' FROM disk_verdict JOIN temp.chosen USING(run_key) "
      "JOIN run USING(run_key) WHERE verdict IN ('FAIL', 'ABORTED') ORDER BY 1, 2" },
    { "drive not tested", false,
      "SELECT machine, disk, ifnull(why, ''), '' FROM disk_verdict JOIN temp.chosen USING(run_key) JOIN run "
      "USING(run_key) WHERE verdict = 'NOT-TESTED' ORDER BY 1, 2" },
#define DRIVE_COUNTS                                                                                          \
    MACHINES                                                                                                  \
    ", have AS (SELECT run_key, model, size_bytes, count(*) AS n FROM machine_disk JOIN temp.chosen "         \
    "USING(run_key) GROUP BY 1, 2, 3), wanted AS (SELECT DISTINCT m.kind, h.model, h.size_bytes FROM m JOIN " \
    "have h USING(run_key)), counts AS (SELECT m.run_key, m.kind, m.machine, w.model, w.size_bytes, "         \
    "ifnull(h.n, 0) AS n FROM m JOIN wanted w ON w.kind = m.kind LEFT JOIN have h ON h.run_key = "            \
    "m.run_key AND h.model = w.model AND h.size_bytes = w.size_bytes), votes AS (SELECT kind, model, "        \
    "size_bytes, n, count(*) AS votes, sum(count(*)) OVER same AS total, row_number() OVER (PARTITION BY "    \
    "kind, model, size_bytes ORDER BY count(*) DESC, n DESC) AS place FROM counts GROUP BY kind, model, "     \
    "size_bytes, n WINDOW same AS (PARTITION BY kind, model, size_bytes)) "
    { "drive missing", true,
      DRIVE_COUNTS
      "SELECT c.machine, c.model, c.n || ' of them' || ifnull((SELECT ', not there: ' || "
      "group_concat(name, ', ') FROM (SELECT d.name FROM machine_disk d JOIN m x USING(run_key) WHERE "
      "x.kind = c.kind AND d.model = c.model GROUP BY d.name HAVING count(*) * 10 >= v.total * 6 EXCEPT "
      "SELECT name FROM machine_disk WHERE run_key = c.run_key)), ''), v.n || ' in ' || v.votes || ' of ' "
      "|| v.total || ' machines' FROM counts c JOIN votes v USING(kind, model, size_bytes) WHERE v.place "
      "= 1 AND " MOST("v.votes", "v.total") " AND c.n < v.n ORDER BY 1, 2" },
    { "another drive", false,
      DRIVE_COUNTS
      "SELECT c.machine, c.model, c.n || ' of them', v.n || ' in ' || v.votes || ' of ' || v.total || ' "
      "machines' FROM counts c JOIN votes v USING(kind, model, size_bytes) WHERE v.place = 1 AND " MOST(
          "v.votes", "v.total") " AND c.n > v.n ORDER BY 1, 2" },
    { "controller missing", true,
      MACHINES
      ", have AS (SELECT run_key, what, vendor_id, device_id, count(*) AS n FROM controller JOIN temp.chosen "
      "USING(run_key) GROUP BY 1, 2, 3, 4), wanted AS (SELECT DISTINCT m.kind, what, vendor_id, device_id FROM "
      "m JOIN have USING(run_key)), counts AS (SELECT m.kind, m.machine, w.what, w.vendor_id, w.device_id, "
      "ifnull(h.n, 0) AS n FROM m JOIN wanted w ON w.kind = m.kind LEFT JOIN have h ON h.run_key = m.run_key "
      "AND h.what = w.what AND h.vendor_id = w.vendor_id AND h.device_id = w.device_id), votes AS (SELECT kind, "
      "what, vendor_id, device_id, n, count(*) AS votes, sum(count(*)) OVER same AS total, row_number() OVER "
      "(PARTITION BY kind, what, vendor_id, device_id ORDER BY count(*) DESC, n DESC) AS place FROM counts "
      "GROUP BY kind, what, vendor_id, device_id, n WINDOW same AS (PARTITION BY kind, what, vendor_id, "
      "device_id)) SELECT c.machine, c.what || printf(' %04x:%04x', c.vendor_id, c.device_id), c.n || ' of "
      "them', v.n || ' in ' || v.votes || ' of ' || v.total || ' machines' FROM counts c JOIN votes v "
      "USING(kind, what, vendor_id, device_id) WHERE v.place = 1 AND " MOST(
          "v.votes", "v.total") " AND c.n < v.n ORDER BY "
                                "1, 2" },
    { "another firmware", false,
      MACHINES
      ", d AS (SELECT m.machine, x.name, x.serial, x.model, x.size_bytes, x.firmware FROM machine_disk x JOIN "
      "m USING(run_key)), votes AS (SELECT model, size_bytes, firmware, count(*) AS votes, sum(count(*)) OVER "
      "same AS total, row_number() OVER (PARTITION BY model, size_bytes ORDER BY count(*) DESC, firmware) AS "
      "place FROM d GROUP BY model, size_bytes, firmware WINDOW same AS (PARTITION BY model, size_bytes)) "
      "SELECT d.machine, d.name, d.model || ' ' || d.serial || ' has firmware ' || d.firmware, v.firmware || "
      "' on ' || v.votes || ' of ' || v.total || ' drives' FROM d JOIN votes v USING(model, size_bytes) WHERE "
      "v.place = 1 AND " MOST("v.votes", "v.total") " AND d.firmware <> v.firmware ORDER BY 1, 2" },
    { "narrower link", true,
      MACHINES
      ", l AS (SELECT m.machine, c.name, c.vendor_id, c.device_id, c.subvendor_id, c.subdevice_id, k.speed, "
      "k.width, ifnull(k.samples, 1) AS samples FROM controller c JOIN m USING(run_key) JOIN link k ON k.run_key = c.run_key AND k.controller = "
      "c.name WHERE k.seq = (SELECT max(seq) FROM link y WHERE y.run_key = c.run_key AND y.controller = "
      "c.name)), votes AS (SELECT vendor_id, device_id, subvendor_id, subdevice_id, speed, width, count(*) AS "
      "votes, sum(count(*)) OVER same AS total, row_number() OVER (PARTITION BY vendor_id, device_id, "
      "subvendor_id, subdevice_id ORDER BY count(*) DESC, width DESC, speed DESC) AS place FROM l GROUP BY 1, "
      "2, 3, 4, 5, 6 WINDOW same AS (PARTITION BY vendor_id, device_id, subvendor_id, subdevice_id)) SELECT "
      "l.machine, l.name, 'Gen' || l.speed || ' x' || l.width, 'Gen' || v.speed || ' x' || v.width || ' on ' || "
      "v.votes || ' of ' || v.total || ' such controllers' FROM l JOIN votes v USING(vendor_id, device_id, "
      "subvendor_id, subdevice_id) WHERE v.place = 1 AND " MOST(
          "v.votes", "v.total") " AND (l.width < v.width OR "
                                "(l.speed < v.speed AND l.samples > 0)) "
                                "ORDER BY 1, 2" },
};

static void take_text(char *buf, size_t cap, const char *s)
{
    snprintf(buf, cap, "%s", s);
    rack_clean(buf);
}

static bool ask(struct rack *r, unsigned question, void (*say)(void *, const struct rack_difference *),
                void *ctx)
{
    sqlite3_stmt *s = rack_prepare(r, questions[question].sql);
    int got;

    if (!s)
        return false;
    while ((got = sqlite3_step(s)) == SQLITE_ROW) {
        struct rack_difference d = { .kind = questions[question].kind, .worse = questions[question].worse };

        take_text(d.machine, sizeof d.machine, rack_text(s, 0));
        take_text(d.subject, sizeof d.subject, rack_text(s, 1));
        take_text(d.seen, sizeof d.seen, rack_text(s, 2));
        take_text(d.expected, sizeof d.expected, rack_text(s, 3));
        say(ctx, &d);
    }
    sqlite3_finalize(s);
    return got == SQLITE_DONE || rack_failed(r, questions[question].kind);
}

/* ---- machines that should be there ---- */
static bool is_chosen_machine(sqlite3_stmt *s, const char *name)
{
    bool there;

    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    there = sqlite3_step(s) == SQLITE_ROW;
    sqlite3_reset(s);
    return there;
}

static bool find_missing_machines(struct rack *r, const char *path,
                                  void (*say)(void *, const struct rack_difference *), void *ctx)
{
    sqlite3_stmt *s =
        rack_prepare(r, "SELECT 1 FROM machine_run JOIN temp.chosen USING(run_key) WHERE machine = ?1 OR "
                        "uuid = ?1 COLLATE NOCASE OR serial = ?1");
    FILE *f = s ? fopen(path, "r") : NULL;
    char line[160];

    if (s && !f)
        fprintf(stderr, "baresweep-rack: %s: %s; it should hold one machine per line\n", path,
                strerror(errno));
    while (f && fgets(line, sizeof line, f)) {
        size_t len = strlen(line);

        while (len && isspace((unsigned char)line[len - 1]))
            line[--len] = 0;
        if (len && line[0] != '#' && !is_chosen_machine(s, line)) {
            struct rack_difference d = { .kind = "machine missing", .worse = true };

            take_text(d.machine, sizeof d.machine, line);
            take_text(d.seen, sizeof d.seen, "no journal of it");
            take_text(d.expected, sizeof d.expected, path);
            say(ctx, &d);
        }
    }
    if (f)
        fclose(f);
    sqlite3_finalize(s);
    return f != NULL;
}

bool rack_find_differences(struct rack *r, const char *expected,
                           void (*say)(void *, const struct rack_difference *), void *ctx)
{
    if (expected && !find_missing_machines(r, expected, say, ctx))
        return false;
    for (unsigned i = 0; i < ARRAY_COUNT(questions); i++)
        if (!ask(r, i, say, ctx))
            return false;
    return true;
}
