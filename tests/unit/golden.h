#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"

/* Compares with tests/golden/<name>.  With GOLDEN=write in the environment (make golden) it is written
 * instead. */
static inline void check_golden(const char *name, const char *got, size_t len)
{
    const char *mode = getenv("GOLDEN");
    bool writes = mode && !strcmp(mode, "write");
    char path[200], *want = calloc(1, len + 2);

    snprintf(path, sizeof path, "tests/golden/%s", name);
    FILE *f = fopen(path, writes ? "wb" : "rb");
    size_t n = !f ? 0 : writes ? fwrite(got, 1, len, f) : fread(want, 1, len + 1, f);
    bool same = f && n == len && (writes || !memcmp(want, got, len));
    if (f)
        fclose(f);
    free(want);
    if (!same)
        test_fail(path, 1, "differs from what is made now (is the change right? then: make golden):\n%.*s",
                  (int)len, got);
}

#endif
