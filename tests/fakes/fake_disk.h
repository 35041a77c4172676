#ifndef TESTS_FAKES_FAKE_DISK_H
#define TESTS_FAKES_FAKE_DISK_H
#include "disk.h"

/* A disk without a controller: records what was asked of it and answers as told.  For the workload engine,
 * plans and presets; device behaviour is tested on the register-level models. */
struct fake_request {
    uint64_t lba, at_ns;
    uint32_t blocks;
    uint16_t slot, op;
};
struct fake_disk {
    struct disk disk;
    /* behaviour, set by the test */
    uint64_t latency_ns;          /* of every request */
    uint64_t request_ns;          /* of every request, one after another whatever is in flight */
    uint64_t slow_every, slow_ns; /* every n-th request takes so much longer; 0: none */
    uint64_t bytes_per_s;         /* transfer rate on top of the latency; 0: unlimited */
    uint64_t inner_bytes_per_s;   /* rate at the last LBA, between the two in proportion; 0: the same */
    uint64_t bad_lba, bad_count;  /* reads that touch them fail with IO_MEDIA_ERROR */
    uint64_t hang_at;             /* the n-th request (1-based) never completes until expired; 0: none */
    bool answers_hung;            /* it completes after all, from now on */
    uint64_t die_at;              /* from the n-th request on the lane is dead; 0: never */
    uint16_t take_at_most;        /* requests taken while so many are in flight; 0: the lane's depth */
    uint64_t data_word;     /* what a lane's data is full of; 1: a different word each; 0: no data at all */
    bool first_words_alike; /* of data_word 1: but for the first of each 512 bytes */
    bool takes_nothing;     /* from now on no request is taken */
    uint16_t open_depth_limit; /* open answers E_LIMIT above it; 0: no limit */
    int open_error;            /* what open answers */
    bool keeps_expired;        /* expire does not give the slot back: a broken driver */
    bool completes_twice;      /* every completion comes once more: a broken driver */
    uint16_t fail_every;       /* every n-th request fails with IO_DEVICE_ERROR; 0: none */
    uint8_t retries;           /* of every completion */
    /* writing */
    bool writable; /* lanes that write may be opened; else open answers E_REFUSED, as on a disk not armed */
    uint8_t *content;      /* lba_count * lba_bytes of them; NULL: what is written is forgotten */
    uint64_t flush_ns;     /* of a flush, besides the latency */
    uint64_t drop_at;      /* the n-th write (1-based) is answered but not done; 0: none */
    uint64_t alter_at;     /* one bit of the n-th write's data is turned over, in its middle */
    uint64_t misdirect_at; /* the n-th write goes to misdirect_lba instead */
    uint64_t misdirect_lba;
    uint64_t swap_at;   /* the n-th write and the one after it take each other's places */
    bool fails_flushes; /* with IO_DEVICE_ERROR */
    int cache_error;    /* what set_cache answers, and changes nothing; E_GONE is a fault, too */
    int reset_answer;   /* E_UNSUPPORTED after init; E_GONE is a fault, too */
    bool drops_reads;   /* they are answered, but bring nothing */
    /* what happened */
    struct fake_request *log; /* the first log_cap requests */
    unsigned log_cap, log_count;
    uint64_t requests, kicks, polls, in_flight, max_in_flight, violations;
    uint64_t expires, open_lanes;
    unsigned cache_switches; /* calls of set_cache */
    unsigned resets;         /* calls of reset; the last one came after so many requests */
    uint64_t requests_at_reset;
    uint64_t writes, flushes, swapped_lba;
    uint64_t least_written_lba, end_written_lba; /* nothing was written outside; equal: nothing at all */
};
/* A 1 GiB disk of 512-byte blocks on controller name `controller`; fields may be changed before use. */
void fake_disk_init(struct fake_disk *f, const char *name, struct controller *controller,
                    struct fake_request *log, unsigned log_cap);

#endif
