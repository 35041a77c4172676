#include "schema.h"
#include <stdlib.h>
#include "bits.h"

#define T(name_)                                                                                             \
    {                                                                                                        \
        name_, RACK_TEXT, 0                                                                                  \
    }
#define N(name_)                                                                                             \
    {                                                                                                        \
        name_, RACK_NUMBER, 0                                                                                \
    }
#define J(name_)                                                                                             \
    {                                                                                                        \
        name_, RACK_JSON, 0                                                                                  \
    }
#define P(ppm_)                                                                                              \
    {                                                                                                        \
        "latency_p" #ppm_ "_ns", RACK_PERCENTILE, ppm_                                                       \
    }

static const struct rack_column run_start_columns[] = {
    T("label"), T("product"),  T("version"),   T("vendor"), T("model"),  T("serial"),        T("uuid"),
    T("bios"),  T("firmware"), T("boot_path"), T("clock"),  N("tsc_hz"), N("tsc_invariant"),
};
static const struct rack_column conf_columns[] = { T("source"), T("text_crc32c"), T("settings") };
static const struct rack_column problem_columns[] = { T("source"), N("line"), T("job"), T("text") };
static const struct rack_column controller_columns[] = {
    T("name"),         T("driver"),       T("pci_address"), N("vendor_id"), N("device_id"),
    N("subvendor_id"), N("subdevice_id"), N("class_code"),  T("what"),      T("model"),
    T("serial"),       T("firmware"),     T("why_not"),
};
static const struct rack_column link_columns[] = {
    T("controller"), N("speed"), N("width"),         N("speed_max"),
    N("width_max"),  T("port"),  N("payload_bytes"), N("ceiling_bytes_per_s"),
    N("samples"),
};
static const struct rack_column topology_columns[] = {
    N("depth"), T("kind"), T("name"), T("pci_address"), T("words"),
};
static const struct rack_column smbus_columns[] = {
    T("controller"), T("pci_address"), N("probed"), T("answers"), T("evidence"),
};
static const struct rack_column raid_card_columns[] = {
    T("controller"),       T("generation"),
    T("fitted_as"),        T("product"),
    T("serial"),           T("package"),
    T("components"),       N("memory_mib"),
    N("temperature_c"),    N("rebuild_percent"),
    N("patrol_percent"),   N("init_percent"),
    N("check_percent"),    N("reconstruction_percent"),
    N("jbod_possible"),    T("battery"),
    N("battery_present"),  N("battery_bad"),
    N("battery_learning"), N("battery_charge_percent"),
    N("battery_cycles"),   T("enclosures"),
};
static const struct rack_column virtual_drive_columns[] = {
    T("disk"),           T("name"),           T("level"),
    T("state"),          N("spans"),          N("drives_per_span"),
    N("strip_bytes"),    N("size_bytes"),     N("policy_told"),
    N("current_policy"), N("default_policy"), N("drive_cache"),
    N("access"),         T("policy"),         T("configured_policy"),
    T("members"),        T("works"),          N("cache_bytes"),
};
static const struct rack_column raid_drive_columns[] = {
    T("disk"),
    T("controller"),
    T("state"),
    T("interface"),
    N("device_id"),
    N("enclosure_id"),
    N("slot"),
    N("foreign"),
    N("exposed"),
    N("size_bytes"),
    N("wwn"),
    N("media_errors"),
    N("other_errors"),
    N("predictive_failures"),
    N("temperature_c"),
    N("link_mb_per_s"),
    N("max_link_mb_per_s"),
    T("works"),
};
static const struct rack_column disk_columns[] = {
    T("name"),
    T("controller"),
    T("kind"),
    T("model"),
    T("serial"),
    T("firmware"),
    T("identity"),
    N("lba_bytes"),
    N("physical_block_bytes"),
    N("max_command_bytes"),
    N("lba_count"),
    N("max_depth"),
    T("rotation"),
    T("why_not"),
};
static const struct rack_column plan_columns[] = { N("steps"), N("estimate_ns") };
static const struct rack_column not_tested_columns[] = { T("disk"), T("job"), T("why") };
static const struct rack_column data_crc_columns[] = {
    T("disk"), T("when"), N("first_lba"), N("bytes"), N("request_bytes"), T("crc32c"),
};
static const struct rack_column step_start_columns[] = { N("step"), T("title"), N("lanes") };
static const struct rack_column io_error_columns[] = {
    N("step"),    T("disk"),   T("job"),    N("lba"),   N("blocks"),
    N("located"), N("status"), N("detail"), N("at_ns"), T("words"),
};
static const struct rack_column io_errors_more_columns[] = { N("step"), T("disk"), T("job"), N("count") };
static const struct rack_column series_columns[] = {
    N("step"), T("disk"), T("job"), N("interval_ns"), J("ios"), J("bytes"), J("max_ns"),
};
static const struct rack_column temperature_columns[] = {
    N("step"), T("disk"), N("looks"), N("slowed"), J("at_ms"), J("celsius"),
};
static const struct rack_column cell_columns[] = {
    N("step"),
    T("disk"),
    T("job"),
    T("rw"),
    N("block_bytes"),
    N("command_bytes"),
    N("depth_asked"),
    N("depth"),
    N("first_lba"),
    N("span_lbas"),
    N("ios"),
    N("bytes"),
    N("errors"),
    N("retries"),
    N("run_ns"),
    N("held_ns"),
    N("ramp_ns"),
    N("latency_min_ns"),
    N("latency_mean_ns"),
    N("latency_max_ns"),
    N("latency_stddev_ns"),
    N("longest_poll_gap_ns"),
    N("busy_ns"),
    N("wrapped"),
    N("bytes_per_s"),
    N("iops_milli"),
    N("first_third_bytes_per_s"),
    N("last_third_bytes_per_s"),
    P(10000),
    P(50000),
    P(100000),
    P(250000),
    P(500000),
    P(700000),
    P(750000),
    P(900000),
    P(950000),
    P(990000),
    P(999000),
    P(999900),
    P(999990),
    P(999999),
    J("latency_class_ios"),
    { "flags", RACK_FLAGS, 0 },
    T("reason"),
    { "tail_p99_milli", RACK_TAIL, 990000 },
    { "tail_p999_milli", RACK_TAIL, 999000 },
};
static const struct rack_column log_columns[] = { N("level"), T("text") };
static const struct rack_column finding_columns[] = {
    T("code"), T("level"), T("subject"), T("seen"), T("expected"),
};
static const struct rack_column disk_verdict_columns[] = { T("disk"), T("verdict"), T("why") };
static const struct rack_column run_end_columns[] = {
    T("verdict"),   N("bad_configuration"), N("expectation_missed"),
    N("exit_code"), N("efi_code"),          N("chains_to_next"),
};

