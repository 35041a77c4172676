#include <string.h>
#include "dhcp.h"
#include "test.h"

static uint8_t p[600];
static struct dhcp_facts f;
static char folder[40];

static void start(void)
{
    memset(p, 0, sizeof p);
    memcpy(p + 236, "\x63\x82\x53\x63", 4);
    p[240] = 255;
}

TEST(an_answer_names_server_router_and_boot_file)
{
    start();
    memcpy(p + 20, "\x0a\x09\x00\x01", 4);
    memcpy(p + 108, "a/boot.efi", 10);
    memcpy(p + 240, "\x00\x03\x08\x0a\x09\x00\xfe\x01\x02\x03\x04\x36\x04\x0a\x09\x00\x02\xff", 18);
    dhcp_read(p, sizeof p, &f);
    CHECK(f.valid);
    CHECK(!memcmp(f.server, "\x0a\x09\x00\x01", 4));
    CHECK(!memcmp(f.router, "\x0a\x09\x00\xfe", 4));
    EQ_STR(f.boot_file, "a/boot.efi");
}

TEST(options_stand_in_for_empty_fields)
{
    start();
    memcpy(p + 240, "\x36\x04\x0a\x09\x00\x02\x43\x05x.efi\xff", 15);
    dhcp_read(p, sizeof p, &f);
    CHECK(!memcmp(f.server, "\x0a\x09\x00\x02", 4));
    EQ_STR(f.boot_file, "x.efi");
    memcpy(p + 240,
           "\x42\x08"
           "10.9.0.7\xff",
           11);
    dhcp_read(p, sizeof p, &f);
    CHECK(!memcmp(f.server, "\x0a\x09\x00\x07", 4));
    memcpy(p + 240, "\x42\x08server-1\xff", 11);
    dhcp_read(p, sizeof p, &f);
    CHECK(!memcmp(f.server, "\0\0\0\0", 4));
}

TEST(options_that_reach_over_the_end_are_not_read)
{
    start();
    p[240] = 3;
    p[241] = 4;
    memcpy(p + 242, "\x0a\x09\x00\xfe", 4);
    for (size_t len = 0; len < 246; len++) {
        dhcp_read(p, len, &f);
        EQ(f.valid, len >= 240);
        EQ(f.router[0], 0);
    }
    dhcp_read(p, 246, &f);
    EQ(f.router[0], 10);
    p[241] = 3;
    dhcp_read(p, 246, &f);
    EQ(f.router[0], 0);
    p[241] = 255;
    dhcp_read(p, sizeof p, &f);
    EQ(f.router[0], 10);
    p[236] = 0;
    dhcp_read(p, sizeof p, &f);
    CHECK(!f.valid);
}

TEST(a_boot_file_that_fills_its_field_ends_there)
{
    start();
    memset(p + 108, 'a', 128);
    dhcp_read(p, sizeof p, &f);
    EQ(strlen(f.boot_file), 127);
}

TEST(the_folder_of_a_boot_file)
{
    dhcp_folder("BOOTX64.EFI", folder, sizeof folder);
    EQ_STR(folder, "");
    dhcp_folder("a/b/c.efi", folder, sizeof folder);
    EQ_STR(folder, "a/b/");
    dhcp_folder("/c.efi", folder, sizeof folder);
    EQ_STR(folder, "/");
    dhcp_folder("http://1.2.3.4/a/c.efi", folder, sizeof folder);
    EQ_STR(folder, "/a/");
    dhcp_folder("http://1.2.3.4", folder, sizeof folder);
    EQ_STR(folder, "");
    dhcp_folder("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/c", folder, sizeof folder);
    EQ_STR(folder, "");
}
