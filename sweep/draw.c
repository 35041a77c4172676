#include "draw.h"
#include "bits.h"

int64_t draw_log2(uint64_t v)
{
    unsigned whole = log2_u64(v);
    uint64_t m = (v << (63 - whole)) >> 32, fraction = 0; /* m: 1 <= m < 2, 31 bits behind the point */

    for (unsigned i = 0; i < 32; i++) {
        m = m * m >> 31;
        fraction <<= 1;
        if (m >> 32) {
            fraction |= 1;
            m >>= 1;
        }
    }
    return (int64_t)((uint64_t)whole << 32 | fraction);
}

uint64_t draw_exp2(const struct draw *d, int64_t x, int bits)
{
    int64_t whole = x >> 32, shift = whole + bits - 31;
    uint32_t fraction = (uint32_t)x;
    uint64_t v = 1ull << 31;

    for (unsigned i = 0; i < 32; i++)
        if (fraction >> (31 - i) & 1)
            v = (v * d->root[i] + (1ull << 30)) >> 31;
    if (shift >= 32)
        return UINT64_MAX;
    return shift >= 0 ? v << shift : shift > -64 ? v >> -shift : 0;
}

/* a x b / 2^32 with sign. */
static int64_t times_q32(int64_t a, uint64_t b_q32)
{
    uint64_t m = (uint64_t)(a < 0 ? -a : a);
    unsigned __int128 p = (unsigned __int128)m * b_q32;
    int64_t r = (int64_t)(uint64_t)(p >> 32);

    return a < 0 ? -r : r;
}

static int64_t scaled_micro(int64_t a, int64_t micro)
{
    uint64_t m = mul_div_u64((uint64_t)(a < 0 ? -a : a), (uint64_t)(micro < 0 ? -micro : micro), 1000000);

    return (a < 0) != (micro < 0) ? -(int64_t)m : (int64_t)m;
}

static uint64_t moved(uint64_t v, int from_bits, int to_bits)
{
    return to_bits >= from_bits ? v << (to_bits - from_bits) : v >> (from_bits - to_bits);
}

/* ---- zipf ---- */
/* log2 of i + 1/2, for borders between ranks. */
static int64_t log2_border(uint64_t i) { return draw_log2(2 * i + 1) - (1ll << 32); }

/* Rank k (from 1) has mass k^-theta.  The first ranks are summed; behind them the sum is the integral of
 * x^-theta between the middles, which is exact to some millionths there. */
static void init_zipf(struct draw *d, int64_t theta_micro)
{
    int64_t rest = 1000000 - theta_micro; /* 1 - theta */

    d->one_minus_theta_micro = rest;
    d->head_count = min_u64(d->places, DRAW_HEAD);
    /* The largest power decides how many bits are left behind the point. */
    int64_t low = scaled_micro(log2_border(d->head_count), rest),
            high = scaled_micro(log2_border(d->places), rest), top = low > high ? low : high;
    d->tail_bits = (int)(60 - (top >> 32));
    if (d->tail_bits > 60)
        d->tail_bits = 60;
    d->mass_bits = d->tail_bits - 20 < 32 ? d->tail_bits - 20 : 32;
    if (d->mass_bits < 4)
        d->mass_bits = 4;
    d->tail_from = draw_exp2(d, low, d->tail_bits);
    d->tail_to = draw_exp2(d, high, d->tail_bits);
    for (uint64_t k = 1, sum = 0; k <= d->head_count; k++) {
        sum += draw_exp2(d, -scaled_micro(draw_log2(k), theta_micro), d->mass_bits);
        d->head[k - 1] = sum;
    }
    uint64_t between =
        rest > 0 ? d->tail_to - d->tail_from : d->tail_from - d->tail_to; /* falls when theta > 1 */
    uint64_t tail = d->places > DRAW_HEAD ? mul_div_u64(moved(between, d->tail_bits, d->mass_bits), 1000000,
                                                        (uint64_t)(rest < 0 ? -rest : rest))
                                          : 0;
    d->total_mass = d->head[d->head_count - 1] + tail;
}

