#ifndef TESTS_MODELS_MFI_H
#define TESTS_MODELS_MFI_H
#include "device.h"
#include "medium.h"

/* A MegaRAID controller at register level (fact sheet mfi.md): frames at a port (1078, 2108, xscale, skinny)
 * and request descriptors with a reply ring (fusion: Thunderbolt and Invader with the legacy RAID context,
 * Ventura and Aero with the G35 one).
 *
 *     static struct model_mfi mfi;
 *     model_mfi_init(&mfi, MODEL_MFI_2108);                 firmware READY, no drives
 *     model_mfi_add_ld(&mfi, 0, 1u << 22)->primary_level = 5;
 *     model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
 *     fn = model_add_device(&model_mfi_ops, &mfi, &mfi.host);
 *
 * Settings may be changed at any time; those that say "at power-on" count when the device is first touched or
 * reset.  Fields that begin with `nth_` count media reads and writes together (LD_READ, LD_WRITE, and READ
 * and WRITE by SCSI) from 1; 0: never.
 *
 * Writes: medium_permit(&mfi.medium, unit, lba, blocks) says where; any other is stored, too, and is a
 * violation. The unit is the target of a virtual drive, 100h + device id of a physical one.  m->medium has
 * the write cache (volatile from the start) and the faults: a WRITE_ERROR is sense 3/0Ch/00h or, where arg is
 * not 0, key, code and qualifier as arg 23:0; a FLUSH_ERROR is status 15h or arg.  Both kinds of flush keep
 * what was written. model_mfi_free gives the store back. */

enum model_mfi_generation {
    MODEL_MFI_1078,
    MODEL_MFI_2108,
    MODEL_MFI_XSCALE,      /* PERC 5/i: frame address >> 3, status at 18h, all masked is 1Fh */
    MODEL_MFI_SKINNY,      /* PERC H310: doorbell at 00h, port pair C4h then C0h, IEEE SGL only, 60 SGEs */
    MODEL_MFI_THUNDERBOLT, /* PERC H710 */
    MODEL_MFI_INVADER,     /* PERC H730 */
    MODEL_MFI_VENTURA,     /* PERC H740P */
    MODEL_MFI_AERO,        /* PERC H755; reads of registers answer zero thrice before they answer */
    MODEL_MFI_ALL
};
enum { MODEL_MFI_GENERATIONS = 2 }; /* for tests that walk the two generations that QEMU has as well */
enum {
    MODEL_MFI_LDS = 64,
    MODEL_MFI_PDS = 64,
    MODEL_MFI_FRAMES = 2048,
    MODEL_MFI_STEPS = 12,
    MODEL_MFI_BAD_RANGES = 4,
    MODEL_MFI_EVENTS = 32,
    MODEL_MFI_LIES = 16
};
#define MODEL_MFI_NEVER UINT64_MAX

/* Firmware states: bits 31:28 of the status word. */
enum {
    MODEL_MFI_UNDEFINED = 0x0,
    MODEL_MFI_BOOT_BLOCK = 0x1,
    MODEL_MFI_FW_INIT = 0x4,
    MODEL_MFI_HANDSHAKE = 0x6, /* ends with doorbell 08h */
    MODEL_MFI_FW_INIT_2 = 0x7,
    MODEL_MFI_DEVICE_SCAN = 0x8,
    MODEL_MFI_BOOT_MESSAGE = 0x9, /* ends with doorbell 10h */
    MODEL_MFI_FLUSH_CACHE = 0xa,
    MODEL_MFI_READY = 0xb,
    MODEL_MFI_OPERATIONAL = 0xc, /* as another driver left it; ends with doorbell 02h */
    MODEL_MFI_FAULT = 0xf
};
struct model_mfi_step {
    uint8_t state;
    uint64_t ns;
}; /* then the next step; after the last: READY */

