#ifndef AHCI_INTERNAL_H
#define AHCI_INTERNAL_H
#include "ahci.h"
#include "ahci_spec.h"
#include "gate.h"
#include "lane.h"
#include "text.h"

/* How long each wait may take, and why. */
enum {
    ENGINE_STOP_MS = 500,  /* CR and FR after ST and FRE fall (fact sheet B2.5) */
    HBA_RESET_MS = 1000,   /* GHC.HR (B2.6) */
    AHCI_ENABLE_TRIES = 5, /* GHC.AE does not stick at the first write on some adapters */
    AHCI_ENABLE_PAUSE_US = 10000,
    FIRMWARE_LETS_GO_MS = 25, /* BOHC.BOS, and 2 s more when the firmware says it is busy (B2.4) */
    FIRMWARE_BUSY_MS = 2000,
    NOBODY_THERE_MS = 50,       /* a device shows itself within 10 ms of COMRESET; five times that */
    LINK_UP_MS = 1000,          /* from "device seen" to "link up" (B2.8) */
    SPIN_UP_MS = 31000,         /* BSY after power-up of a spinning drive (B2.9) */
    SPIN_UP_NUDGE_MS = 10000,   /* a drive this long busy gets one COMRESET and its time anew */
    SLOW_START_MS = 3000,       /* a person who waits is told why */
    STAGGER_MS = 10000,         /* with CAP.SSS: one drive's share before the next may start */
    NO_SIGNATURE_MS = 1000,     /* ready, but its first FIS was not seen: one COMRESET */
    RESET_READY_MS = 10000,     /* BSY after COMRESET of a drive that was already spinning */
    COMRESET_HOLD_US = 1100,    /* at least 1 ms (B2.8) */
    SOFT_RESET_HOLD_US = 10,    /* at least 5 (B5) */
    SOFT_RESET_SENT_MS = 100,   /* two frames to a drive whose link is up */
    SOFT_RESET_SETTLE_MS = 150, /* before its status means anything; Linux waits as long */
    SOFT_RESET_READY_MS = 5000, /* a drive that needs longer gets COMRESET */
    IDENTIFY_MS = 5000,
    ERROR_LOG_MS = 2000, /* from the drive's memory, not the medium */
    CACHE_MS = 60000,    /* a drive that is to stop caching writes all that it holds first */
};
enum {
    PART_TRIES = 2,              /* repeats of a read that failed between adapter and drive */
    RESETS_WITHOUT_PROGRESS = 3, /* then the drive is given up */
    QUIET_POLLS_MASK = 7,        /* an empty poll asks for errors every eighth time: one register, not two */
};
#define AHCI_COMMAND_BYTES (8 * MIB) /* the largest of the default cells in one command: two regions */
_Static_assert(AHCI_COMMAND_BYTES <= TABLE_REGIONS * REGION_MAX_BYTES, "regions per table");
enum { LBA28_BLOCKS = 256, LBA48_BLOCKS = 65536 };

struct ahci_hba;
struct ahci_port;

struct ahci_lane {
    struct io_lane io; /* first */
    struct lane_slots slots;
    struct ahci_port *port;
    struct ahci_lane *next;     /* ring of the port's lanes; when parked: a list */
    uint64_t slot_stride_bytes; /* 0: all slots share one buffer */
    uint32_t request_blocks;
    uint32_t whole_blocks; /* up to this a request is one command of one region */
    struct gate_pass queued, single;
};
static inline struct ahci_lane *ahci_lane(struct io_lane *l) { return (struct ahci_lane *)l; }

/* One command of a request. */
struct ahci_part {
    struct ahci_lane *lane;
    uint64_t lba;
    union {
        struct {
            uint16_t slot, part;
            uint8_t tries;
            bool resend; /* in the list of repeats: it was sent before */
        };
        uint64_t slot_and_more; /* all of these in one store */
    };
    uint32_t blocks;
};

/* From IDENTIFY. */
struct ahci_features {
    bool smart, smart_on;
    bool error_log, self_test; /* SMART has them */
    bool logs;                 /* READ LOG EXT */
    bool native_max;           /* a host protected area may exist */
    bool flush_ext;            /* FLUSH CACHE EXT; every drive has FLUSH CACHE */
};

