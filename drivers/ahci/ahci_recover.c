#include "ahci_internal.h"

/* What the drive or the link does wrong, and how far a port is taken back (fact sheet B4, B5).
 *
 * An error in queue mode stops all of it: the drive drops what it holds, writes, too, so that these may be
 * repeated.  What was in flight at a timeout or at an error of adapter or link the drive may have done or
 * not: writes are then lost, never repeated (drivers/disk.h).  The drive's own log names the command; where
 * it does not, the outstanding reads are repeated one at a time without queueing until the bad one shows
 * itself.  Every step ends by its own deadline, and every repeat is counted, so that a broken drive costs a
 * bounded time. */

struct ahci_error {
    bool known; /* tag is one that was in flight */
    uint8_t tag, status, error;
    uint64_t lba;
};

static void part_failed(const struct ahci_part *a, enum io_status status, uint32_t detail, uint64_t lba)
{
    /* What a drive says about where is believed only inside what was asked. */
    if (lba < a->lba || lba - a->lba >= a->blocks)
        lba = a->lba;
    lane_slot_failed(&a->lane->slots, a->slot, status, detail, lba);
    lane_part_done(&a->lane->slots, a->slot);
}

static uint8_t op_of(const struct ahci_part *a) { return (uint8_t)a->lane->slots.slot[a->slot].op; }

const char *ahci_noun(uint8_t op)
{
    static const char *const noun[] = { [IO_READ] = "read", [IO_WRITE] = "write", [IO_FLUSH] = "flush" };

    return noun[op <= IO_FLUSH ? op : IO_READ];
}

static void repeat(struct ahci_port *p, const struct ahci_part *a, bool resend)
{
    p->retry[p->retry_count] = *a;
    p->retry[p->retry_count++].resend = resend;
}

void ahci_unload(struct ahci_port *p, uint32_t tags, bool resend)
{
    p->issued &= ~tags;
    p->pending &= ~tags;
    for (; tags; tags &= tags - 1)
        repeat(p, &p->tag[__builtin_ctz(tags)], resend);
}

void ahci_die(struct ahci_port *p)
{
    struct ahci_lane *l = p->turn;

    p->dead = true;
    p->issued = p->pending = p->free_tags = 0;
    p->retry_count = 0;
    if (px_read(p, PX_CMD) != UINT32_MAX) {
        ahci_log_registers(p);
        ahci_port_stop(p, false);
    }
    for (unsigned i = 0; i < p->lane_count; i++, l = l->next) {
        l->io.dead = true;
        lane_slots_lost(&l->slots, IO_LOST, 0);
    }
}

/* After everything was unloaded: goes on, queued again unless somebody must be found out. */
static void resume(struct ahci_port *p, bool single)
{
    p->issued = p->pending = 0;
    ahci_set_single(p, single || !p->ncq);
    ahci_pump(p);
    ahci_ring(p);
}

int ahci_reset_drive(struct ahci_port *p)
{
    int rc;

    if (p->resets >= RESETS_WITHOUT_PROGRESS)
        return NOTE(E_TIMEOUT, "a read between resets", p->resets, 0);
    p->resets++;
    rc = ahci_port_stop(p, false);
    if (rc == OK)
        rc = ahci_port_comreset(p);
    if (rc == OK)
        rc = ahci_port_start(p);
    return rc ? rc : ahci_identify_again(p);
}

int ahci_ask(struct ahci_port *p, const struct ahci_command *c, uint8_t answer[SCRATCH_BYTES])
{
    int rc = ahci_port_command(p, c, answer), again = OK;

    if (rc == E_TIMEOUT || rc == E_PROTO)
        again = ahci_reset_drive(p);
    else if (rc == E_GONE)
        again = rc;
    if (again == OK)
        return rc;
    FAULT(&p->disk.fault, again, c->name, p->resets, 0);
    ahci_die(p);
    return again;
}

/* READ LOG EXT page 10h: by it the drive leaves its error state.  An error means that it is still in it.
 * outstanding: tags that the log may name. */
