#ifndef REPORT_JOURNAL_H
#define REPORT_JOURNAL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "burn_in_state.h"
#include "finding.h"
#include "json.h"
#include "step.h"
#include "verdict.h"

/* The journal is the result: one line of NDJSON per event, integers and strings only.  Everything else
 * (summary, CSV, fio JSON, page, rack tables) is a pure function of it, also of one cut short.
 *
 *   {"v":1,"run":"<16 hex>","seq":7,"t_ns":123,"ev":"step_end",...,"crc":"89abcdef"}
 *
 * `crc` is CRC-32C over all bytes of the line before `,"crc"`.  docs/journal.md is the schema. */
enum { JOURNAL_VERSION = 1, JOURNAL_LINE_MAX = 48 * 1024 };

/* Takes whole lines, newline included.  False: this sink takes no more (full, gone); others go on. */
struct journal_sink {
    bool (*line)(void *ctx, const char *line, size_t len);
    void *ctx;
    bool compact; /* a slow channel: series become a line of kind "omitted" with the same seq */
    bool dead;
};
enum { JOURNAL_MAX_SINKS = 4 };
struct journal {
    uint64_t run_id;
    uint64_t seq;
    uint64_t (*now_ns)(void);
    struct journal_sink sinks[JOURNAL_MAX_SINKS];
    unsigned sink_count;
    char line[JOURNAL_LINE_MAX];
    bool oversize; /* some line did not fit: it was replaced by one that says so */
};
/* now_ns is the monotonic clock that every line is stamped with; the first line gets seq 0. */
void journal_start(struct journal *j, uint64_t run_id, uint64_t (*now_ns)(void));
/* A sink beyond JOURNAL_MAX_SINKS is not taken.  Until its first refusal it gets every line. */
void journal_add_sink(struct journal *j, bool (*line)(void *, const char *, size_t), void *ctx, bool compact);

/* ---- events ---- */
struct machine_info {
    char product[40], version[24]; /* ours */
    char vendor[64], model[64], serial[64], uuid[40], bios[64];
    char firmware[64];   /* UEFI vendor and revision */
    char boot_path[160]; /* how the application was started */
    char clock[24];      /* wall clock at start, "2026-11-30T14:00:00", "" unknown */
    uint64_t tsc_hz;
    bool tsc_invariant;
};
struct controller_info {
    char name[16], driver[16]; /* driver "" when not driven */
    char pci_address[16];      /* "0000:00:1f.2" */
    uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
    uint32_t class_code;
    char what[80], model[80], serial[40], firmware[40];
    char why_not[240]; /* when not driven */
};
struct disk_info {
    char name[24], controller[16], kind[24], model[48], serial[40], firmware[16], identity[96];
    uint32_t lba_bytes, physical_block_bytes, max_command_bytes;
    uint64_t lba_count;
    uint16_t max_depth;
    char rotation[12]; /* "yes", "no", "unknown" */
    char why_not[160]; /* "" when readable */
};
/* The PCI Express link of a controller as it was seen under load: the narrowest on its path.  Generation and
 * lanes. */
