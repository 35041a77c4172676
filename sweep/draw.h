#ifndef SWEEP_DRAW_H
#define SWEEP_DRAW_H
#include <stdbool.h>
#include "job.h"
#include "math.h"
#include "perm.h"

/* Requests by draw: mixed sizes, mixed order, skewed places.  Integers only: powers and logarithms are fixed
 * point with 31 bits behind the point, the most popular 256 ranks of zipf are summed one by one. */
enum { DRAW_HEAD = 256 };
struct draw {
    struct {
        uint32_t lbas;
        uint64_t below; /* a random word below this chooses it */
    } size[JOB_MAX_SPLITS];
    unsigned size_count;
    uint32_t least_lbas, steps; /* bsrange: least x 1 .. steps; steps 0: none */
    uint32_t align_lbas;
    uint32_t run_ios, run_left; /* rw=randread:N: of a run that began at a random place */
    uint64_t gap_lbas;          /* rw=read:N: behind each request */
    uint64_t random_below;      /* a random word below this: a random place; UINT64_MAX: always */
    uint64_t places;            /* region / align, at least 1 */

    uint8_t kind; /* enum job_distribution */
    struct perm scatter;
    uint64_t root[32]; /* 2^(1/2^(k+1)), 31 bits behind the point */
    /* zipf */
    uint64_t head[DRAW_HEAD]; /* mass of ranks 0..i, mass_bits behind the point */
    uint64_t head_count, total_mass;
    uint64_t tail_from, tail_to; /* of x^(1-theta), tail_bits behind the point */
    int tail_bits, mass_bits;
    int64_t one_minus_theta_micro;
    /* pareto: power of u, 32 bits behind the point; normal: places of one deviation */
    uint64_t power_q32, deviation;
};
/* span_lbas: of the region, at least 1. */
void draw_init(struct draw *d, const struct job *j, uint64_t span_lbas, uint32_t lba_bytes);
uint32_t draw_size(const struct draw *d, struct rng *rng);  /* LBAs of the next request */
uint64_t draw_place(const struct draw *d, struct rng *rng); /* 0 .. places-1 */
static inline bool draw_is_random(const struct draw *d, struct rng *rng)
{
    return d->random_below == UINT64_MAX || rng_next(rng) < d->random_below;
}

/* log2 of v > 0, 32 bits behind the point; 2^x for x with 32 bits behind the point (negative, too), as a
 * number with `bits` behind the point, 0 and UINT64_MAX when it does not fit. */
int64_t draw_log2(uint64_t v);
uint64_t draw_exp2(const struct draw *d, int64_t x, int bits);

#endif
