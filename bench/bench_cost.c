#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ahci.h"
#include "bits.h"
#include "engine.h"
#include "gate.h"
#include "mfi.h"
#include "model_ahci.h"
#include "model_mfi.h"
#include "model_nvme.h"
#include "nvme.h"
#include "platform_model.h"

/* bench_cost DEVICE engine|driver RW BLOCK_BYTES DEPTH REQUESTS: that many requests to a well-behaved drive.
 * Run by bench/bench-cost under callgrind, which counts what our own objects cost; the model is not counted.
 */

static struct model_nvme *nvme;
static struct model_ahci ahci;
static struct model_mfi mfi;
static struct controller *controller;
static struct disk *disk;

/* Drives of 1.92 TB: no power of two, which would be kind to the random map. */
#define DRIVE_BLOCKS (1920383410176 / 512)

static void fail(const char *what)
{
    fprintf(stderr, "bench_cost: %s %s\n", what, model_first_violation());
    exit(1);
}

/* ---- the devices ---- */
static struct pci_fn *add_nvme(void)
{
    struct pci_fn *fn;

    nvme = model_nvme_new();
    if (!nvme)
        fail("no memory");
    nvme->ns[0].nsze = DRIVE_BLOCKS;
    fn = model_add_device(&model_nvme_ops, nvme, &nvme->host);
    model_nvme_power_on(nvme);
    return fn;
}

static struct pci_fn *add_ahci(void)
{
    model_ahci_init(&ahci);
    model_ahci_add_disk(&ahci, 0, DRIVE_BLOCKS);
    return model_add_device(&model_ahci_ops, &ahci, &ahci.host);
}

static struct pci_fn *add_raid(enum model_mfi_generation g)
{
    model_mfi_init(&mfi, g);
    model_mfi_add_ld(&mfi, 0, DRIVE_BLOCKS);
    return model_add_device(&model_mfi_ops, &mfi, &mfi.host);
}

static struct pci_fn *add_mfi(void) { return add_raid(MODEL_MFI_2108); }
static struct pci_fn *add_skinny(void) { return add_raid(MODEL_MFI_SKINNY); }
static struct pci_fn *add_fusion(void) { return add_raid(MODEL_MFI_VENTURA); }
static struct pci_fn *add_aero(void) { return add_raid(MODEL_MFI_AERO); }

static const struct device {
    const char *name;
    const struct controller_driver *driver;
    struct pci_fn *(*add)(void);
} devices[] = {
    { "nvme", &nvme_driver, add_nvme },    { "ahci", &ahci_driver, add_ahci },
    { "mfi", &mfi_driver, add_mfi },       { "skinny", &mfi_driver, add_skinny },
    { "fusion", &mfi_driver, add_fusion }, { "aero", &mfi_driver, add_aero },
};

static void attach(const struct device *d, unsigned depth)
{
    struct fault fault = { 0 };

    model_reset_world();
    model_quiet = true;
    if (d->driver->attach(d->add(), 0, &controller, &fault) || !controller->disk_count)
        fail("attach");
    disk = controller->disks[0];
    /* As fast as a fast drive: one reading of the clock per visit, 1 us per request. */
    model_now_step_ns = 1000 * depth;
}

/* Register accesses and completions cost next to nothing from here on. */
static void bench(bool on)
{
    if (nvme)
        nvme->set.bench = on;
    ahci.bench = mfi.bench = on;
    model_bench = on;
}

static uint64_t run_engine(enum job_rw rw, bool map, uint32_t block_bytes, uint16_t depth, uint64_t requests)
{
    static struct plan_lane lane;
    struct plan_step step = { .lanes = &lane, .lane_count = 1 };
    struct engine *e;
    uint64_t ios;

    lane.disk = disk;
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

static uint64_t run_driver(bool writes, uint32_t block_bytes, uint16_t depth, uint64_t requests)
{
    static struct io_request request[256];
    static struct io_completion done[256];
    struct lane_shape shape = { .depth = depth, .writes = writes, .request_bytes = block_bytes };
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
            request[i] =
                (struct io_request){ .lba = lba, .blocks = blocks, .slot = done[i].slot, .op = writes };
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
    const struct device *d = devices;

    if (argc != 7) {
        fprintf(
            stderr,
            "usage: bench_cost nvme|ahci|mfi|skinny|fusion|aero engine|driver [rand]read|[rand]write|randread-nomap BLOCK_BYTES "
            "DEPTH REQUESTS\n");
        return 2;
    }
    while (d < devices + ARRAY_COUNT(devices) && strcmp(d->name, argv[1]))
        d++;
    if (d == devices + ARRAY_COUNT(devices))
        fail("unknown device");
    bool random = !strncmp(argv[3], "rand", 4), writes = strstr(argv[3], "write");
    enum job_rw rw = writes ? random ? JOB_RANDWRITE : JOB_WRITE : random ? JOB_RANDREAD : JOB_READ;
    uint32_t block_bytes = (uint32_t)strtoul(argv[4], NULL, 0);
    uint16_t depth = (uint16_t)strtoul(argv[5], NULL, 0);
    uint64_t requests = strtoull(argv[6], NULL, 0), ios;

    attach(d, depth);
    if (writes && gate_arm(disk->identity, 0, disk->lba_count))
        fail("arming");
    if (!strcmp(argv[2], "engine"))
        ios = run_engine(rw, strcmp(argv[3], "randread-nomap") != 0, block_bytes, depth, requests);
    else
        ios = run_driver(writes, block_bytes, depth, requests);
    if (ios != requests || controller->fault.err || disk->fault.err)
        fail("requests are missing");
    d->driver->detach(controller);
    if (model_violations || model_live_allocs())
        fail("not clean");
    if (nvme)
        model_nvme_free(nvme);
    return 0;
}
