#ifndef DRIVERS_DISK_H
#define DRIVERS_DISK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fault.h"
#include "health.h"
#include "platform.h"
#include "raid.h"

/* What a controller yields.  Above this header nobody knows NVMe from SATA. */

struct controller;
struct disk;
struct io_lane;

/* ---- one I/O ---- */
enum io_op {
    IO_READ,
    IO_WRITE, /* only lanes opened with shape.writes; the data is lane_data(lane, slot) */
    IO_FLUSH  /* what was answered before is on the medium when this is answered; lba and blocks are 0 */
};
/* How long an engine waits for a flush before it expires its slot; reads and writes: command_deadline_ns. */
#define IO_FLUSH_DEADLINE_NS (120ull * 1000000000)
/* A write is sent again only when the device itself has answered that it failed for a passing reason: then it
 * is over, and the same data to the same place does no harm.  One that was not answered (IO_TIMED_OUT) or was
 * in flight at a reset (IO_LOST) may be on the medium, in part or not at all, and nobody repeats it. */
struct io_request {
    uint64_t lba;
    uint32_t blocks;
    uint16_t slot; /* 0 .. depth-1, not in flight */
    uint16_t op;   /* enum io_op */
};
enum io_status {
    IO_OK,
    IO_MEDIA_ERROR,  /* the device could not read or keep the data */
    IO_DEVICE_ERROR, /* any other refusal by the device */
    IO_REFUSED,      /* by our gate: never reached the device */
    IO_TIMED_OUT,    /* not answered within its deadline */
    IO_LOST,         /* in flight when the device was reset, vanished or broke its protocol */
    IO_STATUS_COUNT
};
const char *io_status_text(enum io_status s);
struct io_completion {
    uint16_t slot;
    uint8_t status;     /* enum io_status */
    uint8_t retries;    /* times the driver sent it again before this answer */
    uint32_t detail;    /* the device's own status word, for ops->status_words; 0 when OK */
    uint64_t error_lba; /* first LBA of the command that failed (of several, perhaps); 0: not known */
};

/* ---- caches of a drive that a job may switch ---- */
enum disk_cache { CACHE_WRITE, CACHE_LOOK_AHEAD, CACHE_COUNT };
enum cache_state { CACHE_UNKNOWN, CACHE_OFF, CACHE_ON };
struct cache_switch { /* of enum cache_state */
    uint8_t found;    /* when the driver attached; CACHE_UNKNOWN: the drive reports none */
    uint8_t now;      /* as the drive told last */
    uint8_t asked;    /* CACHE_UNKNOWN: nobody ever asked for one; else what it is to be after a reset, too */
};

