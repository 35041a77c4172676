#ifndef DRIVERS_RAID_H
#define DRIVERS_RAID_H
#include <stdbool.h>
#include <stdint.h>

/* What a RAID card says about itself, its virtual drives and the drives behind it, as plain values: who shows
 * or compares them need not know the card's commands.  Text fields are clean ASCII; "" and RAID_UNKNOWN: not
 * told.
 */
struct controller;
struct disk;

enum { RAID_UNKNOWN = -1 };

/* What may be done to a card only because a person said so (baresweep.conf); all false unless set. */
struct raid_consent {
    bool acknowledge_boot_message; /* it may tell of lost cache; answering it may be final */
    bool reset_fault;              /* a reset loses what the card's write cache still holds */
};
extern struct raid_consent raid_consent;

/* ---- work that goes on beside ours ---- */
enum raid_work {
    RAID_WORK_CHECK, /* consistency check */
    RAID_WORK_BACKGROUND_INIT,
    RAID_WORK_FOREGROUND_INIT,
    RAID_WORK_RECONSTRUCTION,
    RAID_WORK_REBUILD, /* of a member, also copyback */
    RAID_WORK_PATROL,
    RAID_WORK_CLEAR,
    RAID_WORK_COUNT
};
const char *raid_work_words(enum raid_work w); /* "consistency check" */
struct raid_works {
    uint32_t active; /* bit (1 << enum raid_work) */
    uint8_t percent[RAID_WORK_COUNT];
};

/* ---- battery or capacitor pack ---- */
struct raid_battery {
    enum { RAID_BATTERY_NOT_TOLD, RAID_BATTERY_NONE, RAID_BATTERY_PRESENT } presence;
    uint8_t type; /* the card's own number: 1 iBBU, 2 BBU, larger: newer packs */
    bool bad;     /* the write cache cannot be kept: by the rule of a public driver for this type */
    bool charging, discharging, learn_active, learn_requested, learn_failed, replace;
    int32_t charge_percent, millivolts, milliamperes, temperature_c, cycles; /* RAID_UNKNOWN (current: 0) */
    uint32_t raw_status;
    char words[120]; /* "present, charge 87 %, 31 C, learn cycle active" */
};

/* ---- the card ---- */
enum { RAID_MAX_COMPONENTS = 8, RAID_MAX_ENCLOSURES = 16 };
struct raid_card {
    char product[80], serial[33], package[97], generation[16];
    char fitted_as[48]; /* "PERC H730P Mini", by its PCI ids */
    struct {
        char name[9], version[33];
    } component[RAID_MAX_COMPONENTS];
    unsigned component_count;
    uint32_t memory_mib; /* 0: no cache */
    int32_t roc_temperature_c, controller_temperature_c;
    uint32_t corrected_memory_errors, uncorrected_memory_errors;
    int32_t rebuild_percent, patrol_percent, init_percent, check_percent, reconstruction_percent; /* rates */
    uint32_t levels;   /* bits: 0 RAID 0, 1 RAID 1, 2 RAID 5, 3 RAID 1E, 4 RAID 6 */
    uint32_t policies; /* bits that may be set: 0 read, 1 write, 2 I/O, 3 access, 4 drive cache */
    uint32_t strip_min_bytes, strip_max_bytes;
    bool jbod_possible;
    uint32_t max_commands, max_command_bytes;
    uint32_t virtual_drives, degraded, offline, drives, predictive, failed;
    struct raid_battery battery;
    bool patrol_active;
    bool pinned_cache; /* data for drives that are gone: seen in its events or answers */
    struct {
        uint16_t id;
        uint8_t index;
        char model[28];
    } enclosure[RAID_MAX_ENCLOSURES];
    unsigned enclosure_count;
};

/* ---- a virtual drive ---- */
enum { RAID_MAX_MEMBERS = 64 };
struct raid_virtual_drive {
    char name[17], level[24], state[24]; /* "VD0", "RAID 10", "optimal" */
    uint8_t target_id;
    uint8_t spans, drives_per_span; /* 0: not told */
    uint32_t strip_bytes;
    uint64_t size_bytes;
    int16_t default_policy, current_policy, drive_cache, access; /* the card's bytes, or RAID_UNKNOWN */
    char policy[96], configured_policy[96];                      /* in force; as set up; in words */
    struct raid_works works;
    uint16_t member[RAID_MAX_MEMBERS]; /* device ids; 0xffff: missing */
    unsigned member_count;             /* 0: not told */
};

/* ---- a drive behind the card ---- */
struct raid_drive {
    uint16_t device_id, enclosure_id; /* 0xffff: in none */
    uint8_t enclosure_index, slot;
    uint16_t raw_state;
    char state[24]; /* "online", "hot spare", "JBOD" */
    bool foreign, exposed;
    uint64_t size_bytes, wwn; /* wwn: its SAS address, 0: not told */
    uint32_t media_errors, other_errors, predictive_failures;
    int32_t temperature_c;
    char interface[8];                         /* "SAS", "SATA", "NVMe" */
    uint32_t link_mb_per_s, max_link_mb_per_s; /* 150, 300, 600, 1200; 0: not told */
    int8_t write_cache;                        /* 0, 1, RAID_UNKNOWN */
    struct raid_works works;
};

/* ---- events ---- */
struct raid_event {
    uint32_t sequence, code;
    int8_t severity; /* 0 information, 1 warning, 2 critical, 3 fatal, 4 dead */
    char text[129];
};

/* All but locate send only what reads.  Nothing may be in flight on the card.  [boot] */
struct raid_ops {
    const struct raid_card *(*card)(const struct controller *c);
    /* NULL: the disk is none.  The values are those of attach or of the last look_around. */
    const struct raid_virtual_drive *(*virtual_drive)(const struct disk *d);
    const struct raid_drive *(*drive)(const struct disk *d);
    /* Events that the card's log has gained since the last call (or attach) and that a person should know of,
     * at most max; how many.  Later calls bring the rest. */
    unsigned (*new_events)(struct controller *c, struct raid_event *out, unsigned max);
    /* Lights or darkens the locate LED of a physical drive.  E_UNSUPPORTED: not a physical drive, or not by
     * this generation; E_REFUSED: by the firmware. */
    int (*locate)(struct disk *d, bool on);
};

#endif
