#ifndef EFI_SETTINGS_H
#define EFI_SETTINGS_H
#include "conf.h"
#include "journal.h"
#include "medium.h"

/* What this run is told to do.  The configuration is the first that is found: beside the application (also
 * what iPXE loaded with it), on the boot medium's other partitions, on the result volume, and after a network
 * boot at the boot server.  Words of the boot loader stand over it, key by key.  Nothing found means the
 * defaults. */
struct settings {
    struct conf conf;
    struct conf_problems conf_problems, args_problems;
    char conf_source[160]; /* "boot medium", "tftp://10.9.0.1/conf/default", "defaults" */
    char args[1024];       /* of the boot loader, one `key=value` a line */
    bool args_unread;      /* it handed over something that is no text, or too much */
    /* The configuration, the boot loader's words or the job file came through the network: good for reading,
     * no consent to writes. */
    bool from_network;
    uint32_t conf_crc32c;
    char conf_sha256[65];   /* of the file and, behind it, args */
    struct job_file *jobs;  /* NULL: the default plan */
    char jobs_source[160];  /* path of the job file, or "preset NAME" */
    char jobs_problem[200]; /* why a job file that was asked for is not there; "" */
};
void settings_load(struct settings *s, const struct medium *m, const struct machine_info *machine);
/* Into the journal: the source, each problem with its line.  True when something was refused. */
bool settings_report(const struct settings *s);
/* Another plan than the configuration's, but no other job file: not for CONF_PLAN_JOBS. */
void settings_choose(struct settings *s, enum conf_plan plan, unsigned preset);
/* As the configuration spells it: "burn-in". */
const char *settings_plan_word(enum conf_plan plan);
/* "built-in plan", "preset quick", the path of the job file, "burn-in". */
const char *settings_plan_name(const struct settings *s);
void settings_free(struct settings *s);

#endif
