#include "journal.h"
#include "bits.h"
#include "crc.h"
#include "journal_line.h"
#include "str.h"

/* A record's fields, by name: what is written under the same name as the member it comes from. */
struct field {
    const char *name;
    enum { FIELD_TEXT, FIELD_UINT } kind;
    uint16_t offset, size_bytes;
};
#define FIELD_T(type, member)                                                                                \
    {                                                                                                        \
#member, FIELD_TEXT, offsetof(struct type, member), sizeof(((struct type *)0)->member)               \
    }
#define FIELD_U(type, member)                                                                                \
    {                                                                                                        \
#member, FIELD_UINT, offsetof(struct type, member), sizeof(((struct type *)0)->member)               \
    }

static const struct field machine_fields[] = {
    FIELD_T(machine_info, product), FIELD_T(machine_info, version),  FIELD_T(machine_info, vendor),
    FIELD_T(machine_info, model),   FIELD_T(machine_info, serial),   FIELD_T(machine_info, uuid),
    FIELD_T(machine_info, bios),    FIELD_T(machine_info, firmware), FIELD_T(machine_info, boot_path),
    FIELD_T(machine_info, clock),   FIELD_U(machine_info, tsc_hz),   FIELD_U(machine_info, tsc_invariant),
};
static const struct field controller_fields[] = {
    FIELD_T(controller_info, name),         FIELD_T(controller_info, driver),
    FIELD_T(controller_info, pci_address),  FIELD_U(controller_info, vendor_id),
    FIELD_U(controller_info, device_id),    FIELD_U(controller_info, subvendor_id),
    FIELD_U(controller_info, subdevice_id), FIELD_U(controller_info, class_code),
    FIELD_T(controller_info, what),         FIELD_T(controller_info, model),
    FIELD_T(controller_info, serial),       FIELD_T(controller_info, firmware),
    FIELD_T(controller_info, why_not),
};
static const struct field link_fields[] = {
    FIELD_T(link_info, controller),    FIELD_U(link_info, speed),
    FIELD_U(link_info, width),         FIELD_U(link_info, speed_max),
    FIELD_U(link_info, width_max),     FIELD_T(link_info, port),
    FIELD_U(link_info, payload_bytes), FIELD_U(link_info, ceiling_bytes_per_s),
    FIELD_U(link_info, samples),
};
static const struct field topology_fields[] = {
    FIELD_U(topology_info, depth),       FIELD_T(topology_info, kind),  FIELD_T(topology_info, name),
    FIELD_T(topology_info, pci_address), FIELD_T(topology_info, words),
};
static const struct field smbus_fields[] = {
    FIELD_T(smbus_info, controller),
    FIELD_T(smbus_info, pci_address),
    FIELD_U(smbus_info, probed),
    FIELD_T(smbus_info, answers),
};
static const struct field disk_fields[] = {
    FIELD_T(disk_info, name),
    FIELD_T(disk_info, controller),
    FIELD_T(disk_info, kind),
    FIELD_T(disk_info, model),
    FIELD_T(disk_info, serial),
    FIELD_T(disk_info, firmware),
    FIELD_T(disk_info, identity),
    FIELD_U(disk_info, lba_bytes),
    FIELD_U(disk_info, physical_block_bytes),
    FIELD_U(disk_info, max_command_bytes),
    FIELD_U(disk_info, lba_count),
    FIELD_U(disk_info, max_depth),
    FIELD_T(disk_info, rotation),
    FIELD_T(disk_info, why_not),
};
static const struct field raid_card_fields[] = {
    FIELD_T(raid_card_info, controller),       FIELD_T(raid_card_info, generation),
    FIELD_T(raid_card_info, fitted_as),        FIELD_T(raid_card_info, product),
    FIELD_T(raid_card_info, serial),           FIELD_T(raid_card_info, package),
    FIELD_T(raid_card_info, components),       FIELD_U(raid_card_info, memory_mib),
    FIELD_U(raid_card_info, temperature_c),    FIELD_U(raid_card_info, rebuild_percent),
    FIELD_U(raid_card_info, patrol_percent),   FIELD_U(raid_card_info, init_percent),
    FIELD_U(raid_card_info, check_percent),    FIELD_U(raid_card_info, reconstruction_percent),
    FIELD_U(raid_card_info, jbod_possible),    FIELD_T(raid_card_info, battery),
    FIELD_U(raid_card_info, battery_present),  FIELD_U(raid_card_info, battery_bad),
    FIELD_U(raid_card_info, battery_learning), FIELD_U(raid_card_info, battery_charge_percent),
    FIELD_U(raid_card_info, battery_cycles),   FIELD_T(raid_card_info, enclosures),
};
static const struct field virtual_drive_fields[] = {
    FIELD_T(virtual_drive_info, disk),
    FIELD_T(virtual_drive_info, name),
    FIELD_T(virtual_drive_info, level),
    FIELD_T(virtual_drive_info, state),
    FIELD_U(virtual_drive_info, spans),
    FIELD_U(virtual_drive_info, drives_per_span),
    FIELD_U(virtual_drive_info, strip_bytes),
    FIELD_U(virtual_drive_info, size_bytes),
    FIELD_U(virtual_drive_info, policy_told),
    FIELD_U(virtual_drive_info, current_policy),
    FIELD_U(virtual_drive_info, default_policy),
    FIELD_U(virtual_drive_info, drive_cache),
    FIELD_U(virtual_drive_info, access),
    FIELD_T(virtual_drive_info, policy),
    FIELD_T(virtual_drive_info, configured_policy),
    FIELD_T(virtual_drive_info, members),
    FIELD_T(virtual_drive_info, works),
    FIELD_U(virtual_drive_info, cache_bytes),
};
static const struct field raid_drive_fields[] = {
    FIELD_T(raid_drive_info, disk),
    FIELD_T(raid_drive_info, controller),
    FIELD_T(raid_drive_info, state),
    FIELD_T(raid_drive_info, interface),
    FIELD_U(raid_drive_info, device_id),
    FIELD_U(raid_drive_info, enclosure_id),
    FIELD_U(raid_drive_info, slot),
    FIELD_U(raid_drive_info, foreign),
    FIELD_U(raid_drive_info, exposed),
    FIELD_U(raid_drive_info, size_bytes),
    FIELD_U(raid_drive_info, wwn),
    FIELD_U(raid_drive_info, media_errors),
    FIELD_U(raid_drive_info, other_errors),
    FIELD_U(raid_drive_info, predictive_failures),
    FIELD_U(raid_drive_info, temperature_c),
    FIELD_U(raid_drive_info, link_mb_per_s),
    FIELD_U(raid_drive_info, max_link_mb_per_s),
    FIELD_T(raid_drive_info, works),
};
static const struct field step_fields[] = {
    FIELD_U(step_result, step),
    FIELD_T(step_result, disk),
    FIELD_T(step_result, job),
    FIELD_T(step_result, rw),
    FIELD_U(step_result, block_bytes),
    FIELD_U(step_result, command_bytes),
    FIELD_U(step_result, depth_asked),
    FIELD_U(step_result, depth),
    FIELD_U(step_result, first_lba),
    FIELD_U(step_result, span_lbas),
    FIELD_U(step_result, ios),
    FIELD_U(step_result, bytes),
    FIELD_U(step_result, errors),
    FIELD_U(step_result, retries),
    FIELD_U(step_result, run_ns),
    FIELD_U(step_result, held_ns),
    FIELD_U(step_result, ramp_ns),
    FIELD_U(step_result, latency_min_ns),
    FIELD_U(step_result, latency_mean_ns),
    FIELD_U(step_result, latency_max_ns),
    FIELD_U(step_result, latency_stddev_ns),
    FIELD_U(step_result, longest_poll_gap_ns),
    FIELD_U(step_result, busy_ns),
    FIELD_U(step_result, wrapped),
};
static const struct field io_error_fields[] = {
    FIELD_U(io_error_record, lba),    FIELD_U(io_error_record, blocks), FIELD_U(io_error_record, located),
    FIELD_U(io_error_record, status), FIELD_U(io_error_record, detail), FIELD_U(io_error_record, at_ns),
};
static const struct field burn_in_fields[] = {
    FIELD_T(burn_in_state, disk),
    FIELD_T(burn_in_state, identity),
    FIELD_T(burn_in_state, arming),
    FIELD_U(burn_in_state, job_hash),
    FIELD_U(burn_in_state, seed),
    FIELD_U(burn_in_state, block_bytes),
    FIELD_U(burn_in_state, blocks),
    FIELD_U(burn_in_state, pass),
    FIELD_U(burn_in_state, position),
    FIELD_U(burn_in_state, written_blocks),
    FIELD_U(burn_in_state, verified_blocks),
    FIELD_U(burn_in_state, written_bytes),
    FIELD_U(burn_in_state, errors),
    FIELD_U(burn_in_state, interruptions),
    FIELD_U(burn_in_state, stuck),
    FIELD_U(burn_in_state, phase_ms),
    FIELD_U(burn_in_state, spent_ms),
    FIELD_T(burn_in_state, why),
};
static const struct field burn_in_phase_fields[] = {
    FIELD_U(burn_in_phase_sum, began_ns),   FIELD_U(burn_in_phase_sum, ms),
    FIELD_U(burn_in_phase_sum, read_bytes), FIELD_U(burn_in_phase_sum, written_bytes),
    FIELD_U(burn_in_phase_sum, errors),
};
static const struct field run_status_fields[] = {
    FIELD_U(run_status, bad_configuration),
    FIELD_U(run_status, expectation_missed),
};

