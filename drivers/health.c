#include "health.h"

/* Counters that only tell age or use may rise by a run; one that tells of damage may not. */
const struct health_row health_rows[HEALTH_VALUE_COUNT] = {
    [HEALTH_TEMPERATURE_C] = { "temperature_c", "temperature", RISE_NORMAL, 0 },
    [HEALTH_TEMPERATURE_WARNING_C] = { "temperature_warning_c", "warning temperature", RISE_NORMAL, 0 },
    [HEALTH_TEMPERATURE_CRITICAL_C] = { "temperature_critical_c", "critical temperature", RISE_NORMAL, 0 },
    [HEALTH_SPARE_PERCENT] = { "spare_percent", "spare blocks left", RISE_NORMAL, 0 },
    [HEALTH_SPARE_THRESHOLD_PERCENT] = { "spare_threshold_percent", "least spare blocks", RISE_NORMAL, 0 },
    [HEALTH_USED_PERCENT] = { "used_percent", "rated life used", RISE_NORMAL, 0 },
    [HEALTH_POWER_ON_HOURS] = { "power_on_hours", "hours powered on", RISE_NORMAL, 0 },
    [HEALTH_POWER_CYCLES] = { "power_cycles", "power cycles", RISE_WARN,
                              "the drive lost power during the run: look at its power cable and slot" },
    [HEALTH_UNSAFE_SHUTDOWNS] = { "unsafe_shutdowns", "unsafe shutdowns", RISE_WARN,
                                  "the drive lost power during the run: look at its power cable and slot" },
    [HEALTH_MEDIA_ERRORS] = { "media_errors", "uncorrectable errors", RISE_FAIL,
                              "the medium lost data during the run: replace the drive" },
    [HEALTH_ERROR_LOG_ENTRIES] = { "error_log_entries", "error log entries", RISE_INFO,
                                   "the drive noted errors during the run; a refused query counts, too" },
    [HEALTH_REALLOCATED_SECTORS] = { "reallocated_sectors", "reallocated sectors", RISE_FAIL,
                                     "sectors went bad during the run: replace the drive" },
    [HEALTH_PENDING_SECTORS] = { "pending_sectors", "sectors that wait to be reallocated", RISE_FAIL,
                                 "sectors became unreadable during the run: replace the drive" },
    [HEALTH_UNCORRECTABLE_SECTORS] = { "uncorrectable_sectors", "uncorrectable sectors", RISE_FAIL,
                                       "sectors became unreadable during the run: replace the drive" },
    [HEALTH_INTERFACE_CRC_ERRORS] = { "interface_crc_errors", "transfer errors on the link", RISE_WARN,
                                      "data was damaged on its way: change the cable or the bay" },
    [HEALTH_WARNING_TEMPERATURE_MINUTES] = { "warning_temperature_minutes", "minutes above the warning limit",
                                             RISE_WARN, "the drive ran hot: improve its cooling" },
    [HEALTH_CRITICAL_TEMPERATURE_MINUTES] = { "critical_temperature_minutes",
                                              "minutes above the critical limit", RISE_FAIL,
                                              "the drive ran far too hot: improve its cooling" },
    [HEALTH_LIGHT_THROTTLES] = { "light_throttles", "light thermal throttling", RISE_WARN,
                                 "the drive slowed down because of heat: its numbers are too low" },
    [HEALTH_HEAVY_THROTTLES] = { "heavy_throttles", "heavy thermal throttling", RISE_WARN,
                                 "the drive slowed down because of heat: its numbers are too low" },
    [HEALTH_HOST_READ_MB] = { "host_read_mb", "read by hosts, in MB", RISE_NORMAL, 0 },
    [HEALTH_HOST_WRITTEN_MB] = { "host_written_mb", "written by hosts, in MB", RISE_NORMAL, 0 },
    [HEALTH_SELF_TESTS_FAILED] = { "self_tests_failed", "failed self-tests in the log", RISE_FAIL,
                                   "the drive's own test found a fault: replace the drive" },
};

const struct health_warning_row health_warning_rows[HEALTH_WARNING_COUNT] = {
    [HEALTH_WARN_SPARE] = { "spare_low", "spare blocks are below the drive's own threshold", true },
    [HEALTH_WARN_TEMPERATURE] = { "temperature", "the temperature is outside the drive's limits", false },
    [HEALTH_WARN_RELIABILITY] = { "reliability",
                                  "the drive calls itself unreliable (media or internal errors)", true },
    [HEALTH_WARN_READ_ONLY] = { "read_only", "the drive takes no more writes", true },
    [HEALTH_WARN_BACKUP] = { "backup_failed", "the protection against power loss has failed", true },
    [HEALTH_WARN_PERSISTENT_MEMORY] = { "persistent_memory", "the persistent memory region is unreliable",
                                        false },
    [HEALTH_WARN_FAILURE_EXPECTED] = { "failure_expected", "the drive expects to fail soon (SMART status)",
                                       true },
    [HEALTH_WARN_SELF_TEST] = { "self_test_failed", "the drive's last self-test found a fault", true },
};

int64_t health_rose(const struct disk_health *before, const struct disk_health *after, enum health_value v)
{
    if (!health_knows(before, v) || !health_knows(after, v) || after->value[v] <= before->value[v])
        return 0;
    return after->value[v] - before->value[v];
}

uint32_t self_test_limit_s(enum self_test_kind kind, uint32_t expected_s)
{
    enum { SHORT_GRACE_S = 60, SHORT_UNKNOWN_S = 300, EXTENDED_UNKNOWN_S = 24 * 3600 };
    uint64_t limit_s = kind == SELF_TEST_SHORT
                           ? (expected_s ? expected_s : SHORT_UNKNOWN_S) + 0ull + SHORT_GRACE_S
                       : expected_s ? expected_s + (expected_s + 1ull) / 2
                                    : EXTENDED_UNKNOWN_S;

    return limit_s < SELF_TEST_LONGEST_S ? (uint32_t)limit_s : SELF_TEST_LONGEST_S;
}
