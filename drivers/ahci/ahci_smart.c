#include "ahci_internal.h"
#include "smart.h"
#include "str.h"

/* The drive's own account of itself (fact sheet B7): SMART attributes against their thresholds, its verdict,
 * its logs and its self-tests.  Layouts are those that smartmontools' atacmds.h reads. */

enum { SMART_MS = 10000 }; /* a drive in standby may have to fetch its logs from the medium */

enum {
    TEST_STATUS_AT = 363,
    TEST_SHORT_MINUTES_AT = 372,
    TEST_EXTENDED_MINUTES_AT = 373,
    TEST_LONG_MINUTES_AT = 375
};
enum { ERROR_COUNT_AT = 452 };

static uint64_t little_endian(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

/* ---- asking ---- */
/* One command of the SMART family.  A page that does not add up is E_PROTO.  A drive that hung once is not
 * asked again: each time would cost a reset. */
static int ask(struct ahci_port *p, const char *name, uint8_t action, uint8_t lba_low, uint8_t *page)
{
    struct ahci_command c = { .name = name,
                              .command = ATA_SMART,
                              .features = action,
                              .count = action == SMART_READ_LOG,
                              .lba = SMART_LBA | lba_low,
                              .deadline_ms = SMART_MS,
                              .no_data = !page };
    int rc;

    if (p->smart_hangs)
        return E_UNSUPPORTED;
    rc = ahci_ask(p, &c, page);
    if (rc == E_TIMEOUT)
        p->smart_hangs = true;
    if (rc || !page || smart_page_adds_up(page))
        return rc;
    return NOTE(E_PROTO, "checksum of a SMART page", action, lba_low);
}

static int read_log(struct ahci_port *p, uint8_t log, uint8_t page_number, uint8_t *page)
{
    struct ahci_command c = { .name = "READ LOG EXT",
                              .command = ATA_READ_LOG_EXT,
                              .count = 1,
                              .lba = log | (uint64_t)page_number << 8,
                              .deadline_ms = SMART_MS };

    return p->smart_hangs ? E_UNSUPPORTED : ahci_ask(p, &c, page);
}

/* A disk that cannot be read (locked, say) rests with its engines off; its account can be had all the same.
 */
static int wake_port(struct ahci_port *p)
{
    uint32_t cmd;

    if (p->disk.fault.err)
        return p->disk.fault.err;
    if (p->issued | p->pending)
        return NOTE(E_AGAIN, "reads in flight beside a question about health", p->issued | p->pending, 0);
    if (p->disk.ops)
        return OK;
    if (p->stuck)
        return NOTE(E_TIMEOUT, "engine of a resting port to have stopped", px_read(p, PX_CMD), 0);
    cmd = px_read(p, PX_CMD) & (uint32_t)~CMD_ICC;
    px_write(p, PX_CMD, cmd | (uint32_t)CMD_FRE);
    return ahci_port_start(p);
}

static int rest_port(struct ahci_port *p, int rc)
{
    if (!p->disk.ops && !p->disk.fault.err)
        ahci_port_stop(p, true);
    return p->disk.fault.err ? (int)p->disk.fault.err : rc;
}

/* ---- self-test logs ---- */
enum { TEST_IN_PROGRESS = 15, TEST_FIRST_FAILURE = 3, TEST_LAST_FAILURE = 8 };
static const struct {
    int result;
    const char *words;
} test_results[16] = {
    [0] = { SELF_TEST_PASSED, "the self-test found nothing wrong" },
    [1] = { SELF_TEST_ABORTED, "the self-test was aborted by a host" },
    [2] = { SELF_TEST_ABORTED, "the self-test was interrupted by a reset" },
    [3] = { SELF_TEST_FAILED, "the self-test could not be completed: fatal error" },
    [4] = { SELF_TEST_FAILED, "the self-test failed in an unknown part" },
    [5] = { SELF_TEST_FAILED, "the self-test failed in the electronics" },
    [6] = { SELF_TEST_FAILED, "the self-test failed in the servo or seek part" },
    [7] = { SELF_TEST_FAILED, "the self-test could not read a block" },
    [8] = { SELF_TEST_FAILED, "the self-test suspects damage by handling" },
    [TEST_IN_PROGRESS] = { SELF_TEST_RUNNING, "the self-test is running" },
};

/* The two logs of self-tests: entries in a ring, `newest` (from 1) was written last; 0: none ever. */
static const struct test_log {
    uint8_t log;
    uint16_t newest_at, newest_bytes, entries_at, entry_bytes, entries;
    uint8_t lba_bytes; /* of a failing LBA, which begins at byte 5 of an entry */
} old_log = { ATA_LOG_SELF_TESTS, 508, 1, 2, 24, 21, 4 },
  new_log = { ATA_LOG_SELF_TESTS_EXT, 2, 2, 4, 26, 19, 6 };
enum { TEST_RESULT_AT = 1, TEST_LBA_AT = 5 };

static const uint8_t *newest_test(const struct test_log *l, const uint8_t *page)
{
    uint64_t newest = little_endian(page + l->newest_at, l->newest_bytes);

    /* The new log may have more pages; only its first is looked at. */
    return newest && newest <= l->entries ? page + l->entries_at + (newest - 1) * l->entry_bytes : NULL;
}

static unsigned result_of(const uint8_t *entry) { return entry[TEST_RESULT_AT] >> 4; }

static bool is_failure(unsigned result)
{
    return result >= TEST_FIRST_FAILURE && result <= TEST_LAST_FAILURE;
}

/* The log with room for every LBA where the drive has it.  NULL: no log. */
static const struct test_log *read_test_log(struct ahci_port *p, uint8_t *page)
{
    if (!p->features.self_test)
        return NULL;
    if (p->features.logs && !read_log(p, ATA_LOG_SELF_TESTS_EXT, 0, page) && smart_page_adds_up(page))
        return &new_log;
    return ask(p, "SMART READ LOG: self-tests", SMART_READ_LOG, ATA_LOG_SELF_TESTS, page) ? NULL : &old_log;
}

static void take_test_log(const struct test_log *l, const uint8_t *page, struct disk_health *h)
{
    const uint8_t *newest = newest_test(l, page);
    int64_t failed = 0;

    for (unsigned i = 0; newest && i < l->entries; i++)
        failed += is_failure(result_of(page + l->entries_at + i * l->entry_bytes));
    health_set(h, HEALTH_SELF_TESTS_FAILED, failed);
    health_warn(h, HEALTH_WARN_SELF_TEST, newest && is_failure(result_of(newest)));
}

/* ---- device statistics ---- */
/* Each value is a quadword whose top byte says whether it means anything.  Pages are in order, so that each
 * is read once. */
#define STATISTIC_VALID (BIT_(63) | BIT_(62))
static const struct {
    uint8_t page, at, bytes;
    enum health_value value;
} statistics[] = {
    { 1, 24, 6, HEALTH_HOST_WRITTEN_MB },
    { 1, 40, 6, HEALTH_HOST_READ_MB },
    { 7, 8, 1, HEALTH_USED_PERCENT },
};

static bool lists_page(const uint8_t *list, uint8_t page)
{
    for (unsigned i = 0; i < list[8]; i++)
        if (list[9 + i] == page)
            return true;
    return false;
}

static int64_t as_value(enum health_value v, uint64_t raw, uint32_t lba_bytes)
{
    if (v == HEALTH_HOST_READ_MB || v == HEALTH_HOST_WRITTEN_MB)
        return (int64_t)(raw / 1000000 * lba_bytes + raw % 1000000 * lba_bytes / 1000000);
    return (int64_t)raw;
}

static void take_statistics(struct ahci_port *p, struct disk_health *h)
{
    uint8_t *list = p->hba->page[0], *page = p->hba->page[1];
    uint8_t read = 0;

    if (!p->features.logs || read_log(p, ATA_LOG_DIRECTORY, 0, list) ||
        !little_endian(list + 2 * ATA_LOG_STATISTICS, 2) || read_log(p, ATA_LOG_STATISTICS, 0, list))
        return;
    for (unsigned i = 0; i < ARRAY_COUNT(statistics); i++) {
        if (!lists_page(list, statistics[i].page))
            continue;
        if (read != statistics[i].page && read_log(p, ATA_LOG_STATISTICS, statistics[i].page, page))
            return;
        read = statistics[i].page;
        uint64_t raw = little_endian(page + statistics[i].at, 8);
        if ((raw & STATISTIC_VALID) == STATISTIC_VALID)
            health_set(h, statistics[i].value,
                       as_value(statistics[i].value, raw & ((1ull << 8 * statistics[i].bytes) - 1),
                                p->disk.lba_bytes));
    }
}

/* ---- all of it ---- */
/* Link errors have no counter in a drive's account; what the adapter saw is evidence of the same kind. */
static void note_link(struct ahci_port *p, struct disk_health *h)
{
    char words[100];
    struct text t = text_over(words, sizeof words);

    ahci_port_note_link(p, px_read(p, PX_SERR));
    if (!(p->serr_seen & SERR_LINK_EVIDENCE) || h->note[0])
        return;
    ahci_serr_words(p->serr_seen, &t);
    str_fmt(h->note, sizeof h->note, "the adapter saw: %s", words);
}

static void take_verdict(struct ahci_port *p, struct disk_health *h)
{
    if (ask(p, "SMART RETURN STATUS", SMART_RETURN_STATUS, 0, NULL))
        return;
    uint32_t said = (uint32_t)ahci_port_reply_lba(p, false) & 0xffff00;
    if (said == SMART_LBA || said == SMART_LBA_FAILING)
        health_warn(h, HEALTH_WARN_FAILURE_EXPECTED,
                    said == SMART_LBA_FAILING || health_warns(h, HEALTH_WARN_FAILURE_EXPECTED));
}

static int take_smart(struct ahci_port *p, struct disk_health *h)
{
    uint8_t *data = p->hba->page[0], *other = p->hba->page[1];
    const struct test_log *l;
    int rc = ask(p, "SMART READ DATA", SMART_READ_DATA, 0, data);

    if (rc)
        return rc;
    bool limits = !ask(p, "SMART READ THRESHOLDS", SMART_READ_THRESHOLDS, 0, other);
    smart_take_attributes(data, limits ? other : NULL, h);
    take_verdict(p, h);
    if (p->features.error_log && !ask(p, "SMART READ LOG: errors", SMART_READ_LOG, ATA_LOG_ERRORS, other))
        health_set(h, HEALTH_ERROR_LOG_ENTRIES, (int64_t)little_endian(other + ERROR_COUNT_AT, 2));
    l = read_test_log(p, other);
    if (l)
        take_test_log(l, other, h);
    take_statistics(p, h);
    return OK;
}

int ahci_health(struct disk *d, struct disk_health *h)
{
    struct ahci_port *p = ahci_port_of(d);
    int rc;

    *h = (struct disk_health){ 0 };
    if (!p->features.smart)
        return E_UNSUPPORTED;
    rc = wake_port(p);
    if (rc)
        return rc;
    if (p->features.smart_on)
        rc = take_smart(p, h);
    else
        str_copy(h->note, sizeof h->note, "SMART is switched off in the drive, and is not switched on");
    if (rc == OK)
        note_link(p, h);
    rc = rest_port(p, rc);
    if (rc)
        *h = (struct disk_health){ 0 };
    return rc;
}

/* ---- self-tests ---- */
enum { TEST_SHORT = 1, TEST_EXTENDED = 2, TEST_ABORT = 0x7f };

/* "0xff minutes" means that the number stands elsewhere. */
static uint32_t expected_s(const uint8_t *data, enum self_test_kind kind)
{
    uint32_t minutes = data[kind == SELF_TEST_SHORT ? TEST_SHORT_MINUTES_AT : TEST_EXTENDED_MINUTES_AT];

    if (kind == SELF_TEST_EXTENDED && minutes == 0xff)
        minutes = (uint32_t)little_endian(data + TEST_LONG_MINUTES_AT, 2);
    return minutes * 60;
}

static void take_test(const struct ahci_port *p, const struct test_log *l, const uint8_t *page,
                      struct self_test_state *s)
{
    const uint8_t *newest = newest_test(l, page);
    uint64_t lba;

    if (!newest) {
        if (s->result == SELF_TEST_PASSED) {
            s->result = SELF_TEST_NEVER;
            str_copy(s->words, sizeof s->words, "no self-test was ever run");
        }
        return;
    }
    lba = little_endian(newest + TEST_LBA_AT, l->lba_bytes);
    /* A number that the old log has no room for would name a wrong block. */
    s->has_failing_lba = s->result == SELF_TEST_FAILED && is_failure(result_of(newest)) &&
                         lba < p->disk.lba_count && (l == &new_log || p->disk.lba_count <= UINT32_MAX);
    if (s->has_failing_lba)
        s->failing_lba = lba;
}

static int look(struct ahci_port *p, enum self_test_kind kind, struct self_test_state *s)
{
    uint8_t *data = p->hba->page[0];
    const struct test_log *l;
    unsigned result;
    int rc = ask(p, "SMART READ DATA", SMART_READ_DATA, 0, data);

    if (rc)
        return rc;
    result = data[TEST_STATUS_AT] >> 4;
    s->result = test_results[result].words ? test_results[result].result : SELF_TEST_FAILED;
    str_copy(s->words, sizeof s->words,
             test_results[result].words ? test_results[result].words
                                        : "the self-test ended in an unknown way");
    s->expected_s = expected_s(data, kind);
    if (s->result == SELF_TEST_RUNNING) {
        unsigned tenths_left = data[TEST_STATUS_AT] & 15;
        s->percent_done = (uint8_t)(tenths_left > 10 ? 0 : 100 - 10 * tenths_left);
        return OK;
    }
    l = read_test_log(p, data);
    if (l)
        take_test(p, l, data, s);
    return OK;
}

static int tests_offered(const struct ahci_port *p)
{
    return p->features.smart_on && p->features.self_test ? OK : E_UNSUPPORTED;
}

static int test_look(struct disk *d, struct self_test_state *s)
{
    struct ahci_port *p = ahci_port_of(d);
    int rc = tests_offered(p);

    *s = (struct self_test_state){ .result = SELF_TEST_NEVER };
    if (rc || (rc = wake_port(p)))
        return rc;
    return rest_port(p, look(p, p->test_kind, s));
}

static int start(struct ahci_port *p, enum self_test_kind kind, struct self_test_state *s)
{
    int rc = look(p, kind, s);

    if (rc)
        return rc;
    if (s->result == SELF_TEST_RUNNING)
        return NOTE(E_REFUSED, "end of a self-test that runs already", s->percent_done, 100);
    rc = ask(p, "SMART EXECUTE OFF-LINE: self-test", SMART_EXECUTE,
             kind == SELF_TEST_SHORT ? TEST_SHORT : TEST_EXTENDED, NULL);
    if (rc) {
        str_copy(s->words, sizeof s->words, "the drive refuses to start a self-test");
        return rc;
    }
    *s = (struct self_test_state){ .result = SELF_TEST_NEVER };
    return look(p, kind, s);
}

static int test_start(struct disk *d, enum self_test_kind kind, struct self_test_state *s)
{
    struct ahci_port *p = ahci_port_of(d);
    int rc = tests_offered(p);

    *s = (struct self_test_state){ .result = SELF_TEST_NEVER };
    if (rc || (rc = wake_port(p)))
        return rc;
    p->test_kind = (uint8_t)kind;
    return rest_port(p, start(p, kind, s));
}

static int test_abort(struct disk *d)
{
    struct ahci_port *p = ahci_port_of(d);
    int rc = tests_offered(p);

    if (rc || (rc = wake_port(p)))
        return rc;
    return rest_port(p, ask(p, "SMART EXECUTE OFF-LINE: abort", SMART_EXECUTE, TEST_ABORT, NULL));
}

const struct self_test_ops ahci_self_test_ops = { .start = test_start,
                                                  .look = test_look,
                                                  .abort = test_abort };