static uint64_t field_uint(const void *at, unsigned size_bytes)
{
    uint64_t v = 0;

    memcpy(&v, at, size_bytes); /* x86 is little-endian */
    return v;
}

static void put_fields(struct json_out *o, const struct field *fields, unsigned count, const void *record)
{
    for (unsigned i = 0; i < count; i++) {
        const char *at = (const char *)record + fields[i].offset;
        char word[256];

        if (fields[i].kind == FIELD_UINT) {
            json_put_u64(o, fields[i].name, field_uint(at, fields[i].size_bytes));
        } else {
            /* A field filled to its last byte has no end of its own. */
            size_t len = 0;
            while (len < fields[i].size_bytes && at[len])
                len++;
            str_copy_n(word, sizeof word, at, len);
            json_put_str(o, fields[i].name, word);
        }
    }
}
#define PUT_FIELDS(o, table, record) put_fields((o), (table), ARRAY_COUNT(table), (record))

/* ---- a line: begun, filled by the event, ended ---- */
static const char crc_key[] = ",\"crc\":\"";
enum { LINE_TAIL = sizeof crc_key - 1 + 8 + 3 }; /* the checksum, "} and the newline */

static void line_open(struct line *l, const char *ev)
{
    struct journal *j = l->journal;
    char run[17];
    struct text t = text_over(run, sizeof run);

    text_hex(&t, j->run_id, 16);
    l->text = text_over(j->line, sizeof j->line - LINE_TAIL);
    l->json = json_over(&l->text);
    json_object_begin(&l->json, NULL);
    json_put_u64(&l->json, "v", JOURNAL_VERSION);
    json_put_str(&l->json, "run", run);
    json_put_u64(&l->json, "seq", j->seq);
    json_put_u64(&l->json, "t_ns", l->t_ns);
    json_put_str(&l->json, "ev", ev);
}

