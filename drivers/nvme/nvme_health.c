#include "nvme_internal.h"
#include "str.h"
#include "text.h"

/* The drive's own reports (fact sheet A10).  Events are kept (RAE): we read, we do not acknowledge. */

int nvme_get_log(struct nvme_ctrl *c, struct fault *f, uint8_t log, uint32_t bytes, uint32_t limit_ms)
{
    uint32_t dwords = bytes / 4 - 1;
    struct nvme_sqe command = { .cdw0 = NVME_GET_LOG_PAGE,
                                .nsid = NVME_ALL_NAMESPACES,
                                .prp1 = c->scratch.bus,
                                .cdw10 = log | (uint32_t)LOG_KEEP_EVENT | dwords << 16 };
    struct nvme_answer answer;

    memset(c->scratch.cpu, 0, bytes);
    return nvme_admin(c, f, "Get Log Page", &command, limit_ms, &answer);
}

/* ---- SMART ---- */
static int64_t counter(const struct nvme_u128 *v)
{
    return v->high || v->low > INT64_MAX ? INT64_MAX : (int64_t)v->low;
}

/* Units of 1000 blocks of 512 bytes. */
static int64_t megabytes(const struct nvme_u128 *v)
{
    int64_t units = counter(v);

    return units > INT64_MAX / 512 ? INT64_MAX : units * 512 / 1000;
}

/* Kelvin; 0 is "not told". */
static void set_temperature(struct disk_health *h, enum health_value v, uint32_t kelvin)
{
    if (kelvin)
        health_set(h, v, (int64_t)kelvin - 273);
}

static void take_smart(const struct nvme_ctrl *c, struct disk_health *h)
{
    const struct nvme_smart_log *s = c->scratch.cpu;
    static const enum health_warning bits[] = { HEALTH_WARN_SPARE,       HEALTH_WARN_TEMPERATURE,
                                                HEALTH_WARN_RELIABILITY, HEALTH_WARN_READ_ONLY,
                                                HEALTH_WARN_BACKUP,      HEALTH_WARN_PERSISTENT_MEMORY };

    for (unsigned i = 0; i < ARRAY_COUNT(bits); i++)
        health_warn(h, bits[i], s->critical_warning >> i & 1);
    set_temperature(h, HEALTH_TEMPERATURE_C, s->temperature_k[0] | (uint32_t)s->temperature_k[1] << 8);
    set_temperature(h, HEALTH_TEMPERATURE_WARNING_C, c->settings.warning_k);
    set_temperature(h, HEALTH_TEMPERATURE_CRITICAL_C, c->settings.critical_k);
    /* A device without spare blocks has no threshold for them either: QEMU's. */
    if (s->spare || s->spare_threshold) {
        health_set(h, HEALTH_SPARE_PERCENT, s->spare);
        health_set(h, HEALTH_SPARE_THRESHOLD_PERCENT, s->spare_threshold);
    }
    health_set(h, HEALTH_USED_PERCENT, s->used);
    health_set(h, HEALTH_POWER_ON_HOURS, counter(&s->power_on_hours));
    health_set(h, HEALTH_POWER_CYCLES, counter(&s->power_cycles));
    health_set(h, HEALTH_UNSAFE_SHUTDOWNS, counter(&s->unsafe_shutdowns));
    health_set(h, HEALTH_MEDIA_ERRORS, counter(&s->media_errors));
    health_set(h, HEALTH_ERROR_LOG_ENTRIES, counter(&s->error_entries));
    health_set(h, HEALTH_WARNING_TEMPERATURE_MINUTES, s->warning_temperature_minutes);
    health_set(h, HEALTH_CRITICAL_TEMPERATURE_MINUTES, s->critical_temperature_minutes);
    health_set(h, HEALTH_LIGHT_THROTTLES, s->light_throttles);
    health_set(h, HEALTH_HEAVY_THROTTLES, s->heavy_throttles);
    health_set(h, HEALTH_HOST_READ_MB, megabytes(&s->data_units_read));
    health_set(h, HEALTH_HOST_WRITTEN_MB, megabytes(&s->data_units_written));
}

/* The newest entry in words: entries are sorted so, but not by every drive. */
static void note_newest_error(const struct nvme_ctrl *c, struct disk_health *h)
{
    const struct nvme_error_entry *e = c->scratch.cpu, *newest = NULL;
    struct text t = text_over(h->note, sizeof h->note);

    for (unsigned i = 0; i < c->settings.error_entries; i++)
        if (e[i].count && (!newest || e[i].count > newest->count))
            newest = &e[i];
    if (!newest)
        return;
    text_fmt(&t, "newest error: ");
    nvme_status_words((uint32_t)FIELD_GET(ERROR_STATUS, newest->status), &t);
    if (newest->nsid && newest->nsid != NVME_ALL_NAMESPACES && newest->sqid)
        text_fmt(&t, " at LBA %llu", (unsigned long long)newest->lba);
}

/* ---- self-test log ---- */
static bool result_is_failure(const struct nvme_self_test_result *r)
{
    uint32_t result = (uint32_t)FIELD_GET(SELF_TEST_RESULT, r->status);

    return result >= 5 && result <= 7;
}

static void take_self_tests(const struct nvme_ctrl *c, struct disk_health *h)
{
    const struct nvme_self_test_log *log = c->scratch.cpu;
    unsigned failed = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(log->result); i++)
        failed += result_is_failure(&log->result[i]);
    health_set(h, HEALTH_SELF_TESTS_FAILED, failed);
    health_warn(h, HEALTH_WARN_SELF_TEST, result_is_failure(&log->result[0]));
}

