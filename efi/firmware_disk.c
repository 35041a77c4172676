#include "firmware_disk.h"
#include "lane.h"
#include "medium.h"

struct firmware_disk {
    struct disk disk;
    EFI_BLOCK_IO_PROTOCOL *block;
};
struct firmware_lane {
    struct io_lane lane;
    struct io_completion done;
    bool has_done;
};
static struct firmware_disk *known[FIRMWARE_DISKS_MAX];
static unsigned known_count;

static void status_words(uint32_t detail, struct text *out)
{
    static const struct {
        uint32_t code;
        const char *words;
    } rows[] = {
        { 2, "invalid parameter" }, { 3, "not supported" },   { 4, "bad buffer size" }, { 7, "device error" },
        { 12, "no medium" },        { 13, "medium changed" }, { 18, "timeout" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].code == detail) {
            text_fmt(out, "firmware: %s", rows[i].words);
            return;
        }
    text_fmt(out, "firmware: EFI error %u", detail);
}

static int lane_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out)
{
    struct firmware_disk *f = (struct firmware_disk *)d;
    struct firmware_lane *l;
    size_t align = f->block->Media->IoAlign > 1 ? f->block->Media->IoAlign : 1;

    if (shape->writes)
        return NOTE(E_REFUSED, "the firmware path is never written", 0, 0);
    if (shape->depth != 1)
        return NOTE(E_LIMIT, "firmware path: queue depth", shape->depth, 1);
    if (align > 4096 || !(l = plat_alloc(sizeof *l)))
        return E_NOMEM;
    l->lane = (struct io_lane){
        .disk = d, .depth = 1, .request_bytes = shape->request_bytes, .command_bytes = shape->request_bytes
    };
    /* Ordinary memory: firmware copies or maps as it likes. */
    EFI_PHYSICAL_ADDRESS at = 0;
    UINTN pages = (shape->request_bytes + 4095) / 4096;
    if (EFI_ERROR(boot->AllocatePages(AllocateAnyPages, EfiBootServicesData, pages, &at))) {
        plat_free(l);
        return E_NOMEM;
    }
    l->lane.data = (struct dma_buf){ .cpu = (void *)(uintptr_t)at, .len_bytes = pages * 4096 };
    *out = &l->lane;
    return OK;
}

static unsigned lane_submit(struct io_lane *lane, const struct io_request *r, unsigned n)
{
    struct firmware_lane *l = (struct firmware_lane *)lane;
    struct firmware_disk *f = (struct firmware_disk *)lane->disk;
    const struct disk *d = lane->disk;

    if (!n || l->has_done)
        return 0;
    l->done = (struct io_completion){ .slot = r->slot, .error_lba = r->lba };
    l->has_done = true;
    if (!r->blocks || r->lba >= d->lba_count || r->blocks > d->lba_count - r->lba ||
        (uint64_t)r->blocks * d->lba_bytes > lane->request_bytes) {
        l->done.status = IO_REFUSED;
        return 1;
    }
    EFI_STATUS status = f->block->ReadBlocks(f->block, f->block->Media->MediaId, r->lba,
                                             (UINTN)r->blocks * d->lba_bytes, lane->data.cpu);
    if (EFI_ERROR(status)) {
        l->done.detail = (uint32_t)(status & 0xffff);
        l->done.status = status == EFI_DEVICE_ERROR ? IO_MEDIA_ERROR : IO_DEVICE_ERROR;
    }
    return 1;
}

static void lane_kick(struct io_lane *lane) { (void)lane; }

static unsigned lane_poll(struct io_lane *lane, struct io_completion *c, unsigned max)
{
    struct firmware_lane *l = (struct firmware_lane *)lane;

    if (!max || !l->has_done)
        return 0;
    *c = l->done;
    l->has_done = false;
    return 1;
}

/* ReadBlocks returns when it is done: there is never anything left to expire. */
static void lane_expire(struct io_lane *lane, unsigned slot)
{
    (void)lane;
    (void)slot;
}

static void lane_close(struct io_lane *lane)
{
    boot->FreePages((EFI_PHYSICAL_ADDRESS)(uintptr_t)lane->data.cpu, lane->data.len_bytes / 4096);
    plat_free(lane);
}

static const struct disk_ops firmware_ops = {
    .open = lane_open,
    .submit = lane_submit,
    .kick = lane_kick,
    .poll = lane_poll,
    .expire = lane_expire,
    .close = lane_close,
    .status_words = status_words,
};

static bool is_boot_disk(EFI_HANDLE handle)
{
    return device_path_is_prefix(device_path_of(handle), medium_boot_path());
}

static bool is_whole_fixed_disk(const EFI_BLOCK_IO_PROTOCOL *b)
{
    const EFI_BLOCK_IO_MEDIA *m = b->Media;

    return m && m->MediaPresent && !m->LogicalPartition && !m->RemovableMedia && m->BlockSize >= 512 &&
           m->BlockSize <= 65536 && !(m->BlockSize & (m->BlockSize - 1)) && m->LastBlock != ~0ull;
}

static struct disk *firmware_disk_new(EFI_BLOCK_IO_PROTOCOL *b, struct controller *c)
{
    struct firmware_disk *f = plat_alloc(sizeof *f);

    if (!f)
        return NULL;
    f->block = b;
    f->disk = (struct disk){
        .ops = &firmware_ops,
        .controller = c,
        .kind = DISK_FIRMWARE,
        .lba_bytes = b->Media->BlockSize,
        .physical_block_bytes = b->Media->BlockSize,
        .lba_count = b->Media->LastBlock + 1,
        .max_depth = 1,
        .command_deadline_ns = 180 * NS_PER_S,
    };
    str_fmt(f->disk.name, sizeof f->disk.name, "fw%u", known_count);
    str_copy(f->disk.model, sizeof f->disk.model, "through firmware Block I/O");
    known[known_count++] = f;
    return &f->disk;
}

unsigned firmware_disks_find(EFI_HANDLE controller_handle, struct controller *controller, struct disk **disks,
                             unsigned cap)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&guid_block_io, &count);
    EFI_DEVICE_PATH_PROTOCOL *above = device_path_of(controller_handle);
    unsigned found = 0;

    for (UINTN i = 0; i < count && found < cap && known_count < FIRMWARE_DISKS_MAX; i++) {
        EFI_BLOCK_IO_PROTOCOL *b = firmware_protocol(handles[i], &guid_block_io);

        if (!b || !device_path_is_prefix(above, device_path_of(handles[i])) || !is_whole_fixed_disk(b) ||
            is_boot_disk(handles[i]))
            continue;
        struct disk *d = firmware_disk_new(b, controller);
        if (d)
            disks[found++] = d;
    }
    if (handles)
        boot->FreePool(handles);
    return found;
}

void firmware_disks_free(void)
{
    while (known_count)
        plat_free(known[--known_count]);
}