static struct json_out *line_begin(struct line *l, struct journal *j, const char *ev)
{
    *l = (struct line){ .journal = j, .t_ns = j->now_ns(), .ev = ev };
    line_open(l, ev);
    return &l->json;
}

/* A line of the same number that says what would have stood here. */
static void line_replace(struct line *l, const char *ev)
{
    line_open(l, ev);
    json_put_str(&l->json, "of", l->ev);
}

static void line_send(struct line *l, bool to_full, bool to_compact)
{
    struct journal *j = l->journal;
    uint32_t crc = crc32c(0, j->line, l->text.len);
    struct text tail = text_over(j->line + l->text.len, sizeof j->line - l->text.len);

    text_str(&tail, crc_key);
    text_hex(&tail, crc, 8);
    text_str(&tail, "\"}\n");
    for (unsigned i = 0; i < j->sink_count; i++) {
        struct journal_sink *s = &j->sinks[i];
        if (!s->dead && (s->compact ? to_compact : to_full))
            s->dead = !s->line(s->ctx, j->line, l->text.len + tail.len);
    }
}

static void line_end(struct line *l, bool only_full)
{
    if (l->text.cut) {
        l->journal->oversize = true;
        line_replace(l, "oversize");
    }
    line_send(l, true, !only_full);
    if (only_full) {
        line_replace(l, "omitted");
        line_send(l, false, true);
    }
    l->journal->seq++;
}

