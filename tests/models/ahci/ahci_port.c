#include <string.h>
#include "ahci_parts.h"

/* Registers of a port, its link and its two engines (AHCI 1.3.1 section 3.3 and chapter 10, as the fact sheet
 * B1 and B2 retell them). */

enum {
    P_CLB = 0x00,
    P_CLBU = 0x04,
    P_FB = 0x08,
    P_FBU = 0x0c,
    P_IS = 0x10,
    P_IE = 0x14,
    P_CMD = 0x18,
    P_TFD = 0x20,
    P_SIG = 0x24,
    P_SSTS = 0x28,
    P_SCTL = 0x2c,
    P_SERR = 0x30,
    P_SACT = 0x34,
    P_CI = 0x38
};
#define COMRESET_MIN_NS 1000000ull
/* Commands and addresses that the firmware left: no driver's memory. */
#define FIRMWARE_CLB 0x7f001000u
#define FIRMWARE_FB  0x7f002000u
#define CMD_KEPT     0x0f020000u /* bits that software may set and that change nothing here */

static uint32_t signature(const struct model_ahci_drive *d)
{
    if (d->signature)
        return d->signature;
    switch (d->kind) {
    case MODEL_AHCI_ATAPI:
        return 0xeb140101;
    case MODEL_AHCI_ENCLOSURE:
        return 0xc33c0101;
    case MODEL_AHCI_MULTIPLIER:
        return 0x96690101;
    default:
        return 0x00000101;
    }
}

/* ---- what the device says ---- */
void model_ahci_post_fis(struct model_ahci *m, struct model_ahci_port *p, uint32_t off, const void *fis,
                         size_t n)
{
    if (p->cmd & CMD_FR && !m->bench)
        m->host.dma_write(m->host.ctx, ((uint64_t)p->fbu << 32 | p->fb) + off, fis, n);
}

void model_ahci_post_d2h(struct model_ahci *m, struct model_ahci_port *p, uint8_t status, uint8_t error,
                         uint64_t lba, uint16_t count)
{
    uint8_t fis[20] = { 0x34, 0x40, status, error, (uint8_t)lba, (uint8_t)(lba >> 8), (uint8_t)(lba >> 16),
                        0x40 };

    for (unsigned i = 0; i < 3; i++)
        fis[8 + i] = (uint8_t)(lba >> (24 + 8 * i));
    fis[12] = (uint8_t)count;
    fis[13] = (uint8_t)(count >> 8);
    p->tfd = (uint32_t)error << 8 | status;
    model_ahci_post_fis(m, p, 0x40, fis, sizeof fis);
    model_ahci_raise(m, p, IS_DHRS | (status & STS_ERR ? (uint32_t)IS_TFES : 0));
}

/* The first FIS of a device that is ready waits until the adapter may receive it. */
static void deliver_signature(struct model_ahci *m, struct model_ahci_port *p)
{
    uint32_t sig = signature(&p->drive);

    if (!p->signature_pending || !(p->cmd & CMD_FR))
        return;
    p->signature_pending = false;
    p->sig = sig;
    model_ahci_post_d2h(m, p, p->drive.kind == MODEL_AHCI_ATAPI ? 0 : STS_IDLE, 1, sig >> 8, (uint8_t)sig);
}

static void device_ready(struct model_ahci *m, struct model_ahci_port *p)
{
    p->ready_ns = MODEL_AHCI_NEVER;
    p->was_ready = true;
    if (p->drive.no_signature) {
        p->tfd = STS_IDLE;
        return;
    }
    p->signature_pending = true;
    deliver_signature(m, p);
}

/* ---- the link ---- */
static void link_up(struct model_ahci *m, struct model_ahci_port *p)
{
    const struct model_ahci_drive *d = &p->drive;
    uint32_t limit = p->sctl >> 4 & 15;
    uint32_t speed = d->speed ? d->speed : 3;

    p->link_ns = MODEL_AHCI_NEVER;
    if (d->kind == MODEL_AHCI_NOTHING)
        return;
    if (d->kind == MODEL_AHCI_NO_LINK || (d->speed_that_works && (!limit || limit > d->speed_that_works))) {
        p->ssts = 1;
        return;
    }
    if (limit && limit < speed)
        speed = limit;
    if (m->iss && m->iss < speed)
        speed = m->iss;
    p->ssts = DET_PRESENT | speed << 4 | 1u << 8;
    p->serr |= SERR_X | SERR_N | d->serr_at_link;
    p->tfd = STS_BSY;
    p->ready_ns = model_ahci_after_ns(m, p->was_ready ? d->ready_after_comreset_ns : d->ready_ns);
    if (model_ahci_now_ns(m) >= p->ready_ns)
        device_ready(m, p);
}

