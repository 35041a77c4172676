#ifndef SWEEP_CONF_H
#define SWEEP_CONF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "job.h"
#include "opt.h"

enum { CONF_MAX_MAPS = 32 };

/* baresweep.conf: what this run is to do.  The option table is parser, range check, help and docs. */
struct conf {
    uint8_t plan;            /* enum conf_plan */
    uint8_t preset;          /* of sweep/presets.h; 0: none */
    uint8_t order;           /* enum conf_order */
    uint8_t rounds;          /* job files and presets: each step until steady, at most so often */
    char jobs[120];          /* path of the job file on the stick, with '/' */
    uint16_t time_scale_pct; /* all planned times and byte limits x this / 100: tests use 1..5 */
    uint32_t budget_s;       /* whole run, before scaling; design: 15 min */
    /* burn-in (sweep/burn_in.h) */
    uint8_t leave;                                  /* enum conf_leave */
    uint32_t burn_in_budget_s;                      /* of each drive, before scaling; 0: by its kind */
    uint32_t burn_in_error_limit;                   /* a drive with so many errors leaves */
    uint32_t burn_in_stop_s;                        /* of one start; 0: no limit */
    uint16_t burn_in_checkpoint_s;                  /* between two checkpoints, before scaling */
    uint8_t pause_temperature_c, end_temperature_c; /* 0: the drive's own limits */
    uint16_t expect_disks;                          /* 0: nothing expected */
    char expect_models[200], expect_firmware[200], expect_link[24], expect_mb_per_s[200];
    uint8_t smbus; /* enum pin_wish of checks/pins.h */
    uint16_t bench_wait_s;
    uint8_t warn_chains;    /* WARN counts as success towards the boot loader */
    uint8_t after;          /* enum conf_after */
    uint8_t firmware_path;  /* read undriven controllers through EFI Block I/O */
    uint8_t attended;       /* a person is there: no watchdog of our own */
    uint8_t resume;         /* an unfinished run of this machine, without asking */
    uint8_t data_check;     /* checksums of head and tail before and after */
    uint8_t handback_check; /* firmware reads each disk again after the controllers were given back */
    uint8_t ack_boot_message, reset_faulted_raid; /* consent, of drivers/raid.h */
    uint8_t selftest; /* enum conf_selftest: the drives' own tests after the last step */
    uint16_t countdown_s;
    uint8_t screen;       /* enum conf_screen */
    uint8_t screen_port;  /* which serial port has the screen */
    uint8_t screen_size;  /* enum conf_screen_size */
    uint32_t screen_baud; /* of that port; 0: as it is */
    uint16_t end_screen_s;
    char arm[120], arm_sha256[65]; /* the arming file of result/arming.h; "": nothing is armed */
    char blink[48];                /* the disk whose bay is looked for; "": none */
    uint16_t blink_s;
    char include[256]; /* disk names, blank or comma separated; "": all */
    char exclude[256];
    char stripe[120]; /* job files and presets: these disks as one; "": none */
    uint16_t stripe_chunk_kib;
    char run_label[40]; /* free text, kept in the journal */
    /* Places in the network, of net/uri.h; "": none. */
    char upload[240];
    char syslog[48];
    char state[120];
    char next[120]; /* what `after = next` starts where no boot loader does it */
    /* [map]: what a Linux path in a job file's `filename` means on this machine */
    struct conf_map {
        char path[48], disk[48];
    } map[CONF_MAX_MAPS];
    uint8_t map_count;
};
enum conf_plan {
    CONF_PLAN_DEFAULT,
    CONF_PLAN_JOBS,
    CONF_PLAN_PRESET,
    CONF_PLAN_BURN_IN,
    CONF_PLAN_BURN_IN_READONLY
};
/* What a burn-in leaves on a disk that it has written: zeros at head and tail, or its stamps. */
enum conf_leave { CONF_LEAVE_ZERO, CONF_LEAVE_STAMP };
/* Which disks of a job file or preset run side by side. */
enum conf_order {
    CONF_ORDER_AUTO,        /* job files: as written, together; presets: as their row says */
    CONF_ORDER_INDEPENDENT, /* one of each controller at a time */
    CONF_ORDER_ONE_BY_ONE,
    CONF_ORDER_TOGETHER,
    CONF_ORDER_SCALING /* 1, 2, 4 .. all disks of each controller */
};
enum conf_screen_size { CONF_SCREEN_LARGEST, CONF_SCREEN_80X25 };
enum conf_screen { CONF_SCREEN_TEXT, CONF_SCREEN_SERIAL, CONF_SCREEN_BOTH, CONF_SCREEN_NONE };
enum conf_selftest { CONF_SELFTEST_NONE, CONF_SELFTEST_SHORT, CONF_SELFTEST_EXTENDED };
enum conf_after { AFTER_RETURN, AFTER_REBOOT, AFTER_POWEROFF, AFTER_NEXT };
extern const struct opt conf_options[];
extern const unsigned conf_option_count;

struct conf_problems {
    struct job_problem kept[JOB_FILE_MAX_PROBLEMS];
    unsigned count;
};
/* Defaults first, then the text's `key = value` lines.  Sections are free, except [map], whose lines are
 * `/dev/sda = sata0.3`.  Wrong
 * lines keep the default, are listed, and make the run end with exit 2.  True when nothing was wrong. */
bool conf_read(const char *text, size_t len, struct conf *out, struct conf_problems *problems);

/* The same in parts, for more than one text (a file, and words of the boot loader over it): defaults once,
 * the lines of each text with problems of its own, and at the end what lines say only together. */
void conf_defaults(struct conf *out);
void conf_read_lines(const char *text, size_t len, struct conf *out, struct conf_problems *problems);
void conf_settle(struct conf *out, struct conf_problems *problems);

#endif
