#ifndef TESTS_MODELS_AHCI_PARTS_H
#define TESTS_MODELS_AHCI_PARTS_H
#include "model_ahci.h"

/* What the files of the AHCI model share. */

enum { DET_PRESENT = 3, STS_BSY = 0x80, STS_DRQ = 0x08, STS_ERR = 0x01, STS_DF = 0x20, STS_IDLE = 0x50 };
enum { ERR_ABRT = 0x04, ERR_IDNF = 0x10, ERR_UNC = 0x40 };
/* PxIS */
enum {
    IS_DHRS = 1 << 0,
    IS_PSS = 1 << 1,
    IS_SDBS = 1 << 3,
    IS_DPS = 1 << 5,
    IS_PCS = 1 << 6,
    IS_PRCS = 1 << 22,
    IS_OFS = 1 << 24,
    IS_IFS = 1 << 27,
    IS_HBDS = 1 << 28,
    IS_TFES = 1 << 30
};
/* PxCMD */
enum {
    CMD_ST = 1 << 0,
    CMD_SUD = 1 << 1,
    CMD_POD = 1 << 2,
    CMD_CLO = 1 << 3,
    CMD_FRE = 1 << 4,
    CMD_FR = 1 << 14,
    CMD_CR = 1 << 15
};
/* PxSERR */
enum { SERR_P = 1 << 10, SERR_N = 1 << 16, SERR_X = 1 << 26 };

/* ---- model_ahci.c ---- */
void model_ahci_violation(struct model_ahci *m, const char *what, uint64_t got, uint64_t want);
uint64_t model_ahci_now_ns(const struct model_ahci *m);
/* now + ns, MODEL_AHCI_NEVER staying what it is. */
uint64_t model_ahci_after_ns(const struct model_ahci *m, uint64_t ns);
bool model_ahci_published(const struct model_ahci *m);
unsigned model_ahci_port_number(const struct model_ahci *m, const struct model_ahci_port *p);
/* An interrupt cause of a port. */
void model_ahci_raise(struct model_ahci *m, struct model_ahci_port *p, uint32_t is_bits);

/* ---- ahci_port.c: registers, link, engines ---- */
void model_ahci_port_reset(struct model_ahci *m, struct model_ahci_port *p);
void model_ahci_port_start_link(struct model_ahci *m, struct model_ahci_port *p);
void model_ahci_port_left_running(struct model_ahci *m, struct model_ahci_port *p);
void model_ahci_port_drop_link(struct model_ahci *m, struct model_ahci_port *p);
void model_ahci_port_tick(struct model_ahci *m, struct model_ahci_port *p);
uint32_t model_ahci_port_read(struct model_ahci *m, struct model_ahci_port *p, uint32_t off);
void model_ahci_port_write(struct model_ahci *m, struct model_ahci_port *p, uint32_t off, uint32_t v);
void model_ahci_post_fis(struct model_ahci *m, struct model_ahci_port *p, uint32_t off, const void *fis,
                         size_t n);
/* A device-to-host register FIS: TFD, the receive area and, when asked, the interrupt. */
void model_ahci_post_d2h(struct model_ahci *m, struct model_ahci_port *p, uint8_t status, uint8_t error,
                         uint64_t lba, uint16_t count);

/* ---- ahci_command.c: slots, lists, completion ---- */
void model_ahci_sact_written(struct model_ahci *m, struct model_ahci_port *p, uint32_t v);
void model_ahci_ci_written(struct model_ahci *m, struct model_ahci_port *p, uint32_t v);
void model_ahci_commands_tick(struct model_ahci *m, struct model_ahci_port *p);
/* ST fell: the adapter forgets, the drive does not. */
void model_ahci_commands_orphan(struct model_ahci_port *p);
/* The drive was reset: nothing is left anywhere. */
void model_ahci_commands_forget(struct model_ahci_port *p);
/* What a command moves to the host, in order. */
struct ahci_cursor {
    uint64_t address;
    uint32_t entry, left_bytes, moved_bytes;
    bool overflow;
};
/* The other way round. */
bool model_ahci_get(struct model_ahci *m, struct model_ahci_port *p, const struct model_ahci_slot *s,
                    struct ahci_cursor *c, uint8_t *data, uint32_t n);
bool model_ahci_put(struct model_ahci *m, struct model_ahci_port *p, const struct model_ahci_slot *s,
                    struct ahci_cursor *c, const uint8_t *data, uint32_t n);

/* ---- ahci_ata.c: what the drive does ---- */
enum ahci_ata_kind {
    ATA_UNKNOWN,
    ATA_NO_DATA,
    ATA_SECTOR_IN, /* one or more blocks of 512 bytes that are not medium */
    ATA_READ,
    ATA_READ_QUEUED,
    ATA_WRITE,
    ATA_WRITE_QUEUED,
    ATA_PACKET,
    ATA_FORBIDDEN /* changes the medium or the drive for good: a violation */
};
struct ahci_ata_command {
    uint8_t opcode;
    enum ahci_ata_kind kind;
    bool lba48, pio;
    const char *name;
};
const struct ahci_ata_command *model_ahci_ata_find(uint8_t opcode);
static inline bool model_ahci_is_queued(const struct ahci_ata_command *c)
{
    return c->kind == ATA_READ_QUEUED || c->kind == ATA_WRITE_QUEUED;
}
static inline bool model_ahci_is_write(const struct ahci_ata_command *c)
{
    return c->kind == ATA_WRITE || c->kind == ATA_WRITE_QUEUED;
}
/* LBA and blocks of a media read, as the FIS spells them. */
void model_ahci_ata_decode(const struct ahci_ata_command *c, const uint8_t *cfis, uint64_t *lba,
                           uint32_t *blocks);
struct ahci_answer {
    uint8_t status, error;
    uint64_t lba;
    uint16_t count;
    uint32_t hide_bytes; /* PRDBC says less than was moved by this much */
    uint32_t lie_bytes;  /* and more by this much */
};
/* Runs the command to its end, moving data. */
void model_ahci_ata_run(struct model_ahci *m, struct model_ahci_port *p, struct model_ahci_slot *s,
                        struct ahci_cursor *cur, struct ahci_answer *a);

/* Makes the sum of all bytes zero. */
void model_ahci_seal(uint8_t block[512]);

/* ---- ahci_smart.c: its account of itself; false: aborted ---- */
void model_ahci_smart_data(struct model_ahci *m, struct model_ahci_port *p, uint8_t block[512]);
void model_ahci_smart_thresholds(const struct model_ahci_port *p, uint8_t block[512]);
bool model_ahci_smart_log(const struct model_ahci_port *p, uint8_t log, uint8_t block[512]);
bool model_ahci_statistics(const struct model_ahci_port *p, uint8_t page, uint8_t block[512]);
void model_ahci_test_log_ext(const struct model_ahci_port *p, uint8_t block[512]);
bool model_ahci_self_test(struct model_ahci *m, struct model_ahci_port *p, uint8_t what);
/* A reset ends the test that runs. */
void model_ahci_test_interrupted(struct model_ahci_port *p);

/* ---- ahci_identify.c ---- */
void model_ahci_identify(const struct model_ahci *m, unsigned port, const struct model_ahci_drive *d,
                         bool packet, uint8_t out[512]);

#endif
