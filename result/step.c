#include "step.h"
#include "bits.h"
#include "math.h"
#include <stddef.h>

const uint32_t percentile_ppm[PERCENTILE_COUNT] = { 10000,  50000,  100000, 250000, 500000, 700000, 750000,
                                                    900000, 950000, 990000, 999000, 999900, 999990, 999999 };

/* fio's: 2, 4, 10, 20, 50, 100, 250, 500, 750 and 1000 of each unit, and 2000 ms. */
#define CLASSES(unit)                                                                                        \
    2 * (unit), 4 * (unit), 10 * (unit), 20 * (unit), 50 * (unit), 100 * (unit), 250 * (unit), 500 * (unit), \
        750 * (unit), 1000 * (unit)
const uint64_t latency_class_ns[LATENCY_CLASS_COUNT] = { CLASSES(1ull), CLASSES(NS_PER_US),
                                                         CLASSES(NS_PER_MS), 2 * NS_PER_S, UINT64_MAX };

const struct step_flag_row step_flags[] = {
    { FLAG_SPLIT, "split",
      "Each request was several commands: the device takes less than a block at a time, so the latency "
      "is that of the last command." },
    { FLAG_POLL_GAP, "poll-gap",
      "For a while nobody looked for answers: the longest such gap is above 10 % of the 99th "
      "percentile, so high percentiles may be ours and not the device's." },
    { FLAG_TOO_SHORT, "too-short",
      "Too few requests were completed for a number that would come out the same again." },
    { FLAG_ERRORS, "errors", "Some requests failed; the numbers are those of the requests that did not." },
    { FLAG_DEPTH_REDUCED, "depth-reduced",
      "Fewer requests were in flight than asked for: the device or the limit of bytes in flight allows "
      "no more." },
    { FLAG_FIRMWARE_PATH, "firmware-path",
      "Read through the firmware, one request at a time: this says whether the disk can be read, not "
      "how fast it is." },
    { FLAG_SHARED_PATH, "shared-path",
      "Other disks behind the same controller ran at the same time and shared its bandwidth." },
    { FLAG_HOST_BOUND, "host-bound",
      "More than 10 % of the time was spent in this program: the device may be faster than shown." },
    { FLAG_ENDED_EARLY, "ended-early", "The step was stopped before its planned end." },
    { FLAG_CLOCK_UNCERTAIN, "clock-uncertain",
      "The machine's clocks disagree: all times of this step may be wrong by the same factor." },
    { FLAG_INITIALISATION, "init-running",
      "The card was initialising the array or clearing a drive at the same time: measure again when it is done." },
    { FLAG_CHECK, "check-running",
      "The card ran a consistency check at the same time: measure again after it." },
    { FLAG_REBUILD, "rebuild-running",
      "The card was rebuilding, copying back or reconstructing: measure again when the array is whole." },
    { FLAG_PATROL, "patrol-running", "The card's patrol read was reading the drives at the same time." },
    { FLAG_LEARN, "learn-cycle",
      "The card's battery was in its learn cycle: its cache policy may not have been the usual one." },
    { FLAG_PINNED_CACHE, "pinned-cache",
      "Part of the card's cache is taken by data for drives that are gone: less is left for this disk." },
    { FLAG_WITHIN_CACHE, "within-cache",
      "The region that was read is not larger than the card's memory: this may be the cache's speed, not the "
      "drives'." },
    { FLAG_ABOVE_LINK, "above-link",
      "More than the controller's link can carry: this is memory or a cache being read, or the clock or the link's "
      "registers are wrong (as in virtual machines). It is not the speed of the disk." },
    { FLAG_BLANK, "blank",
      "All data that was looked at was the same: blank SSD (or blocks given back): link and controller measured, not "
      "flash." },
    { FLAG_TOO_FAST, "too-fast",
      "No turning disk can move its heads so often: a cache answered most of these reads." },
    { FLAG_UNEVEN, "uneven",
      "The first and the last third of the time differ by more than 10 %: warm-up, heat, another zone of the disk or "
      "other work; the mean hides it." },
    { FLAG_NOT_STEADY, "not-steady", "The steady state that was asked for was not reached within its time." },
    { FLAG_HOT, "slowed-by-heat",
      "The drive counts that it slowed itself down, or was too hot, in this step: cool it and measure again." },
    { FLAG_NUMA, "numa-not-controlled",
      "The machine has several memory nodes and does not say which one the controller is near: another run may use "
      "nearer or farther memory." },
    { FLAG_EARLIER_START, "earlier-start",
      "Measured before this run was interrupted: machine and drives may have been warmer or colder than for the rest." },
    { FLAG_RETRIES, "retries",
      "Some requests succeeded only when the driver repeated them: their latency has the failed tries in it. How many "
      "they were stands beside the number." },
    { FLAG_NARROW_LINK, "narrow-link",
      "A link on the way to the disk runs below what both its ends can do, in speed or in lanes: this is the speed of "
      "that link. A finding names it." },
    { FLAG_MIXED_SIZES, "mixed-sizes",
      "The job asks for requests of several sizes: the block size shown is the largest, and requests per second times "
      "it is not the rate." },
    { FLAG_CACHE, "cache-as-asked",
      "The job asked for a cache of the drive to be on or off (write_cache, read_lookahead): what the drive's settings say "
      "about it is not true of this number." },
};
const unsigned step_flag_count = ARRAY_COUNT(step_flags);

static uint64_t per_run(const struct step_result *r, uint64_t count, uint64_t scale)
{
    return r->run_ns ? mul_div_u64(count, scale, r->run_ns) : 0;
}

uint64_t step_bytes_per_s(const struct step_result *r) { return per_run(r, r->bytes, NS_PER_S); }

uint64_t step_iops_milli(const struct step_result *r) { return per_run(r, r->ios, 1000 * NS_PER_S); }

const char *step_no_number(uint32_t flags) { return flags & FLAG_TOO_SHORT ? "too short" : NULL; }

void step_flag_words(uint32_t flags, struct text *t)
{
    const char *before = " [";

    for (unsigned i = 0; i < step_flag_count; i++)
        if (flags & step_flags[i].flag) {
            text_fmt(t, "%s%s", before, step_flags[i].name);
            before = ", ";
        }
    if (before[0] == ',')
        text_char(t, ']');
}
