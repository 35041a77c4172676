#include "smbios.h"
#include "str.h"

struct structure {
    const uint8_t *at;
    size_t len;
    const uint8_t *end;
}; /* formatted part, end of the table */

static uint8_t byte_at(const struct structure *s, unsigned off) { return off < s->len ? s->at[off] : 0; }
static uint16_t word_at(const struct structure *s, unsigned off)
{
    return (uint16_t)(byte_at(s, off) | byte_at(s, off + 1) << 8);
}
static uint32_t dword_at(const struct structure *s, unsigned off)
{
    return word_at(s, off) | (uint32_t)word_at(s, off + 2) << 16;
}

static void string_at(const struct structure *s, unsigned off, char *out, size_t cap)
{
    const uint8_t *p = s->at + s->len;
    unsigned n = byte_at(s, off);

    out[0] = 0;
    if (!n)
        return;
    for (; p < s->end && *p; p++) {
        const uint8_t *begin = p;

        while (p < s->end && *p)
            p++;
        if (!--n) {
            str_scrub(out, cap, begin, (size_t)(p - begin));
            return;
        }
    }
}

/* The structure after this one: behind the two zeros that end its strings. */
static const uint8_t *next(const struct structure *s)
{
    const uint8_t *p = s->at + s->len;

    while (p + 1 < s->end && (p[0] || p[1]))
        p++;
    return p + 2;
}

/* ---- types ---- */

static void take_board(const struct structure *s, struct board_facts *b)
{
    char maker[48], product[48];

    string_at(s, 4, maker, sizeof maker);
    string_at(s, 5, product, sizeof product);
    if (s->at[0] == 1 && maker[0])
        str_copy(b->system_maker, sizeof b->system_maker, maker);
    /* The base board's own names are better than the system's, when it has any. */
    if (maker[0] && (s->at[0] == 2 || !b->maker[0]))
        str_copy(b->maker, sizeof b->maker, maker);
    if (product[0] && (s->at[0] == 2 || !b->product[0]))
        str_copy(b->product, sizeof b->product, product);
}

static void take_slot(const struct structure *s, struct board_facts *b)
{
    enum { IN_USE = 4, HAS_SMBUS = 4 };

    if (b->slot_count == BOARD_MAX_SLOTS)
        return;
    struct board_slot *slot = &b->slots[b->slot_count++];
    string_at(s, 4, slot->name, sizeof slot->name);
    slot->occupied = byte_at(s, 7) == IN_USE;
    slot->has_smbus = byte_at(s, 0x0c) & HAS_SMBUS;
    slot->has_address = s->len >= 0x11 && word_at(s, 0x0d) != 0xffff && byte_at(s, 0x0f) != 0xff;
    slot->segment = word_at(s, 0x0d);
    slot->bus = byte_at(s, 0x0f);
    slot->device = byte_at(s, 0x10) >> 3;
}

static uint64_t module_mib(const struct structure *s)
{
    uint16_t size = word_at(s, 0x0c);

    if (size == 0xffff)
        return 0; /* not known */
    if (size == 0x7fff)
        return dword_at(s, 0x1c) & 0x7fffffff;
    return size & 0x8000 ? (size & 0x7fff) / 1024 : size;
}

static void take_module(const struct structure *s, struct board_facts *b)
{
    uint64_t mib = module_mib(s);

    b->sockets++;
    if (!mib)
        return;
    if (!b->modules)
        b->memory_type = byte_at(s, 0x12);
    b->modules++;
    b->modules_mib += mib;
}

static void take_bmc(const struct structure *s, struct board_facts *b)
{
    enum { SSIF = 4 };

    b->has_bmc = true;
    if (byte_at(s, 4) == SSIF)
        b->bmc_smbus_address = byte_at(s, 8) >> 1;
}

void smbios_read(const void *table, size_t len, struct board_facts *out)
{
    struct structure s = { .at = table, .end = (const uint8_t *)table + len };

    *out = (struct board_facts){ .told = table && len };
    while (out->told && s.at < s.end && (size_t)(s.end - s.at) >= 4 && s.at[1] >= 4 &&
           s.at[1] <= (size_t)(s.end - s.at)) {
        s.len = s.at[1];
        switch (s.at[0]) {
        case 1:
        case 2:
            take_board(&s, out);
            break;
        case 3:
            out->chassis = byte_at(&s, 5) & 0x7f;
            break;
        case 9:
            take_slot(&s, out);
            break;
        case 17:
            take_module(&s, out);
            break;
        case 38:
            take_bmc(&s, out);
            break;
        case 127:
            return;
        }
        s.at = next(&s);
    }
}

/* ---- questions ---- */

bool board_is_laptop(const struct board_facts *b)
{
    return b->chassis == 8 || b->chassis == 9 || b->chassis == 10 || b->chassis == 14;
}

bool board_is_server(const struct board_facts *b)
{
    enum { MAIN_SERVER = 17, RACK_MOUNT = 23, MULTI_SYSTEM = 25, BLADE = 28, BLADE_ENCLOSURE = 29 };

    return b->has_bmc || b->chassis == MAIN_SERVER || b->chassis == RACK_MOUNT ||
           b->chassis == MULTI_SYSTEM || b->chassis == BLADE || b->chassis == BLADE_ENCLOSURE;
}

const struct board_slot *board_slot_at(const struct board_facts *b, uint16_t segment, uint8_t bus)
{
    for (unsigned i = 0; i < b->slot_count; i++)
        if (b->slots[i].has_address && b->slots[i].segment == segment && b->slots[i].bus == bus)
            return &b->slots[i];
    return NULL;
}