struct link_info {
    char controller[16];
    uint8_t speed, width;         /* in use */
    uint8_t speed_max, width_max; /* what its both ends could; 0: not known */
    char port[16];                /* PCI address of the near end */
    uint16_t payload_bytes;       /* most that one packet carries */
    uint64_t ceiling_bytes_per_s; /* in one direction, overhead of packets taken off; 0: not known */
    uint32_t samples;             /* looks while data moved; 0: seen while idle only */
};
/* One node of the tree of roots, ports, controllers and disks; what hangs below it follows it, one deeper. */
struct topology_info {
    unsigned depth;
    char kind[12], name[24], pci_address[16], words[120];
};
struct smbus_info {
    char controller[48], pci_address[16];
    bool probed;
    char answers[12];   /* one letter per address from 0x50 on; "" when not read */
    char evidence[400]; /* every number behind the verdict */
};
/* A RAID card's own account.  0 and "": not told. */
struct raid_card_info {
    char controller[16], generation[16], fitted_as[48], product[80], serial[40], package[100];
    char components[240]; /* "APP 3.400.05, BIOS 4.31" */
    uint32_t memory_mib, temperature_c;
    uint32_t rebuild_percent, patrol_percent, init_percent, check_percent, reconstruction_percent; /* rates */
    uint32_t jbod_possible;
    char battery[120]; /* in words */
    uint32_t battery_present, battery_bad, battery_learning, battery_charge_percent, battery_cycles;
    char enclosures[240];
};
struct virtual_drive_info {
    char disk[24], name[20], level[24], state[24];
    uint32_t spans, drives_per_span, strip_bytes;
    uint64_t size_bytes;
    uint32_t policy_told, current_policy, default_policy, drive_cache, access; /* the card's own bytes */
    char policy[100], configured_policy[100];                                  /* in words */
    char members[240];    /* device ids, blanks between them */
    char works[160];      /* what goes on beside it: "rebuild 12 %" */
    uint64_t cache_bytes; /* memory of the card in front of it */
};
struct raid_drive_info {
    char disk[24], controller[16], state[24], interface[8];
    uint32_t device_id, enclosure_id, slot, foreign, exposed; /* enclosure_id 65535: in none */
    uint64_t size_bytes, wwn;
    uint32_t media_errors, other_errors, predictive_failures, temperature_c, link_mb_per_s, max_link_mb_per_s;
    char works[160];
};
/* What a drive tells about its own state: only those numbers that it tells. */
struct health_item {
    const char *key; /* "temperature_c" */
    int64_t value;
};
struct health_info {
    const char *disk, *when; /* "before" and "after" the run */
    const struct health_item *items;
    unsigned item_count;
    const char *warnings; /* keys with blanks between them */
    const char *note;
};
/* How warm a drive was in a step. */
struct temperature_info {
    const char *disk;
    unsigned step, looks;  /* looks: how often the drive was asked */
    bool slowed;           /* it counts that it slowed itself down, or was too hot, in this step */
    unsigned count;        /* of the looks that are kept */
    const uint64_t *at_ms; /* since the step began */
    const int64_t *celsius;
};
void journal_run_start(struct journal *j, const struct machine_info *m, const char *label);
void journal_conf(struct journal *j, const char *source, uint32_t crc32c_of_text, const char *key_values);
void journal_controller(struct journal *j, const struct controller_info *c);
void journal_link(struct journal *j, const struct link_info *l);
void journal_topology(struct journal *j, const struct topology_info *n);
void journal_smbus(struct journal *j, const struct smbus_info *s);
void journal_disk(struct journal *j, const struct disk_info *d);
void journal_raid_card(struct journal *j, const struct raid_card_info *c);
void journal_virtual_drive(struct journal *j, const struct virtual_drive_info *d);
void journal_raid_drive(struct journal *j, const struct raid_drive_info *d);
/* What moves the drive's numbers and is not its medium, in the words of its driver; boundary 0: none. */
void journal_drive_settings(struct journal *j, const char *disk, const char *settings,
                            uint32_t optimal_boundary_bytes);
void journal_health(struct journal *j, const struct health_info *h);
void journal_temperature(struct journal *j, const struct temperature_info *t);
void journal_finding(struct journal *j, const struct finding *f);
void journal_problem(struct journal *j, const char *source, unsigned line, const char *job, const char *text);
void journal_plan(struct journal *j, unsigned steps, uint64_t estimate_ns);
void journal_not_tested(struct journal *j, const char *disk, const char *job, const char *why);
void journal_step_start(struct journal *j, unsigned step, const char *title, unsigned lanes);
void journal_io_error(struct journal *j, unsigned step, const char *disk, const char *job,
                      const struct io_error_record *e, const char *words);
/* Errors beyond those kept in full. */
void journal_io_errors_more(struct journal *j, unsigned step, const char *disk, const char *job,
                            uint64_t count);
