#ifndef EFI_SETTINGS_H
#define EFI_SETTINGS_H
#include "conf.h"
#include "medium.h"

/* What this run is told to do: baresweep.conf and the job file it names, from the boot medium or the result
 * volume.  Nothing found means the defaults. */
struct settings {
    struct conf conf;
    struct conf_problems conf_problems;
    char conf_source[40]; /* "boot medium", "defaults" */
    uint32_t conf_crc32c;
    struct job_file *jobs;  /* NULL: the default plan */
    char jobs_source[128];  /* path of the job file, or "preset NAME" */
    char jobs_problem[160]; /* why a job file that was asked for is not there; "" */
};
void settings_load(struct settings *s, const struct medium *m);
/* Into the journal: the source, each problem with its line.  True when something was refused. */
bool settings_report(const struct settings *s);
void settings_free(struct settings *s);

#endif
