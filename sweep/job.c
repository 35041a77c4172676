#include "job.h"
#include "bits.h"
#include "ini.h"
#include "str.h"

/* fio's job language, read-only.  What an option is called, what it accepts and what its default is follow
 * fio 3.33 (peers.md 5); what is refused is refused with the words of the tables below. */

#define FIELD(name) offsetof(struct job, name), sizeof(((struct job *)0)->name)
#define NOTE_ROW(name, why)                                                                                  \
    {                                                                                                        \
        name, NULL, OPT_NOTE, 0, 0, 0, 0, NULL, NULL, why                                                    \
    }

static const char only_device[] =
    "The disk is driven directly: there is no engine, cache or file system to choose";
static const char only_reads[] = "Concerns writing only";
static const char only_fio[] = "Concerns fio's own files, processes or reports";
static const char own_report[] = "Latency is always measured and the percentiles are fixed";

const struct opt job_options[] = {
    { "name", NULL, OPT_TEXT, FIELD(name), 0, 0, NULL, NULL, "Replaces the section's name in the results" },
    { "description", NULL, OPT_TEXT, FIELD(description), 0, 0, NULL, NULL, "Free text" },
    { "filename", NULL, OPT_TEXT, FIELD(filename), 0, 0, NULL, NULL,
      "Disks by the names of this program (nvme0n1, sata0.3, megaraid0.vd0, serial.XXXX), a colon between them; "
      "empty or all: every disk. Each disk gets the whole job with the whole depth" },
    { "rw", "readwrite", OPT_WORD, FIELD(rw), 0, 0, "read", "read randread",
      "Access pattern. Writing and trimming modes need arming, which this version has not" },
    { "bs", "blocksize", OPT_SIZE, FIELD(block_bytes), 512, 32 * MIB, "4k", NULL,
      "Bytes of one request, a multiple of the disk's LBA size. Of bs=4k,8k,8k the first (reads) counts. As in "
      "fio, 4k is 4096 and 4KiB is 4000" },
    { "iodepth", NULL, OPT_COUNT, FIELD(iodepth), 1, 1024, "1", NULL,
      "Requests in flight. Less when the disk takes less, or above 32 MiB in flight per lane; flagged then" },
    { "offset", NULL, OPT_SIZE, FIELD(offset_bytes), 0, 0, NULL, NULL,
      "First byte of the region, or percent of the disk (0% to 99%)" },
    { "size", NULL, OPT_SIZE, FIELD(size_bytes), 0, 0, NULL, NULL,
      "Length of the region in bytes, or percent of the disk (1% to 100%), cut at its end; 0: to the end of the disk" },
    { "io_size", "io_limit", OPT_SIZE, FIELD(io_bytes), 0, 0, NULL, NULL,
      "Ends after so many bytes, or percent of the region (1% to 100%); more than the region: begins again. "
      "0: the region once" },
    { "runtime", "timeout", OPT_TIME, FIELD(runtime_ns), 0, 30 * 24 * 3600 * NS_PER_S, NULL, NULL,
      "Ends after this time, even if not all is read" },
    { "time_based", NULL, OPT_FLAG, FIELD(time_based), 0, 0, NULL, NULL,
      "Begins again at the region's end until runtime is over; needs runtime" },
    { "ramp_time", NULL, OPT_TIME, FIELD(ramp_ns), 0, 24 * 3600 * NS_PER_S, NULL, NULL,
      "Runs for this time before measuring begins" },
    { "stonewall", "wait_for_previous", OPT_FLAG, FIELD(stonewall), 0, 0, NULL, NULL,
      "Waits until the jobs before it have ended; without it jobs run side by side" },
    { "randseed", NULL, OPT_COUNT, FIELD(randseed), 0, 0, "1", NULL,
      "Seed of random orders: the same job and seed read the same LBAs (not those of fio)" },
    { "norandommap", NULL, OPT_FLAG, FIELD(norandommap), 0, 0, NULL, NULL,
      "Random blocks are drawn independently; without it each block comes once before any comes again" },

    NOTE_ROW("ioengine", only_device),
    NOTE_ROW("direct", only_device),
    NOTE_ROW("buffered", only_device),
    NOTE_ROW("invalidate", only_device),
    NOTE_ROW("sync", only_reads),
    NOTE_ROW("hipri", only_device),
    NOTE_ROW("fixedbufs", only_device),
    NOTE_ROW("registerfiles", only_device),
    NOTE_ROW("sqthread_poll", only_device),
    NOTE_ROW("userspace_reap", only_device),
    NOTE_ROW("iomem", only_device),
    NOTE_ROW("mem", only_device),
    NOTE_ROW("iomem_align", only_device),
    NOTE_ROW("fadvise_hint", only_device),
    NOTE_ROW("ioscheduler", only_device),
    NOTE_ROW("prio", only_device),
    NOTE_ROW("prioclass", only_device),
    NOTE_ROW("nrfiles", only_device),
    NOTE_ROW("openfiles", only_device),
    NOTE_ROW("file_service_type", only_device),
    NOTE_ROW("filesize", only_device),
    NOTE_ROW("create_serialize", only_device),
    NOTE_ROW("create_on_open", only_device),
    NOTE_ROW("allow_file_create", only_device),
    NOTE_ROW("fallocate", only_device),
    NOTE_ROW("unlink", only_device),
    NOTE_ROW("pre_read", only_device),
    NOTE_ROW("thread", only_fio),
    NOTE_ROW("group_reporting", only_fio),
    NOTE_ROW("new_group", only_fio),
    NOTE_ROW("nice", only_fio),
    NOTE_ROW("cpus_allowed", only_fio),
    NOTE_ROW("cpus_allowed_policy", only_fio),
    NOTE_ROW("cpumask", only_fio),
    NOTE_ROW("numa_cpu_nodes", only_fio),
    NOTE_ROW("numa_mem_policy", only_fio),
    NOTE_ROW("lockmem", only_fio),
    NOTE_ROW("unit_base", only_fio),
    NOTE_ROW("write_bw_log", only_fio),
    NOTE_ROW("write_iops_log", only_fio),
    NOTE_ROW("write_lat_log", only_fio),
    NOTE_ROW("write_hist_log", only_fio),
    NOTE_ROW("log_avg_msec", only_fio),
    NOTE_ROW("log_hist_msec", only_fio),
    NOTE_ROW("log_offset", only_fio),
    NOTE_ROW("log_max_value", only_fio),
    NOTE_ROW("per_job_logs", only_fio),
    NOTE_ROW("bwavgtime", only_fio),
    NOTE_ROW("iopsavgtime", only_fio),
    NOTE_ROW("clocksource", only_fio),
    NOTE_ROW("gtod_reduce", own_report),
    NOTE_ROW("gtod_cpu", own_report),
    NOTE_ROW("disable_lat", own_report),
    NOTE_ROW("disable_clat", own_report),
    NOTE_ROW("disable_slat", own_report),
    NOTE_ROW("disable_bw_measurement", own_report),
    NOTE_ROW("percentile_list", own_report),
    NOTE_ROW("clat_percentiles", own_report),
    NOTE_ROW("lat_percentiles", own_report),
    NOTE_ROW("slat_percentiles", own_report),
    NOTE_ROW("significant_figures", own_report),
    NOTE_ROW("unified_rw_reporting", own_report),
    NOTE_ROW("continue_on_error", "A failed request never ends a job; it is counted and named"),
    NOTE_ROW("randrepeat", "Orders always repeat; change randseed for another one"),
    NOTE_ROW("allrandrepeat", "Orders always repeat; change randseed for another one"),
    NOTE_ROW("random_generator", "The order of random blocks is this program's own"),
    NOTE_ROW("softrandommap", "The random map needs no memory that could be missing"),
    NOTE_ROW("allow_mounted_write", only_reads),
    NOTE_ROW("readonly", only_reads),
    NOTE_ROW("overwrite", only_reads),
    NOTE_ROW("end_fsync", only_reads),
    NOTE_ROW("fsync", only_reads),
    NOTE_ROW("fdatasync", only_reads),
    NOTE_ROW("fsync_on_close", only_reads),
    NOTE_ROW("refill_buffers", only_reads),
    NOTE_ROW("scramble_buffers", only_reads),
    NOTE_ROW("zero_buffers", only_reads),
    NOTE_ROW("buffer_pattern", only_reads),
    NOTE_ROW("buffer_compress_percentage", only_reads),
    NOTE_ROW("buffer_compress_chunk", only_reads),
    NOTE_ROW("dedupe_percentage", only_reads),
    NOTE_ROW("verify_state_save", only_reads),
};
const unsigned job_option_count = ARRAY_COUNT(job_options);

