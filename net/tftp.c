#include "tftp.h"
#include "bits.h"
#include "str.h"

enum op { OP_RRQ = 1, OP_WRQ, OP_DATA, OP_ACK, OP_ERROR, OP_OACK };
enum { ERROR_FULL = 3, ERROR_ILLEGAL = 4, ERROR_OPTION = 8, NAME_MAX_CHARACTERS = 200, BLOCK_PLAIN = 512 };

static uint16_t be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static void begin_packet(struct tftp *t, uint16_t op, uint16_t number)
{
    t->packet[0] = (uint8_t)(op >> 8);
    t->packet[1] = (uint8_t)op;
    t->packet[2] = (uint8_t)(number >> 8);
    t->packet[3] = (uint8_t)number;
    t->packet_len = 4;
    t->packet_port = t->peer_port;
}

static void add_string(struct tftp *t, const char *s)
{
    size_t n = str_len(s) + 1;

    memcpy(t->packet + t->packet_len, s, n);
    t->packet_len += n;
}

static void add_option(struct tftp *t, const char *name, uint64_t value)
{
    char digits[24];

    str_fmt(digits, sizeof digits, "%llu", (unsigned long long)value);
    add_string(t, name);
    add_string(t, digits);
}

static int begin(struct tftp *t, enum op op, const char *name, uint16_t port)
{
    if (str_len(name) > NAME_MAX_CHARACTERS)
        return E_LIMIT;
    begin_packet(t, op, 0);
    t->packet_len = 2;
    t->packet_port = port;
    add_string(t, name);
    add_string(t, "octet");
    add_option(t, "blksize", TFTP_BLOCK_BYTES);
    add_option(t, "tsize", op == OP_WRQ ? t->len : 0);
    t->block_bytes = BLOCK_PLAIN;
    return OK;
}

int tftp_put(struct tftp *t, const char *name, const void *data, size_t len, uint16_t server_port)
{
    *t = (struct tftp){ .put = true, .from = data, .len = len };
    return len > TFTP_DATA_MAX_BYTES ? E_LIMIT : begin(t, OP_WRQ, name, server_port);
}

int tftp_get(struct tftp *t, const char *name, void *room, size_t cap, uint16_t server_port)
{
    *t = (struct tftp){ .room = room, .cap = cap };
    return cap > TFTP_DATA_MAX_BYTES ? E_LIMIT : begin(t, OP_RRQ, name, server_port);
}

/* Ends the transfer and makes the packet that tells the server so. */
static bool give_up(struct tftp *t, int err, uint16_t code, const char *why)
{
    t->failed = true;
    t->err = err;
    str_copy(t->problem, sizeof t->problem, why);
    begin_packet(t, OP_ERROR, code);
    add_string(t, "given up");
    return true;
}

static bool send_data(struct tftp *t)
{
    size_t at = (size_t)(t->block - 1) * t->block_bytes, n = t->len - at;

    if (n > t->block_bytes)
        n = t->block_bytes;
    begin_packet(t, OP_DATA, (uint16_t)t->block);
    if (n)
        memcpy(t->packet + 4, t->from + at, n);
    t->packet_len += n;
    return true;
}

static bool send_ack(struct tftp *t)
{
    begin_packet(t, OP_ACK, (uint16_t)t->block);
    return true;
}

/* The server's words: printable, ended by a NUL or by the packet. */
static bool take_error(struct tftp *t, const uint8_t *p, size_t len)
{
    char words[80] = "";
    size_t n = 0;

    while (4 + n < len && p[4 + n])
        n++;
    str_scrub(words, sizeof words, p + 4, n);
    t->failed = true;
    t->err = E_REFUSED;
    str_fmt(t->problem, sizeof t->problem, "the server refused: error %u%s%s", be16(p + 2),
            words[0] ? ", " : "", words);
    return false;
}

