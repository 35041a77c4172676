#ifndef TESTS_PLATFORM_MODEL_H
#define TESTS_PLATFORM_MODEL_H
#include "device.h"
#include "platform.h"

/* drivers/platform.h over in-process device models.  Dispatches on the MMIO context, so several
 * controllers of several kinds live in one program.  The device address of memory is never its CPU address.
 */

/* Forgets devices, counters, ports; clock to 0; clock steps and model_fail_alloc_at back to their defaults
 * (model_quiet and model_bench stay).  Memory that was not given back is freed here: ask model_live_allocs
 * before. */
void model_reset_world(void);
/* Puts a device on the bus and fills the host's callbacks for it.  fn stays valid until model_reset_world.
 * Ids and class come from the device's config space. */
struct pci_fn *model_add_device(const struct model_device_ops *ops, void *dev, struct model_host *host);
/* From now on registers and config space read all ones and DMA fails. */
void model_unplug(struct pci_fn *fn);

/* Registers of the chip set at a fixed address: accesses reach that device as BAR MODEL_FIXED_BAR. */
enum { MODEL_FIXED_BAR = 6 };
void model_set_fixed_window(uint64_t address, struct pci_fn *fn);

/* I/O ports (SMBus fakes). */
void model_set_ports(uint32_t (*read)(void *, uint16_t port, unsigned bytes),
                     void (*write)(void *, uint16_t port, unsigned bytes, uint32_t v), void *ctx);

/* The clock moves only by these: by a fixed step at every plat_now_ns (default 100 ns), a larger one at every
 * plat_relax (default 1 us; a fuzzer sets 10 s), and by plat_stall_us. */
extern uint64_t model_clock_ns, model_now_step_ns, model_relax_step_ns;
void model_advance_ns(uint64_t ns);

/* Allocation number k (0-based, plat_alloc and plat_dma_alloc together) and all later ones fail; -1: none. */
extern long model_fail_alloc_at;
extern long model_alloc_count; /* since model_reset_world */
long model_live_allocs(void);  /* memory, BAR mappings and enabled functions not given back */

extern unsigned long model_violations;   /* of all devices, and of the seam's own rules */
const char *model_first_violation(void); /* "" when there was none */
extern bool model_quiet;                 /* no printing (fuzzers, benchmarks, tests that expect violations) */
extern unsigned long model_log_lines;    /* lines that went through plat_log */
const char *model_last_log(void);
void model_reset_log(void); /* part of model_reset_world */

/* The seam's own rules that are checked: a register write that starts device work without plat_dma_publish
 * since the last store is reported by the device through model_published(). */
bool model_published(void); /* publish was called since the last register write */

/* Enables cost-free register access for benchmarks: no checks, no clock steps. */
extern bool model_bench;

#endif
