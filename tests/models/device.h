#ifndef TESTS_MODELS_DEVICE_H
#define TESTS_MODELS_DEVICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A device model is a complete device at register level, without any transport: unit tests, fuzzers,
 * benchmarks and a vfio-user server can all drive it.  Models spell the specification in raw numbers and
 * never include a driver's header: a wrong table must not agree with itself. */

/* What a device may do to the world. */
struct model_host {
    void *ctx;
    /* False: the address lies in no memory that a driver allocated (already counted as a violation). */
    bool (*dma_read)(void *ctx, uint64_t bus, void *dst, size_t n);
    bool (*dma_write)(void *ctx, uint64_t bus, const void *src, size_t n);
    void (*irq)(void *ctx, bool level);
    uint64_t (*now_ns)(void *ctx);
    /* A careless driver: counted, printed, and the test that did not expect it fails. */
    void (*violation)(void *ctx, const char *what, uint64_t got, uint64_t want);
    void (*log)(void *ctx, const char *what, uint64_t a, uint64_t b);
    /* Stores were published (plat_dma_publish) since the last register write; NULL: the back end cannot say.
     */
    bool (*published)(void *ctx);
};

/* What the world may do to a device. */
struct model_device_ops {
    const char *name;
    uint64_t (*read)(void *dev, unsigned bar, uint32_t off, unsigned bytes);
    void (*write)(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t v);
    /* The device answers ids, class, BAR type and size bits; the back end keeps command and BAR values.
     * A BAR's dword is what it reads after all ones were written: size mask and type bits, 0 for no BAR; the
     * upper dword of a 64-bit BAR reads all ones. */
    uint32_t (*config_read)(void *dev, uint32_t off);
    void (*config_write)(void *dev, uint32_t off, uint32_t v);
    void (*reset)(void *dev);
    /* Time has passed: finish what is due.  Called before every access and whenever the clock moves. */
    void (*tick)(void *dev);
};

#endif
