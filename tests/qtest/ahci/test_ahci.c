#include <stdio.h>
#include "ahci.h"
#include "platform_qtest.h"
#include "qtest_read.h"
#include "test.h"

static struct controller *ctrl;

static char file_arg[8][160];
static const char *file_node(unsigned n, const char *path)
{
    snprintf(file_arg[n], sizeof file_arg[n], "driver=file,node-name=n%u,filename=%s", n, path);
    return file_arg[n];
}

/* The board's own HBA is function 0 of this kind; ours is the one that was added. */
static void up(const char *const *args)
{
    struct fault fault = { 0 };

    if (!qtest_start(args))
        test_skip(qtest_problem());
    struct pci_fn *fn = qtest_pci_find(0x8086, 0x2922, 0);
    CHECK(fn);
    EQ(ahci_driver.attach(fn, 0, &ctrl, &fault), OK);
}

static void down(void)
{
    char line[200];

    ahci_driver.detach(ctrl);
    EQ(qtest_live_allocs(), 0);
    if (!qtest_stop(line, sizeof line))
        test_fail(__FILE__, __LINE__, "QEMU logged a guest error: %s", line);
}

TEST(ahci_data_equals_the_image_queued_in_single_and_large_commands)
{
    const char *const args[] = { "-device",   "ich9-ahci,id=h,addr=2",
                                 "-blockdev", file_node(0, qtest_disk("a", (64u << 20) + 512, 16u << 20)),
                                 "-device",   "ide-hd,drive=n0,bus=h.0,serial=QA",
                                 "-blockdev", file_node(1, qtest_disk("b", 64u << 20, 16u << 20)),
                                 "-device",   "ide-hd,drive=n1,bus=h.5,serial=QB,physical_block_size=4096",
                                 NULL };

    up(args);
    EQ(ctrl->disk_count, 2);
    struct disk *first = qtest_disk_of(ctrl, "sata0.0"), *last = qtest_disk_of(ctrl, "sata0.5");
    CHECK(first && last);
    EQ(first->max_depth, 32);
    EQ(last->physical_block_bytes, 4096);
    EQ_STR(first->serial, "QA");
    EQ_STR(qtest_compare_disk(first, "a") ?: "", "");
    EQ_STR(qtest_compare(first, "a", 0, 4u << 20, 32, 4096) ?: "", "");
    EQ_STR(qtest_compare_disk(last, "b") ?: "", "");
    EQ(qtest_read_status(first, first->lba_count, 1), IO_REFUSED);
    EQ(qtest_read_status(first, first->lba_count - 1, 1), IO_OK);
    down();
}

TEST(ahci_an_unreadable_sector_is_found_and_its_neighbours_read)
{
    static char debug[300];
    snprintf(
        debug, sizeof debug,
        "{\"driver\":\"blkdebug\",\"node-name\":\"bad\",\"image\":\"n0\",\"inject-error\":[{\"event\":\"none\","
        "\"iotype\":\"read\",\"errno\":5,\"sector\":2048,\"once\":false}]}");
    const char *const args[] = { "-device",   "ich9-ahci,id=h,addr=2",
                                 "-blockdev", file_node(0, qtest_disk("e", 64u << 20, 1u << 20)),
                                 "-blockdev", debug,
                                 "-device",   "ide-hd,drive=bad,bus=h.0,serial=QE",
                                 NULL };

    up(args);
    struct disk *d = ctrl->disks[0];
    EQ(qtest_read_status(d, 100, 8), IO_OK);
    EQ(qtest_read_status(d, 2048, 1), IO_MEDIA_ERROR);
    EQ(qtest_read_status(d, 2047, 1), IO_OK);
    EQ(qtest_read_status(d, 2049, 1), IO_OK);
    down();
}

TEST(ahci_a_cd_drive_and_empty_ports_are_named_and_cost_little)
{
    const char *const args[] = { "-device",   "ich9-ahci,id=h,addr=2",
                                 "-blockdev", file_node(0, qtest_disk("c", 4u << 20, 1u << 20)),
                                 "-device",   "ide-cd,drive=n0,bus=h.1",
                                 NULL };
    uint64_t began_ns;

    up(args);
    EQ(ctrl->disk_count, 0);
    CHECK(ctrl->remark_count > 0);
    ahci_driver.detach(ctrl);
    began_ns = plat_now_ns();
    struct fault fault = { 0 };
    EQ(ahci_driver.attach(qtest_pci_find(0x8086, 0x2922, 0), 0, &ctrl, &fault), OK);
    CHECK(plat_now_ns() - began_ns < 2000000000ull);
    down();
}

TEST(ahci_health_is_what_the_emulated_drive_says_and_reads_go_on)
{
    const char *const args[] = { "-device",   "ich9-ahci,id=h,addr=2",
                                 "-blockdev", file_node(0, qtest_disk("h", 4u << 20, 1u << 20)),
                                 "-device",   "ide-hd,drive=n0,bus=h.0,serial=QH,rotation_rate=7200",
                                 NULL };
    struct disk_health h;

    up(args);
    struct disk *d = ctrl->disks[0];
    EQ(d->rotation, ROTATION_YES);
    HAS_STR(d->settings, "write cache on; look-ahead not reported; NCQ, 32 commands; link 1.5 Gb/s");
    EQ(qtest_read_status(d, 100, 8), IO_OK); /* opened by way of CHECK POWER MODE */
    EQ(ahci_driver.health(d, &h), OK);
    CHECK(health_knows(&h, HEALTH_POWER_ON_HOURS));
    CHECK(health_knows(&h, HEALTH_TEMPERATURE_C));
    EQ(h.warnings_known, 1u << HEALTH_WARN_FAILURE_EXPECTED);
    EQ(h.warnings, 0);
    EQ(ahci_driver.look_around(ctrl), 0);
    EQ(qtest_read_status(d, 100, 8), IO_OK);
    EQ(ctrl->remark_count, 0);
    down();
}

TEST(ahci_what_is_written_reads_back)
{
    const char *const args[] = { "-device",   "ich9-ahci,id=h,addr=2",
                                 "-blockdev", file_node(0, qtest_disk("w", 64u << 20, 16u << 20)),
                                 "-device",   "ide-hd,drive=n0,bus=h.0,serial=QW",
                                 NULL };

    up(args);
    EQ_STR(qtest_write_and_compare(ctrl->disks[0]) ?: "", "");
    down();
}
