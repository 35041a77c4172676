#include <string.h>
#include "model_nvme_parts.h"

/* Features, logs and self-tests: what the drive keeps beside its blocks. */

/* ---- self-tests ---- */
static void end_self_test(struct model_nvme *m, uint8_t result)
{
    uint8_t *e = m->self_test.log[0];

    memmove(m->self_test.log[1], m->self_test.log[0], 19 * 28);
    memset(e, 0, 28);
    e[0] = (uint8_t)(m->self_test.running << 4 | result);
    e[1] = result == 7 ? 3 : 0;
    mn_put(e, 4, 8, m->set.power_on_hours);
    if (m->set.self_test_lba) {
        e[2] = 2;
        mn_put(e, 16, 8, m->set.self_test_lba);
    }
    m->self_test.running = 0;
    m->self_test.count += m->self_test.count < 20;
}

static void self_test_goes_on(struct model_nvme *m)
{
    if (m->self_test.running && mn_now(m) - m->self_test.began_ns >= m->set.self_test_ns)
        end_self_test(m, m->set.self_test_result);
}

uint16_t mn_self_test(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint32_t kind = c->sqe[10];

    if (!(m->set.oacs & 0x10))
        return mn_refuse(m, "self-test on a drive without one", kind, 0, S_INVALID_OPCODE);
    if (c->sqe[1] != 0xffffffffu)
        return mn_refuse(m, "self-test of one namespace", c->sqe[1], 0xffffffffu, S_INVALID_NS);
    self_test_goes_on(m);
    if (kind == 0xf) {
        if (m->self_test.running)
            end_self_test(m, 1);
        return 0;
    }
    if (kind != 1 && kind != 2)
        return S_INVALID_FIELD;
    if (m->self_test.running)
        return S_TEST_RUNNING;
    m->self_test.running = (uint8_t)kind;
    m->self_test.began_ns = mn_now(m);
    return 0;
}

/* ---- features ---- */
static bool any_io_queue(const struct model_nvme *m)
{
    for (unsigned i = 1; i < MODEL_NVME_MAX_QUEUES; i++)
        if (m->sq[i].exists || m->cq[i].exists)
            return true;
    return false;
}

static uint16_t number_of_queues(struct model_nvme *m, struct model_nvme_command *c)
{
    uint32_t sqs = (c->sqe[11] & 0xffff) + 1, cqs = (c->sqe[11] >> 16) + 1;

    if (any_io_queue(m))
        return mn_refuse(m, "number of queues set while I/O queues exist", c->sqe[11], 0, S_SEQUENCE);
    if (sqs > 0xffff || cqs > 0xffff)
        return mn_refuse(m, "number of queues: FFFFh is reserved", c->sqe[11], 0, S_INVALID_FIELD);
    sqs = m->set.sq_granted ? m->set.sq_granted : sqs;
    cqs = m->set.cq_granted ? m->set.cq_granted : cqs;
    m->sq_limit =
        (uint16_t)(sqs < MODEL_NVME_MAX_QUEUES || m->set.sq_granted ? sqs : MODEL_NVME_MAX_QUEUES - 1);
    m->cq_limit =
        (uint16_t)(cqs < MODEL_NVME_MAX_QUEUES || m->set.cq_granted ? cqs : MODEL_NVME_MAX_QUEUES - 1);
    m->queues_numbered = true;
    c->dw0 = (m->sq_limit - 1u) | (m->cq_limit - 1u) << 16;
    m->feature[7] = c->dw0;
    return 0;
}

static bool take_bytes(struct model_nvme *m, void *ctx, uint64_t bus, uint64_t at, uint32_t bytes)
{
    return m->host.dma_read(m->host.ctx, bus, (uint8_t *)ctx + at, bytes);
}

static uint16_t set_apst(struct model_nvme *m, const struct model_nvme_command *c)
{
    if (!(m->set.apsta & 1))
        return mn_refuse(m, "idle power states on a drive without them", c->sqe[11], 0, S_INVALID_FIELD);
    m->feature[0x0c] = c->sqe[11] & 1;
    return mn_walk_prps(m, c, sizeof m->apst_table, take_bytes, m->apst_table);
}

/* The list as the drive reads it: whole pages, nothing below its smallest chunk, no more entries than it
 * takes. */