/* ---- a lane: one disk x one job ---- */
struct lane_shape {
    uint16_t depth;         /* slots */
    bool buffer_per_slot;   /* verify needs it; else all slots read into one shared buffer */
    bool writes;            /* takes IO_WRITE and IO_FLUSH: only on a disk that is armed (drivers/gate.h) */
    uint32_t request_bytes; /* the largest request this lane will submit, a multiple of the LBA size */
};
/* All but open and close are [any] and called per batch, never per I/O. */
struct disk_ops {
    /* Allocates queues, slots, buffers and prebuilt lists, or shares what the controller has.
     * E_REFUSED: shape.writes on a disk that is not armed or a kind that is never written; E_LIMIT: shape
     * beyond what the device can do; E_NOMEM.  On failure nothing is left behind.  [boot] */
    int (*open)(struct disk *d, const struct lane_shape *shape, struct io_lane **out);
    /* Takes up to n requests and returns how many; the rest is offered again later.  A refused request is
     * taken and comes back from poll as IO_REFUSED.  Nothing need reach the device before kick. */
    unsigned (*submit)(struct io_lane *l, const struct io_request *r, unsigned n);
    /* Rings once for all that was submitted. */
    void (*kick)(struct io_lane *l);
    /* Collects up to max completions.  A lane whose device broke its protocol yields its slots as IO_LOST. */
    unsigned (*poll)(struct io_lane *l, struct io_completion *c, unsigned max);
    /* The slot's deadline has passed (the engine polled once more before saying so).  The driver climbs its
     * ladder (look, abort, reset, give up), every step bounded; after it, poll yields the slot.  [any] */
    void (*expire)(struct io_lane *l, unsigned slot);
    /* The caller has drained.  [boot] */
    void (*close)(struct io_lane *l);
    /* The device's status word in words: "unrecovered read error (SCT 2, SC 0x81), do not retry". */
    void (*status_words)(uint32_t detail, struct text *out);
    /* Takes what this lane's commands go through (NVMe: the controller; SATA: link and drive) through a
     * reset, settings and all, so that what is read next comes from no cache that a reset empties.  OK: the
     * lane works as before.  E_AGAIN, nothing was done: the lane has not drained, or another is open that the
     * reset would reach, too.  E_UNSUPPORTED: `instead` says why not and what stands in its place.  Anything
     * else: it did not come back, the disk has its fault.  NULL: not offered.  [boot] */
    int (*reset)(struct io_lane *l, struct text *instead);
    /* Switches a cache of the drive until its next power cycle at most, never saved, and reads back what it
     * is then (disk.cache).  Nothing is in flight.  After a reset of the drive the driver asks for it again,
     * and detach puts back what attach found.  OK: read back as asked.  Else it is as it was, as far as the
     * drive obeys: E_UNSUPPORTED: it does not report such a cache; E_REFUSED: by our gate (write cache on,
     * found off, not armed) or by the drive; E_PROTO: the drive said done and reads back unchanged; anything
     * worse is the disk's fault.  NULL: not offered by this kind.  [boot] */
    int (*set_cache)(struct disk *d, enum disk_cache which, bool on);
};

/* What every lane has; drivers embed it as the first member (drivers/lane.h has the slot bookkeeping). */
struct io_lane {
    struct disk *disk;
    uint16_t depth;
    uint32_t request_bytes;
    uint32_t command_bytes; /* the largest single command: request_bytes above it are split */
    struct dma_buf data;    /* one request_bytes buffer, or depth of them */
    bool buffer_per_slot;
    bool dead; /* takes no more work; why: disk->fault */
};
static inline uint8_t *lane_data(const struct io_lane *l, unsigned slot)
{
    return (uint8_t *)l->data.cpu + (l->buffer_per_slot ? (size_t)slot * l->request_bytes : 0);
}

/* ---- a disk ---- */
enum disk_kind { DISK_NVME, DISK_SATA, DISK_VIRTUAL_DRIVE, DISK_PHYSICAL_BEHIND_RAID, DISK_FIRMWARE };
/* Why a figure measured now may not come out again: bits of disk.grounds.  The engine puts them beside it. */
enum disk_ground {
    GROUND_INITIALISATION = 1u << 0,
    GROUND_CHECK = 1u << 1,        /* consistency check */
    GROUND_REBUILD = 1u << 2,      /* rebuild, copyback or reconstruction */
    GROUND_PATROL = 1u << 3,       /* patrol read */
    GROUND_LEARN = 1u << 4,        /* the battery's learn cycle: write-back may be off */
    GROUND_PINNED_CACHE = 1u << 5, /* cache holds data of drives that are gone */
    GROUND_NARROW_LINK = 1u << 6   /* its own link is slower than its ends can do */
};
enum disk_rotation { ROTATION_UNKNOWN, ROTATION_NONE, ROTATION_YES };
struct disk {
    const struct disk_ops *ops; /* NULL: not readable, `why_not` says it */
    struct controller *controller;
    enum disk_kind kind;
    enum disk_rotation rotation;
    char name[24]; /* "nvme0n1", "sata0.3", "megaraid0.vd0" */
    char model[48], serial[40], firmware[16];
    char identity[96];             /* design: what no other disk can have; "" when it has none */
    uint32_t lba_bytes;            /* logical block */
    uint32_t physical_block_bytes; /* >= lba_bytes */
    uint64_t lba_count;
    uint32_t max_command_bytes;      /* larger requests are split by the driver; 0: no limit of the device */
    uint16_t max_depth;              /* commands in flight the device takes from us */
    bool depth_is_shared;            /* that is of all its lanes together, not of each */
    uint64_t command_deadline_ns;    /* of one read or write, from the table of default numbers */
    bool shared;                     /* other controllers may reach it, too: see disk_seen_before */
    uint32_t optimal_boundary_bytes; /* requests that cross a multiple are split inside the drive; 0: none */
    uint32_t grounds;                /* enum disk_ground, as last seen by attach or look_around */
    struct cache_switch cache[CACHE_COUNT];
    bool cache_is_shared;                         /* one switch for all disks of its controller (NVMe) */
    uint64_t cache_bytes;                         /* memory of the card in front of it; 0: none known */
    uint64_t first_bytes_per_s, last_bytes_per_s; /* at its begin and end by a short look; 0: not looked at */
    uint64_t request_ns, queued_request_ns;       /* as above, of 4 KiB in order: alone, four in flight */
    char settings[200]; /* what moves numbers, in words: "write cache on; NCQ depth 32" */
    char why_not[160];
    struct fault fault;
};

