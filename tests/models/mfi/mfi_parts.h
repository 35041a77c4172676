#ifndef TESTS_MODELS_MFI_PARTS_H
#define TESTS_MODELS_MFI_PARTS_H
#include <string.h>
#include "model_mfi.h"

/* What the files of the MFI model share. */

/* Frame commands. */
enum { FRAME_INIT, FRAME_LD_READ, FRAME_LD_WRITE, FRAME_LD_SCSI, FRAME_PD_SCSI, FRAME_DCMD, FRAME_ABORT };
/* Frame flags. */
enum {
    FLAG_NO_POST = 0x01,
    FLAG_SGL64 = 0x02,
    FLAG_SENSE64 = 0x04,
    FLAG_WRITE = 0x08,
    FLAG_READ = 0x10,
    FLAG_IEEE = 0x20
};
/* Status bytes. */
enum {
    STATUS_OK = 0x00,
    STATUS_BAD_COMMAND = 0x01,
    STATUS_BAD_DCMD = 0x02,
    STATUS_BAD_PARAMETER = 0x03,
    STATUS_NO_DEVICE = 0x0c,
    STATUS_FLUSH_FAILED = 0x15,
    STATUS_LD_INIT = 0x18,
    STATUS_NO_HARDWARE = 0x22,
    STATUS_NOT_FOUND = 0x23,
    STATUS_SCSI = 0x2d,
    STATUS_WRONG_STATE = 0x32,
    STATUS_LD_OFFLINE = 0x33,
    STATUS_BAD_SGL = 0x3c
};
enum { PATTERN_PHYSICAL = 0x100, MODEL_MFI_MAX_SGE = 512 };

/* A frame as it lies in memory, and how far its data has been moved. */
struct model_mfi_command {
    uint64_t address;
    uint8_t raw[64];
    uint8_t cmd, sense_cap;
    uint16_t target, flags, sge_count;
    uint32_t length, context;
    uint64_t sense, sgl_bytes, moved;
    unsigned at;
    uint32_t at_offset;
    bool bad_sgl;
    struct {
        uint64_t address;
        uint32_t bytes;
    } sge[MODEL_MFI_MAX_SGE];
};
struct model_mfi_outcome {
    uint8_t status, scsi_status, sense_len, sense[32];
};

static inline uint16_t get16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t get32(const uint8_t *p) { return get16(p) | (uint32_t)get16(p + 2) << 16; }
static inline uint64_t get64(const uint8_t *p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }
static inline void put16(uint8_t *p, uint64_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}
static inline void put32(uint8_t *p, uint64_t v)
{
    put16(p, v);
    put16(p + 2, v >> 16);
}
static inline void put64(uint8_t *p, uint64_t v)
{
    put32(p, v);
    put32(p + 4, v >> 32);
}
/* Big-endian, as SCSI has it. */
static inline void put_be(uint8_t *p, unsigned bytes, uint64_t v)
{
    while (bytes--) {
        p[bytes] = (uint8_t)v;
        v >>= 8;
    }
}
static inline uint64_t get_be(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    while (bytes--)
        v = v << 8 | *p++;
    return v;
}

/* ---- mfi_generation.c: what differs between the generations ---- */
enum model_mfi_post { POST_PORT, POST_PORT_SHIFTED, POST_PORT_PAIR, POST_DESCRIPTOR };
enum { NO_BAR = 7, BAR_BYTES = 0x4000, IO_BAR_BYTES = 0x100 };
struct model_mfi_row {
    const char *product;
    uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
    unsigned memory_bar, io_bar;
    bool bar64;
    enum model_mfi_post post;
    uint32_t status, doorbell, acknowledge, mask_all, osts_done;
    uint32_t diag, keys; /* registers; 0: reset is by doorbell */
    const uint8_t *key;  /* what is written to `keys` */
    unsigned key_count;
    uint16_t max_cmds, memory_mib;
    uint8_t max_sge;
    bool ieee_only;   /* LD and PD I/O by IEEE entries only */
    bool only_32_bit; /* frames, queues and management buffers below 4 GiB (fusion: without dma64) */
    bool end_of_list; /* fusion: last SGE flagged, plain chain flag, type and count in the RAID context */
    bool g35;         /* fusion: RAID context of Ventura and later */
    bool atomic;      /* fusion: may have the port at C8h */
    unsigned zero_reads;
};
const struct model_mfi_row *model_mfi_row(const struct model_mfi *m);
static inline bool model_mfi_is_fusion(const struct model_mfi *m)
{
    return model_mfi_row(m)->post == POST_DESCRIPTOR;
}

/* ---- model_mfi.c ---- */
void model_mfi_violation(struct model_mfi *m, const char *what, uint64_t got, uint64_t want);
uint64_t model_mfi_now_ns(const struct model_mfi *m);
uint64_t model_mfi_after_ns(const struct model_mfi *m, uint64_t ns);
void model_mfi_interrupt(struct model_mfi *m);
struct model_mfi_ld *model_mfi_ld_of(struct model_mfi *m, unsigned target);
/* By what PD_SCSI_IO calls it. */
struct model_mfi_pd *model_mfi_pd_target(struct model_mfi *m, unsigned target);
/* By the device id of PD lists. */
struct model_mfi_pd *model_mfi_pd_of(struct model_mfi *m, unsigned device_id);
uint16_t model_mfi_pd_id(const struct model_mfi *m, const struct model_mfi_pd *pd);
const struct model_mfi_lie *model_mfi_lie_for(const struct model_mfi *m, uint32_t opcode);