enum ahci_state {
    PORT_OFF, /* not spun up yet */
    PORT_LINKING,
    PORT_SETTLING, /* link up, drive busy */
    PORT_EMPTY,
    PORT_FAILED, /* something is there and does not come up: a remark says what */
    PORT_READY
};

struct ahci_port {
    /* ---- the I/O path ---- */
    const struct mmio *mmio;
    uint32_t regs;            /* offset of the port's registers */
    uint32_t issued, pending; /* tags rung, tags put but not rung */
    uint32_t free_tags;
    bool single;       /* one command at a time, not queued: lack of NCQ, a culprit to find, a flush */
    bool draining;     /* a flush is next: nothing is put until all that is in flight has ended */
    bool reads_ok;     /* it has answered a read or write */
    bool counts_bytes; /* the adapter keeps PRDBC: IDENTIFY moved what the count said */
    bool dead;
    uint8_t lba_shift;
    uint8_t restarts, soft_resets, resets; /* since the last read that was answered */
    uint32_t quiet_polls;
    struct ahci_port_memory *mem;
    struct ahci_lane *turn; /* whose part is next; NULL: no lane */
    unsigned lane_count, retry_count;
    struct ahci_part tag[AHCI_MAX_SLOTS];
    struct ahci_part retry[AHCI_MAX_SLOTS]; /* to be sent again, oldest first */

    /* ---- the rest ---- */
    struct ahci_hba *hba;
    uint64_t mem_bus;
    unsigned number;
    enum ahci_state state;
    uint64_t give_up_ns, nudge_ns; /* of the state */
    uint64_t ready_by_ns;          /* of the drive's start as a whole */
    uint64_t settling_since_ns;    /* the link came up */
    bool nudged, said_slow;
    uint8_t speed_limit; /* SCTL.SPD; 0: none */
    uint32_t signature;
    uint32_t found_sctl; /* as the firmware left it */
    bool ncq;
    bool lba48;
    bool no_error_log;  /* READ LOG EXT 10h did not work once: not asked again */
    bool no_power_mode; /* CHECK POWER MODE likewise */
    bool smart_hangs;   /* nor SMART */
    bool listed;        /* as a disk */
    bool told_change;   /* of an empty port: ahci_look_around has said that a drive came */
    uint8_t test_kind;  /* enum self_test_kind, of the test that was started last */
    struct ahci_features features;
    bool stuck; /* its engine does not stop: memory may still be written to */
    bool remarked_link;
    uint32_t all_tags;
    uint32_t serr_seen;
    struct disk disk;
};

struct ahci_hba {
    struct controller c; /* first */
    struct mmio mmio;
    struct dma_buf mem;     /* struct ahci_port_memory for each port */
    struct ahci_port *port; /* port_count, ascending by number */
    unsigned port_count;
    bool enabled, in_ahci_mode, owned; /* what teardown must undo */
    uint32_t cap, pi, version, found_ghc;
    unsigned slots;
    bool s64a, sclo, sncq, sss;
    uint8_t page[2][SCRATCH_BYTES]; /* logs while they are read: too large for the stack */
    struct ahci_lane *parked;       /* closed lanes whose memory a stuck port may still write to */
    struct disk *disk[AHCI_MAX_PORTS];
};
static inline struct ahci_port *ahci_port_of(struct disk *d)
{
    return (struct ahci_port *)((char *)d - offsetof(struct ahci_port, disk));
}
static inline struct ahci_hba *ahci_hba(struct controller *c) { return (struct ahci_hba *)c; }

static inline uint32_t px_read(const struct ahci_port *p, uint32_t off)
{
    return plat_read32(p->mmio, p->regs + off);
}
static inline void px_write(const struct ahci_port *p, uint32_t off, uint32_t v)
{
    plat_write32(p->mmio, p->regs + off, v);
}

/* ---- waiting (ahci_port.c) ---- */
struct ahci_wait {
    uint64_t deadline_ns;
    uint32_t pause_us;
};
struct ahci_wait ahci_wait_ms(uint32_t ms); /* [any] */
/* Pauses, longer each time up to 1 ms; false when the deadline has passed.  [any] */
bool ahci_wait_more(struct ahci_wait *w);
/* OK when (register & mask) == want; E_TIMEOUT; E_GONE when it reads all ones.  *got: the last value.  [any]
 */
