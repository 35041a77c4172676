#include "drive_state.h"
#include "bits.h"
#include "clock.h"
#include "firmware.h"
#include "keys.h"
#include "math.h"
#include "record.h"
#include "serial.h"
#include "text.h"
#include "watchdog.h"

void drive_state_journal(const struct disk *d, const struct disk_health *h, const char *when)
{
    struct health_item items[HEALTH_VALUE_COUNT];
    char warnings[160];
    struct text t = text_over(warnings, sizeof warnings);
    struct health_info info = {
        .disk = d->name, .when = when, .items = items, .warnings = warnings, .note = h->note
    };

    for (unsigned v = 0; v < HEALTH_VALUE_COUNT; v++)
        if (health_knows(h, (enum health_value)v))
            items[info.item_count++] = (struct health_item){ health_rows[v].key, h->value[v] };
    for (unsigned w = 0; w < HEALTH_WARNING_COUNT; w++)
        if (health_warns(h, (enum health_warning)w))
            text_fmt(&t, "%s%s", t.len ? " " : "", health_warning_rows[w].key);
    journal_health(record_journal(), &info);
}

/* ---- self-tests ---- */
enum { SELF_TESTS_MAX = 128 };
/* By enum self_test_kind.  A drive is not disturbed every second in a test of hours. */
static const struct test_way {
    const char *job, *name;
    uint32_t look_every_s, say_every_s;
} ways[] = { [SELF_TEST_SHORT] = { "selftest-short", "short", 1, 10 },
             [SELF_TEST_EXTENDED] = { "selftest-extended", "extended", 10, 60 } };

struct self_test {
    struct known_disk *k;
    struct self_test_state state;
    uint64_t until_ns;
    bool running;
};
static struct self_test tests[SELF_TESTS_MAX];
static unsigned test_count;
static enum self_test_kind kind;

static void not_tested(const struct self_test *t, const char *why)
{
    journal_not_tested(record_journal(), t->k->disk->name, ways[kind].job, why);
    serial_tell("  %s %s self-test: NOT-TESTED, %s", t->k->disk->name, ways[kind].name, why);
}

/* A controller's namespaces are tested together: its first one stands for all. */
static bool is_tested_with_another(const struct disk *d)
{
    for (unsigned i = 0; i < test_count; i++)
        if (d->kind == DISK_NVME && tests[i].k->disk->controller == d->controller)
            return true;
    return false;
}

static void begin(struct known_disk *k)
{
    struct disk *d = k->disk;
    const struct controller_driver *driver = d->controller->driver;

    if (is_tested_with_another(d) || test_count == SELF_TESTS_MAX)
        return;
    struct self_test *t = &tests[test_count++];
    *t = (struct self_test){ .k = k };
    if (!driver || !driver->self_test) {
        not_tested(t, "drives of this kind cannot be told to test themselves");
        return;
    }
    int rc = d->fault.err ? d->fault.err : driver->self_test->start(d, kind, &t->state);
    if (rc) {
        not_tested(t, t->state.words[0] ? t->state.words : err_text(rc));
        return;
    }
    t->running = true;
    t->until_ns = plat_now_ns() + self_test_limit_s(kind, t->state.expected_s) * NS_PER_S;
}

static void end(struct inventory *inv, const struct self_test *t)
{
    const struct disk *d = t->k->disk;
    const struct self_test_state *s = &t->state;
    char at[40] = "";

    if (s->has_failing_lba)
        str_fmt(at, sizeof at, ", at LBA %llu", (unsigned long long)s->failing_lba);
    if (s->result == SELF_TEST_PASSED)
        record_finding("self-test-passed", FINDING_PASS, d->name, NULL, "%s self-test: %s", ways[kind].name,
                       s->words);
    else if (s->result == SELF_TEST_FAILED)
        inventory_disk_finding(inv, d, "self-test-failed", FINDING_FAIL, "passed", "%s self-test: %s%s",
                               ways[kind].name, s->words, at);
    else
        not_tested(t, s->words[0] ? s->words : "the drive has no result of it");
}

static void look(struct inventory *inv, struct self_test *t)
{
    struct disk *d = t->k->disk;
    const struct self_test_ops *ops = d->controller->driver->self_test;
    int rc = ops->look(d, &t->state);

    if (!rc && t->state.result == SELF_TEST_RUNNING && plat_now_ns() < t->until_ns)
        return;
    t->running = false;
    if (rc) {
        not_tested(t, err_text(rc));
    } else if (t->state.result == SELF_TEST_RUNNING) {
        ops->abort(d);
        not_tested(t, "it was not over when its time had passed; ended");
    } else {
        end(inv, t);
    }
}

/* Waits until the next look; true: a person asked in the meantime that the run stops. */
static bool stop_within(uint32_t seconds)
{
    enum { LOOKS_PER_S = 10 };

    for (uint32_t i = 0; i < seconds * LOOKS_PER_S; i++) {
        if (keys_stop_asked())
            return true;
        plat_stall_us(1000000 / LOOKS_PER_S);
    }
    return false;
}

static void end_all(void)
{
    static const char stopped[] = "its self-test was stopped by a person";

    for (unsigned i = 0; i < test_count; i++) {
        struct known_disk *k = tests[i].k;
        struct disk *d = k->disk;

        if (!tests[i].running)
            continue;
        tests[i].running = false;
        d->controller->driver->self_test->abort(d);
        not_tested(&tests[i], stopped);
        if (verdict_join(k->verdict, VERDICT_ABORTED) != VERDICT_ABORTED)
            continue;
        k->verdict = VERDICT_ABORTED;
        str_copy(k->why, sizeof k->why, stopped);
    }
}

void drive_self_tests(struct inventory *inv, const struct conf *conf)
{
    uint64_t said_ns = 0;
    unsigned running;

    test_count = 0;
    kind = conf->selftest == CONF_SELFTEST_EXTENDED ? SELF_TEST_EXTENDED : SELF_TEST_SHORT;
    for (unsigned i = 0; conf->selftest != CONF_SELFTEST_NONE && i < inv->disk_count; i++)
        if (inv->disks[i].wanted)
            begin(&inv->disks[i]);
    do {
        bool say = plat_now_ns() - said_ns >= ways[kind].say_every_s * NS_PER_S;
        running = 0;
        for (unsigned i = 0; i < test_count; i++) {
            struct self_test *t = &tests[i];
            if (!t->running)
                continue;
            look(inv, t);
            running += t->running;
            if (t->running && say)
                serial_tell("  %s %s self-test: %u %%", t->k->disk->name, ways[kind].name,
                            t->state.percent_done);
        }
        if (say)
            said_ns = plat_now_ns();
        if (running)
            watchdog_arm(conf->attended);
    } while (running && !stop_within(ways[kind].look_every_s));
    if (running)
        end_all();
    watchdog_off();
}
