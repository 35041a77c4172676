#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "engine.h"
#include "model_nvme.h"
#include "nvme.h"
#include "platform_model.h"

/* bench_cost engine|driver RW BLOCK_BYTES DEPTH REQUESTS: that many reads of a well-behaved NVMe drive.  Run
 * by bench/bench-cost under callgrind, which counts what our own objects cost; the model is not counted. */

static struct model_nvme *model;
static struct controller *controller;
static struct disk *disk;

static void fail(const char *what)
{
    fprintf(stderr, "bench_cost: %s %s\n", what, model_first_violation());
    exit(1);
}

static void attach(unsigned depth)
{
    struct fault fault = { 0 };
    struct pci_fn *fn;

    model_reset_world();
    model_quiet = true;
    model = model_nvme_new();
    if (!model)
        fail("no memory");
    /* A drive of 1.92 TB: no power of two, which would be kind to the random map. */
    model->ns[0].nsze = 1920383410176 / 512;
    fn = model_add_device(&model_nvme_ops, model, &model->host);
    model_nvme_power_on(model);
    if (nvme_driver.attach(fn, 0, &controller, &fault) || !controller->disk_count)
        fail("attach");
    disk = controller->disks[0];
    /* As fast as a fast drive: one reading of the clock per visit, 1 us per request. */
    model_now_step_ns = 1000 * depth;
}

/* Register accesses and completions cost next to nothing from here on. */
static void bench(bool on)
{
    model->set.bench = on;
    model_bench = on;
}

static uint64_t run_engine(enum job_rw rw, bool map, uint32_t block_bytes, uint16_t depth, uint64_t requests)
{
    struct plan_lane lane = { .disk = disk };
    struct plan_step step = { .lanes = &lane, .lane_count = 1 };
    struct engine *e;
    uint64_t ios;

    opt_defaults(job_options, job_option_count, &lane.job);
    lane.job.rw = rw;
    lane.job.norandommap = !map;
    lane.job.iodepth = depth;
    lane.job.block_bytes = block_bytes;
    lane.job.io_bytes = requests * block_bytes;
    lane.job.runtime_ns = 0;
    lane.job.ramp_ns = 0;
    if (engine_begin(&step, 0, &e) || engine_lane_reason(e, 0)[0])
        fail("engine_begin");
    bench(true);
    while (worker_run(e, 10 * NS_PER_S)) {}
    bench(false);
    ios = engine_result(e, 0)->ios;
    engine_end(e);
    return ios;
}

static uint64_t run_driver(uint32_t block_bytes, uint16_t depth, uint64_t requests)
{
    static struct io_request request[256];
    static struct io_completion done[256];
    struct lane_shape shape = { .depth = depth, .request_bytes = block_bytes };
    uint32_t blocks = block_bytes / disk->lba_bytes;
    uint64_t lba = 0, ios = 0;
    struct io_lane *l;
    unsigned n = depth;

    if (disk->ops->open(disk, &shape, &l))
        fail("open");
    for (uint16_t i = 0; i < depth; i++)
        done[i].slot = i;
    bench(true);
    while (ios < requests) {
        for (unsigned i = 0; i < n; i++, lba += blocks)
            request[i] = (struct io_request){ .lba = lba, .blocks = blocks, .slot = done[i].slot };
        if (disk->ops->submit(l, request, n) != n)
            fail("submit");
        disk->ops->kick(l);
        n = disk->ops->poll(l, done, depth);
        ios += n;
    }
    bench(false);
    disk->ops->close(l);
    return requests;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr,
                "usage: bench_cost engine|driver read|randread|randread-nomap BLOCK_BYTES DEPTH REQUESTS\n");
        return 2;
    }
    enum job_rw rw = strcmp(argv[2], "read") ? JOB_RANDREAD : JOB_READ;
    uint32_t block_bytes = (uint32_t)strtoul(argv[3], NULL, 0);
    uint16_t depth = (uint16_t)strtoul(argv[4], NULL, 0);
    uint64_t requests = strtoull(argv[5], NULL, 0), ios;

    attach(depth);
    if (!strcmp(argv[1], "engine"))
        ios = run_engine(rw, strcmp(argv[2], "randread-nomap") != 0, block_bytes, depth, requests);
    else
        ios = run_driver(block_bytes, depth, requests);
    if (ios != requests || controller->fault.err || disk->fault.err)
        fail("reads are missing");
    nvme_driver.detach(controller);
    if (model_violations || model_live_allocs())
        fail("not clean");
    model_nvme_free(model);
    return 0;
}