#define TABLE(ev_, name_, columns_)                                                                          \
    {                                                                                                        \
        ev_, name_, columns_, ARRAY_COUNT(columns_)                                                          \
    }
const struct rack_table rack_tables[] = {
    TABLE("step_end", "cell", cell_columns),
    TABLE("disk", "disk", disk_columns),
    TABLE("step_start", "step_start", step_start_columns),
    TABLE("series", "series", series_columns),
    TABLE("temperature", "temperature", temperature_columns),
    TABLE("disk_verdict", "disk_verdict", disk_verdict_columns),
    TABLE("finding", "finding", finding_columns),
    TABLE("log", "log", log_columns),
    TABLE("controller", "controller", controller_columns),
    TABLE("link", "link", link_columns),
    TABLE("topology", "topology", topology_columns),
    TABLE("smbus", "smbus", smbus_columns),
    TABLE("raid_card", "raid_card", raid_card_columns),
    TABLE("virtual_drive", "virtual_drive", virtual_drive_columns),
    TABLE("raid_drive", "raid_drive", raid_drive_columns),
    TABLE("run_start", "run_start", run_start_columns),
    TABLE("run_end", "run_end", run_end_columns),
    TABLE("conf", "conf", conf_columns),
    TABLE("problem", "problem", problem_columns),
    TABLE("plan", "plan", plan_columns),
    TABLE("not_tested", "not_tested", not_tested_columns),
    TABLE("data_crc", "data_crc", data_crc_columns),
    TABLE("io_error", "io_error", io_error_columns),
    TABLE("io_errors_more", "io_errors_more", io_errors_more_columns),
};
const unsigned rack_table_count = ARRAY_COUNT(rack_tables);

/* ---- SQLite ---- */
/* ANY keeps a value as it was given: a number beyond 63 bits stays text instead of losing digits as a float.
 */
