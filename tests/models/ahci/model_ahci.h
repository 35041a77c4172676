#ifndef TESTS_MODELS_AHCI_H
#define TESTS_MODELS_AHCI_H
#include "device.h"
#include "medium.h"

/* An AHCI 1.3.1 host adapter with up to 32 ports, at register level (fact sheet nvme-ahci.md, parts B and C).
 *
 *     static struct model_ahci ahci;
 *     model_ahci_init(&ahci);                              an adapter with nothing on its six ports
 *     model_ahci_add_disk(&ahci, 0, 1u << 21)->rotation_rpm = 7200;
 *     fn = model_add_device(&model_ahci_ops, &ahci, &ahci.host);
 *
 * Settings may be changed at any time; those that say "at power-on" count when the device is first touched
 * or reset.  All times are of the host's clock.  Numbers that start with `nth_` count the port's media reads
 * and writes together from 1; 0 means never.
 *
 * Writes: medium_permit(&ahci.medium, port, lba, blocks) says where; any other is stored, too, and is a
 * violation. m->medium has the faults (unit: port; arg of WRITE_ERROR and FLUSH_ERROR: the error register,
 * 100h more for a device fault; 0: IDNF, ABRT).  drive.write_cache_off turns the volatile cache off;
 * model_ahci_power_cut then loses what was not flushed.  Nothing that was answered is lost by any reset,
 * unless comreset_loses_data.
 * model_ahci_free gives the store back. */

enum { MODEL_AHCI_PORTS = 32, MODEL_AHCI_SLOTS = 32, MODEL_AHCI_BAD_LBAS = 8, MODEL_AHCI_BAR = 5 };
enum { MODEL_AHCI_ATTRIBUTES = 12, MODEL_AHCI_TESTS = 21 };
#define MODEL_AHCI_NEVER UINT64_MAX

enum model_ahci_kind {
    MODEL_AHCI_NOTHING, /* DET 0 */
    MODEL_AHCI_DISK,
    MODEL_AHCI_ATAPI,
    MODEL_AHCI_ENCLOSURE,
    MODEL_AHCI_MULTIPLIER,
    MODEL_AHCI_NO_LINK /* something is there, the link never comes up: DET 1 */
};
enum model_ahci_bohc {
    MODEL_AHCI_BOHC_ABSENT, /* CAP2.BOH 0 */
    MODEL_AHCI_BOHC_FREE,   /* capability, but the firmware does not own the adapter */
    MODEL_AHCI_BOHC_OBEYS,  /* BOS falls after bohc_ns, BB set meanwhile when bohc_busy */
    MODEL_AHCI_BOHC_NEVER   /* BOS stays */
};
enum model_ahci_log10 {
    MODEL_AHCI_LOG10_GOOD,
    MODEL_AHCI_LOG10_ABORTED,
    MODEL_AHCI_LOG10_BAD_CHECKSUM,
    MODEL_AHCI_LOG10_NOT_QUEUED, /* the NQ bit is set: names no tag */
    MODEL_AHCI_LOG10_WRONG_TAG   /* names log10_tag */
};
enum model_ahci_checksum { MODEL_AHCI_CHECKSUM_GOOD, MODEL_AHCI_CHECKSUM_ABSENT, MODEL_AHCI_CHECKSUM_WRONG };

/* What hangs on a port and how it misbehaves. */
struct model_ahci_drive {
    enum model_ahci_kind kind;
    uint32_t signature; /* 0: by kind */

    /* ---- the link ---- */
    unsigned speed;                   /* 1-3; what the link negotiates, unless SCTL.SPD is lower */
    unsigned speed_that_works;        /* 0: any; else the link comes up only when limited to this or less */
    uint64_t det_ns;                  /* from COMRESET (or SUD) to DET 3; MODEL_AHCI_NEVER */
    uint64_t ready_ns;                /* BSY after DET 3: spin-up; MODEL_AHCI_NEVER: stuck */
    uint64_t ready_after_comreset_ns; /* the same after a COMRESET of a drive that already was ready */
    bool deaf_to_srst;                /* a soft reset leaves it busy */
    uint32_t serr_at_link;            /* more SERR bits than N and X when the link comes up */
    bool no_signature;                /* the first FIS never comes: BSY clears, SIG stays all ones */

