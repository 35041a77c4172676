#include "driver_hand.h"
#include <string.h>

static const char *words(uint32_t detail)
{
    static char buf[200];
    struct text t = text_over(buf, sizeof buf);

    mfi_status_words(detail, &t);
    return buf;
}

TEST(every_status_of_the_table_has_its_words_and_the_rest_are_unknown)
{
    EQ_STR(mfi_status_text(0x00), "ok");
    EQ_STR(mfi_status_text(0x0c), "no such device");
    EQ_STR(mfi_status_text(0xff), "not answered");
    EQ_STR(mfi_status_text(0x99), "unknown status");
    for (unsigned s = 0; s < 256; s++)
        CHECK(mfi_status_text((uint8_t)s)[0]);
}

TEST(fixed_and_descriptor_sense_mean_the_same)
{
    const uint8_t fixed[18] = { 0xf0, 0, 0x03, 0, 0, 0, 1, 10, 0, 0, 0, 0, 0x11, 0x00 };
    const uint8_t descriptor[8] = { 0x72, 0x03, 0x11, 0x00 };
    uint32_t a = mfi_detail(0x2d, 2, fixed, 18), b = mfi_detail(0x2d, 2, descriptor, 8);

    EQ(a, b);
    EQ(mfi_detail_sense_key(a), 3);
    EQ_STR(words(a), "medium error: unrecovered read error (MFI status 0x2d, sense 3/11/00)");
}

TEST(the_top_values_of_every_sense_field_survive)
{
    const uint8_t fixed[18] = { 0x70, 0, 0x0f, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0xff, 0xff };

    HAS_STR(words(mfi_detail(0x2d, 2, fixed, 18)), "sense f/ff/ff");
    EQ(mfi_detail_sense_key(mfi_detail(0x2d, 2, fixed, 18)), 15);
}

TEST(sense_that_is_cut_or_of_another_form_is_not_guessed_at)
{
    const uint8_t fixed[18] = { 0x70, 0, 0x03, [12] = 0x11 };
    const uint8_t other[18] = { 0x7f, 0, 0x03, [12] = 0x11 };

    EQ(mfi_detail_sense_key(mfi_detail(0x2d, 2, fixed, 13)), 0);
    EQ(mfi_detail_sense_key(mfi_detail(0x2d, 2, fixed, 0)), 0);
    EQ(mfi_detail_sense_key(mfi_detail(0x2d, 2, other, 18)), 0);
    HAS_STR(words(mfi_detail(0x2d, 2, other, 18)), "check condition without sense data");
    HAS_STR(words(mfi_detail(0x2d, 0x08, fixed, 18)), "busy (MFI status 0x2d, SCSI status 0x08)");
    HAS_STR(words(mfi_detail(0x2d, 0xff, fixed, 18)), "SCSI status 0xff");
    /* Only status 2Dh brings sense data. */
    EQ(mfi_detail_sense_key(mfi_detail(0x2e, 2, fixed, 18)), 0);
    EQ_STR(words(mfi_detail(0x2e, 2, fixed, 18)), "SCSI command failed in transport (MFI status 0x2e)");
}

TEST(policies_read_as_their_settings)
{
    char buf[100];
    struct text t = text_over(buf, sizeof buf);

    mfi_policy_words(0x00, &t);
    EQ_STR(buf, "write through, no read ahead, direct I/O");
    text_reset(&t);
    mfi_policy_words(0x7d, &t);
    EQ_STR(buf, "write back even without battery, adaptive read ahead, cached I/O");
    text_reset(&t);
    mfi_policy_words(0x25, &t);
    EQ_STR(buf, "write back, read ahead, writes cached");
}

static char identity[96];
static const char *designator(const uint8_t *page, uint32_t len)
{
    mfi_designator_text(page, len, identity, sizeof identity);
    return identity;
}

TEST(a_naa_name_beats_the_others_and_one_of_a_port_is_not_the_disks)
{
    const uint8_t page[] = {
        0,    0x83, 0, 40, 2,    0x01, 0,   4,  'A', 'C', 'M', 'E',  /* T10 vendor */
        0x61, 0x93, 0, 8,  0x50, 1,    2,   3,  4,   5,   6,   7,    /* NAA of the port */
        1,    0x03, 0, 8,  0x60, 0x05, 0,   0,  0,   0,   0,   0x42, /* NAA of the disk */
        2,    0x00, 0, 4,  'm',  'i',  'n', 'e'
    };

    EQ_STR(designator(page, sizeof page), "naa.6005000000000042");
    EQ_STR(designator(page, 12), "t10.ACME"); /* as if only so much had come */
}

TEST(designators_that_are_cut_filler_or_of_another_page_are_no_identity)
{
    const uint8_t cut[] = { 0, 0x83, 0, 12, 1, 3, 0, 8, 0x60, 5, 0 };
    const uint8_t zeros[] = { 0, 0x83, 0, 12, 1, 3, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0 };
    const uint8_t ones[] = { 0, 0x83, 0, 8, 1, 3, 0, 4, 0xff, 0xff, 0xff, 0xff };
    const uint8_t blanks[] = { 0, 0x83, 0, 8, 2, 1, 0, 4, ' ', ' ', ' ', ' ' };
    const uint8_t empty[] = { 0, 0x83, 0, 4, 1, 3, 0, 0 };
    const uint8_t other[] = { 0, 0x80, 0, 8, 1, 3, 0, 4, 0x60, 1, 2, 3 };
    uint8_t longest[260] = { 0, 0x83, 0, 0xff, 1, 3, 0, 250 };

    EQ_STR(designator(cut, sizeof cut), "");
    EQ_STR(designator(zeros, sizeof zeros), "");
    EQ_STR(designator(ones, sizeof ones), "");
    EQ_STR(designator(blanks, sizeof blanks), "");
    EQ_STR(designator(empty, sizeof empty), "");
    EQ_STR(designator(other, sizeof other), "");
    EQ_STR(designator(cut, 0), "");
    EQ_STR(designator(cut, 3), "");
    /* One that does not fit is not cut: the rest could be what tells two disks apart. */
    memset(longest + 8, 0x5a, 249);
    EQ_STR(designator(longest, sizeof longest), "");
}

TEST(inquiry_data_of_nothing_is_not_taken_for_a_drive)
{
    uint8_t data[96] = { 0, 0, 6, 2, 31, 0, 0, 0, 'S', 'E', 'A', 'G', 'A', 'T', 'E', ' ' };
    struct mfi_inquiry q;

    CHECK(mfi_inquiry_parse(data, 36, &q));
    EQ_STR(q.vendor, "SEAGATE");
    EQ_STR(q.product, "");
    CHECK(!mfi_inquiry_parse(data, 35, &q));
    data[0] = 0x7f;
    CHECK(!mfi_inquiry_parse(data, 96, &q));
    memset(data, 0, sizeof data);
    CHECK(!mfi_inquiry_parse(data, 96, &q));
    memset(data + 8, 0xff, 28);
    CHECK(mfi_inquiry_parse(data, 96, &q));
    EQ_STR(q.product, "????????????????");
}
