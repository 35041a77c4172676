#include <stdio.h>
#include "nvme.h"
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

static void up(const char *const *args)
{
    struct fault fault = { 0 };

    if (!qtest_start(args))
        test_skip(qtest_problem());
    struct pci_fn *fn = qtest_pci_find(0x1b36, 0x0010, 0);
    CHECK(fn);
    EQ(nvme_driver.attach(fn, 0, &ctrl, &fault), OK);
}

static void down(void)
{
    char line[200];

    nvme_driver.detach(ctrl);
    EQ(qtest_live_allocs(), 0);
    if (!qtest_stop(line, sizeof line))
        test_fail(__FILE__, __LINE__, "QEMU logged a guest error: %s", line);
}

TEST(nvme_data_of_512_and_4096_byte_lbas_equals_the_image_in_single_and_split_commands)
{
    const char *const args[] = {
        "-blockdev", file_node(0, qtest_disk("a", (64u << 20) + 512, 16u << 20)),
        "-blockdev", file_node(1, qtest_disk("b", (64u << 20) + 4096, 16u << 20)),
        "-device",   "nvme,id=c,serial=Q1,mdts=3",
        "-device",   "nvme-ns,drive=n0,bus=c,nsid=2",
        "-device",   "nvme-ns,drive=n1,bus=c,nsid=90,logical_block_size=4096,physical_block_size=4096",
        NULL
    };

    up(args);
    EQ(ctrl->disk_count, 2);
    struct disk *small = qtest_disk_of(ctrl, "nvme0n2"), *large = qtest_disk_of(ctrl, "nvme0n90");
    CHECK(small && large);
    EQ(small->lba_bytes, 512);
    EQ(large->lba_bytes, 4096);
    EQ(small->lba_count, (64u << 20) / 512 + 1);
    EQ(small->max_command_bytes, 32768);
    EQ_STR(qtest_compare_disk(small, "a") ?: "", "");
    EQ_STR(qtest_compare_disk(large, "b") ?: "", "");
    EQ(qtest_read_status(small, small->lba_count, 1), IO_REFUSED);
    EQ(qtest_read_status(small, small->lba_count - 1, 2), IO_REFUSED);
    EQ(qtest_read_status(small, small->lba_count - 1, 1), IO_OK);
    down();
}

TEST(nvme_what_is_written_reads_back_also_with_protection_information)
{
    const char *const args[] = { "-blockdev", file_node(0, qtest_disk("w", 64u << 20, 16u << 20)),
                                 "-blockdev", file_node(1, qtest_disk("x", 64u << 20, 16u << 20)),
                                 "-device",   "nvme,id=c,serial=QW,mdts=3",
                                 "-device",   "nvme-ns,drive=n0,bus=c,nsid=1",
                                 "-device",   "nvme-ns,drive=n1,bus=c,nsid=2,ms=8,mset=1,pi=1",
                                 NULL };

    up(args);
    EQ(ctrl->disk_count, 2);
    EQ_STR(qtest_write_and_compare(ctrl->disks[0]) ?: "", "");
    EQ_STR(qtest_write_and_compare(ctrl->disks[1]) ?: "", "");
    down();
}

TEST(nvme_an_unreadable_sector_is_a_media_error_and_its_neighbours_read)
{
    static char debug[300];
    snprintf(
        debug, sizeof debug,
        "{\"driver\":\"blkdebug\",\"node-name\":\"bad\",\"image\":\"n0\",\"inject-error\":[{\"event\":\"none\","
        "\"iotype\":\"read\",\"errno\":5,\"sector\":2048,\"once\":false}]}");
    const char *const args[] = { "-blockdev", file_node(0, qtest_disk("e", 64u << 20, 1u << 20)),
                                 "-blockdev", debug,
                                 "-device",   "nvme,drive=bad,serial=Q2",
                                 NULL };

    up(args);
    struct disk *d = ctrl->disks[0];
    EQ(qtest_read_status(d, 2048, 1), IO_MEDIA_ERROR);
    EQ(qtest_read_status(d, 2040, 16), IO_MEDIA_ERROR);
    EQ(qtest_read_status(d, 2047, 1), IO_OK);
    EQ(qtest_read_status(d, 2049, 1), IO_OK);
    down();
}

TEST(nvme_one_queue_pair_and_sixteen_namespaces_share_it)
{
    static char ns[16][100];
    const char *args[4 + 4 * 16 + 1] = { "-device", "nvme,id=c,serial=Q3,max_ioqpairs=1" };
    unsigned n = 2;

    for (unsigned i = 0; i < 16; i++) {
        static char null[16][100];
        snprintf(null[i], sizeof null[i], "driver=null-co,node-name=z%u,size=67108864,read-zeroes=on", i);
        snprintf(ns[i], sizeof ns[i], "nvme-ns,drive=z%u,bus=c,nsid=%u", i, i * 3 + 1);
        args[n++] = "-blockdev";
        args[n++] = null[i];
        args[n++] = "-device";
        args[n++] = ns[i];
    }
    up(args);
    EQ(ctrl->disk_count, 16);
    struct io_lane *lanes[16];
    struct lane_shape shape = { .depth = 8, .request_bytes = 4096 };
    for (unsigned i = 0; i < 16; i++)
        EQ(ctrl->disks[i]->ops->open(ctrl->disks[i], &shape, &lanes[i]), OK);
    unsigned done = 0, sent = 0;
    struct io_completion c[8];
    for (unsigned i = 0; i < 16; i++)
        for (uint16_t s = 0; s < 8; s++) {
            struct io_request r = { .lba = s * 8, .blocks = 8, .slot = s };
            sent += ctrl->disks[i]->ops->submit(lanes[i], &r, 1);
        }
    for (unsigned i = 0; i < 16; i++)
        ctrl->disks[i]->ops->kick(lanes[i]);
    uint64_t end_ns = plat_now_ns() + 20000000000ull;
    while (done < sent && plat_now_ns() < end_ns)
        for (unsigned i = 0; i < 16; i++) {
            unsigned got = ctrl->disks[i]->ops->poll(lanes[i], c, 8);
            for (unsigned k = 0; k < got; k++)
                EQ(c[k].status, IO_OK);
            done += got;
        }
    EQ(sent, 128);
    EQ(done, 128);
    for (unsigned i = 0; i < 16; i++)
        ctrl->disks[i]->ops->close(lanes[i]);
    down();
}

TEST(nvme_without_a_namespace_attaches_and_says_so)
{
    const char *const args[] = { "-device", "nvme,serial=Q4", NULL };

    up(args);
    EQ(ctrl->disk_count, 0);
    CHECK(ctrl->remark_count > 0);
    HAS_STR(ctrl->remarks[0].text, "namespace");
    down();
}
