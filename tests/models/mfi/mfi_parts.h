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
    STATUS_LD_INIT = 0x18,
    STATUS_NO_HARDWARE = 0x22,
    STATUS_NOT_FOUND = 0x23,
    STATUS_SCSI = 0x2d,
    STATUS_WRONG_STATE = 0x32,
    STATUS_LD_OFFLINE = 0x33,
    STATUS_BAD_SGL = 0x3c
};
enum { PATTERN_PHYSICAL = 0x100, MODEL_MFI_MAX_SGE = 256 };

/* A frame as it lies in memory, and how far its data has been moved. */
struct model_mfi_command {
    uint64_t address;
    uint8_t raw[64];
    uint8_t cmd, target, sge_count, sense_cap;
    uint16_t flags;
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
void model_mfi_submit(struct model_mfi *m, uint64_t address, unsigned extra);
void model_mfi_frames_tick(struct model_mfi *m);
void model_mfi_frames_drop(struct model_mfi *m);
bool model_mfi_put(struct model_mfi *m, struct model_mfi_command *c, const void *data, uint64_t n);

/* ---- mfi_target.c: SCSI and media ---- */
void model_mfi_run_ld_read(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                           struct model_mfi_outcome *o);
void model_mfi_run_scsi(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                        struct model_mfi_outcome *o);
/* Whether the frame reads a medium, and how many blocks. */
bool model_mfi_is_read(const struct model_mfi_command *c, uint32_t *blocks);

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
    model_mfi_fill_bbu_properties, model_mfi_fill_time, model_mfi_fill_zeros;
/* The VPD 83h page of a medium; returns its length. */
unsigned model_mfi_vpd83(const struct model_mfi_medium *d, uint8_t *out);
void model_mfi_inquiry(const struct model_mfi_medium *d, unsigned scsi_type, uint8_t out[96]);

#endif
