#include "fio_json.h"
#include "bits.h"
#include "str.h"

enum { SECONDS_PER_DAY = 86400 };

/* Days from 1970-01-01; the year counts from March, so that the leap day is its last. */
static uint64_t days_of(uint64_t year, uint64_t month, uint64_t day)
{
    uint64_t y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;

    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

static bool number_at(const char *s, size_t digits, uint64_t min, uint64_t max, uint64_t *out)
{
    return str_to_u64(s, digits, out) && *out >= min && *out <= max;
}

uint64_t fio_clock_parse(const char *clock)
{
    static const char form[] = "0000-00-00T00:00:00";
    uint64_t year, month, day, hour, minute, second;

    for (unsigned i = 0; i < sizeof form; i++)
        if (form[i] == '0' ? clock[i] < '0' || clock[i] > '9' : clock[i] != form[i])
            return 0;
    if (!number_at(clock, 4, 1970, 9999, &year) || !number_at(clock + 5, 2, 1, 12, &month) ||
        !number_at(clock + 8, 2, 1, 31, &day) || !number_at(clock + 11, 2, 0, 23, &hour) ||
        !number_at(clock + 14, 2, 0, 59, &minute) || !number_at(clock + 17, 2, 0, 60, &second))
        return 0;
    return ((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
}

void fio_clock_text(struct text *t, uint64_t seconds)
{
    static const char weekdays[] = "ThuFriSatSunMonTueWed", months[] = "MarAprMayJunJulAugSepOctNovDecJanFeb";
    static const uint64_t latest = 253402300799; /* 9999-12-31T23:59:59 */
    uint64_t day, rest, era_days, era, year, month;

    seconds = min_u64(seconds, latest);
    day = seconds / SECONDS_PER_DAY;
    rest = seconds % SECONDS_PER_DAY;
    text_bytes(t, weekdays + day % 7 * 3, 3);
    /* Eras of 400 years; within one, the years since March of its first. */
    era = (day + 719468) / 146097;
    era_days = (day + 719468) % 146097;
    year = (era_days - era_days / 1460 + era_days / 36524 - era_days / 146096) / 365;
    era_days -= year * 365 + year / 4 - year / 100;
    month = (era_days * 5 + 2) / 153;
    text_fmt(t, " %.3s %2u %02u:%02u:%02u %u", months + month * 3,
             (unsigned)(era_days - (month * 153 + 2) / 5 + 1), (unsigned)(rest / 3600),
             (unsigned)(rest / 60 % 60), (unsigned)(rest % 60),
             (unsigned)(era * 400 + year + (month > 9 ? 1 : 0)));
}
