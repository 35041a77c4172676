#ifndef TESTS_UNIT_MODEL_HAND_H
#define TESTS_UNIT_MODEL_HAND_H
#include "model_nvme.h"
#include "platform_model.h"

/* Drives the NVMe model by hand, in raw numbers and without a driver: proves the model, not the driver. */
enum { HAND_ENTRIES = 8, HAND_PAGES = 16 };
struct hand {
    struct model_nvme *m;
    struct pci_fn *fn;
    struct mmio bar;
    struct dma_buf sq[2], cq[2]; /* admin, I/O */
    struct dma_buf data, list;   /* HAND_PAGES pages; 4 pages for PRP lists */
    uint32_t tail[2], head[2];
    bool phase[2];
    uint16_t cid;
    uint32_t cqe[4]; /* the last completion */
};

/* A world with the model in it, powered off.  Change h->m->set and h->m->ns, then hand_start. */
void hand_up(struct hand *h);
void hand_start(struct hand *h);  /* power, BAR, admin queues: everything but EN */
void hand_enable(struct hand *h); /* EN=1, RDY=1 */
void hand_create_queues(struct hand *h);
/* Gives all back; no leaks; exactly `violations` of them, the first with `part` in it (NULL when 0). */
void hand_down(struct hand *h, unsigned long violations, const char *part);

uint32_t hand_read32(struct hand *h, uint32_t off);
void hand_write32(struct hand *h, uint32_t off, uint32_t v);
/* Until (CSTS & mask) == want; false after 10 s of the model's time. */
bool hand_wait_csts(struct hand *h, uint32_t mask, uint32_t want);
/* Puts an entry into queue q (0 admin, 1 I/O) without ringing. */
void hand_put(struct hand *h, unsigned q, const uint32_t sqe[16]);
void hand_ring(struct hand *h, unsigned q);
/* The next completion into h->cqe; false after 10 s. */
bool hand_take(struct hand *h, unsigned q);
/* Put, ring, take: the status word, or 0xffff without an answer. */
uint16_t hand_run(struct hand *h, unsigned q, const uint32_t sqe[16]);
uint16_t hand_admin(struct hand *h, uint8_t opcode, uint32_t nsid, uint64_t prp1, uint32_t cdw10,
                    uint32_t cdw11);
uint16_t hand_read(struct hand *h, uint64_t lba, uint32_t blocks, uint64_t prp1, uint64_t prp2);

#endif
