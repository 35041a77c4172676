#include <string.h>
#include "conf.h"
#include "conf_edit.h"
#include "test.h"

static const char *edit(const char *text, const struct conf_change *changes, unsigned count)
{
    static char out[2000];
    struct text t = text_over(out, sizeof out);

    conf_edit(text, strlen(text), changes, count, &t);
    return out;
}

TEST(a_changed_line_is_replaced_and_the_rest_stays)
{
    const struct conf_change c[] = { { "budget_s", "300" }, { "preset", "quick" } };

    EQ_STR(edit("# mine\n[run]\nbudget_s = 900 # long\nexpect_disks = 2\n", c, 2),
           "budget_s = 300\npreset = quick\n# mine\n[run]\nexpect_disks = 2\n");
    EQ_STR(edit("", c, 1), "budget_s = 300\n");
    EQ_STR(edit("budget_s=1\r\nbudget_s=2", c, 1), "budget_s = 300\n");
}

TEST(an_empty_value_takes_the_line_away)
{
    const struct conf_change c[] = { { "include", "" } };

    EQ_STR(edit("include = sata0\nexclude = sata1\n", c, 1), "exclude = sata1\n");
}

TEST(the_map_is_left_alone_and_a_byte_order_mark_goes)
{
    const struct conf_change c[] = { { "jobs", "" } };

    EQ_STR(edit("\xef\xbb\xbfjobs = a.fio\n[map]\njobs = x\n/dev/sda = sata0.3\n", c, 1),
           "[map]\njobs = x\n/dev/sda = sata0.3\n");
}

TEST(what_was_edited_is_read_as_it_was_meant)
{
    const struct conf_change c[] = { { "include", "nvme0n1, sata0.2" },
                                     { "plan", "preset" },
                                     { "preset", "atto" } };
    static struct conf conf;
    struct conf_problems problems;
    const char *text = edit("plan = jobs\njobs = a.fio\n\n[other]\ninclude = sata9\ncountdown_s = 3\n", c, 3);

    CHECK(strstr(text, "countdown_s = 3"));
    conf_read(text, strlen(text), &conf, &problems);
    EQ_STR(conf.include, "nvme0n1, sata0.2");
    EQ(conf.plan, CONF_PLAN_PRESET);
    EQ(conf.countdown_s, 3);
}

TEST(text_without_room_is_marked_as_cut)
{
    const struct conf_change c[] = { { "include", "nvme0n1" } };
    char out[20];
    struct text t = text_over(out, sizeof out);

    conf_edit("exclude = sata1\n", 16, c, 1, &t);
    CHECK(t.cut);
}
