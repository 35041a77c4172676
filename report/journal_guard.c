#include "journal_line.h"

void journal_content(struct journal *j, const struct content_info *c)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "content");

    json_put_str(o, "disk", c->disk);
    json_put_str(o, "identity", c->identity);
    json_put_str(o, "state", c->state);
    json_put_str(o, "fingerprint", c->fingerprint);
    json_put_str(o, "found", c->found);
    json_put_str(o, "mark", c->mark);
    json_put_u64(o, "size_bytes", c->size_bytes);
    json_put_u64(o, "data_places", c->data_places);
    journal_line_end(&l, false);
}

void journal_arming_batch(struct journal *j, const char *source, const char *batch, unsigned disks,
                          const char *approved_by, const char *approved_at, const char *problem)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "arming_batch");

    json_put_str(o, "source", source);
    json_put_str(o, "batch", batch);
    json_put_u64(o, "disks", disks);
    json_put_str(o, "approved_by", approved_by);
    json_put_str(o, "approved_at", approved_at);
    json_put_str(o, "problem", problem);
    journal_line_end(&l, false);
}

void journal_write_permit(struct journal *j, const char *disk, const char *arming_id, const char *decision,
                          const char *why)
{
    struct line l;
    struct json_out *o = journal_line_begin(&l, j, "write_permit");

    json_put_str(o, "disk", disk);
    json_put_str(o, "arming_id", arming_id);
    json_put_str(o, "decision", decision);
    json_put_str(o, "why", why);
    journal_line_end(&l, false);
}