static int read_error_log(struct ahci_port *p, uint32_t outstanding, struct ahci_error *e)
{
    static const struct ahci_command read_log = { .name = "READ LOG EXT 10h",
                                                  .command = ATA_READ_LOG_EXT,
                                                  .count = 1,
                                                  .lba = ATA_LOG_QUEUED_ERROR,
                                                  .deadline_ms = ERROR_LOG_MS };
    uint8_t log[SCRATCH_BYTES], sum = 0;
    int rc;

    *e = (struct ahci_error){ .known = false };
    if (p->no_error_log)
        return E_UNSUPPORTED;
    rc = ahci_port_command(p, &read_log, log);
    if (rc) {
        p->no_error_log = true;
        return rc;
    }
    for (unsigned i = 0; i < SCRATCH_BYTES; i++)
        sum = (uint8_t)(sum + log[i]);
    e->tag = log[0] & 0x1f;
    e->status = log[2];
    e->error = log[3];
    for (unsigned i = 0; i < 3; i++)
        e->lba |= (uint64_t)log[4 + i] << 8 * i | (uint64_t)log[8 + i] << (24 + 8 * i);
    /* Bit 7: the error was of a command that was not queued. */
    e->known = !sum && !(log[0] & 0x80) && outstanding >> e->tag & 1;
    if (!e->known)
        NOTE(E_PROTO, "tag named by the queued error log", log[0], outstanding);
    return OK;
}

static bool is_media_error(uint8_t status, uint8_t error)
{
    return !(status & TFD_DF) && error & (ERROR_UNC | ERROR_IDNF | ERROR_AMNF) && !(error & ERROR_ICRC);
}

/* Queue mode, task file error; the port was restarted.  done: tags the drive had answered before. */
static void judge_queued(struct ahci_port *p, uint32_t outstanding, uint32_t done)
{
    struct ahci_error e;
    uint32_t rest;
    int rc = read_error_log(p, outstanding, &e);

    if (rc && (rc = ahci_reset_drive(p))) {
        FAULT(&p->disk.fault, rc, "recovery after an error of a queued command", p->resets, 0);
        ahci_die(p);
        return;
    }
    if (e.known)
        done &= ~(1u << e.tag);
    if (done)
        ahci_finish(p, done);
    rest = outstanding & ~done;
    if (e.known && is_media_error(e.status, e.error)) {
        const struct ahci_part a = p->tag[e.tag];
        rest &= ~(1u << e.tag);
        NOTE(E_MEDIA, op_of(&a) == IO_WRITE ? "queued write" : "queued read", e.lba, a.lba);
        part_failed(&a, IO_MEDIA_ERROR, (uint32_t)e.error << 8 | e.status, e.lba);
        ahci_unload(p, rest, true);
        resume(p, false);
        return;
    }
    ahci_unload(p, rest, true);
    resume(p, true);
}

/* One at a time: the culprit is the only one in flight.  lba: where the drive says it stopped. */
static void judge_single(struct ahci_port *p, uint32_t is, uint32_t tfd, uint64_t lba)
{
    struct ahci_part a = p->tag[0];
    uint8_t status = (uint8_t)FIELD_GET(TFD_STATUS, tfd), error = (uint8_t)FIELD_GET(TFD_ERROR, tfd);
    bool drive_says = is & PXIS_TFES && status & (TFD_ERR | TFD_DF);

    p->issued = 0;
    if (!drive_says && op_of(&a) == IO_WRITE) {
        part_failed(&a, IO_LOST, DETAIL_ADAPTER | (is & ~DETAIL_ADAPTER), a.lba);
    } else if ((!drive_says || error & ERROR_ICRC) && a.tries < PART_TRIES) {
        a.tries++;
        repeat(p, &a, true);
    } else if (!drive_says) {
        part_failed(&a, IO_DEVICE_ERROR, DETAIL_ADAPTER | (is & ~DETAIL_ADAPTER), a.lba);
    } else {
        /* A drive that has read before and aborts just this one cannot read it (QEMU says no more); one that
         * aborts from the start refuses reads as such. */
        bool place = is_media_error(status, error) ||
                     (error == ERROR_ABRT && p->reads_ok && op_of(&a) == IO_READ && !(status & TFD_DF));
        NOTE(place ? E_MEDIA : E_REFUSED, ahci_noun(op_of(&a)), tfd, a.lba);
        /* A clear answer to one read is progress as much as data is. */
        p->resets = 0;
        /* Only an error of the medium comes with its place. */
        part_failed(&a, place ? IO_MEDIA_ERROR : IO_DEVICE_ERROR, (uint32_t)error << 8 | status,
                    is_media_error(status, error) ? lba : a.lba);
    }
    resume(p, true);
}

