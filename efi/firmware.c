#include "firmware.h"

EFI_SYSTEM_TABLE *firmware;
EFI_BOOT_SERVICES *boot;
EFI_HANDLE image_handle;

EFI_GUID guid_pci_io = EFI_PCI_IO_PROTOCOL_GUID;
EFI_GUID guid_loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
EFI_GUID guid_device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;
EFI_GUID guid_block_io = EFI_BLOCK_IO_PROTOCOL_GUID;
EFI_GUID guid_file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
EFI_GUID guid_file_info = EFI_FILE_INFO_ID;
EFI_GUID guid_serial_io = EFI_SERIAL_IO_PROTOCOL_GUID;
EFI_GUID guid_text_out = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
EFI_GUID guid_rng = { 0x3152bca5, 0xeade, 0x433d, { 0x86, 0x2e, 0xc0, 0x1c, 0xdc, 0x29, 0x1f, 0x44 } };
EFI_GUID guid_smbios = SMBIOS_TABLE_GUID;
EFI_GUID guid_smbios3 = SMBIOS3_TABLE_GUID;
EFI_GUID guid_acpi20 = ACPI_20_TABLE_GUID;
EFI_GUID guid_acpi10 = ACPI_TABLE_GUID;

void firmware_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    image_handle = image;
    firmware = table;
    boot = table->BootServices;
}

void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol)
{
    void *interface = NULL;

    return handle && !EFI_ERROR(boot->HandleProtocol(handle, protocol, &interface)) ? interface : NULL;
}

EFI_HANDLE *firmware_handles(EFI_GUID *protocol, UINTN *count)
{
    EFI_HANDLE *handles = NULL;

    *count = 0;
    if (EFI_ERROR(boot->LocateHandleBuffer(ByProtocol, protocol, NULL, count, &handles))) {
        *count = 0;
        return NULL;
    }
    return handles;
}

void *firmware_table(const EFI_GUID *which)
{
    for (UINTN i = 0; i < firmware->NumberOfTableEntries; i++)
        if (!memcmp(&firmware->ConfigurationTable[i].VendorGuid, which, sizeof *which))
            return firmware->ConfigurationTable[i].VendorTable;
    return NULL;
}

/* ---- device paths ---- */

enum { DEVICE_PATH_MAX_BYTES = 4096 };

static size_t node_len(const uint8_t *n) { return (size_t)(n[2] | n[3] << 8); }

/* A node shorter than its header would make every walk endless: treated as the end. */
static bool node_is_end(const uint8_t *n) { return (n[0] & 0x7f) == END_DEVICE_PATH_TYPE || node_len(n) < 4; }

EFI_DEVICE_PATH_PROTOCOL *device_path_of(EFI_HANDLE handle)
{
    return firmware_protocol(handle, &guid_device_path);
}

size_t device_path_len(const EFI_DEVICE_PATH_PROTOCOL *p)
{
    const uint8_t *start = (const uint8_t *)p, *n = start;

    if (!p)
        return 0;
    while (!node_is_end(n) && (size_t)(n - start) < DEVICE_PATH_MAX_BYTES)
        n += node_len(n);
    return (size_t)(n - start);
}

bool device_path_is_prefix(const EFI_DEVICE_PATH_PROTOCOL *prefix, const EFI_DEVICE_PATH_PROTOCOL *of)
{
    size_t len = device_path_len(prefix);

    return len && len <= device_path_len(of) && !memcmp(prefix, of, len);
}

bool device_path_has_node(const EFI_DEVICE_PATH_PROTOCOL *p, uint8_t type, uint8_t sub_type)
{
    const uint8_t *n = (const uint8_t *)p, *end = n + device_path_len(p);

    for (; n < end; n += node_len(n))
        if (n[0] == type && n[1] == sub_type)
            return true;
    return false;
}

