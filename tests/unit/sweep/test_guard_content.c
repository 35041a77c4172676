#include <string.h>
#include "bits.h"
#include "crc.h"
#include "err.h"
#include "guard_content.h"
#include "guard_kinds.h"
#include "test.h"

/* A disk that is zero but for a few short pieces. */
enum { MAX_PIECES = 8 };
static struct disk_of_pieces {
    uint64_t bytes;
    uint32_t lba_bytes;
    struct {
        uint64_t at;
        const void *data;
        size_t len;
    } piece[MAX_PIECES];
    unsigned pieces;
    uint64_t bad_lba; /* cannot be read; ~0: all can */
    int bad_rc;
    uint64_t reads, beyond;
} disk;
static struct guard_memory memory;
static struct guard_content content;
static char words[2000];

static int read_pieces(void *ctx, uint64_t lba, uint32_t blocks, void *buf)
{
    const struct disk_of_pieces *d = ctx;
    uint64_t from = lba * d->lba_bytes, to = from + (uint64_t)blocks * d->lba_bytes;

    disk.reads++;
    if (to > d->bytes)
        disk.beyond++;
    if (d->bad_lba >= lba && d->bad_lba < lba + blocks)
        return d->bad_rc;
    memset(buf, 0, to - from);
    for (unsigned i = 0; i < d->pieces; i++)
        for (size_t n = 0; n < d->piece[i].len; n++)
            if (d->piece[i].at + n >= from && d->piece[i].at + n < to)
                ((uint8_t *)buf)[d->piece[i].at + n - from] = ((const uint8_t *)d->piece[i].data)[n];
    return OK;
}

static void new_disk(uint64_t bytes, uint32_t lba_bytes)
{
    disk = (struct disk_of_pieces){ .bytes = bytes, .lba_bytes = lba_bytes, .bad_lba = ~0ull };
}

static void put(uint64_t at, const void *data, size_t len)
{
    disk.piece[disk.pieces].at = at;
    disk.piece[disk.pieces].data = data;
    disk.piece[disk.pieces++].len = len;
}

static const char *look(void)
{
    struct guard_reader r = { .read = read_pieces,
                              .ctx = &disk,
                              .lba_bytes = disk.lba_bytes,
                              .lba_count = disk.bytes / disk.lba_bytes };
    struct text t = text_over(words, sizeof words);

    guard_look(&r, &memory, &content);
    guard_content_words(&content, &t);
    EQ(disk.beyond, 0);
    return words;
}

TEST(a_disk_of_zeros_is_blank_whatever_its_size_and_blocks)
{
    static const uint64_t sizes[] = {
        64 * KIB,  64 * KIB + 4096, MIB,       MIB + 4096,  2 * MIB - 4096,          2 * MIB + 4096,
        100 * MIB, 256 * GIB,       257 * GIB, 20000 * GIB, UINT64_MAX / 4096 * 4096
    };

    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++)
        for (uint32_t lba = 512; lba <= 4096; lba *= 2) {
            new_disk(sizes[i], lba);
            EQ_STR(look(), "nothing but zeros at every place looked at");
            EQ(content.state, CONTENT_BLANK);
            EQ_STR(content.fingerprint, "blank");
        }
}

TEST(a_disk_too_small_or_with_odd_blocks_is_unreadable_not_blank)
{
    static const struct {
        uint64_t bytes;
        uint32_t lba;
    } odd[] = { { 64 * KIB - 512, 512 }, { MIB, 256 }, { MIB, 8192 }, { MIB, 520 } };

    for (unsigned i = 0; i < ARRAY_COUNT(odd); i++) {
        new_disk(odd[i].bytes, odd[i].lba);
        look();
        EQ(content.state, CONTENT_UNREADABLE);
        EQ_STR(content.fingerprint, "");
    }
}

/* Every row whose magic is enough, at its place, on both block sizes; the others are met by tests/guard. */
TEST(each_sign_alone_on_a_disk_is_named)
{
    enum { SIZE = 300 };

    for (unsigned i = 0; i < guard_sign_count; i++) {
        const struct sign *s = &guard_signs[i];
        uint64_t bytes = SIZE * GIB;

        if (s->check)
            continue;
        for (uint32_t lba = 512; lba <= 4096; lba *= 8) {
            new_disk(bytes, lba);
            put((s->anchor == FROM_START ? s->base_bytes : bytes - s->base_bytes) + s->magic_at, s->magic,
                s->magic_bytes);
            look();
            EQ(content.state, CONTENT_FOUND);
            if (!content.found_count || strcmp(content.found[0].kind, s->kind) != 0)
                test_fail(__FILE__, __LINE__, "row %u, %s: %s", i, s->kind, words);
        }
    }
}

