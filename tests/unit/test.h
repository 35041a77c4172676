#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H
#include <stdbool.h>
#include <stdint.h>

/* A test is a sentence about behaviour:
 *
 *     TEST(a_completion_for_an_unknown_command_is_a_fault) { ... EQ(got, want); }
 *
 * A failed check prints both values and ends that test; the others run. */
struct test {
    const char *name, *file;
    void (*run)(void);
    struct test *next;
};
void test_register(struct test *t);
void test_fail(const char *file, int line, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
/* Ends this test as skipped, with its reason. */
void test_skip(const char *reason) __attribute__((noreturn));

#define TEST(name_)                                                                                          \
    static void name_(void);                                                                                 \
    __attribute__((constructor)) static void name_##_register(void)                                          \
    {                                                                                                        \
        static struct test test_ = { #name_, __FILE__, name_, 0 };                                           \
        test_register(&test_);                                                                               \
    }                                                                                                        \
    static void name_(void)

#define CHECK(cond)                                                                                          \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            test_fail(__FILE__, __LINE__, "%s", #cond);                                                      \
    } while (0)
#define EQ(got, want)                                                                                        \
    do {                                                                                                     \
        long long g_ = (long long)(got), w_ = (long long)(want);                                             \
        if (g_ != w_)                                                                                        \
            test_fail(__FILE__, __LINE__, "%s is %lld (%#llx), want %lld (%#llx)", #got, g_,                 \
                      (unsigned long long)g_, w_, (unsigned long long)w_);                                   \
    } while (0)
#define EQ_STR(got, want)                                                                                    \
    do {                                                                                                     \
        const char *g_ = (got), *w_ = (want);                                                                \
        if (__builtin_strcmp(g_, w_))                                                                        \
            test_fail(__FILE__, __LINE__, "%s is\n  \"%s\", want\n  \"%s\"", #got, g_, w_);                  \
    } while (0)
#define HAS_STR(got, part)                                                                                   \
    do {                                                                                                     \
        const char *g_ = (got), *p_ = (part);                                                                \
        if (!__builtin_strstr(g_, p_))                                                                       \
            test_fail(__FILE__, __LINE__, "%s is\n  \"%s\", which lacks\n  \"%s\"", #got, g_, p_);           \
    } while (0)

#endif