static void write_sqlite_table(FILE *to, const struct rack_table *t)
{
    fprintf(to, "CREATE TABLE \"%s\"(\n  run_key INTEGER NOT NULL, seq ANY NOT NULL, t_ns ANY", t->name);
    for (unsigned i = 0; i < t->count; i++) {
        const struct rack_column *c = &t->columns[i];
        bool is_text = c->kind == RACK_TEXT || c->kind == RACK_JSON || c->kind == RACK_FLAGS;

        fprintf(to, ",%s\"%s\" %s", i % 6 ? " " : "\n  ", c->name, is_text ? "TEXT" : "ANY");
    }
    fprintf(to, ", more TEXT,\n  PRIMARY KEY(run_key, seq)) STRICT, WITHOUT ROWID;\n");
}

static const char sqlite_first[] =
    "CREATE TABLE run(run_key INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, rack TEXT NOT NULL,\n"
    "  machine TEXT NOT NULL, clock TEXT NOT NULL DEFAULT '') STRICT;\n"
    "CREATE INDEX run_machine ON run(machine);\n"
    "CREATE TABLE span(run_key INTEGER NOT NULL, first_seq ANY NOT NULL, last_seq ANY NOT NULL,\n"
    "  PRIMARY KEY(run_key, first_seq)) STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE omitted(run_key INTEGER NOT NULL, seq ANY NOT NULL, of TEXT,\n"
    "  PRIMARY KEY(run_key, seq)) STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE other(run_key INTEGER NOT NULL, seq ANY NOT NULL, t_ns ANY, ev TEXT NOT NULL, line TEXT NOT NULL,\n"
    "  PRIMARY KEY(run_key, seq)) STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE source(source_key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, bytes ANY, lines ANY,\n"
    "  new_lines ANY, damaged ANY) STRICT;\n"
    "CREATE TABLE damage(source_key INTEGER NOT NULL, ends_at ANY NOT NULL, begins_with TEXT,\n"
    "  PRIMARY KEY(source_key, ends_at)) STRICT, WITHOUT ROWID;\n";

/* peer_cell is what outliers and comparisons are made of: a measurement with all that tells its peers. */
static const char sqlite_last[] =
    "CREATE INDEX disk_name ON disk(run_key, name);\n"
    "CREATE INDEX virtual_drive_disk ON virtual_drive(run_key, disk);\n"
    "CREATE INDEX link_controller ON link(run_key, controller);\n"
    "CREATE VIEW latest_run AS SELECT run_key FROM run r WHERE NOT EXISTS (SELECT 1 FROM run later\n"
    "  WHERE later.machine = r.machine AND (later.clock, later.run_key) > (r.clock, r.run_key));\n"
    "CREATE VIEW machine_run AS SELECT r.run_key, r.run, r.rack, r.machine, r.clock, s.label, s.vendor, s.model,\n"
    "  s.serial, s.uuid, s.bios, s.version, e.verdict, e.exit_code, s.seq IS NOT NULL AS begun,\n"
    "  e.seq IS NOT NULL AS ended FROM run r\n"
    "  LEFT JOIN run_start s ON s.run_key = r.run_key AND s.seq = (SELECT min(seq) FROM run_start\n"
    "    WHERE run_key = r.run_key)\n"
    "  LEFT JOIN run_end e ON e.run_key = r.run_key AND e.seq = (SELECT max(seq) FROM run_end\n"
    "    WHERE run_key = r.run_key);\n"
    "CREATE VIEW machine_disk AS SELECT d.*, CAST(d.lba_bytes * d.lba_count AS INTEGER) AS size_bytes,\n"
    "  ifnull((SELECT 'Gen' || l.speed || ' x' || l.width FROM link l WHERE l.run_key = d.run_key\n"
    "    AND l.controller = d.controller ORDER BY l.seq DESC LIMIT 1), '') AS link,\n"
    "  ifnull((SELECT v.level || ', ' || v.policy FROM virtual_drive v WHERE v.run_key = d.run_key AND v.disk = d.name\n"
    "    ORDER BY v.seq DESC LIMIT 1), '') AS policy FROM disk d\n"
    "  WHERE d.seq = (SELECT max(seq) FROM disk x WHERE x.run_key = d.run_key AND x.name = d.name);\n"
    "CREATE VIEW peer_cell AS SELECT r.run_key, r.run, r.machine, r.rack, ifnull(s.label, '') AS label, r.clock,\n"
    "  c.seq, c.disk, ifnull(d.serial, '') AS serial, ifnull(d.model, '') AS model,\n"
    "  ifnull(d.firmware, '') AS firmware, ifnull(d.size_bytes, 0) AS size_bytes, ifnull(d.link, '') AS link, ifnull(d.policy, '') AS policy,\n"
    "  ifnull(d.controller, '') AS controller, ifnull(c.job, '') AS job, ifnull(c.rw, '') AS rw,\n"
    "  ifnull(c.block_bytes, 0) AS block_bytes, ifnull(c.depth, 0) AS depth, ifnull(c.flags, '') AS flags,\n"
    "  ifnull(c.bytes_per_s, 0) AS bytes_per_s, ifnull(c.iops_milli, 0) AS iops_milli,\n"
    "  ifnull(c.latency_p500000_ns, 0) AS p50_ns, ifnull(c.latency_p990000_ns, 0) AS p99_ns,\n"
    "  ifnull(c.latency_p999000_ns, 0) AS p999_ns, ifnull(c.tail_p99_milli, 0) AS tail_p99_milli,\n"
    "  ifnull(c.tail_p999_milli, 0) AS tail_p999_milli\n"
    "  FROM run r JOIN cell c ON c.run_key = r.run_key\n"
    "  LEFT JOIN machine_disk d ON d.run_key = c.run_key AND d.name = c.disk\n"
    "  LEFT JOIN machine_run s ON s.run_key = r.run_key;\n";