enum model_mfi_pd_state {
    MODEL_MFI_PD_GOOD = 0x00,
    MODEL_MFI_PD_BAD = 0x01,
    MODEL_MFI_PD_SPARE = 0x02,
    MODEL_MFI_PD_OFFLINE = 0x10,
    MODEL_MFI_PD_FAILED = 0x11,
    MODEL_MFI_PD_REBUILD = 0x14,
    MODEL_MFI_PD_ONLINE = 0x18,
    MODEL_MFI_PD_COPYBACK = 0x20,
    MODEL_MFI_PD_SYSTEM = 0x40 /* JBOD */
};
enum { MODEL_MFI_LD_OFFLINE, MODEL_MFI_LD_PARTIAL, MODEL_MFI_LD_DEGRADED, MODEL_MFI_LD_OPTIMAL };

struct model_mfi_medium {
    uint64_t blocks;            /* of block_bytes */
    uint32_t block_bytes;       /* 512 or 4096 */
    uint32_t physical_exponent; /* READ CAPACITY(16) */
    uint64_t latency_ns;        /* of a read, beside the card's */
    struct {
        uint64_t first, count;
        bool once;
    } bad[MODEL_MFI_BAD_RANGES]; /* count 0: unused */
    unsigned unit_attentions;    /* the next n commands answer 6/29/00 */
    char vendor[9], product[17], revision[5], serial[21];
    uint64_t naa;             /* VPD 83h; 0: the page has no designator */
    bool no_capacity_16;      /* READ CAPACITY(16) is an invalid opcode */
    uint16_t rotation_rpm;    /* VPD B1h; 0: the page does not exist */
    uint8_t pending_sense[3]; /* for REQUEST SENSE */
};
struct model_mfi_work {
    uint64_t start_ns, ns; /* ns 0: none under way */
};
struct model_mfi_ld {
    bool present;
    uint8_t target, state, primary_level, qualifier, secondary_level, stripe_exponent, drives_per_span,
        span_depth;
    uint8_t default_policy, current_policy, disk_policy, access, no_bgi, consistent;
    uint16_t seq;
    char name[17];
    uint32_t active; /* progress bits: 0 CC, 1 BGI, 2 foreground init, 3 reconstruction */
    uint16_t progress[4], elapsed_s[4];
    bool pinned_cache; /* dirty data without a home: configuration changes answer 54h */
    struct model_mfi_medium medium;
    struct model_mfi_work work[4]; /* by progress bit; model_mfi_start_ld */
};
/* What a physical drive tells of itself (mfi_self.c). */
enum { MODEL_MFI_SELF_TESTS = 3, MODEL_MFI_PLACES = 8 };
struct model_mfi_self {
    bool logs; /* LOG SENSE: pages 02h, 03h, 05h, 0Dh, 10h, 15h, 2Fh; else invalid opcode */
    uint8_t temperature_c, reference_c;
    uint64_t uncorrected[3]; /* writes, reads, verifies */
    uint32_t powered_minutes;
    uint8_t places[MODEL_MFI_PLACES];        /* of the background scan: sense keys; 0: unused */
    uint8_t self_test[MODEL_MFI_SELF_TESTS]; /* newest first: code 7:5 and result 3:0; 0: unused */
    uint8_t exception[2];                    /* code and qualifier of page 2Fh */
    bool smart;                              /* ATA PASS-THROUGH(16); else invalid opcode */
    uint8_t data[512], thresholds[512];      /* as they are sent */
    bool failing;                            /* RETURN STATUS */
    enum { MODEL_MFI_REGISTERS_DESCRIPTOR, MODEL_MFI_REGISTERS_FIXED, MODEL_MFI_REGISTERS_LOST } registers;
};
struct model_mfi_pd {
    bool present;
    struct model_mfi_self self;
    uint16_t device_id, enclosure_id, seq;
    uint8_t enclosure_index, slot, scsi_type, speed, link_speed, interface_type, media_type, temperature_c;
    uint16_t state;
    bool foreign, write_cache, no_smart_alert;
    uint32_t media_errors, other_errors, predictive_failures;
    uint64_t sas_address;
    uint8_t ld_target; /* 0xff: in no virtual drive */
    uint32_t active;
    uint16_t progress[3], elapsed_s[3]; /* progress bits: 0 rebuild, 1 patrol, 2 clear */
    bool locating;
    struct model_mfi_medium medium; /* readable by PD_SCSI_IO in state SYSTEM only */
    struct model_mfi_work work[3];
};
struct model_mfi_event {
    uint32_t seq, time_s, code;
    uint16_t locale;
    int8_t severity; /* the class: -2 debug ... 4 dead */
    char text[128];
};
struct model_mfi_bbu {
    uint8_t type; /* 0: none, BBU commands answer 22h */
    uint16_t millivolts;
    int16_t milliamperes;
    uint16_t temperature_c, charge_percent, cycles;
    uint32_t fw_status;
    bool healthy;
    struct model_mfi_work learn; /* model_mfi_start_learn */
};

