#include "ahci_internal.h"
#include "str.h"

/* ---- waiting ---- */
struct ahci_wait ahci_wait_ms(uint32_t ms)
{
    return (struct ahci_wait){ .deadline_ns = plat_now_ns() + ms * NS_PER_MS, .pause_us = 1 };
}

bool ahci_wait_more(struct ahci_wait *w)
{
    if (plat_now_ns() >= w->deadline_ns)
        return false;
    plat_stall_us(w->pause_us);
    plat_relax();
    w->pause_us = w->pause_us < 500 ? w->pause_us * 2 : 1000;
    return true;
}

int ahci_wait_for(const struct mmio *m, uint32_t off, uint32_t mask, uint32_t want, struct ahci_wait w,
                  uint32_t *got)
{
    for (;;) {
        *got = plat_read32(m, off);
        if (*got == UINT32_MAX)
            return E_GONE;
        if ((*got & mask) == want)
            return OK;
        if (!ahci_wait_more(&w))
            return E_TIMEOUT;
    }
}

static int px_wait(const struct ahci_port *p, uint32_t off, uint32_t mask, uint32_t want, uint32_t ms,
                   uint32_t *got)
{
    return ahci_wait_for(p->mmio, p->regs + off, mask, want, ahci_wait_ms(ms), got);
}

/* ---- engines ---- */
int ahci_port_stop(struct ahci_port *p, bool receive)
{
    uint32_t cmd = px_read(p, PX_CMD);
    int rc = OK;

    if (cmd == UINT32_MAX)
        return E_GONE;
    if (cmd & CMD_ST)
        px_write(p, PX_CMD, cmd & (uint32_t) ~(CMD_ST | CMD_ICC));
    rc = px_wait(p, PX_CMD, CMD_CR, 0, ENGINE_STOP_MS, &cmd);
    /* FRE must stay while CR is set (AHCI 1.3.1 section 10.3.2 as the fact sheet B2.5 retells it). */
    if (rc == OK && receive) {
        if (cmd & CMD_FRE)
            px_write(p, PX_CMD, cmd & (uint32_t) ~(CMD_FRE | CMD_ICC));
        rc = px_wait(p, PX_CMD, CMD_FR, 0, ENGINE_STOP_MS, &cmd);
    }
    p->stuck = rc == E_TIMEOUT;
    if (rc == E_TIMEOUT)
        return NOTE(rc, "PxCMD.CR or FR to fall", cmd, 0);
    return rc;
}

int ahci_port_start(struct ahci_port *p)
{
    uint32_t cmd, tfd, ssts;
    int rc = px_wait(p, PX_CMD, CMD_FR, CMD_FR, ENGINE_STOP_MS, &cmd);

    if (rc)
        return rc == E_GONE ? rc : NOTE(rc, "PxCMD.FR to rise", cmd, CMD_FR);
    tfd = px_read(p, PX_TFD);
    ssts = px_read(p, PX_SSTS);
    if (FIELD_GET(SSTS_DET, ssts) != DET_PRESENT)
        return NOTE(E_GONE, "link, to start the port", ssts, DET_PRESENT);
    if (tfd & (TFD_BSY | TFD_DRQ))
        return NOTE(E_TIMEOUT, "drive not busy, to start the port", tfd, 0);
    px_write(p, PX_CMD, (cmd & (uint32_t)~CMD_ICC) | (uint32_t)CMD_ST);
    return OK;
}

void ahci_port_clear_errors(struct ahci_port *p)
{
    px_write(p, PX_SERR, UINT32_MAX);
    px_write(p, PX_IS, UINT32_MAX);
    plat_write32(p->mmio, AHCI_IS, 1u << p->number);
}

/* Fact sheet B5: stop, clear, let go of BSY, start. */
int ahci_port_restart(struct ahci_port *p)
{
    uint32_t cmd, tfd;
    int rc = ahci_port_stop(p, false);

    if (rc)
        return rc;
    ahci_port_note_link(p, px_read(p, PX_SERR));
    ahci_port_clear_errors(p);
    tfd = px_read(p, PX_TFD);
    if (tfd & (TFD_BSY | TFD_DRQ) && p->hba->sclo) {
        px_write(p, PX_CMD, (px_read(p, PX_CMD) & (uint32_t)~CMD_ICC) | (uint32_t)CMD_CLO);
        rc = px_wait(p, PX_CMD, CMD_CLO, 0, ENGINE_STOP_MS, &cmd);
        if (rc)
            return NOTE(rc, "PxCMD.CLO to fall", cmd, 0);
    }
    return ahci_port_start(p);
}