/* ---- ClickHouse 18.16 ---- */
static void write_clickhouse_table(FILE *to, const struct rack_table *t)
{
    fprintf(to, "CREATE TABLE IF NOT EXISTS %s(run String, seq UInt64, t_ns UInt64", t->name);
    for (unsigned i = 0; i < t->count; i++) {
        const struct rack_column *c = &t->columns[i];
        bool is_text = c->kind == RACK_TEXT || c->kind == RACK_JSON || c->kind == RACK_FLAGS;

        fprintf(to, ",%s`%s` %s", i % 4 ? " " : "\n  ", c->name, is_text ? "String" : "Nullable(UInt64)");
    }
    fprintf(to, ", more String)\n  ENGINE = MergeTree ORDER BY (run, seq);\n");
}

static const char clickhouse_last[] =
    "CREATE TABLE IF NOT EXISTS run(run String, rack String, machine String, clock String, latest UInt8)\n"
    "  ENGINE = MergeTree ORDER BY run;\n"
    "CREATE TABLE IF NOT EXISTS peer_cell(run String, machine String, rack String, label String, clock String,\n"
    "  latest UInt8, seq UInt64, disk String, serial String, model String, firmware String, size_bytes UInt64,\n"
    "  link String, policy String, controller String, job String, rw String, block_bytes UInt64, depth UInt64, flags String,\n"
    "  bytes_per_s UInt64, iops_milli UInt64, p50_ns UInt64, p99_ns UInt64, p999_ns UInt64, tail_p99_milli UInt64,\n"
    "  tail_p999_milli UInt64) ENGINE = MergeTree ORDER BY (model, firmware, job, run, seq);\n"
    "CREATE TABLE IF NOT EXISTS outlier_limit(peers UInt64, z_milli UInt64, interval_milli UInt64)\n"
    "  ENGINE = MergeTree ORDER BY peers;\n"
    "CREATE TABLE IF NOT EXISTS outlier_metric(metric String, low_is_worse UInt8, least_effect_permille UInt64,\n"
    "  unusable_flags Array(String)) ENGINE = MergeTree ORDER BY metric;\n";

void rack_write_schema(FILE *to, bool clickhouse)
{
    if (!clickhouse)
        fputs(sqlite_first, to);
    for (unsigned i = 0; i < rack_table_count; i++)
        (clickhouse ? write_clickhouse_table : write_sqlite_table)(to, &rack_tables[i]);
    fputs(clickhouse ? clickhouse_last : sqlite_last, to);
}

char *rack_schema_text(bool clickhouse)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    if (!to)
        return NULL;
    rack_write_schema(to, clickhouse);
    fclose(to);
    return text;
}

char *rack_insert_text(const struct rack_table *t)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    if (!to)
        return NULL;
    fprintf(to, "INSERT OR IGNORE INTO \"%s\" VALUES(?1,?2,?3", t->name);
    for (unsigned i = 0; i < t->count; i++)
        fprintf(to, ",?%u", i + 4);
    fprintf(to, ",?%u)", t->count + 4);
    fclose(to);
    return text;
}

int rack_schema_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--clickhouse", NULL, "the tables for ClickHouse instead of SQLite", 0 },
    };
    bool clickhouse = false;
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &clickhouse,
                      "schema [--clickhouse]\n\nPrints the statements that make the tables and views.",
                      &ending))
        return ending;
    rack_write_schema(stdout, clickhouse);
    return fflush(stdout) ? RACK_BROKEN : RACK_GOOD;
}
