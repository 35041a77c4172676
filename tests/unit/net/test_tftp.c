#include <stdio.h>
#include <string.h>
#include "bits.h"
#include "test.h"
#include "tftp.h"

enum { SERVER = 69, PEER = 4000 };
static struct tftp t;
static uint8_t data[200000], room[200000], wire[2000];

static void fill(void)
{
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7 + i / 251);
}

static bool take(uint16_t port, const char *bytes, size_t len) { return tftp_take(&t, port, bytes, len); }
#define TAKE(port, s) take((port), (s), sizeof(s) - 1)

static bool take_ack(uint16_t port, unsigned number)
{
    uint8_t p[4] = { 0, 4, (uint8_t)(number >> 8), (uint8_t)number };

    return tftp_take(&t, port, p, 4);
}

static bool take_data(unsigned number, const uint8_t *bytes, size_t n)
{
    wire[0] = 0;
    wire[1] = 3;
    wire[2] = (uint8_t)(number >> 8);
    wire[3] = (uint8_t)number;
    memcpy(wire + 4, bytes, n);
    return tftp_take(&t, PEER, wire, n + 4);
}

static unsigned op(void) { return (unsigned)(t.packet[0] << 8 | t.packet[1]); }
static unsigned number(void) { return (unsigned)(t.packet[2] << 8 | t.packet[3]); }

TEST(a_write_request_asks_for_large_blocks_and_tells_the_size)
{
    static const char want[] = "\0\2a/b\0octet\0blksize\0001428\0tsize\00015";

    EQ(tftp_put(&t, "a/b", data, 15, SERVER), OK);
    EQ(t.packet_len, sizeof want);
    CHECK(!memcmp(t.packet, want, sizeof want));
    EQ(t.packet_port, SERVER);
}

TEST(a_read_request_asks_for_the_size)
{
    static const char want[] = "\0\1x\0octet\0blksize\0001428\0tsize\0000";

    EQ(tftp_get(&t, "x", room, sizeof room, SERVER), OK);
    EQ(t.packet_len, sizeof want);
    CHECK(!memcmp(t.packet, want, sizeof want));
}

/* Plays a willing server to the end; the blocks that came are put together in room. */
static size_t serve_put(size_t block, bool options)
{
    size_t got = 0;
    unsigned n = 0;
    char oack[40] = "\0\6blksize";

    snprintf(oack + 10, sizeof oack - 10, "%zu", block);
    if (options)
        CHECK(tftp_take(&t, PEER, oack, 10 + strlen(oack + 10) + 1));
    else
        CHECK(take_ack(PEER, 0));
    while (!t.done) {
        CHECK(!t.failed);
        EQ(op(), 3);
        EQ(number(), ++n);
        EQ(t.packet_port, PEER);
        CHECK(t.packet_len - 4 <= block);
        memcpy(room + got, t.packet + 4, t.packet_len - 4);
        got += t.packet_len - 4;
        EQ(take_ack(PEER, n), !t.done);
    }
    return got;
}

TEST(files_of_all_sizes_arrive_whole)
{
    static const size_t sizes[] = { 0, 1, 511, 512, 513, 1427, 1428, 1429, 2 * 1428, 100000, sizeof data };

    fill();
    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++)
        for (unsigned k = 0; k < 3; k++) {
            memset(room, 0, sizeof room);
            EQ(tftp_put(&t, "f", data, sizes[i], SERVER), OK);
            EQ(serve_put(k == 0 ? 1428 : k == 1 ? 512 : 1024, k != 1), sizes[i]);
            CHECK(!memcmp(room, data, sizes[i]));
        }
}

TEST(files_of_all_sizes_are_fetched_whole)
{
    static const size_t sizes[] = { 0, 1, 511, 512, 513, 1024, 100000 };

    fill();
    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
        unsigned n = 0;

        EQ(tftp_get(&t, "f", room, sizes[i], SERVER), OK);
        for (size_t at = 0; !t.done; at += 512) {
            size_t len = sizes[i] - at < 512 ? sizes[i] - at : 512;

            CHECK(take_data(++n, data + at, len));
            EQ(op(), 4);
            EQ(number(), n);
        }
        EQ(t.len, sizes[i]);
        CHECK(!memcmp(room, data, sizes[i]));
    }
}

TEST(a_duplicate_acknowledgement_is_not_answered)
{
    EQ(tftp_put(&t, "f", data, 5000, SERVER), OK);
    CHECK(take_ack(PEER, 0));
    CHECK(take_ack(PEER, 1));
    EQ(number(), 2);
    CHECK(!take_ack(PEER, 1));
    CHECK(!take_ack(PEER, 0));
    CHECK(!take_ack(PEER, 3));
    CHECK(!take_ack(PEER, 0xffff));
    EQ(number(), 2);
    CHECK(take_ack(PEER, 2));
    EQ(number(), 3);
}

TEST(a_lost_acknowledgement_of_ours_is_sent_again)
{
    EQ(tftp_get(&t, "f", room, sizeof room, SERVER), OK);
    CHECK(take_data(1, data, 512));
    CHECK(take_data(1, data, 512));
    EQ(op(), 4);
    EQ(number(), 1);
    EQ(t.len, 512);
    CHECK(!take_data(3, data, 512));
    CHECK(!take_data(0, data, 512));
    EQ(t.len, 512);
}