size_t device_path_disk_len(const EFI_DEVICE_PATH_PROTOCOL *p)
{
    const uint8_t *start = (const uint8_t *)p, *n = start, *end = n + device_path_len(p);

    for (; n < end; n += node_len(n))
        if (n[0] == MEDIA_DEVICE_PATH && n[1] == MEDIA_HARDDRIVE_DP)
            break;
    return (size_t)(n - start);
}

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void node_text(const uint8_t *n, struct text *out)
{
    unsigned kind = (unsigned)n[0] << 8 | n[1];
    size_t len = node_len(n);

    if (kind == 0x0201 && len >= 12)
        text_fmt(out, "PciRoot(0x%x)", le32(n + 8));
    else if (kind == 0x0101 && len >= 6)
        text_fmt(out, "Pci(0x%x,0x%x)", n[5], n[4]);
    else if (kind == 0x0305 && len >= 6)
        text_fmt(out, "USB(0x%x,0x%x)", n[4], n[5]);
    else if (kind == 0x0312 && len >= 10)
        text_fmt(out, "Sata(0x%x)", n[4] | n[5] << 8);
    else if (kind == 0x0317 && len >= 8)
        text_fmt(out, "NVMe(0x%x)", le32(n + 4));
    else if (kind == 0x0302 && len >= 8)
        text_fmt(out, "Scsi(0x%x,0x%x)", n[4] | n[5] << 8, n[6] | n[7] << 8);
    else if (kind == 0x030b && len >= 10)
        text_fmt(out, "MAC(%02x%02x%02x%02x%02x%02x)", n[4], n[5], n[6], n[7], n[8], n[9]);
    else if (kind == 0x0401 && len >= 8)
        text_fmt(out, "HD(%u)", le32(n + 4));
    else if (kind == 0x0402 && len >= 8)
        text_fmt(out, "CDROM(0x%x)", le32(n + 4));
    else if (kind == 0x0404) {
        char path[96];

        text_from_ucs2(path, sizeof path < (len - 4) / 2 + 1 ? sizeof path : (len - 4) / 2 + 1,
                       (const CHAR16 *)(const void *)(n + 4));
        text_str(out, path);
    } else
        text_fmt(out, "Node(0x%x,0x%x)", n[0], n[1]);
}

void device_path_text(const EFI_DEVICE_PATH_PROTOCOL *p, struct text *out)
{
    const uint8_t *n = (const uint8_t *)p, *end = n + device_path_len(p);

    for (bool first = true; n < end; n += node_len(n), first = false) {
        if (!first)
            text_char(out, '/');
        node_text(n, out);
    }
}

void text_from_ucs2(char *dst, size_t cap, const CHAR16 *src)
{
    size_t n = 0;

    for (; src && n + 1 < cap && src[n]; n++)
        dst[n] = src[n] >= 0x20 && src[n] < 0x7f ? (char)src[n] : '?';
    dst[n] = 0;
}

void ucs2_from_text(CHAR16 *dst, size_t cap, const char *src)
{
    size_t n = 0;

    for (; n + 1 < cap && src[n]; n++)
        dst[n] = (CHAR16)(unsigned char)src[n];
    dst[n] = 0;
}

/* ---- who drives what ---- */

void firmware_connect(EFI_HANDLE handle) { boot->ConnectController(handle, NULL, NULL, TRUE); }

bool firmware_drives(EFI_HANDLE handle)
{
    EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *entries = NULL;
    UINTN count = 0;
    bool driven = false;

    if (EFI_ERROR(boot->OpenProtocolInformation(handle, &guid_pci_io, &entries, &count)))
        return false;
    for (UINTN i = 0; i < count; i++)
        driven |= (entries[i].Attributes & EFI_OPEN_PROTOCOL_BY_DRIVER) != 0;
    boot->FreePool(entries);
    return driven;
}

int firmware_disconnect(EFI_HANDLE handle)
{
    return EFI_ERROR(boot->DisconnectController(handle, NULL, NULL)) ? E_IO : OK;
}
