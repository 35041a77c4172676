#include "sweep_hand.h"

/* What a card does meanwhile stands beside the figure. */
TEST(each_ground_of_a_disk_becomes_the_flag_of_its_figures)
{
    static const struct {
        uint32_t ground, flag;
    } rows[] = {
        { GROUND_INITIALISATION, FLAG_INITIALISATION },
        { GROUND_CHECK, FLAG_CHECK },
        { GROUND_REBUILD, FLAG_REBUILD },
        { GROUND_PATROL, FLAG_PATROL },
        { GROUND_LEARN, FLAG_LEARN },
        { GROUND_PINNED_CACHE, FLAG_PINNED_CACHE },
        { GROUND_NARROW_LINK, FLAG_NARROW_LINK },
        { 0, 0 },
    };
    uint32_t all = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        all |= rows[i].flag;
    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        hand_up(1);
        hand.fake[0].disk.grounds = rows[i].ground;
        hand_job(0)->io_bytes = 100 * 4096;
        hand_begin();
        hand_run();
        EQ(hand_result(0)->flags & all, rows[i].flag);
        hand_down();
    }
}

TEST(a_region_not_larger_than_the_cards_memory_is_flagged)
{
    static const struct {
        uint64_t cache_bytes;
        bool flagged;
    } rows[] = { { 0, false }, { 1003 * 512 - 1, false }, { 1003 * 512, true }, { UINT64_MAX, true } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        hand_up(1);
        hand.fake[0].disk.lba_count = 1003;
        hand.fake[0].disk.cache_bytes = rows[i].cache_bytes;
        hand_begin();
        hand_run();
        EQ(!!(hand_result(0)->flags & FLAG_WITHIN_CACHE), rows[i].flagged);
        hand_down();
    }
}
