#include "board.h"
#include "net_state.h"
#include "platform.h"

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static const uint8_t *address(const uint8_t *p)
{
    return (const uint8_t *)(uintptr_t)(le32(p) | (uint64_t)le32(p + 4) << 32);
}

/* ---- SMBIOS: "_SM3_" has the table's size at 12 and its address at 16, "_SM_" at 22 and 24 ---- */

static void read_smbios(struct board_facts *out)
{
    const uint8_t *e = firmware_table(&guid_smbios3);

    if (e && !memcmp(e, "_SM3_", 5)) {
        smbios_read(address(e + 16), le32(e + 12), out);
        return;
    }
    e = firmware_table(&guid_smbios);
    if (e && !memcmp(e, "_SM_", 4))
        smbios_read((const void *)(uintptr_t)le32(e + 24), (size_t)(e[22] | e[23] << 8), out);
    else
        smbios_read(NULL, 0, out);
}

/* All that is memory, whoever uses it: firmware marks some of it reserved, which is why gaps are allowed for.
 */
static bool is_memory(uint32_t type)
{
    return type != EfiMemoryMappedIO && type != EfiMemoryMappedIOPortSpace && type != EfiUnusableMemory &&
           type != EfiReservedMemoryType && type < EfiMaxMemoryType;
}

static uint64_t memory_map_mib(void)
{
    UINTN len = 0, key, stride = 0;
    UINT32 version;
    uint8_t *map;
    uint64_t pages = 0;

    boot->GetMemoryMap(&len, NULL, &key, &stride, &version);
    len += 16 * (stride ? stride : sizeof(EFI_MEMORY_DESCRIPTOR));
    if (!(map = plat_alloc(len)))
        return 0;
    if (!EFI_ERROR(boot->GetMemoryMap(&len, (EFI_MEMORY_DESCRIPTOR *)map, &key, &stride, &version)))
        for (UINTN at = 0; stride >= sizeof(EFI_MEMORY_DESCRIPTOR) && at + stride <= len; at += stride) {
            const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)(map + at);

            pages += is_memory(d->Type) ? d->NumberOfPages : 0;
        }
    plat_free(map);
    return pages >> 8;
}

void board_describe(struct board_facts *out)
{
    read_smbios(out);
    out->map_mib = memory_map_mib();
}

/* ---- ACPI: the RSDP's revision at 15, the XSDT at 24; tables have their length at 4 ---- */

const void *board_acpi_table(const char *signature, size_t *len)
{
    enum { HEADER = 36 };
    const uint8_t *rsdp = firmware_table(&guid_acpi20), *xsdt;

    *len = 0;
    if (!rsdp || rsdp[15] < 2 || !(xsdt = address(rsdp + 24)))
        return NULL;
    uint32_t n = le32(xsdt + 4);
    for (uint32_t at = HEADER; at + 8 <= n; at += 8) {
        const uint8_t *t = address(xsdt + at);

        if (t && !memcmp(t, signature, 4)) {
            *len = le32(t + 4);
            return t;
        }
    }
    return NULL;
}

/* ---- the board's file ---- */

/* Boards whose maker put nothing, or the same thing everywhere, into the UUID cannot be told apart by it. */
static bool is_filler(const char *uuid)
{
    const char *p = uuid;

    if (str_equal(uuid, "03000200-0400-0500-0006-000700080009"))
        return true;
    while (*p && (*p == uuid[0] || *p == '-'))
        p++;
    return !*p;
}

static EFI_FILE_PROTOCOL *open_record(const struct medium *m, const char *uuid, UINT64 mode)
{
    CHAR16 name[80];
    char path[64];
    EFI_FILE_PROTOCOL *file = NULL, *folder = NULL;

    if (m->state != MEDIUM_OK || !m->root || is_filler(uuid))
        return NULL;
    ucs2_from_text(name, ARRAY_COUNT(name), "boards");
    if ((mode & EFI_FILE_MODE_CREATE) &&
        !EFI_ERROR(m->root->Open(m->root, &folder, name, mode, EFI_FILE_DIRECTORY)))
        folder->Close(folder);
    str_fmt(path, sizeof path, "boards\\%s.txt", uuid);
    ucs2_from_text(name, ARRAY_COUNT(name), path);
    return EFI_ERROR(m->root->Open(m->root, &file, name, mode, 0)) ? NULL : file;
}

static const char state_part[] = "responders";

/* What a server remembers, for a machine without a stick. */
static size_t read_state(char text[RESPONDER_FILE_BYTES])
{
    size_t len;
    const char *part = net_state_part(state_part, &len);

    if (len > RESPONDER_FILE_BYTES)
        len = RESPONDER_FILE_BYTES;
    if (part)
        memcpy(text, part, len);
    return len;
}

/* Returns the bytes read. */
static size_t read_record(const struct medium *m, const char *uuid, char text[RESPONDER_FILE_BYTES])
{
    EFI_FILE_PROTOCOL *file = open_record(m, uuid, EFI_FILE_MODE_READ);
    UINTN len = RESPONDER_FILE_BYTES;

    if (!file)
        return read_state(text);
    if (EFI_ERROR(file->Read(file, &len, text)))
        len = 0;
    file->Close(file);
    return len;
}

bool board_record_read(const struct medium *m, const char *uuid, struct responder_map *out)
{
    char *text = plat_alloc(RESPONDER_FILE_BYTES);
    bool found = text && responders_newest(text, read_record(m, uuid, text), out);

    plat_free(text);
    return found;
}

void board_record_write(struct medium *m, const char *uuid, const struct responder_map *now)
{
    char *old = plat_alloc(RESPONDER_FILE_BYTES), *text = plat_alloc(RESPONDER_FILE_BYTES);
    EFI_FILE_PROTOCOL *file = NULL;
    UINTN len = RESPONDER_FILE_BYTES;

    if (old && text) {
        responders_file(old, read_record(m, uuid, old), now, text);
        net_state_keep(state_part, text, len);
        file = open_record(m, uuid, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE);
    }
    if (file) {
        file->Write(file, &len, text);
        file->Flush(file);
        file->Close(file);
    }
    plat_free(old);
    plat_free(text);
}
