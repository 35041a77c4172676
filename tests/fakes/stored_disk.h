#ifndef TESTS_FAKES_STORED_DISK_H
#define TESTS_FAKES_STORED_DISK_H
#include "disk.h"

/* A disk without a controller that keeps what is written, as disks do: in a cache first, on the medium after
 * a flush.  For what must survive a power cut, and for disks that lie. */
struct stored_disk {
    struct disk disk;
    struct controller controller;
    struct controller_driver driver;
    uint8_t *now, *medium; /* what a read sees; what a power cut leaves */
    bool *dirty;           /* of each LBA: not on the medium yet */
    /* behaviour, set by the test */
    uint64_t latency_ns;
    uint64_t real_lbas;          /* 0: as many as it says */
    bool drops_beyond;           /* writes behind them are dropped, else they wrap */
    bool no_reset;               /* resets are not offered */
    int reset_rc;                /* what they answer when they are */
    bool ignores_flush;          /* a power cut takes what was flushed, too */
    uint64_t bad_lba, bad_count; /* reads of these fail */
    uint64_t alter_lba;          /* a bit of it is written wrongly; 0: none */
    uint64_t drop_lba;           /* writes to it never arrive; 0: none */
    uint64_t drop_write;         /* the n-th write (1-based) is answered and never arrives; 0: none */
    uint64_t fails_from;         /* from this request on every second one fails; 0: never */
    uint64_t dies_at;            /* from this request on nothing is taken; 0: never */
    void (*on_request)(void *ctx);
    void *ctx;
    struct disk_health health;
    struct stored_disk *neighbour; /* at the same controller: not to be reset while it tests itself */
    bool self_tests, testing;      /* self_tests: offered */
    unsigned self_test_looks;      /* until it is over */
    /* what happened */
    uint64_t requests, reads, writes, flushes, violations;
    uint64_t collisions; /* two at once that share an LBA, of which one writes */
    unsigned open_lanes, looks, resets;
    struct self_test_state self_test;
};
/* lbas of 512 bytes, all zero; room_lbas <= lbas: so much memory is really there (the rest must not be
 * touched, or be behind real_lbas). */
void stored_disk_make(struct stored_disk *s, const char *name, uint64_t lbas, uint64_t room_lbas);
void stored_disk_free(struct stored_disk *s);
/* What was written and not flushed may be lost, each LBA by draw; lanes are gone. */
void stored_disk_power_cut(struct stored_disk *s, uint64_t seed);

#endif
