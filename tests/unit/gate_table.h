#ifndef TESTS_UNIT_GATE_TABLE_H
#define TESTS_UNIT_GATE_TABLE_H
#include "bits.h"
#include "disk.h"
#include "gate.h"
#include "platform_model.h"
#include "test.h"

/* The same table for every driver, through struct disk_ops alone: no write goes around the gate. */
struct gate_table {
    struct disk *d;                       /* not armed, larger than GATE_TABLE_B blocks and 8 more */
    unsigned long (*writes_seen)(void);   /* that reached the model */
    void (*permit)(const struct disk *d); /* tells the model that A .. B may be written */
};
enum { GATE_TABLE_A = 1000, GATE_TABLE_B = 2000 };

static inline enum io_status gate_table_send(struct io_lane *l, enum io_op op, uint64_t lba, uint32_t blocks)
{
    const struct io_request r = { .lba = lba, .blocks = blocks, .slot = 0, .op = (uint16_t)op };
    struct io_completion c = { .status = IO_STATUS_COUNT };

    EQ(l->disk->ops->submit(l, &r, 1), 1);
    l->disk->ops->kick(l);
    for (unsigned i = 0; i < 2000 && !l->disk->ops->poll(l, &c, 1); i++)
        model_advance_ns(NS_PER_MS);
    return (enum io_status)c.status;
}

static inline void gate_table_run(const struct gate_table *t)
{
    enum { A = GATE_TABLE_A, B = GATE_TABLE_B };
    const struct lane_shape writes = { .depth = 1, .writes = true, .request_bytes = 4096 };
    const struct lane_shape reads = { .depth = 1, .request_bytes = 4096 };
    const uint64_t end = t->d->lba_count;
    const struct {
        uint64_t lba;
        uint32_t blocks;
    } rows[] = { { A - 1, 1 },      { A - 1, 2 },           { B, 1 },   { B - 1, 2 },
                 { B - 7, 8 },      { end - 1, 2 },         { end, 1 }, { end + B, 1 },
                 { UINT64_MAX, 1 }, { UINT64_MAX - 1, 8 },  { A, 0 },   { 0, 1 },
                 { A, UINT32_MAX }, { (1ull << 63) + A, 1 } };
    unsigned long before = t->writes_seen();
    struct io_lane *l = NULL;

    EQ(t->d->ops->open(t->d, &writes, &l), E_REFUSED);
    EQ(gate_arm(t->d->identity, A, B - A), OK);
    t->permit(t->d);
    EQ(t->d->ops->open(t->d, &reads, &l), OK);
    EQ(gate_table_send(l, IO_WRITE, A, 1), IO_REFUSED);
    EQ(gate_table_send(l, IO_FLUSH, 0, 0), IO_REFUSED);
    t->d->ops->close(l);
    EQ(t->d->ops->open(t->d, &writes, &l), OK);
    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        EQ(gate_table_send(l, IO_WRITE, rows[i].lba, rows[i].blocks), IO_REFUSED);
        EQ(t->writes_seen(), before);
    }
    /* The counter does count: both ends of the range are written. */
    EQ(gate_table_send(l, IO_WRITE, A, 1), IO_OK);
    EQ(gate_table_send(l, IO_WRITE, B - 1, 1), IO_OK);
    EQ(t->writes_seen(), before + 2);
    t->d->ops->close(l);
}

#endif
