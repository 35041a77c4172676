#ifndef RESULT_ARMING_H
#define RESULT_ARMING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "text.h"

/* An arming batch: which disks may be overwritten, each once, and what they may hold then.  Written by
 * baresweep-rack arm, approved by a person, read by the application.  docs/safety.md describes the file:
 *
 *     baresweep-arming 1
 *     batch 0123456789abcdef
 *     arming 00112233445566ff
 *     identity nvme QEMU NVMe Ctrl QM0001 nsid 1
 *     fingerprint blank
 *     machine 4c4c4544-0031
 *     found nothing
 *     approved 2026-11-30T14:10:00 by Jane Doe for <SHA-256 of the lines above>
 */
enum { ARMING_MAX = 512, ARMING_MAX_TEXT_BYTES = 1 << 20 };
struct arming {
    char id[17];          /* 16 hexadecimal digits: what is used up */
    char identity[96];    /* of one disk, as the journal tells it */
    char fingerprint[65]; /* "blank", or 64 hexadecimal digits */
    char machine[64];     /* serial number or UUID that the machine must have; "": any */
    char found[200];      /* for people: what will be overwritten */
};
struct arming_batch {
    char id[17];
    char approved_at[24], approved_by[64]; /* "" when nobody approved it */
    struct arming *armings;                /* ARMING_MAX of them: the caller's memory */
    unsigned count;
};
/* Reads a whole batch.  E_SYNTAX, E_LIMIT: nothing of it counts, `why` says the line, what is wrong and what
 * to do.  A batch whose approval does not fit its lines is refused as a whole. */
int arming_read(const char *text, size_t len, struct arming_batch *out, struct text *why);

/* May this text count?  From the boot medium always; from the network only when its SHA-256 is the pinned one
 * (64 hexadecimal digits, from the stick or the image; "" : none).  False: `why` says it. */
bool arming_accept(bool source_is_network, const char *pinned_sha256, const char *text, size_t len,
                   struct text *why);

/* The pin in an image's own place for it: ARMING_PIN_HEAD and 64 hexadecimal digits, which are returned.  "":
 * nobody wrote one there. */
#define ARMING_PIN_HEAD "BARESWEEP ARM PIN 1 "
const char *arming_pin(const char *place);

/* NULL: no arming names exactly this identity. */
const struct arming *arming_find(const struct arming_batch *b, const char *identity);

/* SHA-256 of the lines before the approval, as hexadecimal digits: what an approval line must carry. */
void arming_digest(const char *text, size_t len, char out[65]);

/* ---- what is used up ---- */
/* A ledger is a file of fixed size on the result medium, written in place: records of 32 bytes. */
enum { LEDGER_RECORD_BYTES = 32, LEDGER_BYTES = 64 << 10 };
bool ledger_has(const char *ledger, size_t len, const char *arming_id);
/* Puts a record at the first free place of the text and says where.  E_LIMIT: the ledger is full. */
int ledger_add(char *ledger, size_t len, const char *arming_id, size_t *at);

#endif