struct series_view {
    uint64_t interval_ns;
    unsigned count;
    const uint64_t *ios, *bytes, *max_ns; /* the first of each; the next is stride_bytes further */
    unsigned stride_bytes;
    const uint64_t *sum_ns; /* of the latencies; NULL: not known */
};
void journal_step_end(struct journal *j, const struct step_result *r, const char *reason);
/* ---- journal_series.c: after the step_end that they belong to ---- */
void journal_series(struct journal *j, unsigned step, const char *disk, const char *job,
                    const struct series_view *s);
/* The same of the reads or writes of a mix (max_ns is not looked at). */
void journal_side_series(struct journal *j, const struct step_result *r, bool writes,
                         const struct series_view *s);
/* Of a job with max_latency or latency_target. */
void journal_latency_goal(struct journal *j, const struct step_result *r, const struct step_goal *g);
/* The files that report/fio_logs.h makes of the series; before it. */
void journal_fio_log(struct journal *j, const struct step_result *r, const struct step_logs *logs);
/* ---- journal_writing.c: what lanes that write leave besides, after their step_end ---- */
void journal_step_side(struct journal *j, const struct step_result *r, const struct step_side *s);
/* kinds: the words for the kinds of blocks that are not as written; the first is of none. */
void journal_writing(struct journal *j, const struct step_result *r, const struct step_writing *w,
                     const char *const kinds[static VERIFY_KIND_COUNT]);
struct verify_error {
    uint64_t lba, expected, seen, seen_lba;
    uint32_t at_byte, seen_pass;
    const char *kind, *words;
};
void journal_verify_error(struct journal *j, const struct step_result *r, const struct verify_error *e);
/* ---- journal_curve.c: what several steps together show, and arrays ---- */
struct scaling_info {
    const char *controller, *job;
    unsigned count; /* of points */
    const uint64_t *disks, *bytes_per_s;
    uint64_t knee_disks, ceiling_bytes_per_s;
    uint64_t link_bytes_per_s; /* 0: not known */
    const char *limit, *words; /* "unknown", "disks", "link", "controller"; a sentence */
};
void journal_scaling(struct journal *j, const struct scaling_info *s);
/* Rounds of one step of the plan, repeated until steady; each is a step of the journal. */
struct rounds_info {
    const char *title;
    unsigned first_step, last_step, count, most;
    bool steady;
    const uint64_t *bytes_per_s; /* of all lanes together, per round */
};
void journal_rounds(struct journal *j, const struct rounds_info *r);
/* What an array of the configuration is made of, after its `disk` line. */
void journal_array(struct journal *j, const char *disk, uint64_t chunk_bytes, const char *const *members,
                   unsigned count);
/* A cache of a drive that a job of the step asks for: before step_start and after the last step_end of its
 * rounds.  Words of sweep/cache.h. */
struct cache_info {
    unsigned step;
    const char *disk, *cache, *event, *asked, *found, *now, *why; /* why: "" or of the error */
};
void journal_cache(struct journal *j, const struct cache_info *c);
/* ---- journal_resume.c: what lets a later start resume this run ---- */
struct plan_choice {
    char plan[20];  /* as baresweep.conf spells it: "default", "preset", "jobs" */
    char what[120]; /* the preset, or the job file */
    uint32_t budget_s, time_scale_pct;
    char resumes[17]; /* the run that this one resumes, "" none */
};
/* disks: names of those that the plan was made for. */
void journal_plan_choice(struct journal *j, const struct plan_choice *c, const char *const *disks,
                         unsigned count);
/* After step_start, of a step that may be taken over.  planned: its number in the plan. */
void journal_step_key(struct journal *j, unsigned step, unsigned planned, unsigned rounds, uint64_t key);
/* A person stopped the plan in, or before, that step of it. */
void journal_plan_stop(struct journal *j, unsigned planned, const char *why);
struct journal_line;
/* A line of an earlier run as a line of this one: numbers of steps are later_by higher (modulo 2^32), results
 * get the flag earlier-start. */
