#include "inventory.h"
#include "firmware_disk.h"
#include "guard.h"
#include "math.h"
#include "plan.h"
#include "platform_efi.h"
#include "raid_report.h"
#include "record.h"
#include "stripe.h"

/* ---- which functions are storage ---- */

static void add_function(struct inventory *inv, EFI_HANDLE handle)
{
    struct known_controller *c = &inv->controllers[inv->controller_count];

    if (inv->controller_count == INVENTORY_MAX_CONTROLLERS)
        return;
    *c = (struct known_controller){ .handle = handle };
    if (!platform_pci_open(handle, &c->fn) || !(c->row = driver_find(&c->fn)))
        return;
    inv->controller_count++;
}

static int by_pci_address(const void *a, const void *b)
{
    const struct pci_fn *x = &((const struct known_controller *)a)->fn,
                        *y = &((const struct known_controller *)b)->fn;
    uint32_t p = (uint32_t)x->segment << 16 | (uint32_t)x->bus << 8 | (uint32_t)x->device << 3 | x->function;
    uint32_t q = (uint32_t)y->segment << 16 | (uint32_t)y->bus << 8 | (uint32_t)y->device << 3 | y->function;

    return p < q ? -1 : p > q;
}

static void scan(struct inventory *inv)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&guid_pci_io, &count);

    for (UINTN i = 0; i < count; i++)
        add_function(inv, handles[i]);
    if (handles)
        boot->FreePool(handles);
    sort_records(inv->controllers, inv->controller_count, sizeof inv->controllers[0], by_pci_address);
}

/* ---- what is told about a controller and a disk ---- */

static void pci_address_text(const struct pci_fn *fn, char *buf, size_t cap)
{
    str_fmt(buf, cap, "%04x:%02x:%02x.%u", fn->segment, fn->bus, fn->device, fn->function);
}

static void journal_known_controller(const struct known_controller *c)
{
    struct controller_info info = {
        .vendor_id = c->fn.vendor_id,
        .device_id = c->fn.device_id,
        .subvendor_id = c->fn.subvendor_id,
        .subdevice_id = c->fn.subdevice_id,
        .class_code = c->fn.class_code,
    };
    const struct controller *shown = c->driven ? c->driven : &c->firmware;

    pci_address_text(&c->fn, info.pci_address, sizeof info.pci_address);
    str_copy(info.name, sizeof info.name, shown->name);
    str_copy(info.what, sizeof info.what, c->row->what);
    str_copy(info.why_not, sizeof info.why_not, c->why_not);
    if (c->driven) {
        str_copy(info.driver, sizeof info.driver, c->driven->driver->name);
        str_copy(info.model, sizeof info.model, c->driven->model);
        str_copy(info.serial, sizeof info.serial, c->driven->serial);
        str_copy(info.firmware, sizeof info.firmware, c->driven->firmware);
    }
    journal_controller(record_journal(), &info);
}

static const char *const kind_words[] = {
    [DISK_NVME] = "NVMe namespace",         [DISK_SATA] = "SATA disk",
    [DISK_VIRTUAL_DRIVE] = "virtual drive", [DISK_PHYSICAL_BEHIND_RAID] = "physical drive",
    [DISK_FIRMWARE] = "firmware disk",
};
static const char *const rotation_words[] = {
    [ROTATION_UNKNOWN] = "unknown",
    [ROTATION_NONE] = "no",
    [ROTATION_YES] = "yes",
};

