/* Reads a job file as the application does and prints what became of it, for tests and for trying out:
 *
 *     out/job-read FILE        one line per job: name, "taken" or "refused", and the numbers it now has;
 *                              then problems and notes with their lines.  Exit 1 when something was refused.
 */
#include <stdio.h>
#include <string.h>
#include "job.h"

static unsigned long long number_at(const struct job *j, const struct opt *row)
{
    unsigned long long v = 0;

    memcpy(&v, (const char *)j + row->offset, row->size);
    return v;
}

static void print_job(const struct job *j, bool refused)
{
    printf("job %s %s", j->name, refused ? "refused" : "taken");
    for (unsigned i = 0; i < job_option_count; i++) {
        const struct opt *row = &job_options[i];
        if (row->kind != OPT_TEXT && row->kind != OPT_NOTE)
            printf(" %s=%llu", row->name, number_at(j, row));
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    static char text[1 << 20];
    static struct job_file file;
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!f) {
        fprintf(stderr, "job-read FILE\n");
        return 2;
    }
    size_t len = fread(text, 1, sizeof(text), f);
    fclose(f);
    bool good = job_file_read(text, len, &file);
    for (unsigned i = 0; i < file.job_count; i++)
        print_job(&file.jobs[i], file.refused[i]);
    for (unsigned i = 0; i < file.problem_count && i < JOB_FILE_MAX_PROBLEMS; i++)
        printf("problem line %u: %s\n", file.problems[i].line, file.problems[i].text);
    for (unsigned i = 0; i < file.note_count && i < JOB_FILE_MAX_PROBLEMS; i++)
        printf("note line %u: %s\n", file.notes[i].line, file.notes[i].text);
    return good ? 0 : 1;
}