TEST(magics_have_text_enough_to_mean_something)
{
    for (unsigned i = 0; i < guard_sign_count; i++) {
        const struct sign *s = &guard_signs[i];

        CHECK(s->magic_bytes >= 4 || s->check);
        CHECK(s->magic_at + s->magic_bytes <= SIGN_WINDOW_BYTES || !s->check);
        CHECK(s->kind[0] && s->anchor < SIGN_ANCHOR_COUNT);
    }
}

TEST(what_cannot_be_read_is_never_blank)
{
    new_disk(GIB, 512);
    look();
    uint64_t reads = disk.reads;

    CHECK(reads > GUARD_PLACES);
    /* the first and last block, one in the middle of the tail, one of the spread looks, btrfs's second place
     */
    static const uint64_t bad[] = { 0, GIB / 512 - 1, GIB / 512 - 1000, (GIB / 256) / 512, 64 * MIB / 512 };
    for (unsigned i = 0; i < ARRAY_COUNT(bad); i++) {
        new_disk(GIB, 512);
        disk.bad_lba = bad[i];
        disk.bad_rc = E_MEDIA;
        HAS_STR(look(), "unreadable (LBA ");
        EQ(content.state, CONTENT_UNREADABLE);
        EQ_STR(content.fingerprint, "");
        CHECK(content.unreadable_lba <= bad[i] && bad[i] < content.unreadable_lba + 256);
    }
}

TEST(a_look_that_took_too_long_is_not_blank)
{
    new_disk(GIB, 512);
    disk.bad_lba = (GIB / 256) / 512;
    disk.bad_rc = E_TIMEOUT;
    HAS_STR(look(), "took too long");
    EQ(content.state, CONTENT_UNFINISHED);
    EQ_STR(content.fingerprint, "");
}

TEST(each_place_of_the_spread_look_is_looked_at)
{
    for (unsigned i = 0; i < GUARD_PLACES; i++) {
        uint64_t bytes = 1000 * GIB, step = bytes / GUARD_PLACES;

        new_disk(bytes, 512);
        put(i * step + step / 2, "x", 1);
        HAS_STR(look(), "data of an unknown kind at byte");
        EQ(content.data_places, 1);
    }
}

TEST(the_fingerprint_changes_with_one_bit_of_head_or_tail_and_with_the_size)
{
    char first[65];
    static const uint64_t places[] = { 0, 510, MIB - 1, 4 * GIB - MIB, 4 * GIB - 1 };

    new_disk(4 * GIB, 512);
    put(0, "\xeb\x58\x90-FVE-FS-", 11);
    look();
    strcpy(first, content.fingerprint);
    EQ(strlen(first), 64);
    look();
    EQ_STR(content.fingerprint, first);
    for (unsigned i = 0; i < ARRAY_COUNT(places); i++) {
        new_disk(4 * GIB, 512);
        put(0, "\xeb\x58\x90-FVE-FS-", 11);
        put(places[i], "\x01", 1);
        look();
        CHECK(strcmp(content.fingerprint, first) != 0);
    }
    new_disk(4 * GIB + 4096, 512);
    put(0, "\xeb\x58\x90-FVE-FS-", 11);
    look();
    CHECK(strcmp(content.fingerprint, first) != 0);
}

TEST(more_finds_than_there_is_room_for_are_counted)
{
    uint8_t head[20000] = { 0 };

    /* an extreme partition table: 12 partitions on the same file system, found again and again */
    memcpy(head + 512, "EFI PART", 8);
    head[512 + 72] = 2;
    head[512 + 80] = 128;
    head[512 + 84] = 128;
    for (unsigned i = 0; i < 128; i++) {
        uint8_t *e = head + 1024 + 128 * i;

        e[0] = 1;
        e[33] = 0x10; /* LBA 4096 */
        e[41] = 0x20;
    }
    new_disk(GIB, 512);
    put(0, head, sizeof head);
    put(2 * MIB, "XFSB", 4);
    put(2 * MIB + 32, "NXSB", 4);
    look();
    EQ(content.found_count, GUARD_MAX_FOUND);
    EQ(content.found_more, 2 * GUARD_MAX_PARTITIONS + 1 - GUARD_MAX_FOUND);
    HAS_STR(words, "; and 1 more");
    HAS_STR(words, "XFS of partition 1; ");
}

