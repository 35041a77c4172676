#include <string.h>
#include "driver_hand.h"
#include "raid.h"

/* Arrays of several spans, enclosures, temperatures, and every word about a battery. */

static const struct raid_card *values(void) { return card->driver->raid->card(card); }

TEST(spanned_arrays_name_their_drives_span_by_span)
{
    static const struct {
        uint8_t primary, per_span, spans;
        const char *level;
    } rows[] = {
        { 0x00, 2, 2, "RAID 00" }, { 0x01, 2, 3, "RAID 10" }, { 0x05, 3, 2, "RAID 50" },
        { 0x06, 4, 2, "RAID 60" }, { 0x01, 2, 8, "RAID 10" }, { 0x11, 3, 2, "RAID 1E spanned" },
    };

    for (enum model_mfi_generation g = 0; g < MODEL_MFI_VENTURA; g++)
        for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
            unsigned drives = (unsigned)rows[i].per_span * rows[i].spans;

            world(g);
            model_mfi_add_ld(&mfi, 9, 1u << 22); /* an array of another one comes first */
            struct model_mfi_ld *ld = model_mfi_add_ld(&mfi, 3, 1u << 22);
            ld->primary_level = rows[i].primary;
            ld->drives_per_span = rows[i].per_span;
            ld->span_depth = rows[i].spans;
            for (unsigned k = 0; k < drives; k++)
                model_mfi_add_pd(&mfi, (uint16_t)(100 - k), (uint8_t)k, MODEL_MFI_PD_ONLINE)->ld_target = 3;
            mfi.pd[1].present = false; /* pulled: its row is there, its drive is not */
            EQ(up(), OK);
            const struct raid_virtual_drive *vd =
                card->driver->raid->virtual_drive(disk_named("megaraid0.vd3"));
            EQ_STR(vd->level, rows[i].level);
            EQ(vd->spans, rows[i].spans);
            EQ(vd->drives_per_span, rows[i].per_span);
            EQ(vd->member_count, drives);
            for (unsigned k = 0; k < drives; k++)
                EQ(vd->member[k], k == 1 ? 0xffff : 100 - k);
            down();
        }
}

TEST(enclosures_are_told_by_number_and_name_and_no_more_than_there_is_room_for)
{
    for (unsigned many = 0; many < 2; many++)
        for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
            world(g);
            for (unsigned i = 0; i < (many ? RAID_MAX_ENCLOSURES + 1 : 2); i++) {
                struct model_mfi_pd *p = model_mfi_add_pd(&mfi, (uint16_t)(200 + i), 255, 0);

                p->scsi_type = 13;
                p->enclosure_index = (uint8_t)(i + 1);
                strcpy(p->medium.vendor, "DELL");
                strcpy(p->medium.product, i ? "MD1220" : "MD1000");
            }
            EQ(up(), OK);
            EQ(values()->enclosure_count, many ? RAID_MAX_ENCLOSURES : 2);
            EQ(values()->enclosure[0].id, 200);
            EQ(values()->enclosure[1].id, 201);
            EQ(values()->enclosure[1].index, 2);
            EQ_STR(values()->enclosure[0].model, "DELL MD1000");
            EQ_STR(values()->enclosure[1].model, "DELL MD1220");
            EQ(card->disk_count, 0);
            down();
        }
}

TEST(a_hot_card_is_a_warning_and_a_plug_in_card_is_told_to_want_air)
{
    static const struct {
        uint8_t roc, controller;
        int level;
        const char *words;
    } rows[] = {
        { 94, 0, REMARK_INFO, "PERC H830 Adapter at 94 C: its heat sink has no fan" },
        { 95, 0, REMARK_WARN, "the card is at 95 C" },
        { 20, 254, REMARK_WARN, "the card is at 254 C" },
        { 0, 0xff, REMARK_INFO, "PERC H830 Adapter does not tell its temperature" },
        { 0xff, 128, REMARK_WARN, "the card is at 128 C" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        world(MODEL_MFI_INVADER);
        mfi.subvendor_id = 0x1028;
        mfi.subdevice_id = 0x1f41;
        mfi.roc_temperature_c = rows[i].roc;
        mfi.controller_temperature_c = rows[i].controller;
        EQ(up(), OK);
        CHECK(has_remark(rows[i].level, rows[i].words));
        down();
    }
}

TEST(every_bit_of_a_batterys_status_has_its_words)
{
    static const char *const words[] = { NULL /* pack missing: nothing fitted */,
                                         "voltage low",
                                         "too hot",
                                         "charging",
                                         "discharging",
                                         "learn cycle wanted",
                                         "learn cycle running",
                                         "learn cycle failed",
                                         "learn cycle took too long",
                                         "I2C errors",
                                         "to be replaced",
                                         "capacity low",
                                         "periodic learn cycle due" };

    for (unsigned bit = 0; bit < ARRAY_COUNT(words); bit++) {
        world(MODEL_MFI_2108);
        mfi.bbu = (struct model_mfi_bbu){
            .type = 2, .fw_status = 1u << bit, .healthy = true, .charge_percent = 55, .temperature_c = 30
        };
        EQ(up(), OK);
        if (words[bit]) {
            HAS_STR(values()->battery.words, words[bit]);
            EQ(values()->battery.presence, RAID_BATTERY_PRESENT);
        } else {
            EQ_STR(values()->battery.words, "not fitted");
        }
        down();
    }
    world(MODEL_MFI_2108); /* all at once: cut, not beyond its end */
    mfi.bbu = (struct model_mfi_bbu){ .type = 2, .fw_status = 0xfffffffe, .charge_percent = 100 };
    EQ(up(), OK);
    HAS_STR(values()->battery.words, "voltage low, too hot");
    down();
}
