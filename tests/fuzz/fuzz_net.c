#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "boot_args.h"
#include "conf.h"
#include "dhcp.h"
#include "names.h"
#include "state_text.h"
#include "str.h"
#include "tftp.h"
#include "uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything that comes out of a network: the first byte says what the others are taken for.
 *   'c'  a configuration, and the same bytes as words of the boot loader over it
 *   'p'  replies to a TFTP write: each with its port (low bit) and length before it
 *   'g'  the same to a read
 *   'd'  a DHCP answer            's'  a state text          'u'  places of `upload` */

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            abort();                                                                                         \
    } while (0)

static void fuzz_conf(const uint8_t *data, size_t size)
{
    static struct conf conf;
    static struct conf_problems problems, more;
    char lines[1024];
    struct text args = text_over(lines, sizeof lines);
    enum boot_args_kind kind = boot_args_read(data, size, &args);

    REQUIRE((kind == BOOT_ARGS_TEXT) == (args.len != 0));
    conf_defaults(&conf);
    conf_read_lines((const char *)data, size, &conf, &problems);
    conf_read_lines(lines, args.len, &conf, &more);
    conf_settle(&conf, &problems);
    REQUIRE(conf.time_scale_pct >= 1 && conf.time_scale_pct <= 1000);
    REQUIRE(conf.after <= AFTER_NEXT && conf.plan <= CONF_PLAN_PRESET);
    REQUIRE(memchr(conf.upload, 0, sizeof conf.upload) && memchr(conf.jobs, 0, sizeof conf.jobs));
}

static void check_packet(const struct tftp *t)
{
    REQUIRE(t->packet_len >= 4 && t->packet_len <= TFTP_PACKET_BYTES);
    REQUIRE(t->block_bytes >= 8 && t->block_bytes <= TFTP_BLOCK_BYTES);
    REQUIRE(!t->failed || t->problem[0]);
}

static void fuzz_tftp(const uint8_t *data, size_t size, bool put)
{
    static struct tftp t;
    static uint8_t room[3000];
    static const uint8_t body[3000];

    if (put)
        REQUIRE(tftp_put(&t, "a/name", body, sizeof body, 69) == OK);
    else
        REQUIRE(tftp_get(&t, "a/name", room, sizeof room, 69) == OK);
    check_packet(&t);
    for (size_t at = 0; at + 2 <= size;) {
        size_t len = (size_t)(data[at] >> 1 | data[at + 1] << 7), before = t.len;
        uint16_t port = data[at] & 1 ? 4000 : 4001;

        at += 2;
        len = len < size - at ? len : size - at;
        /* Exactly as long as the packet: what is read behind it is seen. */
        uint8_t *packet = malloc(len ? len : 1);
        memcpy(packet, data + at, len);
        if (tftp_take(&t, port, packet, len)) {
            check_packet(&t);
            REQUIRE(t.packet_port == t.peer_port && t.packet_port);
        }
        free(packet);
        REQUIRE(put ? t.len == sizeof body : t.len >= before && t.len <= sizeof room);
        at += len;
    }
}

static void fuzz_state(const char *text, size_t size)
{
    static char out[8192];
    struct state_part p, added = { .name = "new", .text = "value", .len = 5 };
    size_t at = 0;

    while (state_next(text, size, &at, &p))
        REQUIRE(at <= size && p.text >= text && p.text + p.len < text + size);
    size_t n = state_replace(text, size, &added, out, sizeof out);
    REQUIRE(!n || (state_find(out, n, "new", &p) && p.len == 5));
}

static void fuzz_places(const uint8_t *data, size_t size)
{
    struct uri u[4], again;
    unsigned count;
    char list[512], words[200], shown[300];
    struct text why = text_over(words, sizeof words);

    str_copy_n(list, sizeof list, (const char *)data, size < sizeof list ? size : sizeof list - 1);
    int rc = uri_parse_list(list, u, 4, &count, &why);
    REQUIRE(count <= 4 && (rc == OK || why.len));
    for (unsigned i = 0; i < count; i++) {
        struct text t = text_over(shown, sizeof shown);

        uri_text(&u[i], "", &t);
        REQUIRE(uri_parse(shown, t.len, &again, &why) == OK && again.port == u[i].port &&
                str_equal(again.path, u[i].path));
    }
    struct name_parts p = { .serial = list, .uuid = list, .run = "run" };
    struct text t = text_over(shown, sizeof shown);
    name_result(&p, &t);
    REQUIRE(!t.cut && !str_find(shown, "/") && shown[0] != '.');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dhcp_facts facts;
    char folder[40];

    if (!size)
        return 0;
    data++;
    size--;
    switch (data[-1]) {
    case 'c':
        fuzz_conf(data, size);
        break;
    case 'p':
        fuzz_tftp(data, size, true);
        break;
    case 'g':
        fuzz_tftp(data, size, false);
        break;
    case 'd':
        dhcp_read(data, size, &facts);
        REQUIRE(memchr(facts.boot_file, 0, sizeof facts.boot_file));
        dhcp_folder(facts.boot_file, folder, sizeof folder);
        REQUIRE(memchr(folder, 0, sizeof folder));
        break;
    case 's':
        fuzz_state((const char *)data, size);
        break;
    case 'u':
        fuzz_places(data, size);
        break;
    default:
        break;
    }
    return 0;
}