const struct job_refusal job_refusals[] = {
    { "numjobs", "1", "copies of a job are not implemented; write numjobs=1 and a larger iodepth" },
    { "loops", "1", "repeating is not implemented; use time_based with runtime, or io_size" },
    { "rwmixread", "100", "mixes of reads and writes need arming, which this version has not" },
    { "rwmixwrite", "0", "mixes of reads and writes need arming, which this version has not" },
    { "verify", NULL, "verifying needs data that this program wrote: not in this version" },
    { "do_verify", "0", "verifying needs data that this program wrote: not in this version" },
    { "verify_pattern", NULL, "verifying needs data that this program wrote: not in this version" },
    { "verify_only", "0", "verifying needs data that this program wrote: not in this version" },
    { "bssplit", NULL, "mixed block sizes are not implemented; write one job per size" },
    { "bsrange", NULL, "mixed block sizes are not implemented; write one job per size" },
    { "blocksize_range", NULL, "mixed block sizes are not implemented; write one job per size" },
    { "bs_unaligned", "0", "requests are always aligned to the block size" },
    { "blockalign", NULL, "requests are always aligned to the block size" },
    { "ba", NULL, "requests are always aligned to the block size" },
    { "percentage_random", NULL, "mixed orders are not implemented; write rw=read or rw=randread" },
    { "random_distribution", "random", "only the uniform distribution is implemented" },
    { "rw_sequencer", NULL, "runs inside a random order are not implemented" },
    { "rate", "0", "limited rates are not implemented: the job would run at full speed" },
    { "rate_iops", "0", "limited rates are not implemented: the job would run at full speed" },
    { "rate_min", "0", "limited rates are not implemented: the job would run at full speed" },
    { "rate_iops_min", "0", "limited rates are not implemented: the job would run at full speed" },
    { "rate_process", NULL, "limited rates are not implemented: the job would run at full speed" },
    { "thinktime", "0", "pauses between requests are not implemented" },
    { "thinktime_blocks", NULL, "pauses between requests are not implemented" },
    { "thinktime_spin", "0", "pauses between requests are not implemented" },
    { "startdelay", "0", "delayed starts are not implemented; use ramp_time or the order of jobs" },
    { "wait_for", NULL, "waiting for one named job is not implemented; use stonewall" },
    { "exitall", "0", "ending all jobs with the first is not implemented; give each a runtime" },
    { "exitall_on_error", "0", "ending all jobs with the first is not implemented; give each a runtime" },
    { "iodepth_batch", "1", "submission is always batched as the disk allows" },
    { "iodepth_batch_submit", "1", "submission is always batched as the disk allows" },
    { "iodepth_batch_complete", "1", "completion is always batched as the disk allows" },
    { "iodepth_batch_complete_min", "1", "completion is always batched as the disk allows" },
    { "iodepth_batch_complete_max", NULL, "completion is always batched as the disk allows" },
    { "iodepth_low", NULL, "the queue is always refilled at once" },
    { "number_ios", NULL, "ending after a number of requests is not implemented; use io_size" },
    { "offset_increment", "0", "it needs numjobs, which is not implemented; write one job per offset" },
    { "zonemode", "none", "zones are not implemented; write one job per region with offset and size" },
    { "zonesize", "0", "zones are not implemented; write one job per region with offset and size" },
    { "zonerange", "0", "zones are not implemented; write one job per region with offset and size" },
    { "zoneskip", "0", "zones are not implemented; write one job per region with offset and size" },
    { "latency_target", "0",
      "searching for a depth by latency is not implemented; write one job per iodepth" },
    { "latency_window", "0",
      "searching for a depth by latency is not implemented; write one job per iodepth" },
    { "latency_percentile", NULL,
      "searching for a depth by latency is not implemented; write one job per iodepth" },
    { "steadystate", NULL, "ending at a steady state is not implemented; use runtime" },
    { "ss", NULL, "ending at a steady state is not implemented; use runtime" },
    { "ss_dur", NULL, "ending at a steady state is not implemented; use runtime" },
    { "ss_ramp", NULL, "ending at a steady state is not implemented; use runtime" },
    { "read_iolog", NULL, "replaying a log is not implemented" },
    { "replay_redirect", NULL, "replaying a log is not implemented" },
    { "directory", NULL, "there are no files here; name disks with filename" },
    { "filename_format", NULL, "there are no files here; name disks with filename" },
    { "kb_base", "1024", "only kb_base=1024, fio's default, is implemented" },
    { "exec_prerun", NULL, "there are no programs to run before an operating system" },
    { "exec_postrun", NULL, "there are no programs to run before an operating system" },
    { "trim_percentage", "0", "trimming needs arming, which this version has not" },
    { "fill_device", "0", "writing needs arming, which this version has not" },
    { "include", NULL, "other files cannot be included; put all jobs into one file" },
};
const unsigned job_refusal_count = ARRAY_COUNT(job_refusals);

