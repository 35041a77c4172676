#include <string.h>
#include "ahci_parts.h"

/* SMART pages, logs and self-tests of the drive (fact sheet B7; layouts as smartmontools' atacmds.h reads
 * them). */

enum { TEST_ABORTED = 0x10, TEST_INTERRUPTED = 0x20, TEST_RUNNING = 0xf0 };

static void put(uint8_t *at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

/* ---- self-tests ---- */
static uint64_t duration_ns(const struct model_ahci_port *p)
{
    return p->drive.self_test_ns * (p->test_kind == 2 ? 10 : 1);
}

static void end_test(struct model_ahci_port *p, uint8_t status)
{
    unsigned at = p->test_count++ % MODEL_AHCI_TESTS;

    p->test[at].kind = (uint8_t)p->test_kind;
    p->test[at].status = status;
    p->test[at].lba = status >> 4 == 7 ? p->drive.self_test_lba : 0xffffffffffffull;
    p->test_kind = 0;
}

void model_ahci_test_interrupted(struct model_ahci_port *p)
{
    if (p->test_kind)
        end_test(p, TEST_INTERRUPTED);
}

/* Byte 363 of READ DATA. */
static uint8_t test_status(struct model_ahci *m, struct model_ahci_port *p)
{
    uint64_t spent_ns;

    if (!p->test_kind)
        return p->test_count ? p->test[(p->test_count - 1) % MODEL_AHCI_TESTS].status : 0;
    spent_ns = model_ahci_now_ns(m) - p->test_began_ns;
    if (spent_ns >= duration_ns(p)) {
        end_test(p, (uint8_t)(p->drive.self_test_code << 4));
        return test_status(m, p);
    }
    return (uint8_t)(TEST_RUNNING | (9 - spent_ns * 9 / duration_ns(p)));
}

bool model_ahci_self_test(struct model_ahci *m, struct model_ahci_port *p, uint8_t what)
{
    test_status(m, p);
    switch (what) {
    case 0x01:
    case 0x02:
        model_ahci_test_interrupted(p);
        p->test_kind = what;
        p->test_began_ns = model_ahci_now_ns(m);
        return true;
    case 0x7f:
        if (p->test_kind)
            end_test(p, TEST_ABORTED);
        return true;
    }
    p->seen.refused_writes++;
    model_ahci_violation(m, "a SMART self-test that blocks the drive or keeps settings", what, 1);
    return false;
}

/* Entries of `bytes` each from `at`; what lies between test and LBA is the same in both logs. */
static void put_tests(const struct model_ahci_port *p, uint8_t *at, unsigned bytes, unsigned entries,
                      unsigned lba_bytes)
{
    for (unsigned i = 0; i < entries && i < p->test_count; i++, at += bytes) {
        at[0] = p->test[i].kind;
        at[1] = p->test[i].status;
        put(at + 5, p->test[i].lba, lba_bytes);
    }
}

static unsigned newest(const struct model_ahci_port *p, unsigned entries)
{
    return p->test_count ? (p->test_count - 1) % entries + 1 : 0;
}

void model_ahci_test_log_ext(const struct model_ahci_port *p, uint8_t block[512])
{
    block[0] = 1;
    put(block + 2, newest(p, 19), 2);
    put_tests(p, block + 4, 26, 19, 6);
    model_ahci_seal(block);
}

bool model_ahci_smart_log(const struct model_ahci_port *p, uint8_t log, uint8_t block[512])
{
    switch (log) {
    case 0x00:
        return true;
    case 0x01:
        put(block + 452, p->drive.smart_errors, 2);
        return true;
    case 0x06:
        block[0] = 1;
        block[508] = (uint8_t)newest(p, 21);
        put_tests(p, block + 2, 24, 21, 4);
        return true;
    }
    return false;
}

/* ---- attributes ---- */
void model_ahci_smart_data(struct model_ahci *m, struct model_ahci_port *p, uint8_t block[512])
{
    block[0] = 16;
    for (unsigned i = 0; i < MODEL_AHCI_ATTRIBUTES; i++) {
        const struct model_ahci_attribute *a = &p->drive.attribute[i];
        uint8_t *at = block + 2 + 12 * i;

        at[0] = a->id;
        at[1] = a->flags;
        at[3] = at[4] = a->current;
        put(at + 5, a->raw, 6);
    }
    block[363] = test_status(m, p);
    block[372] = 1;
    block[373] = 10;
}

void model_ahci_smart_thresholds(const struct model_ahci_port *p, uint8_t block[512])
{
    block[0] = 16;
    for (unsigned i = 0; i < MODEL_AHCI_ATTRIBUTES; i++) {
        block[2 + 12 * i] = p->drive.attribute[i].id;
        block[3 + 12 * i] = p->drive.attribute[i].threshold;
    }
}

/* ---- device statistics ---- */
static void put_statistic(uint8_t *at, uint64_t v)
{
    put(at, v, 7);
    at[7] = 0xc0;
}

bool model_ahci_statistics(const struct model_ahci_port *p, uint8_t page, uint8_t block[512])
{
    block[0] = 1;
    block[2] = page;
    switch (page) {
    case 0:
        block[8] = 3;
        block[10] = 1;
        block[11] = 7;
        return true;
    case 1:
        put_statistic(block + 24, p->drive.written_blocks);
        put_statistic(block + 40, p->drive.read_blocks);
        return true;
    case 7:
        put_statistic(block + 8, p->drive.used_percent);
        return true;
    }
    return false;
}
