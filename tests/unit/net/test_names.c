#include <string.h>
#include "bits.h"
#include "http_words.h"
#include "names.h"
#include "test.h"

static const uint8_t mac[6] = { 0x52, 0x54, 0, 0x0a, 0xff, 1 };
static char buf[200];
static struct text t;

static const char *result(const char *serial, const char *uuid, const uint8_t *m)
{
    struct name_parts p = { .serial = serial, .uuid = uuid, .run = "20261130-141500-1a2b3c4d", .mac = m };

    t = text_over(buf, sizeof buf);
    name_result(&p, &t);
    return buf;
}

TEST(a_result_is_called_after_machine_and_run)
{
    EQ_STR(result("SN1", "11223344-5566-7788-99aa-bbccddeeff00", mac),
           "SN1_52-54-00-0a-ff-01_11223344-5566-7788-99aa-bbccddeeff00_20261130-141500-1a2b3c4d");
    EQ_STR(result("", "", NULL), "20261130-141500-1a2b3c4d");
    EQ_STR(result("To Be Filled By O.E.M.", "03000200-0400-0500-0006-000700080009", mac),
           "52-54-00-0a-ff-01_20261130-141500-1a2b3c4d");
    EQ_STR(result("..", "ffffffff-ffff-ffff-ffff-ffffffffffff", NULL), "20261130-141500-1a2b3c4d");
}

TEST(no_serial_number_chooses_a_folder)
{
    EQ_STR(result("../../etc/passwd", "", NULL), "_._.._etc_passwd_20261130-141500-1a2b3c4d");
    EQ_STR(result("a b\\c:d%2f\x80", "", NULL), "a_b_c_d_2f__20261130-141500-1a2b3c4d");
}

TEST(a_long_serial_number_is_cut)
{
    char s[100];

    memset(s, 'a', sizeof s - 1);
    s[0] = 'b';
    s[99] = 0;
    result(s, "", NULL);
    EQ(t.len, 40 + 1 + 24);
}

TEST(a_machine_is_its_uuid_else_its_serial_number_else_its_mac)
{
    struct name_parts p = { .serial = "S", .uuid = "U1", .run = "", .mac = mac };

    t = text_over(buf, sizeof buf);
    name_machine(&p, &t);
    EQ_STR(buf, "U1");
    p.uuid = "00000000-0000-0000-0000-000000000000";
    text_reset(&t);
    p.serial = "S2";
    name_machine(&p, &t);
    EQ_STR(buf, "S2");
    p.serial = "None";
    text_reset(&t);
    name_machine(&p, &t);
    EQ_STR(buf, "52-54-00-0a-ff-01");
    p.mac = NULL;
    text_reset(&t);
    name_machine(&p, &t);
    EQ_STR(buf, "");
}

TEST(a_part_ends_with_a_line)
{
    EQ(name_part_len("ab\ncd\nef", 8, 100), 8);
    EQ(name_part_len("ab\ncd\nef", 8, 8), 8);
    EQ(name_part_len("ab\ncd\nef", 8, 7), 6);
    EQ(name_part_len("ab\ncd\nef", 8, 6), 6);
    EQ(name_part_len("ab\ncd\nef", 8, 5), 3);
    EQ(name_part_len("abcdefgh", 8, 5), 5);
    EQ(name_part_len("", 0, 5), 0);
}

TEST(firmwares_status_codes_are_numbers_of_the_protocol)
{
    EQ(http_status_number(0), 0);
    EQ(http_status_number(3), 200);
    EQ(http_status_number(4), 201);
    EQ(http_status_number(7), 204);
    EQ(http_status_number(20), 403);
    EQ(http_status_number(21), 404);
    EQ(http_status_number(30), 413);
    EQ(http_status_number(35), 500);
    EQ(http_status_number(38), 503);
    EQ(http_status_number(41), 308);
    EQ(http_status_number(42), 0);
    EQ(http_status_number(~0u), 0);
    t = text_over(buf, sizeof buf);
    http_status_words(0, &t);
    HAS_STR(buf, "507");
    text_reset(&t);
    http_status_words(403, &t);
    HAS_STR(buf, "403 (forbidden");
    text_reset(&t);
    http_status_words(418, &t);
    EQ_STR(buf, "answered 418");
}
