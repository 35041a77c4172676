#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lines.h"
#include "test.h"

#define MS 1000000ull
#define S  (1000 * MS)

/* A port of that speed on a model clock, and what came out of it. */
static struct port {
    uint64_t now_ns, baud, writing_ns, longest_ns;
    char *out;
    size_t len, cap;
    bool gone;
} port;

static uint64_t now(void) { return port.now_ns; }

static bool port_write(const char *line, size_t len)
{
    uint64_t ns = port.baud ? len * 10 * S / port.baud : 0;

    if (port.gone)
        return false;
    CHECK(len && line[len - 1] == '\n' && !memchr(line, '\n', len - 1));
    if (port.len + len > port.cap)
        port.out = realloc(port.out, port.cap = 2 * (port.cap + len));
    memcpy(port.out + port.len, line, len);
    port.len += len;
    port.now_ns += ns;
    port.writing_ns += ns;
    return true;
}

static char buffer[1 << 20];

static void begin(struct lines *l, uint64_t baud, size_t cap)
{
    free(port.out);
    port = (struct port){ .now_ns = 3 * S, .baud = baud };
    lines_begin(l, port_write, now);
    lines_give_buffer(l, cap ? buffer : NULL, cap);
}

static void put(struct lines *l, unsigned n, size_t len)
{
    char *line = malloc(len + 1);
    int head = snprintf(line, len + 1, "{%06u ", n);
    uint64_t began_ns = port.now_ns;

    memset(line + head, 'x', len - (size_t)head);
    line[len - 1] = '\n';
    CHECK(lines_put(l, line, len));
    if (port.now_ns - began_ns > port.longest_ns)
        port.longest_ns = port.now_ns - began_ns;
    free(line);
}

/* The numbers of the lines that came out: from 0 on without a gap, up to where they are left out. */
static unsigned in_order(void)
{
    unsigned n = 0;

    for (size_t i = 0; i < port.len; i++)
        if (port.out[i] == '{' && (unsigned)atoi(port.out + i + 1) == n)
            n++;
    return n;
}

TEST(a_fast_port_gets_every_line_at_once)
{
    struct lines l;

    begin(&l, 4000000, sizeof buffer);
    for (unsigned n = 0; n < 100; n++) {
        put(&l, n, 600);
        EQ(in_order(), n + 1);
        port.now_ns += 50 * MS;
    }
}

/* 200 disks, a step of eight minutes in all a minute: 120 KB that a line of 9600 baud carries in 125 s. */
TEST(a_slow_port_holds_a_run_up_by_a_tenth_and_gets_all_lines_in_the_end)
{
    struct lines l;
    unsigned n = 0;

    begin(&l, 9600, sizeof buffer);
    uint64_t began_ns = port.now_ns;
    for (unsigned step = 0; step < 8; step++) {
        port.now_ns += 60 * S;
        for (unsigned disk = 0; disk < 200; disk++)
            put(&l, n++, 600);
        /* and one line that was begun */
        CHECK(port.writing_ns <= (port.now_ns - began_ns) / LINES_SHARE + 5 * S + 700 * MS);
    }
    CHECK(port.longest_ns <= LINES_AT_ONCE_MS * MS + 1300 * MS);
    CHECK(in_order() < n);
    EQ(lines_finish(&l, 0), 0);
    EQ(in_order(), n);
    EQ(port.len, n * 600);
}

TEST(at_the_end_a_result_that_is_elsewhere_is_cut_to_its_last_lines)
{
    struct lines l;

    begin(&l, 9600, sizeof buffer);
    for (unsigned n = 0; n < 1000; n++)
        put(&l, n, 600);
    uint64_t began_ns = port.now_ns;
    uint64_t left_out = lines_finish(&l, 60 * S);
    CHECK(left_out > 700 && left_out < 1000);
    CHECK(port.now_ns - began_ns <= 60 * S + (LINES_TAIL_BYTES + 600) * 10 * S / 9600);
    HAS_STR(port.out + port.len - 600, "{000999 ");
    EQ(in_order(), 1000 - left_out - LINES_TAIL_BYTES / 600);
    EQ(lines_finish(&l, 60 * S), 0);
}

TEST(what_the_buffer_cannot_hold_is_written_in_its_turn)
{
    struct lines l;

    begin(&l, 300, 2000);
    for (unsigned n = 0; n < 40; n++)
        put(&l, n, 100 + n * 37);
    put(&l, 40, 1999);
    put(&l, 41, 2000);
    put(&l, 42, 2001);
    put(&l, 43, 60);
    lines_finish(&l, 0);
    EQ(in_order(), 44);
}

TEST(without_a_buffer_every_line_is_written_at_once)
{
    struct lines l;

    begin(&l, 300, 0);
    for (unsigned n = 0; n < 20; n++) {
        put(&l, n, 500);
        EQ(in_order(), n + 1);
    }
    EQ(lines_finish(&l, 1), 0);
}

TEST(lines_of_progress_are_left_out_when_too_many_and_counted)
{
    static const char line[] = "# nvme0n1 seq-64k: 3212.4 MB/s, 49017 IOPS, p99 112 us\n";
    struct lines l;

    begin(&l, 9600, sizeof buffer);
    for (unsigned n = 0; n < 1000; n++)
        lines_progress(&l, line, sizeof line - 1);
    CHECK(port.writing_ns <= 5 * S + port.writing_ns / LINES_SHARE + 100 * MS);
    unsigned written = (unsigned)(port.len / (sizeof line - 1));
    port.now_ns += 10 * S;
    lines_progress(&l, line, sizeof line - 1);
    char want[80];
    snprintf(want, sizeof want, "# (%u lines left out", 1000 - written);
    port.out[port.len - 1] = 0;
    HAS_STR(port.out, want);
}

TEST(what_must_be_read_now_comes_before_what_waits)
{
    struct lines l;

    begin(&l, 9600, sizeof buffer);
    for (unsigned n = 0; n < 100; n++)
        put(&l, n, 600);
    CHECK(lines_now(&l, "# Stop this run?\n", 17));
    EQ(memcmp(port.out + port.len - 17, "# Stop this run?\n", 17), 0);
    lines_finish(&l, 0);
    EQ(in_order(), 100);
}

TEST(ports_that_are_gone_cost_nothing_more)
{
    struct lines l;

    begin(&l, 9600, sizeof buffer);
    put(&l, 0, 600);
    port.gone = true;
    uint64_t began_ns = port.now_ns;
    CHECK(!lines_put(&l, "x\n", 2));
    CHECK(!lines_now(&l, "x\n", 2));
    lines_progress(&l, "x\n", 2);
    lines_finish(&l, 0);
    EQ(port.now_ns, began_ns);
}
