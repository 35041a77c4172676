#ifndef NVME_INTERNAL_H
#define NVME_INTERNAL_H
#include "gate.h"
#include "lane.h"
#include "nvme.h"
#include "nvme_regs.h"
#include "nvme_spec.h"

/* Our own numbers, each with its reason. */
enum {
    NVME_ADMIN_ENTRIES = 64,     /* one page of SQEs; some virtual controllers want a large admin queue */
    NVME_MAX_PAIRS = 8,          /* one processor drives them all: more pairs only share its time */
    NVME_MAX_ENTRIES = 1024,     /* 64 KiB of SQEs; no drive gains from a deeper queue */
    NVME_MAX_PAGE_SHIFT = 16,    /* alignment of everything: larger smallest pages are not believed */
    NVME_ADMIN_LIMIT_MS = 30000, /* Identify right after power-up may wait for the medium */
    NVME_DELETE_LIMIT_MS = 2000, /* a courtesy before shutdown, which ends the queues anyway */
    NVME_CACHE_LIMIT_MS = 60000, /* a drive that is to stop caching writes all that it holds first */
    NVME_LADDER_LIMIT_MS = 5000, /* an admin command while recovering */
    NVME_ABORT_LIMIT_MS = 1000,  /* Abort and the end of the aborted command together */
    NVME_MAX_RESETS = 1,         /* a second one in a run only hides a broken drive */
    NVME_SHUTDOWN_MIN_MS = 5000, /* RTD3E is 0 on many drives, and absurd on some (fact A9) */
    NVME_SHUTDOWN_MAX_MS = 60000,
    NVME_HMB_CHUNKS = 64,            /* enough for the most in halves of the usual chunk */
    NVME_SHORT_TEST_S = 120,         /* what the specification allows a short self-test */
    NVME_MAX_RETRIES = 3,            /* of one request; more would hide what is wrong */
    NVME_MAX_WAITING = 16,           /* commands of one lane that wait to be sent again */
    NVME_MAX_RETRY_DELAY_MS = 10000, /* longer, and the failure is the better answer */
    NVME_WALK_NSIDS = 1024           /* without an active list: as many ids as one list page would name */
};
/* One list page of 4 KiB holds 512 entries, enough for one command of this size: no list is ever chained. */
#define NVME_MAX_COMMAND_BYTES ((uint32_t)(2 * MIB))
#define NVME_READ_DEADLINE_NS  (30 * NS_PER_S)
/* What Linux lends at most, so that numbers are those of a drive in use; the chunk is half of what firmware
 * that is short of contiguous memory still finds. */
#define NVME_HMB_MAX_BYTES   (128 * MIB)
#define NVME_HMB_CHUNK_BYTES (4 * MIB)

struct nvme_ctrl;
struct nvme_lane;
struct nvme_pair;

/* ---- quirks ---- */
enum nvme_quirk {
    QUIRK_WAIT_BEFORE_READY = 1 << 0, /* CSTS answers nonsense for 2.3 s after a disable */
    QUIRK_MQES_ZERO = 1 << 1,         /* MQES reads 0 and means 64 entries */
    QUIRK_DEPTH_1 = 1 << 2,
    QUIRK_DMA_48 = 1 << 3,
    QUIRK_NO_DESCRIPTORS = 1 << 4, /* CNS 03h is not understood */
    QUIRK_NO_LISTS = 1 << 5,       /* CNS above 1 is not understood */
    QUIRK_NO_SHST = 1 << 6,        /* shutdown never reports its end */
    QUIRK_STRIPE = 1 << 7          /* splits at a boundary that a byte of the maker's own tells */
};
/* Flags for the device; *refusal is set when it must not be driven at all.  [any] */
unsigned nvme_quirks(const struct pci_fn *fn, const char **refusal);

/* ---- a command id ---- */
struct nvme_tag {
    struct nvme_lane *lane; /* whose command it is; NULL: not in flight */
    uint64_t lba;
    uint16_t slot;
    /* Belongs to this slot of the lane for as long as that is open, for requests that are one command: then
     * lane and slot stay, and the slot says what is in flight. */
    bool bound;
    uint16_t part;
    uint32_t blocks;
    uint32_t reserved;
};
_Static_assert(sizeof(struct nvme_tag) == 32, "two tags per cache line");

