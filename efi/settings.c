#include "settings.h"
#include "crc.h"
#include "platform.h"
#include "presets.h"
#include "record.h"

static const char conf_name[] = "baresweep.conf";

static void load_jobs(struct settings *s, const struct medium *m)
{
    char *text, from[40];
    size_t len;
    int rc = medium_read_file(m, s->conf.jobs, &text, &len, from, sizeof from);

    if (rc != OK) {
        str_fmt(s->jobs_problem, sizeof s->jobs_problem,
                "job file \"%s\": %s; put it on the stick or correct `jobs` in %s", s->conf.jobs,
                rc == E_IO ? "not found" : err_text(rc), conf_name);
        return;
    }
    str_copy(s->jobs_source, sizeof s->jobs_source, s->conf.jobs);
    s->jobs = plat_alloc(sizeof *s->jobs);
    if (s->jobs)
        job_file_read(text, len, s->jobs);
    else
        str_copy(s->jobs_problem, sizeof s->jobs_problem, "no memory for the job file");
    boot->FreePool(text);
}

static void load_preset(struct settings *s)
{
    struct preset p;

    if (!preset_get(s->conf.preset, &p))
        return;
    str_fmt(s->jobs_source, sizeof s->jobs_source, "preset %s", p.name);
    s->jobs = plat_alloc(sizeof *s->jobs);
    if (s->jobs)
        job_file_read(p.text, p.len, s->jobs);
    else
        str_copy(s->jobs_problem, sizeof s->jobs_problem, "no memory for the preset");
}

void settings_load(struct settings *s, const struct medium *m)
{
    char *text = NULL;
    size_t len = 0;
    int rc = medium_read_file(m, conf_name, &text, &len, s->conf_source, sizeof s->conf_source);

    if (rc != OK) {
        text = NULL;
        len = 0;
        str_copy(s->conf_source, sizeof s->conf_source, "defaults");
    }
    conf_read(text ? text : "", len, &s->conf, &s->conf_problems);
    s->conf_crc32c = crc32c(0, text, len);
    if (text)
        boot->FreePool(text);
    if (s->conf.plan == CONF_PLAN_JOBS)
        load_jobs(s, m);
    else if (s->conf.plan == CONF_PLAN_PRESET)
        load_preset(s);
}

/* What was accepted but means nothing here is told, too. */
static void report_notes(const struct settings *s)
{
    char text[320];

    for (unsigned i = 0; i < s->jobs->note_count && i < JOB_FILE_MAX_PROBLEMS; i++) {
        const struct job_problem *n = &s->jobs->notes[i];

        str_fmt(text, sizeof text, "%s line %u: %s", s->jobs_source, n->line, n->text);
        journal_log(record_journal(), LOG_INFO, text);
    }
    if (s->jobs->note_count > JOB_FILE_MAX_PROBLEMS) {
        str_fmt(text, sizeof text, "%s: %u more options without meaning here", s->jobs_source,
                s->jobs->note_count - JOB_FILE_MAX_PROBLEMS);
        journal_log(record_journal(), LOG_INFO, text);
    }
}

/* True when the job file has lines that were refused.  The parts of a preset that write are no mistake of
 * anybody: the plan names them as not tested. */
static bool report_jobs(const struct settings *s)
{
    if (!s->jobs)
        return false;
    report_notes(s);
    if (s->conf.plan == CONF_PLAN_PRESET)
        return false;
    for (unsigned i = 0; i < s->jobs->problem_count && i < JOB_FILE_MAX_PROBLEMS; i++) {
        const struct job_problem *q = &s->jobs->problems[i];

        journal_problem(record_journal(), s->jobs_source, q->line, q->job, q->text);
        record_finding("job-refused", FINDING_WARN, "run", NULL, "%s line %u: %s", s->jobs_source, q->line,
                       q->text);
    }
    return s->jobs->problem_count != 0;
}

bool settings_report(const struct settings *s)
{
    static const char *const plans[] = { "default", "jobs", "preset" };
    struct journal *j = record_journal();
    const struct conf_problems *p = &s->conf_problems;
    char values[160];

    str_fmt(values, sizeof values, "plan=%s%s%s time_scale_pct=%u budget_s=%u", plans[s->conf.plan],
            s->jobs_source[0] ? " " : "", s->jobs_source, s->conf.time_scale_pct, s->conf.budget_s);
    journal_conf(j, s->conf_source, s->conf_crc32c, values);
    for (unsigned i = 0; i < p->count && i < JOB_FILE_MAX_PROBLEMS; i++)
        journal_problem(j, conf_name, p->kept[i].line, "", p->kept[i].text);
    if (p->count)
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s line %u: %s", conf_name,
                       p->kept[0].line, p->kept[0].text);
    if (s->jobs_problem[0])
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s", s->jobs_problem);
    return report_jobs(s) || p->count || s->jobs_problem[0];
}

void settings_free(struct settings *s)
{
    plat_free(s->jobs);
    s->jobs = NULL;
}