static void journal_known_disk(const struct disk *d)
{
    struct disk_info info = {
        .lba_bytes = d->lba_bytes,
        .physical_block_bytes = d->physical_block_bytes,
        .max_command_bytes = d->max_command_bytes,
        .lba_count = d->lba_count,
        .max_depth = d->max_depth,
    };

    str_copy(info.name, sizeof info.name, d->name);
    str_copy(info.controller, sizeof info.controller, d->controller ? d->controller->name : "");
    str_copy(info.kind, sizeof info.kind, kind_words[d->kind]);
    str_copy(info.model, sizeof info.model, d->model);
    str_copy(info.serial, sizeof info.serial, d->serial);
    str_copy(info.firmware, sizeof info.firmware, d->firmware);
    str_copy(info.identity, sizeof info.identity, d->identity);
    str_copy(info.rotation, sizeof info.rotation, rotation_words[d->rotation]);
    str_copy(info.why_not, sizeof info.why_not, d->why_not);
    journal_disk(record_journal(), &info);
    if (d->settings[0] || d->optimal_boundary_bytes)
        journal_drive_settings(record_journal(), d->name, d->settings, d->optimal_boundary_bytes);
}

/* A disk that another controller has brought already is read there and named here. */
static void look_for_other_path(const struct inventory *inv, struct disk *d)
{
    static const struct disk *earlier[INVENTORY_MAX_DISKS];

    for (unsigned i = 0; i < inv->disk_count; i++)
        earlier[i] = inv->disks[i].disk;
    const struct disk *first = disk_seen_before(earlier, inv->disk_count, d);
    if (!first || !d->ops)
        return;
    d->ops = NULL;
    str_fmt(d->why_not, sizeof d->why_not, "second path to %s: it is tested there, once", first->name);
    record_finding("duplicate-path", FINDING_INFO, d->name, NULL, "the same disk as %s (%s)", first->name,
                   d->identity);
}

static void add_disk(struct inventory *inv, const struct conf *conf, struct disk *d)
{
    if (inv->disk_count == INVENTORY_MAX_DISKS) {
        record_finding("driver-remark", FINDING_WARN, d->name, NULL, "more than %u disks: not tested",
                       INVENTORY_MAX_DISKS);
        return;
    }
    look_for_other_path(inv, d);
    struct known_disk *k = &inv->disks[inv->disk_count++];
    *k = (struct known_disk){ .disk = d };
    if (!d->ops)
        str_copy(k->why, sizeof k->why, d->why_not);
    else if (!plan_wants_disk(conf, d))
        str_copy(k->why, sizeof k->why, "left out by the configuration");
    else
        k->wanted = true;
    journal_known_disk(d);
}

void inventory_set_array(struct inventory *inv, struct disk *array)
{
    const char *names[STRIPE_MAX_MEMBERS];
    unsigned n = 0;

    inv->array = (struct known_disk){ .disk = array };
    if (!array)
        return;
    journal_known_disk(array);
    for (const struct disk *m = stripe_member(array, 0); m; m = stripe_member(array, n))
        names[n++] = m->name;
    journal_array(record_journal(), array->name, stripe_chunk_bytes(array), names, n);
}

/* ---- taking controllers ---- */

/* Why a controller that we could drive is left alone; false: nothing speaks against it. */
static bool must_leave_alone(struct known_controller *c, const struct medium *m)
{
    EFI_DEVICE_PATH_PROTOCOL *path = device_path_of(c->handle);

    if (device_path_is_prefix(path, medium_boot_path()))
        str_copy(c->why_not, sizeof c->why_not,
                 "not driven: the medium we booted from is behind it, and driving it would take that away");
    else if (m->volume && device_path_is_prefix(path, device_path_of(m->volume)))
        str_copy(
            c->why_not, sizeof c->why_not,
            "not driven: the volume that takes the results is behind it, and driving it would take that away");
    return c->why_not[0] != 0;
}

static void attach(struct known_controller *c, unsigned index)
{
    struct fault fault = { 0 };
    char address[16], words[200];
    struct text t = text_over(words, sizeof words);

    c->firmware_had_it = firmware_drives(c->handle);
    pci_address_text(&c->fn, address, sizeof address);
    if (c->firmware_had_it && firmware_disconnect(c->handle) != OK) {
        str_copy(c->why_not, sizeof c->why_not, "firmware's own driver does not let go of it");
        c->firmware_had_it = false;
        record_finding("controller-attach-failed", FINDING_WARN, address, NULL, "%s: %s", c->row->what,
                       c->why_not);
        return;
    }
    if (c->row->driver->attach(&c->fn, index, &c->driven, &fault) == OK)
        return;
    c->driven = NULL;
    fault_text(&fault, &t);
    str_fmt(c->why_not, sizeof c->why_not, "could not be brought up: %s", words);
    record_finding("controller-attach-failed", FINDING_FAIL, address, NULL, "%s: %s", c->row->what, words);
}