/* ---- an I/O queue pair; several lanes may share one ---- */
/* Tags below `window_low` are a pool for all; above, each lane that found room has a window of them, one per
 * slot, so that the tag of a completion is the number of a slot. */
struct nvme_pair {
    /* the path of each I/O: places in the rings, not numbers, because nobody has to compute them then */
    struct nvme_sqe *sq_next; /* the entry that the next command goes into */
    const struct nvme_cqe *cq_next;
    uint32_t phase_bit; /* as a new completion carries it in dw3: 0 or CQE_PHASE */
    uint32_t sqid_base; /* qid << 16, as a completion carries it */
    uint32_t entries;
    uint32_t tag_count; /* entries - 1: the queue never fills, so its tail never laps the head */
    struct nvme_sqe *sq_end;
    const struct nvme_cqe *cq_end;
    struct nvme_sqe *sq_rung; /* where sq_next and cq_next were when the device was told last */
    const struct nvme_cqe *cq_rung;
    uint32_t sq_bell, cq_bell;
    struct mmio regs; /* the controller's */
    struct nvme_ctrl *ctrl;
    struct nvme_sqe *sqe;
    struct nvme_cqe *cqe;
    struct nvme_tag *tags; /* tag_count of them */
    uint16_t *free_tags;   /* stack of those of the pool */
    uint32_t free_count, window_low;
    bool broken; /* broke the protocol or belongs to a dead controller: not looked at any more */
    uint16_t qid;
    bool created; /* the device knows both queues */
    unsigned lane_count;
    struct dma_buf mem; /* SQ, then CQ at the next page */
};

/* ---- a lane ---- */
/* Where a full command of a slot's first part puts its data. */
struct nvme_prps {
    uint64_t prp1, prp2;
};
/* What is the same in all full commands of a slot. */
struct nvme_full {
    uint64_t head; /* the first 8 bytes but for the opcode, of a slot with a tag of its own */
    struct nvme_prps data;
    uint64_t reserved;
};
_Static_assert(sizeof(struct nvme_full) == sizeof(struct lane_slot), "one offset finds both of a slot");
/* A command that is to be sent again. */
struct nvme_retry {
    uint64_t due_ns;
    uint16_t tag;
};
struct nvme_lane {
    struct io_lane base;
    struct nvme_pair *pair;
    uint32_t window, tag_base; /* tags of its own from tag_base on: one per slot, or none */
    struct lane_slots slots;
    struct nvme_full *full;               /* one per slot */
    uint64_t full_prp2_step;              /* from one full part of a request to the next */
    uint64_t full_first_lbas;             /* the gate's answer for a full read */
    uint64_t sqe_head;                    /* the first 8 bytes of each command but for its id and opcode */
    uint64_t full_first_writes, ref_mask; /* the gate's for a full write; LBA bits of the reference tag */
    uint64_t sqe_control;                 /* CDW12 of a command of one block */
    uint64_t full_control;                /* and of a full one */
    struct gate_pass pass;
    uint64_t data_bus, list_bus;
    uint64_t slot_bytes; /* from one slot's buffer to the next: 0 when all share one */
    uint32_t nsid, lba_shift, page_bytes;
    uint32_t max_blocks;      /* of a request: what the buffer holds */
    uint32_t list_bytes;      /* room of one PRP list */
    uint32_t slot_list_bytes; /* of all lists of one slot: 0 when all share them */
    struct nvme_retry retry[NVME_MAX_WAITING];
    bool flush_is_nothing;     /* no volatile write cache: answered here */
    bool told_misuse, retired; /* retired: closed, but the device may still write into its memory */
    struct dma_buf lists;
    struct nvme_lane *next;
};

/* ---- a namespace ---- */
struct nvme_disk {
    struct disk base;
    uint32_t nsid, lba_shift;
    uint64_t control; /* CDW12 of its reads and writes but for the number of blocks */
    bool ref_tags;    /* writes name the reference tag of their first block */
};

/* ---- the admin queue: one command at a time ---- */
struct nvme_admin_queue {
    struct nvme_sqe *sqe;
    struct nvme_cqe *cqe;
    uint16_t tail, head, next_cid;
    uint32_t phase;
    bool stuck;         /* a command was not answered: unusable until the controller is reset */
    struct dma_buf mem; /* SQ, then CQ at the next page */
};
struct nvme_answer {
    uint32_t dw0;
    uint16_t status; /* 15 bits; 0: success */
};

