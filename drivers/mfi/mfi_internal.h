#ifndef MFI_INTERNAL_H
#define MFI_INTERNAL_H
#include "gate.h"
#include "lane.h"
#include "mfi.h"
#include "mfi_fusion_spec.h"
#include "mfi_regs.h"
#include "mfi_spec.h"
#include "str.h"
#include "text.h"

struct mfi_card;
struct mfi_lane;

/* ---- generations: what differs, as data (mfi_generation.c) ---- */
enum mfi_reset_kind {
    MFI_RESET_DOORBELL,    /* IOP333, 1078 */
    MFI_RESET_DIAG_HIGH,   /* 2108: host diagnostics at F8h */
    MFI_RESET_DIAG_LOW,    /* 2008: at 08h */
    MFI_RESET_DIAG_FUSION, /* the same place, two more keys */
    MFI_RESET_KINDS
};
struct mfi_generation {
    const char *name;
    uint32_t status_reg, doorbell_reg, mask_all;
    uint32_t max_command_sectors;
    enum mfi_reset_kind reset;
    bool fusion;
    /* MFI frames */
    uint32_t port_reg, port_high_reg; /* high: written first; 0: there is none */
    uint32_t (*port_word)(uint64_t frame_bus, unsigned extra_frames);
    uint8_t max_sge;
    bool ieee_io;     /* 16-byte scatter entries in I/O frames */
    bool no_pd_query; /* the list of exposed drives is not asked for */
    /* fusion (facts/mfi.md 6.4, 6.8) */
    uint8_t chain_flags, last_flags, type_nseg, read_type;
    bool commands_in_pad_2, context_g35, may_be_atomic;
    bool reads_zero; /* a register may read 0 by mistake */
    bool dcmd_sgl64;
    /* Only management commands that Linux sends too: others were seen to make the firmware of such cards
     * fault (7, fact 5). */
    bool shy;
};
/* NULL: an id of no row. */
const struct mfi_generation *mfi_generation_of(const struct pci_fn *fn);

/* ---- cards by all four ids (mfi_cards.c) ---- */
struct mfi_card_name {
    uint16_t vendor_id, device_id, subdevice_id; /* of subvendor 1028 */
    const char *name;
    bool adapter;
};
/* NULL: not in the table. */
const struct mfi_card_name *mfi_card_name_of(const struct pci_fn *fn);

/* ---- the card ---- */
enum {
    MFI_MAX_IO_FRAMES = 512,
    MFI_MAX_UNSERVED = 24,     /* the driver knows 18 direct commands; beyond it each is recorded */
    MFI_MAX_MANAGEMENT = 4,    /* one in use; the others replace it when a drive never answers */
    MFI_BUFFER_BYTES = 8192,   /* of one management command; the longest PD list and event page fit */
    MFI_SEGMENT_BYTES = 65536, /* of one scatter entry: the longest that Linux's block layer sends */
    MFI_DEFAULT_COMMAND_BYTES = 131072
};
#define MFI_BELOW_4_GIB 0xffffffffull

/* One command that the card can have in its hands.  What a frame says is built once and used again as long as
 * the same slot of the same lane reads as many blocks. */
struct mfi_tag {
    uint64_t built;  /* lane, operation, slot and blocks that the frame is built for (mfi_path.h); 0: none */
    uint64_t *frame; /* MFI frame, or fusion request */
    struct mfi_lane *lane; /* NULL: none, or a management command */
    uint64_t head;         /* MFI: first word of the frame; fusion: request descriptor */
    uint64_t lba;
    union {
        uint32_t port;  /* MFI: what is written to the queue port */
        uint32_t bytes; /* fusion: to be moved */
    };
    uint32_t blocks;
    uint16_t slot, part, number;
    bool in_flight;
    uint8_t op; /* enum io_op that the frame is built for */
};
_Static_assert(sizeof(struct mfi_tag) == 56, "no larger than it must be: it is indexed per I/O");
struct mfi_address {
    uint8_t cmd; /* MFI_LD_SCSI_IO or MFI_PD_SCSI_IO */
    uint16_t target;
    bool member; /* not exposed to the host: takes questions in MFI frames only */
};
struct mfi_disk {
    struct disk d;
    struct mfi_address address;
    uint8_t ld_state;
    bool mute;                    /* left a question about its health unanswered: not asked again */
    struct raid_virtual_drive vd; /* of kind DISK_VIRTUAL_DRIVE */
    struct raid_drive pd;         /* of kind DISK_PHYSICAL_BEHIND_RAID */
};
struct mfi_card {
    struct controller c;
    const struct mfi_generation *gen;
    struct mmio regs;
    uint16_t max_commands, max_sge;
    bool ieee_firmware; /* FW_IEEE_SGL */
    bool enabled;       /* plat_pci_enable is to be undone */
    bool given_away;    /* INIT was posted: the firmware may write our memory until it is READY */
    bool dead;          /* takes no more frames; why: c.fault */
    bool message_acknowledged, was_reset; /* on the way to READY, with consent */
    uint32_t fault_word;                  /* before the reset */
    bool qemu;                            /* package version says so (5.4, facts 15 and 16) */

