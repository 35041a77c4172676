#ifndef SWEEP_STAMP_H
#define SWEEP_STAMP_H
#include <stdbool.h>
#include <stdint.h>
#include "job.h"
#include "text.h"

/* What a block that is written to be verified holds.  Each LBA begins with a header of its own (which LBA,
 * job, seed (of jobs: the run) and pass, and a CRC-32C of the whole LBA) and is filled with a sequence that
 * follows from these. So the content is a pure function of the key and the LBA, and whoever knows the key can
 * verify, also after a power cut.  Pure.  [any] */

enum { STAMP_HEADER_BYTES = 40 };
struct stamp_key {
    uint64_t job, seed;
    uint32_t pass;           /* rises with each time that the same LBA is written */
    uint32_t lba_bytes;      /* 512 or 4096; at least STAMP_HEADER_BYTES, a multiple of 8 */
    bool any_job;            /* check only: job, seed and pass are not compared */
    bool any_seed;           /* check only: the seed is not compared */
    bool or_later;           /* check only: a later pass is as good */
    bool plain;              /* no header: `fill` again and again (verify=pattern) */
    struct job_pattern fill; /* count 0: a sequence */
};
enum stamp_kind {
    STAMP_OK,
    STAMP_LOST,        /* never written: neither stamp nor anything like what should be there */
    STAMP_STALE,       /* an earlier pass of the same job */
    STAMP_MISDIRECTED, /* the sound stamp of another LBA */
    STAMP_CORRUPT,     /* a stamp whose CRC is wrong, or nearly what should be there */
    STAMP_OTHER_JOB,   /* the sound stamp of another job, seed or later pass: an older content */
    STAMP_KIND_COUNT
};
const char *stamp_kind_text(enum stamp_kind k); /* one word: "stale" */

/* One LBA that is not as written. */
struct stamp_finding {
    uint64_t lba;
    enum stamp_kind kind;
    uint32_t at_byte;        /* the first that differs */
    uint64_t expected, seen; /* the eight bytes there, as a little-endian word */
    /* of the stamp that was found; 0 when there is none */
    uint64_t seen_lba, seen_job, seen_seed;
    uint32_t seen_pass;
};

/* Fills `blocks` LBAs. */
void stamp_fill(const struct stamp_key *k, uint64_t lba, uint32_t blocks, void *data);
/* How many LBAs from the first on are as stamp_fill made them; blocks: all. */
uint32_t stamp_check(const struct stamp_key *k, uint64_t lba, uint32_t blocks, const void *data);
/* What is wrong with one LBA.  out->kind is STAMP_OK when nothing is. */
void stamp_look(const struct stamp_key *k, uint64_t lba, const void *data, struct stamp_finding *out);
/* "LBA 12 holds the stamp of LBA 40" */
void stamp_finding_text(const struct stamp_finding *f, struct text *t);

/* A sound stamp of this key's job at its own LBA ends any_seed: its seed is the key's from now on.  False: it
 * is none. */
bool stamp_take_seed(struct stamp_key *k, uint64_t lba, const void *data);

/* The job word of a job's stamps: from its region, block size and randseed, so that a later boot that runs
 * the same job on the same disk finds the same. */
uint64_t stamp_job_of(const struct job *j);

#endif