/* ---- what moves numbers ---- */
struct nvme_settings {
    bool has_write_cache, has_apst, has_self_test;
    struct cache_switch write_cache; /* the controller's: all its disks have a copy */
    bool power_state_known, power_state_changed;
    bool apst_known, apst_was_on, apst_changed;
    uint8_t power_state; /* as found */
    uint8_t firmware_slots, firmware_slot, firmware_next;
    uint16_t warning_k, critical_k; /* the drive's limits in Kelvin; 0: not told */
    uint16_t extended_test_minutes;
    unsigned error_entries; /* of the error log that are read */
    uint8_t apst_table[NVME_APST_BYTES];
};
/* Host memory buffer. */
struct nvme_hmb {
    uint64_t wanted_bytes, least_bytes; /* what the drive prefers, and what it can use */
    uint32_t least_chunk;               /* units of 4 KiB; 0: any */
    uint16_t most_chunks;               /* 0: any number */
    bool enabled;
    unsigned count;
    uint64_t bytes;
    struct dma_buf list, chunk[NVME_HMB_CHUNKS];
};

/* ---- a controller ---- */
struct nvme_ctrl {
    struct controller base;
    struct mmio regs;
    uint64_t cap;
    uint32_t vs, page_bytes, bell_stride_bytes;
    uint32_t ready_ms, shutdown_ms;
    uint32_t entries; /* of an I/O queue */
    uint32_t max_command_bytes;
    uint32_t nn; /* highest NSID there can be */
    bool has_namespaces;
    unsigned quirks;
    struct dma_limits dma;
    bool pci_enabled;
    bool ours;    /* the admin queue that the controller uses is our memory */
    bool may_dma; /* enabled by us and not seen to have stopped since */
    unsigned resets;
    struct nvme_admin_queue admin;
    struct dma_buf scratch; /* two identify pages: a list or a log, and a structure */
    struct nvme_settings settings;
    struct nvme_hmb hmb;
    uint16_t retry_delay[3]; /* CRDT, in units of 100 ms */
    bool has_ns_management;
    bool many_controllers; /* the subsystem may have others */
    uint32_t stripe_bytes; /* 0: none */
    unsigned pair_limit, pair_count;
    struct nvme_pair *pairs[NVME_MAX_PAIRS];
    struct nvme_lane *lanes;
    struct disk *disks[CONTROLLER_MAX_DISKS];
};
static inline struct nvme_ctrl *nvme_of(struct controller *c) { return (struct nvme_ctrl *)c; }

/* ---- nvme_ready.c: registers  [any] ---- */
/* One step of a wait that began at start_ns: a breath at first, a millisecond later. */
void nvme_wait_step(uint64_t start_ns);
/* From any state to CSTS.RDY=0, after which the device touches no memory of ours. */
int nvme_disable(struct nvme_ctrl *c);
/* From RDY=0 to RDY=1 with an empty admin queue. */
int nvme_enable(struct nvme_ctrl *c);
/* Normal shutdown (CC.SHN), then disabled.  Deletes our queues first.  Never fails: what it could not
 * reach shows in may_dma. */
void nvme_stop(struct nvme_ctrl *c);

/* ---- nvme_admin.c: admin commands  [any] ---- */
void nvme_admin_reset(struct nvme_ctrl *c);
/* Asks the gate, sends one command and waits for its answer.  E_REFUSED: by the gate (answer->status 0) or
 * by the device (status says why).  Anything worse is recorded in *f (may be NULL). */
int nvme_admin(struct nvme_ctrl *c, struct fault *f, const char *what, const struct nvme_sqe *command,
               uint32_t limit_ms, struct nvme_answer *answer);
/* Fills page 0 or 1 of scratch.  E_REFUSED: the device does not answer this question. */
int nvme_identify(struct nvme_ctrl *c, uint8_t cns, uint32_t nsid, unsigned scratch_page);
/* Asks for pairs, says how many were granted. */
int nvme_set_queue_count(struct nvme_ctrl *c, unsigned want, unsigned *granted, uint32_t limit_ms);
/* Empties the pair's rings and makes the device know them: completion queue first. */
int nvme_create_pair(struct nvme_ctrl *c, struct nvme_pair *p, uint32_t limit_ms);
/* Submission queue first.  Errors are only noted: shutdown follows. */
void nvme_delete_pairs(struct nvme_ctrl *c);
/* The device may have refused (OK then, too): what counts is whether the command comes back. */
int nvme_abort(struct nvme_ctrl *c, uint16_t qid, uint16_t tag);
uint32_t nvme_sq_bell(const struct nvme_ctrl *c, unsigned qid);
uint32_t nvme_cq_bell(const struct nvme_ctrl *c, unsigned qid);