const char *job_rw_text(enum job_rw rw)
{
    static const char *const words[JOB_RW_COUNT] = { "read", "randread" };

    return rw < JOB_RW_COUNT ? words[rw] : "unknown";
}

/* ---- reading ---- */
struct reading {
    struct job_file *out;
    struct job *job; /* whose lines are being read: out->global or one of out->jobs */
    bool *refused;
    unsigned line;
};

static void add(struct job_problem *list, unsigned *count, const struct reading *r, const char *text)
{
    unsigned i = (*count)++;

    if (i >= JOB_FILE_MAX_PROBLEMS)
        return;
    list[i].line = r->line;
    str_copy(list[i].job, sizeof(list[i].job), r->job ? r->job->name : "");
    str_copy(list[i].text, sizeof(list[i].text), text);
}

/* The job (or, by [global], every later one) will not run. */
static void refuse(struct reading *r, const char *text)
{
    *r->refused = true;
    add(r->out->problems, &r->out->problem_count, r, text);
}

static void note(struct reading *r, const char *text) { add(r->out->notes, &r->out->note_count, r, text); }

static void refuse_unknown(struct reading *r, const char *key)
{
    char why[240];
    struct text t = text_over(why, sizeof(why));
    const char *nearest = opt_nearest(job_options, job_option_count, key);

    text_fmt(&t, "%.40s is no option of a job", key);
    if (nearest)
        text_fmt(&t, "; did you mean %s?", nearest);
    else
        text_str(&t, " (docs/jobs.md lists them).");
    text_str(&t, " Correct the line or remove it");
    refuse(r, why);
}

