#include <string.h>
#include "bits.h"
#include "state_text.h"
#include "test.h"

static char a[400], b[400];

static size_t replace(const char *old, size_t old_len, const char *name, const char *text, char *out,
                      size_t cap)
{
    struct state_part p = { .text = text, .len = strlen(text) };

    strncpy(p.name, name, sizeof p.name - 1);
    return state_replace(old, old_len, &p, out, cap);
}

TEST(parts_are_added_replaced_and_removed)
{
    struct state_part p;
    size_t n = replace("", 0, "one", "first\n", a, sizeof a), m;

    EQ_STR(a, "baresweep-state 1\npart one 6\nfirst\n\n");
    m = replace(a, n, "two", "part one 3\nxyz", b, sizeof b);
    CHECK(state_find(b, m, "one", &p));
    EQ(p.len, 6);
    CHECK(!memcmp(p.text, "first\n", 6));
    CHECK(state_find(b, m, "two", &p));
    EQ(p.len, 14);
    n = replace(b, m, "one", "other", a, sizeof a);
    CHECK(state_find(a, n, "one", &p));
    EQ(p.len, 5);
    CHECK(state_find(a, n, "two", &p));
    m = replace(a, n, "two", "", b, sizeof b);
    CHECK(!state_find(b, m, "two", &p));
    EQ_STR(b, "baresweep-state 1\npart one 5\nother\n");
}

TEST(a_text_that_is_no_state_holds_nothing)
{
    static const char *const row[] = {
        "",
        "baresweep-state 1",
        "baresweep-state 2\npart a 1\nx\n",
        "<html>404</html>",
        "baresweep-state 1\npart a 1\nx",
        "baresweep-state 1\npart a 2\nx\n",
        "baresweep-state 1\npart a 18446744073709551615\nx\n",
        "baresweep-state 1\npart a 18446744073709551616\nx\n",
        "baresweep-state 1\npart a -1\nx\n",
        "baresweep-state 1\npart a\nx\n",
        "baresweep-state 1\npart  1\nx\n",
        "baresweep-state 1\npart",
        "baresweep-state 1\npart 3",
        "baresweep-state 1\npart abcdefghijklmnopqrstuvwxyz 1\nx\n",
    };
    struct state_part p;

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        size_t at = 0;

        CHECK(!state_next(row[i], strlen(row[i]), &at, &p));
        CHECK(replace(row[i], strlen(row[i]), "n", "v", a, sizeof a));
        EQ_STR(a, "baresweep-state 1\npart n 1\nv\n");
    }
}

TEST(what_does_not_fit_or_has_no_name_is_refused)
{
    EQ(replace("", 0, "n", "v", a, 29), 0);
    EQ(replace("", 0, "n", "v", a, 30), 29);
    EQ(replace("", 0, "", "v", a, sizeof a), 0);
    EQ(replace("", 0, "n m", "v", a, sizeof a), 0);
    EQ(replace("", 0, "n\nm", "v", a, sizeof a), 0);
}

TEST(a_state_is_whole_to_its_last_byte_or_something_of_it_is_missing)
{
    size_t n = replace("", 0, "one", "first\n", a, sizeof a), m = replace(a, n, "two", "second", b, sizeof b);

    CHECK(state_is_whole("baresweep-state 1\n", 18));
    CHECK(state_is_whole(a, n) && state_is_whole(b, m));
    for (size_t len = 0; len < m; len++)
        EQ(state_is_whole(b, len), len == 18 || len == n);
    CHECK(!state_is_whole("", 0));
    CHECK(!state_is_whole("<html></html>", 13));
}