/* Optional logs are asked for only where the drive says that it has them. */
int nvme_health(struct disk *d, struct disk_health *h)
{
    struct nvme_ctrl *c = nvme_of(d->controller);
    struct fault *f = &c->base.fault;
    int rc;

    memset(h, 0, sizeof *h);
    if (f->err)
        return f->err;
    if ((rc = nvme_get_log(c, f, LOG_SMART, sizeof(struct nvme_smart_log), NVME_ADMIN_LIMIT_MS)))
        return rc;
    take_smart(c, h);
    rc = nvme_get_log(c, f, LOG_ERRORS, c->settings.error_entries * (uint32_t)sizeof(struct nvme_error_entry),
                      NVME_ADMIN_LIMIT_MS);
    if (!rc)
        note_newest_error(c, h);
    if ((!rc || rc == E_REFUSED) && c->settings.has_self_test &&
        !(rc = nvme_get_log(c, f, LOG_SELF_TEST, sizeof(struct nvme_self_test_log), NVME_ADMIN_LIMIT_MS)))
        take_self_tests(c, h);
    if (rc && rc != E_REFUSED) {
        memset(h, 0, sizeof *h);
        return rc;
    }
    return OK;
}

/* ---- self-tests ---- */
static int self_test_command(struct nvme_ctrl *c, uint32_t code, struct nvme_answer *answer)
{
    struct nvme_sqe command = { .cdw0 = NVME_SELF_TEST, .nsid = NVME_ALL_NAMESPACES, .cdw10 = code };

    return nvme_admin(c, &c->base.fault, "Device Self-test", &command, NVME_ADMIN_LIMIT_MS, answer);
}

static int can_test(struct disk *d, struct self_test_state *s)
{
    struct nvme_ctrl *c = nvme_of(d->controller);

    *s = (struct self_test_state){ 0 };
    if (c->base.fault.err)
        return c->base.fault.err;
    if (c->settings.has_self_test)
        return OK;
    str_copy(s->words, sizeof s->words, "the drive has no self-test (OACS bit 4 is 0)");
    return E_UNSUPPORTED;
}

static int start_self_test(struct disk *d, enum self_test_kind kind, struct self_test_state *s)
{
    struct nvme_ctrl *c = nvme_of(d->controller);
    struct text t = text_over(s->words, sizeof s->words);
    struct nvme_answer answer;
    int rc = can_test(d, s);

    if (rc)
        return rc;
    rc = self_test_command(c, kind == SELF_TEST_SHORT ? STC_SHORT : STC_EXTENDED, &answer);
    if (rc == E_REFUSED) {
        text_str(&t, "refused: ");
        nvme_status_words(answer.status, &t);
    }
    if (rc)
        return rc;
    s->result = SELF_TEST_RUNNING;
    s->expected_s = kind == SELF_TEST_SHORT ? NVME_SHORT_TEST_S : c->settings.extended_test_minutes * 60u;
    return OK;
}

static void take_result(const struct nvme_self_test_result *r, struct self_test_state *s)
{
    static const char *const words[] = {
        "passed",
        "ended by a command",
        "ended by a reset of the controller",
        "ended by the removal of a namespace",
        "ended by Format NVM",
        "failed: a fatal error or an unknown test error",
        "failed: it is not known in which part",
        "failed: one part of the drive",
        "ended for an unknown reason",
        "ended by Sanitize",
    };
    uint32_t result = (uint32_t)FIELD_GET(SELF_TEST_RESULT, r->status);
    struct text t = text_over(s->words, sizeof s->words);

    if (result == SELF_TEST_UNUSED) {
        s->result = SELF_TEST_NEVER;
        return;
    }
    s->result = !result ? SELF_TEST_PASSED : result_is_failure(r) ? SELF_TEST_FAILED : SELF_TEST_ABORTED;
    text_str(&t, result < ARRAY_COUNT(words) ? words[result] : "reserved result");
    if (result == 7)
        text_fmt(&t, " (segment %u)", r->segment);
    s->has_failing_lba = result_is_failure(r) && (r->valid & SELF_TEST_HAS_LBA);
    if (s->has_failing_lba)
        memcpy(&s->failing_lba, r->failing_lba, sizeof s->failing_lba);
}

static int look_at_self_test(struct disk *d, struct self_test_state *s)
{
    struct nvme_ctrl *c = nvme_of(d->controller);
    const struct nvme_self_test_log *log = c->scratch.cpu;
    int rc = can_test(d, s);

    if (!rc)
        rc = nvme_get_log(c, &c->base.fault, LOG_SELF_TEST, sizeof *log, NVME_ADMIN_LIMIT_MS);
    if (rc)
        return rc;
    if (!(log->running & 0xf)) {
        take_result(&log->result[0], s);
        return OK;
    }
    s->result = SELF_TEST_RUNNING;
    s->percent_done = (log->percent & 0x7f) > 100 ? 100 : log->percent & 0x7f;
    s->expected_s =
        (log->running & 0xf) == STC_EXTENDED ? c->settings.extended_test_minutes * 60u : NVME_SHORT_TEST_S;
    return OK;
}

static int abort_self_test(struct disk *d)
{
    struct self_test_state ignored;
    struct nvme_answer answer;
    int rc = can_test(d, &ignored);

    return rc ? rc : self_test_command(nvme_of(d->controller), STC_ABORT, &answer);
}

const struct self_test_ops nvme_self_test_ops = { .start = start_self_test,
                                                  .look = look_at_self_test,
                                                  .abort = abort_self_test };