void model_ahci_port_start_link(struct model_ahci *m, struct model_ahci_port *p)
{
    p->link_ns = model_ahci_after_ns(m, p->drive.det_ns);
    if (model_ahci_now_ns(m) >= p->link_ns)
        link_up(m, p);
}

static void link_down(struct model_ahci_port *p)
{
    p->ssts = 0;
    p->tfd = 0x7f;
    p->sig = 0xffffffff;
    p->link_ns = p->ready_ns = MODEL_AHCI_NEVER;
    p->signature_pending = p->log10_armed = p->srst_held = false;
}

void model_ahci_port_drop_link(struct model_ahci *m, struct model_ahci_port *p)
{
    link_down(p);
    model_ahci_commands_forget(p);
    p->serr |= SERR_N;
    p->link_ns = model_ahci_after_ns(m, p->drive.drop_ns);
    model_ahci_raise(m, p, IS_PRCS);
}

void model_ahci_port_left_running(struct model_ahci *m, struct model_ahci_port *p)
{
    if (p->drive.kind == MODEL_AHCI_NOTHING)
        return;
    link_up(m, p);
    if ((p->ssts & 15) == DET_PRESENT) {
        p->ready_ns = MODEL_AHCI_NEVER;
        p->signature_pending = false;
        p->was_ready = true;
        p->sig = signature(&p->drive);
        p->tfd = STS_IDLE;
    }
    p->serr = 0;
    p->clb = FIRMWARE_CLB;
    p->fb = FIRMWARE_FB;
    p->cmd |= CMD_SUD | CMD_FRE | CMD_FR | CMD_ST | CMD_CR;
}

void model_ahci_port_reset(struct model_ahci *m, struct model_ahci_port *p)
{
    link_down(p);
    model_ahci_commands_forget(p);
    p->is = p->ie = p->sctl = p->serr = p->sact = p->ci = p->sact_unpaired = 0;
    p->clb = p->clbu = p->fb = p->fbu = 0;
    p->cmd = CMD_POD | (m->sss ? 0 : CMD_SUD);
    p->cr_off_ns = p->fr_off_ns = MODEL_AHCI_NEVER;
    p->error_stopped = p->error_seen = false;
}

static void sctl_write(struct model_ahci *m, struct model_ahci_port *p, uint32_t v)
{
    uint32_t before = p->sctl & 15, det = v & 15;

    p->sctl = v & 0xfff;
    if (det == before)
        return;
    if (p->cmd & (CMD_ST | CMD_CR))
        model_ahci_violation(m, "SCTL.DET changed while the command engine runs", p->cmd, 0);
    if (det != 0 && det != 1 && det != 4)
        model_ahci_violation(m, "SCTL.DET has a reserved value", det, 1);
    if (before == 1 && model_ahci_now_ns(m) - p->det_since_ns < COMRESET_MIN_NS)
        model_ahci_violation(m, "COMRESET was held for less than 1 ms",
                             model_ahci_now_ns(m) - p->det_since_ns, COMRESET_MIN_NS);
    if (before == 1 && !p->read_in_comreset && !m->foreign_driver)
        model_ahci_violation(
            m, "COMRESET was timed from a write that may still be on its way: nothing was read", v, 0);
    p->read_in_comreset = false;
    link_down(p);
    model_ahci_commands_forget(p);
    if (det == 1) {
        p->seen.comresets++;
        model_ahci_test_interrupted(p);
        p->det_since_ns = model_ahci_now_ns(m);
        if (p->drive.comreset_loses_caches)
            p->drive.write_cache_off = p->drive.look_ahead_off = false;
        if (p->drive.comreset_loses_data)
            medium_power_cut(&m->medium);
        if (p->drive.serial_after_comreset[0]) {
            memcpy(p->drive.serial, p->drive.serial_after_comreset, sizeof p->drive.serial);
            p->drive.serial_after_comreset[0] = 0;
        }
    }
    if (det == 4)
        p->ssts = 4;
    if (det == 0 && p->cmd & CMD_SUD)
        model_ahci_port_start_link(m, p);
}