struct json_out *journal_line_begin(struct line *l, struct journal *j, const char *ev)
{
    return line_begin(l, j, ev);
}

void journal_line_end(struct line *l, bool only_full) { line_end(l, only_full); }

/* ---- the journal ---- */
void journal_start(struct journal *j, uint64_t run_id, uint64_t (*now_ns)(void))
{
    j->run_id = run_id;
    j->seq = 0;
    j->now_ns = now_ns;
    j->sink_count = 0;
    j->oversize = false;
}

void journal_add_sink(struct journal *j, bool (*line)(void *, const char *, size_t), void *ctx, bool compact)
{
    if (j->sink_count < JOURNAL_MAX_SINKS)
        j->sinks[j->sink_count++] = (struct journal_sink){ .line = line, .ctx = ctx, .compact = compact };
}

void journal_run_start(struct journal *j, const struct machine_info *m, const char *label)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "run_start");

    json_put_str(o, "label", label);
    PUT_FIELDS(o, machine_fields, m);
    line_end(&l, false);
}

void journal_conf(struct journal *j, const char *source, uint32_t crc32c_of_text, const char *key_values)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "conf");
    char hex[9];
    struct text t = text_over(hex, sizeof hex);

    text_hex(&t, crc32c_of_text, 8);
    json_put_str(o, "source", source);
    json_put_str(o, "text_crc32c", hex);
    json_put_str(o, "settings", key_values);
    line_end(&l, false);
}

void journal_controller(struct journal *j, const struct controller_info *c)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "controller");

    PUT_FIELDS(o, controller_fields, c);
    line_end(&l, false);
}

void journal_raid_card(struct journal *j, const struct raid_card_info *c)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "raid_card");

    PUT_FIELDS(o, raid_card_fields, c);
    line_end(&l, false);
}

void journal_virtual_drive(struct journal *j, const struct virtual_drive_info *d)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "virtual_drive");

    PUT_FIELDS(o, virtual_drive_fields, d);
    line_end(&l, false);
}

void journal_raid_drive(struct journal *j, const struct raid_drive_info *d)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "raid_drive");

    PUT_FIELDS(o, raid_drive_fields, d);
    line_end(&l, false);
}

void journal_link(struct journal *j, const struct link_info *info)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "link");

    PUT_FIELDS(o, link_fields, info);
    line_end(&l, false);
}

void journal_topology(struct journal *j, const struct topology_info *n)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "topology");

    PUT_FIELDS(o, topology_fields, n);
    line_end(&l, false);
}

void journal_smbus(struct journal *j, const struct smbus_info *s)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "smbus");

    PUT_FIELDS(o, smbus_fields, s);
    json_put_str(o, "evidence", s->evidence);
    line_end(&l, false);
}

void journal_disk(struct journal *j, const struct disk_info *d)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "disk");

    PUT_FIELDS(o, disk_fields, d);
    line_end(&l, false);
}

void journal_drive_settings(struct journal *j, const char *disk, const char *settings,
                            uint32_t optimal_boundary_bytes)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "drive_settings");

    json_put_str(o, "disk", disk);
    json_put_str(o, "settings", settings);
    json_put_u64(o, "optimal_boundary_bytes", optimal_boundary_bytes);
    line_end(&l, false);
}