static uint16_t take_chunks(struct model_nvme *m, uint64_t list, uint32_t count, uint32_t want_pages)
{
    uint64_t pages = 0, least = (uint64_t)m->set.hmminds * 4096;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t e[16];
        uint64_t bus;
        uint32_t chunk_pages;

        if (!m->host.dma_read(m->host.ctx, list + 16ull * i, e, 16))
            return S_TRANSFER_ERROR;
        memcpy(&bus, e, 8);
        memcpy(&chunk_pages, e + 8, 4);
        if (!bus || bus & (mn_page(m) - 1) || !chunk_pages)
            return mn_refuse(m, "host memory buffer: a chunk that is no whole pages", bus, 0,
                             S_INVALID_FIELD);
        if ((uint64_t)chunk_pages * mn_page(m) < least)
            return mn_refuse(m, "host memory buffer: a chunk below HMMINDS", chunk_pages, least,
                             S_INVALID_FIELD);
        m->hmb.bus = i ? m->hmb.bus : bus;
        pages += chunk_pages;
    }
    if (pages != want_pages || pages * mn_page(m) < (uint64_t)m->set.hmmin * 4096 ||
        pages * mn_page(m) > (uint64_t)m->set.hmpre * 4096)
        return mn_refuse(m, "host memory buffer: its size", pages, want_pages, S_INVALID_FIELD);
    return 0;
}

static uint16_t set_hmb(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint64_t list = c->sqe[13] | (uint64_t)c->sqe[14] << 32;
    uint32_t how = c->sqe[11], count = c->sqe[15];
    bool same = list == m->hmb.list && count == m->hmb.count && c->sqe[12] == m->hmb.pages;
    uint16_t status;

    if (!m->set.hmpre)
        return mn_refuse(m, "host memory buffer for a drive that wants none", how, 0, S_INVALID_FIELD);
    if (!(how & 1)) {
        m->seen.hmb_returns += m->hmb_on;
        m->hmb_on = false;
        return 0;
    }
    if (m->hmb_on)
        return mn_refuse(m, "host memory buffer enabled twice", how, 0, S_SEQUENCE);
    if (how & 2 && !same)
        return mn_refuse(m, "host memory buffer: not the memory from before", list, m->hmb.list,
                         S_INVALID_FIELD);
    if (list & 15 || !count || (m->set.hmmaxd && count > m->set.hmmaxd))
        return mn_refuse(m, "host memory buffer: list", count, m->set.hmmaxd, S_INVALID_FIELD);
    if ((status = take_chunks(m, list, count, c->sqe[12])))
        return status;
    m->hmb.list = list;
    m->hmb.count = count;
    m->hmb.pages = c->sqe[12];
    m->hmb_on = true;
    m->seen.hmb_grants++;
    return 0;
}

void mn_use_hmb(struct model_nvme *m)
{
    static const uint8_t map[64] = { 0xa5 };

    if (m->hmb_on && !m->host.dma_write(m->host.ctx, m->hmb.bus, map, sizeof map))
        mn_violation(m, "host memory buffer was taken away while the drive used it", m->hmb.bus, 0);
}

void mn_state_reset(struct model_nvme *m)
{
    m->hmb_on = false;
    if (m->set.reset_loses_cache)
        medium_power_cut(&m->medium);
    memset(m->feature, 0, sizeof m->feature);
    m->feature[2] = m->set.power_state;
    m->feature[6] = m->set.write_cache_on;
    m->feature[0x0c] = m->set.apst_on;
    for (unsigned i = 0; i < sizeof m->apst_table; i++)
        m->apst_table[i] = (uint8_t)(0x40 + i);
    if (m->self_test.running == 1)
        end_self_test(m, 2);
}

uint16_t mn_set_features(struct model_nvme *m, struct model_nvme_command *c)
{
    uint8_t fid = c->sqe[10] & 0xff;

    if (c->sqe[10] & 0x80000000u) {
        m->seen.media_changes++;
        return mn_refuse(m, "a feature was to be saved for good", c->sqe[10], fid, S_NOT_SAVEABLE);
    }
    if (fid == 7)
        return number_of_queues(m, c);
    m->seen.features_set++;
    switch (fid) {
    case 0x02:
        if ((c->sqe[11] & 0x1f) > m->set.npss)
            return mn_refuse(m, "power state beyond NPSS", c->sqe[11], m->set.npss, S_INVALID_FIELD);
        m->feature[fid] = c->sqe[11];
        return 0;
    case 0x06:
        if (!(m->set.vwc & 1) || c->sqe[11] & ~1u)
            return mn_refuse(m, "write cache that is not there, or more bits than WCE", c->sqe[11], 1,
                             S_INVALID_FIELD);
        m->feature[fid] = m->set.cache_lies ? m->feature[fid] : c->sqe[11];
        return 0;
    case 0x04:
    case 0x0b:
        m->feature[fid] = c->sqe[11];
        return 0;
    case 0x0c:
        return set_apst(m, c);
    case 0x0d:
        return set_hmb(m, c);
    default:
        return S_INVALID_FIELD;
    }
}

