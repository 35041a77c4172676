#ifndef TESTS_VFIO_MODEL_OPTIONS_H
#define TESTS_VFIO_MODEL_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "medium.h"
#include "vfio_server.h"

/* `name=value` from the command line into a model's settings, by one table per kind.  Options count in their
 * order: `disk=2` makes a disk, and what follows is of that disk.  Numbers are decimal or 0x, with ns, us, ms
 * or s for times, K, M, G or T for sizes (powers of 1024), or `never`. */
enum model_option_type { OPTION_NUMBER, OPTION_SWITCH, OPTION_TEXT, OPTION_CALL };
enum { OPTION_SCOPES = 3 };

/* A device of one kind, under construction. */
struct model_under {
    void *dev;
    void *scope[OPTION_SCOPES]; /* what options of that scope set; NULL: nothing was made yet */
    struct model_medium *medium;
    uint32_t unit; /* of the newest disk */
};
struct model_option {
    const char *name;
    enum model_option_type type;
    unsigned scope;
    size_t offset, bytes;
    /* NULL when all is well, else what is wrong with the value. */
    const char *(*call)(struct model_under *u, const char *value);
};
#define MODEL_OPTION(label, in, type, field)                                                                 \
    {                                                                                                        \
        label,                                                                           \
      _Generic(((type *)0)->field, bool: OPTION_SWITCH, char *: OPTION_TEXT, default: OPTION_NUMBER), \
      in, offsetof(type, field), sizeof(((type *)0)->field), NULL                   \
    }
#define MODEL_CALL(label, function)                                                                          \
    {                                                                                                        \
        label, OPTION_CALL, 0, 0, 0, function                                                                \
    }

struct model_kind {
    const char *name;
    const struct model_device_ops *ops;
    const struct model_option *options;
    bool (*create)(struct model_under *u); /* false: out of memory */
    struct model_host *(*host)(void *dev);
    void (*power_on)(void *dev); /* NULL: at the first touch */
    void (*report)(void *dev);   /* what it has seen, as JSON members on stdout, each behind a comma */
    void (*free)(void *dev);
};
extern const struct model_kind kind_nvme, kind_ahci, kind_mfi;

/* The option's words on stderr when it is refused. */
bool model_option_set(const struct model_kind *k, struct model_under *u, const char *option);
/* Up to `most` numbers separated by colons; how many, 0 for what is none. */
unsigned model_numbers(const char *text, uint64_t *number, unsigned most);
/* The words before the first colon are this name; *rest is what follows it. */
unsigned model_find_name(const char *const *names, unsigned count, const char *value, const char **rest);

/* Options of every kind's newest disk: a fault of the medium (KIND:LBA:BLOCKS:TIMES:ARG) and what may be
 * written (LBA:BLOCKS). */
const char *model_add_fault(struct model_under *u, const char *value);
const char *model_wraps(struct model_under *u, const char *value); /* BLOCKS that really exist */
const char *model_permit(struct model_under *u, const char *value);
/* A file as the newest disk's content, never written to: its size in bytes, 0 with *why. */
uint64_t model_open_image(struct model_under *u, const char *path, uint32_t block_bytes, const char **why);

#endif