void journal_carry(struct journal *j, const struct journal_line *from, unsigned later_by);
/* Checksum of what a disk holds: `when` is "before" or "after" the run, read in requests of request_bytes. */
void journal_data_crc(struct journal *j, const char *disk, const char *when, uint64_t first_lba,
                      uint64_t bytes, uint32_t request_bytes, uint32_t crc32c);
void journal_checkpoint(struct journal *j, unsigned step);
/* Where a drive's burn-in stands: what report/resume.h reads at the next start. */
void journal_burn_in(struct journal *j, const struct burn_in_state *s);
/* A phase of it that is over. */
void journal_burn_in_phase(struct journal *j, const struct burn_in_phase_sum *p);
void journal_log(struct journal *j, unsigned level, const char *text);
void journal_disk_verdict(struct journal *j, const char *disk, enum verdict v, const char *why);
void journal_run_end(struct journal *j, const struct run_status *s, const struct run_ending *e);

/* ---- events of the write guard: journal_guard.c ---- */
/* What a disk holds, by looking before anything was written. */
struct content_info {
    const char *disk, *identity;
    const char *state;       /* "blank", "found", "unreadable", "unfinished" */
    const char *fingerprint; /* "blank", 64 hexadecimal digits, or "" */
    const char *found;       /* in words */
    const char *mark;        /* arming of our own mark on it, or "" */
    uint64_t size_bytes;
    unsigned data_places; /* of those looked at all over it, so many are not zero */
};
void journal_content(struct journal *j, const struct content_info *c);
/* The arming file: batch "" when nothing of it counts, and why. */
void journal_arming_batch(struct journal *j, const char *source, const char *batch, unsigned disks,
                          const char *approved_by, const char *approved_at, const char *problem);
/* decision: "granted", "refused", "used-up" (on record from here on), "taken-back", "finished". */
void journal_write_permit(struct journal *j, const char *disk, const char *arming_id, const char *decision,
                          const char *why);

/* ---- reading ---- */
struct journal_line {
    uint64_t run_id, seq, t_ns;
    uint64_t version;       /* of the line; above JOURNAL_VERSION: written by a newer program */
    size_t offset;          /* where it begins in the text */
    char ev[20];            /* a longer (unknown) kind is cut */
    struct json_value body; /* the whole object */
};
enum journal_read { JOURNAL_LINE, JOURNAL_CORRUPT, JOURNAL_END };
struct journal_reader {
    const char *text;
    size_t len, at;
    uint64_t lines, corrupt_lines; /* so far */
    uint64_t missing_lines;        /* gaps in seq within a run that no corrupt line explains */
    uint64_t repeated_lines;       /* seen before in the same run: skipped */
    uint64_t newer_lines;          /* of a version above ours */
    uint64_t stale_lines;          /* in a file: remains of an earlier run behind the end, skipped */
    uint64_t run_id, next_seq, corrupt_since_line;
    bool has_run, is_file, stale;
    bool skip_series;        /* may be set after the start: series are passed over unread, the counts of
                              * missing and corrupt lines then mean nothing */
    const char *series_disk; /* with skip_series: those of this disk are read all the same */
};
/* Over a whole text: a file (its preallocated tail of blanks or NULs is no line), a serial capture with
 * other output in between, an upload.  Lines that are no journal lines are skipped without being counted as
 * corrupt; lines that begin like one and fail JSON or checksum are JOURNAL_CORRUPT, one by one.  A text that
 * begins with a valid line is a file: a run in it that lacks its first line is what an earlier, longer use
 * left behind. */
void journal_reader_start(struct journal_reader *r, const char *text, size_t len);
enum journal_read journal_reader_next(struct journal_reader *r, struct journal_line *out);
/* Reads one line again that a reader has found sound: text begins with it.  Its checksum is not looked at. */
bool journal_line_again(const char *text, size_t len, struct journal_line *out);

/* Where the valid journal ends in a preallocated file: the byte after the last line that follows without a
 * gap (a run may follow another with its line 0).  0: there is none. */
size_t journal_end(const char *text, size_t len);

#endif
