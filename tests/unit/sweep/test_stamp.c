#include <string.h>
#include "stamp.h"
#include "str.h"
#include "test.h"

enum { LBAS = 8 };
static uint8_t data[LBAS * 4096];

static struct stamp_key key(uint32_t lba_bytes)
{
    return (struct stamp_key){
        .job = 0x8000000000000001ull, .seed = UINT64_MAX, .pass = 2, .lba_bytes = lba_bytes
    };
}

static struct stamp_finding look(const struct stamp_key *k, uint64_t lba, unsigned block)
{
    struct stamp_finding f;

    stamp_look(k, lba, data + (size_t)block * k->lba_bytes, &f);
    return f;
}

static const uint32_t sizes[] = { 512, 520 / 8 * 8, 4096 };

TEST(stamped_blocks_of_any_size_and_place_are_good)
{
    static const uint64_t lbas[] = { 0, 1, 1ull << 32, UINT64_MAX - LBAS };

    for (unsigned s = 0; s < 3; s++)
        for (unsigned i = 0; i < 4; i++) {
            struct stamp_key k = key(sizes[s]);
            stamp_fill(&k, lbas[i], LBAS, data);
            EQ(stamp_check(&k, lbas[i], LBAS, data), LBAS);
            EQ(look(&k, lbas[i] + 7, 7).kind, STAMP_OK);
            EQ(stamp_check(&k, lbas[i], 0, data), 0);
        }
}

TEST(the_content_follows_from_the_key_alone_and_differs_with_each_part_of_it)
{
    static uint8_t other[512];
    struct stamp_key k = key(512), c = k;

    stamp_fill(&k, 5, 1, data);
    stamp_fill(&c, 5, 1, other);
    EQ(memcmp(data, other, 512), 0);
    c.pass++;
    stamp_fill(&c, 5, 1, other);
    CHECK(memcmp(data + 40, other + 40, 512 - 40));
    c = k;
    c.seed--;
    stamp_fill(&c, 5, 1, other);
    CHECK(memcmp(data + 40, other + 40, 512 - 40));
    stamp_fill(&k, 6, 1, other);
    CHECK(memcmp(data + 40, other + 40, 512 - 40));
}

TEST(zeros_or_foreign_data_is_a_lost_write)
{
    struct stamp_key k = key(512);
    struct stamp_finding f;

    stamp_fill(&k, 10, LBAS, data);
    memset(data + 3 * 512, 0, 512);
    EQ(stamp_check(&k, 10, LBAS, data), 3);
    f = look(&k, 13, 3);
    EQ(f.kind, STAMP_LOST);
    EQ(f.lba, 13);
    EQ(f.seen, 0);
    memset(data + 3 * 512, 0xff, 512);
    EQ(look(&k, 13, 3).kind, STAMP_LOST);
}

TEST(an_earlier_pass_is_stale_and_a_later_one_is_not_ours)
{
    struct stamp_key k = key(512), before = k, after = k;

    before.pass--;
    after.pass = UINT32_MAX;
    stamp_fill(&before, 10, 1, data);
    stamp_fill(&after, 11, 1, data + 512);
    EQ(look(&k, 10, 0).kind, STAMP_STALE);
    EQ(look(&k, 10, 0).seen_pass, 1);
    EQ(look(&k, 11, 1).kind, STAMP_OTHER_JOB);
}

TEST(the_stamp_of_another_lba_is_misdirected)
{
    struct stamp_key k = key(4096);
    struct stamp_finding f;

    stamp_fill(&k, 40, 1, data);
    f = look(&k, 12, 0);
    EQ(f.kind, STAMP_MISDIRECTED);
    EQ(f.seen_lba, 40);
    EQ(f.at_byte, 8);
}

TEST(another_job_or_seed_is_told)
{
    struct stamp_key k = key(512), c = k;

    c.job = 7;
    stamp_fill(&c, 12, 1, data);
    EQ(look(&k, 12, 0).kind, STAMP_OTHER_JOB);
    EQ(look(&k, 12, 0).seen_job, 7);
    c = k;
    c.seed = 0;
    stamp_fill(&c, 12, 1, data);
    EQ(look(&k, 12, 0).kind, STAMP_OTHER_JOB);
}

TEST(one_flipped_bit_anywhere_is_corrupt_and_named)
{
    struct stamp_key k = key(512);

    for (unsigned byte = 0; byte < 512; byte++) {
        stamp_fill(&k, 77, 1, data);
        data[byte] ^= 0x80;
        struct stamp_finding f = look(&k, 77, 0);
        EQ(stamp_check(&k, 77, 1, data), 0);
        EQ(f.kind, STAMP_CORRUPT);
        if (byte < 36 || byte >= 40)
            EQ(f.at_byte, byte);
        else
            EQ(f.at_byte, 36);
    }
}