void ahci_short_read(struct ahci_port *p, uint32_t missing_bytes)
{
    struct ahci_part a = p->tag[0];

    NOTE(E_PROTO, "bytes of a read that ended well", missing_bytes, 0);
    p->issued = 0;
    if (a.tries < PART_TRIES) {
        a.tries++;
        repeat(p, &a, true);
    } else {
        part_failed(&a, IO_DEVICE_ERROR, DETAIL_SHORT | missing_bytes, a.lba);
    }
    resume(p, true);
}

/* Takes a slot's parts from the list of repeats; the slot is finished then. */
static void drop_slot(struct ahci_port *p, struct ahci_lane *l, uint16_t slot, enum io_status status,
                      uint32_t detail)
{
    unsigned kept = 0;

    lane_slot_failed(&l->slots, slot, status, detail, l->slots.slot[slot].next_lba);
    for (unsigned i = 0; i < p->retry_count; i++) {
        if (p->retry[i].lane == l && p->retry[i].slot == slot)
            lane_part_done(&l->slots, slot);
        else
            p->retry[kept++] = p->retry[i];
    }
    p->retry_count = kept;
}

/* The adapter or the link spoiled something: nothing of what was in flight is trusted. */
static void repeat_all(struct ahci_port *p, uint32_t tags, uint32_t is)
{
    for (uint32_t t = tags; t; t &= t - 1)
        p->tag[__builtin_ctz(t)].tries++;
    ahci_unload(p, tags, true);
    for (unsigned i = 0; i < p->retry_count;) {
        const struct ahci_part a = p->retry[i];
        if (a.resend && op_of(&a) == IO_WRITE) {
            drop_slot(p, a.lane, a.slot, IO_LOST, DETAIL_ADAPTER | (is & ~DETAIL_ADAPTER));
            i = 0;
        } else {
            i++;
        }
    }
    resume(p, true);
}

bool ahci_trouble(struct ahci_port *p, uint32_t is, uint32_t active)
{
    uint32_t ssts = px_read(p, PX_SSTS), tfd = px_read(p, PX_TFD), serr = px_read(p, PX_SERR);
    uint32_t outstanding = p->issued, done = outstanding & ~active;
    uint64_t lba;
    int rc;

    if (ssts == UINT32_MAX || is == UINT32_MAX) {
        FAULT(&p->disk.fault, E_GONE, "registers of the port read all ones", ssts, DET_PRESENT);
        ahci_die(p);
        return true;
    }
    ahci_port_note_link(p, serr);
    if (FIELD_GET(SSTS_DET, ssts) != DET_PRESENT || is & PXIS_LINK) {
        FAULT(&p->disk.fault, E_GONE, "link to the drive, lost during I/O", ssts, DET_PRESENT);
        ahci_die(p);
        return true;
    }
    if (!(is & PXIS_TROUBLE) && !(active & ~outstanding)) {
        px_write(p, PX_IS, (uint32_t)PXIS_INFS);
        return false;
    }
    lba = ahci_port_reply_lba(p, p->lba48);
    /* Not rung yet: not repeats. */
    ahci_unload(p, p->pending, false);
    /* After a task file error the drive holds nothing any more; after any other it may, and only COMRESET
     * makes it let go. */
    rc = is & PXIS_TFES ? ahci_port_restart(p) : E_PROTO;
    if (rc && (rc = ahci_reset_drive(p))) {
        FAULT(&p->disk.fault, rc, "restart of the port after an error", tfd, 0);
        ahci_die(p);
    } else if (p->single) {
        judge_single(p, is, tfd, lba);
    } else if (is & PXIS_TFES) {
        judge_queued(p, outstanding, done);
    } else {
        repeat_all(p, outstanding, is);
    }
    return true;
}

/* ---- deadlines ---- */
static void lose_repeats(struct ahci_port *p)
{
    while (p->retry_count) {
        const struct ahci_part a = p->retry[0];
        drop_slot(p, a.lane, a.slot, IO_LOST, 0);
    }
}

