#include "fault.h"
#include "platform_model.h"
#include "text.h"
#include "test.h"

static const char *words(const struct fault *f)
{
    static char buf[200];
    struct text t = text_over(buf, sizeof buf);

    fault_text(f, &t);
    return buf;
}

TEST(a_fault_is_recorded_logged_once_and_returned)
{
    struct fault f = { 0 };

    model_reset_world();
    model_quiet = true;
    unsigned long before = model_log_lines;
    EQ(fault_set(&f, E_TIMEOUT, "nvme_admin.c", 88, "CSTS.RDY", 0, 1), E_TIMEOUT);
    EQ(model_log_lines, before + 1);
    EQ_STR(model_last_log(), "CSTS.RDY: timed out (got 0x0, want 0x1) at nvme_admin.c:88");
    EQ_STR(words(&f), "CSTS.RDY: timed out (got 0x0, want 0x1) at nvme_admin.c:88");
}

TEST(the_first_fault_stays_and_later_ones_are_only_told)
{
    struct fault f = { 0 };

    model_quiet = true;
    FAULT(&f, E_GONE, "register", UINT64_MAX, 0);
    unsigned long before = model_log_lines;
    EQ(FAULT(&f, E_PROTO, "phase", 1, 2), E_PROTO);
    EQ(model_log_lines, before + 1);
    EQ(f.err, E_GONE);
    EQ(f.got, UINT64_MAX);
    EQ_STR(f.what, "register");
    EQ_STR(f.file, "test_fault.c");
    HAS_STR(words(&f), "register: device left the bus (got 0xffffffffffffffff, want 0x0) at test_fault.c:");
}

TEST(a_note_needs_no_record)
{
    model_quiet = true;
    unsigned long before = model_log_lines;
    EQ(NOTE(E_MEDIA, "READ at LBA 5", 5, 0), E_MEDIA);
    EQ(model_log_lines, before + 1);
    HAS_STR(model_last_log(), "READ at LBA 5: data could not be read");
}

TEST(no_fault_says_so)
{
    struct fault f = { 0 };

    EQ_STR(words(&f), "no fault");
}