/* Words of the disk are indices here: whatever stands in the tables, nothing outside of the disk is read. */
TEST(a_partition_table_of_nonsense_is_named_and_leads_nowhere)
{
    uint8_t head[1536];

    for (unsigned fill = 0; fill < 3; fill++) {
        memset(head, fill == 0 ? 0xff : fill == 1 ? 0x7f : 0x80, sizeof head);
        memcpy(head + 512, "EFI PART", 8);
        head[510] = 0x55;
        head[511] = 0xaa;
        new_disk(GIB, 512);
        put(0, head, sizeof head);
        HAS_STR(look(), "GPT");
        memset(head + 512 + 84, 0, 4);
        look();
        memset(head + 512 + 72, 0, 8);
        memcpy(head + 512 + 84, "\x80\0\0\0", 4);
        HAS_STR(look(), "GPT");
    }
}

/* Where no sign is looked for and no place of the spread look lies: head and tail are read whole. */
TEST(one_byte_anywhere_in_head_or_tail_is_data)
{
    static const uint64_t at[] = { 0,       100,           5000,           300 << 10,
                                   MIB - 1, 4 * GIB - MIB, 4 * GIB - 5000, 4 * GIB - 1 };

    for (unsigned i = 0; i < ARRAY_COUNT(at); i++) {
        new_disk(4 * GIB, 512);
        put(at[i], "\x01", 1);
        look();
        EQ(content.state, CONTENT_FOUND);
    }
}

/* ---- the mark ---- */
static const struct guard_mark mark = { .arming_id = "0123456789abcdef", .run_id = "fedcba9876543210" };

TEST(a_mark_is_read_as_it_was_written_and_any_damage_is_noticed)
{
    uint8_t block[GUARD_MARK_BYTES];
    struct guard_mark read;

    for (unsigned finished = 0; finished < 2; finished++) {
        struct guard_mark m = mark;

        m.finished = finished;
        guard_mark_make(block, &m);
        CHECK(guard_mark_read(block, &read));
        EQ_STR(read.arming_id, mark.arming_id);
        EQ_STR(read.run_id, mark.run_id);
        EQ(read.finished, finished);
        for (unsigned bit = 0; bit < GUARD_MARK_BYTES * 8; bit++) {
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
            CHECK(!guard_mark_read(block, &read));
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

TEST(a_sound_block_that_calls_itself_something_else_is_no_mark)
{
    uint8_t block[GUARD_MARK_BYTES];
    struct guard_mark read;
    uint32_t crc;

    guard_mark_make(block, &mark);
    block[15] = '2'; /* a later version */
    crc = crc32c(0, block, GUARD_MARK_BYTES - 4);
    memcpy(block + GUARD_MARK_BYTES - 4, &crc, sizeof crc);
    CHECK(!guard_mark_read(block, &read));
}

TEST(only_our_mark_with_nothing_foreign_in_head_and_tail_is_ours_alone)
{
    uint8_t block[GUARD_MARK_BYTES];

    guard_mark_make(block, &mark);
    new_disk(GIB, 512);
    put(0, block, sizeof block);
    EQ_STR(look(), "Baresweep's own mark");
    CHECK(content.has_mark && content.only_ours);
    put(500 * MIB, "stamped", 7); /* what the run wrote behind it */
    look();
    CHECK(content.only_ours);
    put(64 * MIB + 64, "_BHRfS_M", 8); /* left over in the middle from before */
    look();
    CHECK(content.only_ours);
    put(GIB - 512, "EFI PART", 8);
    look();
    CHECK(content.has_mark && !content.only_ours);
    disk.pieces--;
    put(MIB - 1, "x", 1); /* somebody wrote into the head since */
    look();
    CHECK(!content.only_ours);
    disk.pieces--;
    put(65536, "\x01\x16\x19\x70", 4); /* GFS2 */
    look();
    CHECK(!content.only_ours);
}

TEST(without_the_mark_nothing_is_ours)
{
    new_disk(GIB, 512);
    look();
    CHECK(!content.has_mark && !content.only_ours);
    put(0, "x", 1);
    look();
    CHECK(!content.has_mark && !content.only_ours);
}