/* A string that ends within the packet; its length, or `left` when it does not. */
static size_t string_len(const uint8_t *p, size_t left)
{
    size_t n = 0;

    while (n < left && p[n])
        n++;
    return n;
}

static bool take_option(struct tftp *t, const char *name, const char *value, size_t value_len)
{
    uint64_t v;

    if (str_equal_nocase(name, "tsize"))
        return str_to_u64(value, value_len, &v);
    if (!str_equal_nocase(name, "blksize") || !str_to_u64(value, value_len, &v) || v < 8 ||
        v > TFTP_BLOCK_BYTES)
        return false;
    t->block_bytes = (uint16_t)v;
    return true;
}

/* Only what was asked for may be acknowledged (RFC 2347), and no larger block than was offered (RFC 2348). */
static bool take_options(struct tftp *t, const uint8_t *p, size_t len)
{
    size_t at = 2;

    while (at < len) {
        size_t name = string_len(p + at, len - at), value_at = at + name + 1;

        if (value_at >= len)
            return false;
        size_t value = string_len(p + value_at, len - value_at);
        if (value_at + value >= len ||
            !take_option(t, (const char *)p + at, (const char *)p + value_at, value))
            return false;
        at = value_at + value + 1;
    }
    return true;
}

/* Smaller blocks make more of them: their number must stay within 16 bits. */
static bool fits_blocks(const struct tftp *t) { return (t->put ? t->len : t->cap) / t->block_bytes < 0xffff; }

static bool take_oack(struct tftp *t, const uint8_t *p, size_t len)
{
    if (t->block)
        return false;
    if (!take_options(t, p, len))
        return give_up(t, E_PROTO, ERROR_OPTION, "the server answered with options that were not asked for");
    if (!fits_blocks(t))
        return give_up(t, E_LIMIT, ERROR_OPTION, "the server wants blocks that are too small");
    if (!t->put)
        return send_ack(t);
    t->block = 1;
    return send_data(t);
}

/* The acknowledgement of an earlier block comes twice when one of ours was late: answering it would double
 * every packet from then on. */
static bool take_ack(struct tftp *t, uint16_t number)
{
    if (!t->put || number != (uint16_t)t->block)
        return false;
    if (t->block && t->len - (size_t)(t->block - 1) * t->block_bytes < t->block_bytes) {
        t->done = true;
        return false;
    }
    t->block++;
    return send_data(t);
}

static bool take_data(struct tftp *t, const uint8_t *p, size_t len)
{
    uint16_t number = be16(p + 2);
    size_t n = len - 4;

    if (t->put)
        return false;
    if (t->block && number == (uint16_t)t->block)
        return send_ack(t); /* ours was lost */
    if (number != (uint16_t)(t->block + 1))
        return false;
    if (n > t->block_bytes)
        return give_up(t, E_PROTO, ERROR_ILLEGAL, "the server sent more than one block at once");
    if (n > t->cap - t->len)
        return give_up(t, E_LIMIT, ERROR_FULL, "the file is larger than what is taken");
    memcpy(t->room + t->len, p + 4, n);
    t->len += n;
    t->block++;
    t->done = n < t->block_bytes;
    return send_ack(t);
}

bool tftp_take(struct tftp *t, uint16_t port, const void *packet, size_t len)
{
    const uint8_t *p = packet;
    bool send;

    if (t->done || t->failed || len < 4 || !port || (t->peer_port && port != t->peer_port))
        return false;
    uint16_t op = be16(p), before = t->peer_port;
    t->peer_port = port;
    switch (op) {
    case OP_ERROR:
        return take_error(t, p, len);
    case OP_OACK:
        send = take_oack(t, p, len);
        break;
    case OP_ACK:
        send = take_ack(t, be16(p + 2));
        break;
    case OP_DATA:
        send = take_data(t, p, len);
        break;
    default:
        send = false;
        break;
    }
    if (!send && !t->done)
        t->peer_port = before; /* what was passed over does not choose the port */
    return send;
}