TEST(another_port_of_the_server_is_not_heard)
{
    EQ(tftp_put(&t, "f", data, 5000, SERVER), OK);
    CHECK(take_ack(PEER, 0));
    CHECK(!take_ack(PEER + 1, 1));
    CHECK(!TAKE(PEER + 1, "\0\5\0\1no\0"));
    CHECK(!t.failed);
    CHECK(!take_ack(0, 1));
    CHECK(take_ack(PEER, 1));
}

TEST(a_packet_that_means_nothing_does_not_choose_the_port)
{
    EQ(tftp_put(&t, "f", data, 5000, SERVER), OK);
    CHECK(!take_ack(PEER + 1, 7));
    CHECK(!TAKE(PEER + 1, "\0\3\0\1data"));
    CHECK(!TAKE(PEER + 1, "\0\11\0\1"));
    CHECK(!TAKE(PEER + 1, ""));
    CHECK(!TAKE(PEER + 1, "\0\4\0"));
    CHECK(take_ack(PEER, 0));
    EQ(t.packet_port, PEER);
}

TEST(an_error_ends_it_with_the_servers_words)
{
    EQ(tftp_put(&t, "f", data, 10, SERVER), OK);
    CHECK(!TAKE(PEER, "\0\5\0\2Access violation"));
    CHECK(t.failed);
    EQ(t.err, E_REFUSED);
    HAS_STR(t.problem, "error 2, Access violation");
    EQ(tftp_put(&t, "f", data, 10, SERVER), OK);
    CHECK(!TAKE(PEER, "\0\5\377\377"));
    HAS_STR(t.problem, "error 65535");
    EQ(tftp_put(&t, "f", data, 10, SERVER), OK);
    CHECK(!TAKE(PEER, "\0\5\0\3\33[2Jx\0y"));
    HAS_STR(t.problem, "error 3, ?[2Jx");
    CHECK(!take_ack(PEER, 0));
}

TEST(options_that_were_not_asked_for_end_it)
{
    static const struct {
        const char *p;
        size_t len;
    } row[] = {
        { "\0\6blksize\0001429\0", 15 },
        { "\0\6blksize\0007\0", 12 },
        { "\0\6blksize\0000\0", 12 },
        { "\0\6blksize\00065464\0", 16 },
        { "\0\6windowsize\0004\0", 15 },
        { "\0\6blksize\0\0", 11 },
        { "\0\6blksize\0-8\0", 13 },
        { "\0\6blksize\0001428", 14 },
        { "\0\6blksize", 9 },
        { "\0\6blksize\0", 10 },
        { "\0\6\0\0", 4 },
        { "\0\6tsize\0x\0", 10 },
        { "\0\6blksize\00018446744073709551616\0", 31 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        EQ(tftp_put(&t, "f", data, 5000, SERVER), OK);
        CHECK(take(PEER, row[i].p, row[i].len));
        CHECK(t.failed);
        EQ(t.err, E_PROTO);
        EQ(op(), 5);
        EQ(number(), 8);
        EQ(t.packet_port, PEER);
    }
}

TEST(options_may_come_in_any_order_and_case_or_not_at_all)
{
    EQ(tftp_put(&t, "f", data, 5000, SERVER), OK);
    CHECK(TAKE(PEER, "\0\6TSIZE\0005000\0BlkSize\0001000\0"));
    EQ(t.packet_len, 1004);
    EQ(tftp_get(&t, "f", room, sizeof room, SERVER), OK);
    CHECK(TAKE(PEER, "\0\6tsize\0005000\0"));
    EQ(op(), 4);
    EQ(number(), 0);
    EQ(t.block_bytes, 512);
    /* A second one in the middle of the transfer changes nothing. */
    CHECK(take_data(1, data, 512));
    CHECK(!TAKE(PEER, "\0\6blksize\00010\0"));
    EQ(t.block_bytes, 512);
}

TEST(blocks_whose_number_would_not_fit_are_refused)
{
    EQ(tftp_get(&t, "f", room, TFTP_DATA_MAX_BYTES, SERVER), OK);
    CHECK(TAKE(PEER, "\0\6blksize\0008\0"));
    CHECK(t.failed);
    EQ(t.err, E_LIMIT);
    EQ(tftp_put(&t, "f", data, TFTP_DATA_MAX_BYTES + 1, SERVER), E_LIMIT);
}

TEST(a_file_larger_than_the_room_ends_it)
{
    EQ(tftp_get(&t, "f", room, 600, SERVER), OK);
    CHECK(take_data(1, data, 512));
    CHECK(take_data(2, data, 89));
    CHECK(t.failed);
    EQ(t.err, E_LIMIT);
    EQ(number(), 3);
    EQ(t.len, 512);
}

TEST(more_than_one_block_at_once_ends_it)
{
    EQ(tftp_get(&t, "f", room, sizeof room, SERVER), OK);
    CHECK(take_data(1, data, 513));
    CHECK(t.failed);
    EQ(t.err, E_PROTO);
    EQ(t.len, 0);
}

TEST(a_name_of_more_than_200_characters_is_refused)
{
    char name[300] = "";

    memset(name, 'n', 200);
    EQ(tftp_put(&t, name, data, 1, SERVER), OK);
    CHECK(t.packet_len < TFTP_PACKET_BYTES);
    name[200] = 'n';
    EQ(tftp_put(&t, name, data, 1, SERVER), E_LIMIT);
}