static const struct job_refusal *find_refusal(const char *key)
{
    for (unsigned i = 0; i < job_refusal_count; i++)
        if (str_equal(job_refusals[i].name, key))
            return &job_refusals[i];
    return NULL;
}

/* rw: writing is refused in its own words, and fio's ":N" suffix has a meaning that we do not offer. */
static bool rw_is_refused(struct reading *r, const char *value)
{
    static const char *const changing[] = { "write", "randwrite", "rw",        "readwrite",    "randrw",
                                            "trim",  "randtrim",  "trimwrite", "randtrimwrite" };
    const char *colon = str_find(value, ":");
    char mode[16], why[160];

    str_copy_n(mode, sizeof(mode), value, colon ? (size_t)(colon - value) : str_len(value));
    for (unsigned i = 0; i < ARRAY_COUNT(changing); i++)
        if (str_equal(mode, changing[i])) {
            str_fmt(why, sizeof(why),
                    "rw=%s changes the disk: writes need arming: not in this version. "
                    "Write read or randread",
                    mode);
            refuse(r, why);
            return true;
        }
    if (!colon)
        return false;
    str_fmt(why, sizeof(why), "rw=%.30s: the number behind the colon is not implemented; write rw=%s", value,
            mode);
    refuse(r, why);
    return true;
}

/* Sizes may be percent; the companion field holds them until the disk is known. */
static const struct {
    size_t bytes_at, pct_at;
    uint64_t min, max;
} percents[] = {
    { offsetof(struct job, offset_bytes), offsetof(struct job, offset_pct), 0, 99 },
    { offsetof(struct job, size_bytes), offsetof(struct job, size_pct), 1, 100 },
    { offsetof(struct job, io_bytes), offsetof(struct job, io_pct), 1, 100 },
};

static void set_plain(struct reading *r, const struct opt *row, const char *value)
{
    char why[240];
    struct text t = text_over(why, sizeof(why));

    if (opt_set(row, r->job, value, &t))
        refuse(r, why);
}

static void set_size(struct reading *r, const struct opt *row, const char *value)
{
    size_t len = value ? str_len(value) : 0;
    uint64_t percent;
    char why[160];

    for (unsigned i = 0; i < ARRAY_COUNT(percents); i++) {
        uint8_t *pct = (uint8_t *)r->job + percents[i].pct_at;
        if (row->offset != percents[i].bytes_at)
            continue;
        if (!len || value[len - 1] != '%') {
            *pct = 0;
            break;
        }
        if (!str_to_u64(value, len - 1, &percent) || percent < percents[i].min || percent > percents[i].max) {
            str_fmt(why, sizeof(why), "%s=%.40s: allowed are whole percents from %u%% to %u%%", row->name,
                    value, (unsigned)percents[i].min, (unsigned)percents[i].max);
            refuse(r, why);
            return;
        }
        *pct = (uint8_t)percent;
        memset((char *)r->job + row->offset, 0, row->size);
        return;
    }
    set_plain(r, row, value);
}