    /* ---- identity ---- */
    char model[41], serial[21], firmware[9];
    uint64_t lba_count; /* LBA28 count follows; words 100-103 absent when lba28_only */
    bool lba28_only;
    uint32_t sector_bytes;      /* 512; else words 106 and 117-118 say so */
    unsigned physical_exponent; /* physical block = sector_bytes << this */
    unsigned queue_depth;       /* 1-32; 0: no NCQ */
    uint16_t rotation_rpm;      /* word 217: 0 unknown, 1 no rotation, else the rate */
    uint64_t wwn;               /* 0: none */
    bool security_locked, security_frozen;
    enum model_ahci_checksum checksum;
    bool identify_untouched;  /* IDENTIFY ends well, the buffer is not written */
    unsigned identify_aborts; /* the next n IDENTIFYs are aborted (counts down) */
    bool write_cache_off, look_ahead_off;
    bool caches_absent;             /* word 82 names neither */
    bool may_switch_caches;         /* else SET FEATURES 02h, 82h, AAh, 55h are violations */
    bool cache_aborts;              /* they are aborted */
    bool cache_lies;                /* they end well and change nothing */
    bool comreset_loses_caches;     /* COMRESET switches both on */
    bool comreset_loses_data;       /* what was not flushed is gone after COMRESET */
    unsigned cache_lost;            /* the next n of them are never answered (counts down) */
    uint64_t native_lba_count;      /* READ NATIVE MAX EXT; 0: lba_count */
    uint16_t identify_or[256];      /* bits forced on in the answer, before the checksum */
    char serial_after_comreset[21]; /* "": the same; else taken over by the next COMRESET */

    /* ---- reads ---- */
    uint64_t latency_ns;  /* from CI to completion */
    uint64_t ooo_step_ns; /* queued commands: (31 - tag) times this on top: they overtake */
    struct {
        uint64_t first, count;
    } bad[MODEL_AHCI_BAD_LBAS]; /* count 0: unused */
    bool bad_once;              /* a bad range heals when it was hit */
    bool abort_without_unc;     /* a media error says ABRT instead of UNC (as QEMU does) */
    enum model_ahci_log10 log10;
    unsigned log10_tag;
    unsigned long nth_lost;      /* never answered */
    unsigned long nth_wrong_tag; /* the SDB FIS names the next tag; its own is never answered */
    unsigned long nth_link_drop; /* the link goes away with this command */
    uint64_t drop_ns;            /* and comes back after; MODEL_AHCI_NEVER */
    unsigned long nth_serr;      /* serr_bits appear, the command is fine */
    uint32_t serr_bits;
    unsigned long nth_abort;  /* ERR and ABRT */
    unsigned long nth_short;  /* ends well with PRDBC 512 short and that data missing (not queued only) */
    unsigned long nth_vanish; /* the whole adapter reads all ones from here */
    unsigned long nth_interface_error; /* IS.IFS and SERR.P, the command is not answered */
    uint32_t sact_lie, ci_lie;         /* bits that read as set whatever happens */
    unsigned long nth_slow;            /* takes slow_ns more, and is fine */
    uint64_t slow_ns;

    /* ---- power ---- */
    bool standby; /* CHECK POWER MODE says 00h; the next media read takes wake_ns more and wakes it */
    bool idle;    /* 81h likewise */
    uint64_t wake_ns;
    uint16_t
        puis; /* word 2 while it waits for SET FEATURES 07h, which takes wake_ns; 37c8h: says little else */

    /* ---- its account of itself ---- */
    bool smart_absent, smart_off, smart_failing, smart_bad_checksum;
    bool smart_hangs;   /* READ DATA is never answered */
    bool no_thresholds; /* READ THRESHOLDS is aborted */
    bool no_logs;       /* no READ LOG EXT: words 84 and 87 */
    uint16_t smart_errors;
    struct model_ahci_attribute {
        uint8_t id, flags, current, threshold;
        uint64_t raw; /* 48 bits */
    } attribute[MODEL_AHCI_ATTRIBUTES];
    /* A short self-test takes this, an extended one ten times as long; then it ends with this code. */
    uint64_t self_test_ns, self_test_lba;
    unsigned self_test_code;
    bool statistics; /* log 04h with pages 1 and 7 */
    uint64_t read_blocks, written_blocks;
    uint8_t used_percent;
};

/* What a port has seen; cleared by model_ahci_init only. */
struct model_ahci_seen {
    unsigned long opcodes[256], commands, reads, queued_reads, blocks, media_errors;
    unsigned long transfers, writes, queued_writes, flushes; /* transfers: reads and writes */
    unsigned long comresets, soft_resets, starts, stops, clo, max_in_flight;
    unsigned long refused_writes; /* each was a violation */
};