void journal_health(struct journal *j, const struct health_info *h)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "health");

    json_put_str(o, "disk", h->disk);
    json_put_str(o, "when", h->when);
    json_object_begin(o, "values");
    for (unsigned i = 0; i < h->item_count; i++)
        json_put_i64(o, h->items[i].key, h->items[i].value);
    json_object_end(o);
    json_put_str(o, "warnings", h->warnings);
    json_put_str(o, "note", h->note);
    line_end(&l, false);
}

void journal_temperature(struct journal *j, const struct temperature_info *t)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "temperature");

    json_put_u64(o, "step", t->step);
    json_put_str(o, "disk", t->disk);
    json_put_u64(o, "looks", t->looks);
    json_put_u64(o, "slowed", t->slowed);
    json_array_begin(o, "at_ms");
    for (unsigned i = 0; i < t->count; i++)
        json_put_u64(o, NULL, t->at_ms[i]);
    json_array_end(o);
    json_array_begin(o, "celsius");
    for (unsigned i = 0; i < t->count; i++)
        json_put_i64(o, NULL, t->celsius[i]);
    json_array_end(o);
    line_end(&l, false);
}

void journal_finding(struct journal *j, const struct finding *f)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "finding");

    json_put_str(o, "code", f->code);
    json_put_str(o, "level", finding_level_text(f->level));
    json_put_str(o, "subject", f->subject);
    json_put_str(o, "seen", f->seen);
    json_put_str(o, "expected", f->expected);
    line_end(&l, false);
}

void journal_problem(struct journal *j, const char *source, unsigned line, const char *job, const char *text)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "problem");

    json_put_str(o, "source", source);
    json_put_u64(o, "line", line);
    json_put_str(o, "job", job);
    json_put_str(o, "text", text);
    line_end(&l, false);
}

void journal_plan(struct journal *j, unsigned steps, uint64_t estimate_ns)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "plan");

    json_put_u64(o, "steps", steps);
    json_put_u64(o, "estimate_ns", estimate_ns);
    line_end(&l, false);
}

void journal_not_tested(struct journal *j, const char *disk, const char *job, const char *why)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "not_tested");

    json_put_str(o, "disk", disk);
    json_put_str(o, "job", job);
    json_put_str(o, "why", why);
    line_end(&l, false);
}

void journal_step_start(struct journal *j, unsigned step, const char *title, unsigned lanes)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "step_start");

    json_put_u64(o, "step", step);
    json_put_str(o, "title", title);
    json_put_u64(o, "lanes", lanes);
    line_end(&l, false);
}

static struct json_out *begin_for_lane(struct line *l, struct journal *j, const char *ev, unsigned step,
                                       const char *disk, const char *job)
{
    struct json_out *o = line_begin(l, j, ev);

    json_put_u64(o, "step", step);
    json_put_str(o, "disk", disk);
    json_put_str(o, "job", job);
    return o;
}

void journal_io_error(struct journal *j, unsigned step, const char *disk, const char *job,
                      const struct io_error_record *e, const char *words)
{
    struct line l;
    struct json_out *o = begin_for_lane(&l, j, "io_error", step, disk, job);

    PUT_FIELDS(o, io_error_fields, e);
    json_put_str(o, "words", words);
    line_end(&l, false);
}

void journal_io_errors_more(struct journal *j, unsigned step, const char *disk, const char *job,
                            uint64_t count)
{
    struct line l;
    struct json_out *o = begin_for_lane(&l, j, "io_errors_more", step, disk, job);

    json_put_u64(o, "count", count);
    line_end(&l, false);
}

/* Classes that hold none are left out. */
static void put_classes(struct json_out *o, const struct step_result *r)
{
    json_object_begin(o, "latency_class_ios");
    for (unsigned i = 0; i < LATENCY_CLASS_COUNT; i++) {
        char bound_ns[24];

        if (!r->latency_class_ios[i])
            continue;
        str_fmt(bound_ns, sizeof bound_ns, "%llu", (unsigned long long)latency_class_ns[i]);
        json_put_u64(o, bound_ns, r->latency_class_ios[i]);
    }
    json_object_end(o);
}

