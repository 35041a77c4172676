#include "driver_hand.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_mfi mfi;
struct pci_fn *fn;
struct controller *card;
struct fault fault;
void (*spy)(uint32_t off, uint64_t value);
static struct model_device_ops spied;

static void spied_write(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t v)
{
    model_mfi_ops.write(dev, bar, off, bytes, v);
    if (spy)
        spy(off, v);
}

void world(enum model_mfi_generation g)
{
    model_reset_world();
    model_quiet = true;
    gate_disarm_all();
    model_mfi_free(&mfi);
    model_mfi_init(&mfi, g);
    fn = NULL;
    card = NULL;
    spy = NULL;
    fault = (struct fault){ 0 };
}

int up(void)
{
    spied = model_mfi_ops;
    spied.write = spied_write;
    fn = model_add_device(&spied, &mfi, &mfi.host);
    return mfi_driver.attach(fn, 0, &card, &fault);
}

void down(void)
{
    if (card)
        mfi_driver.detach(card);
    card = NULL;
    EQ_STR(model_first_violation(), "");
    EQ(model_live_allocs(), 0);
    EQ(mfi.medium.writes_outside, 0);
    model_mfi_free(&mfi);
}

struct mfi_card *inside(void) { return mfi_card_of(card); }

struct disk *disk_named(const char *name)
{
    for (unsigned i = 0; i < card->disk_count; i++)
        if (!strcmp(card->disks[i]->name, name))
            return card->disks[i];
    test_fail(__FILE__, __LINE__, "no disk %s", name);
}

bool has_remark(int level, const char *part)
{
    for (unsigned i = 0; i < card->remark_count; i++)
        if ((int)card->remarks[i].level == level && strstr(card->remarks[i].text, part))
            return true;
    for (unsigned i = 0; i < card->remark_count; i++)
        printf("  remark %d: %s\n", card->remarks[i].level, card->remarks[i].text);
    return false;
}

struct io_completion read_once(struct io_lane *l, uint64_t lba, uint32_t blocks)
{
    struct io_completion c = { .slot = 0xffff };

    hand_send(l, 0, lba, blocks);
    EQ(hand_wait_ms(l, &c, 1, 1000), 1);
    EQ(c.slot, 0);
    return c;
}

void change_answer(struct io_lane *l, uint8_t status, uint8_t scsi_status, const uint8_t *sense)
{
    struct mfi_lane *m = mfi_lane_of(l);
    uint8_t *slot = mfi_slot(m->card, m->in_flight[0]->number);

    model_advance_ns(NS_PER_S);
    CHECK(mfi_slot_status(slot) != MFI_STAT_PENDING);
    slot[2] = status;
    slot[3] = scsi_status;
    if (sense)
        memcpy(slot + MFI_SENSE_OFFSET, sense, 18);
}

bool data_is(const struct io_lane *l, unsigned slot, unsigned target, uint64_t lba, uint32_t blocks)
{
    uint32_t block_bytes = l->disk->lba_bytes;
    uint8_t *want = malloc(block_bytes);
    bool same = true;

    for (uint32_t i = 0; i < blocks && same; i++) {
        model_mfi_pattern(target, lba + i, want, block_bytes);
        same = !memcmp(lane_data(l, slot) + (size_t)i * block_bytes, want, block_bytes);
    }
    free(want);
    return same;
}

void words_are(const struct disk *d, uint32_t detail, const char *part)
{
    char buf[200];
    struct text t = text_over(buf, sizeof buf);

    d->ops->status_words(detail, &t);
    HAS_STR(buf, part);
}

/* ---- writes ---- */
struct io_lane *open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, unsigned unit,
                            uint64_t first_lba, uint64_t blocks)
{
    return hand_open_writes(d, depth, request_bytes, true, &mfi.medium, unit, first_lba, blocks);
}

bool holds(const struct io_lane *l, unsigned unit, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    return hand_medium_holds(&mfi.medium, unit, l->disk->lba_bytes, lba, blocks, pass);
}
