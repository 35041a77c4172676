#include <stdio.h>
#include <string.h>
#include "manual_host.h"

uint8_t manual_memory[MANUAL_BYTES];
uint64_t manual_now_ns;
unsigned long manual_violations;
char manual_violation[120];
bool manual_published;
static uint64_t memory_base;

static uint8_t *at(uint64_t bus, size_t n)
{
    if (bus < memory_base || bus - memory_base > MANUAL_BYTES || n > MANUAL_BYTES - (bus - memory_base)) {
        manual_violations++;
        snprintf(manual_violation, sizeof manual_violation, "memory at %#llx", (unsigned long long)bus);
        return NULL;
    }
    return manual_memory + (bus - memory_base);
}

static bool dma_read(void *ctx, uint64_t bus, void *dst, size_t n)
{
    const uint8_t *p = at(bus, n);

    (void)ctx;
    if (p)
        memcpy(dst, p, n);
    return p;
}

static bool dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    uint8_t *p = at(bus, n);

    (void)ctx;
    if (p)
        memcpy(p, src, n);
    return p;
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return manual_now_ns;
}

static void violation(void *ctx, const char *what, uint64_t got, uint64_t want)
{
    (void)ctx;
    manual_violations++;
    snprintf(manual_violation, sizeof manual_violation, "%s (%#llx, %#llx)", what, (unsigned long long)got,
             (unsigned long long)want);
}

static bool published(void *ctx)
{
    (void)ctx;
    return manual_published;
}

struct model_host manual_host(uint64_t base)
{
    memory_base = base;
    memset(manual_memory, 0, sizeof manual_memory);
    manual_now_ns = 0;
    manual_violations = 0;
    manual_violation[0] = 0;
    manual_published = true;
    return (struct model_host){ .dma_read = dma_read,
                                .dma_write = dma_write,
                                .now_ns = now_ns,
                                .violation = violation,
                                .published = published };
}