void inventory_tell_remarks(struct known_controller *c)
{
    static const enum finding_level level[] = {
        [REMARK_INFO] = FINDING_INFO, [REMARK_WARN] = FINDING_WARN, [REMARK_FAIL] = FINDING_FAIL
    };
    const struct controller *d = c->driven;

    for (; c->remarks_told < d->remark_count; c->remarks_told++)
        record_finding("driver-remark", level[d->remarks[c->remarks_told].level], d->name, NULL, "%s",
                       d->remarks[c->remarks_told].text);
    if (d->remarks_dropped > c->drops_told)
        record_finding("driver-remark", FINDING_INFO, d->name, NULL, "%u more remarks were dropped",
                       d->remarks_dropped - c->drops_told);
    c->drops_told = d->remarks_dropped;
}

static void take_driven(struct inventory *inv, const struct conf *conf, struct known_controller *c)
{
    journal_known_controller(c);
    inventory_tell_remarks(c);
    for (unsigned i = 0; i < c->driven->disk_count; i++)
        add_disk(inv, conf, c->driven->disks[i]);
    raid_journal(c->driven);
}

/* The firmware path: what firmware can read of a controller that we do not drive. */
static void take_by_firmware(struct inventory *inv, const struct conf *conf, struct known_controller *c,
                             unsigned index)
{
    struct disk *disks[FIRMWARE_DISKS_MAX];

    str_fmt(c->firmware.name, sizeof c->firmware.name, "other%u", index);
    c->firmware.fn = &c->fn;
    journal_known_controller(c);
    record_finding("controller-not-driven", FINDING_INFO, c->firmware.name, NULL, "%s: %s", c->row->what,
                   c->why_not);
    if (!conf->firmware_path)
        return;
    firmware_connect(c->handle);
    unsigned n = firmware_disks_find(c->handle, &c->firmware, disks, ARRAY_COUNT(disks));
    for (unsigned i = 0; i < n; i++)
        add_disk(inv, conf, disks[i]);
    if (n)
        record_finding("firmware-path", FINDING_INFO, c->firmware.name, NULL,
                       "%u %s read through firmware Block I/O: queue depth 1, not comparable", n,
                       n == 1 ? "disk is" : "disks are");
}

void inventory_take(struct inventory *inv, const struct conf *conf, const struct medium *m)
{
    unsigned index_of_driver[8] = { 0 }, others = 0;
    const struct controller_driver *seen[8] = { 0 };

    raid_consent = (struct raid_consent){ .acknowledge_boot_message = conf->ack_boot_message,
                                          .reset_fault = conf->reset_faulted_raid };
    scan(inv);
    for (unsigned i = 0; i < inv->controller_count; i++) {
        struct known_controller *c = &inv->controllers[i];
        unsigned k = 0;

        if (!c->row->driver)
            str_fmt(c->why_not, sizeof c->why_not, "not driven: %s", c->row->why_not);
        else if (!must_leave_alone(c, m)) {
            while (k < ARRAY_COUNT(seen) - 1 && seen[k] && seen[k] != c->row->driver)
                k++;
            seen[k] = c->row->driver;
            attach(c, index_of_driver[k]++);
        }
        if (c->driven)
            take_driven(inv, conf, c);
        else
            take_by_firmware(inv, conf, c, others++);
    }
}

void inventory_give_back(struct inventory *inv)
{
    firmware_disks_free();
    for (unsigned i = inv->controller_count; i-- > 0;) {
        struct known_controller *c = &inv->controllers[i];

        if (c->driven)
            c->driven->driver->detach(c->driven);
        c->driven = NULL;
        if (c->firmware_had_it)
            firmware_connect(c->handle);
    }
}

