#ifndef NET_TFTP_H
#define NET_TFTP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "err.h"
#include "text.h"

/* One TFTP transfer (RFC 1350, options of RFC 2347..2349) as a pure state machine: packets in, packets out,
 * stop and wait.  Whoever owns the socket sends `packet` after a begin and whenever tftp_take says so, sends
 * it again when no time of his own has brought an answer that fits, and gives up when he likes.
 *
 * Blocks of 1428 bytes are asked for, which fit an Ethernet frame under every tunnel that was met
 * (facts: 65464 fails in the field); a server may answer with fewer, or without options (512). */
enum {
    TFTP_BLOCK_BYTES = 1428,
    TFTP_PACKET_BYTES = 4 + TFTP_BLOCK_BYTES,
    TFTP_DATA_MAX_BYTES = 16 << 20 /* 512-byte blocks under a 16-bit number would end at 32 MiB */
};
struct tftp {
    bool put, done, failed;
    int err;           /* failed: E_REFUSED, E_LIMIT, E_PROTO */
    char problem[120]; /* failed: in words, with what the server said */

    uint8_t packet[TFTP_PACKET_BYTES]; /* goes to packet_port of the server */
    size_t packet_len;
    uint16_t packet_port;

    const uint8_t *from; /* put */
    uint8_t *room;       /* get */
    size_t len;          /* put: of the data; get: received so far */
    size_t cap;          /* get: of the room */
    uint16_t peer_port;  /* the transfer's own port at the server; 0 until its first packet */
    uint32_t block;      /* put: sent; get: acknowledged */
    uint16_t block_bytes;
};
/* name: of at most 200 characters, data and room belong to the caller until the end.  OK, or E_LIMIT. */
int tftp_put(struct tftp *t, const char *name, const void *data, size_t len, uint16_t server_port);
int tftp_get(struct tftp *t, const char *name, void *room, size_t cap, uint16_t server_port);
/* A packet of that server's address came from `port`.  True: t->packet is to be sent now (also after `done`
 * and `failed`, once: the last acknowledgement, or the error that tells the server to stop).  What does not
 * belong here (another port, an old or future block, no packet at all) is passed over: false. */
bool tftp_take(struct tftp *t, uint16_t port, const void *packet, size_t len);

#endif
