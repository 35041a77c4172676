#include "checks_odd.h"
#include "checks_state.h"
#include "odd.h"
#include "platform.h"
#include "record.h"

/* Into the list first: a finding that is said is a line of the journal that is being read. */
static void on_found(void *ctx, const struct odd_drive *o)
{
    char seen[240], expected[80];
    struct text s = text_over(seen, sizeof seen), e = text_over(expected, sizeof expected);

    odd_seen(o, &s);
    odd_expected(o, &e);
    finding_add(ctx, odd_code(o), odd_level(o), o->disk, expected, "%s", seen);
}

void checks_odd(struct inventory *inv)
{
    struct run_walk w;
    struct run run;
    struct odd_search found;
    size_t len;
    const char *text = record_text(&len);

    run_walk_start(&w, text, len);
    if (!run_walk_next(&w, &run) || !run.cells)
        return;
    void *memory = plat_alloc(odd_memory_bytes(&run));
    if (!memory) {
        record_finding("not-reported", FINDING_WARN, "run", NULL,
                       "no memory to look for the odd one among like drives");
        return;
    }
    odd_find(&run, memory, &found, on_found, checks_list());
    plat_free(memory);
    checks_say(inv);
}
