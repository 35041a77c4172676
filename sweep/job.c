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
static const char own_log[] = "The series is always in the journal; log_avg_msec sets its interval";
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
    { "bssplit", NULL, OPT_TEXT, FIELD(bssplit), 0, 0, NULL, NULL,
      "Mixed sizes by draw: 4k/60:8k/40 is 60 percent of 4 KiB; up to 16 sizes; an empty percentage shares what is "
      "left. Of several lists with commas the first (reads) counts. Random blocks may come twice then" },
    { "bsrange", "blocksize_range", OPT_TEXT, FIELD(bsrange), 0, 0, NULL, NULL,
      "Sizes drawn evenly between two, such as 4k-64k, in multiples of the smaller" },
    { "blockalign", "ba", OPT_SIZE, FIELD(align_bytes), 512, 1 * GIB, NULL, NULL,
      "Random requests begin at multiples of this; default: of the block. Random blocks may come twice then" },
    { "percentage_random", NULL, OPT_COUNT, FIELD(random_pct), 0, 100, "100", NULL,
      "Of rw=randread: so many percent are random, the others follow the request before them" },
    { "random_distribution", NULL, OPT_TEXT, FIELD(random_distribution), 0, 0, "random", NULL,
      "Where random blocks lie: random (evenly), zipf:1.2, pareto:0.2 (both scattered over the region), or normal:10 "
      "(around its middle, deviation in percent of the region). Other than random, blocks may come twice" },
    { "numjobs", NULL, OPT_COUNT, FIELD(numjobs), 1, 64, "1", NULL,
      "Copies of the job side by side on each disk, each with its own order; their results are one row" },
    { "offset_increment", NULL, OPT_SIZE, FIELD(increment_bytes), 0, 0, NULL, NULL,
      "Copy n begins n times this further on: bytes, or percent of the disk (1% to 99%)" },
    { "loops", NULL, OPT_COUNT, FIELD(loops), 1, 1000000, "1", NULL,
      "The region so many times; not with io_size" },
    { "number_ios", NULL, OPT_COUNT, FIELD(number_ios), 0, 0, "0", NULL,
      "Ends after so many requests; 0: no limit" },
    { "startdelay", NULL, OPT_TIME, FIELD(startdelay_ns), 0, 24 * 3600 * NS_PER_S, NULL, NULL,
      "Begins so much later than the other jobs of its step" },
    { "rate", NULL, OPT_SIZE, FIELD(rate_bytes_per_s), 0, 0, NULL, NULL,
      "At most so many bytes a second (of rate=1m,500k the first); 0: no limit" },
    { "rate_iops", NULL, OPT_COUNT, FIELD(rate_iops), 0, 0, "0", NULL,
      "At most so many requests a second; 0: no limit" },
    { "thinktime", NULL, OPT_TIME, FIELD(thinktime_ns), 0, 3600 * NS_PER_S, NULL, NULL,
      "Pause after each thinktime_blocks requests, when all have been answered. As in fio a bare number is microseconds" },
    { "thinktime_blocks", NULL, OPT_COUNT, FIELD(thinktime_blocks), 1, 0, "1", NULL,
      "Requests between two pauses" },
    { "log_avg_msec", NULL, OPT_COUNT, FIELD(log_avg_ms), 0, 3600 * 1000, "0", NULL,
      "Interval of the series in ms (with or without write_bw_log and its like: the series is always kept); 0: chosen. "
      "It doubles when more than 600 points would be needed" },
    { "ss", "steadystate", OPT_TEXT, FIELD(ss), 0, 0, NULL, NULL,
      "Ends when steady: iops:2%, bw:2% (all seconds of ss_dur within that of their mean), iops_slope:0.3% or "
      "bw_slope:0.3% (rise per second); without % in IOPS or bytes per second. Needs runtime as its limit" },
    { "ss_dur", "steadystate_duration", OPT_TIME, FIELD(ss_dur_ns), 2 * NS_PER_S, 3600 * NS_PER_S, NULL, NULL,
      "How long it has to be steady" },
    { "ss_ramp", "steadystate_ramp_time", OPT_TIME, FIELD(ss_ramp_ns), 0, 24 * 3600 * NS_PER_S, NULL, NULL,
      "Seconds at the begin that do not count for ss" },

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
    NOTE_ROW("write_bw_log", own_log),
    NOTE_ROW("write_iops_log", own_log),
    NOTE_ROW("write_lat_log", own_log),
    NOTE_ROW("write_hist_log", own_log),
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
    { "rwmixread", "100", "mixes of reads and writes need arming, which this version has not" },
    { "rwmixwrite", "0", "mixes of reads and writes need arming, which this version has not" },
    { "verify", NULL, "verifying needs data that this program wrote: not in this version" },
    { "do_verify", "0", "verifying needs data that this program wrote: not in this version" },
    { "verify_pattern", NULL, "verifying needs data that this program wrote: not in this version" },
    { "verify_only", "0", "verifying needs data that this program wrote: not in this version" },
    { "bs_unaligned", "0", "requests are always aligned to the block size" },
    { "rw_sequencer", NULL, "runs inside a random order are not implemented" },
    { "rate_min", "0", "failing below a rate is not implemented; compare the result" },
    { "rate_iops_min", "0", "failing below a rate is not implemented; compare the result" },
    { "rate_process", "linear", "only evenly spread requests are implemented" },
    { "thinktime_spin", "0", "the processor is always busy here: there is no other way to wait" },
    { "wait_for", NULL, "waiting for one named job is not implemented; use stonewall" },
    { "exitall", "0", "ending all jobs with the first is not implemented; give each a runtime" },
    { "exitall_on_error", "0", "ending all jobs with the first is not implemented; give each a runtime" },
    { "iodepth_batch", "1", "submission is always batched as the disk allows" },
    { "iodepth_batch_submit", "1", "submission is always batched as the disk allows" },
    { "iodepth_batch_complete", "1", "completion is always batched as the disk allows" },
    { "iodepth_batch_complete_min", "1", "completion is always batched as the disk allows" },
    { "iodepth_batch_complete_max", NULL, "completion is always batched as the disk allows" },
    { "iodepth_low", NULL, "the queue is always refilled at once" },
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
            if (r->job != &r->out->global)
                r->out->writes[r->job - r->out->jobs] = true;
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
    { offsetof(struct job, increment_bytes), offsetof(struct job, increment_pct), 1, 99 },
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

