#include "disk.h"
#include "str.h"
#include "test.h"

static struct controller one, two;
static struct disk a, b, c;
static const struct disk *const earlier[] = { &a, &b };

static void set(struct disk *d, struct controller *on, const char *identity)
{
    *d = (struct disk){
        .controller = on, .kind = DISK_NVME, .shared = true, .lba_bytes = 512, .lba_count = 1000
    };
    str_copy(d->identity, sizeof d->identity, identity);
}

static const struct disk *look(void) { return disk_seen_before(earlier, 2, &c); }

static void start(void)
{
    set(&a, &one, "S1/NSID-1");
    set(&b, &one, "S1/NSID-2");
    set(&c, &two, "S1/NSID-2");
}

TEST(a_shared_disk_on_a_second_controller_is_found_by_its_identity)
{
    start();
    CHECK(look() == &b);
    CHECK(!disk_seen_before(earlier, 1, &c));
    CHECK(!disk_seen_before(earlier, 0, &c));
}

TEST(disks_that_only_look_alike_are_two_disks)
{
    start();
    b.shared = false;
    CHECK(!look());
    start();
    c.shared = false;
    CHECK(!look());
    start();
    c.controller = &one;
    CHECK(!look());
    start();
    c.lba_count++;
    CHECK(!look());
    start();
    c.lba_bytes = 4096;
    CHECK(!look());
    start();
    c.kind = DISK_SATA;
    CHECK(!look());
    start();
    b.identity[0] = c.identity[0] = 0;
    CHECK(!look());
    start();
    c.identity[8]++;
    CHECK(!look());
}
