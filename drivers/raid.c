#include "raid.h"

struct raid_consent raid_consent;

const char *raid_work_words(enum raid_work w)
{
    static const char *const words[RAID_WORK_COUNT] = {
        [RAID_WORK_CHECK] = "consistency check",
        [RAID_WORK_BACKGROUND_INIT] = "background initialisation",
        [RAID_WORK_FOREGROUND_INIT] = "initialisation",
        [RAID_WORK_RECONSTRUCTION] = "reconstruction",
        [RAID_WORK_REBUILD] = "rebuild",
        [RAID_WORK_PATROL] = "patrol read",
        [RAID_WORK_CLEAR] = "clearing",
    };

    return (unsigned)w < RAID_WORK_COUNT ? words[w] : "unknown work";
}
