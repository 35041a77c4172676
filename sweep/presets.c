#include "presets.h"
#include "conf.h"

/* The assembler takes the files in (paths from the top of the repository), so that what is shipped beside the
 * application for reading and what runs are the same bytes. */
#define PRESET(name)                                                                                         \
    __asm__(".section .rodata\n"                                                                             \
            "preset_" #name ":\n"                                                                            \
            ".incbin \"boot/presets/" #name ".fio\"\n"                                                       \
            "preset_" #name "_end:\n"                                                                        \
            ".byte 0\n"                                                                                      \
            ".text\n");                                                                                      \
    extern const char preset_##name[] __attribute__((visibility("hidden")));                                 \
    extern const char preset_##name##_end[] __attribute__((visibility("hidden")));

PRESET(atto)
PRESET(hdtune)
PRESET(crystaldiskmark)
PRESET(iometer)
PRESET(sqlio)
PRESET(primergy)
PRESET(vdbench)
PRESET(bonnie)
PRESET(quick)
PRESET(standard)

#define ROW(name, order)                                                                                     \
    {                                                                                                        \
#name, preset_##name, preset_##name##_end, order                                                     \
    }
static const struct {
    const char *name, *begin, *end;
    unsigned order;
} rows[] = {
    ROW(atto, CONF_ORDER_INDEPENDENT),
    ROW(hdtune, CONF_ORDER_INDEPENDENT),
    ROW(crystaldiskmark, CONF_ORDER_INDEPENDENT),
    ROW(iometer, CONF_ORDER_INDEPENDENT),
    ROW(sqlio, CONF_ORDER_INDEPENDENT),
    ROW(primergy, CONF_ORDER_INDEPENDENT),
    ROW(vdbench, CONF_ORDER_INDEPENDENT),
    ROW(bonnie, CONF_ORDER_INDEPENDENT),
    ROW(quick, CONF_ORDER_TOGETHER),
    ROW(standard, CONF_ORDER_INDEPENDENT),
};
_Static_assert(sizeof(rows) / sizeof(rows[0]) == PRESET_COUNT, "one row per preset");
const char preset_words[] =
    "none atto hdtune crystaldiskmark iometer sqlio primergy vdbench bonnie quick standard";

bool preset_get(unsigned index, struct preset *out)
{
    if (!index || index > PRESET_COUNT)
        return false;
    *out = (struct preset){ .name = rows[index - 1].name,
                            .text = rows[index - 1].begin,
                            .len = (size_t)(rows[index - 1].end - rows[index - 1].begin),
                            .order = rows[index - 1].order };
    return true;
}