static bool in_device(const struct ahci_port *p, const struct ahci_lane *l, unsigned slot)
{
    for (uint32_t t = p->issued; t; t &= t - 1) {
        const struct ahci_part *a = &p->tag[__builtin_ctz(t)];
        if (a->lane == l && a->slot == slot)
            return true;
    }
    return false;
}

/* The gentle rung: stop and start.  Only where the drive is idle on the bus and nothing was queued: it then
 * holds nothing, and just the adapter missed the end.  A drive with queued reads in hand shows no BSY, would
 * go on sending data for them, and is brought to a known state by COMRESET alone.  Once between two answers.
 */
static bool restart_helps(struct ahci_port *p, uint32_t tfd)
{
    if (!p->single || p->restarts || tfd & (TFD_BSY | TFD_DRQ))
        return false;
    p->restarts++;
    return ahci_port_restart(p) == OK;
}

/* SRST keeps the link and makes the drive drop what it holds: once between two answers, and not where only
 * COMRESET could get a word in (a busy drive behind an adapter without CLO).  Then COMRESET. */
static int reset_by_rungs(struct ahci_port *p, uint32_t tfd)
{
    if (!p->soft_resets && (!(tfd & (TFD_BSY | TFD_DRQ)) || p->hba->sclo)) {
        p->soft_resets++;
        int rc = ahci_port_soft_reset(p);
        if (rc == OK)
            rc = ahci_identify_again(p);
        if (rc == OK || p->disk.fault.err)
            return rc;
    }
    return ahci_reset_drive(p);
}

void ahci_expire(struct io_lane *io, unsigned slot)
{
    struct ahci_lane *l = ahci_lane(io);
    struct ahci_port *p = l->port;
    const struct lane_slot *s;
    uint32_t tfd;
    bool touched;
    int rc;

    if (io->dead || slot >= io->depth)
        return;
    if (p->issued)
        ahci_look(p, true);
    s = &l->slots.slot[slot];
    if (io->dead || !s->busy || (!s->queued && !s->parts_in_flight))
        return;
    tfd = px_read(p, PX_TFD);
    NOTE(E_TIMEOUT, ahci_noun((uint8_t)s->op), s->next_lba, slot);
    touched = in_device(p, l, slot);
    ahci_unload(p, p->pending, false);
    if (touched)
        ahci_unload(p, p->issued, true);
    drop_slot(p, l, (uint16_t)slot, IO_TIMED_OUT, tfd & 0xffff);
    if (!touched) {
        /* It only waited behind others, whose deadlines are their own. */
        p->free_tags = p->single ? !p->issued : p->all_tags & ~p->issued;
        ahci_pump(p);
        ahci_ring(p);
        return;
    }
    if (restart_helps(p, tfd)) {
        resume(p, false);
    } else if ((rc = reset_by_rungs(p, tfd)) == OK) {
        lose_repeats(p);
        resume(p, false);
    } else {
        FAULT(&p->disk.fault, rc, "drive, after restart, soft reset and COMRESET", tfd, 0);
        ahci_die(p);
    }
}

/* COMRESET reaches this port's drive alone.  Not one of the resets by which a drive is given up. */
int ahci_lane_reset(struct io_lane *io, struct text *instead)
{
    struct ahci_lane *l = ahci_lane(io);
    struct ahci_port *p = l->port;
    uint8_t resets = p->resets;

    (void)instead;
    if (io->dead)
        return p->disk.fault.err ? p->disk.fault.err : E_GONE;
    if (p->lane_count != 1 || p->issued || p->pending || p->retry_count)
        return E_AGAIN;
    for (unsigned slot = 0; slot < io->depth; slot++)
        if (l->slots.slot[slot].busy)
            return E_AGAIN;
    p->resets = 0;
    int rc = ahci_reset_drive(p);
    p->resets = resets;
    if (rc) {
        FAULT(&p->disk.fault, rc, "drive, after a COMRESET between writing and reading back", 0, 0);
        ahci_die(p);
        return rc;
    }
    resume(p, false);
    controller_remark(&p->hba->c, REMARK_INFO, "%s: reset on request between writing and reading back",
                      p->disk.name);
    return OK;
}