    struct dma_buf queue;   /* queue information, indices, reply ring */
    struct dma_buf frames;  /* management slots, then I/O slots: tag n at n x MFI_SLOT_BYTES */
    struct dma_buf buffers; /* one MFI_BUFFER_BYTES per management slot */
    unsigned management_count, management;
    unsigned strays, strays_told; /* answers that belong to no command; of these, said in a remark */
    uint64_t last_stray;          /* reply descriptor, or context of a frame */
    uint8_t command_status;       /* status byte of the last management command that was answered */
    uint32_t command_detail;      /* the same with sense, for mfi_status_words */

    /* Fusion: requests (tag n is SMID n + 1, number 0 is not used) and the ring of replies. */
    struct dma_buf requests;
    uint64_t *ring;
    uint32_t ring_depth, ring_at;
    uint32_t request_reg; /* ATOMIC, or 0 for the 64-bit one */

    struct mfi_tag *tags;  /* those of management first */
    struct mfi_tag nobody; /* a tag that fits no request */
    unsigned io_frames, free_count, lane_count, share, next_tag;
    uint16_t lane_serial;
    struct mfi_lane *lanes;   /* open */
    struct mfi_lane *orphans; /* closed while the firmware still had frames of theirs */

    uint32_t max_command_bytes;
    struct disk *disk_list[CONTROLLER_MAX_DISKS];
    const struct mfi_card_name *name; /* NULL: not known by its ids */
    struct raid_card raid;
    struct mfi_ctrl_info info;
    uint8_t config[MFI_BUFFER_BYTES] __attribute__((aligned(8)));
    uint32_t config_bytes;
    uint32_t next_event; /* sequence number of the first that is not yet told */
    bool has_events;
    struct mfi_ld_list lds;
    struct mfi_pd_list pds, exposed;
    struct mfi_events events;
    /* Refusals of direct commands that were recorded. */
    struct {
        uint32_t opcode;
        uint8_t status;
    } unserved[MFI_MAX_UNSERVED];
    unsigned unserved_count;
};
static inline struct mfi_card *mfi_card_of(const struct controller *c) { return (struct mfi_card *)c; }
/* An MFI frame has 8 bits for the target; a fusion request has 16. */
static inline bool mfi_addressable(const struct mfi_card *card, struct mfi_address to)
{
    return to.target <= 0xff || (card->gen->fusion && !to.member);
}
static inline uint8_t *mfi_slot(const struct mfi_card *card, unsigned tag)
{
    return (uint8_t *)card->frames.cpu + (size_t)tag * MFI_SLOT_BYTES;
}
static inline uint64_t mfi_slot_bus(const struct mfi_card *card, unsigned tag)
{
    return card->frames.bus + (uint64_t)tag * MFI_SLOT_BYTES;
}
/* The status byte as the firmware last wrote it. */
static inline uint8_t mfi_slot_status(const uint8_t *slot)
{
    return __atomic_load_n(&slot[2], __ATOMIC_RELAXED);
}

/* ---- firmware (mfi_firmware.c) ---- */
/* A register that holds a state or a limit.  [any] */
enum { MFI_ZERO_READS = 30 };
uint32_t mfi_register(const struct mfi_card *card, uint32_t reg);
/* The raw status word.  [any] */
uint32_t mfi_firmware_word(const struct mfi_card *card);
/* OK while the firmware runs.  E_GONE, or E_PROTO in state FAULT: recorded in the card's fault.  [any] */
int mfi_firmware_alive(struct mfi_card *card);
/* Brings the firmware from whatever state to READY.  FAULT (a reset may cost dirty cache) and a boot message
 * (acknowledging may be irreversible) are left alone and reported unless raid_consent says otherwise.  [boot]
 */
