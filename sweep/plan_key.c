#include <stddef.h>
#include "plan.h"
#include "str.h"

/* ---- FNV-1a, 64 bits: two plans of one machine are told apart, nobody is kept from forging one ---- */
static void add(uint64_t *sum, const void *bytes, size_t len)
{
    const uint8_t *b = bytes;

    for (size_t i = 0; i < len; i++)
        *sum = (*sum ^ b[i]) * 0x100000001b3ull;
}

static void add_u64(uint64_t *sum, uint64_t v) { add(sum, &v, sizeof v); }
static void add_str(uint64_t *sum, const char *s) { add(sum, s, str_len(s) + 1); }

/* Every option counts, but for where the job stood in its file and what was remarked on it.  Jobs are made in
 * memory full of zeros: what lies between their members is the same each time, and if it were not, a step
 * would only be measured once more. */
static void add_job(uint64_t *sum, const struct job *j)
{
    enum {
        LINE_END = offsetof(struct job, line) + sizeof j->line,
        WORDS = offsetof(struct job, description),
        WORDS_END = WORDS + sizeof j->description
    };
    const uint8_t *b = (const uint8_t *)j;

    add_str(sum, j->name);
    add(sum, b + LINE_END, WORDS - LINE_END);
    add(sum, b + WORDS_END, sizeof *j - WORDS_END);
}

/* What reads the disk's own stamps belongs to what wrote them: both are done again. */
static bool may_be_taken_over(const struct plan_lane *l)
{
    return l->disk->identity[0] && !job_writes(&l->job) && !l->job.verify;
}

uint64_t plan_step_key(const struct plan_step *s)
{
    uint64_t sum = 0xcbf29ce484222325ull;

    add_str(&sum, s->title);
    add_u64(&sum, s->rounds);
    for (unsigned i = 0; i < s->lane_count; i++) {
        const struct plan_lane *l = &s->lanes[i];

        if (!may_be_taken_over(l))
            return 0;
        add_str(&sum, l->disk->name);
        add_str(&sum, l->disk->identity);
        add_u64(&sum, l->disk->lba_count);
        add_u64(&sum, l->disk->lba_bytes);
        add_job(&sum, &l->job);
        add_u64(&sum, l->depth);
        add_u64(&sum, l->copy);
    }
    return s->lane_count && sum ? sum : 0;
}