/* fio's bs=r,w,t: the first is for reads. */
static void set_block(struct reading *r, const struct opt *row, const char *value)
{
    const char *comma = value ? str_find(value, ",") : NULL;
    char first[32], text[120];

    if (!comma) {
        set_plain(r, row, value);
        return;
    }
    str_copy_n(first, sizeof(first), value, (size_t)(comma - value));
    str_fmt(text, sizeof(text), "bs=%.40s: only the size for reads, %s, is used", value, first);
    note(r, text);
    set_plain(r, row, first);
}

static void set_option(struct reading *r, const char *key, const char *value)
{
    const struct opt *row = opt_find(job_options, job_option_count, key);
    const struct job_refusal *no = row ? NULL : find_refusal(key);
    char text[240];

    if (value && str_find(value, "${")) {
        str_fmt(text, sizeof(text), "%s=%.60s: variables are not known here; write the value itself", key,
                value);
        refuse(r, text);
    } else if (no && value && no->harmless && str_equal(value, no->harmless)) {
        return;
    } else if (no) {
        str_fmt(text, sizeof(text), "%s%s%.40s: %s", key, value ? "=" : "", value ? value : "", no->why);
        refuse(r, text);
    } else if (!row) {
        refuse_unknown(r, key);
    } else if (row->kind == OPT_NOTE) {
        str_fmt(text, sizeof(text), "%s: accepted, without meaning here. %s", key, row->help);
        note(r, text);
    } else if (row->offset == offsetof(struct job, rw) && value && rw_is_refused(r, value)) {
        return;
    } else if (row->offset == offsetof(struct job, block_bytes)) {
        set_block(r, row, value);
    } else if (row->kind == OPT_SIZE) {
        set_size(r, row, value);
    } else {
        set_plain(r, row, value);
    }
}

/* What only the whole section can tell. */
static void end_section(struct reading *r)
{
    if (!r->job || r->job == &r->out->global)
        return;
    unsigned line = r->line;

    r->line = r->job->line;
    if (r->job->time_based && !r->job->runtime_ns)
        refuse(r, "time_based never ends without runtime; add one, such as runtime=60s");
    r->line = line;
}

static void begin_section(struct reading *r, const char *name)
{
    struct job_file *f = r->out;

    end_section(r);
    if (str_equal(name, "global")) { /* a later one adds to the earlier ones, as in fio */
        r->job = &f->global;
        r->refused = &f->global_refused;
        return;
    }
    if (f->job_count == JOB_FILE_MAX_JOBS) {
        r->job = NULL;
        return;
    }
    r->job = &f->jobs[f->job_count];
    r->refused = &f->refused[f->job_count++];
    *r->job = f->global;
    *r->refused = f->global_refused;
    r->job->line = r->line;
    str_copy(r->job->name, sizeof(r->job->name), name);
}

static void read_line(struct reading *r, const struct ini_line *line, bool section_lost)
{
    struct job_file *f = r->out;
    char name[24];

    r->line = line->line;
    if (line->kind == INI_SECTION || section_lost) {
        bool full = f->job_count == JOB_FILE_MAX_JOBS &&
                    !(line->kind == INI_SECTION && str_equal(line->section, "global"));
        str_fmt(name, sizeof(name), "line %u", line->line);
        if (section_lost && !f->job_count) /* may have been [global], on which all jobs stand */
            f->global_refused = true;
        begin_section(r, line->kind == INI_SECTION ? line->section : name);
        if (full)
            add(f->problems, &f->problem_count, r,
                "too many jobs in one file: this one and those after it are not run");
        else if (section_lost)
            refuse(r, line->problem);
        return;
    }
    if (!r->job) /* of a job beyond the limit, which was told */
        return;
    if (line->kind == INI_BAD) {
        refuse(r, line->problem);
        return;
    }
    if (!line->section[0]) {
        refuse(r, "an option before any [section]: put [global] above it, or the name of a job");
        return;
    }
    set_option(r, line->key, line->has_value ? line->value : NULL);
}

bool job_file_read(const char *text, size_t len, struct job_file *out)
{
    struct reading r = { .out = out };
    struct ini_reader ini;
    struct ini_line line;

    memset(out, 0, sizeof(*out));
    opt_defaults(job_options, job_option_count, &out->global);
    str_copy(out->global.name, sizeof(out->global.name), "global");
    r.job = &out->global;
    r.refused = &out->global_refused;
    ini_start(&ini, text, len);
    for (ini_next(&ini, &line); line.kind != INI_END; ini_next(&ini, &line))
        read_line(&r, &line, line.kind == INI_BAD && ini.section_lost);
    r.line = line.line;
    end_section(&r);
    if (!out->job_count) {
        r.job = NULL;
        add(out->problems, &out->problem_count, &r, "no job: add a [section] with the options of one");
    }
    return !out->problem_count;
}