/* fio's bs=r,w,t and the like: the first is for reads; true when it was cut out. */
static bool take_first(struct reading *r, const struct opt *row, const char *value, char first[static 160])
{
    const char *comma = value ? str_find(value, ",") : NULL;
    char text[200];

    if (!comma)
        return false;
    str_copy_n(first, 160, value, (size_t)(comma - value));
    str_fmt(text, sizeof(text), "%s=%.60s: only the %s for reads, %.60s, is used", row->name, value,
            row->offset == offsetof(struct job, block_bytes) ? "size" : "part", first);
    note(r, text);
    return true;
}

static void set_block(struct reading *r, const struct opt *row, const char *value)
{
    char first[160];

    set_plain(r, row, take_first(r, row, value, first) ? first : value);
    if (row->offset == offsetof(struct job, block_bytes)) /* the later of the ways to give sizes counts */
        r->job->split_count = (uint8_t)(r->job->block_min_bytes = 0);
}

/* Times whose bare number is microseconds in fio's language. */
static void set_micro(struct reading *r, const struct opt *row, const char *value)
{
    char us[40];
    size_t len = value ? str_len(value) : 0;
    bool bare = len && value[len - 1] >= '0' && value[len - 1] <= '9';

    str_fmt(us, sizeof(us), "%.32s%s", value ? value : "", bare ? "us" : "");
    set_plain(r, row, value ? us : NULL);
}

/* Options whose text has a grammar. */
static const struct {
    size_t at;
    bool (*parse)(struct job *j, struct text *why);
} grammars[] = {
    { offsetof(struct job, bssplit), job_parse_bssplit },
    { offsetof(struct job, bsrange), job_parse_bsrange },
    { offsetof(struct job, random_distribution), job_parse_distribution },
    { offsetof(struct job, ss), job_parse_ss },
};

static bool set_grammar(struct reading *r, const struct opt *row, const char *value)
{
    char first[160], why[240];
    struct text t = text_over(why, sizeof(why));

    for (unsigned i = 0; i < ARRAY_COUNT(grammars); i++)
        if (row->offset == grammars[i].at) {
            unsigned before = r->out->problem_count;
            set_plain(r, row, take_first(r, row, value, first) ? first : value);
            if (r->out->problem_count == before && !grammars[i].parse(r->job, &t))
                refuse(r, why);
            return true;
        }
    return false;
}

/* Not inlined: what each way to fail needs for its words would add up in one frame. */
static __attribute__((noinline)) void set_option(struct reading *r, const char *key, const char *value)
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
    } else if (row->kind == OPT_TEXT && set_grammar(r, row, value)) {
        return;
    } else if (row->offset == offsetof(struct job, block_bytes) ||
               row->offset == offsetof(struct job, align_bytes) ||
               row->offset == offsetof(struct job, rate_bytes_per_s) ||
               row->offset == offsetof(struct job, rate_iops)) {
        set_block(r, row, value);
    } else if (row->offset == offsetof(struct job, thinktime_ns)) {
        set_micro(r, row, value);
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
    if (r->job->ss_kind && (!r->job->runtime_ns || !r->job->ss_dur_ns))
        refuse(r, "ss needs ss_dur, and runtime as its limit: add ss_dur=30s and runtime=600s");
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