/* ---- the engines ---- */
static void stop_commands(struct model_ahci *m, struct model_ahci_port *p)
{
    p->seen.stops++;
    p->ci = p->sact = p->sact_unpaired = 0;
    model_ahci_commands_orphan(p);
    p->cr_off_ns = model_ahci_after_ns(m, m->cr_ns);
    if (!m->cr_ns) {
        p->cmd &= ~(uint32_t)CMD_CR;
        p->cr_off_ns = MODEL_AHCI_NEVER;
    }
}

static void start_commands(struct model_ahci *m, struct model_ahci_port *p)
{
    p->seen.starts++;
    if (!(p->cmd & CMD_FRE) || !(p->cmd & CMD_FR))
        model_ahci_violation(m, "PxCMD.ST set without FRE and FR", p->cmd, p->cmd | CMD_FRE | CMD_FR);
    if (p->tfd & (STS_BSY | STS_DRQ))
        model_ahci_violation(m, "PxCMD.ST set while the device is busy", p->tfd, 0x50);
    if ((p->ssts & 15) != DET_PRESENT)
        model_ahci_violation(m, "PxCMD.ST set without a device", p->ssts, DET_PRESENT);
    if (p->cmd & CMD_CR)
        model_ahci_violation(m, "PxCMD.ST set before CR had fallen", p->cmd, 0);
    if (p->sctl & 15)
        model_ahci_violation(m, "PxCMD.ST set while SCTL.DET holds the link", p->sctl, 0);
    if (!p->clb && !p->clbu)
        model_ahci_violation(m, "PxCMD.ST set without a command list", 0, 1);
    p->cmd |= CMD_CR;
    p->cr_off_ns = MODEL_AHCI_NEVER;
    p->error_stopped = p->error_seen = false;
}

static void receive_write(struct model_ahci *m, struct model_ahci_port *p, bool on)
{
    if (!on) {
        if (p->cmd & (CMD_ST | CMD_CR))
            model_ahci_violation(m, "PxCMD.FRE cleared while the command engine runs", p->cmd, 0);
        p->fr_off_ns = model_ahci_after_ns(m, m->fr_ns);
        if (!m->fr_ns) {
            p->cmd &= ~(uint32_t)CMD_FR;
            p->fr_off_ns = MODEL_AHCI_NEVER;
        }
        return;
    }
    if (p->cmd & CMD_FR)
        model_ahci_violation(m, "PxCMD.FRE set before FR had fallen", p->cmd, 0);
    if (!p->fb && !p->fbu)
        model_ahci_violation(m, "PxCMD.FRE set without a receive area", 0, 1);
    p->fr_off_ns = MODEL_AHCI_NEVER;
    p->cmd |= CMD_FR;
}

static void clear_busy(struct model_ahci *m, struct model_ahci_port *p)
{
    if (!m->sclo) {
        model_ahci_violation(m, "PxCMD.CLO set without CAP.SCLO", 1, 0);
        return;
    }
    if (p->cmd & CMD_CR)
        model_ahci_violation(m, "PxCMD.CLO set while the command engine runs", p->cmd, 0);
    p->seen.clo++;
    p->tfd &= ~(uint32_t)(STS_BSY | STS_DRQ);
}

static void cmd_write(struct model_ahci *m, struct model_ahci_port *p, uint32_t v)
{
    uint32_t changed = p->cmd ^ v;

    p->cmd = (p->cmd & ~CMD_KEPT) | (v & CMD_KEPT);
    if (changed & CMD_FRE) {
        p->cmd ^= CMD_FRE;
        receive_write(m, p, v & CMD_FRE);
    }
    if (v & CMD_CLO)
        clear_busy(m, p);
    if (changed & CMD_ST) {
        if (v & CMD_ST) {
            start_commands(m, p);
            p->cmd |= CMD_ST;
        } else {
            p->cmd &= ~(uint32_t)CMD_ST;
            stop_commands(m, p);
        }
    }
    if (m->sss && changed & CMD_SUD) {
        p->cmd ^= CMD_SUD;
        if (v & CMD_SUD && !(p->sctl & 15) && !(p->ssts & 15))
            model_ahci_port_start_link(m, p);
    }
    deliver_signature(m, p);
}