/* ---- the link ---- */
void ahci_port_pulse(struct ahci_port *p)
{
    uint32_t sctl = (uint32_t)(FIELD_PUT(SCTL_IPM, IPM_NONE) | FIELD_PUT(SCTL_SPD, p->speed_limit));

    px_write(p, PX_SCTL, sctl | 1);
    px_read(p, PX_SCTL); /* writes are posted: the time runs from where the adapter has this one */
    plat_stall_us(COMRESET_HOLD_US);
    px_write(p, PX_SCTL, sctl);
}

int ahci_port_comreset(struct ahci_port *p)
{
    uint32_t got;
    int rc;

    ahci_port_pulse(p);
    rc = px_wait(p, PX_SSTS, SSTS_DET, DET_PRESENT, LINK_UP_MS, &got);
    if (rc)
        return NOTE(E_GONE, "link after COMRESET", got, DET_PRESENT);
    rc = px_wait(p, PX_TFD, TFD_BSY | TFD_DRQ, 0, RESET_READY_MS, &got);
    if (rc)
        return NOTE(rc, "drive ready after COMRESET", got, 0);
    /* A link that just came up has counted errors of its coming up, and says that a device arrived. */
    ahci_port_clear_errors(p);
    return OK;
}

/* One of the two frames of a soft reset: C clear, only the control byte counts (fact sheet B5). */
static int send_control(struct ahci_port *p, uint32_t header_bits, uint8_t control)
{
    struct ahci_table *t = &p->mem->table[0];
    uint32_t got;

    t->fis_pair[0] = FIS_TO_DRIVE;
    t->fis[2] = 0;
    t->fis[3] = (uint32_t)control << 24;
    t->fis[4] = 0;
    p->mem->header[0].dw0_and_moved = HEADER_FIS_WORDS | header_bits;
    plat_dma_publish();
    px_write(p, PX_CI, 1);
    return px_wait(p, PX_CI, 1, 0, SOFT_RESET_SENT_MS, &got);
}

int ahci_port_soft_reset(struct ahci_port *p)
{
    uint32_t got;
    int rc = ahci_port_restart(p);

    if (rc == OK)
        rc = send_control(p, (uint32_t)(HEADER_RESET | HEADER_CLEAR_BUSY), CONTROL_SRST);
    if (rc == OK) {
        plat_stall_us(SOFT_RESET_HOLD_US);
        rc = send_control(p, 0, 0);
    }
    if (rc == OK) {
        plat_stall_us(1000 * SOFT_RESET_SETTLE_MS);
        rc = px_wait(p, PX_TFD, TFD_BSY | TFD_DRQ, 0, SOFT_RESET_READY_MS, &got);
    }
    if (rc)
        return rc == E_GONE ? rc : NOTE(E_TIMEOUT, "drive ready after a soft reset", px_read(p, PX_TFD), 0);
    return ahci_port_restart(p);
}

void ahci_port_note_link(struct ahci_port *p, uint32_t serr)
{
    char words[120];
    struct text t = text_over(words, sizeof words);

    if (serr == UINT32_MAX)
        return;
    p->serr_seen |= serr;
    if (!(serr & SERR_LINK_EVIDENCE) || p->remarked_link)
        return;
    p->remarked_link = true;
    ahci_serr_words(serr, &t);
    controller_remark(&p->hba->c, REMARK_WARN,
                      "%s: errors on the link (%s): check cable, connector and backplane", p->disk.name,
                      words);
}

/* ---- management commands ---- */
/* No answer of a drive looks like this; where it is still found, nothing was written. */
static uint8_t filler(unsigned i) { return (uint8_t)(0xa5 + 7 * i + (i >> 5) * 29); }

static bool untouched(const uint8_t *data, unsigned from, unsigned n)
{
    for (unsigned i = from; i < from + n; i++)
        if (data[i] != filler(i))
            return false;
    return true;
}

