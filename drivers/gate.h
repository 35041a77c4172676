#ifndef DRIVERS_GATE_H
#define DRIVERS_GATE_H
#include <stdbool.h>
#include <stdint.h>
#include "err.h"

/* The last lock before a device: a default-deny list of what may be sent to it, consulted in the submit
 * path of every driver, whoever asks.  Reads and named harmless queries pass, all else is refused.
 *
 * One row permits one command: transport, opcode, and where a command does different things by a
 * sub-field (a feature id, a log action, a service action) the value that sub-field must have. */
enum gate_transport {
    GATE_NVME_ADMIN, /* opcode, qualifier = CDW10 */
    GATE_NVME_IO,    /* opcode */
    GATE_ATA,        /* command register, qualifier = gate_ata */
    GATE_SCSI,       /* CDB byte 0, qualifier = gate_scsi */
    GATE_MFI_FRAME,  /* frame command byte */
    GATE_MFI_DCMD,   /* DCMD opcode */
    GATE_FUSION,     /* function of a MegaRAID fusion request */
    GATE_SMBUS,      /* enum gate_smbus, qualifier = 7-bit address << 8 | command byte */
    GATE_TRANSPORT_COUNT
};
/* SMART EXECUTE OFF-LINE tells its tests apart by the low byte of the LBA. */
static inline uint32_t gate_ata(uint8_t features, uint8_t lba_low)
{
    return features | (uint32_t)lba_low << 8;
}
/* The service action (CDB byte 1, bits 4:0); of ATA PASS-THROUGH(16) the ATA command, its features, and the
 * bytes that say how it moves data. */
static inline uint32_t gate_scsi(const uint8_t *cdb)
{
    return cdb[0] == 0x85 ? cdb[14] | (uint32_t)cdb[4] << 8 | (uint32_t)cdb[1] << 16 | (uint32_t)cdb[2] << 24
                          : cdb[1] & 0x1fu;
}
enum gate_smbus { SMBUS_READ_BYTE_DATA = 1 }; /* what is not named cannot be asked for */
struct gate_row {
    enum gate_transport transport;
    uint32_t opcode;
    uint32_t qualifier_mask, qualifier; /* mask 0: any */
    const char *name, *why_harmless;
};
extern const struct gate_row gate_rows[];
extern const unsigned gate_row_count;

/* True when some row permits the command.  [any] Walks the table: for management commands. */
bool gate_permits(enum gate_transport transport, uint32_t opcode, uint32_t qualifier);

/* The table above lets a drive's caches be switched; which way is asked here.  Off, and back to what was
 * found, always passes; a write cache that was found off goes on only on an armed disk: from then on it holds
 * writes that a power cut loses.  [boot] */
bool gate_permits_write_cache(const char *identity, bool on, bool found_on);

/* ---- the I/O path ---- */
/* What one lane may send: fixed when the lane is opened, copied from the tables and the list of the armed,
 * not from the caller. */
struct gate_pass {
    enum gate_transport transport;
    uint8_t read_opcode;                /* the only opcode that reads data for this lane */
    uint8_t write_opcode, flush_opcode; /* mean nothing while write_end_lba is 0 */
    uint64_t lba_count;                 /* nothing at or beyond this LBA */
    uint64_t write_first_lba;           /* writes lie within these two; */
    uint64_t write_end_lba;             /* 0: the lane neither writes nor flushes */
};
/* E_REFUSED when the table does not permit read_opcode on that transport. */
int gate_open(struct gate_pass *p, enum gate_transport transport, uint8_t read_opcode, uint64_t lba_count);

/* Adds writes and flushes to a pass that gate_open made, clamped to the armed range of the disk with this
 * identity.  E_REFUSED, the pass as it was: the disk is not armed, its armed range lies beyond its end, or
 * the table of writes does not know one of the commands on this transport.  [boot] */
int gate_open_writes(struct gate_pass *p, enum gate_transport transport, uint8_t write_opcode,
                     uint8_t flush_opcode, const char *identity, uint64_t lba_count);

/* Asked for every command with blocks that is about to be put into a queue.  [any] */
static inline bool gate_lets_through(const struct gate_pass *p, uint8_t opcode, uint64_t lba, uint32_t blocks)
{
    if (opcode == p->read_opcode)
        return blocks != 0 && lba < p->lba_count && blocks <= p->lba_count - lba;
    return opcode == p->write_opcode && blocks != 0 && lba >= p->write_first_lba && lba < p->write_end_lba &&
           blocks <= p->write_end_lba - lba;
}
/* And for every flush. */
static inline bool gate_lets_flush(const struct gate_pass *p, uint8_t opcode)
{
    return p->write_end_lba != 0 && opcode == p->flush_opcode;
}

/* The same question for many requests of one size: those that start below this LBA pass, no other does. */
static inline uint64_t gate_first_lbas(const struct gate_pass *p, uint8_t opcode, uint32_t blocks)
{
    return opcode == p->read_opcode && blocks != 0 && blocks <= p->lba_count ? p->lba_count - blocks + 1 : 0;
}
/* And for writes, counted from write_first_lba: those that start less than this after it pass. */
static inline uint64_t gate_first_writes(const struct gate_pass *p, uint8_t opcode, uint32_t blocks)
{
    uint64_t room = p->write_end_lba - p->write_first_lba;

    return room && opcode == p->write_opcode && blocks != 0 && blocks <= room ? room - blocks + 1 : 0;
}

/* ---- writes ---- */
/* One row per command that writes or flushes; never asked about but through a pass of gate_open_writes. */
struct gate_write_row {
    enum gate_transport transport;
    uint8_t opcode;
    bool flushes; /* moves no data; else it writes blocks */
    const char *name;
};
extern const struct gate_write_row gate_write_rows[];
extern const unsigned gate_write_row_count;

/* The armed: which disk, by its identity, may be written, and where.  Empty unless the write guard
 * (sweep/guard.h) filled it in; nobody else calls gate_arm.  A lane that was opened for reading never
 * writes, also on an armed disk. */
enum { GATE_MAX_ARMED = 256 };
/* E_REFUSED: an empty identity, one that is armed already, or an empty or wrapping range; E_LIMIT: the list
 * is full.  On failure nothing changed.  [boot] */
int gate_arm(const char *identity, uint64_t first_lba, uint64_t lba_count);
void gate_disarm(const char *identity); /* lanes that are open keep what they had.  [boot] */
void gate_disarm_all(void);             /* [boot] */
/* True when the disk is armed; its range in the two numbers (NULL: not asked).  [boot] */
bool gate_is_armed(const char *identity, uint64_t *first_lba, uint64_t *lba_count);

#endif
