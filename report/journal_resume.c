#include "bits.h"
#include "journal_line.h"
#include "str.h"

/* What lets a later start resume this run, and what such a start writes of the earlier one. */

void journal_plan_choice(struct journal *j, const struct plan_choice *c, const char *const *disks,
                         unsigned count)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "plan_choice");

    json_put_str(o, "plan", c->plan);
    json_put_str(o, "what", c->what);
    json_put_u64(o, "budget_s", c->budget_s);
    json_put_u64(o, "time_scale_pct", c->time_scale_pct);
    json_put_str(o, "resumes", c->resumes);
    json_array_begin(o, "disks");
    for (unsigned i = 0; i < count; i++)
        json_put_str(o, NULL, disks[i]);
    json_array_end(o);
    journal_line_end(&l, false);
}

void journal_step_key(struct journal *j, unsigned step, unsigned planned, unsigned rounds, uint64_t key)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "step_key");
    char hex[17];
    struct text t = text_over(hex, sizeof hex);

    text_hex(&t, key, 16);
    json_put_u64(o, "step", step);
    json_put_u64(o, "planned", planned);
    json_put_u64(o, "rounds", rounds);
    json_put_str(o, "key", hex);
    journal_line_end(&l, false);
}

void journal_plan_stop(struct journal *j, unsigned planned, const char *why)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "plan_stop");

    json_put_u64(o, "planned", planned);
    json_put_str(o, "why", why);
    journal_line_end(&l, false);
}

/* ---- lines of an earlier run ---- */
static bool is_one_of(const struct json_value *key, const char *const *words, unsigned count)
{
    char name[24];

    if (!json_to_str(key, name, sizeof name))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (str_equal(words[i], name))
            return true;
    return false;
}

/* Each flag as it was, and that it was earlier; a run that is resumed twice says it once. */
static void put_flags(struct json_out *o, const struct json_value *flags)
{
    static const char earlier[] = "earlier-start";
    struct json_value v;
    size_t cursor = 0;
    char word[24];

    json_array_begin(o, "flags");
    while (json_next(flags, &cursor, NULL, &v))
        if (!json_to_str(&v, word, sizeof word) || !str_equal(word, earlier))
            json_put_value(o, &v);
    json_put_str(o, NULL, earlier);
    json_array_end(o);
}

void journal_carry(struct journal *j, const struct journal_line *from, unsigned later_by)
{
    static const char *const own[] = { "v", "run", "seq", "t_ns", "ev", "crc" };
    static const char *const numbers[] = { "step", "first_step", "last_step" };
    static const char *const flags[] = { "flags" };
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, from->ev);
    struct json_value key, v;
    size_t cursor = 0;
    uint64_t step;
    char name[24];

    while (json_next(&from->body, &cursor, &key, &v)) {
        if (is_one_of(&key, own, ARRAY_COUNT(own)))
            continue;
        if (is_one_of(&key, numbers, ARRAY_COUNT(numbers)) && json_to_u64(&v, &step) &&
            json_to_str(&key, name, sizeof name))
            json_put_u64(o, name, (uint32_t)(step + later_by));
        else if (is_one_of(&key, flags, ARRAY_COUNT(flags)) && v.kind == JSON_ARRAY)
            put_flags(o, &v);
        else
            json_put_member(o, &key, &v);
    }
    journal_line_end(&l, str_equal(from->ev, "series"));
}