static uint64_t zipf_rank(const struct draw *d, uint64_t random)
{
    uint64_t mass = mul_high_u64(random, d->total_mass), low = 0, high = d->head_count - 1;

    if (mass < d->head[high] || d->places <= DRAW_HEAD) {
        while (low < high) { /* the first whose sum is above */
            uint64_t middle = (low + high) / 2;
            if (mass < d->head[middle])
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    /* What lies behind the head, as a fraction of the tail; the random word's low bits refine it. */
    uint64_t tail = d->total_mass - d->head[high], part = mass - d->head[high];
    bool falls = d->one_minus_theta_micro < 0;
    uint64_t between = falls ? d->tail_from - d->tail_to : d->tail_to - d->tail_from;
    uint64_t away =
        mul_div_u64(between, part, tail) + mul_high_u64(random * 0x9e3779b97f4a7c15ull, between / tail);
    uint64_t power = falls ? d->tail_from - away : d->tail_from + away;
    int64_t x = draw_log2(max_u64(power, 1)) - ((int64_t)d->tail_bits << 32);
    uint64_t m = mul_div_u64((uint64_t)(x < 0 ? -x : x), 1000000,
                             (uint64_t)(falls ? -d->one_minus_theta_micro : d->one_minus_theta_micro));
    /* The border is at rank + 1/2, ranks count from 1: rank - 1 = floor(border - 1/2). */
    uint64_t twice = m >> 38 ? UINT64_MAX : draw_exp2(d, (int64_t)m, 1);
    uint64_t rank = twice ? (twice - 1) / 2 : 0;
    return min_u64(max_u64(rank, d->head_count), d->places - 1);
}

/* ---- pareto: the share h of places gets the share 1 - h of requests, again and again ---- */
static void init_pareto(struct draw *d, uint32_t h_micro)
{
    int64_t million = draw_log2(1000000);
    uint64_t up = (uint64_t)(million - draw_log2(h_micro)),
             down = (uint64_t)(million - draw_log2(1000000 - h_micro));

    d->power_q32 = mul_div_u64(up, 1ull << 32, down);
}

static uint64_t pareto_rank(const struct draw *d, uint64_t random)
{
    int64_t below = (64ll << 32) - draw_log2(random | 1); /* of u = random / 2^64: -log2 u */
    int64_t x = draw_log2(d->places) - times_q32(below, d->power_q32);

    return x < 0 ? 0 : min_u64(draw_exp2(d, x, 0), d->places - 1);
}

/* ---- normal: the sum of twelve even draws has a deviation of one ---- */
static uint64_t normal_place(const struct draw *d, struct rng *rng)
{
    for (unsigned tries = 0; tries < 64; tries++) {
        int64_t sum = 0;
        for (unsigned i = 0; i < 6; i++) {
            uint64_t w = rng_next(rng);
            sum += (int64_t)(w >> 32) + (int64_t)(w & 0xffffffff);
        }
        int64_t away = times_q32(sum - (6ll << 32), d->deviation), middle = (int64_t)(d->places / 2);
        if (middle + away >= 0 && (uint64_t)(middle + away) < d->places)
            return (uint64_t)(middle + away);
    }
    return mul_high_u64(rng_next(rng), d->places);
}

uint64_t draw_place(const struct draw *d, struct rng *rng)
{
    switch (d->kind) {
    case JOB_ZIPF:
        return perm_at(&d->scatter, zipf_rank(d, rng_next(rng)));
    case JOB_PARETO:
        return perm_at(&d->scatter, pareto_rank(d, rng_next(rng)));
    case JOB_NORMAL:
        return normal_place(d, rng);
    default:
        return mul_high_u64(rng_next(rng), d->places);
    }
}

uint32_t draw_size(const struct draw *d, struct rng *rng)
{
    if (d->steps)
        return d->least_lbas * (1 + (uint32_t)mul_high_u64(rng_next(rng), d->steps));
    if (d->size_count == 1)
        return d->size[0].lbas;
    uint64_t word = rng_next(rng);
    unsigned i = 0;
    while (i + 1 < d->size_count && word >= d->size[i].below)
        i++;
    return d->size[i].lbas;
}

static uint64_t below_percent(unsigned percent)
{
    return percent >= 100 ? UINT64_MAX : UINT64_MAX / 100 * percent;
}

static void init_sizes(struct draw *d, const struct job *j, uint32_t lba_bytes)
{
    unsigned percent = 0;

    for (unsigned i = 0; i < j->split_count; i++) {
        percent += j->split[i].percent;
        d->size[i].lbas = j->split[i].bytes / lba_bytes;
        d->size[i].below = below_percent(percent);
    }
    d->size_count = j->split_count;
    if (!d->size_count) {
        d->size[0].lbas = j->block_bytes / lba_bytes;
        d->size_count = 1;
    }
    if (j->block_min_bytes) {
        d->least_lbas = j->block_min_bytes / lba_bytes;
        d->steps = j->block_bytes / j->block_min_bytes;
    }
}

void draw_init(struct draw *d, const struct job *j, uint64_t span_lbas, uint32_t lba_bytes)
{
    uint32_t smallest = UINT32_MAX;
    uint64_t root = 2ull << 31;

    *d = (struct draw){ .kind = j->distribution };
    init_sizes(d, j, lba_bytes);
    for (unsigned i = 0; i < d->size_count; i++)
        smallest = d->size[i].lbas < smallest ? d->size[i].lbas : smallest;
    if (d->steps)
        smallest = d->least_lbas;
    d->align_lbas = j->align_bytes ? j->align_bytes / lba_bytes : smallest;
    d->places = max_u64(1, span_lbas / d->align_lbas);
    d->run_ios = j->run_ios;
    d->gap_lbas = j->gap_bytes / lba_bytes;
    d->random_below = job_rw_is_random(j->rw) ? below_percent(j->random_pct) : 0;
    for (unsigned i = 0; i < 32; i++)
        d->root[i] = root = isqrt_u64(root << 31);
    perm_init(&d->scatter, d->places, j->randseed ^ 0x5ca77e4);
    if (d->kind == JOB_ZIPF)
        init_zipf(d, j->distribution_micro);
    else if (d->kind == JOB_PARETO)
        init_pareto(d, j->distribution_micro);
    else if (d->kind == JOB_NORMAL)
        d->deviation = mul_div_u64(d->places, j->distribution_micro, 100000000);
}
