#include "rig.h"
#include "text.h"

/* Status words in words. */

static const char *words(uint32_t status)
{
    static char buf[200];
    struct text t = text_over(buf, sizeof buf);

    rig_disk(0)->ops->status_words(status, &t);
    return buf;
}

TEST(a_status_word_is_told_with_its_numbers_and_flags)
{
    rig_plug();
    rig_up();
    EQ_STR(words(0), "success (SCT 0, SC 0x00)");
    EQ_STR(words(0x4281), "unrecovered read error (SCT 2, SC 0x81), do not retry");
    EQ_STR(words(0x0281), "unrecovered read error (SCT 2, SC 0x81), may be retried");
    EQ_STR(words(0x0821), "command interrupted (SCT 0, SC 0x21), may be retried after retry delay 1");
    EQ_STR(words(0x3822),
           "transient transport error (SCT 0, SC 0x22), may be retried after retry delay 3, more in "
           "the drive's error log");
    EQ_STR(words(0x01bf), "invalid zone state transition (SCT 1, SC 0xbf), may be retried");
    EQ_STR(words(0x7fff),
           "vendor specific status (SCT 7, SC 0xff), do not retry after retry delay 3, more in the "
           "drive's error log");
    rig_down();
}

TEST(every_status_word_has_words)
{
    rig_plug();
    rig_up();
    for (uint32_t s = 0; s < 0x800; s++)
        CHECK(words(s)[0] >= 'A' && words(s)[0] <= 'z');
    HAS_STR(words(0x0ff), "unknown generic status");
    HAS_STR(words(0x1ff), "unknown command specific status");
    HAS_STR(words(0x2ff), "unknown media error");
    HAS_STR(words(0x3ff), "unknown path error");
    HAS_STR(words(0x400), "reserved status type");
    HAS_STR(words(0x7c0), "vendor specific");
    rig_down();
}