int mfi_firmware_to_ready(struct mfi_card *card);
/* Tells the firmware to forget our queues and waits for READY; until then it may write our memory.  [boot] */
int mfi_firmware_leave(struct mfi_card *card);
/* Resets the adapter, which must be in FAULT; bounded, READY is to be waited for.  [boot] (mfi_reset.c) */
int mfi_firmware_reset(struct mfi_card *card);
/* INIT posted and answered, firmware OPERATIONAL.  [boot] */
int mfi_firmware_init(struct mfi_card *card);

/* ---- management commands (mfi_dcmd.c) ---- */
enum mfi_waiting_for { MFI_FOR_CARD, MFI_FOR_DRIVE };
/* Zeroes the current management slot and presets its header.  [boot] */
struct mfi_header *mfi_management_frame(struct mfi_card *card, uint8_t cmd);
/* Posts the management slot and waits for its status byte (then in card->command_status).  E_TIMEOUT: the
 * frame stays with the firmware; for a drive the next management slot takes over while there is one, else
 * the card has a fault.  [boot] */
int mfi_management_call(struct mfi_card *card, enum mfi_waiting_for whom, uint32_t deadline_ms,
                        const char *name);
/* The second half of it, for a command that was posted in another way.  [boot] */
int mfi_management_wait(struct mfi_card *card, enum mfi_waiting_for whom, uint32_t deadline_ms,
                        const char *name);
/* The current management buffer is filled with a pattern before a command, so that an answer "ok" without
 * data is recognised.  mfi_buffer_copy copies it to `to` and returns how many bytes were written, as far as
 * the pattern tells: up to the last byte that differs from it.  [boot] */
void mfi_buffer_prepare(struct mfi_card *card, uint32_t len_bytes);
uint32_t mfi_buffer_copy(struct mfi_card *card, void *to, uint32_t len_bytes);

struct mfi_op {
    uint32_t opcode;
    const char *name;
    uint32_t deadline_ms;
    bool not_for_shy; /* never sent to a generation that is shy */
};
extern const struct mfi_op MFI_CTRL_GET_INFO, MFI_EVENT_INFO, MFI_EVENT_GET, MFI_CACHE_FLUSH, MFI_PD_GET_LIST,
    MFI_PD_QUERY, MFI_PD_GET_INFO, MFI_LD_GET_LIST, MFI_LD_GET_INFO, MFI_LD_GET_PROPERTIES,
    MFI_CTRL_GET_PROPERTIES, MFI_PATROL_STATUS, MFI_CONFIG_READ, MFI_BBU_STATUS, MFI_BBU_CAPACITY,
    MFI_BBU_PROPERTIES, MFI_LOCATE_ON, MFI_LOCATE_OFF;
/* One direct command.  reply NULL: it moves no data; else reply_bytes <= MFI_BUFFER_BYTES are asked for and
 * *reply is plain memory, zero beyond what was written.  E_REFUSED: by the gate, or by the firmware
 * (card->command_status says how); E_UNSUPPORTED: unknown to the firmware, or answered without data.  [boot]
 */
int mfi_dcmd(struct mfi_card *card, const struct mfi_op *op, struct mfi_mbox mbox, void *reply,
             uint32_t reply_bytes);

/* ---- SCSI through the card (mfi_scsi.c) ---- */
/* One data-in command; unit attentions are retried.  *got: bytes written, as mfi_buffer_copy counts them.
 * E_REFUSED: card->command_detail says how.  [boot] */
int mfi_scsi_in(struct mfi_card *card, struct mfi_address to, const uint8_t *cdb, uint8_t cdb_len,
                void *reply, uint32_t reply_bytes, uint32_t *got);
/* An ATA PASS-THROUGH that moves no data and whose answer is the drive's registers in sense data; zeros when
 * there is none.  [boot] */
int mfi_scsi_ata_registers(struct mfi_card *card, struct mfi_address to, const uint8_t cdb[16],
                           uint8_t sense[MFI_SENSE_BYTES]);
/* A length that the device states, cut to the buffer; where it claims clearly more than it wrote, what it
 * wrote.  (The last bytes may equal the pattern by chance.) */
uint32_t mfi_believable(uint32_t claimed, uint32_t written, uint32_t cap);
struct mfi_inquiry {
    uint8_t device_type;
    char vendor[9], product[17], revision[5];
};
/* False: not the INQUIRY data of anything (too short, blank). */
bool mfi_inquiry_parse(const uint8_t *data, uint32_t len, struct mfi_inquiry *out);
int mfi_scsi_inquiry(struct mfi_card *card, struct mfi_address to, struct mfi_inquiry *out);
/* Serial number (VPD 80h), the best identifier of VPD 83h and the rotation rate (VPD B1h); what a drive does
 * not tell stays as it is.  An error only for a drive that does not answer at all. */
