#include "handback.h"
#include "crc.h"
#include "platform.h"
#include "record.h"

enum { NOTES_MAX = 64 };
static struct note {
    char disk[24];
    EFI_HANDLE controller;
    uint64_t lba_count;
    uint32_t lba_bytes, head_crc32c;
    uint64_t head_bytes;
} notes[NOTES_MAX];
static unsigned note_count;

static EFI_HANDLE handle_of(const struct inventory *inv, const struct controller *c)
{
    for (unsigned i = 0; i < inv->controller_count; i++)
        if (inv->controllers[i].driven == c)
            return inv->controllers[i].handle;
    return NULL;
}

void handback_note(const struct inventory *inv)
{
    for (unsigned i = 0; i < inv->disk_count && note_count < NOTES_MAX; i++) {
        const struct known_disk *k = &inv->disks[i];
        const struct sample_region *head = &k->before.region[SAMPLE_HEAD_SMALL];
        EFI_HANDLE controller = handle_of(inv, k->disk->controller);

        if (!controller || !k->sampled || head->rc != OK)
            continue;
        struct note *n = &notes[note_count++];
        *n = (struct note){ .controller = controller,
                            .lba_count = k->disk->lba_count,
                            .lba_bytes = k->disk->lba_bytes,
                            .head_crc32c = head->crc32c,
                            .head_bytes = head->bytes };
        str_copy(n->disk, sizeof n->disk, k->disk->name);
    }
}

/* E_UNSUPPORTED: not this disk; E_IO: it is, and does not read; OK: it reads (*crc32c_out). */
static int read_head(EFI_HANDLE handle, const struct note *n, uint32_t *crc32c_out)
{
    EFI_BLOCK_IO_PROTOCOL *b = firmware_protocol(handle, &guid_block_io);

    if (!b || b->Media->LogicalPartition || b->Media->BlockSize != n->lba_bytes ||
        b->Media->LastBlock + 1 != n->lba_count ||
        !device_path_is_prefix(device_path_of(n->controller), device_path_of(handle)))
        return E_UNSUPPORTED;
    void *buf = plat_alloc((size_t)n->head_bytes);
    if (!buf)
        return E_NOMEM;
    EFI_STATUS status = b->ReadBlocks(b, b->Media->MediaId, 0, (UINTN)n->head_bytes, buf);
    *crc32c_out = crc32c(0, buf, (size_t)n->head_bytes);
    plat_free(buf);
    return EFI_ERROR(status) ? E_IO : OK;
}

/* Disks of equal size on one controller cannot be told apart by firmware's handles: one that reads the same
 * data must be among them. */
static void check_disk(const struct note *n, EFI_HANDLE *handles, UINTN count)
{
    unsigned candidates = 0, failed = 0;
    uint32_t crc = 0;

    for (UINTN i = 0; i < count; i++) {
        int rc = read_head(handles[i], n, &crc);

        if (rc == E_UNSUPPORTED)
            continue;
        candidates++;
        failed += rc != OK;
        if (rc == OK && crc == n->head_crc32c) {
            record_finding("handback", FINDING_PASS, n->disk, NULL,
                           "firmware's own driver reads the same data again (CRC-32C %08x)", crc);
            return;
        }
    }
    if (!candidates)
        record_finding("handback", FINDING_INFO, n->disk, NULL,
                       "firmware has no driver that shows this disk");
    else
        record_finding("handback", FINDING_FAIL, n->disk, "the data that our driver read",
                       "firmware's own driver does not read the disk again (%u candidates, %u unreadable)",
                       candidates, failed);
}

void handback_check(const struct inventory *inv)
{
    UINTN count;

    for (unsigned i = 0; i < inv->controller_count; i++)
        if (!inv->controllers[i].why_not[0])
            firmware_connect(inv->controllers[i].handle);
    EFI_HANDLE *handles = firmware_handles(&guid_block_io, &count);
    for (unsigned i = 0; i < note_count; i++)
        check_disk(&notes[i], handles, count);
    if (handles)
        boot->FreePool(handles);
}
