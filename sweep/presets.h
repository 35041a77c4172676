#ifndef SWEEP_PRESETS_H
#define SWEEP_PRESETS_H
#include <stdbool.h>
#include <stddef.h>

/* The benchmarks that people compare, as job files inside the application: boot/presets/NAME.fio, word for
 * word.  docs/presets.md says what each reproduces and where it must differ. */
struct preset {
    const char *name;
    const char *text; /* the job file, length bytes */
    size_t len;
    unsigned rounds; /* of each step at most, unless the configuration says otherwise; 0: one */
    unsigned order;  /* enum conf_order: how its disks run unless the configuration says otherwise */
};
enum { PRESET_COUNT = 11 };
/* index: 1 .. PRESET_COUNT, as conf.preset counts; 0 (none) and others: false. */
bool preset_get(unsigned index, struct preset *out);
/* "none atto ...": the words of the option, in the order of the index. */
extern const char preset_words[];

#endif
