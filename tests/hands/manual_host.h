#ifndef TESTS_HANDS_MANUAL_HOST_H
#define TESTS_HANDS_MANUAL_HOST_H
#include <stdbool.h>
#include <stdint.h>
#include "device.h"

/* The host of a device model that is driven by hand, without any driver: one megabyte of memory and a clock.
 */
enum { MANUAL_BYTES = 1 << 20 };
extern uint8_t manual_memory[MANUAL_BYTES];
extern uint64_t manual_now_ns;
extern unsigned long manual_violations; /* what the model called careless, and accesses outside the memory */
extern char manual_violation[120];      /* the last one in words */
extern bool manual_published;           /* whether the driver's stores are said to be visible */

/* All of it as new, the memory zeroed and seen by the device from bus address `base`. */
struct model_host manual_host(uint64_t base);
#endif
