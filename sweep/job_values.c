#include "bits.h"
#include "job.h"
#include "str.h"

/* Values of a job file with a grammar of their own (fio's, peers.md 5). */

/* A decimal such as 1.25 or 0.3 in millionths; digits beyond the sixth are passed over. */
static bool to_micro(const char *s, size_t len, uint64_t *micro)
{
    uint64_t unit = 1000000, v = 0;
    size_t i = 0, digits = 0;

    for (; i < len && s[i] >= '0' && s[i] <= '9'; i++, digits++) {
        if (v > UINT64_MAX / 100000000)
            return false;
        v = v * 10 + (uint64_t)(s[i] - '0') * 1000000;
    }
    if (i < len && s[i] == '.')
        for (i++; i < len && s[i] >= '0' && s[i] <= '9'; i++, digits++) {
            unit /= 10;
            v += (uint64_t)(s[i] - '0') * unit;
        }
    *micro = v;
    return digits && i == len;
}

static bool is_block(uint64_t bytes) { return bytes >= 512 && bytes <= 32 * MIB; }

/* ---- bssplit ---- */
/* One "4k/60", "4k/" or "4k"; percent 255: what is left. */
static bool parse_part(const char *part, size_t len, struct job_split *out)
{
    char size[32], percent[8];
    uint64_t bytes, pct = 255;
    size_t n = 0;

    while (n < len && part[n] != '/')
        n++;
    if (!str_copy_n(size, sizeof(size), part, n) || opt_parse_size(size, &bytes) != OK || !is_block(bytes))
        return false;
    if (n + 1 < len) {
        size_t digits = len - n - 1;
        if (!str_copy_n(percent, sizeof(percent), part + n + 1, digits) ||
            !str_to_u64(percent, digits, &pct) || pct > 100)
            return false;
    }
    *out = (struct job_split){ .bytes = (uint32_t)bytes, .percent = (uint8_t)pct };
    return true;
}

/* Empty percentages share what is left; of a sum below 100 the last size takes the rest, as in fio. */
static bool share_percents(struct job_split *split, unsigned count)
{
    unsigned sum = 0, open = 0;

    for (unsigned i = 0; i < count; i++) {
        open += split[i].percent == 255;
        sum += split[i].percent == 255 ? 0 : split[i].percent;
    }
    if (sum > 100)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (split[i].percent == 255)
            split[i].percent = (uint8_t)((100 - sum) / open);
    sum = 0;
    for (unsigned i = 0; i + 1 < count; i++)
        sum += split[i].percent;
    split[count - 1].percent = (uint8_t)(100 - sum);
    return true;
}

bool job_parse_bssplit(struct job *j, struct text *why)
{
    struct job_split split[JOB_MAX_SPLITS];
    const char *at = j->bssplit;
    unsigned count = 0;
    uint32_t largest = 0;

    for (;;) {
        size_t n = 0;
        while (at[n] && at[n] != ':')
            n++;
        if (count == JOB_MAX_SPLITS || !parse_part(at, n, &split[count])) {
            text_fmt(why, "bssplit=%.60s: %s", j->bssplit,
                     count == JOB_MAX_SPLITS ? "at most 16 sizes"
                                             : "write sizes from 512 to 32m with whole percentages, such as "
                                               "4k/60:8k/40");
            return false;
        }
        largest = (uint32_t)max_u64(largest, split[count++].bytes);
        if (!at[n])
            break;
        at += n + 1;
    }
    if (!share_percents(split, count)) {
        text_fmt(why, "bssplit=%.60s: the percentages add up to more than 100", j->bssplit);
        return false;
    }
    memcpy(j->split, split, sizeof(split[0]) * count);
    j->split_count = (uint8_t)count;
    j->block_bytes = largest;
    j->block_min_bytes = 0;
    return true;
}

bool job_parse_bsrange(struct job *j, struct text *why)
{
    const char *dash = str_find(j->bsrange, "-");
    char first[40];
    uint64_t least, most;

    if (!dash || !str_copy_n(first, sizeof(first), j->bsrange, (size_t)(dash - j->bsrange)) ||
        opt_parse_size(first, &least) != OK || opt_parse_size(dash + 1, &most) != OK || !is_block(least) ||
        !is_block(most) || least > most) {
        text_fmt(why, "bsrange=%.40s: write two sizes from 512 to 32m, the smaller first, such as 4k-64k",
                 j->bsrange);
        return false;
    }
    j->block_min_bytes = (uint32_t)least;
    j->block_bytes = (uint32_t)(most - most % least);
    j->split_count = 0;
    return true;
}

