#include "job.h"
#include "bits.h"
#include "ini.h"
#include "str.h"

/* Reads fio's job language; its words are the tables of job_options.c. */

const char *job_rw_text(enum job_rw rw)
{
    static const char *const words[JOB_RW_COUNT] = {
        "read", "randread", "write", "randwrite", "rw", "randrw"
    };

    return rw < JOB_RW_COUNT ? words[rw] : "unknown";
}

/* ---- reading ---- */
struct reading {
    struct job_file *out;
    struct job *job; /* whose lines are being read: out->global or one of out->jobs */
    bool *refused;
    unsigned line;
    bool logs_told; /* the notes about write_*_log, once in a file */
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

/* fio's include FILE, which has no '='. */
static bool refuse_first_word(struct reading *r, const char *key)
{
    const char *blank = str_find(key, " ");
    const struct job_refusal *no;
    char word[64], why[240];

    if (!blank || !str_copy_n(word, sizeof(word), key, (size_t)(blank - key)) || !(no = find_refusal(word)))
        return false;
    str_fmt(why, sizeof(why), "%.60s: %s", key, no->why);
    refuse(r, why);
    return true;
}

static void set_plain(struct reading *r, const struct opt *row, const char *value)
{
    char why[240];
    struct text t = text_over(why, sizeof(why));

    if (opt_set(row, r->job, value, &t))
        refuse(r, why);
}

/* fio's ":N": runs of N requests in a random order, or N bytes passed over in a sequential one. */
static bool set_rw_suffix(struct job *j, const char *suffix)
{
    uint64_t n;

    j->run_ios = 0;
    j->gap_bytes = 0;
    if (!suffix)
        return true;
    if (!job_rw_is_random(j->rw))
        return opt_parse_size(suffix, &j->gap_bytes) == OK && j->gap_bytes <= 1 * GIB;
    if (!str_to_u64(suffix, str_len(suffix), &n) || !n || n > 1000000)
        return false;
    j->run_ios = (uint32_t)n;
    return true;
}

static __attribute__((noinline)) void set_rw(struct reading *r, const struct opt *row, const char *value)
{
    enum { READWRITE = JOB_RW_COUNT }; /* the last word of the table */
    const char *colon = value ? str_find(value, ":") : NULL;
    char mode[24], why[160];

    if (!value) {
        set_plain(r, row, NULL);
        return;
    }
    bool fits = str_copy_n(mode, sizeof(mode), value, colon ? (size_t)(colon - value) : str_len(value));
    if (fits &&
        (str_starts(mode, "trim") || str_equal(mode, "randtrim") || str_equal(mode, "randtrimwrite"))) {
        str_fmt(why, sizeof(why), "rw=%s: trimming is never done: no driver sends the command", mode);
        refuse(r, why);
        return;
    }
    unsigned before = r->out->problem_count;
    set_plain(r, row, fits ? mode : value);
    if (r->out->problem_count != before)
        return;
    if (r->job->rw == READWRITE)
        r->job->rw = JOB_RW;
    if (!set_rw_suffix(r->job, colon ? colon + 1 : NULL)) {
        str_fmt(
            why, sizeof(why),
            "rw=%.40s: behind the colon stands a number of requests from 1 to 1000000 (random), or of bytes up to "
            "1g (sequential)",
            value);
        refuse(r, why);
    }
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

/* fio's bs=,w: reads are left as they are. */
static bool refuse_no_first(struct reading *r, const struct opt *row, const char *value)
{
    char text[200];

    if (!value || value[0] != ',')
        return false;
    str_fmt(text, sizeof(text),
            "%s=%.60s: nothing stands before the comma, where the part for reads is; give one for both",
            row->name, value);
    refuse(r, text);
    return true;
}

/* fio's bs=r,w,t and the like: the first is for reads; true when it was cut out. */
static bool take_first(struct reading *r, const struct opt *row, const char *value, char first[static 160])
{
    const char *comma = value ? str_find(value, ",") : NULL;
    bool differ = false;
    char text[200];

    if (!comma)
        return false;
    str_copy_n(first, 160, value, (size_t)(comma - value));
    size_t n = (size_t)(comma - value);
    for (const char *part = comma; *part == ','; part += n + 1)
        if (part[1] && !(str_len(part + 1) >= n && !memcmp(part + 1, first, n) &&
                         (!part[n + 1] || part[n + 1] == ','))) {
            differ = true;
            break;
        }
    if (!differ)
        return true;
    r->job->unmet |= 1u << JOB_UNMET_LISTS;
    str_fmt(text, sizeof(text), "%s=%.60s: only the %s for reads, %.60s, is used", row->name, value,
            row->offset == offsetof(struct job, block_bytes) ? "size" : "part", first);
    note(r, text);
    return true;
}

static void set_block(struct reading *r, const struct opt *row, const char *value)
{
    char first[160];

    if (refuse_no_first(r, row, value))
        return;
    set_plain(r, row, take_first(r, row, value, first) ? first : value);
    if (row->offset == offsetof(struct job, block_bytes)) /* the later of the ways to give sizes counts */
        r->job->split_count = (uint8_t)(r->job->block_min_bytes = 0);
}

/* Times whose bare number is microseconds in fio's language. */
static void set_micro(struct reading *r, const struct opt *row, const char *value)
{
    char us[40], first[160];
    uint64_t n;

    if (take_first(r, row, value, first)) /* max_latency=reads,writes */
        value = first;
    bool bare = value && str_to_u64(value, str_len(value), &n);

    str_fmt(us, sizeof(us), "%.32s%s", value ? value : "", bare ? "us" : "");
    set_plain(r, row, value ? us : NULL);
}

/* The later of the two ways to give a mix counts. */
static void set_mix(struct job *j, const struct opt *row)
{
    if (row->offset == offsetof(struct job, mix_read_pct))
        j->mix_write_pct = (uint8_t)(100 - j->mix_read_pct);
    else if (row->offset == offsetof(struct job, mix_write_pct))
        j->mix_read_pct = (uint8_t)(100 - j->mix_write_pct);
}

/* A bare option names its file after the job; folders are not followed. */
static void set_log(struct reading *r, const struct opt *row, const char *value)
{
    const char *prefix = value ? value : "";
    char text[160];

    for (const char *c = prefix; *c; c++)
        if (*c == '/' || *c == '\\')
            prefix = c + 1;
    unsigned before = r->out->problem_count;

    set_plain(r, row, prefix);
    if (r->out->problem_count != before)
        return;
    r->job->logs |= (uint8_t)(1u << (row->offset - offsetof(struct job, log_prefix)) / STEP_LOG_PREFIX_BYTES);
    if (prefix != value && value) {
        str_fmt(text, sizeof(text), "%s=%.60s: the folder is not followed; logs/ of the run holds the file",
                row->name, value);
        note(r, text);
    }
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
    { offsetof(struct job, percentile_text), job_parse_percentiles },
    { offsetof(struct job, latency_percentile), job_parse_latency_percentile },
    { offsetof(struct job, verify_text), job_parse_verify },
    { offsetof(struct job, verify_pattern), job_parse_verify_pattern },
    { offsetof(struct job, buffer_pattern), job_parse_buffer_pattern },
    { offsetof(struct job, verify_run_text), job_parse_verify_run },
};

static bool set_grammar(struct reading *r, const struct opt *row, const char *value)
{
    char first[160], why[240];
    struct text t = text_over(why, sizeof(why));

    for (unsigned i = 0; i < ARRAY_COUNT(grammars); i++)
        if (row->offset == grammars[i].at) {
            unsigned before = r->out->problem_count;
            if (refuse_no_first(r, row, value))
                return true;
            set_plain(r, row, take_first(r, row, value, first) ? first : value);
            if (r->out->problem_count == before && !grammars[i].parse(r->job, &t))
                refuse(r, why);
            return true;
        }
    return false;
}

static bool is_word_of(const char *words, const char *value)
{
    size_t n = str_len(value);

    for (const char *at = words; at && *at; at += *at == ' ')
        for (const char *begin = at; begin == at || (*at && *at != ' '); at++)
            if (begin == at && str_starts(at, value) && (!at[n] || at[n] == ' '))
                return n != 0;
    return false;
}

/* Options that only a job which writes would miss. */
static bool set_write_refusal(struct reading *r, const char *key, const char *value)
{
    char text[240];

    for (unsigned i = 0; i < job_write_refusal_count; i++) {
        const struct job_refusal *no = &job_write_refusals[i];
        if (!str_equal(no->name, key))
            continue;
        r->job->unmet &= ~(1u << i);
        if (value && is_word_of(no->harmless, value))
            return true;
        r->job->unmet |= 1u << i;
        str_fmt(text, sizeof(text),
                "%s: accepted, without meaning for reads. In a job that writes it is refused", key);
        note(r, text);
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
        if (!set_write_refusal(r, key, value) && !refuse_first_word(r, key))
            refuse_unknown(r, key);
    } else if (row->kind == OPT_NOTE) {
        str_fmt(text, sizeof(text), "%s: accepted, without meaning here. %s", key, row->help);
        note(r, text);
    } else if (row->offset == offsetof(struct job, rw)) {
        set_rw(r, row, value);
    } else if (row->kind == OPT_TEXT && set_grammar(r, row, value)) {
        return;
    } else if (row->size == STEP_LOG_PREFIX_BYTES && row->offset >= offsetof(struct job, log_prefix) &&
               row->offset < offsetof(struct job, log_prefix) + sizeof(r->job->log_prefix)) {
        set_log(r, row, value);
    } else if (row->offset == offsetof(struct job, block_bytes) ||
               row->offset == offsetof(struct job, align_bytes) ||
               row->offset == offsetof(struct job, rate_bytes_per_s) ||
               row->offset == offsetof(struct job, rate_iops) ||
               row->offset == offsetof(struct job, random_pct)) {
        set_block(r, row, value);
    } else if (row->offset == offsetof(struct job, thinktime_ns) ||
               row->offset == offsetof(struct job, max_latency_ns) ||
               row->offset == offsetof(struct job, latency_target_ns) ||
               row->offset == offsetof(struct job, latency_window_ns)) {
        set_micro(r, row, value);
    } else if (row->kind == OPT_SIZE) {
        set_size(r, row, value);
    } else {
        set_plain(r, row, value);
        set_mix(r->job, row);
    }
}

/* A sentence of the table needs the name of the option before it. */
static void refuse_write(struct reading *r, const char *trouble)
{
    char text[240];

    for (unsigned i = 0; i < job_write_refusal_count; i++)
        if (r->job->unmet >> i & 1 && job_write_refusals[i].why == trouble) {
            str_fmt(text, sizeof(text), "%s: %s", job_write_refusals[i].name, trouble);
            refuse(r, text);
            return;
        }
    refuse(r, trouble);
}

/* Where the files of write_*_log will differ from what was asked for. */
static void note_logs(struct reading *r)
{
    const struct job *j = r->job;
    char text[200];

    if (!j->logs || r->logs_told)
        return;
    if (j->numjobs > 1)
        note(r, "write_*_log with numjobs: one file for all copies, with their sum; fio writes one per copy");
    if (!j->log_avg_ms)
        note(r, "write_*_log without log_avg_msec asks for each request by itself: the files hold means over "
                "intervals of at least 100 ms");
    else if (j->runtime_ns / SERIES_MAX_POINTS > j->log_avg_ms * NS_PER_MS) {
        str_fmt(text, sizeof(text),
                "log_avg_msec=%u: of this runtime at most %u points are kept, so that the interval is "
                "doubled until they suffice",
                j->log_avg_ms, SERIES_MAX_POINTS);
        note(r, text);
    } else
        return;
    r->logs_told = true;
}

/* NULL: nothing is wrong with how the job ends by its latencies, or with others. */
static const char *latency_trouble(const struct job *j)
{
    if (j->exit_what == JOB_EXIT_ALL && (j->exitall || j->exitall_on_error))
        return "exit_what=all: jobs behind a stonewall run all the same; write exit_what=stonewall";
    if (!j->latency_target_ns)
        return NULL;
    if (!j->latency_window_ns)
        return "latency_target needs to know how long a depth is tried: add latency_window=5s";
    if (j->numjobs > 1)
        return "latency_target with numjobs: the copies would disturb each other's search; write one job with the "
               "whole iodepth";
    return j->ss_kind || j->verify ? "latency_target cannot be joined with ss or verify; write two jobs"
                                   : NULL;
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
    if (latency_trouble(r->job))
        refuse(r, latency_trouble(r->job));
    const char *otherwise = NULL, *trouble = job_write_trouble(r->job, &otherwise);
    if (trouble)
        refuse_write(r, trouble);
    if (otherwise)
        note(r, otherwise);
    note_logs(r);
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

/* As fio numbers what it starts: each copy of each job. */
static void number_jobs(struct job_file *f)
{
    unsigned next = 1;

    for (unsigned i = 0; i < f->job_count; next += f->jobs[i++].numjobs)
        f->jobs[i].number = (uint16_t)next;
}

bool job_logs(const struct job *j, struct step_logs *out)
{
    *out = (struct step_logs){ .number = j->number,
                               .asked_ms = j->log_avg_ms,
                               .per_job = j->per_job_logs,
                               .offset = j->log_offset,
                               .max = j->log_max_value };
    for (unsigned i = 0; i < STEP_LOG_COUNT; i++)
        if (j->logs >> i & 1)
            out->prefix[i] = j->log_prefix[i][0] ? j->log_prefix[i] : j->name;
    return j->logs != 0;
}

bool job_file_read(const char *text, size_t len, struct job_file *out)
{
    struct reading r = { .out = out };
    struct ini_reader ini;
    struct ini_line line;

    memset(out, 0, sizeof(*out));
    opt_defaults(job_options, job_option_count, &out->global);
    out->global.latency_ppm = PPM_OF_ALL;
    str_copy(out->global.name, sizeof(out->global.name), "global");
    r.job = &out->global;
    r.refused = &out->global_refused;
    ini_start(&ini, text, len);
    for (ini_next(&ini, &line); line.kind != INI_END; ini_next(&ini, &line))
        read_line(&r, &line, line.kind == INI_BAD && ini.section_lost);
    r.line = line.line;
    end_section(&r);
    number_jobs(out);
    if (!out->job_count) {
        r.job = NULL;
        add(out->problems, &out->problem_count, &r, "no job: add a [section] with the options of one");
    }
    return !out->problem_count;
}
