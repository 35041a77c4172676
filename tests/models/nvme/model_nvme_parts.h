#ifndef TESTS_MODEL_NVME_PARTS_H
#define TESTS_MODEL_NVME_PARTS_H
#include "model_nvme.h"

/* What the files of the model share.  model_nvme.c: registers and life.  model_nvme_queue.c: doorbells,
 * fetching, completions.  model_nvme_admin.c, model_nvme_io.c: what commands do.  Offsets and codes follow
 * the fact sheet's tables A1 (registers), A3/A4 (Identify), A5 (entries), A7 (status). */

enum { CC_EN = 1, CSTS_RDY = 1, CSTS_CFS = 2, CSTS_SHST = 0xc, CSTS_SHST_BUSY = 4, CSTS_SHST_DONE = 8 };

#define STATUS(sct, sc)   ((uint16_t)((sct) << 8 | (sc)))
#define STATUS_DNR        ((uint16_t)0x4000)
#define S_INVALID_OPCODE  (STATUS(0, 0x01) | STATUS_DNR)
#define S_INVALID_FIELD   (STATUS(0, 0x02) | STATUS_DNR)
#define S_CID_CONFLICT    (STATUS(0, 0x03) | STATUS_DNR)
#define S_TRANSFER_ERROR  STATUS(0, 0x04)
#define S_ABORTED         STATUS(0, 0x07)
#define S_SQ_DELETED      STATUS(0, 0x08)
#define S_INVALID_NS      (STATUS(0, 0x0b) | STATUS_DNR)
#define S_SEQUENCE        (STATUS(0, 0x0c) | STATUS_DNR)
#define S_PRP_OFFSET      (STATUS(0, 0x13) | STATUS_DNR)
#define S_LBA_RANGE       (STATUS(0, 0x80) | STATUS_DNR)
#define S_INVALID_CQ      (STATUS(1, 0x00) | STATUS_DNR)
#define S_INVALID_QID     (STATUS(1, 0x01) | STATUS_DNR)
#define S_INVALID_SIZE    (STATUS(1, 0x02) | STATUS_DNR)
#define S_ABORT_LIMIT     (STATUS(1, 0x03) | STATUS_DNR)
#define S_AER_LIMIT       (STATUS(1, 0x05) | STATUS_DNR)
#define S_INVALID_LOG     (STATUS(1, 0x09) | STATUS_DNR)
#define S_DELETE_ORDER    (STATUS(1, 0x0c) | STATUS_DNR)
#define S_NOT_SAVEABLE    (STATUS(1, 0x0d) | STATUS_DNR)
#define S_TEST_RUNNING    (STATUS(1, 0x1d) | STATUS_DNR)
#define S_WRITE_PROTECTED (STATUS(0, 0x20) | STATUS_DNR)
#define S_WRITE_FAULT     STATUS(2, 0x80)
#define S_READ_ERROR      STATUS(2, 0x81)

static inline uint64_t mn_now(struct model_nvme *m) { return m->host.now_ns(m->host.ctx); }
static inline uint64_t mn_later(uint64_t now_ns, uint64_t by_ns)
{
    return by_ns > UINT64_MAX - now_ns ? MODEL_NVME_NEVER : now_ns + by_ns;
}
static inline uint32_t mn_page(const struct model_nvme *m) { return 4096u << (m->cc >> 7 & 15); }
void mn_violation(struct model_nvme *m, const char *what, uint64_t got, uint64_t want);

/* queue */
void mn_queues_reset(struct model_nvme *m);
void mn_doorbell(struct model_nvme *m, uint32_t off, uint64_t v);
void mn_bench_doorbell(struct model_nvme *m, uint32_t off, uint32_t v);
/* Fetches what waits, completes what is due. */
void mn_advance_queues(struct model_nvme *m);
/* Everything in flight ends without a completion; reads that were under way still land in memory. */
void mn_drop_commands(struct model_nvme *m);
/* A completion queue's memory must be zero, or stale phase bits would read as completions. */
void mn_check_zeroed(struct model_nvme *m, uint64_t base, uint32_t bytes);
struct model_nvme_command *mn_find_command(struct model_nvme *m, uint16_t sqid, uint16_t cid);
void mn_finish(struct model_nvme *m, struct model_nvme_command *c, uint16_t status);

/* commands: the status word of their completion */
enum { MN_PARKED = 0xffff }; /* no completion yet: an asynchronous event request */
uint16_t mn_admin(struct model_nvme *m, struct model_nvme_command *c);
uint16_t mn_io(struct model_nvme *m, struct model_nvme_command *c);
void mn_content(void *ctx, uint32_t nsid, uint64_t lba, void *buf, uint32_t bytes);
/* Features, logs and self-tests: model_nvme_state.c */
void mn_state_reset(struct model_nvme *m); /* a controller reset */
uint16_t mn_set_features(struct model_nvme *m, struct model_nvme_command *c);
uint16_t mn_get_features(struct model_nvme *m, struct model_nvme_command *c);
uint16_t mn_get_log(struct model_nvme *m, const struct model_nvme_command *c);
uint16_t mn_self_test(struct model_nvme *m, const struct model_nvme_command *c);
void mn_use_hmb(struct model_nvme *m); /* what the device does with borrowed memory while it works */
void mn_put(uint8_t *page, unsigned off, unsigned bytes, uint64_t v);
void mn_put_text(uint8_t *page, unsigned off, unsigned bytes, const char *s);
uint16_t mn_refuse(struct model_nvme *m, const char *why, uint64_t got, uint64_t want, uint16_t status);
const struct model_nvme_ns *mn_find_ns(const struct model_nvme *m, uint32_t nsid);
uint32_t mn_highest_nsid(const struct model_nvme *m);
/* Walks a command's PRPs over `bytes` of transfer. */
typedef bool mn_segment_fn(struct model_nvme *m, void *ctx, uint64_t bus, uint64_t at, uint32_t bytes);
uint16_t mn_walk_prps(struct model_nvme *m, const struct model_nvme_command *c, uint64_t bytes,
                      mn_segment_fn *segment, void *ctx);
uint16_t mn_send(struct model_nvme *m, const struct model_nvme_command *c, const void *data, uint32_t bytes);

#endif
