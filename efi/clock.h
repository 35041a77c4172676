#ifndef EFI_CLOCK_H
#define EFI_CLOCK_H
#include <stdbool.h>
#include <stdint.h>

/* Time is the processor's time stamp counter, calibrated once at start.  Firmware timers and events are
 * never used for measuring: they run late under load. */
struct clock_facts {
    uint64_t tsc_hz;
    bool tsc_invariant;        /* CPUID says that the counter keeps its rate; many emulators do not say it */
    const char *calibrated_by; /* "ACPI PM timer" or "firmware stall" */
    bool cross_checked;        /* both were there and ... */
    uint32_t disagreement_permille; /* ... differ by this much */
};

/* Calibrates: takes about 100 ms.  Call before anything that reads plat_now_ns. */
void clock_init(struct clock_facts *out);
uint64_t clock_now_ns(void); /* since clock_init */
/* "2026-11-30T14:00:00", or "" when the machine's clock is not set (before 2024). */
void clock_wall(char *buf, unsigned cap);

#endif