/* ---- random_distribution ---- */
bool job_parse_distribution(struct job *j, struct text *why)
{
    static const struct {
        const char *name;
        uint8_t kind;
        uint32_t least_micro, most_micro;
        const char *range;
    } rows[] = {
        { "random", JOB_UNIFORM, 0, 0, "" },
        { "zipf:", JOB_ZIPF, 10000, 5000000, "zipf:0.01 to zipf:5, but not zipf:1" },
        { "pareto:", JOB_PARETO, 10000, 990000, "pareto:0.01 to pareto:0.99" },
        { "normal:", JOB_NORMAL, 100000, 100000000, "normal:0.1 to normal:100" },
        { "gauss:", JOB_NORMAL, 100000, 100000000, "normal:0.1 to normal:100" },
    };
    const char *text = j->random_distribution;
    uint64_t micro = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        size_t n = str_len(rows[i].name);
        if (i ? !str_starts(text, rows[i].name) : !str_equal(text, rows[i].name))
            continue;
        if (i && (!to_micro(text + n, str_len(text + n), &micro) || micro < rows[i].least_micro ||
                  micro > rows[i].most_micro || (rows[i].kind == JOB_ZIPF && micro == 1000000))) {
            text_fmt(why, "random_distribution=%.31s: allowed is %s", text, rows[i].range);
            return false;
        }
        j->distribution = rows[i].kind;
        j->distribution_micro = (uint32_t)micro;
        return true;
    }
    text_fmt(why, "random_distribution=%.31s: write random, zipf:1.2, pareto:0.2 or normal:10", text);
    return false;
}

/* ---- ss ---- */
bool job_parse_ss(struct job *j, struct text *why)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } rows[] = {
        { "iops:", JOB_SS_IOPS },
        { "iops_slope:", JOB_SS_IOPS_SLOPE },
        { "bw:", JOB_SS_BW },
        { "bw_slope:", JOB_SS_BW_SLOPE },
    };
    uint64_t micro, bytes;

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *limit = j->ss + str_len(rows[i].name);
        size_t len;
        if (!str_starts(j->ss, rows[i].name))
            continue;
        len = str_len(limit);
        bool is_pct = len && limit[len - 1] == '%', is_bw = rows[i].kind >= JOB_SS_BW;
        if (!is_pct && is_bw && opt_parse_size(limit, &bytes) == OK && bytes && bytes < UINT64_MAX / 1000000)
            micro = bytes * 1000000;
        else if (!to_micro(limit, len - is_pct, &micro) || (is_pct && micro > 100000000) || micro < 1000)
            break;
        j->ss_kind = rows[i].kind;
        j->ss_is_pct = is_pct;
        j->ss_limit_milli = micro / 1000;
        return true;
    }
    text_fmt(why, "ss=%.23s: write iops:2%%, bw:2%%, iops_slope:0.3%% or bw_slope:0.3%%", j->ss);
    return false;
}

/* ---- percentile_list ---- */
/* In its place, unless it is there already. */
static void insert_ppm(struct job *j, uint32_t ppm)
{
    unsigned at = j->percentile_count;

    for (unsigned i = 0; i < j->percentile_count; i++)
        if (j->percentile_ppm[i] == ppm)
            return;
    for (; at && j->percentile_ppm[at - 1] > ppm; at--)
        j->percentile_ppm[at] = j->percentile_ppm[at - 1];
    j->percentile_ppm[at] = ppm;
    j->percentile_count++;
}

/* "99.95" in millionths of all. */
static bool to_ppm(const char *s, size_t len, uint32_t *ppm)
{
    const uint64_t micro_per_ppm = 100; /* millionths of a percent */
    uint64_t micro;

    if (!to_micro(s, len, &micro) || !micro || micro > PPM_OF_ALL * micro_per_ppm || micro % micro_per_ppm)
        return false;
    *ppm = (uint32_t)(micro / micro_per_ppm);
    return true;
}

bool job_parse_latency_percentile(struct job *j, struct text *why)
{
    if (to_ppm(j->latency_percentile, str_len(j->latency_percentile), &j->latency_ppm))
        return true;
    text_fmt(why,
             "latency_percentile=%.15s: write one above 0 up to 100, with at most 4 decimals, such as 99.9",
             j->latency_percentile);
    return false;
}

bool job_parse_percentiles(struct job *j, struct text *why)
{
    const char *at = j->percentile_text;
    unsigned given = 0;

    j->percentile_count = 0;
    for (;; at++) {
        uint32_t ppm;
        size_t n = 0;
        while (at[n] && at[n] != ':')
            n++;
        if (given++ == PERCENTILE_LIST_MAX || !to_ppm(at, n, &ppm)) {
            text_fmt(why, "percentile_list=%.60s: %s", j->percentile_text,
                     given > PERCENTILE_LIST_MAX
                         ? "at most 20 percentiles"
                         : "write percentiles above 0 up to 100, with at most 4 decimals, such as 99:99.95");
            return false;
        }
        insert_ppm(j, ppm);
        at += n;
        if (!*at)
            return true;
    }
}