TEST(a_torn_block_is_corrupt)
{
    struct stamp_key k = key(4096), before = k;
    static uint8_t other[4096];

    before.pass--;
    stamp_fill(&k, 3, 1, data);
    stamp_fill(&before, 3, 1, other);
    memcpy(data + 512, other + 512, 4096 - 512);
    struct stamp_finding f = look(&k, 3, 0);
    EQ(f.kind, STAMP_CORRUPT);
    EQ(f.at_byte / 512, 1);
}

TEST(any_job_will_do_when_only_soundness_is_asked)
{
    struct stamp_key k = key(512), any = { .lba_bytes = 512, .any_job = true };

    stamp_fill(&k, 12, 2, data);
    EQ(stamp_check(&any, 12, 2, data), 2);
    EQ(look(&any, 13, 0).kind, STAMP_MISDIRECTED);
    data[100] ^= 1;
    EQ(look(&any, 12, 0).kind, STAMP_CORRUPT);
    EQ(look(&any, 12, 0).at_byte, 100);
    memset(data, 0, 512);
    EQ(look(&any, 12, 0).kind, STAMP_LOST);
}

TEST(a_pattern_fills_behind_the_header_or_all)
{
    struct stamp_key k = key(512);

    k.fill = (struct job_pattern){ 3, { 1, 2, 3 } };
    stamp_fill(&k, 9, 2, data);
    EQ(data[511], k.fill.byte[511 % 3]);
    EQ(stamp_check(&k, 9, 2, data), 2);
    data[300] = 9;
    EQ(look(&k, 9, 0).kind, STAMP_CORRUPT);
    EQ(look(&k, 9, 0).at_byte, 300);
    k.plain = true;
    stamp_fill(&k, 9, 2, data);
    EQ(data[0], 1);
    EQ(data[511], k.fill.byte[511 % 3]);
    EQ(stamp_check(&k, 9, 2, data), 2);
    data[512 + 7]++;
    EQ(stamp_check(&k, 9, 2, data), 1);
    EQ(look(&k, 10, 1).kind, STAMP_CORRUPT);
    EQ(look(&k, 10, 1).at_byte, 7);
    memset(data, 0, 512);
    EQ(look(&k, 9, 0).kind, STAMP_LOST);
}

TEST(a_later_pass_is_as_good_only_when_that_is_asked_for)
{
    struct stamp_key k = key(512);

    k.pass = 7;
    stamp_fill(&k, 9, 1, data);
    k.or_later = true;
    for (k.pass = 5; k.pass < 8; k.pass++)
        EQ(stamp_check(&k, 9, 1, data), 1);
    EQ(stamp_check(&k, 9, 1, data), 0);
    EQ(look(&k, 9, 0).kind, STAMP_STALE);
    EQ(look(&k, 9, 0).seen_pass, 7);
    k.pass = 5;
    EQ(look(&k, 8, 0).kind, STAMP_MISDIRECTED);
    data[200] ^= 1; /* compared with the pass that was found */
    EQ(look(&k, 9, 0).kind, STAMP_CORRUPT);
    EQ(look(&k, 9, 0).at_byte, 200);
    k.or_later = false;
    EQ(stamp_check(&k, 9, 1, data), 0);
}

TEST(the_job_word_follows_from_region_and_sizes)
{
    struct job a = { .offset_bytes = 4096, .size_bytes = 1 << 20, .block_bytes = 4096 }, b = a;

    EQ(stamp_job_of(&a), stamp_job_of(&b));
    b.offset_bytes = 0;
    CHECK(stamp_job_of(&a) != stamp_job_of(&b));
    b = a;
    b.size_bytes++;
    CHECK(stamp_job_of(&a) != stamp_job_of(&b));
    EQ_STR(stamp_kind_text(STAMP_MISDIRECTED), "misdirected");
    EQ_STR(stamp_kind_text(STAMP_KIND_COUNT), "unknown");
}

TEST(findings_have_words)
{
    static const struct {
        struct stamp_finding f;
        const char *words;
    } row[] = {
        { { .lba = 5, .kind = STAMP_LOST, .expected = 0xab }, "LBA 5 was never written" },
        { { .lba = 5, .kind = STAMP_STALE, .seen_pass = 3 }, "what pass 3 wrote" },
        { { .lba = 5, .kind = STAMP_MISDIRECTED, .seen_lba = 9 }, "what was written to LBA 9" },
        { { .lba = 5, .kind = STAMP_CORRUPT, .at_byte = 17 }, "altered from byte 17 on" },
        { { .lba = 5, .kind = STAMP_OTHER_JOB }, "another job or run" },
        { { .lba = 5 }, "as written" },
    };
    char words[200];

    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct text t = text_over(words, sizeof(words));
        stamp_finding_text(&row[i].f, &t);
        HAS_STR(words, row[i].words);
    }
}
