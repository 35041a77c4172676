#include "mfi_parts.h"

/* A physical drive's own account: log pages of a SAS drive, SMART of a SATA drive behind the card's firmware.
 */

enum { KEY_RECOVERED = 1, KEY_ILLEGAL = 5, CHECK_CONDITION = 2, PAGE_BYTES = 1024 };

static void refuse(struct model_mfi_outcome *o, uint16_t code)
{
    memset(o->sense, 0, sizeof o->sense);
    o->status = STATUS_SCSI;
    o->scsi_status = CHECK_CONDITION;
    o->sense[0] = 0x70;
    o->sense[2] = KEY_ILLEGAL;
    o->sense[7] = 10;
    put_be(o->sense + 12, 2, code);
    o->sense_len = 18;
}

static uint32_t parameter(uint8_t *page, uint32_t at, uint16_t code, const void *value, uint8_t bytes)
{
    put_be(page + at, 2, code);
    page[at + 2] = 3;
    page[at + 3] = bytes;
    memcpy(page + at + 4, value, bytes);
    return at + 4 + bytes;
}

static uint32_t error_page(uint8_t *page, uint64_t uncorrected)
{
    uint32_t at = 4;

    for (uint16_t code = 0; code <= 6; code++) {
        uint8_t v[8] = { 0 };

        put_be(v, 8, code == 6 ? uncorrected : code * 3u);
        at = parameter(page, at, code, v, sizeof v);
    }
    return at;
}

static uint32_t scan_page(uint8_t *page, const struct model_mfi_self *s)
{
    uint8_t state[12] = { 0 };
    uint32_t at;

    put_be(state, 4, s->powered_minutes);
    state[5] = 1;
    at = parameter(page, 4, 0, state, sizeof state);
    for (unsigned i = 0; i < MODEL_MFI_PLACES; i++) {
        uint8_t place[20] = { 0 };

        if (!s->places[i])
            continue;
        place[4] = (uint8_t)(0x50 | s->places[i]);
        put_be(place + 12, 8, 1000 + i);
        at = parameter(page, at, (uint16_t)(i + 1), place, sizeof place);
    }
    return at;
}

static uint32_t test_page(uint8_t *page, const struct model_mfi_self *s)
{
    uint32_t at = 4;

    for (uint16_t i = 0; i < 20; i++) {
        uint8_t v[16] = { 0 };

        v[0] = i < MODEL_MFI_SELF_TESTS ? s->self_test[i] : 0;
        at = parameter(page, at, (uint16_t)(i + 1), v, sizeof v);
    }
    return at;
}

static uint32_t fill_page(uint8_t *page, uint8_t number, const struct model_mfi_self *s)
{
    const uint8_t now[2] = { 0, s->temperature_c }, most[2] = { 0, s->reference_c };
    const uint8_t exception[3] = { s->exception[0], s->exception[1], s->temperature_c };

    switch (number) {
    case 0x02:
    case 0x03:
        return error_page(page, s->uncorrected[number - 2]);
    case 0x05:
        return error_page(page, s->uncorrected[2]);
    case 0x0d:
        return parameter(page, parameter(page, 4, 0, now, 2), 1, most, 2);
    case 0x10:
        return test_page(page, s);
    case 0x15:
        return scan_page(page, s);
    case 0x2f:
        return parameter(page, 4, 0, exception, 3);
    default:
        return 0;
    }
}

static void send(struct model_mfi *m, struct model_mfi_command *c, const void *from, uint64_t n)
{
    model_mfi_put(m, c, from, n < c->length ? n : c->length);
}

static void log_sense(struct model_mfi *m, struct model_mfi_command *c, const struct model_mfi_self *s,
                      struct model_mfi_outcome *o)
{
    static uint8_t page[PAGE_BYTES];
    const uint8_t *cdb = c->raw + 32;
    uint32_t n;

    if (cdb[1] & 1)
        model_mfi_violation(m, "LOG SENSE that saves parameters", cdb[1], 0);
    memset(page, 0, sizeof page);
    n = cdb[2] >> 6 == 1 && !cdb[3] ? fill_page(page, cdb[2] & 0x3f, s) : 0;
    if (!n) {
        refuse(o, 0x2400);
        return;
    }
    page[0] = cdb[2] & 0x3f;
    put_be(page + 2, 2, n - 4);
    send(m, c, page, n < get_be(cdb + 7, 2) ? n : get_be(cdb + 7, 2));
}

/* The registers after the command: descriptor or fixed format (SAT), or none. */
static void put_registers(const struct model_mfi_self *s, struct model_mfi_outcome *o)
{
    const uint8_t mid = s->failing ? 0xf4 : 0x4f, high = s->failing ? 0x2c : 0xc2;
    uint8_t *b = o->sense;

    if (s->registers == MODEL_MFI_REGISTERS_LOST)
        return;
    memset(b, 0, sizeof o->sense);
    o->status = STATUS_SCSI;
    o->scsi_status = CHECK_CONDITION;
    if (s->registers == MODEL_MFI_REGISTERS_FIXED) {
        b[0] = 0x70;
        b[2] = KEY_RECOVERED;
        b[4] = 0x50;
        b[7] = 10;
        b[10] = mid;
        b[11] = high;
        b[13] = 0x1d;
        o->sense_len = 18;
        return;
    }
    b[0] = 0x72;
    b[1] = KEY_RECOVERED;
    b[3] = 0x1d;
    b[7] = 14;
    b[8] = 9;
    b[9] = 12;
    b[8 + 9] = mid;
    b[8 + 11] = high;
    b[8 + 13] = 0x50;
    o->sense_len = 22;
}

/* Anything but the reading actions of SMART, said in full, is a violation. */
static void pass_through(struct model_mfi *m, struct model_mfi_command *c, const struct model_mfi_self *s,
                         struct model_mfi_outcome *o)
{
    const uint8_t *cdb = c->raw + 32;
    const bool smart = cdb[14] == 0xb0 && cdb[10] == 0x4f && cdb[12] == 0xc2 && !cdb[3];

    if (smart && (cdb[4] == 0xd0 || cdb[4] == 0xd1) && cdb[1] == 0x08 && cdb[2] == 0x0e && cdb[6] == 1 &&
        c->length == 512 && (c->flags & (FLAG_READ | FLAG_WRITE)) == FLAG_READ) {
        send(m, c, cdb[4] == 0xd0 ? s->data : s->thresholds, 512);
    } else if (smart && cdb[4] == 0xda && cdb[1] == 0x06 && cdb[2] == 0x20 && !c->length && !c->sge_count &&
               !(c->flags & (FLAG_READ | FLAG_WRITE))) {
        put_registers(s, o);
    } else {
        m->seen.refused_writes++;
        model_mfi_violation(m, "an ATA command that is none of SMART's reading ones", cdb[14],
                            cdb[4] | (uint64_t)cdb[1] << 8 | (uint64_t)cdb[2] << 16);
        refuse(o, 0x2000);
    }
}

bool model_mfi_run_self(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_pd *pd,
                        struct model_mfi_outcome *o)
{
    const uint8_t opcode = c->raw[32];

    if (pd->medium.unit_attentions)
        return false;
    if (opcode == 0x4d && pd->self.logs)
        log_sense(m, c, &pd->self, o);
    else if (opcode == 0x85 && pd->self.smart)
        pass_through(m, c, &pd->self, o);
    else
        return false;
    return true;
}
