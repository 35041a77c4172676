#include <stdlib.h>
#include <string.h>
#include "driver_hand.h"

/* What a drive behind the card tells of itself: SMART through ATA PASS-THROUGH, log pages, and the parsers.
 */

static void put_attribute(uint8_t *data, uint8_t *thresholds, unsigned i, uint8_t id, uint8_t current,
                          uint8_t least, uint32_t raw)
{
    uint8_t *e = data + 2 + 12 * i, *t = thresholds + 2 + 12 * i;

    e[0] = t[0] = id;
    e[1] = 1;
    e[3] = current;
    memcpy(e + 5, &raw, 4);
    t[1] = least;
}

static void seal(uint8_t *page)
{
    uint8_t sum = 0;

    page[511] = 0;
    for (unsigned i = 0; i < 511; i++)
        sum = (uint8_t)(sum + page[i]);
    page[511] = (uint8_t)-sum;
}

static void make_sata(struct model_mfi_pd *p)
{
    struct model_mfi_self *s = &p->self;

    p->interface_type = 3;
    s->smart = true;
    memset(s->data, 0, sizeof s->data);
    memset(s->thresholds, 0, sizeof s->thresholds);
    put_attribute(s->data, s->thresholds, 0, 5, 100, 10, 0x8001);
    put_attribute(s->data, s->thresholds, 1, 9, 90, 0, 0x800102);
    put_attribute(s->data, s->thresholds, 2, 194, 60, 0, 39);
    put_attribute(s->data, s->thresholds, 29, 197, 100, 0, 0x80000003);
    seal(s->data);
    seal(s->thresholds);
}

static void make_sas(struct model_mfi_pd *p)
{
    p->self = (struct model_mfi_self){ .logs = true,
                                       .temperature_c = 41,
                                       .reference_c = 60,
                                       .uncorrected = { 1, 2, 4 },
                                       .powered_minutes = 0x80000000,
                                       .places = { 3, 1, 3, 3 },
                                       .self_test = { 0x20, 0x44, 0x23 } };
}

/* pd8: SATA, pd9: SAS, both in a virtual drive; pd20: exposed. */
static void drives(enum model_mfi_generation g)
{
    world(g);
    model_mfi_add_ld(&mfi, 0, 1u << 22);
    for (unsigned i = 0; i < 2; i++)
        model_mfi_add_pd(&mfi, (uint16_t)(8 + i), (uint8_t)i, MODEL_MFI_PD_ONLINE)->ld_target = 0;
    model_mfi_add_pd(&mfi, 20, 7, MODEL_MFI_PD_SYSTEM)->ld_target = 0xff;
    make_sata(&mfi.pd[0]);
    make_sas(&mfi.pd[1]);
    make_sata(&mfi.pd[2]);
}

static struct disk_health health_of(const char *name)
{
    struct disk_health h;

    EQ(card->driver->health(disk_named(name), &h), OK);
    return h;
}

#define VALUE(h, v, want)                                                                                    \
    do {                                                                                                     \
        CHECK(health_knows(&(h), v));                                                                        \
        EQ((h).value[v], want);                                                                              \
    } while (0)
#define EACH(g)                                                                                              \
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g = (enum model_mfi_generation)(g + 1))

TEST(a_sata_member_tells_its_smart_attributes_on_every_generation)
{
    EACH(g)
    {
        drives(g);
        EQ(up(), OK);
        for (unsigned i = 0; i < 2; i++) {
            struct disk_health h = health_of(i ? "megaraid0.pd20" : "megaraid0.pd8");

            VALUE(h, HEALTH_REALLOCATED_SECTORS, 0x8001);
            VALUE(h, HEALTH_POWER_ON_HOURS, 0x800102);
            VALUE(h, HEALTH_TEMPERATURE_C, 39);
            VALUE(h, HEALTH_PENDING_SECTORS, 0x80000003ll);
            CHECK(h.warnings_known >> HEALTH_WARN_FAILURE_EXPECTED & 1);
            CHECK(!health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
        }
        EQ(mfi.seen.cdbs[0x85], 6);
        EQ(mfi.seen.cdbs[0x4d], 0);
        EQ(mfi.seen.refused_writes, 0);
        down();
    }
}

TEST(a_sata_drives_own_verdict_counts_in_every_form_it_comes_in)
{
    EACH(g) for (unsigned form = 0; form < 3; form++)
    {
        drives(g);
        mfi.pd[0].self.failing = mfi.pd[2].self.failing = true;
        mfi.pd[0].self.registers = mfi.pd[2].self.registers = form;
        EQ(up(), OK);
        for (unsigned i = 0; i < 2; i++) {
            struct disk_health h = health_of(i ? "megaraid0.pd20" : "megaraid0.pd8");

            EQ(health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED), form != MODEL_MFI_REGISTERS_LOST);
        }
        down();
    }
}

