#ifndef CHECKS_EXPECT_H
#define CHECKS_EXPECT_H
#include "finding_list.h"

/* What the configuration expects of the machine (`expect_...`), judged.  Every miss is a FAIL of its own. */

struct expect_words {     /* as they stand in the configuration; "": nothing expected */
    const char *models;   /* "4x WDC WD40*, 2x SAMSUNG*": at least so many of each */
    const char *firmware; /* "WDC WD40*: 82.00A82, SAMSUNG*: 5B2Q*" */
    const char *link;     /* "gen2 x8": of every storage controller in a slot */
    const char *floor;    /* "hdd 100, ssd 400, nvme 1500, virtual 200, sata0.3 90": MB/s */
};
struct expect_disk {
    const char *name, *model, *firmware;
    bool usable, rotates, is_nvme, is_virtual;
    bool measured;             /* best_bytes_per_s means something */
    uint64_t best_bytes_per_s; /* of the sequential cells */
};
struct expect_link {
    const char *controller;
    bool known;
    uint8_t speed, width;
};

/* Text with at most one '*' at each end, letters in either case. */
bool expect_matches(const char *pattern, const char *text);
/* Models and firmware, before anything is measured; true when nothing is missing. */
bool expect_judge_disks(const struct expect_words *w, const struct expect_disk *disks, unsigned count,
                        struct finding_list *out);
/* Links and floors, afterwards. */
bool expect_judge_links(const struct expect_words *w, const struct expect_link *links, unsigned count,
                        struct finding_list *out);
bool expect_judge_floors(const struct expect_words *w, const struct expect_disk *disks, unsigned count,
                         struct finding_list *out);
/* OK, or E_SYNTAX with the words that are wrong in *why. */
int expect_check(const struct expect_words *w, struct text *why);

#endif