uint16_t mn_get_features(struct model_nvme *m, struct model_nvme_command *c)
{
    uint8_t fid = c->sqe[10] & 0xff;

    if (fid == 0 || fid > 0x0d || (fid == 0x0c && !(m->set.apsta & 1)) || (fid == 0x06 && !(m->set.vwc & 1)))
        return S_INVALID_FIELD;
    c->dw0 = m->feature[fid];
    return fid == 0x0c ? mn_send(m, c, m->apst_table, sizeof m->apst_table) : 0;
}

/* ---- logs ---- */
static void put_smart(const struct model_nvme *m, uint8_t *page)
{
    const struct model_nvme_settings *s = &m->set;

    page[0] = s->critical_warning;
    mn_put(page, 1, 2, s->temperature_k);
    page[3] = s->spare;
    page[4] = s->spare_threshold;
    page[5] = s->used;
    mn_put(page, 32, 8, (m->seen.bytes_read / 512 + 999) / 1000);
    mn_put(page, 48, 8, (m->data_units_written + 999) / 1000);
    mn_put(page, 64, 8, m->commands_read);
    mn_put(page, 80, 8, m->commands_written);
    mn_put(page, 112, 8, m->power_cycles);
    mn_put(page, 128, 8, s->power_on_hours);
    mn_put(page, 144, 8, m->unsafe_shutdowns);
    mn_put(page, 160, 8, s->media_errors);
    mn_put(page, 176, 8, m->error_entries);
    mn_put(page, 192, 4, s->warning_minutes);
    mn_put(page, 196, 4, s->critical_minutes);
    mn_put(page, 200, 2, s->temperature_k);
    mn_put(page, 216, 4, s->light_throttles);
    mn_put(page, 220, 4, s->heavy_throttles);
}

/* The newest first. */
static void put_errors(const struct model_nvme *m, uint8_t *page)
{
    for (unsigned i = 0; i < 8 && i < m->error_entries; i++) {
        unsigned k = (m->error_entries - 1 - i) % 8;
        uint8_t *e = page + 64 * i;

        mn_put(e, 0, 8, m->error_log[k].count);
        mn_put(e, 8, 2, m->error_log[k].sqid);
        mn_put(e, 10, 2, m->error_log[k].cid);
        mn_put(e, 12, 2, (uint32_t)m->error_log[k].status << 1);
        mn_put(e, 16, 8, m->error_log[k].lba);
        mn_put(e, 24, 4, m->error_log[k].nsid);
    }
}

static void put_self_tests(struct model_nvme *m, uint8_t *page)
{
    self_test_goes_on(m);
    page[0] = m->self_test.running;
    if (m->self_test.running)
        page[1] = (uint8_t)((mn_now(m) - m->self_test.began_ns) * 100 / m->set.self_test_ns);
    for (unsigned i = 0; i < 20; i++)
        if (i < m->self_test.count)
            memcpy(page + 4 + 28 * i, m->self_test.log[i], 28);
        else
            page[4 + 28 * i] = 0xf;
}

uint16_t mn_get_log(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint8_t lid = c->sqe[10] & 0xff, *page = m->scratch;
    uint64_t bytes = 4ull * (((c->sqe[10] >> 16) | (uint64_t)(c->sqe[11] & 0xffff) << 16) + 1);
    uint64_t offset = c->sqe[12] | (uint64_t)c->sqe[13] << 32;
    uint32_t nsid = c->sqe[1], size = 512;

    memset(page, 0, sizeof m->scratch);
    switch (lid) {
    case 1:
        put_errors(m, page);
        break;
    case 2:
        put_smart(m, page);
        break;
    case 3:
        page[0] = 1;
        mn_put_text(page, 8, 8, m->set.firmware);
        break;
    case 6:
        if (!(m->set.oacs & 0x10))
            return S_INVALID_LOG;
        size = 564;
        put_self_tests(m, page);
        break;
    default:
        return S_INVALID_LOG;
    }
    if (nsid && nsid != 0xffffffffu)
        return S_INVALID_FIELD;
    if (lid != 3 && !(c->sqe[10] & 0x8000))
        mn_violation(m, "a log was read without RAE: that clears events", c->sqe[10], c->sqe[10] | 0x8000);
    if (offset & 3 || offset >= size)
        return S_INVALID_FIELD;
    if (bytes > sizeof m->scratch - offset)
        return mn_refuse(m, "Get Log Page: longer than the log", bytes, size, S_INVALID_FIELD);
    return mn_send(m, c, page + offset, (uint32_t)bytes);
}