/* A management command (DCMD opcode) or frame that is answered otherwise than it should. */
enum model_mfi_lie_how {
    MODEL_MFI_UNTOUCHED, /* status 0, the buffer as it was */
    MODEL_MFI_STATUS,    /* value is the status */
    MODEL_MFI_LOST,      /* never answered */
    MODEL_MFI_DELAY,     /* value ns late */
    MODEL_MFI_ONES,      /* status 0, the whole buffer FFh */
    MODEL_MFI_SHORT,     /* status 0, only the first `value` bytes written */
    MODEL_MFI_BYTE       /* good, but byte value>>8 of the answer is value&FFh */
};
struct model_mfi_lie {
    uint32_t opcode;
    bool used;
    enum model_mfi_lie_how how;
    uint64_t value;
};

/* ---- state of the model's own ---- */
struct model_mfi_frame {
    bool in_flight, pended;
    uint64_t address, due_ns;
    uint32_t bytes, snapshot, context;
    uint16_t flags;
    uint8_t cmd;
    unsigned long nth; /* media read number; 0: none */
    uint16_t smid;     /* fusion; 0: a frame without request */
    uint64_t request;  /* fusion: address of the request; `address` is that of the MFI frame in it, or 0 */
    uint64_t slot;     /* fusion: of its reply descriptor, when half of that is there */
    bool half_written;
};

struct model_mfi_seen {
    unsigned long frames[16]; /* by frame command */
    unsigned long dcmds, reads, writes, blocks, media_errors, transfers, inits, hand_backs, resets, flushes;
    unsigned long ld_requests, pd_requests, wrapped; /* fusion, by function */
    unsigned long zero_reads, atomic_posts, pair_posts, whole_posts, index_writes;
    uint32_t capabilities;        /* fusion: of the INIT frame */
    unsigned long refused_writes; /* each was a violation, nothing was changed */
    unsigned max_in_flight;
    uint32_t last_opcode, opcodes[64]; /* different DCMD opcodes in order of appearance */
    unsigned opcode_count;
    unsigned long cdbs[256]; /* by SCSI opcode */
};

struct model_mfi {
    struct model_host host;
    enum model_mfi_generation generation;

    /* ---- the card ---- */
    uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
    uint16_t max_cmds;            /* status word 15:0 and length of the reply ring */
    uint8_t max_sge;              /* status word 23:16 */
    bool ieee_sgl;                /* status word bit 26 */
    uint32_t fault_code;          /* status word 27:0 in state FAULT */
    uint32_t max_request_sectors; /* 0: says nothing and has no limit */
    uint16_t max_strips_per_io;
    uint16_t memory_mib;
    uint8_t roc_temperature_c, controller_temperature_c; /* 0, FFh: not reported */
    char product[81], serial[33], package[97];
    uint32_t ld_ops, adapter_ops, hw_present;
    uint8_t rates[5]; /* rebuild, patrol, BGI, CC, reconstruction */
    struct model_mfi_ld ld[MODEL_MFI_LDS];
    struct model_mfi_pd pd[MODEL_MFI_PDS];
    struct model_mfi_event event[MODEL_MFI_EVENTS];
    unsigned event_count;
    uint32_t boot_seq;
    struct model_mfi_bbu bbu;
    bool policies_follow; /* current_policy is worked out: default_policy, without write-back when the battery
                             is missing, bad or learning (unless bit 4), or the card has no memory */
    uint32_t io_limit_sectors; /* a transfer above answers 03h although no figure of the card says so (skinny,
                                  and whatever takes IEEE SGEs: 256); 0: none */
    struct {
        uint8_t state; /* 0 stopped, 1 ready, 2 active, FFh aborted (FreeBSD; 3 elsewhere) */
        uint8_t mode;  /* 0 automatic, 1 manual, 2 disabled */
        uint8_t drives_done;
        uint32_t iterations, every_s; /* FFFFFFFFh: without pause */
    } patrol;

