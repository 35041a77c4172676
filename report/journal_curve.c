#include "journal_line.h"

/* What several steps together show: how a controller scales, whether rounds settled, what an array is made
 * of. */

static void put_list(struct json_out *o, const char *key, const uint64_t *values, unsigned count)
{
    json_array_begin(o, key);
    for (unsigned i = 0; i < count; i++)
        json_put_u64(o, NULL, values[i]);
    json_array_end(o);
}

void journal_scaling(struct journal *j, const struct scaling_info *s)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "scaling");

    json_put_str(o, "controller", s->controller);
    json_put_str(o, "job", s->job);
    put_list(o, "disks", s->disks, s->count);
    put_list(o, "bytes_per_s", s->bytes_per_s, s->count);
    json_put_u64(o, "knee_disks", s->knee_disks);
    json_put_u64(o, "ceiling_bytes_per_s", s->ceiling_bytes_per_s);
    json_put_u64(o, "link_bytes_per_s", s->link_bytes_per_s);
    json_put_str(o, "limit", s->limit);
    json_put_str(o, "words", s->words);
    journal_line_end(&l, false);
}

void journal_rounds(struct journal *j, const struct rounds_info *r)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "rounds");

    json_put_u64(o, "first_step", r->first_step);
    json_put_u64(o, "last_step", r->last_step);
    json_put_str(o, "title", r->title);
    json_put_u64(o, "most", r->most);
    json_put_u64(o, "steady", r->steady);
    put_list(o, "bytes_per_s", r->bytes_per_s, r->count);
    journal_line_end(&l, false);
}

void journal_array(struct journal *j, const char *disk, uint64_t chunk_bytes, const char *const *members,
                   unsigned count)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "array");

    json_put_str(o, "disk", disk);
    json_put_u64(o, "chunk_bytes", chunk_bytes);
    json_array_begin(o, "members");
    for (unsigned i = 0; i < count; i++)
        json_put_str(o, NULL, members[i]);
    json_array_end(o);
    journal_line_end(&l, false);
}

void journal_cache(struct journal *j, const struct cache_info *c)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "cache");

    json_put_u64(o, "step", c->step);
    json_put_str(o, "disk", c->disk);
    json_put_str(o, "cache", c->cache);
    json_put_str(o, "event", c->event);
    json_put_str(o, "asked", c->asked);
    json_put_str(o, "found", c->found);
    json_put_str(o, "now", c->now);
    json_put_str(o, "why", c->why);
    journal_line_end(&l, false);
}
