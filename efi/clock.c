#include "clock.h"
#include "firmware.h"
#include "math.h"

static uint64_t tsc_start, ns_per_tick_q32;

static inline uint64_t tsc_read(void)
{
    uint32_t lo, hi;

    /* lfence: earlier loads (a completion entry) are done before the time is taken. */
    __asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
    return (uint64_t)hi << 32 | lo;
}

uint64_t clock_now_ns(void)
{
    return (uint64_t)(((unsigned __int128)(tsc_read() - tsc_start) * ns_per_tick_q32) >> 32);
}

static void cpuid(uint32_t leaf, uint32_t r[4])
{
    __asm__ volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf), "c"(0));
}

static bool tsc_is_invariant(void)
{
    uint32_t r[4];

    cpuid(0x80000000, r);
    if (r[0] < 0x80000007)
        return false;
    cpuid(0x80000007, r);
    return r[3] & 1u << 8;
}

/* ---- the ACPI power management timer: 3.579545 MHz, 24 bits, independent of firmware's own timers ---- */
enum { PM_TIMER_HZ = 3579545, PM_TIMER_MASK = 0xffffff };

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* FADT: PM_TMR_BLK is the 32-bit port at byte 76; RSDP: RSDT at 16, XSDT at 24 (revision at 15 >= 2). */
static uint16_t pm_timer_port(void)
{
    const uint8_t *rsdp = firmware_table(&guid_acpi20);

    if (!rsdp || rsdp[15] < 2)
        return 0;
    const uint8_t *xsdt = (const uint8_t *)(uintptr_t)(le32(rsdp + 24) | (uint64_t)le32(rsdp + 28) << 32);
    if (!xsdt || memcmp(xsdt, "XSDT", 4))
        return 0;
    uint32_t len = le32(xsdt + 4);
    for (uint32_t off = 36; off + 8 <= len && off < 4096; off += 8) {
        const uint8_t *t =
            (const uint8_t *)(uintptr_t)(le32(xsdt + off) | (uint64_t)le32(xsdt + off + 4) << 32);

        if (t && !memcmp(t, "FACP", 4) && le32(t + 4) >= 80) {
            uint32_t port = le32(t + 76);
            return port && port < 0x10000 ? (uint16_t)port : 0;
        }
    }
    return 0;
}

static uint32_t pm_timer_read(uint16_t port)
{
    uint32_t v;

    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
    return v & PM_TIMER_MASK;
}

/* 0 when the timer does not count. */
static uint64_t hz_by_pm_timer(uint16_t port, uint32_t ms)
{
    uint32_t want = PM_TIMER_HZ / 1000 * ms, begin = pm_timer_read(port), seen = 0;
    uint64_t t0 = tsc_read(), give_up = t0 + (uint64_t)ms * 1000 * 1000 * 100;

    while (seen < want) {
        seen = (pm_timer_read(port) - begin) & PM_TIMER_MASK;
        if (tsc_read() > give_up)
            return 0;
    }
    return mul_div_u64(tsc_read() - t0, PM_TIMER_HZ, seen);
}

static uint64_t hz_by_stall(uint32_t ms)
{
    uint64_t t0 = tsc_read();

    boot->Stall(ms * 1000u);
    return (tsc_read() - t0) / ms * 1000;
}

static uint64_t median_of_3(const uint64_t v[3])
{
    uint64_t lo = min_u64(v[0], v[1]), hi = max_u64(v[0], v[1]);

    return v[2] < lo ? lo : v[2] > hi ? hi : v[2];
}

enum { CALIBRATION_MS = 20 };

void clock_init(struct clock_facts *out)
{
    uint64_t by_stall[3], by_timer[3];
    uint16_t port = pm_timer_port();
    bool timer_counts = port != 0;

    for (unsigned i = 0; i < 3; i++) {
        by_stall[i] = hz_by_stall(CALIBRATION_MS);
        by_timer[i] = timer_counts ? hz_by_pm_timer(port, CALIBRATION_MS) : 0;
        timer_counts = timer_counts && by_timer[i];
    }
    uint64_t stall_hz = median_of_3(by_stall), hz = timer_counts ? median_of_3(by_timer) : stall_hz;
    uint64_t apart = hz > stall_hz ? hz - stall_hz : stall_hz - hz;
    if (!hz)
        hz = 1000000000;

    *out = (struct clock_facts){
        .tsc_hz = hz,
        .tsc_invariant = tsc_is_invariant(),
        .calibrated_by = timer_counts ? "ACPI PM timer" : "firmware stall",
        .cross_checked = timer_counts,
        .disagreement_permille = (uint32_t)(apart * 1000 / hz),
    };
    ns_per_tick_q32 = mul_div_u64(1000000000ull, 1ull << 32, hz);
    tsc_start = tsc_read();
}

void clock_wall(char *buf, unsigned cap)
{
    EFI_TIME t;

    buf[0] = 0;
    if (EFI_ERROR(firmware->RuntimeServices->GetTime(&t, NULL)) || t.Year < 2024 || t.Year > 2099)
        return;
    str_fmt(buf, cap, "%04u-%02u-%02uT%02u:%02u:%02u", t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second);
}
