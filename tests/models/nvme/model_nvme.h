#ifndef TESTS_MODEL_NVME_H
#define TESTS_MODEL_NVME_H
#include "device.h"
#include "medium.h"

/* A complete NVMe 1.4 controller at register level.
 *
 *     struct model_nvme *m = model_nvme_new();              one namespace of 1 GiB, everything well behaved
 *     m->set.mdts = 5; m->ns[0].lba_bytes = 4096;           settings: change them before power is on
 *     fn = model_add_device(&model_nvme_ops, m, &m->host);
 *     model_nvme_power_on(m);
 *     ... the driver works ...
 *     m->seen.reads; model_violations;
 *     model_nvme_free(m);
 *
 * Writes: medium_permit(&m->medium, nsid, lba, blocks) says where; any other is stored, too, as a device
 * would, and is a violation.  m->medium has the write cache and the faults (unit: NSID; arg of WRITE_ERROR
 * and FLUSH_ERROR: a status word, 0: 2/80h, write fault).  vwc bit 0 and write_cache_on make the cache
 * volatile; model_nvme_power_cycle then loses what was not flushed.  A controller reset loses nothing that
 * was answered.
 *
 * Status words are 15 bits: SC | SCT << 8 | CRD << 11 | More << 13 | DNR << 14.  Times are ns of
 * host->now_ns. What a host must not do is answered as a device would answer and counted as a violation. */

#define MODEL_NVME_NEVER UINT64_MAX
enum {
    MODEL_NVME_MAX_NS = 64,
    MODEL_NVME_MAX_QUEUES = 65,
    MODEL_NVME_MAX_COMMANDS = 4096,
    MODEL_NVME_MAX_LIES = 16,
    MODEL_NVME_MAX_BAD_LBAS = 16
};

/* What firmware left behind. */
enum model_nvme_entry {
    MODEL_NVME_ENTRY_OFF,      /* EN=0 RDY=0 */
    MODEL_NVME_ENTRY_RUNNING,  /* EN=1 RDY=1, queues somewhere in memory that is no longer ours */
    MODEL_NVME_ENTRY_STARTING, /* EN=1 RDY=0, ready after set.ready_ns */
    MODEL_NVME_ENTRY_FATAL,    /* EN=1 RDY=0 CFS=1 */
    MODEL_NVME_ENTRY_SHUT_DOWN /* EN=1 RDY=1 SHST=complete */
};

struct model_nvme_ns {
    uint32_t nsid;             /* 0: this entry is unused; any order, gaps welcome */
    uint64_t nsze, ncap, nuse; /* blocks; ncap and nuse 0: as nsze */
    uint32_t lba_bytes;        /* a power of two */
    uint8_t lbads;             /* not 0: what Identify says instead (a lie) */
    uint16_t metadata_bytes;
    bool metadata_at_end; /* of each block's data: FLBAS bit 4 */
    uint8_t dps;          /* type of protection information */
    uint8_t csi;          /* command set: 0 NVM, 2 zoned */
    uint8_t nmic;         /* bit 0: shared between controllers */
    uint16_t noiob;
    uint8_t eui64[8], nguid[16]; /* zeros: none */
    uint16_t elsewhere;          /* an inactive one: controllers that it is attached to */
    bool inactive;               /* exists, but is not attached */
};

/* A read that covers such a block fails with this status. */
struct model_nvme_bad_lba {
    uint32_t nsid;
    uint64_t lba;
    uint16_t status; /* 0: 2/81h, unrecovered read error */
    uint32_t times;  /* then it heals; 0: never */
};

/* What the device does wrong, to which commands. */
enum model_nvme_lie_kind {
    MODEL_NVME_LOSE,       /* done, but no completion is ever posted */
    MODEL_NVME_STICK,      /* stays in flight until it is aborted or the controller is reset */
    MODEL_NVME_DELAY,      /* arg: ns later than usual */
    MODEL_NVME_STATUS,     /* arg: status word; no data moves */
    MODEL_NVME_RESULT,     /* arg: DW0 of the completion */
    MODEL_NVME_BOGUS_CID,  /* arg: the command id that is posted instead */
    MODEL_NVME_DUPLICATE,  /* the completion is posted twice */
    MODEL_NVME_WRONG_SQID, /* arg: the queue id that is posted instead */
    MODEL_NVME_WRONG_SQHD, /* arg: the head that is posted instead */
    MODEL_NVME_TORN,       /* the word with the phase comes first, the rest arg ns later */
    MODEL_NVME_NO_DATA,    /* success, but nothing was written to memory */
    MODEL_NVME_WRONG_DATA, /* the data of another block: lba + arg */
    MODEL_NVME_FLOOD,      /* arg more completions of the same command: overruns the queue */
    MODEL_NVME_FATAL,      /* CSTS.CFS instead of an answer */
    MODEL_NVME_VANISH      /* the device leaves the bus instead of an answer */
};
struct model_nvme_lie {
    enum model_nvme_lie_kind kind;
    bool admin;     /* admin queue; else the I/O queues */
    int opcode;     /* -1: any */
    uint32_t skip;  /* commands that fit and are let through before */
    uint32_t times; /* commands lied about; 0: all from there on */
    uint64_t arg;
    uint32_t seen; /* the model's own */
};

