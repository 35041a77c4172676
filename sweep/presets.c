#include "presets.h"
#include "conf.h"
#include "steady.h"

/* The assembler takes the files in (paths from the top of the repository), so that what is shipped beside the
 * application for reading and what runs are the same bytes. */
#define PRESET(name, file)                                                                                   \
    __asm__(".section .rodata\n"                                                                             \
            "preset_" #name ":\n"                                                                            \
            ".incbin \"boot/presets/" file ".fio\"\n"                                                        \
            "preset_" #name "_end:\n"                                                                        \
            ".byte 0\n"                                                                                      \
            ".text\n");                                                                                      \
    extern const char preset_##name[] __attribute__((visibility("hidden")));                                 \
    extern const char preset_##name##_end[] __attribute__((visibility("hidden")));

PRESET(atto, "atto")
PRESET(hdtune, "hdtune")
PRESET(crystaldiskmark, "crystaldiskmark")
PRESET(iometer, "iometer")
PRESET(sqlio, "sqlio")
PRESET(primergy, "primergy")
PRESET(vdbench, "vdbench")
PRESET(bonnie, "bonnie")
PRESET(quick, "quick")
PRESET(standard, "standard")
PRESET(snia_pts, "snia-pts")

#define ROW(symbol, name, order, rounds)                                                                     \
    {                                                                                                        \
        name, preset_##symbol, preset_##symbol##_end, order, rounds                                          \
    }
static const struct {
    const char *name, *begin, *end;
    unsigned order, rounds;
} rows[] = {
    ROW(atto, "atto", CONF_ORDER_INDEPENDENT, 0),
    ROW(hdtune, "hdtune", CONF_ORDER_INDEPENDENT, 0),
    ROW(crystaldiskmark, "crystaldiskmark", CONF_ORDER_INDEPENDENT, 0),
    ROW(iometer, "iometer", CONF_ORDER_INDEPENDENT, 0),
    ROW(sqlio, "sqlio", CONF_ORDER_INDEPENDENT, 0),
    ROW(primergy, "primergy", CONF_ORDER_INDEPENDENT, 0),
    ROW(vdbench, "vdbench", CONF_ORDER_INDEPENDENT, 0),
    ROW(bonnie, "bonnie", CONF_ORDER_INDEPENDENT, 0),
    ROW(quick, "quick", CONF_ORDER_TOGETHER, 0),
    ROW(standard, "standard", CONF_ORDER_INDEPENDENT, 0),
    ROW(snia_pts, "snia-pts", CONF_ORDER_INDEPENDENT, STEADY_PTS_ROUNDS),
};
_Static_assert(sizeof(rows) / sizeof(rows[0]) == PRESET_COUNT, "one row per preset");
const char preset_words[] =
    "none atto hdtune crystaldiskmark iometer sqlio primergy vdbench bonnie quick standard snia-pts";

bool preset_get(unsigned index, struct preset *out)
{
    if (!index || index > PRESET_COUNT)
        return false;
    *out = (struct preset){ .name = rows[index - 1].name,
                            .text = rows[index - 1].begin,
                            .len = (size_t)(rows[index - 1].end - rows[index - 1].begin),
                            .order = rows[index - 1].order,
                            .rounds = rows[index - 1].rounds };
    return true;
}
