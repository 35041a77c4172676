#include <stdio.h>
#include "checks_doc.h"

/* checks-doc: prints docs/checks.md. */
int main(void)
{
    static char page[96 * 1024];
    struct text t = text_over(page, sizeof(page));

    checks_doc(&t);
    return t.cut || fwrite(page, 1, t.len, stdout) != t.len;
}