struct model_nvme_settings {
    /* PCI */
    uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
    uint32_t class_code;
    uint32_t bar_bytes;                                             /* a power of two */
    uint8_t link_speed, link_width, link_speed_max, link_width_max; /* generation 1-5, lanes */
    /* registers */
    uint32_t vs;
    uint16_t mqes; /* 0-based, as the fields below */
    uint8_t to, dstrd, mpsmin, mpsmax, css, crms;
    bool nssrs, cmbs, pmrs;
    uint16_t crwmt, crimt;
    enum model_nvme_entry entry;
    /* times */
    uint64_t ready_ns, unready_ns; /* NEVER: the bit never follows */
    uint64_t shutdown_ns, admin_ns, read_ns, write_ns, flush_ns;
    uint64_t jitter_ns;             /* added to an I/O: 0 .. jitter - 1, so that completions change order */
    bool reset_keeps_fatal;         /* CFS survives EN=0 */
    bool reset_loses_cache;         /* what was not flushed is gone after EN=0 */
    uint64_t fatal_at_ns;           /* CFS at that time; 0: no */
    uint32_t vanish_after_accesses; /* register accesses until all reads are ones; 0: no */
    /* Identify Controller */
    char serial[21], model[41], firmware[9];
    uint8_t mdts, cmic, cntrltype, frmw, lpa, acl, aerl, elpe, npss, vwc, sqes, cqes;
    uint16_t cntlid, oacs, oncs, wctemp, cctemp, maxcmd, crdt[3];
    uint32_t nn; /* 0: the highest NSID */
    uint32_t rtd3e_us, hmpre, hmmin, hmminds;
    uint16_t hmmaxd, edstt;
    uint8_t apsta, vendor_stripe; /* byte 3075: 2^n pages */
    uint8_t cns_max;              /* Identify above it is an invalid field: old devices have 0 or 1 */
    bool no_descriptors;          /* CNS 03h is an invalid field */
    /* queues */
    uint16_t sq_granted, cq_granted; /* as counts; 0: as asked */
    bool abort_ignored;              /* Abort is answered "not aborted" */
    /* features that are saved in the drive: what a reset brings back */
    uint8_t power_state;
    bool apst_on, write_cache_on;
    bool cache_lies; /* Set Features 06h ends well and changes nothing */
    /* self-tests */
    uint64_t self_test_ns; /* how long one takes */
    uint8_t self_test_result;
    uint64_t self_test_lba; /* not 0: the result names it */
    /* health */
    uint8_t critical_warning, spare, spare_threshold, used;
    uint16_t temperature_k;
    uint64_t power_on_hours, media_errors;
    uint32_t warning_minutes, critical_minutes, light_throttles, heavy_throttles;
    uint64_t power_cycles, unsafe_shutdowns; /* where the counting starts */
    /* what a test permits */
    bool allow_writes; /* everything that changes the media, everywhere */
    /* Firmware's own driver works the drive, too: it creates queues without agreeing on their number (EDK2),
     * which every drive takes and ours must not rely on. */
    bool foreign_driver;
    bool bench; /* completions at once inside the doorbell write: no checks, no data */
};

struct model_nvme_seen {
    uint64_t admin[256], io[256]; /* commands by opcode */
    uint64_t reads, flushes, blocks_read, bytes_read, writes, blocks_written;
    uint64_t media_changes; /* writes and everything that destroys or persists: 0 is the promise */
    uint64_t features_set;  /* other than number of queues */
    uint64_t sq_doorbells, cq_doorbells, register_reads, register_writes, wide_accesses;
    uint64_t enables, disables; /* CC.EN 0 to 1, 1 to 0 */
    uint64_t shutdowns;         /* CC.SHN, completed */
    uint64_t aborts, aborted;   /* asked for, done */
    uint64_t hmb_grants, hmb_returns;
    uint64_t completions, errors;
    uint64_t dropped; /* in flight when the controller was reset or switched off */
    uint32_t in_flight_now, in_flight_max;
    uint32_t violations;
};

