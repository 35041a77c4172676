#include "ending.h"
#include "end_screen.h"
#include "net_delivery.h"
#include "net_state.h"
#include "net_syslog.h"
#include "record.h"
#include "reports.h"
#include "serial.h"

void ending_list_disks(const struct inventory *inv)
{
    for (unsigned i = 0; i < inv->disk_count; i++) {
        const struct known_disk *k = &inv->disks[i];

        journal_disk_verdict(record_journal(), k->disk->name, k->verdict, k->why);
    }
    if (inv->array.disk)
        journal_disk_verdict(record_journal(), inv->array.disk->name, inv->array.verdict, inv->array.why);
}

void ending_judge(const struct inventory *inv, const struct conf *conf, struct run_status *status)
{
    unsigned wanted = 0, tested = 0;
    enum verdict disks = VERDICT_NOT_TESTED, worst;

    for (unsigned i = 0; i < inv->disk_count; i++) {
        disks = verdict_join(disks, inv->disks[i].verdict);
        wanted += inv->disks[i].wanted;
        tested += inv->disks[i].verdict != VERDICT_NOT_TESTED;
    }
    disks = verdict_join(disks, inv->array.verdict);
    tested += inv->array.verdict != VERDICT_NOT_TESTED;
    if (conf->expect_disks && wanted < conf->expect_disks) {
        status->expectation_missed = true;
        record_finding("expectation-missed", FINDING_FAIL, "run", NULL, "%u usable disks found, %u expected",
                       wanted, conf->expect_disks);
    }
    record_worst(&worst);
    /* Warnings about the machine do not turn "nothing was measured" into a result; a failed controller does.
     */
    status->verdict = tested || worst == VERDICT_FAIL ? verdict_join(disks, worst) : VERDICT_NOT_TESTED;
}

static bool whole_elsewhere; /* the result is on a medium, or somebody has received it */

/* The files that jobs asked for by fio's write_bw_log and its kin. */
static void write_logs(struct medium *m, const char *text, size_t len)
{
    static struct fio_logs walk;
    static struct fio_log log;
    bool good = true;

    fio_logs_start(&walk, text, len);
    while (good && m->state == MEDIUM_OK && fio_logs_next(&walk, &log))
        good = medium_write_log(m, &log);
    if (!good)
        serial_say("%s could not be written, nor what would come after it; the journal is whole", log.path);
}

struct run_ending ending_write(const struct run_status *status, const struct conf *conf, struct medium *m)
{
    struct run_ending e = run_ending(status, conf->warn_chains);
    static char sent[400], state[160];
    struct text where = text_over(sent, sizeof sent), not_kept = text_over(state, sizeof state);
    const char *text;
    size_t len;

    record_finish(m, status, &e);
    text = record_text(&len);
    for (unsigned i = 0; m->state == MEDIUM_OK && i < report_count; i++)
        if (!medium_write(m, reports[i].name, reports[i].render, text, len))
            serial_say("%s could not be written; the journal is whole", reports[i].name);
    write_logs(m, text, len);
    whole_elsewhere = m->state == MEDIUM_OK;
    if (net_delivery_wanted()) {
        whole_elsewhere |= net_delivery_finish(text, len, &where);
        serial_say("results %s", sent);
    }
    if (!net_state_put(&not_kept))
        text_fmt(&where, "%s%s", sent[0] ? "; " : "", state);
    net_syslog(SYSLOG_NOTICE, "ends: %s", verdict_text(status->verdict));
    end_screen_show(m, sent);
    medium_close(m);
    return e;
}

static bool summary_to_serial(void *ctx, const char *bytes, size_t len)
{
    static char line[256];
    static size_t used;

    (void)ctx;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n' || used == sizeof line - 1) {
            line[used] = 0;
            serial_say("%s", line);
            used = 0;
        }
        if (bytes[i] != '\n')
            line[used++] = bytes[i];
    }
    return true;
}

void ending_last_line(const struct run_status *status, const struct run_ending *e)
{
    struct render_out out = { .write = summary_to_serial };
    char last[80];
    size_t len;
    const char *text = record_text(&len);

    serial_finish(whole_elsewhere);
    render_summary(text, len, &out);
    str_fmt(last, sizeof last, "BARESWEEP END verdict=%s exit=%d\n", verdict_text(status->verdict),
            e->exit_code);
    serial_line(NULL, last, str_len(last));
}