bool inventory_is_on_boot_path(const struct inventory *inv, const struct disk *d, const struct medium *m)
{
    for (unsigned i = 0; i < inv->controller_count; i++) {
        const struct known_controller *c = &inv->controllers[i];
        EFI_DEVICE_PATH_PROTOCOL *path = device_path_of(c->handle);

        if (c->driven != d->controller && &c->firmware != d->controller)
            continue;
        return device_path_is_prefix(path, medium_boot_path()) ||
               (m->volume && device_path_is_prefix(path, device_path_of(m->volume)));
    }
    return true; /* a disk of nobody: not to be written */
}

struct known_disk *inventory_find(struct inventory *inv, const struct disk *d)
{
    for (unsigned i = 0; i < inv->disk_count; i++)
        if (inv->disks[i].disk == d)
            return &inv->disks[i];
    return d && inv->array.disk == d ? &inv->array : NULL;
}

void inventory_disk_finding(struct inventory *inv, const struct disk *d, const char *code,
                            enum finding_level level, const char *expected, const char *seen_fmt, ...)
{
    struct known_disk *k = inventory_find(inv, d);
    char seen[240];
    struct text t = text_over(seen, sizeof seen);
    va_list ap;

    va_start(ap, seen_fmt);
    text_vfmt(&t, seen_fmt, ap);
    va_end(ap);
    record_finding(code, level, d->name, expected, "%s", seen);
    if (!k)
        return;
    enum verdict after = verdict_after(k->verdict, level);
    if (after != k->verdict)
        str_copy(k->why, sizeof k->why, seen);
    k->verdict = after;
}

/* ---- what the disks hold ---- */

static const char *const region_words[SAMPLE_REGIONS] = {
    [SAMPLE_HEAD_SMALL] = "head",
    [SAMPLE_HEAD_LARGE] = "head",
    [SAMPLE_TAIL] = "tail",
};

static void journal_sample(const struct disk *d, const struct sample *s, bool before)
{
    for (unsigned i = 0; i < SAMPLE_REGIONS; i++) {
        const struct sample_region *g = &s->region[i];

        if (g->rc == OK)
            journal_data_crc(record_journal(), d->name, before ? "before" : "after", g->first_lba, g->bytes,
                             g->request_bytes, g->crc32c);
    }
}

static void sample_disk(struct inventory *inv, struct known_disk *k, bool before)
{
    struct sample now;

    sample_take(k->disk, &now);
    journal_sample(k->disk, &now, before);
    for (unsigned i = 0; i < SAMPLE_REGIONS; i++)
        if (now.region[i].rc != OK)
            inventory_disk_finding(inv, k->disk, "data-unreadable", FINDING_FAIL,
                                   "the region is read without error",
                                   "the %s (%llu bytes from LBA %llu) cannot be read: %s", region_words[i],
                                   (unsigned long long)now.region[i].bytes,
                                   (unsigned long long)now.region[i].first_lba, err_text(now.region[i].rc));
    if (sample_agrees_with_itself(&now) != OK)
        inventory_disk_finding(inv, k->disk, "data-differs", FINDING_FAIL, "equal data",
                               "the first MiB reads differently in small and in large requests");
    int changed = !before && k->sampled ? sample_difference(&k->before, &now) : -1;
    if (changed >= 0)
        inventory_disk_finding(inv, k->disk, "content-changed", FINDING_FAIL,
                               "the same data before and after",
                               "the %s of the disk is not what it was before the run", region_words[changed]);
    if (before) {
        k->before = now;
        k->sampled = true;
    }
}

void inventory_sample(struct inventory *inv, bool before)
{
    for (unsigned i = 0; i < inv->disk_count; i++) {
        struct known_disk *k = &inv->disks[i];

        /* What was written is meant to be another. */
        if (k->wanted && !k->disk->fault.err && (before || !guard_permit(k->disk)->granted))
            sample_disk(inv, k, before);
    }
}
