#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "math.h"
#include "plot.h"
#include "sample.h"
#include "test.h"

static const uint64_t values[] = { 0,          1,
                                   2,          3,
                                   9,          10,
                                   11,         99,
                                   512,        1000,
                                   4095,       4096,
                                   4097,       123456789,
                                   1ull << 32, (1ull << 63) - 1,
                                   1ull << 63, UINT64_MAX - 1,
                                   UINT64_MAX };
static const enum plot_scale scales[] = { PLOT_LINEAR, PLOT_LOG10, PLOT_LOG2 };

TEST(an_axis_that_was_fitted_holds_its_values_and_has_a_length)
{
    for (unsigned s = 0; s < ARRAY_COUNT(scales); s++)
        for (unsigned i = 0; i < ARRAY_COUNT(values); i++)
            for (unsigned k = i; k < ARRAY_COUNT(values); k++) {
                struct plot_axis a = { .scale = scales[s] };

                plot_fit(&a, values[i], values[k]);
                CHECK(a.lo < a.hi && a.hi >= values[k]);
                CHECK(a.scale == PLOT_LINEAR ? !a.lo : a.lo && a.lo <= max_u64(values[i], 1));
            }
}

static struct memory drawn(struct plot *p, uint64_t x, uint64_t y)
{
    struct memory m = { 0 };
    struct render_out out = { .write = memory_line, .ctx = &m };
    struct pen pen;

    pen_start(&pen, &out);
    p->pen = &pen;
    plot_begin(p, "a <chart>");
    plot_line_begin(p, 0);
    plot_vertex(p, x, y);
    plot_line_end(p);
    plot_point(p, 5, x, y, "\"this\"");
    plot_end(p);
    pen_end(&pen);
    return m;
}

static double number_behind(const struct memory *m, const char *part)
{
    const char *at = strstr(m->bytes, part);

    CHECK(at != NULL);
    return strtod(at + strlen(part), NULL);
}

TEST(points_lie_within_the_frame_whatever_the_values)
{
    for (unsigned s = 0; s < ARRAY_COUNT(scales); s++)
        for (unsigned i = 0; i < ARRAY_COUNT(values); i++)
            for (unsigned k = 0; k < ARRAY_COUNT(values); k++) {
                struct plot p = {
                    .x = { .scale = scales[s], .label = plot_label_bytes, .title = "x" },
                    .y = { .scale = scales[(s + 1) % 3], .label = plot_label_time, .title = "y" }
                };

                plot_fit(&p.x, values[i] / 3, values[i]);
                plot_fit(&p.y, values[k] / 1000, values[k]);
                struct memory m = drawn(&p, values[i], values[k]);
                double x = number_behind(&m, "href=\"#m5\" x=\""), y = number_behind(&m, "\" y=\"");
                y = strtod(strstr(strstr(m.bytes, "href=\"#m5\""), "y=\"") + 3, NULL);
                CHECK(x >= 54 && x <= 408 && y >= 26 && y <= 220);
                CHECK(m.len < 9000); /* not more ticks than can be seen */
                memory_free(&m);
            }
}

TEST(equal_ratios_are_equal_lengths_on_a_logarithmic_axis)
{
    struct plot p = { .x = { .scale = PLOT_LOG2, .label = plot_label_bytes, .title = "x" },
                      .y = { .scale = PLOT_LOG10, .label = plot_label_bytes, .title = "y" } };

    plot_fit(&p.x, 4096, 1048576);
    plot_fit(&p.y, 1, 10000);
    for (unsigned i = 0; i <= 8; i++) {
        struct memory m = drawn(&p, 4096u << i, i < 5 ? (uint64_t[]){ 1, 10, 100, 1000, 10000 }[i] : 1);
        double x = number_behind(&m, "points=\""), want = 54 + 354.0 * i / 8;

        CHECK(x > want - 0.11 && x < want + 0.11);
        if (i < 5) {
            double y = number_behind(&m, ","), want_y = 220 - 194.0 * i / 4;
            y = strtod(strchr(strstr(m.bytes, "points=\""), ',') + 1, NULL);
            CHECK(y > want_y - 0.11 && y < want_y + 0.11);
        }
        memory_free(&m);
    }
}

static void check_label(void (*how)(struct text *, uint64_t), uint64_t v, const char *want)
{
    char words[40];
    struct text t = text_over(words, sizeof words);

    how(&t, v);
    EQ_STR(words, want);
}

TEST(labels_are_short)
{
    check_label(plot_label_megabytes, 0, "0");
    check_label(plot_label_megabytes, 500000, "0.5");
    check_label(plot_label_megabytes, 5000000000, "5000");
    check_label(plot_label_megabytes, 20000000000, "20k");
    check_label(plot_label_thousandths, 1000000000, "1M");
    check_label(plot_label_thousandths, 500, "0.5");
    check_label(plot_label_thousandths, 500000000, "500k");
    check_label(plot_label_time, 500, "500 ns");
    check_label(plot_label_time, 2000, "2 \xc2\xb5s");
    check_label(plot_label_time, 50000000, "50 ms");
    check_label(plot_label_time, 20000000000, "20 s");
    check_label(plot_label_bytes, 524288, "512 KiB");
}

TEST(a_small_picture_scales_to_its_largest_value)
{
    static const uint64_t v[] = { 0, UINT64_MAX, UINT64_MAX / 2 };
    struct memory m = { 0 };
    struct render_out out = { .write = memory_line, .ctx = &m };
    struct pen pen;

    pen_start(&pen, &out);
    plot_spark(&pen, v, 3, "t");
    plot_spark(&pen, v, 1, "t");
    plot_spark(&pen, v, 0, "t");
    pen_end(&pen);
    HAS_STR(m.bytes, "points=\"1,19 48,1 95,10.1 \"");
    HAS_STR(m.bytes, "points=\"1,19 \"");
    memory_free(&m);
}