/* The disk among `earlier` that is the same one, reached through another controller: both say that they may
 * be shared, and identity, size and block size are equal.  NULL: none. */
const struct disk *disk_seen_before(const struct disk *const *earlier, unsigned count, const struct disk *d);

/* ---- a controller ---- */
enum { CONTROLLER_MAX_DISKS = 256, CONTROLLER_MAX_REMARKS = 48 };
/* Something worth telling a person that the driver met on the way (pure text; the application turns it
 * into findings): "drive 5 behind a port multiplier: not driven". */
struct remark {
    enum { REMARK_INFO, REMARK_WARN, REMARK_FAIL } level;
    char text[200];
};
struct controller_driver {
    const char *name; /* "nvme", "ahci", "megaraid" */
    /* Brings the controller up from whatever state firmware left it in and finds its disks.  `index` goes
     * into the names.  On failure everything is undone, *fault says why, and the device is left disabled.
     * fn stays valid until detach.  [boot] */
    int (*attach)(const struct pci_fn *fn, unsigned index, struct controller **out, struct fault *fault);
    /* Orderly shutdown in the way the kind needs, hand-back, memory freed.  All lanes are closed.  [boot] */
    void (*detach)(struct controller *c);
    /* The drive's own account of its state, also of a disk that cannot be read.  No lane need be closed, but
     * nothing may be in flight.  NULL: not offered by this kind.  Bounded.  On failure *h knows nothing.
     * [boot] */
    int (*health)(struct disk *d, struct disk_health *h);
    const struct self_test_ops *self_test; /* NULL: not offered by this kind */
    /* Between steps, nothing in flight: a drive that went has its fault, one that came is not driven; each is
     * a remark, once.  Returns how many there were.  NULL: this kind does not tell.  [boot] */
    unsigned (*look_around)(struct controller *c);
    const struct raid_ops *raid; /* drivers/raid.h; NULL: no RAID card */
};
struct controller {
    const struct controller_driver *driver;
    const struct pci_fn *fn;
    char name[16]; /* "nvme0", "sata0", "megaraid0" */
    char model[80], serial[40], firmware[40];
    struct disk **disks; /* disk_count pointers, owned by the driver */
    unsigned disk_count;
    uint64_t link_bytes_per_s; /* most that its path carries in one direction; 0: not known */
    struct remark remarks[CONTROLLER_MAX_REMARKS];
    unsigned remark_count, remarks_dropped;
    struct fault fault;
};
void controller_remark(struct controller *c, int level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- which driver ---- */
/* One row per known PCI function: the driver, or the reason why there is none.  Rows are tried in order;
 * a field of 0xffff (class: 0) matches anything. */
struct driver_row {
    uint16_t vendor_id, device_id;
    uint32_t class_code, class_mask;
    const struct controller_driver *driver; /* NULL: not driven */
    const char *what;                       /* "NVMe controller", "Intel VMD: ..." */
    const char *why_not;                    /* when driver is NULL: reason and advice */
};
/* The first row that fits a storage-class function (base class 01h, or a listed id), else NULL. */
const struct driver_row *driver_find(const struct pci_fn *fn);

#endif