int mfi_scsi_identity(struct mfi_card *card, struct mfi_address to, struct disk *d);
/* The best designator of a VPD page 83h as text ("naa.600605b0..."); "" when there is none to trust. */
void mfi_designator_text(const uint8_t *page, uint32_t len, char *to, size_t cap);
/* lba_bytes, lba_count and physical_block_bytes by READ CAPACITY(16), (10) where that is unknown.
 * E_LIMIT: a size nobody can have. */
int mfi_scsi_capacity(struct mfi_card *card, struct mfi_address to, struct disk *d);

/* ---- inventory ---- */
/* Fills model, serial, firmware, limits, disks and remarks.  What one drive or list refuses is a remark or a
 * why_not; an error is returned, here and by all below, only for a card that is lost or memory that is not
 * there.  [boot] (mfi_inventory.c) */
int mfi_inventory(struct mfi_card *card);
/* mfi_controller.c */
int mfi_controller_info(struct mfi_card *card);
int mfi_battery(struct mfi_card *card);
int mfi_patrol(struct mfi_card *card);
void mfi_controller_remarks(struct mfi_card *card);
int32_t mfi_temperature(uint8_t raw);
/* mfi_configuration.c */
int mfi_configuration(struct mfi_card *card);
void mfi_take_members(const struct mfi_card *card, const struct mfi_ld_info *info,
                      struct raid_virtual_drive *vd);
/* mfi_virtual.c, mfi_physical.c; look_again: states, progress, what is gone; changes are remarks. */
int mfi_virtual_drives(struct mfi_card *card);
int mfi_virtual_look_again(struct mfi_card *card);
int mfi_physical_drives(struct mfi_card *card);
int mfi_physical_look_again(struct mfi_card *card);
static inline uint8_t mfi_percent(struct mfi_progress p) { return (uint8_t)(p.progress * 100u / 65535u); }
/* mfi_events.c: the log since the card started, as a remark; then what is new. */
int mfi_event_log(struct mfi_card *card);
unsigned mfi_new_events(struct mfi_card *card, struct raid_event *out, unsigned max);
/* mfi_look.c: what goes on beside each disk, into disk.grounds. */
void mfi_grounds(struct mfi_card *card);
unsigned mfi_look_around(struct controller *c);
extern const struct raid_ops mfi_raid_ops;
/* mfi_health.c */
int mfi_health(struct disk *d, struct disk_health *h);
/* mfi_log.c: what a drive says, as bytes; len is what there is of them.  [any] */
/* One page of LOG SENSE into *h; a page that is of another number, cut or of no known use adds nothing. */
void mfi_log_take(const uint8_t *page, uint32_t len, uint8_t number, struct disk_health *h);
/* The verdict of SMART RETURN STATUS in sense data. */
enum mfi_verdict { MFI_VERDICT_NOT_TOLD, MFI_VERDICT_GOOD, MFI_VERDICT_FAILING };
enum mfi_verdict mfi_ata_verdict(const uint8_t *sense, uint32_t len);
/* A new entry in the card's list.  E_NOMEM; E_LIMIT (with a remark) beyond CONTROLLER_MAX_DISKS. */
int mfi_disk_add(struct mfi_card *card, struct mfi_disk **out);
/* INQUIRY (into *inquiry), identity, size and block size from the disk itself, and the rules that make it
 * readable; says why_not otherwise.  A disk that leaves one command unanswered is asked nothing more.
 * Returns an error only for a lost card. */
int mfi_disk_make_readable(struct mfi_card *card, struct mfi_disk *m, struct mfi_inquiry *inquiry);

/* ---- I/O (mfi_lane.c, mfi_io.c; mfi_frame_io.c, mfi_fusion_io.c) ---- */
struct mfi_lane {
    struct io_lane l;
    struct mfi_card *card;
    struct lane_slots slots;
    struct gate_pass pass;
    uint64_t key;                    /* of mfi_tag.built, without operation, slot and blocks */
    struct mfi_tag **home;           /* by slot: the tag that last served it */
    struct mfi_tag **in_flight;      /* MFI frames: oldest first */
    uint32_t lba_bytes, slot_stride; /* slot_stride: from one slot's data to the next's; 0: all share */
    uint32_t max_blocks;             /* of one request */
    uint32_t flags[IO_FLUSH + 1]; /* of an MFI frame, by operation; so opcode: what the gate is asked about */
    uint8_t opcode[IO_FLUSH + 1];
    uint16_t target;
    uint8_t frame_cmd; /* of reads */
    bool fusion, virtual_drive;
    uint16_t in_flight_count;
    unsigned empty_polls;
    struct mfi_lane *next;
};
static inline struct mfi_lane *mfi_lane_of(struct io_lane *l) { return (struct mfi_lane *)l; }
extern const struct disk_ops mfi_disk_ops;
unsigned mfi_lane_submit(struct io_lane *l, const struct io_request *r, unsigned n);
void mfi_lane_kick(struct io_lane *l);
unsigned mfi_lane_poll(struct io_lane *l, struct io_completion *c, unsigned max);
void mfi_lane_expire(struct io_lane *l, unsigned slot);
/* Waits, at most 2 s, for every frame of the lane; false: some stay with the firmware and the card is dead.
 */
