#include <stdio.h>
#include <string.h>
#include "options_doc.h"

/* options-doc jobs|conf: prints docs/jobs.md or docs/conf.md. */
int main(int argc, char **argv)
{
    static char page[64 * 1024];
    struct text t = text_over(page, sizeof(page));

    if (argc == 2 && !strcmp(argv[1], "jobs"))
        options_doc_jobs(&t);
    else if (argc == 2 && !strcmp(argv[1], "conf"))
        options_doc_conf(&t);
    if (!t.len || t.cut) {
        fprintf(stderr, "usage: options-doc jobs|conf\n");
        return 2;
    }
    return fwrite(page, 1, t.len, stdout) != t.len;
}
