#ifndef SWEEP_GUARD_CONTENT_H
#define SWEEP_GUARD_CONTENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "text.h"

/* What a disk holds, by looking at the places where every kind of content that we know leaves its sign, and
 * at places spread over the whole disk for anything that is not zero.  Pure over a reader. */
struct guard_reader {
    /* OK or a negative enum err.  E_TIMEOUT: the time for this disk is over. */
    int (*read)(void *ctx, uint64_t lba, uint32_t blocks, void *buf);
    void *ctx;
    uint32_t lba_bytes; /* power of two, 512 to 4096 */
    uint64_t lba_count;
};

enum {
    GUARD_ENDS_BYTES = 1 << 20, /* of head and of tail that are hashed */
    GUARD_MIN_DISK_BYTES = 64 << 10,
    GUARD_SCRATCH_BYTES = 72 << 10, /* everything else is read through it */
    GUARD_PLACES = 128,             /* looks spread over the disk */
    GUARD_PLACE_BYTES = 4096,
    GUARD_MAX_FOUND = 24,
    GUARD_MAX_PARTITIONS = 12 /* whose beginnings are looked at, for the name of what is in them */
};
struct guard_memory {
    uint8_t head[GUARD_ENDS_BYTES], tail[GUARD_ENDS_BYTES];
    uint8_t scratch[GUARD_SCRATCH_BYTES];
};
struct guard_found {
    const char *kind; /* "ext4", "LVM2 physical volume" */
    uint64_t at_bytes;
    uint16_t partition; /* 1...: in that one, at_bytes is from its beginning; 0: on the whole disk */
};
/* Our own sign in the first block of a disk that we write. */
struct guard_mark {
    char arming_id[17], run_id[17];
    bool finished; /* the run that wrote it came to its end; else it was interrupted */
};
struct guard_content {
    enum {
        CONTENT_NOT_LOOKED, /* nobody looked */
        CONTENT_UNREADABLE, /* a place that was looked at could not be read */
        CONTENT_UNFINISHED, /* the time for looking was over */
        CONTENT_BLANK,
        CONTENT_FOUND
    } state;
    uint64_t unreadable_lba;
    struct guard_found found[GUARD_MAX_FOUND];
    unsigned found_count;
    unsigned found_more; /* that had no room */
    bool has_mark;
    bool only_ours; /* the mark, and in head and tail no sign of anything else */
    struct guard_mark mark;
    uint64_t data_at_bytes; /* the first place of those looked at that is not zero, when has_data */
    unsigned data_places;   /* how many of GUARD_PLACES are not zero */
    char fingerprint[65];   /* "blank", 64 hexadecimal digits of head, tail, size and kinds; "": none */
};
/* Looks.  Never fails: what cannot be read is CONTENT_UNREADABLE, whatever else was found. */
void guard_look(const struct guard_reader *r, struct guard_memory *m, struct guard_content *out);
/* "ext4 at byte 1024 of partition 1" */
void guard_found_words(const struct guard_found *f, struct text *out);
/* All of it with "; " between, or "nothing but zeros at every place looked at". */
void guard_content_words(const struct guard_content *c, struct text *out);

/* ---- the mark ---- */
enum { GUARD_MARK_BYTES = 512 };
void guard_mark_make(uint8_t block[GUARD_MARK_BYTES], const struct guard_mark *m);
/* False: there is none, or it is damaged. */
bool guard_mark_read(const uint8_t block[GUARD_MARK_BYTES], struct guard_mark *out);

#endif