static const char *flag_name(uint32_t flag)
{
    for (unsigned i = 0; i < step_flag_count; i++)
        if (step_flags[i].flag == flag)
            return step_flags[i].name;
    return NULL;
}

static void put_flags(struct json_out *o, uint32_t flags)
{
    json_array_begin(o, "flags");
    for (unsigned bit = 0; bit < 32; bit++) {
        const char *name;
        char unnamed[8];

        if (!(flags & 1u << bit))
            continue;
        name = flag_name(1u << bit);
        str_fmt(unnamed, sizeof unnamed, "bit%u", bit);
        json_put_str(o, NULL, name ? name : unnamed);
    }
    json_array_end(o);
}

void journal_step_end(struct journal *j, const struct step_result *r, const char *reason)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "step_end");

    PUT_FIELDS(o, step_fields, r);
    json_put_u64(o, "bytes_per_s", step_bytes_per_s(r));
    json_put_u64(o, "iops_milli", step_iops_milli(r));
    json_put_u64(o, "first_third_bytes_per_s", r->first_third_bytes_per_s);
    json_put_u64(o, "last_third_bytes_per_s", r->last_third_bytes_per_s);
    journal_line_percentiles(o, r->percentile_valid, r->latency_percentile_ns, r->asked);
    put_classes(o, r);
    put_flags(o, r->flags);
    json_put_str(o, "reason", reason);
    line_end(&l, false);
}

void journal_data_crc(struct journal *j, const char *disk, const char *when, uint64_t first_lba,
                      uint64_t bytes, uint32_t request_bytes, uint32_t crc32c)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "data_crc");
    char hex[9];

    str_fmt(hex, sizeof(hex), "%08x", crc32c);
    json_put_str(o, "disk", disk);
    json_put_str(o, "when", when);
    json_put_u64(o, "first_lba", first_lba);
    json_put_u64(o, "bytes", bytes);
    json_put_u64(o, "request_bytes", request_bytes);
    json_put_str(o, "crc32c", hex);
    line_end(&l, false);
}

void journal_checkpoint(struct journal *j, unsigned step)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "checkpoint");

    json_put_u64(o, "step", step);
    line_end(&l, false);
}

void journal_burn_in(struct journal *j, const struct burn_in_state *s)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "burn_in");

    json_put_str(o, "phase", burn_in_phases[s->phase].key);
    json_put_str(o, "end", burn_in_end_words[s->end]);
    PUT_FIELDS(o, burn_in_fields, s);
    line_end(&l, false);
}

void journal_burn_in_phase(struct journal *j, const struct burn_in_phase_sum *p)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "burn_in_phase");

    json_put_str(o, "disk", p->disk);
    json_put_str(o, "phase", burn_in_phases[p->phase].key);
    json_put_str(o, "end", burn_in_end_words[p->end]);
    PUT_FIELDS(o, burn_in_phase_fields, p);
    if (p->temperature_max_c != INT64_MIN)
        json_put_i64(o, "temperature_max_c", p->temperature_max_c);
    line_end(&l, false);
}

void journal_log(struct journal *j, unsigned level, const char *text)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "log");

    json_put_u64(o, "level", level);
    json_put_str(o, "text", text);
    line_end(&l, false);
}

void journal_disk_verdict(struct journal *j, const char *disk, enum verdict v, const char *why)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "disk_verdict");

    json_put_str(o, "disk", disk);
    json_put_str(o, "verdict", verdict_text(v));
    json_put_str(o, "why", why);
    line_end(&l, false);
}

void journal_run_end(struct journal *j, const struct run_status *s, const struct run_ending *e)
{
    struct line l;
    struct json_out *o = line_begin(&l, j, "run_end");

    json_put_str(o, "verdict", verdict_text(s->verdict));
    PUT_FIELDS(o, run_status_fields, s);
    json_put_i64(o, "exit_code", e->exit_code);
    json_put_u64(o, "efi_code", e->efi_code);
    json_put_u64(o, "chains_to_next", e->chains_to_next);
    line_end(&l, false);
}