/* ---- mfi_frames.c ---- */
/* published: the driver published its stores before it wrote the address. */
void model_mfi_submit(struct model_mfi *m, uint64_t address, unsigned extra, bool published);
void model_mfi_frames_tick(struct model_mfi *m);
void model_mfi_frames_drop(struct model_mfi *m);
/* For both interfaces: a frame as it lies in memory; what it does; its answer but for the reply. */
bool model_mfi_read_frame(struct model_mfi *m, uint64_t address, struct model_mfi_command *c);
void model_mfi_check_frame(struct model_mfi *m, const struct model_mfi_command *c, unsigned extra);
void model_mfi_run_frame(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                         struct model_mfi_outcome *o);
void model_mfi_answer_frame(struct model_mfi *m, const struct model_mfi_frame *f,
                            const struct model_mfi_command *c, const struct model_mfi_outcome *o);
uint32_t model_mfi_checksum(struct model_mfi *m, uint32_t h, uint64_t address, uint32_t bytes);
uint32_t model_mfi_frame_checksum(struct model_mfi *m, uint64_t address, uint32_t bytes);
/* Whether the nth media read is one that such a setting means. */
bool model_mfi_hits(const struct model_mfi *m, unsigned long nth, unsigned long wanted);
/* Mischief that happens when a read is posted; true: the card is no more, or has broken down. */
bool model_mfi_mischief(struct model_mfi *m, unsigned long nth);
uint64_t model_mfi_due_ns(struct model_mfi *m, const struct model_mfi_command *c, unsigned long nth);
struct model_mfi_frame *model_mfi_take_entry(struct model_mfi *m);
/* The entry is over; f is a copy of it. */
void model_mfi_leave_entry(struct model_mfi *m, struct model_mfi_frame *entry);
/* The other way: up to n bytes of the frame's data from memory; how many. */
uint64_t model_mfi_get(struct model_mfi *m, const struct model_mfi_command *c, void *to, uint64_t n);
bool model_mfi_put(struct model_mfi *m, struct model_mfi_command *c, const void *data, uint64_t n);

/* ---- mfi_fusion.c ---- */
/* A request descriptor; `published` as above. */
void model_mfi_fusion_post(struct model_mfi *m, uint64_t descriptor, bool published);
/* Ends a request whose time has come; false: not now (no room in the reply ring, half a reply written). */
bool model_mfi_fusion_finish(struct model_mfi *m, struct model_mfi_frame *entry);
void model_mfi_fusion_index(struct model_mfi *m, uint32_t v);

/* ---- mfi_fusion_init.c ---- */
uint8_t model_mfi_fusion_init(struct model_mfi *m, const struct model_mfi_command *c);

/* ---- mfi_state.c: what happens by itself as time passes ---- */
void model_mfi_state_tick(struct model_mfi *m);
/* What is true now of work that is under way. */
uint8_t model_mfi_current_policy(const struct model_mfi *m, const struct model_mfi_ld *ld);
/* The battery cannot be relied upon. */
bool model_mfi_bbu_bad(const struct model_mfi *m);

/* ---- mfi_change.c: DCMDs that change something, when the settings allow them ---- */
uint8_t model_mfi_change(struct model_mfi *m, struct model_mfi_command *c);

/* ---- mfi_target.c: SCSI and media ---- */
void model_mfi_run_ld_read(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                           struct model_mfi_outcome *o);
void model_mfi_run_scsi(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                        struct model_mfi_outcome *o);
/* Whether the frame reads a medium, and how many blocks. */
bool model_mfi_is_read(const struct model_mfi_command *c, uint32_t *blocks);
bool model_mfi_is_write(const struct model_mfi_command *c, uint32_t *blocks);
/* Counts a read or write that was posted; its number among them, 0: neither. */
unsigned long model_mfi_count(struct model_mfi *m, const struct model_mfi_command *c);
void model_mfi_run_ld_write(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                            struct model_mfi_outcome *o);
/* Everything that was written, of all drives; the fault that makes it fail, or NULL. */
const struct medium_fault *model_mfi_flush(struct model_mfi *m);
/* The next n bytes of the frame's data from memory. */
bool model_mfi_take(struct model_mfi *m, struct model_mfi_command *c, void *to, uint64_t n);

/* ---- mfi_self.c: what a physical drive tells of itself; false: no such command ---- */
bool model_mfi_run_self(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_pd *pd,
                        struct model_mfi_outcome *o);

/* ---- mfi_direct.c: DCMDs ---- */
void model_mfi_run_dcmd(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_outcome *o);

/* ---- mfi_answers.c: what the DCMDs say ---- */
/* Status; *n: bytes of the answer in out, at most cap. */
typedef uint8_t model_mfi_fill(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                               uint32_t *n);
model_mfi_fill model_mfi_fill_ctrl_info, model_mfi_fill_ctrl_properties, model_mfi_fill_event_info,
    model_mfi_fill_events, model_mfi_fill_pd_list, model_mfi_fill_pd_query, model_mfi_fill_pd_info,
    model_mfi_fill_ld_list, model_mfi_fill_ld_query, model_mfi_fill_ld_info, model_mfi_fill_ld_properties,
    model_mfi_fill_config, model_mfi_fill_bbu_status, model_mfi_fill_bbu_capacity, model_mfi_fill_bbu_design,
    model_mfi_fill_bbu_properties, model_mfi_fill_time, model_mfi_fill_zeros, model_mfi_fill_event_wait,
    model_mfi_fill_patrol_status, model_mfi_fill_patrol_properties;
/* The VPD 83h page of a medium; returns its length. */
unsigned model_mfi_vpd83(const struct model_mfi_medium *d, uint8_t *out);
void model_mfi_inquiry(const struct model_mfi_medium *d, unsigned scsi_type, uint8_t out[96]);

#endif
