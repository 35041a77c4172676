#ifndef DRIVERS_FAULT_H
#define DRIVERS_FAULT_H
#include <stddef.h>
#include <stdint.h>
#include "err.h"

/* The first thing that went wrong on a device, kept with the numbers that show it.  A later fault
 * never overwrites an earlier one: the first is the cause, the rest are consequences.  A device with a
 * fault gets no more work until it is attached again. */
struct fault {
    enum err err; /* OK: none */
    uint16_t line;
    const char *file; /* "nvme_io.c" */
    const char *what; /* the thing waited for or the command, never "failed" */
    uint64_t got, want;
};

/* Records (unless *f holds one already; f may be NULL: only say it) and logs one line; returns e.  [any] */
int fault_set(struct fault *f, enum err e, const char *file, unsigned line, const char *what, uint64_t got,
              uint64_t want);
/* "CSTS.RDY: timed out (got 0x0, want 0x1) at nvme_admin.c:88" */
struct text;
void fault_text(const struct fault *f, struct text *out);

#define FILE_NAME_ (__builtin_strrchr("/" __FILE__, '/') + 1)
/* The device is no longer trusted. */
#define FAULT(f, e, what, got, want) fault_set((f), (e), FILE_NAME_, __LINE__, (what), (got), (want))
/* An answer we did not want but may carry on from: a refused command, a bad sector. */
#define NOTE(e, what, got, want) fault_set(NULL, (e), FILE_NAME_, __LINE__, (what), (got), (want))

#endif
