#include <string.h>
#include "disk.h"
#include "platform_model.h"
#include "test.h"

static struct controller c;

static void start(void)
{
    model_reset_world();
    model_quiet = true;
    memset(&c, 0, sizeof c);
    strcpy(c.name, "sata0");
}

TEST(a_remark_keeps_its_level_and_words_and_is_logged)
{
    start();
    controller_remark(&c, REMARK_WARN, "drive %u: %s", 5, "not driven");
    EQ(c.remark_count, 1);
    EQ(c.remarks[0].level, REMARK_WARN);
    EQ_STR(c.remarks[0].text, "drive 5: not driven");
    EQ_STR(model_last_log(), "sata0: drive 5: not driven");
    controller_remark(&c, REMARK_FAIL, "x");
    EQ(c.remarks[1].level, REMARK_FAIL);
    controller_remark(&c, 99, "x");
    EQ(c.remarks[2].level, REMARK_INFO);
}

TEST(remarks_beyond_the_last_place_are_counted)
{
    start();
    for (unsigned i = 0; i < CONTROLLER_MAX_REMARKS + 3; i++)
        controller_remark(&c, REMARK_INFO, "number %u", i);
    EQ(c.remark_count, CONTROLLER_MAX_REMARKS);
    EQ(c.remarks_dropped, 3);
    EQ_STR(c.remarks[CONTROLLER_MAX_REMARKS - 1].text, "number 47");
}

TEST(a_long_remark_is_cut_and_terminated)
{
    start();
    controller_remark(&c, REMARK_INFO, "%500d", 1);
    EQ(strlen(c.remarks[0].text), sizeof c.remarks[0].text - 1);
    EQ(c.remarks[1].text[0], 0);
}

TEST(every_io_status_has_its_own_words)
{
    for (unsigned i = 0; i < IO_STATUS_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            CHECK(strcmp(io_status_text((enum io_status)i), io_status_text((enum io_status)k)));
    EQ_STR(io_status_text(IO_MEDIA_ERROR), "media error");
    EQ_STR(io_status_text((enum io_status)IO_STATUS_COUNT), "unknown status");
    EQ_STR(io_status_text((enum io_status) - 1), "unknown status");
}
