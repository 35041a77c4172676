#include "machine.h"
#include "crc.h"
#include "firmware.h"
#include "medium.h"
#include "platform.h"
#include "version.h"

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---- SMBIOS: structures of a formatted part (type, length, handle, ...) and a list of strings ended by an
 * empty one.  Entry points: "_SM3_" (address 64-bit at 16, size at 12), "_SM_" (address at 24, size at 22).
 */

struct smbios {
    const uint8_t *at, *end;
};

static struct smbios smbios_find(void)
{
    const uint8_t *e = firmware_table(&guid_smbios3);

    if (e && !memcmp(e, "_SM3_", 5)) {
        const uint8_t *t = (const uint8_t *)(uintptr_t)(le32(e + 16) | (uint64_t)le32(e + 20) << 32);
        return (struct smbios){ t, t ? t + le32(e + 12) : t };
    }
    e = firmware_table(&guid_smbios);
    if (e && !memcmp(e, "_SM_", 4)) {
        const uint8_t *t = (const uint8_t *)(uintptr_t)le32(e + 24);
        return (struct smbios){ t, t ? t + (e[22] | e[23] << 8) : t };
    }
    return (struct smbios){ 0 };
}

static const uint8_t *smbios_next(const struct smbios *s, const uint8_t *t)
{
    const uint8_t *p = t + t[1];

    while (p + 1 < s->end && (p[0] || p[1]))
        p++;
    return p + 2;
}

static const uint8_t *smbios_structure(const struct smbios *s, uint8_t type, unsigned min_len)
{
    for (const uint8_t *t = s->at; t && t + 4 <= s->end && t[1] >= 4; t = smbios_next(s, t))
        if (t[0] == type && t[1] >= min_len && t + t[1] <= s->end)
            return t;
    return NULL;
}

static void smbios_string(const struct smbios *s, const uint8_t *t, unsigned field, char *out, size_t cap)
{
    const char *p = (const char *)t + t[1], *end = (const char *)s->end;

    out[0] = 0;
    for (unsigned n = t[field]; n > 1 && p < end && *p; n--)
        p += str_len(p) + 1;
    if (t[field] && p < end)
        str_scrub(out, cap, p, str_len(p));
}

static void describe_smbios(struct machine_info *m)
{
    struct smbios s = smbios_find();
    const uint8_t *bios = smbios_structure(&s, 0, 0x12), *system = smbios_structure(&s, 1, 0x19);

    if (bios) {
        char version[40], date[20];

        smbios_string(&s, bios, 5, version, sizeof version);
        smbios_string(&s, bios, 8, date, sizeof date);
        str_fmt(m->bios, sizeof m->bios, "%s %s", version, date);
    }
    if (!system)
        return;
    smbios_string(&s, system, 4, m->vendor, sizeof m->vendor);
    smbios_string(&s, system, 5, m->model, sizeof m->model);
    smbios_string(&s, system, 7, m->serial, sizeof m->serial);
    const uint8_t *u = system + 8;
    str_fmt(m->uuid, sizeof m->uuid, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
            u[3], u[2], u[1], u[0], u[5], u[4], u[7], u[6], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
            u[15]);
}

void machine_describe(struct machine_info *out, const struct clock_facts *clock)
{
    char vendor[40];

    *out = (struct machine_info){ .product = PRODUCT_NAME,
                                  .version = PRODUCT_VERSION,
                                  .tsc_hz = clock->tsc_hz,
                                  .tsc_invariant = clock->tsc_invariant };
    describe_smbios(out);
    text_from_ucs2(vendor, sizeof vendor, firmware->FirmwareVendor);
    str_fmt(out->firmware, sizeof out->firmware, "%s 0x%08x, UEFI %u.%u", vendor, firmware->FirmwareRevision,
            firmware->Hdr.Revision >> 16, (firmware->Hdr.Revision & 0xffff) / 10);
    EFI_LOADED_IMAGE *image = firmware_protocol(image_handle, &guid_loaded_image);
    struct text path = text_over(out->boot_path, sizeof out->boot_path);
    if (image && image->DeviceHandle) {
        device_path_text(device_path_of(image->DeviceHandle), &path);
        text_char(&path, '/');
        device_path_text(image->FilePath, &path);
    }
    clock_wall(out->clock, sizeof out->clock);
}

/* EFI_RNG_PROTOCOL: GetInfo, GetRNG(This, algorithm, length, buffer). */
struct rng_protocol {
    void *get_info;
    EFI_STATUS(EFIAPI *get_rng)(struct rng_protocol *self, EFI_GUID *algorithm, UINTN len, UINT8 *out);
};

uint64_t machine_run_id(const struct machine_info *m)
{
    struct rng_protocol *rng = NULL;
    uint8_t random[8] = { 0 };
    EFI_TIME now = { 0 };
    uint32_t lo, hi;

    if (!EFI_ERROR(boot->LocateProtocol(&guid_rng, NULL, (VOID **)&rng)))
        rng->get_rng(rng, NULL, sizeof random, random);
    firmware->RuntimeServices->GetTime(&now, NULL);
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    uint32_t a = crc32c(crc32c(crc32c(lo, random, sizeof random), &now, sizeof now), m->uuid, sizeof m->uuid);
    uint32_t b = crc32c(crc32c(a ^ hi, &lo, sizeof lo), random, sizeof random);
    uint64_t id = (uint64_t)a << 32 | b;
    return id ? id : 1;
}
