#include <string.h>
#include "bits.h"
#include "test.h"
#include "uri.h"

static char words[300];
static struct text why;
static struct uri u;

static int parse(const char *s)
{
    why = text_over(words, sizeof words);
    return uri_parse(s, strlen(s), &u, &why);
}

static const char *shown(const char *name)
{
    static char text[300];
    struct text t = text_over(text, sizeof text);

    uri_text(&u, name, &t);
    return text;
}

TEST(places_are_read_and_written_the_same)
{
    static const char *const row[] = { "http://10.9.0.1/upload/", "tftp://10.9.0.1/",
                                       "http://255.255.255.255:1/a", "tftp://1.2.3.4:65535/x/y",
                                       "http://boot-server/" };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        EQ(parse(row[i]), OK);
        EQ_STR(shown(""), row[i]);
    }
    EQ(parse("http://10.9.0.1"), OK);
    EQ_STR(shown("x"), "http://10.9.0.1/x");
    EQ(parse("http://10.9.0.1:80/"), OK);
    EQ_STR(shown(""), "http://10.9.0.1/");
    EQ(parse("http://10.9.0.1:8080/"), OK);
    EQ(u.port, 8080);
    EQ(parse("tftp://10.9.0.1/"), OK);
    EQ(u.port, 69);
    CHECK(!u.boot_server);
    EQ(parse("tftp://boot-server/"), OK);
    CHECK(u.boot_server);
}

TEST(a_wrong_place_is_told_with_what_to_write)
{
    static const struct {
        const char *s, *why;
    } row[] = {
        { "", "begins with http://" },
        { "https://10.9.0.1/", "begins with http://" },
        { "10.9.0.1", "begins with http://" },
        { "http://", "IPv4 address" },
        { "http:///x", "IPv4 address" },
        { "http://server/", "IPv4 address" },
        { "http://10.9.0/", "IPv4 address" },
        { "http://10.9.0.256/", "IPv4 address" },
        { "http://10.9.0.1.2/", "IPv4 address" },
        { "http://0.0.0.0/", "IPv4 address" },
        { "http://0x1.2.3.4/", "IPv4 address" },
        { "http://[::1]/", "IPv4 address" },
        { "http://10.9.0.1:/", "port" },
        { "http://10.9.0.1:0/", "port" },
        { "http://10.9.0.1:65536/", "port" },
        { "http://10.9.0.1:8x/", "port" },
        { "http://10.9.0.1/a\\b", "printable" },
        { "http://10.9.0.1/a\x7f", "printable" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        EQ(parse(row[i].s), E_SYNTAX);
        HAS_STR(words, row[i].why);
    }
}

TEST(a_path_has_at_most_159_characters)
{
    char s[300] = "http://10.9.0.1/";
    size_t n = strlen(s);

    memset(s + n, 'a', 158);
    EQ(parse(s), OK);
    s[n + 158] = 'a';
    EQ(parse(s), E_SYNTAX);
    HAS_STR(words, "159");
}

TEST(a_name_goes_behind_a_folder_only)
{
    struct uri j;

    EQ(parse("http://10.9.0.1/a/"), OK);
    CHECK(uri_join(&u, "b", &j));
    EQ_STR(j.path, "/a/b");
    EQ(parse("http://10.9.0.1/a"), OK);
    CHECK(uri_join(&u, "b", &j));
    EQ_STR(j.path, "/a");
    EQ(parse("http://10.9.0.1/"), OK);
    memset(u.path, 'x', sizeof u.path - 1);
    u.path[sizeof u.path - 2] = '/';
    CHECK(!uri_join(&u, "b", &j));
    CHECK(uri_join(&u, "", &j));
}

TEST(a_list_of_places_has_commas_or_blanks_between)
{
    struct uri list[2];
    unsigned n;

    why = text_over(words, sizeof words);
    EQ(uri_parse_list("", list, 2, &n, &why), OK);
    EQ(n, 0);
    EQ(uri_parse_list(" http://1.2.3.4/, tftp://1.2.3.5/ ,", list, 2, &n, &why), OK);
    EQ(n, 2);
    EQ(list[1].scheme, URI_TFTP);
    EQ(uri_parse_list("http://1.2.3.4/,http://1.2.3.4/,http://1.2.3.4/", list, 2, &n, &why), E_SYNTAX);
    HAS_STR(words, "more places");
    text_reset(&why);
    EQ(uri_parse_list("http://1.2.3.4/ udp://1.2.3.4/", list, 2, &n, &why), E_SYNTAX);
    EQ(n, 1);
}

TEST(a_syslog_place_needs_no_scheme)
{
    why = text_over(words, sizeof words);
    EQ(uri_parse_syslog("10.9.0.1", 8, &u, &why), OK);
    EQ(u.port, 514);
    EQ(uri_parse_syslog("10.9.0.1:5514", 13, &u, &why), OK);
    EQ(u.port, 5514);
    EQ(uri_parse_syslog("udp://boot-server", 17, &u, &why), OK);
    CHECK(u.boot_server);
    EQ(uri_parse_syslog("loghost", 7, &u, &why), E_SYNTAX);
}

TEST(addresses_in_one_subnet_are_near)
{
    static const uint8_t a[4] = { 10, 9, 0, 1 }, b[4] = { 10, 9, 1, 1 }, m24[4] = { 255, 255, 255, 0 },
                         m16[4] = { 255, 255, 0, 0 }, m32[4] = { 255, 255, 255, 255 }, none[4] = { 0 };

    CHECK(!ip4_is_near(a, b, m24));
    CHECK(ip4_is_near(a, b, m16));
    CHECK(ip4_is_near(a, b, none));
    CHECK(!ip4_is_near(a, b, m32));
    CHECK(ip4_is_near(a, a, m32));
}