struct model_nvme_sq {
    bool exists;
    uint16_t cqid;
    uint32_t size, head, tail, told_head;
    uint64_t base;
};
struct model_nvme_cq {
    bool exists, phase;
    uint32_t size, head, tail, waiting;
    uint64_t base;
};
struct model_nvme_command {
    uint16_t sqid, cid, status;
    uint8_t stage; /* internal */
    uint64_t due_ns;
    uint32_t sequence, dw0;
    uint32_t sqe[16];
    struct model_nvme_lie *lie;
};

struct model_nvme {
    struct model_host host;
    struct model_nvme_settings set;
    struct model_nvme_ns ns[MODEL_NVME_MAX_NS];
    struct model_nvme_bad_lba bad[MODEL_NVME_MAX_BAD_LBAS];
    struct model_nvme_lie lies[MODEL_NVME_MAX_LIES];
    unsigned lie_count;
    struct model_nvme_seen seen;
    struct model_medium medium;
    /* health that the model keeps honestly */
    uint64_t power_cycles, unsafe_shutdowns, error_entries, commands_read, commands_written,
        data_units_written;

    /* ---- the model's own from here on ---- */
    uint32_t cc, csts, aqa, intm;
    uint64_t asq, acq;
    uint64_t enabled_at_ns, ready_due_ns, unready_due_ns, shutdown_due_ns, next_due_ns;
    bool started, gone, dirty, hmb_on, queues_numbered;
    uint16_t sq_limit, cq_limit;
    uint32_t feature[256];
    uint8_t apst_table[256];
    struct {
        uint64_t bus; /* of the first chunk: written by the device as it works */
        uint32_t pages, count;
        uint64_t list;
    } hmb;
    struct {
        uint8_t running; /* kind of test; 0: none */
        uint64_t began_ns;
        uint8_t log[20][28]; /* the newest first */
        unsigned count;
    } self_test;
    struct model_nvme_sq sq[MODEL_NVME_MAX_QUEUES];
    struct model_nvme_cq cq[MODEL_NVME_MAX_QUEUES];
    struct model_nvme_command command[MODEL_NVME_MAX_COMMANDS]; /* the first in_flight are in use */
    uint32_t in_flight, sequence, accesses;
    uint8_t scratch[4096], block[65536];
    struct {
        uint64_t due_ns, bus;
        uint32_t word[3];
    } torn;
    struct {
        uint64_t count;
        uint16_t sqid, cid, status;
        uint64_t lba;
        uint32_t nsid;
    } error_log[8];
};

extern const struct model_device_ops model_nvme_ops;

/* A device with the default settings and one namespace (NSID 1, 512-byte blocks, 1 GiB); NULL: out of memory.
 */
struct model_nvme *model_nvme_new(void);
void model_nvme_free(struct model_nvme *m);
/* Registers to set.entry, counters of health to their start.  After model_add_device. */
void model_nvme_power_on(struct model_nvme *m);
/* Power lost and back: counts a power cycle, and an unsafe shutdown when the controller had been enabled and
 * no shutdown notification was completed since (an EN=0 is none).  Comes back with EN=0. */
void model_nvme_power_cycle(struct model_nvme *m);
/* Adds a namespace (false: no entry free); the entry for further settings is m->ns[] with that nsid. */
struct model_nvme_ns *model_nvme_add_ns(struct model_nvme *m, uint32_t nsid, uint64_t blocks,
                                        uint32_t lba_bytes);
void model_nvme_add_bad_lba(struct model_nvme *m, uint32_t nsid, uint64_t lba, uint16_t status,
                            uint32_t times);
void model_nvme_add_lie(struct model_nvme *m, struct model_nvme_lie lie);
void model_nvme_set_fatal(struct model_nvme *m); /* CSTS.CFS now */
void model_nvme_vanish(struct model_nvme *m);    /* all ones from now on, no DMA */
/* The content of a block: a function of (nsid, lba) alone, different in every 8 bytes. */
void model_nvme_pattern(uint32_t nsid, uint64_t lba, void *buf, size_t bytes);

#endif
