#include <stdio.h>
#include <string.h>
#include "options_doc.h"
#include "test.h"

static char made[64 * 1024], kept[64 * 1024];

static void check_file(const char *path, void (*make)(struct text *))
{
    struct text t = text_over(made, sizeof(made));
    FILE *f = fopen(path, "rb");
    size_t n = 0;

    make(&t);
    CHECK(!t.cut);
    if (f) {
        n = fread(kept, 1, sizeof(kept) - 1, f);
        fclose(f);
    }
    kept[n] = 0;
    if (strcmp(made, kept))
        test_fail(__FILE__, __LINE__, "%s differs from the option table: run make docs", path);
}

TEST(the_page_about_job_files_says_what_the_option_table_says)
{
    check_file("docs/jobs.md", options_doc_jobs);
}

TEST(the_page_about_the_configuration_says_what_the_option_table_says)
{
    check_file("docs/conf.md", options_doc_conf);
}
