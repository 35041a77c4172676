#include "settings.h"
#include "crc.h"
#include "platform.h"
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
    s->jobs = plat_alloc(sizeof *s->jobs);
    if (s->jobs)
        job_file_read(text, len, s->jobs);
    else
        str_copy(s->jobs_problem, sizeof s->jobs_problem, "no memory for the job file");
    boot->FreePool(text);
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
}

bool settings_report(const struct settings *s)
{
    struct journal *j = record_journal();
    const struct conf_problems *p = &s->conf_problems;
    char values[160];

    str_fmt(values, sizeof values, "plan=%s time_scale_pct=%u budget_s=%u", s->jobs ? "jobs" : "default",
            s->conf.time_scale_pct, s->conf.budget_s);
    journal_conf(j, s->conf_source, s->conf_crc32c, values);
    for (unsigned i = 0; i < p->count && i < JOB_FILE_MAX_PROBLEMS; i++)
        journal_problem(j, conf_name, p->kept[i].line, "", p->kept[i].text);
    if (p->count)
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s line %u: %s", conf_name,
                       p->kept[0].line, p->kept[0].text);
    if (s->jobs_problem[0])
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s", s->jobs_problem);
    for (unsigned i = 0; s->jobs && i < s->jobs->problem_count && i < JOB_FILE_MAX_PROBLEMS; i++) {
        const struct job_problem *q = &s->jobs->problems[i];

        journal_problem(j, s->conf.jobs, q->line, q->job, q->text);
        record_finding("job-refused", FINDING_WARN, "run", NULL, "%s line %u: %s", s->conf.jobs, q->line,
                       q->text);
    }
    return p->count || s->jobs_problem[0] || (s->jobs && s->jobs->problem_count);
}

void settings_free(struct settings *s)
{
    plat_free(s->jobs);
    s->jobs = NULL;
}
