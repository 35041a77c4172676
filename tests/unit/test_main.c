#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "test.h"

static struct test *first, **last = &first;
static jmp_buf leave;
enum { PASSED, FAILED, SKIPPED };

void test_register(struct test *t)
{
    *last = t;
    last = &t->next;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    printf("%s:%d: ", file, line);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    longjmp(leave, 1 + FAILED);
}

void test_skip(const char *reason)
{
    printf("skipped: %s\n", reason);
    longjmp(leave, 1 + SKIPPED);
}

static int run_one(const struct test *t)
{
    int how = setjmp(leave);

    if (how)
        return how - 1;
    t->run();
    return PASSED;
}

int main(int argc, char **argv)
{
    static const char *const words[] = { "ok", "FAIL", "skip" };
    unsigned count[3] = { 0 };
    bool times = argc > 1 && strcmp(argv[1], "--times") == 0;

    argc -= times;
    argv += times;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (const struct test *t = first; t; t = t->next) {
        if (argc > 1 && !strstr(t->name, argv[1]) && !strstr(t->file, argv[1]))
            continue;
        clock_t began = clock();
        int how = run_one(t);
        count[how]++;
        if (times)
            printf("%6ld ms %s\n", (long)(clock() - began) * 1000 / CLOCKS_PER_SEC, t->name);
        if (how != PASSED)
            printf("%s %s\n", words[how], t->name);
    }
    printf("%u passed, %u failed, %u skipped\n", count[PASSED], count[FAILED], count[SKIPPED]);
    return count[FAILED] != 0;
}