int ahci_wait_for(const struct mmio *m, uint32_t off, uint32_t mask, uint32_t want, struct ahci_wait w,
                  uint32_t *got);

/* ---- one port (ahci_port.c); all [any] ---- */
/* ST, then FRE when `receive` says so, fall and their engines stop.  E_TIMEOUT (p->stuck), E_GONE. */
int ahci_port_stop(struct ahci_port *p, bool receive);
/* Commands may be issued afterwards.  E_TIMEOUT: busy or no FR; E_GONE: no link. */
int ahci_port_start(struct ahci_port *p);
/* Stops, clears errors, frees BSY with CLO where the adapter can, starts.  E_TIMEOUT: only COMRESET can help.
 */
int ahci_port_restart(struct ahci_port *p);
/* COMRESET of a stopped port, and waits until the drive is ready: E_GONE: no link, E_TIMEOUT: stays busy. */
int ahci_port_comreset(struct ahci_port *p);
/* SRST through a port that is stopped or running; the port runs afterwards.  E_TIMEOUT: only COMRESET can
 * help. */
int ahci_port_soft_reset(struct ahci_port *p);
/* The link is held in COMRESET for its time and let go. */
void ahci_port_pulse(struct ahci_port *p);
void ahci_port_clear_errors(struct ahci_port *p);
/* Puts link errors on record; the first time as a remark. */
void ahci_port_note_link(struct ahci_port *p, uint32_t serr);

/* A management command: one that reads SCRATCH_BYTES into mem->scratch, one without data, or one that reads
 * somewhere else.  The port is started and drained. */
struct ahci_command {
    const char *name;
    uint8_t command, features;
    uint16_t count;
    uint64_t lba;
    uint32_t deadline_ms;
    bool no_data;
    uint64_t data_bus; /* 0: scratch */
    uint32_t data_bytes;
};
/* E_REFUSED: by the gate, or by the drive (p restarted); E_TIMEOUT: the port is stopped and the drive may be
 * busy: COMRESET next; E_PROTO: link trouble; E_UNSUPPORTED: ended well, but the buffer (of a command without
 * data: the register FIS) was not filled; E_GONE.  Copies the answer where scratch was read into; else it may
 * be NULL. */
int ahci_port_command(struct ahci_port *p, const struct ahci_command *c, uint8_t answer[SCRATCH_BYTES]);
/* What the last register FIS of the drive said. */
uint64_t ahci_port_reply_lba(const struct ahci_port *p, bool lba48);
uint8_t ahci_port_reply_count(const struct ahci_port *p);
/* A management command between reads.  As ahci_port_command, but a command that hangs, or a link that went,
 * is brought to an end: afterwards the port can read again or is dead, its cause in p->disk.fault. */
int ahci_ask(struct ahci_port *p, const struct ahci_command *c, uint8_t answer[SCRATCH_BYTES]);

/* ---- finding (ahci_scan.c) ---- */
/* Every port ends as EMPTY, FAILED or READY; only E_GONE fails.  [boot] */
int ahci_scan(struct ahci_hba *h);

/* ---- IDENTIFY (ahci_identify.c) ---- */
/* Fills p->disk; a disk that cannot be read gets its reason and no ops.  [boot] */
void ahci_identify(struct ahci_port *p);
/* Reads IDENTIFY DEVICE; a checksum that does not fit is the disk's fault.  As ahci_port_command.  [any] */
enum { IDENTIFY_WORDS = 256 };
int ahci_read_words(struct ahci_port *p, uint16_t words[IDENTIFY_WORDS]);
/* E_GONE when what answers now is not the disk that was found at attach.  Caches that a job switched are
 * switched again.  [any] */
int ahci_identify_again(struct ahci_port *p);

/* ---- what it can do (ahci_features.c) ---- */
/* Fills p->features and the disk's settings. */
void ahci_take_features(struct ahci_port *p, const uint16_t *words);
/* The fastest generation that IDENTIFY names: 1 to 3; 0: it names none. */
unsigned ahci_generation_of(const uint16_t *words);
const char *ahci_speed_text(unsigned generation); /* "1.5", in Gb/s */
/* What the words say about each cache: enum cache_state. */
void ahci_cache_states(const uint16_t *words, uint8_t state[CACHE_COUNT]);
/* Asks for the native size where the drive takes the question; blocks that are hidden are a remark.  [boot]
 */
