#include <stdio.h>
#include <string.h>
#include "mfi.h"
#include "platform_qtest.h"
#include "qtest_read.h"
#include "test.h"

/* Every test runs on both generations that QEMU has. */
static const struct {
    const char *device;
    uint16_t device_id;
} cards[] = { { "megasas", 0x0060 }, { "megasas-gen2", 0x0079 } };
static struct controller *ctrl;
static char text[12][200];

static const char *fmt(unsigned n, const char *format, const char *a, unsigned b)
{
    snprintf(text[n], sizeof text[n], format, a, b);
    return text[n];
}

static void up(const char *const *args, uint16_t device_id)
{
    struct fault fault = { 0 };

    if (!qtest_start(args))
        test_skip(qtest_problem());
    struct pci_fn *fn = qtest_pci_find(0x1000, device_id, 0);
    CHECK(fn);
    EQ(mfi_driver.attach(fn, 0, &ctrl, &fault), OK);
}

static void down(void)
{
    char line[200];

    mfi_driver.detach(ctrl);
    EQ(qtest_live_allocs(), 0);
    if (!qtest_stop(line, sizeof line))
        test_fail(__FILE__, __LINE__, "QEMU logged a guest error: %s", line);
}

static void data_is_right(unsigned card)
{
    const char *const args[] = {
        "-device",
        fmt(0, "%s,id=m", cards[card].device, 0),
        "-blockdev",
        fmt(1, "driver=file,node-name=n0,filename=%s", qtest_disk("a", (64u << 20) + 512, 16u << 20), 0),
        "-device",
        "scsi-hd,drive=n0,bus=m.0,scsi-id=0,serial=VA",
        "-blockdev",
        fmt(2, "driver=file,node-name=n1,filename=%s", qtest_disk("b", 64u << 20, 16u << 20), 0),
        "-device",
        "scsi-hd,drive=n1,bus=m.0,scsi-id=1,serial=VB,logical_block_size=4096,physical_block_size=4096",
        NULL
    };

    up(args, cards[card].device_id);
    struct disk *a = qtest_disk_of(ctrl, "megaraid0.vd0"), *b = qtest_disk_of(ctrl, "megaraid0.vd1");
    CHECK(a && b && a->ops && b->ops);
    EQ(a->lba_bytes, 512);
    EQ(b->lba_bytes, 4096);
    EQ(a->lba_count, (64u << 20) / 512 + 1);
    EQ_STR(qtest_compare_disk(a, "a") ?: "", "");
    EQ_STR(qtest_compare_disk(b, "b") ?: "", "");
    EQ(qtest_read_status(a, a->lba_count, 1), IO_REFUSED);
    EQ(qtest_read_status(a, a->lba_count - 1, 1), IO_OK);
    down();
}
TEST(mfi_1078_data_of_512_and_4096_byte_blocks_equals_the_image) { data_is_right(0); }
TEST(mfi_2108_data_of_512_and_4096_byte_blocks_equals_the_image) { data_is_right(1); }

static void jbod_is_read(unsigned card)
{
    const char *const args[] = {
        "-device",   fmt(0, "%s,id=m,use_jbod=on", cards[card].device, 0),
        "-blockdev", fmt(1, "driver=file,node-name=n0,filename=%s", qtest_disk("j", 64u << 20, 16u << 20), 0),
        "-device",   "scsi-hd,drive=n0,bus=m.0,scsi-id=0,serial=J0",
        NULL
    };

    up(args, cards[card].device_id);
    unsigned readable = 0;
    for (unsigned i = 0; i < ctrl->disk_count; i++)
        if (ctrl->disks[i]->ops) {
            readable++;
            EQ(ctrl->disks[i]->kind, DISK_PHYSICAL_BEHIND_RAID);
            EQ_STR(qtest_compare_disk(ctrl->disks[i], "j") ?: "", "");
        }
    EQ(readable, 1);
    down();
}
TEST(mfi_1078_jbod_drive_equals_the_image) { jbod_is_read(0); }
TEST(mfi_2108_jbod_drive_equals_the_image) { jbod_is_read(1); }

TEST(mfi_a_card_without_drives_says_what_to_do)
{
    const char *const args[] = { "-device", "megasas-gen2,id=m", NULL };
    bool said = false;

    up(args, 0x0079);
    EQ(ctrl->disk_count, 0);
    for (unsigned i = 0; i < ctrl->remark_count; i++)
        said |= strstr(ctrl->remarks[i].text, "no drive") != NULL;
    CHECK(said);
    down();
}

TEST(mfi_what_is_written_reads_back_on_both_generations)
{
    for (unsigned card = 0; card < 2; card++) {
        const char *const args[] = {
            "-device",
            fmt(0, "%s,id=m", cards[card].device, 0),
            "-blockdev",
            fmt(1, "driver=file,node-name=n0,filename=%s", qtest_disk("w", 64u << 20, 16u << 20), 0),
            "-device",
            "scsi-hd,drive=n0,bus=m.0,scsi-id=0,serial=VW,wwn=0x5000c50000000001",
            NULL
        };

        up(args, cards[card].device_id);
        EQ_STR(qtest_write_and_compare(ctrl->disks[0]) ?: "", "");
        down();
    }
}
