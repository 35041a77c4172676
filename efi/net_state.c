#include "net_state.h"
#include "bits.h"
#include "clock.h"
#include "names.h"
#include "net_link.h"
#include "net_transfer.h"
#include "platform.h"
#include "record.h"
#include "serial.h"
#include "state_sure.h"
#include "state_text.h"

enum { STATE_MAX_BYTES = 512 << 10, AGAIN_AFTER_S = 300 };
static struct uri place;
static char file[80];
static char *fetched, *current; /* current: with what was kept since, NULL when nothing was */
static size_t fetched_len, current_len;
static bool wanted, answers;
static uint64_t not_before_ns; /* after a failure; 0: none yet */

static void say(const char *what)
{
    char text[300];
    struct text t = text_over(text, sizeof text);

    text_str(&t, "state ");
    uri_text(&place, file, &t);
    text_fmt(&t, ": %s", what);
    serial_say("%s", text);
    journal_log(record_journal(), LOG_INFO, text);
}

void net_state_fetch(const struct conf *conf, const struct machine_info *machine)
{
    struct name_parts parts = { .serial = machine->serial, .uuid = machine->uuid, .run = "" };
    char words[160];
    struct text name = text_over(file, sizeof file), why = text_over(words, sizeof words);
    unsigned count = 0;

    if (!conf->state[0] || uri_parse_list(conf->state, &place, 1, &count, &why) != OK || !count)
        return;
    net_link_up();
    parts.mac = net_link.has_mac ? net_link.mac : NULL;
    name_machine(&parts, &name);
    if (!name.len) {
        say("not used: this machine has neither UUID nor serial number nor network card to be known by");
        return;
    }
    text_str(&name, ".txt");
    wanted = true;
    int rc = net_get(&place, file, &fetched, &fetched_len, &why);
    bool is_new = rc != OK && str_starts(words, "answered 404");
    answers = rc == OK || is_new;
    say(rc == OK ? "read" : is_new ? "nothing is known of this machine yet" : words);
}

const char *net_state_part(const char *name, size_t *len)
{
    struct state_part p;

    *len = 0;
    if (!fetched || !state_find(fetched, fetched_len, name, &p))
        return NULL;
    *len = p.len;
    return p.text;
}

bool net_state_keep(const char *name, const char *text, size_t len)
{
    struct state_part part = { .text = text, .len = len };
    char *next = wanted ? plat_alloc(STATE_MAX_BYTES) : NULL;
    const char *old = current ? current : fetched ? fetched : "";
    size_t n = 0;

    if (!next)
        return false;
    if (str_copy(part.name, sizeof part.name, name))
        n = state_replace(old,
                          current   ? current_len
                          : fetched ? fetched_len
                                    : 0,
                          &part, next, STATE_MAX_BYTES);
    if (!n) {
        plat_free(next);
        say("one part of it is too large and is not kept");
        return false;
    }
    plat_free(current);
    current = next;
    current_len = n;
    return true;
}

bool net_state_answers(void) { return answers; }

void net_state_send(void)
{
    char words[160];
    struct text why = text_over(words, sizeof words);

    if (!current || clock_now_ns() < not_before_ns || net_put(&place, file, current, current_len, &why) == OK)
        return;
    if (!not_before_ns)
        say(words);
    not_before_ns = clock_now_ns() + AGAIN_AFTER_S * NS_PER_S;
}

static int wire_put(void *ctx, const char *text, size_t len, struct text *why)
{
    (void)ctx;
    return net_put(&place, file, text, len, why);
}

static int wire_get(void *ctx, char **text, size_t *len, struct text *why)
{
    (void)ctx;
    return net_get(&place, file, text, len, why);
}

static void wire_release(void *ctx, char *text)
{
    (void)ctx;
    boot->FreePool(text);
}

int net_state_send_sure(struct text *why)
{
    static const struct state_wire wire = { NULL, wire_put, wire_get, wire_release };

    if (!current) {
        text_str(why, "it was not kept");
        return E_NOMEM;
    }
    return state_put_sure(&wire, current, current_len, why);
}

bool net_state_is_whole(void) { return answers && (!fetched || state_is_whole(fetched, fetched_len)); }

bool net_state_put(struct text *problem)
{
    char words[160];
    struct text why = text_over(words, sizeof words);
    int rc = OK;

    if (current && (rc = net_put(&place, file, current, current_len, &why)) != OK) {
        text_fmt(problem, "state NOT KEPT: %s", words);
        serial_say("state not kept: %s", words);
    }
    plat_free(current);
    if (fetched)
        boot->FreePool(fetched);
    current = fetched = NULL;
    return rc == OK;
}