/* ---- registers ---- */
static void base_write(struct model_ahci *m, struct model_ahci_port *p, uint32_t off, uint32_t v)
{
    bool list = off == P_CLB || off == P_CLBU;
    uint32_t running = list ? CMD_ST | CMD_CR : CMD_FRE | CMD_FR;
    uint32_t align = list ? 1024 : 256;

    if (p->cmd & running)
        model_ahci_violation(m,
                             list ? "the command list moved while its engine runs"
                                  : "the receive area moved while its engine runs",
                             p->cmd & running, 0);
    if ((off == P_CLB || off == P_FB) && v & (align - 1))
        model_ahci_violation(m, list ? "the command list is misaligned" : "the receive area is misaligned", v,
                             v & ~(align - 1));
    if ((off == P_CLBU || off == P_FBU) && v && !m->s64a)
        model_ahci_violation(m, "an address above 4 GiB on an adapter without CAP.S64A", v, 0);
    *(off == P_CLB ? &p->clb : off == P_CLBU ? &p->clbu : off == P_FB ? &p->fb : &p->fbu) = v;
}

uint32_t model_ahci_port_read(struct model_ahci *m, struct model_ahci_port *p, uint32_t off)
{
    p->read_in_comreset = true;
    (void)m;
    if (off == P_IS || off == P_TFD)
        p->error_seen = p->error_stopped;
    switch (off) {
    case P_CLB:
        return p->clb;
    case P_CLBU:
        return p->clbu;
    case P_FB:
        return p->fb;
    case P_FBU:
        return p->fbu;
    case P_IS:
        return p->is | (p->serr & SERR_X ? IS_PCS : 0) | (p->serr & SERR_N ? IS_PRCS : 0);
    case P_IE:
        return p->ie;
    case P_CMD:
        return p->cmd;
    case P_TFD:
        return p->tfd;
    case P_SIG:
        return p->sig;
    case P_SSTS:
        return p->ssts;
    case P_SCTL:
        return p->sctl;
    case P_SERR:
        return p->serr;
    case P_SACT:
        return p->sact | p->drive.sact_lie;
    case P_CI:
        return p->ci | p->drive.ci_lie;
    }
    return 0;
}

void model_ahci_port_write(struct model_ahci *m, struct model_ahci_port *p, uint32_t off, uint32_t v)
{
    switch (off) {
    case P_CLB:
    case P_CLBU:
    case P_FB:
    case P_FBU:
        base_write(m, p, off, v);
        break;
    case P_IS:
        p->is &= ~v;
        break;
    case P_IE:
        p->ie = v;
        break;
    case P_CMD:
        cmd_write(m, p, v);
        break;
    case P_SCTL:
        sctl_write(m, p, v);
        break;
    case P_SERR:
        p->serr &= ~v;
        break;
    case P_SACT:
        model_ahci_sact_written(m, p, v);
        break;
    case P_CI:
        model_ahci_ci_written(m, p, v);
        break;
    case P_TFD:
    case P_SIG:
    case P_SSTS:
        model_ahci_violation(m, "a read-only register of a port was written", off, 0);
        break;
    default:
        break;
    }
}

void model_ahci_port_tick(struct model_ahci *m, struct model_ahci_port *p)
{
    uint64_t now_ns = model_ahci_now_ns(m);

    if (m->ghc & 1)
        return;
    if (now_ns >= p->cr_off_ns) {
        p->cmd &= ~(uint32_t)CMD_CR;
        p->cr_off_ns = MODEL_AHCI_NEVER;
    }
    if (now_ns >= p->fr_off_ns) {
        p->cmd &= ~(uint32_t)CMD_FR;
        p->fr_off_ns = MODEL_AHCI_NEVER;
    }
    if (now_ns >= p->link_ns)
        link_up(m, p);
    if (now_ns >= p->ready_ns)
        device_ready(m, p);
    model_ahci_commands_tick(m, p);
}
