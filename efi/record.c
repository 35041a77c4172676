#include "record.h"
#include "clock.h"
#include "net_delivery.h"
#include "net_syslog.h"
#include "platform_efi.h"
#include "serial.h"

static struct journal journal;
static struct {
    char *text;
    size_t len, cap;
} memory;
static struct {
    enum verdict level;
    char text[200];
} worst;
static bool medium_loss_said;

enum { MEMORY_FIRST_BYTES = 1 << 20 };

static bool memory_grow(size_t need)
{
    size_t cap = memory.cap ? memory.cap : MEMORY_FIRST_BYTES;

    while (cap < need)
        cap *= 2;
    if (cap > RECORD_MAX_BYTES)
        return false;
    char *bigger = plat_alloc(cap);
    if (!bigger)
        return false;
    memcpy(bigger, memory.text, memory.len);
    plat_free(memory.text);
    memory.text = bigger;
    memory.cap = cap;
    return true;
}

static bool memory_line(void *ctx, const char *line, size_t len)
{
    (void)ctx;
    if (memory.len + len > memory.cap && !memory_grow(memory.len + len))
        return false;
    memcpy(memory.text + memory.len, line, len);
    memory.len += len;
    return true;
}

void record_start(uint64_t run_id)
{
    journal_start(&journal, run_id, clock_now_ns);
    journal_add_sink(&journal, memory_line, NULL, false);
    serial_keep_waiting();
    if (serial_port_count())
        journal_add_sink(&journal, serial_line, NULL, true);
}

struct journal *record_journal(void) { return &journal; }

const char *record_text(size_t *len)
{
    *len = memory.len;
    return memory.text ? memory.text : "";
}

void record_finding(const char *code, enum finding_level level, const char *subject, const char *expected,
                    const char *seen_fmt, ...)
{
    static const enum syslog_severity severity[FINDING_LEVEL_COUNT] = {
        [FINDING_INFO] = SYSLOG_INFO,
        [FINDING_WARN] = SYSLOG_WARNING,
        [FINDING_FAIL] = SYSLOG_ERROR,
        [FINDING_CANNOT_TELL] = SYSLOG_INFO,
    };
    struct finding f = { .code = code, .level = level };
    struct text seen = text_over(f.seen, sizeof f.seen);
    va_list ap;

    va_start(ap, seen_fmt);
    text_vfmt(&seen, seen_fmt, ap);
    va_end(ap);
    str_copy(f.subject, sizeof f.subject, subject);
    str_copy(f.expected, sizeof f.expected, expected ? expected : "");
    journal_finding(&journal, &f);
    serial_tell("%s %s: %s", finding_level_text(level), subject, f.seen);
    if (level != FINDING_PASS)
        net_syslog(severity[level], "%s %s: %s", finding_level_text(level), subject, f.seen);
    enum verdict v = verdict_after(VERDICT_PASS, level);
    if (v != VERDICT_PASS &&
        (worst.level == VERDICT_NOT_TESTED || verdict_join(worst.level, v) != worst.level)) {
        worst.level = v;
        str_fmt(worst.text, sizeof worst.text, "%s: %s", subject, f.seen);
    }
}

const char *record_worst(enum verdict *level)
{
    *level = worst.level;
    return worst.text;
}

static void record_driver_log(void)
{
    static uint64_t told_lost;
    enum log_level level;
    char line[200];

    while (platform_log_take(&level, line, sizeof line))
        journal_log(&journal, level, line);
    if (platform_log_lost() == told_lost)
        return;
    str_fmt(line, sizeof line, "%llu lines of the drivers were overwritten before they could be written down",
            (unsigned long long)(platform_log_lost() - told_lost));
    told_lost = platform_log_lost();
    journal_log(&journal, LOG_WARN, line);
}

static void write_medium(struct medium *m)
{
    if (medium_checkpoint(m, memory.text, memory.len))
        serial_say("on the medium up to seq %llu", (unsigned long long)journal.seq - 1);
    if (m->times_back && medium_loss_said && m->state == MEDIUM_OK) {
        medium_loss_said = false;
        record_finding("stick-back", FINDING_INFO, "stick", NULL,
                       "it is back and holds the whole journal again");
    }
    if (m->state == MEDIUM_FAILED && !medium_loss_said) {
        medium_loss_said = true;
        /* It may come back: what it is worth is decided at the end. */
        record_finding("stick-write-failed", FINDING_INFO, "stick", NULL,
                       "%s; it is looked for again at each checkpoint", m->problem);
    }
}

void record_checkpoint(struct medium *m, unsigned step)
{
    record_driver_log();
    journal_checkpoint(&journal, step);
    write_medium(m);
    net_delivery_checkpoint(memory.text, memory.len);
}

void record_settle(struct medium *m)
{
    if (m->state == MEDIUM_FAILED)
        write_medium(m);
    if (m->state == MEDIUM_FAILED)
        record_finding("stick-write-failed", FINDING_WARN, "stick", NULL,
                       "%s; serial lines are the whole result", m->problem);
}

void record_finish(struct medium *m, const struct run_status *status, const struct run_ending *ending)
{
    record_driver_log();
    net_delivery_before_end(memory.text, memory.len);
    journal_run_end(&journal, status, ending);
    write_medium(m);
}

void record_end(void)
{
    plat_free(memory.text);
    memory.text = NULL;
    memory.len = memory.cap = 0;
}