void ahci_look_for_hidden_area(struct ahci_port *p);
/* These words are of a drive that waits for a command before its motor starts. */
bool ahci_wants_spin_up(const uint16_t *words);
/* Starts the motor and waits.  As ahci_port_command.  [boot] */
int ahci_spin_up_by_command(struct ahci_port *p);
/* A drive in standby or with its heads parked is brought back by reading one block to data_bus, so that no
 * measured read pays for it.  An error is the disk's fault, recorded.  [boot] */
int ahci_wake(struct ahci_port *p, uint64_t data_bus);

/* ---- caches (ahci_cache.c) ---- */
int ahci_set_cache(struct disk *d, enum disk_cache which, bool on); /* [boot] */
/* After a reset, the words just read: what was asked for is asked for again where the drive forgot it. Errors
 * but a refusal; what the drive then is stands in disk.cache.  [any] */
int ahci_caches_again(struct ahci_port *p, const uint16_t *words);
/* Before the port is stopped for good: as attach found them.  [boot] */
void ahci_caches_put_back(struct ahci_port *p);

/* ---- health (ahci_smart.c); [boot] ---- */
int ahci_health(struct disk *d, struct disk_health *h);
extern const struct self_test_ops ahci_self_test_ops;

/* ---- drives that come and go (ahci_hotplug.c); [boot] ---- */
unsigned ahci_look_around(struct controller *c);

/* ---- reading and writing (ahci_io.c); all [any] ---- */
extern const struct disk_ops ahci_disk_ops;
unsigned ahci_submit(struct io_lane *io, const struct io_request *r, unsigned n);
void ahci_kick(struct io_lane *io);
unsigned ahci_poll(struct io_lane *io, struct io_completion *c, unsigned max);
/* Puts parts into free tags, repeats first, lanes in turn. */
void ahci_pump(struct ahci_port *p);
/* Rings for what was put. */
void ahci_ring(struct ahci_port *p);
/* Looks what is done; ask: whatever the polls before have seen. */
void ahci_look(struct ahci_port *p, bool ask);
/* These tags were answered well. */
void ahci_finish(struct ahci_port *p, uint32_t tags);
/* The opcode for an enum io_op when commands are not queued. */
uint8_t ahci_single_opcode(const struct ahci_port *p, uint8_t op);
/* What a request of that kind is to a person. */
const char *ahci_noun(uint8_t op);
/* Queued or one at a time; nothing is in flight. */
void ahci_set_single(struct ahci_port *p, bool single);

/* ---- when it goes wrong (ahci_recover.c); all [any] ---- */
/* False: nothing to worry about, go on.  active: SACT or CI as just read. */
bool ahci_trouble(struct ahci_port *p, uint32_t is, uint32_t active);
/* The one read in flight ended well with fewer bytes than asked for. */
void ahci_short_read(struct ahci_port *p, uint32_t missing_bytes);
void ahci_expire(struct io_lane *io, unsigned slot);
int ahci_lane_reset(struct io_lane *io, struct text *instead);
/* COMRESET, and the drive that answers must be the one we know; the port runs then.  Bounded in number, too.
 */
int ahci_reset_drive(struct ahci_port *p);
/* After a FAULT: all slots of all lanes are lost, nothing more is sent. */
void ahci_die(struct ahci_port *p);
/* These tags will not be answered: their parts go to the list of repeats.  resend: they were sent once. */
void ahci_unload(struct ahci_port *p, uint32_t tags, bool resend);

/* ---- lanes (ahci_lane.c); [boot] ---- */
int ahci_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out);
void ahci_close(struct io_lane *io);
void ahci_lane_free(struct ahci_lane *l);

/* ---- words (ahci_text.c) ---- */
/* io_completion.detail: the task file, or with this bit what the adapter saw (PxIS). */
#define DETAIL_ADAPTER 0x80000000u
/* Ended well, but so many bytes are missing. */
#define DETAIL_SHORT 0x40000000u
void ahci_status_words(uint32_t detail, struct text *out);
void ahci_serr_words(uint32_t serr, struct text *out);
/* One debug line per register of a port that is given up.  [any] */
void ahci_log_registers(const struct ahci_port *p);

#endif
