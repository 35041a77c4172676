#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "engine.h"
#include "fake_disk.h"
#include "plan.h"
#include "platform_model.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            abort();                                                                                         \
    } while (0)

/* A person's text becomes a configuration, jobs and a plan for three disks of different kinds; whatever it
 * says, no lane may leave its disk, and the first steps of the plan run.  The first byte chooses which
 * allocation fails (0-199; above: none). */
enum { DISKS = 3, STEPS = 2, LEAST_TEXT = 2 };
static struct fake_disk fake[DISKS];
static struct controller controller[2];
static struct disk *disks[DISKS];

static void set_up(void)
{
    static const struct {
        const char *name;
        uint32_t lba_bytes;
        uint64_t lba_count;
        uint16_t max_depth;
    } row[DISKS] = {
        { "nvme0n1", 512, 2048 + 3, 1024 },
        { "sata0.3", 4096, 1ull << 31, 32 },
        { "megaraid0.vd0", 520, 1001, 0 },
    };

    model_reset_world();
    model_quiet = true;
    model_relax_step_ns = 10 * NS_PER_MS;
    for (unsigned i = 0; i < DISKS; i++) {
        fake_disk_init(&fake[i], row[i].name, &controller[i ? 1 : 0], NULL, 0);
        fake[i].disk.lba_bytes = row[i].lba_bytes;
        fake[i].disk.lba_count = row[i].lba_count;
        fake[i].disk.max_depth = row[i].max_depth;
        fake[i].disk.rotation = (enum disk_rotation)i;
        disks[i] = &fake[i].disk;
    }
}

static bool is_text(const char *s, size_t cap) { return memchr(s, 0, cap) != NULL; }

static void check_problems(const struct job_problem *p, unsigned count)
{
    for (unsigned i = 0; i < count && i < JOB_FILE_MAX_PROBLEMS; i++)
        REQUIRE(p[i].text[0] && is_text(p[i].text, sizeof(p[i].text)) && is_text(p[i].job, sizeof(p[i].job)));
}

static void check_jobs(const struct job_file *f)
{
    REQUIRE(f->job_count <= JOB_FILE_MAX_JOBS);
    check_problems(f->problems, f->problem_count);
    check_problems(f->notes, f->note_count);
    for (unsigned i = 0; i < f->job_count; i++) {
        const struct job *j = &f->jobs[i];
        REQUIRE(j->rw < JOB_RW_COUNT && j->iodepth >= 1 && j->iodepth <= 1024 && j->block_bytes >= 512);
        REQUIRE(j->size_pct <= 100 && j->io_pct <= 100 && j->offset_pct < 100);
        REQUIRE(is_text(j->name, sizeof(j->name)) && is_text(j->filename, sizeof(j->filename)));
        REQUIRE(!f->refused[i] || f->problem_count);
    }
}

static void check_plan(const struct plan *p)
{
    for (unsigned s = 0; s < p->step_count; s++) {
        REQUIRE(p->steps[s].lane_count && is_text(p->steps[s].title, sizeof(p->steps[s].title)));
        for (unsigned i = 0; i < p->steps[s].lane_count; i++) {
            const struct plan_lane *l = &p->steps[s].lanes[i];
            uint64_t bytes = l->disk->lba_count * l->disk->lba_bytes;
            REQUIRE(l->job.offset_bytes < bytes && l->job.size_bytes <= bytes - l->job.offset_bytes);
            REQUIRE(l->job.block_bytes % l->disk->lba_bytes == 0 && l->depth >= 1 &&
                    l->depth <= l->job.iodepth);
        }
    }
    for (unsigned i = 0; i < p->refusal_count; i++)
        REQUIRE(p->refusals[i].why[0] && is_text(p->refusals[i].why, sizeof(p->refusals[i].why)));
}

static void run_plan(struct plan *p)
{
    for (unsigned s = 0; s < p->step_count && s < STEPS; s++) {
        struct engine *e;
        if (engine_begin(&p->steps[s], s, &e) != OK)
            continue;
        for (unsigned slices = 0; slices < 5 && worker_run(e, NS_PER_MS); slices++)
            if (slices == 2) {
                worker_hold(e);
                worker_resume(e);
            }
        engine_end(e);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct conf conf;
    static struct conf_problems problems;
    static struct job_file jobs;
    struct plan plan;

    if (size < LEAST_TEXT)
        return 0;
    set_up();
    (void)conf_read((const char *)data + 1, size - 1, &conf, &problems);
    check_problems(problems.kept, problems.count);
    REQUIRE(conf.time_scale_pct >= 1 && conf.budget_s >= 10 && conf.map_count <= CONF_MAX_MAPS);
    bool good = job_file_read((const char *)data + 1, size - 1, &jobs);
    REQUIRE(good == !jobs.problem_count);
    check_jobs(&jobs);
    for (unsigned i = 0; i < DISKS; i++)
        (void)plan_wants_disk(&conf, disks[i]);

    model_fail_alloc_at = data[0] < 200 ? data[0] : -1;
    for (unsigned how = 0; how < 2; how++) {
        int err = how ? plan_from_jobs(&conf, &jobs, disks, DISKS, &plan)
                      : plan_default(&conf, disks, DISKS, &plan);
        REQUIRE(err == OK || err == E_NOMEM);
        check_plan(&plan);
        if (how || data[0] & 1)
            run_plan(&plan);
        plan_free(&plan);
        REQUIRE(model_live_allocs() == 0);
    }
    for (unsigned i = 0; i < DISKS; i++)
        REQUIRE(!fake[i].violations && !fake[i].open_lanes);
    return 0;
}
