#include "model_options.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint64_t factor;
} suffixes[] = {
    { "", 1 },           { "ns", 1 },         { "us", 1000 },      { "ms", 1000000 },   { "s", 1000000000 },
    { "K", 1ull << 10 }, { "M", 1ull << 20 }, { "G", 1ull << 30 }, { "T", 1ull << 40 },
};

static bool number(const char *text, size_t length, uint64_t *v)
{
    char copy[32], *end;

    if (!length || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (!strcmp(copy, "never")) {
        *v = UINT64_MAX;
        return true;
    }
    if (copy[0] < '0' || copy[0] > '9')
        return false;
    errno = 0;
    *v = strtoull(copy, &end, 0);
    for (size_t i = 0; !errno && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (!strcmp(end, suffixes[i].name))
            return !__builtin_mul_overflow(*v, suffixes[i].factor, v);
    return false;
}

unsigned model_numbers(const char *text, uint64_t *v, unsigned most)
{
    unsigned n = 0;

    for (;;) {
        size_t length = strcspn(text, ":");

        if (n == most || !number(text, length, &v[n]))
            return 0;
        n++;
        if (!text[length])
            return n;
        text += length + 1;
    }
}

unsigned model_find_name(const char *const *names, unsigned count, const char *value, const char **rest)
{
    size_t length = strcspn(value, ":");

    *rest = value + length + (value[length] == ':');
    for (unsigned i = 0; i < count; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], value, length))
            return i;
    return count;
}

/* ---- into a field ---- */
static const char *set_number(uint8_t *at, const struct model_option *o, const char *value)
{
    uint64_t v;

    if (!number(value, strlen(value), &v))
        return "no number";
    if (o->type == OPTION_SWITCH ? v > 1 : o->bytes < 8 && v >> 8 * o->bytes)
        return "larger than the field";
    memcpy(at, &v, o->bytes); /* the machine is little-endian, as the models are */
    return NULL;
}

static const char *set_text(uint8_t *at, const struct model_option *o, const char *value)
{
    if (strlen(value) >= o->bytes)
        return "longer than the field";
    memset(at, 0, o->bytes);
    memcpy(at, value, strlen(value));
    return NULL;
}

static const char *set(struct model_under *u, const struct model_option *o, const char *value)
{
    uint8_t *at = u->scope[o->scope];

    if (o->type == OPTION_CALL)
        return o->call(u, value);
    if (!at)
        return "of a disk that was not made yet";
    return o->type == OPTION_TEXT ? set_text(at + o->offset, o, value) : set_number(at + o->offset, o, value);
}

bool model_option_set(const struct model_kind *k, struct model_under *u, const char *option)
{
    size_t length = strcspn(option, "=");
    const char *why = "no such option";

    if (!option[length]) {
        fprintf(stderr, "%s: NAME=VALUE is wanted\n", option);
        return false;
    }
    for (const struct model_option *o = k->options; o->name; o++)
        if (strlen(o->name) == length && !memcmp(o->name, option, length))
            why = set(u, o, option + length + 1);
    if (why)
        fprintf(stderr, "%s: %s: %s\n", k->name, option, why);
    return !why;
}

/* ---- options of all kinds ---- */
const char *model_add_fault(struct model_under *u, const char *value)
{
    static const char *const names[] = { "write-error", "flush-error", "dropped", "stale",
                                         "torn",        "swapped",     "altered" };
    const char *rest;
    unsigned kind = model_find_name(names, sizeof names / sizeof names[0], value, &rest);
    uint64_t v[4] = { 0 };

    if (kind == sizeof names / sizeof names[0] || model_numbers(rest, v, 4) < 2 || v[2] > UINT32_MAX)
        return "KIND:LBA:BLOCKS[:TIMES[:ARG]] is wanted";
    if (u->medium->fault_count == MEDIUM_MAX_FAULTS)
        return "more faults than a medium has room for";
    medium_add_fault(u->medium, (enum medium_fault_kind)kind, u->unit, v[0], v[1], (uint32_t)v[2], v[3]);
    return NULL;
}

const char *model_wraps(struct model_under *u, const char *value)
{
    uint64_t v;

    if (model_numbers(value, &v, 1) != 1 || !v)
        return "BLOCKS is wanted";
    u->medium->wraps_blocks = v;
    u->medium->wraps_unit = u->unit;
    return NULL;
}

const char *model_permit(struct model_under *u, const char *value)
{
    uint64_t v[2];

    if (model_numbers(value, v, 2) != 2)
        return "LBA:BLOCKS is wanted";
    if (u->medium->permit_count == MEDIUM_MAX_PERMITS)
        return "more ranges than a medium has room for";
    medium_permit(u->medium, u->unit, v[0], v[1]);
    return NULL;
}

uint64_t model_open_image(struct model_under *u, const char *path, uint32_t block_bytes, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *at = MAP_FAILED;

    *why = "cannot be mapped";
    if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)block_bytes)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (at == MAP_FAILED || u->medium->image_count == MEDIUM_MAX_IMAGES)
        return 0;
    *why = NULL;
    medium_set_image(u->medium, u->unit, at, (uint64_t)st.st_size / block_bytes, block_bytes);
    return (uint64_t)st.st_size;
}
