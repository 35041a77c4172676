#include "settings.h"
#include "boot_args.h"
#include "crc.h"
#include "net_link.h"
#include "platform.h"
#include "presets.h"
#include "record.h"
#include "settings_net.h"
#include "sha256.h"

static const char conf_name[] = "baresweep.conf";

static void load_jobs(struct settings *s, const struct medium *m)
{
    char *text, from[160];
    size_t len;
    int rc = medium_read_file(m, s->conf.jobs, &text, &len, from, sizeof from);

    str_copy(s->jobs_source, sizeof s->jobs_source, s->conf.jobs);
    if (rc == E_IO && net_link.booted_by_network) {
        rc = settings_net_file(s->conf.jobs, &text, &len, s->jobs_source, sizeof s->jobs_source);
        s->from_network = true;
    }
    if (rc != OK) {
        str_fmt(s->jobs_problem, sizeof s->jobs_problem,
                "job file \"%s\": %s; put it %s or correct `jobs` in %s", s->conf.jobs,
                rc == E_IO || rc == E_REFUSED ? "not found" : err_text(rc),
                net_link.booted_by_network ? "on the boot server" : "on the stick", conf_name);
        return;
    }
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

/* Words of a boot loader that was itself booted from a stick are as good as the stick; after a network boot
 * nobody knows who wrote them. */
static void load_args(struct settings *s)
{
    EFI_LOADED_IMAGE *image = firmware_protocol(image_handle, &guid_loaded_image);
    struct text args = text_over(s->args, sizeof s->args);

    if (!image || !image->LoadOptions || !image->LoadOptionsSize)
        return;
    enum boot_args_kind kind = boot_args_read(image->LoadOptions, image->LoadOptionsSize, &args);
    s->args_unread = kind == BOOT_ARGS_NO_TEXT || args.cut;
    if (s->args_unread)
        text_reset(&args);
}

/* OK, or there is none. */
static int find_conf(struct settings *s, const struct medium *m, const struct machine_info *machine,
                     char **text, size_t *len)
{
    int rc = medium_read_file(m, conf_name, text, len, s->conf_source, sizeof s->conf_source);

    if (rc != OK && net_link.booted_by_network)
        rc = settings_net_conf(machine, text, len, s->conf_source, sizeof s->conf_source);
    if (rc == OK)
        return OK;
    *text = NULL;
    *len = 0;
    str_copy(s->conf_source, sizeof s->conf_source, "defaults");
    return rc;
}

static void take_hash(struct settings *s, const char *text, size_t len)
{
    struct sha256 h;
    uint8_t digest[32];

    s->conf_crc32c = crc32c(crc32c(0, text, len), s->args, str_len(s->args));
    sha256_begin(&h);
    sha256_add(&h, text, len);
    sha256_add(&h, s->args, str_len(s->args));
    sha256_end(&h, digest);
    sha256_hex(digest, s->conf_sha256);
}

void settings_load(struct settings *s, const struct medium *m, const struct machine_info *machine)
{
    char *text;
    size_t len;

    load_args(s);
    find_conf(s, m, machine, &text, &len);
    /* What lies beside the application came the same way as the application. */
    s->from_network = net_link.booted_by_network;
    conf_defaults(&s->conf);
    conf_read_lines(text ? text : "", len, &s->conf, &s->conf_problems);
    conf_read_lines(s->args, str_len(s->args), &s->conf, &s->args_problems);
    conf_settle(&s->conf, &s->conf_problems);
    take_hash(s, text ? text : "", len);
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

static bool report_problems(const struct conf_problems *p, const char *source)
{
    for (unsigned i = 0; i < p->count && i < JOB_FILE_MAX_PROBLEMS; i++)
        journal_problem(record_journal(), source, p->kept[i].line, "", p->kept[i].text);
    if (p->count && p->kept[0].line)
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s line %u: %s", source,
                       p->kept[0].line, p->kept[0].text);
    else if (p->count) /* of no single line */
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s: %s", source, p->kept[0].text);
    return p->count != 0;
}

/* Places in the network are read where they are used; what is wrong with them is told here. */
static bool report_places(const struct conf *c)
{
    static struct uri places[4];
    unsigned count;
    char words[200];
    struct text why = text_over(words, sizeof words);
    const char *key = "upload";
    int rc = uri_parse_list(c->upload, places, ARRAY_COUNT(places), &count, &why);

    if (rc == OK && c->state[0]) {
        key = "state";
        rc = uri_parse_list(c->state, places, 1, &count, &why);
    }
    if (rc == OK && c->syslog[0]) {
        key = "syslog";
        rc = uri_parse_syslog(c->syslog, str_len(c->syslog), places, &why);
    }
    if (rc != OK)
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s: %s", key, words);
    return rc != OK;
}

const char *settings_plan_word(enum conf_plan plan)
{
    static const char *const words[] = {
        [CONF_PLAN_DEFAULT] = "default",
        [CONF_PLAN_JOBS] = "jobs",
        [CONF_PLAN_PRESET] = "preset",
        [CONF_PLAN_BURN_IN] = "burn-in",
        [CONF_PLAN_BURN_IN_READONLY] = "burn-in-readonly",
    };

    return words[plan];
}

bool settings_report(const struct settings *s)
{
    static char values[480], source[200];
    bool wrong;

    str_fmt(source, sizeof source, "%s%s", s->conf_source, s->args[0] ? " and words of the boot loader" : "");
    str_fmt(values, sizeof values, "plan=%s%s%s time_scale_pct=%u budget_s=%u from_network=%s sha256=%s",
            settings_plan_word((enum conf_plan)s->conf.plan), s->jobs_source[0] ? " " : "", s->jobs_source,
            s->conf.time_scale_pct, s->conf.budget_s, s->from_network ? "yes" : "no", s->conf_sha256);
    journal_conf(record_journal(), source, s->conf_crc32c, values);
    if (s->args_unread)
        journal_log(record_journal(), LOG_INFO,
                    "the boot loader handed over something that is no list of words: not used");
    wrong = report_problems(&s->conf_problems, conf_name);
    wrong |= report_problems(&s->args_problems, "boot loader");
    wrong |= report_places(&s->conf);
    if (s->jobs_problem[0])
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s", s->jobs_problem);
    wrong |= report_jobs(s);
    return wrong || s->jobs_problem[0];
}

void settings_choose(struct settings *s, enum conf_plan plan, unsigned preset)
{
    settings_free(s);
    s->jobs_source[0] = s->jobs_problem[0] = 0;
    s->conf.preset = (uint8_t)preset;
    s->conf.plan = (uint8_t)plan;
    if (plan == CONF_PLAN_PRESET)
        load_preset(s);
}

const char *settings_plan_name(const struct settings *s)
{
    bool from_jobs = s->conf.plan == CONF_PLAN_JOBS || s->conf.plan == CONF_PLAN_PRESET;

    return s->conf.plan == CONF_PLAN_DEFAULT ? "built-in plan"
           : from_jobs                       ? s->jobs_source
                                             : settings_plan_word((enum conf_plan)s->conf.plan);
}

void settings_free(struct settings *s)
{
    plat_free(s->jobs);
    s->jobs = NULL;
}