/* Reads one page of a log at most into page 0 of scratch. */
int nvme_get_log(struct nvme_ctrl *c, struct fault *f, uint8_t log, uint32_t bytes, uint32_t limit_ms);

/* ---- nvme_settings.c, nvme_hmb.c ---- */
/* Records and quietens; an error is more than a refusal.  [boot] */
int nvme_settings_begin(struct nvme_ctrl *c);
/* The same after a reset, which undid it.  [any] */
void nvme_settings_again(struct nvme_ctrl *c);
/* Puts back.  [any] */
void nvme_settings_end(struct nvme_ctrl *c);
/* disk_ops.set_cache.  [boot] */
int nvme_set_cache(struct disk *d, enum disk_cache which, bool on);
void nvme_settings_words(const struct nvme_ctrl *c, struct text *out);
int nvme_hmb_grant(struct nvme_ctrl *c);        /* [boot] */
void nvme_hmb_grant_again(struct nvme_ctrl *c); /* [any] after a reset */
void nvme_hmb_take_back(struct nvme_ctrl *c);   /* [any] */
/* The drive no longer uses it.  [boot] */
void nvme_hmb_free(struct nvme_ctrl *c);

/* ---- nvme_health.c  [any] ---- */
int nvme_health(struct disk *d, struct disk_health *h);
extern const struct self_test_ops nvme_self_test_ops;

/* ---- nvme_identify.c ---- */
int nvme_find_controller(struct nvme_ctrl *c); /* [any] */
int nvme_find_namespaces(struct nvme_ctrl *c); /* [boot] allocates disks */

/* ---- nvme_io.c: the path of an I/O  [any] ---- */
unsigned nvme_submit(struct io_lane *l, const struct io_request *r, unsigned n);
void nvme_kick(struct io_lane *l);
unsigned nvme_poll(struct io_lane *l, struct io_completion *c, unsigned max);
/* The PRPs of a part of a slot's request. */
struct nvme_prps nvme_prps_of(const struct nvme_lane *l, uint16_t slot, uint32_t part, uint32_t blocks);
/* A command with this tag is with the device. */
bool nvme_tag_in_flight(const struct nvme_tag *t);
/* No command of a pair is in flight any more, its pool is full.  Windows stay. */
void nvme_pair_forget(struct nvme_pair *p);
/* The command of this tag once more: it is in flight for us, but not with the device. */
void nvme_send_again(struct nvme_lane *l, uint16_t tag);
void nvme_free_tag(struct nvme_pair *p, uint16_t tag);
/* Takes what waits in the completion queue into the lanes' done lists. */
void nvme_reap_pair(struct nvme_pair *p);

/* ---- nvme_retry.c  [any] ---- */
/* False: it failed for good. */
bool nvme_retry_later(struct nvme_lane *l, uint16_t tag, uint32_t status);
/* Sends what is due; the caller rings. */
void nvme_retry_due(struct nvme_lane *l);
/* Those of a slot are not sent again; their parts are done. */
void nvme_retry_drop(struct nvme_lane *l, uint16_t slot);

/* ---- nvme_ladder.c: what follows a deadline  [any] ---- */
void nvme_expire(struct io_lane *l, unsigned slot);
int nvme_lane_reset(struct io_lane *l, struct text *instead);
/* No lane of the pair (NULL: of the controller) takes work any more; what was in flight is lost. */
void nvme_kill_lanes(struct nvme_ctrl *c, const struct nvme_pair *p);

/* ---- nvme_lane.c  [boot] ---- */
int nvme_lane_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out);
void nvme_lane_close(struct io_lane *l);
void nvme_free_lane(struct nvme_lane *l);
void nvme_free_pairs(struct nvme_ctrl *c);

/* ---- nvme_text.c  [any] ---- */
void nvme_status_words(uint32_t detail, struct text *out);
/* Media or device error. */
enum io_status nvme_status_kind(uint32_t status);

extern const struct disk_ops nvme_disk_ops;

#endif
