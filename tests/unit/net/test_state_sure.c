#include <string.h>
#include "err.h"
#include "state_sure.h"
#include "test.h"

/* A server that does what the test says. */
static struct {
    int put_rc, get_rc;
    char text[100];
    size_t len;
    bool forgets, cuts, alters;
    unsigned asked, gets, open;
} server;

static int put(void *ctx, const char *text, size_t len, struct text *why)
{
    EQ(ctx == &server, true);
    server.asked++;
    if (server.put_rc != OK) {
        text_str(why, "answered 403");
        return server.put_rc;
    }
    if (!server.forgets) {
        memcpy(server.text, text, len);
        server.len = len - server.cuts;
        server.text[0] ^= server.alters;
    }
    return OK;
}

static int get(void *ctx, char **text, size_t *len, struct text *why)
{
    EQ(ctx == &server, true);
    server.gets++;
    if (server.get_rc != OK) {
        text_str(why, "no answer");
        return server.get_rc;
    }
    server.open++;
    *text = server.text;
    *len = server.len;
    return OK;
}

static void release(void *ctx, char *text)
{
    EQ(ctx == &server, true);
    EQ(text == server.text, true);
    server.open--;
}

static const struct state_wire wire = { &server, put, get, release };
static char words[100];

static int keep(const char *text)
{
    struct text why = text_over(words, sizeof words);
    int rc;

    words[0] = 0;
    rc = state_put_sure(&wire, text, strlen(text), &why);
    EQ(server.open, 0);
    return rc;
}

TEST(a_text_is_kept_when_the_server_gives_it_back)
{
    memset(&server, 0, sizeof server);
    EQ(keep("used up"), OK);
    EQ(keep(""), OK);
    EQ(server.asked, 2);
    EQ(server.gets, 2);
    EQ_STR(words, "");
}

TEST(a_server_that_refuses_or_is_gone_keeps_nothing)
{
    memset(&server, 0, sizeof server);
    server.put_rc = E_REFUSED;
    EQ(keep("used up"), E_REFUSED);
    EQ(server.gets, 0);
    HAS_STR(words, "403");
    server.put_rc = OK;
    server.get_rc = E_TIMEOUT;
    EQ(keep("used up"), E_TIMEOUT);
    HAS_STR(words, "no answer");
}

TEST(a_server_that_gives_back_another_text_keeps_nothing)
{
    for (unsigned i = 0; i < 3; i++) {
        memset(&server, 0, sizeof server);
        memcpy(server.text, "used ux", 7); /* of an earlier run */
        server.len = 7;
        server.forgets = i == 0;
        server.cuts = i == 1;
        server.alters = i == 2;
        EQ(keep("used up"), E_PROTO);
        HAS_STR(words, "gives back another");
    }
}