TEST(an_attribute_at_its_threshold_counts_without_the_drives_registers)
{
    drives(MODEL_MFI_INVADER);
    mfi.pd[0].self.registers = MODEL_MFI_REGISTERS_LOST;
    put_attribute(mfi.pd[0].self.data, mfi.pd[0].self.thresholds, 0, 5, 10, 10, 0);
    seal(mfi.pd[0].self.data);
    EQ(up(), OK);
    struct disk_health h = health_of("megaraid0.pd8");
    CHECK(health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
    HAS_STR(h.note, "attribute 5 is at 10");
    down();
}

TEST(a_sas_member_tells_its_log_pages_on_every_generation)
{
    EACH(g)
    {
        drives(g);
        mfi.pd[1].media_errors = 99; /* the firmware's own count stands back */
        EQ(up(), OK);
        struct disk_health h = health_of("megaraid0.pd9");

        VALUE(h, HEALTH_TEMPERATURE_C, 41);
        VALUE(h, HEALTH_TEMPERATURE_WARNING_C, 60);
        VALUE(h, HEALTH_MEDIA_ERRORS, 7);
        VALUE(h, HEALTH_POWER_ON_HOURS, 0x80000000ll / 60);
        VALUE(h, HEALTH_UNCORRECTABLE_SECTORS, 3);
        VALUE(h, HEALTH_SELF_TESTS_FAILED, 2);
        CHECK(!health_warns(&h, HEALTH_WARN_SELF_TEST)); /* the newest was good */
        CHECK(!health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
        mfi.pd[1].self.exception[0] = 0x5d;
        mfi.pd[1].self.self_test[0] = 0x27;
        h = health_of("megaraid0.pd9");
        CHECK(health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
        CHECK(health_warns(&h, HEALTH_WARN_SELF_TEST));
        mfi.pd[1].self.exception[0] = 0x0b;
        mfi.pd[1].self.exception[1] = 0x01;
        h = health_of("megaraid0.pd9");
        CHECK(health_warns(&h, HEALTH_WARN_TEMPERATURE));
        EQ(mfi.seen.cdbs[0x85], 0);
        down();
    }
}

TEST(a_sata_drive_that_nothing_is_passed_through_to_is_asked_for_log_pages)
{
    drives(MODEL_MFI_2108);
    mfi.pd[0].self.smart = false;
    mfi.pd[0].self.logs = true;
    mfi.pd[0].self.temperature_c = 33;
    EQ(up(), OK);
    struct disk_health h = health_of("megaraid0.pd8");
    VALUE(h, HEALTH_TEMPERATURE_C, 33);
    mfi.pd[0].self.smart = true;
    mfi.pd[0].self.data[100] ^= 1; /* does not add up: not believed */
    h = health_of("megaraid0.pd8");
    CHECK(!health_knows(&h, HEALTH_REALLOCATED_SECTORS));
    VALUE(h, HEALTH_TEMPERATURE_C, 33);
    down();
}

TEST(a_drive_that_does_not_answer_for_its_health_is_asked_once)
{
    for (unsigned i = 0; i < 2; i++) {
        drives(MODEL_MFI_2108);
        EQ(up(), OK);
        model_mfi_lie(&mfi, 4, MODEL_MFI_LOST, 0);
        struct disk_health h = health_of(i ? "megaraid0.pd9" : "megaraid0.pd8");
        unsigned long asked = mfi.seen.frames[4];

        CHECK(health_knows(&h, HEALTH_MEDIA_ERRORS)); /* the firmware still counts */
        h = health_of(i ? "megaraid0.pd9" : "megaraid0.pd8");
        EQ(mfi.seen.frames[4], asked);
        EQ(card->fault.err, OK);
        mfi_driver.detach(card);
        card = NULL;
    }
}

/* ---- parsers ---- */
TEST(a_log_page_is_read_no_further_than_it_goes)
{
    static const uint8_t numbers[] = { 0x02, 0x03, 0x05, 0x0d, 0x10, 0x15, 0x2f, 0x00, 0x3f };

    for (unsigned k = 0; k < ARRAY_COUNT(numbers); k++)
        for (uint32_t len = 0; len <= 64; len++)
            for (unsigned fill = 0; fill < 256; fill += 51) {
                uint8_t *page = malloc(len);
                struct disk_health h = { 0 };

                memset(page, (int)fill, len);
                if (len)
                    page[0] = numbers[k];
                for (unsigned body = 0; body < 24; body++) {
                    if (len >= 8)
                        page[7] = (uint8_t)body;
                    mfi_log_take(page, len, numbers[k], &h);
                }
                free(page);
            }
}

TEST(a_log_page_of_another_number_or_with_subpages_tells_nothing)
{
    uint8_t page[16] = { 0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 40 };
    struct disk_health h = { 0 };

    mfi_log_take(page, sizeof page, 0x2f, &h);
    EQ(h.known, 0);
    page[0] = 0x4d;
    mfi_log_take(page, sizeof page, 0x0d, &h);
    EQ(h.known, 0);
    page[0] = 0x8d; /* "disable save" is no part of the number */
    mfi_log_take(page, sizeof page, 0x0d, &h);
    VALUE(h, HEALTH_TEMPERATURE_C, 40);
}

TEST(error_counters_at_their_top_do_not_wrap)
{
    uint8_t page[16] = { 0x03, 0, 0, 12, 0, 6, 3, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    struct disk_health h = { 0 };

    mfi_log_take(page, sizeof page, 0x03, &h);
    VALUE(h, HEALTH_MEDIA_ERRORS, INT64_MAX);
    mfi_log_take(page, sizeof page, 0x03, &h);
    VALUE(h, HEALTH_MEDIA_ERRORS, INT64_MAX);
}

TEST(a_verdict_is_taken_only_from_sense_that_holds_it)
{
    uint8_t sense[22] = { 0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, [17] = 0xf4, [19] = 0x2c };

    EQ(mfi_ata_verdict(sense, 22), MFI_VERDICT_FAILING);
    for (uint32_t len = 0; len < 22; len++)
        EQ(mfi_ata_verdict(sense, len), MFI_VERDICT_NOT_TOLD);
    sense[7] = 13;
    EQ(mfi_ata_verdict(sense, 22), MFI_VERDICT_NOT_TOLD);
    sense[7] = 0xff;
    EQ(mfi_ata_verdict(sense, 22), MFI_VERDICT_FAILING);
    sense[8] = 0; /* another descriptor before its end */
    EQ(mfi_ata_verdict(sense, 22), MFI_VERDICT_NOT_TOLD);
    sense[8] = 9;
    sense[19] = 0xc2;
    EQ(mfi_ata_verdict(sense, 22), MFI_VERDICT_NOT_TOLD);
    sense[17] = 0x4f;
    EQ(mfi_ata_verdict(sense, 22), MFI_VERDICT_GOOD);
    uint8_t fixed[18] = { 0x70, [10] = 0xf4, [11] = 0x2c, [13] = 0x1d };
    EQ(mfi_ata_verdict(fixed, 18), MFI_VERDICT_FAILING);
    fixed[12] = 0x3a;
    EQ(mfi_ata_verdict(fixed, 18), MFI_VERDICT_NOT_TOLD);
}
