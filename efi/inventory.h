#ifndef EFI_INVENTORY_H
#define EFI_INVENTORY_H
#include "conf.h"
#include "disk.h"
#include "medium.h"
#include "sample.h"
#include "verdict.h"

/* What is in the machine and what may be done with it. */

enum { INVENTORY_MAX_CONTROLLERS = 64, INVENTORY_MAX_DISKS = 512 };

struct known_disk {
    struct disk *disk;
    enum verdict verdict; /* NOT_TESTED until a step measured it */
    char why[360];        /* the reason of a verdict that is not PASS */
    bool wanted;          /* readable, and the configuration wants it */
    bool sampled;         /* `before` was taken */
    struct sample before; /* what it held before the first step */
};
struct known_controller {
    EFI_HANDLE handle;
    struct pci_fn fn;
    const struct driver_row *row;
    struct controller *driven;         /* NULL: not driven, why_not says it */
    struct controller firmware;        /* stands for it in the firmware path */
    unsigned remarks_told, drops_told; /* of the driver's remarks, these are findings already */
    bool firmware_had_it;              /* a firmware driver was on it and gets it back */
    char why_not[240];
};
struct inventory {
    struct known_controller controllers[INVENTORY_MAX_CONTROLLERS];
    unsigned controller_count;
    struct known_disk disks[INVENTORY_MAX_DISKS];
    unsigned disk_count;
    struct known_disk array; /* of the configuration's stripe; disk NULL: there is none */
};

/* Finds the storage controllers, takes those that we drive away from firmware (never one on the path to the
 * boot medium or to the result volume), attaches drivers, lists everything in the journal with findings. */
void inventory_take(struct inventory *inv, const struct conf *conf, const struct medium *m);
/* Detaches in the way each kind needs and gives back to firmware what was taken. */
void inventory_give_back(struct inventory *inv);

/* Checksums of what each wanted disk holds, into the journal; differences between small and large requests,
 * and on the second call to the first one's, are findings. */
void inventory_sample(struct inventory *inv, bool before);

/* What the driver remarked since it was asked last becomes findings. */
void inventory_tell_remarks(struct known_controller *c);

/* The medium that we came from, or that takes the results, is behind the disk's controller. */
bool inventory_is_on_boot_path(const struct inventory *inv, const struct disk *d, const struct medium *m);

/* The array over several of the disks: into the journal, with a verdict of its own.  NULL: there is none. */
void inventory_set_array(struct inventory *inv, struct disk *array);
struct known_disk *inventory_find(struct inventory *inv, const struct disk *d);
/* A finding about a disk: into the journal, and into the disk's verdict. */
void inventory_disk_finding(struct inventory *inv, const struct disk *d, const char *code,
                            enum finding_level level, const char *expected, const char *seen_fmt, ...)
    __attribute__((format(printf, 6, 7)));

#endif
