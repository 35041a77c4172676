#ifndef DRIVERS_PLATFORM_H
#define DRIVERS_PLATFORM_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything a driver and the workload engine may ask of the world.  Three back ends implement it and
 * the linker picks one: efi/platform_efi.c (the product), tests/platform/model.c (in-process device
 * models) and tests/platform/qtest.c (QEMU's device models, driven from the host).
 *
 * [any]  memory and registers only: safe while firmware is not to be disturbed and on another processor.
 * [boot] may enter firmware.
 * The build checks the undefined symbols of the linked I/O path against the [any] list. */

/* ---- registers ---- */
struct mmio {
    void *ctx; /* the back end's own */
    uintptr_t base;
    size_t len_bytes;
};
/* off is inside len_bytes and aligned to the access.  A 64-bit access is ONE access; registers that are
 * two 32-bit halves are read low half first by the driver itself. */
uint32_t plat_read32(const struct mmio *m, uint32_t off);          /* [any] */
uint64_t plat_read64(const struct mmio *m, uint32_t off);          /* [any] */
void plat_write32(const struct mmio *m, uint32_t off, uint32_t v); /* [any] */
void plat_write64(const struct mmio *m, uint32_t off, uint64_t v); /* [any] */

/* x86 I/O ports (SMBus host controllers). */
uint8_t plat_port_read8(uint16_t port);            /* [any] */
uint16_t plat_port_read16(uint16_t port);          /* [any] */
uint32_t plat_port_read32(uint16_t port);          /* [any] */
void plat_port_write8(uint16_t port, uint8_t v);   /* [any] */
void plat_port_write16(uint16_t port, uint16_t v); /* [any] */
void plat_port_write32(uint16_t port, uint32_t v); /* [any] */

/* ---- PCI ---- */
struct pci_fn {
    void *ctx; /* the back end's own */
    uint16_t segment;
    uint8_t bus, device, function, revision;
    uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
    uint32_t class_code; /* base class << 16 | sub-class << 8 | programming interface */
};
/* Config space; off is aligned to the access.  A function that is gone reads all ones. */
uint32_t plat_pci_read32(const struct pci_fn *fn, uint32_t off);          /* [boot] */
void plat_pci_write32(const struct pci_fn *fn, uint32_t off, uint32_t v); /* [boot] */
/* Memory decoding and bus mastering on; plat_pci_release puts back what was found. */
int plat_pci_enable(const struct pci_fn *fn);   /* [boot] */
void plat_pci_release(const struct pci_fn *fn); /* [boot] */
/* Maps memory BAR number `bar` (0-5; a 64-bit BAR by its lower number).  E_UNSUPPORTED: no memory BAR
 * there; E_LIMIT: shorter than min_len_bytes. */
int plat_bar_map(const struct pci_fn *fn, unsigned bar, size_t min_len_bytes, struct mmio *out); /* [boot] */
/* Registers of the chip set at an address that no BAR names.  E_UNSUPPORTED: not on this back end. */
int plat_fixed_map(uint64_t address, size_t len_bytes, struct mmio *out); /* [boot] */
void plat_bar_unmap(struct mmio *m); /* [boot] harmless on a zeroed one */

/* ---- memory ---- */
struct dma_buf {
    void *cpu;    /* NULL: not allocated */
    uint64_t bus; /* what the device must be told; never assume it equals cpu */
    size_t len_bytes;
    void *ctx; /* the back end's own */
};
struct dma_limits {
    uint64_t highest_address; /* the last byte must not lie above; 0: anywhere */
    uint64_t boundary_bytes;  /* must not cross a multiple of it (power of two); 0: may */
    uint32_t align_bytes;     /* power of two; 0: 4096 */
};
/* Contiguous, zeroed, visible to CPU and device alike.  lim NULL: no limits.  E_NOMEM leaves *out zeroed. */
int plat_dma_alloc(const struct pci_fn *fn, size_t len_bytes, const struct dma_limits *lim,
                   struct dma_buf *out); /* [boot] */
void plat_dma_free(struct dma_buf *b);   /* [boot] harmless on a zeroed one; zeroes it */
void *plat_alloc(size_t len_bytes);      /* [boot] zeroed, 64-byte aligned; NULL when out */
void plat_free(void *p);                 /* [boot] NULL is fine */
/* All earlier stores to memory reach the device before later register writes.  Call before a doorbell. */
void plat_dma_publish(void); /* [any] */
/* Later loads see what the device wrote before the flag that was just read. */
void plat_dma_observe(void); /* [any] */

/* ---- time ---- */
uint64_t plat_now_ns(void);      /* [any] monotonic */
void plat_relax(void);           /* [any] one breath of a polling loop */
void plat_stall_us(uint32_t us); /* [any] busy wait */

/* ---- words ---- */
enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
/* One line without its newline, text_vfmt's formats; goes to a ring that the main processor drains. */
void plat_log(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* [any] */

#endif