    /* ---- fusion only ---- */
    uint32_t chain_bytes;      /* scratch pad 1: bits 9:5 x 128, or x 512 with bit 22; default 1024 */
    uint8_t reply_queues;      /* scratch pad 1; default 1, only the first is ever used */
    bool dma64;                /* scratch pad 1 bit 25: queues and frames may lie above 4 GiB */
    bool atomic_descriptors;   /* scratch pad 1 bit 24 after INIT: port C8h (default on for Aero) */
    uint32_t scratch2;         /* B8h.  Thunderbolt, Invader: low half, if not zero, is the command count */
    uint32_t scratch3;         /* BCh */
    unsigned zero_reads;       /* that many reads of a register answer 0 before one answers (Aero: 3) */
    uint64_t doorbell_busy_ns; /* doorbell bit 0 reads 1 so long after power-on and after doorbell 07h */

    /* ---- firmware states, at power-on ---- */
    struct model_mfi_step step[MODEL_MFI_STEPS];
    unsigned step_count;                   /* 0: READY at once */
    bool boot_message_may_be_acknowledged; /* else that is a violation */
    uint64_t hand_back_ns;                 /* from doorbell 02h to READY; MODEL_MFI_NEVER */
    uint8_t hand_back_state;               /* the state meanwhile: OPERATIONAL, FLUSH_CACHE, FAULT */
    bool reset_helps; /* an adapter reset of a FAULTed card ends in READY after reset_ns */
    uint64_t reset_ns;

    /* ---- behaviour ---- */
    uint64_t init_ns, dcmd_ns, latency_ns;
    uint64_t ooo_step_ns;     /* frames 0, 1, 2, 3 mod 4 take 3, 2, 1, 0 times this on top */
    uint8_t init_status;      /* INIT is answered with this */
    bool ring_leaves_status;  /* a good frame of the ring kind: status byte not written */
    bool posts_polled_frames; /* as QEMU: flag 1 is ignored */
    bool masking_resets;      /* as QEMU: OMSK all ones is a soft reset */
    bool unknown_is_ok;       /* as QEMU: an unknown DCMD is answered 00 without data */
    bool qemu_ids;            /* as QEMU: PD id is slot << 8, PD_SCSI_IO wants the slot, PD info is blank */
    bool queries_unknown;     /* PD and LD list queries are unknown DCMDs (old firmware) */
    struct model_mfi_lie lie[MODEL_MFI_LIES];
    unsigned long nth_lost, nth_status, nth_late, nth_fault, nth_vanish, nth_short;
    unsigned long nth_garbage_context; /* the reply ring names a context that nobody sent */
    unsigned long nth_garbage_frame;   /* the context in the frame is overwritten */
    unsigned long nth_stray;           /* a reply that names a SMID or context nobody sent comes first */
    unsigned long nth_duplicate;       /* answered twice */
    unsigned long nth_half; /* fusion: half of the reply descriptor comes half_ns before the rest */
    bool half_is_high;      /* of these, dword 1; else dword 0 */
    uint64_t half_ns;
    unsigned long nth_fail_pd; /* the drive fail_pd (a device id) fails */
    uint16_t fail_pd;
    uint64_t rebuild_ns;      /* a spare takes over and rebuilds so long; 0: no spare does */
    uint64_t event_period_ns; /* the log grows by itself: code event_period_code, severity 0 */
    uint32_t event_period_code;
    bool may_locate; /* DCMDs 02070100, 02070200 are no violation */
    bool may_change; /* nor are those that change configuration and properties: done */
    /* Called with every answer to a DCMD, as the model would give it: status, *n bytes of at most cap in out;
     * may change all of that.  For fuzzers. */
    void (*edit)(struct model_mfi *m, uint32_t opcode, uint8_t *out, uint32_t cap, uint32_t *n,
                 uint8_t *status);
    uint8_t status_value; /* for nth_status */
    uint64_t late_ns;     /* for nth_late */
    unsigned nth_every;   /* not 0: the above repeat every so many reads */
    bool bench;           /* frames are over at once: only the status byte is written */

