#ifndef DRIVERS_HEALTH_H
#define DRIVERS_HEALTH_H
#include <stdbool.h>
#include <stdint.h>

/* What a drive says about its own state, the same for every kind of drive.  A driver fills in what its drive
 * knows; who compares two of these, or prints them, walks the tables and need not know the kind. */
struct disk;

/* ---- counters and gauges ---- */
enum health_value {
    HEALTH_TEMPERATURE_C,
    HEALTH_TEMPERATURE_WARNING_C, /* the drive's own limits */
    HEALTH_TEMPERATURE_CRITICAL_C,
    HEALTH_SPARE_PERCENT, /* spare blocks left */
    HEALTH_SPARE_THRESHOLD_PERCENT,
    HEALTH_USED_PERCENT, /* of its rated life; may exceed 100 */
    HEALTH_POWER_ON_HOURS,
    HEALTH_POWER_CYCLES,
    HEALTH_UNSAFE_SHUTDOWNS,
    HEALTH_MEDIA_ERRORS,      /* data that could not be corrected */
    HEALTH_ERROR_LOG_ENTRIES, /* of the drive's life */
    HEALTH_REALLOCATED_SECTORS,
    HEALTH_PENDING_SECTORS,       /* unreadable, waiting for a write */
    HEALTH_UNCORRECTABLE_SECTORS, /* found bad without a host asking */
    HEALTH_INTERFACE_CRC_ERRORS,  /* cable or backplane */
    HEALTH_WARNING_TEMPERATURE_MINUTES,
    HEALTH_CRITICAL_TEMPERATURE_MINUTES,
    HEALTH_LIGHT_THROTTLES, /* times it slowed down because of its temperature */
    HEALTH_HEAVY_THROTTLES,
    HEALTH_HOST_READ_MB, /* 10^6 bytes */
    HEALTH_HOST_WRITTEN_MB,
    HEALTH_SELF_TESTS_FAILED, /* entries of its self-test log */
    HEALTH_VALUE_COUNT
};
/* What it means that a value is higher after the run than before. */
enum health_rise { RISE_NORMAL, RISE_INFO, RISE_WARN, RISE_FAIL };
struct health_row {
    const char *key;   /* as the journal spells it */
    const char *words; /* "sectors waiting to be reallocated" */
    enum health_rise rise;
    const char *advice; /* what a rise tells a person; NULL when it is normal */
};
extern const struct health_row health_rows[HEALTH_VALUE_COUNT];

/* ---- warnings: bits of disk_health.warnings ---- */
enum health_warning {
    HEALTH_WARN_SPARE,       /* below its threshold */
    HEALTH_WARN_TEMPERATURE, /* outside its limits */
    HEALTH_WARN_RELIABILITY, /* the drive calls itself degraded */
    HEALTH_WARN_READ_ONLY,   /* the medium takes no more writes */
    HEALTH_WARN_BACKUP,      /* power-loss protection failed */
    HEALTH_WARN_PERSISTENT_MEMORY,
    HEALTH_WARN_FAILURE_EXPECTED, /* SMART status: threshold exceeded */
    HEALTH_WARN_SELF_TEST,        /* its last self-test found a fault */
    HEALTH_WARNING_COUNT
};
struct health_warning_row {
    const char *key;   /* as the journal spells it */
    const char *words; /* "the drive expects to fail" */
    bool fails;        /* FAIL, else WARN */
};
extern const struct health_warning_row health_warning_rows[HEALTH_WARNING_COUNT];

struct disk_health {
    uint32_t known; /* bit (1 << enum health_value): value[] holds */
    uint32_t warnings_known;
    uint32_t warnings;
    int64_t value[HEALTH_VALUE_COUNT]; /* counters beyond INT64_MAX stay there */
    char note[120];                    /* what the tables have no word for; "" when nothing */
};
static inline void health_set(struct disk_health *h, enum health_value v, int64_t value)
{
    h->known |= 1u << v;
    h->value[v] = value;
}
static inline bool health_knows(const struct disk_health *h, enum health_value v)
{
    return h->known >> v & 1;
}
static inline void health_warn(struct disk_health *h, enum health_warning w, bool is_so)
{
    h->warnings_known |= 1u << w;
    h->warnings = is_so ? h->warnings | 1u << w : h->warnings & ~(1u << w);
}
static inline bool health_warns(const struct disk_health *h, enum health_warning w)
{
    return h->warnings >> w & 1;
}

/* By how much a value rose between two answers of one drive; 0 when it fell or is not known in both. */
int64_t health_rose(const struct disk_health *before, const struct disk_health *after, enum health_value v);

/* ---- self-tests ---- */
enum self_test_kind { SELF_TEST_SHORT, SELF_TEST_EXTENDED };
struct self_test_state {
    enum { SELF_TEST_NEVER, SELF_TEST_RUNNING, SELF_TEST_PASSED, SELF_TEST_FAILED, SELF_TEST_ABORTED } result;
    uint8_t percent_done; /* while it runs */
    uint32_t expected_s;  /* how long the drive says it takes; 0: it does not say */
    uint64_t failing_lba; /* valid when has_failing_lba */
    bool has_failing_lba;
    char words[120]; /* the drive's result in words */
};
/* How long one is waited for before it is ended, in seconds: short, what the drive says and a minute;
 * extended, one and a half times what the drive says; never more than SELF_TEST_LONGEST_S, whatever it says.
 * expected_s 0: the drive does not say. */
enum { SELF_TEST_LONGEST_S = 96 * 3600 };
uint32_t self_test_limit_s(enum self_test_kind kind, uint32_t expected_s);
/* A drive's self-test touches no data and goes on beside reads.  Optional: a driver without it has NULL.
 * Each is bounded and [boot]; E_UNSUPPORTED: the drive has none; E_REFUSED: not now (words say why). */
struct self_test_ops {
    int (*start)(struct disk *d, enum self_test_kind kind, struct self_test_state *s);
    int (*look)(struct disk *d, struct self_test_state *s);
    int (*abort)(struct disk *d);
};

#endif