bool mfi_lane_drain(struct mfi_lane *m);
/* Frees the lanes that lane_close had to keep; their data buffers only when the firmware has let go. */
void mfi_orphans_free(struct mfi_card *card, bool firmware_let_go);
/* An answer to nothing that was sent: counted and otherwise ignored, as some firmware completes a command of
 * the card's previous owner (facts/mfi.md 7, fact 2).  True: that is too many, the card has a fault.  [any]
 */
enum { MFI_MAX_STRAYS = 16 };
bool mfi_stray(struct mfi_card *card, uint64_t word, const char *what);
/* No more frames for anybody: every lane's slots are lost.  c.fault says why.  [any] */
void mfi_card_die(struct mfi_card *card);

/* ---- fusion: bring-up and management (mfi_fusion.c) ---- */
/* max_commands and max_sge from the scratch pads.  [boot] */
void mfi_fusion_limits(struct mfi_card *card);
/* The request pool and the reply ring; then INIT with them.  [boot] */
int mfi_fusion_alloc(struct mfi_card *card);
int mfi_fusion_init(struct mfi_card *card);
/* Hands over the MFI frame of the current management slot: INIT as it is, others inside a request.  [boot] */
void mfi_fusion_post_management(struct mfi_card *card);
/* The reply to the current management slot's request has come.  [boot] */
bool mfi_fusion_answered(struct mfi_card *card);
/* One data-in SCSI command to an exposed disk as a request of its own in the current management slot, its
 * data to the slot's buffer; command_status and command_detail are the answer.  [boot] */
int mfi_fusion_scsi(struct mfi_card *card, struct mfi_address to, const uint8_t *cdb, uint8_t cdb_len,
                    uint32_t len_bytes, uint32_t deadline_ms);

/* ---- fusion: requests (mfi_fusion_io.c), [any] ---- */
/* Of a tag: number n is SMID n + 1; number 0 of the pool is not used (6.1). */
static inline struct fusion_request *mfi_fusion_request(const struct mfi_card *card, unsigned number)
{
    return (struct fusion_request *)card->requests.cpu + number + 1;
}
/* The caller has published the request. */
static inline void mfi_fusion_ring(const struct mfi_card *card, uint64_t descriptor)
{
    if (card->request_reg)
        plat_write32(&card->regs, card->request_reg, (uint32_t)descriptor);
    else
        plat_write64(&card->regs, MFI_IQPL, descriptor);
}
/* A request by the firmware's path, but for its CDB and direction (control). */
void mfi_fusion_fill(const struct mfi_card *card, unsigned number, struct mfi_address to, uint64_t data_bus,
                     uint32_t bytes, uint8_t cdb_len);
/* The request that carries the MFI frame in the slot of the same number. */
void mfi_fusion_wrap(const struct mfi_card *card, unsigned number);
/* Reads the reply ring; the completions of lane m (may be NULL) go to c as far as it reaches, those of others
 * into the lanes' own lists.  [any] */
unsigned mfi_fusion_reap(struct mfi_card *card, struct mfi_lane *m, struct io_completion *c, unsigned max);

/* ---- words (mfi_text.c) ---- */
/* Packs status byte, SCSI status and sense data into the word that mfi_status_words explains.  [any] */
uint32_t mfi_detail(uint8_t mfi_status, uint8_t scsi_status, const uint8_t *sense, unsigned sense_len);
/* Sense key of a detail word; 0 when it carries none.  [any] */
unsigned mfi_detail_sense_key(uint32_t detail);
void mfi_status_words(uint32_t detail, struct text *out);
const char *mfi_status_text(uint8_t mfi_status); /* "unknown status" for the rest */
void mfi_policy_words(uint8_t policy, struct text *out);

#endif
