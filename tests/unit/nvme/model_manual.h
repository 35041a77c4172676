#ifndef TESTS_UNIT_MODEL_MANUAL_H
#define TESTS_UNIT_MODEL_MANUAL_H
#include "model_nvme.h"
#include "platform_model.h"

/* Drives the NVMe model by hand, in raw numbers and without a driver: proves the model, not the driver. */
enum { MANUAL_ENTRIES = 8, MANUAL_PAGES = 16 };
struct manual {
    struct model_nvme *m;
    struct pci_fn *fn;
    struct mmio bar;
    struct dma_buf sq[2], cq[2]; /* admin, I/O */
    struct dma_buf data, list;   /* MANUAL_PAGES pages; 4 pages for PRP lists */
    uint32_t tail[2], head[2];
    bool phase[2];
    uint16_t cid;
    uint32_t cqe[4]; /* the last completion */
};

/* A world with the model in it, powered off.  Change h->m->set and h->m->ns, then manual_start. */
void manual_up(struct manual *h);
void manual_start(struct manual *h);  /* power, BAR, admin queues: everything but EN */
void manual_enable(struct manual *h); /* EN=1, RDY=1 */
void manual_create_queues(struct manual *h);
/* Gives all back; no leaks; exactly `violations` of them, the first with `part` in it (NULL when 0). */
void manual_down(struct manual *h, unsigned long violations, const char *part);

uint32_t manual_read32(struct manual *h, uint32_t off);
void manual_write32(struct manual *h, uint32_t off, uint32_t v);
/* Until (CSTS & mask) == want; false after 10 s of the model's time. */
bool manual_wait_csts(struct manual *h, uint32_t mask, uint32_t want);
/* Puts an entry into queue q (0 admin, 1 I/O) without ringing. */
void manual_put(struct manual *h, unsigned q, const uint32_t sqe[16]);
void manual_ring(struct manual *h, unsigned q);
/* The next completion into h->cqe; false after 10 s. */
bool manual_take(struct manual *h, unsigned q);
/* Put, ring, take: the status word, or 0xffff without an answer. */
uint16_t manual_run(struct manual *h, unsigned q, const uint32_t sqe[16]);
uint16_t manual_admin(struct manual *h, uint8_t opcode, uint32_t nsid, uint64_t prp1, uint32_t cdw10,
                      uint32_t cdw11);
uint16_t manual_read(struct manual *h, uint64_t lba, uint32_t blocks, uint64_t prp1, uint64_t prp2);

#endif