/* ---- state: the model's own ---- */
struct model_ahci_slot {
    bool waiting; /* CI set, not yet given to the drive */
    bool in_drive, queued;
    bool orphan; /* the adapter forgot it (ST fell), the drive still works on it */
    bool soft_reset, fetched;
    uint8_t cfis[20];
    uint32_t header_dw0, prdtl;
    uint64_t ctba, due_ns, lba;
    uint32_t blocks, snapshot; /* checksum of header and table at issue */
    unsigned long nth;
};
struct model_ahci_port {
    struct model_ahci_drive drive;
    struct model_ahci_seen seen;
    uint32_t clb, clbu, fb, fbu, is, ie, cmd, tfd, sig, ssts, sctl, serr, sact, ci;
    /* When it happens; MODEL_AHCI_NEVER: not under way, or stuck. */
    uint64_t cr_off_ns, fr_off_ns, link_ns, ready_ns;
    uint64_t det_since_ns, srst_since_ns;
    bool read_in_comreset; /* a read of this port pushes a posted write before it */
    bool was_ready;        /* spun up once */
    bool signature_pending;
    bool error_stopped; /* task file or fatal error: nothing is issued until ST was 0 */
    bool error_seen;    /* PxIS was read since */
    bool log10_armed;   /* the drive waits for its log to be read */
    bool srst_held;
    bool sact_published;
    uint32_t sact_unpaired; /* SACT bits written, their CI bit not yet */
    uint32_t drive_tags;    /* queued commands that the drive holds, whatever the adapter thinks */
    int drive_busy_slot;    /* not queued; -1: none */
    unsigned failed_tag;
    uint64_t failed_lba;
    uint8_t failed_status, failed_error;
    struct model_ahci_slot slot[MODEL_AHCI_SLOTS];
    /* self-tests: the one that runs, and the ring of those that ended */
    unsigned test_kind, test_count; /* kind 0: none runs */
    uint64_t test_began_ns;
    struct {
        uint8_t kind, status; /* as in the log */
        uint64_t lba;
    } test[MODEL_AHCI_TESTS];
};
struct model_ahci {
    struct model_host host;

    /* ---- the adapter ---- */
    uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
    uint32_t class_code; /* 010601h */
    uint32_t version;    /* 00010301h */
    uint32_t pi;         /* ports implemented, with gaps */
    unsigned np;         /* CAP.NP + 1; 0: as many as pi has bits */
    unsigned slots;      /* CAP.NCS + 1 */
    unsigned iss;        /* CAP.ISS */
    bool s64a, sncq, sss, sclo, spm, ahci_only;
    enum model_ahci_bohc bohc;
    bool bohc_busy;
    uint64_t bohc_ns;
    unsigned ae_writes_ignored; /* GHC.AE sticks only at the write after these (at power-on) */
    uint64_t hr_ns;             /* GHC.HR stays; MODEL_AHCI_NEVER */
    bool pi_lost_by_reset;      /* PI reads 0 after GHC.HR until it is written */
    bool left_running;          /* at power-on the firmware's engines still run, with its addresses */
    uint64_t cr_ns, fr_ns;      /* how long CR and FR stay after ST and FRE fall; MODEL_AHCI_NEVER */
    bool foreign_driver;        /* firmware's own driver works the disks, too: it sets transfer modes */
    bool bench;                 /* every command is over at once, no memory is touched, nothing checked */

    /* ---- seen ---- */
    unsigned long hba_resets, reads, writes, violations;

    /* ---- state ---- */
    bool powered, gone;
    uint32_t ghc, is, bohc_reg, pi_now;
    unsigned ae_writes;
    bool asked_for_ownership;
    uint64_t hr_off_ns, bohc_off_ns;
    struct model_ahci_port port[MODEL_AHCI_PORTS];
    struct model_medium medium;
};

extern const struct model_device_ops model_ahci_ops;

/* An ICH9-like adapter: ports 0-5, 32 slots, 64-bit, NCQ, 6 Gb/s, nothing attached. */
void model_ahci_init(struct model_ahci *m);
/* A 6 Gb/s SSD of 512-byte sectors, depth 32, "MODEL AHCI DISK", serial "SER<port>", ready at once. */
struct model_ahci_drive *model_ahci_add_disk(struct model_ahci *m, unsigned port, uint64_t lba_count);
void model_ahci_free(struct model_ahci *m); /* what was written; the rest is the caller's */
/* Power lost and back, adapter and drives. */
void model_ahci_power_cut(struct model_ahci *m);
/* The drive leaves its slot, and comes (back). */
void model_ahci_pull(struct model_ahci *m, unsigned port);
void model_ahci_push(struct model_ahci *m, unsigned port);
/* The attribute with this id: the drive's own, or a free entry that gets the id. */
struct model_ahci_attribute *model_ahci_attribute(struct model_ahci_drive *d, uint8_t id);
/* The content of one block: `bytes` is its size (or less). */
void model_ahci_pattern(unsigned port, uint64_t lba, void *buf, size_t bytes);

#endif