static void put_command(struct ahci_port *p, const struct ahci_command *c)
{
    struct ahci_table *t = &p->mem->table[0];
    uint64_t bus = c->data_bus ? c->data_bus : p->mem_bus + offsetof(struct ahci_port_memory, scratch);

    for (unsigned i = 0; i < SCRATCH_BYTES; i++)
        p->mem->scratch[i] = filler(i);
    if (c->no_data)
        memset(p->mem->received.registers, 0, sizeof p->mem->received.registers);
    t->fis[0] = FIS_COMMAND(c->command, c->features);
    t->fis[1] = FIS_LBA_LOW(c->lba, FIS_DEVICE_LBA);
    t->fis[2] = FIS_LBA_HIGH(c->lba, 0);
    t->fis[3] = c->count;
    t->fis[4] = 0;
    t->region[0] =
        (struct ahci_region){ .bus = bus,
                              .bytes_less_one = (c->data_bus ? c->data_bytes : SCRATCH_BYTES) - 1 };
    p->mem->header[0].dw0 = HEADER_FIS_WORDS | (c->no_data ? 0u : 1u) << 16;
    p->mem->header[0].moved_bytes = 0;
    plat_dma_publish();
    px_write(p, PX_CI, 1);
}

/* Until CI falls or the port says why it will not. */
static int wait_command(struct ahci_port *p, const struct ahci_command *c)
{
    struct ahci_wait w = ahci_wait_ms(c->deadline_ms);

    for (;;) {
        uint32_t ci = px_read(p, PX_CI), is = px_read(p, PX_IS), tfd = px_read(p, PX_TFD);
        if (is == UINT32_MAX || FIELD_GET(SSTS_DET, px_read(p, PX_SSTS)) != DET_PRESENT)
            return NOTE(E_GONE, c->name, is, 0);
        if (is & PXIS_TFES)
            return NOTE(tfd & (TFD_ERR | TFD_DF) ? E_REFUSED : E_PROTO, c->name, tfd, 0);
        if (is & PXIS_TRANSPORT)
            return NOTE(E_PROTO, c->name, is, 0);
        if (!(ci & 1))
            return tfd & (TFD_ERR | TFD_DF) ? NOTE(E_REFUSED, c->name, tfd, 0) : OK;
        if (!ahci_wait_more(&w))
            return NOTE(E_TIMEOUT, c->name, tfd, c->deadline_ms);
    }
}

uint64_t ahci_port_reply_lba(const struct ahci_port *p, bool lba48)
{
    const uint8_t *fis = p->mem->received.registers;
    uint64_t lba = 0;

    for (unsigned i = 0; i < 3; i++) {
        lba |= (uint64_t)__atomic_load_n(&fis[4 + i], __ATOMIC_RELAXED) << 8 * i;
        if (lba48)
            lba |= (uint64_t)__atomic_load_n(&fis[8 + i], __ATOMIC_RELAXED) << (24 + 8 * i);
    }
    if (!lba48)
        lba |= (uint64_t)(__atomic_load_n(&fis[7], __ATOMIC_RELAXED) & 0xf) << 24;
    return lba;
}

uint8_t ahci_port_reply_count(const struct ahci_port *p)
{
    return __atomic_load_n(&p->mem->received.registers[12], __ATOMIC_RELAXED);
}

int ahci_port_command(struct ahci_port *p, const struct ahci_command *c, uint8_t answer[SCRATCH_BYTES])
{
    int rc;

    if (!gate_permits(GATE_ATA, c->command, gate_ata(c->features, (uint8_t)c->lba)))
        return NOTE(E_REFUSED, c->name, c->command, 0);
    put_command(p, c);
    rc = wait_command(p, c);
    if (rc == E_TIMEOUT) {
        ahci_port_stop(p, false);
        return rc;
    }
    if (rc == E_GONE)
        return rc;
    if (rc) {
        int again = ahci_port_restart(p);
        return again ? again : rc;
    }
    plat_dma_observe();
    if (c->no_data && __atomic_load_n(&p->mem->received.registers[0], __ATOMIC_RELAXED) != FIS_FROM_DRIVE)
        return NOTE(E_UNSUPPORTED, "register FIS of a command that ended well", 0, FIS_FROM_DRIVE);
    if (c->no_data || c->data_bus)
        return OK;
    memcpy(answer, p->mem->scratch, SCRATCH_BYTES);
    /* Some adapters and emulators report success and move nothing, or stop early. */
    if (untouched(answer, SCRATCH_BYTES - 16, 16) || untouched(answer, 0, 16))
        return NOTE(E_UNSUPPORTED, "buffer filled by a command that ended well", 0, SCRATCH_BYTES);
    return OK;
}