    struct model_medium medium;

    /* ---- seen ---- */
    struct model_mfi_seen seen;
    unsigned long violations;

    /* ---- state ---- */
    bool powered, gone, operational, leaving;
    uint8_t state;
    unsigned step_at;
    uint64_t step_end_ns, ready_ns;
    uint32_t omsk, osts, diag, diag_keys;
    uint32_t ring_entries, producer;
    uint64_t ring, producer_address, consumer_address;
    unsigned works;    /* under way */
    uint32_t next_seq; /* of the event log; 0: boot_seq */
    uint64_t event_due_ns, busy_until_ns;
    unsigned zeros_left;
    bool pair_open, pair_published; /* the first dword of a port pair was written, and was published */
    uint32_t pair_low, pair_high;
    struct {
        uint64_t pool, ring;
        uint32_t sense_high, depth, index, host_index, unread; /* unread: posted and not given back */
        bool atomic, overrun_said;
    } fusion;
    unsigned in_flight, frame_top; /* frame_top: one above the highest used entry */
    unsigned long submitted;
    struct model_mfi_frame frame[MODEL_MFI_FRAMES];
};

extern const struct model_device_ops model_mfi_ops;

/* A card of that generation with its usual ids and figures, 1008 (1000) commands, 80 (60) SGEs, no drives. */
void model_mfi_init(struct model_mfi *m, enum model_mfi_generation g);
void model_mfi_free(struct model_mfi *m); /* what was written */
/* Optimal RAID 0 of 512-byte blocks, stripe 64 KiB, named "VD<target>"; NULL when there are 64 already. */
struct model_mfi_ld *model_mfi_add_ld(struct model_mfi *m, uint8_t target, uint64_t blocks);
/* A SAS disk of 1 TB in enclosure 32. */
struct model_mfi_pd *model_mfi_add_pd(struct model_mfi *m, uint16_t device_id, uint8_t slot, uint16_t state);
void model_mfi_add_event(struct model_mfi *m, uint32_t code, int severity, const char *text);
/* From now on this opcode (or, below 0x10, this frame command) is answered so. */
void model_mfi_lie(struct model_mfi *m, uint32_t opcode, enum model_mfi_lie_how how, uint64_t value);
/* The peculiarities of QEMU's megasas that a driver can see (fact sheet 5.3 and 5.4). */
void model_mfi_like_qemu(struct model_mfi *m);
/* The firmware breaks down now. */
void model_mfi_fault(struct model_mfi *m);
/* Work that runs over the clock from 0 to 100 % in ns and then ends by itself: bit 0 CC, 1 BGI, 2 foreground
 * init, 3 reconstruction of a virtual drive; 0 rebuild, 1 patrol, 2 clear of a physical one.  A foreground
 * init or BGI leaves the drive consistent, a rebuild leaves it online and its virtual drive as good as it can
 * be.  Changes of states are events. */
void model_mfi_start_ld(struct model_mfi *m, struct model_mfi_ld *ld, unsigned bit, uint64_t ns);
void model_mfi_start_pd(struct model_mfi *m, struct model_mfi_pd *pd, unsigned bit, uint64_t ns);
/* A learn cycle: discharging in the first half, charging in the second; bits 6, 4, 3 of the status. */
void model_mfi_start_learn(struct model_mfi *m, uint64_t ns);
/* A drive fails: its virtual drive becomes partially degraded, degraded or offline by level and number of
 * failed members; a spare takes over when rebuild_ns says so.  Events. */
void model_mfi_fail_pd(struct model_mfi *m, struct model_mfi_pd *pd);

/* The content of one block (`bytes` of it).  target: of a virtual drive; 100h + device id: of a physical one.
 */
void model_mfi_pattern(unsigned target, uint64_t lba, void *buf, size_t bytes);

#endif
