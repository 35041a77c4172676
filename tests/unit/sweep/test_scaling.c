#include "scaling.h"
#include "sweep_hand.h"

TEST(a_scaling_curve_names_its_knee_its_ceiling_and_the_hop_that_limits)
{
    static const struct {
        struct scaling_point p[4];
        unsigned count;
        uint64_t link;
        unsigned knee;
        uint64_t ceiling;
        enum scaling_limit limit;
    } rows[] = {
        { { { 1, 100 }, { 2, 200 }, { 4, 400 } }, 3, 1000, 4, 400, SCALING_DISKS },
        { { { 1, 100 }, { 2, 200 }, { 4, 250 }, { 8, 250 } }, 4, 1000, 2, 250, SCALING_CONTROLLER },
        { { { 1, 100 }, { 2, 200 }, { 4, 250 }, { 8, 250 } }, 4, 260, 2, 250, SCALING_LINK },
        { { { 1, 100 }, { 2, 200 }, { 4, 250 }, { 8, 240 } }, 4, 0, 2, 250, SCALING_CONTROLLER },
        { { { 1, 100 }, { 2, 180 } }, 2, 0, 2, 180, SCALING_DISKS },
        { { { 1, 100 }, { 2, 179 } }, 2, 0, 1, 179, SCALING_CONTROLLER },
        { { { 1, 0 }, { 2, 0 } }, 2, 100, 0, 0, SCALING_UNKNOWN },
        { { { 1, 100 } }, 1, 100, 0, 0, SCALING_UNKNOWN },
        { { { 1, 1ull << 62 }, { 3, UINT64_MAX } }, 2, UINT64_MAX, 3, UINT64_MAX, SCALING_LINK },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        struct scaling_verdict v;
        scaling_judge(rows[i].p, rows[i].count, rows[i].link, &v);
        EQ(v.limit, rows[i].limit);
        EQ(v.knee_disks, rows[i].knee);
        EQ(v.ceiling_bytes_per_s, rows[i].ceiling);
    }
}

TEST(a_scaling_curve_is_told_in_one_line)
{
    static const struct scaling_point p[] = { { 1, 120000000 }, { 2, 240000000 }, { 4, 250000000 } };
    struct scaling_verdict v;
    char line[300];
    struct text t = text_over(line, sizeof(line));

    scaling_judge(p, 3, 260000000, &v);
    scaling_text(p, 3, &v, &t);
    EQ_STR(
        line,
        "1 disk 120 MB/s, 2 disks 240 MB/s, 4 disks 250 MB/s; straight up to 2, ceiling 250 MB/s; the slot's "
        "link is full");
}
