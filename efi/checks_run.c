#include "checks_state.h"
#include "acpi.h"
#include "console.h"
#include "drive_state.h"
#include "numa_run.h"
#include "pins.h"
#include "platform_efi.h"
#include "record.h"
#include "serial.h"

struct checks_state checks_state;
static struct checks_state *const s = &checks_state;

/* ---- before controllers are taken ---- */

static struct {
    EFI_HANDLE handle;
    uint8_t d_state;
} woken[INVENTORY_MAX_CONTROLLERS];
static unsigned woken_count;

static void wake(EFI_HANDLE handle)
{
    struct pci_fn fn;
    int found;

    if (!platform_pci_open(handle, &fn) || !driver_find(&fn) || woken_count == INVENTORY_MAX_CONTROLLERS)
        return;
    found = pci_wake(&fn);
    if (found > 0) {
        woken[woken_count].handle = handle;
        woken[woken_count++].d_state = (uint8_t)found;
    }
}

static unsigned d_state_of(const struct known_controller *c)
{
    for (unsigned i = 0; i < woken_count; i++)
        if (woken[i].handle == c->handle)
            return woken[i].d_state;
    return 0;
}

void checks_wake(const struct conf *conf)
{
    UINTN count;
    EFI_HANDLE *handles;

    if (conf->bench_wait_s) {
        serial_say("waiting up to %u s for the test bench; a key ends it", conf->bench_wait_s);
        console_wait_key(conf->bench_wait_s);
    }
    handles = firmware_handles(&guid_pci_io, &count);
    for (UINTN i = 0; handles && i < count; i++)
        wake(handles[i]);
    if (handles)
        boot->FreePool(handles);
    numa_prepare();
}

/* ---- findings ---- */

struct finding_list *checks_list(void)
{
    s->list = (struct finding_list){ .at = s->findings, .capacity = CHECKS_MAX_FINDINGS };
    return &s->list;
}

static const struct disk *disk_named(const struct inventory *inv, const char *name)
{
    for (unsigned i = 0; i < inv->disk_count; i++)
        if (str_equal(inv->disks[i].disk->name, name))
            return inv->disks[i].disk;
    return NULL;
}

void checks_say(struct inventory *inv)
{
    for (unsigned i = 0; i < s->list.count; i++) {
        const struct finding *f = &s->findings[i];
        const struct disk *d = disk_named(inv, f->subject);
        const char *expected = f->expected[0] ? f->expected : NULL;

        if (d && f->level != FINDING_PASS)
            inventory_disk_finding(inv, d, f->code, f->level, expected, "%s", f->seen);
        else
            record_finding(f->code, f->level, f->subject, expected, "%s", f->seen);
    }
    if (s->list.dropped)
        record_finding("not-reported", FINDING_WARN, "run", NULL, "%u findings of the checks did not fit",
                       s->list.dropped);
}

const char *checks_controller_name(const struct known_controller *c)
{
    return c->driven ? c->driven->name : c->firmware.name;
}

/* ---- functions and paths ---- */

static void list_functions(void)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&guid_pci_io, &count);

    s->function_count = 0;
    for (UINTN i = 0; handles && i < count && s->function_count < CHECKS_MAX_FUNCTIONS; i++)
        if (platform_pci_open(handles[i], &s->functions[s->function_count])) {
            pci_facts_read(&s->functions[s->function_count], &s->facts[s->function_count]);
            s->function_count++;
        }
    if (handles)
        boot->FreePool(handles);
}

/* What the narrowest hop could carry at best: at rest it may run slower than under load.  0: no link. */
static uint64_t most_of_path(const struct path *p)
{
    struct hop hops[PATH_MAX];
    unsigned n = path_hops(s->facts, p, hops);
    uint64_t most = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct pci_link *a = &s->facts[hops[i].port].link, *b = &s->facts[hops[i].device].link;
        uint64_t hop = link_ceiling_bytes_per_s((unsigned)min_u64(a->speed_possible, b->speed_possible),
                                                (unsigned)min_u64(a->width_possible, b->width_possible), 256);
        if (hop && (!most || hop < most))
            most = hop;
    }
    return most;
}

static void find_paths(const struct inventory *inv)
{
    for (unsigned i = 0; i < inv->controller_count; i++) {
        const struct known_controller *c = &inv->controllers[i];
        struct topology_controller *t = &s->controllers[i];

        *t = (struct topology_controller){ .name = checks_controller_name(c), .what = c->row->what };
        t->function = path_function(s->facts, s->function_count, c->fn.segment, c->fn.bus, c->fn.device,
                                    c->fn.function);
        path_find(s->facts, s->function_count, t->function, &t->path);
        if (c->driven)
            c->driven->link_bytes_per_s = most_of_path(&t->path);
    }
}

static void journal_tree(const struct inventory *inv)
{
    unsigned capacity = 2 * CHECKS_MAX_FUNCTIONS + INVENTORY_MAX_DISKS;
    struct topology_node *nodes = plat_alloc(capacity * sizeof *nodes);
    struct topology_disk *disks = plat_alloc(INVENTORY_MAX_DISKS * sizeof *disks);

    for (unsigned i = 0; disks && i < inv->disk_count; i++) {
        const struct disk *d = inv->disks[i].disk;
        unsigned c = 0;

        while (c < inv->controller_count && d->controller != inv->controllers[c].driven &&
               d->controller != &inv->controllers[c].firmware)
            c++;
        disks[i] = (struct topology_disk){ c, d->name, d->model };
    }
    unsigned n = nodes && disks
                     ? topology_build(s->facts, s->function_count, s->controllers, inv->controller_count,
                                      disks, inv->disk_count, nodes, capacity)
                     : 0;
    for (unsigned i = 0; i < n && i < capacity; i++) {
        struct topology_info info = { .depth = nodes[i].depth };

        str_copy(info.kind, sizeof info.kind, nodes[i].kind);
        str_copy(info.name, sizeof info.name, nodes[i].name);
        str_copy(info.pci_address, sizeof info.pci_address, nodes[i].pci_address);
        str_copy(info.words, sizeof info.words, nodes[i].words);
        journal_topology(record_journal(), &info);
    }
    plat_free(nodes);
    plat_free(disks);
}

static void judge_functions(struct inventory *inv)
{
    struct finding_list *l = checks_list();

    slots_judge(s->facts, s->function_count, &s->board, l);
    for (unsigned i = 0; i < inv->controller_count; i++) {
        const struct topology_controller *t = &s->controllers[i];

        if (t->function == NO_FUNCTION)
            continue;
        function_judge(&s->facts[t->function], d_state_of(&inv->controllers[i]), t->name, l);
        payload_judge(s->facts, &t->path, t->name, l);
    }
    checks_say(inv);
}

/* ---- SMBus ---- */

/* The first controller that can be driven, else the first one. */
static unsigned find_smbus(const struct smbus_row **row)
{
    unsigned found = NO_FUNCTION;

    *row = NULL;
    for (unsigned i = 0; i < s->function_count; i++) {
        const struct smbus_row *r = smbus_find(&s->functions[i]);

        if (r && (!*row || ((*row)->base_from == BASE_NONE && r->base_from != BASE_NONE))) {
            *row = r;
            found = i;
        }
    }
    return found;
}

/* Cards known for this trouble, whether we drive them or not. */
static void find_suspect(struct pin_suspect *suspect, char *ids, size_t cap)
{
    struct text t = text_over(ids, cap);

    *suspect = (struct pin_suspect){ 0 };
    for (unsigned i = 0; i < s->function_count; i++) {
        const struct pci_facts *f = &s->facts[i];
        const struct card *card = card_find(f->vendor_id, f->device_id);
        const struct board_slot *slot = board_slot_at(&s->board, f->segment, f->bus);
        char address[16];

        if (!card || !card->suspect)
            continue;
        if (t.len + 10 < cap)
            text_fmt(&t, "%s%04x:%04x", t.len ? "+" : "", f->vendor_id, f->device_id);
        if (suspect->there)
            continue;
        path_address_text(f, address, sizeof address);
        *suspect = (struct pin_suspect){ .there = true,
                                         .slot_known = slot,
                                         .slot_has_smbus = slot && slot->has_smbus };
        str_fmt(suspect->name, sizeof suspect->name, "%.32s at %s%s%.10s", card->name, address,
                slot ? " in " : "", slot ? slot->name : "");
    }
}

static void journal_bus(const struct smbus_evidence *e)
{
    static const char letter[RESPONDER_KINDS] = "-MBDFOS";
    struct smbus_info info = { .probed = e->probed };
    struct text t = text_over(info.evidence, sizeof info.evidence);
    struct pin_counts c;

    pins_count(e, &s->board, &c);
    pins_text(e, &c, &t);
    str_copy(info.controller, sizeof info.controller, e->state == SMBUS_ABSENT ? "none" : e->name);
    str_copy(info.pci_address, sizeof info.pci_address, e->pci_address);
    for (unsigned i = 0; e->probed && i < SMBUS_ADDRESSES; i++)
        info.answers[i] = letter[c.kind[i]];
    journal_smbus(record_journal(), &info);
}

static void compare_with_before(const struct smbus_evidence *e, const char *ids,
                                const struct machine_info *machine, struct medium *m)
{
    struct responder_map before, now;

    if (e->state != SMBUS_SEEN)
        return;
    responders_of(e, &s->board, machine->clock, ids, &now);
    if (board_record_read(m, machine->uuid, &before))
        responders_compare(&before, &now, &s->list);
    board_record_write(m, machine->uuid, &now);
}

static void check_smbus(struct inventory *inv, enum pin_wish wish, const struct machine_info *machine,
                        struct medium *m)
{
    static struct smbus_evidence e;
    const struct smbus_row *row;
    struct pin_suspect suspect;
    const char *why;
    char ids[4 * 10];
    unsigned at = find_smbus(&row);

    if (wish == PIN_LEAVE)
        return;
    find_suspect(&suspect, ids, sizeof ids);
    bool probe = pins_may_probe(wish, row, &s->board, &suspect, &why);
    e = (struct smbus_evidence){ .state = SMBUS_ABSENT };
    if (row) {
        /* Said before it is done: should the machine hang here, the last line tells why. */
        serial_say("SMBus %s: %s%s%s", row->name,
                   probe ? "reading 0x50-0x57 (smbus = no prevents it)" : "looking only", probe ? "" : ", ",
                   why);
        smbus_examine(row, &s->functions[at], probe, &e);
    }
    journal_bus(&e);
    pins_judge(&e, &s->board, &suspect, checks_list());
    compare_with_before(&e, ids, machine, m);
    checks_say(inv);
}

/* ---- health and expectations ---- */

bool checks_read_health(struct disk *d, struct disk_health *out)
{
    const struct controller_driver *driver = d->controller->driver;

    return driver && driver->health && driver->health(d, out) == OK;
}

static void read_health(const struct inventory *inv)
{
    for (unsigned i = 0; i < inv->disk_count; i++)
        if ((s->health_known[i] = checks_read_health(inv->disks[i].disk, &s->health[i])))
            drive_state_journal(inv->disks[i].disk, &s->health[i], "before");
}

struct expect_words checks_words(const struct conf *conf)
{
    return (struct expect_words){ conf->expect_models, conf->expect_firmware, conf->expect_link,
                                  conf->expect_mb_per_s };
}

static bool check_expected_disks(struct inventory *inv, const struct conf *conf)
{
    struct expect_words words = checks_words(conf);
    char why[240];
    struct text t = text_over(why, sizeof why);
    bool bad = expect_check(&words, &t) != OK;

    if (bad)
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "%s", why);
    for (unsigned i = 0; i < inv->disk_count; i++) {
        const struct disk *d = inv->disks[i].disk;

        s->expected[i] = (struct expect_disk){
            .name = d->name,
            .model = d->model,
            .firmware = d->firmware,
            .usable = inv->disks[i].wanted,
            .rotates = d->rotation == ROTATION_YES,
            .is_nvme = d->kind == DISK_NVME,
            .is_virtual = d->kind == DISK_VIRTUAL_DRIVE,
        };
    }
    expect_judge_disks(&words, s->expected, inv->disk_count, checks_list());
    checks_say(inv);
    return bad;
}

/* ---- watching ---- */

static const struct mmio *config_in_memory(const struct pci_fn *fn, struct mmio *out)
{
    size_t len;
    const void *mcfg = board_acpi_table("MCFG", &len);
    uint64_t bus = mcfg_bus_address(mcfg, len, fn->segment, fn->bus);

    if (!bus ||
        plat_fixed_map(bus + ((uint64_t)fn->device << 15 | (uint64_t)fn->function << 12), 4096, out) != OK)
        return NULL;
    /* The table may promise what the board does not do. */
    return plat_read32(out, 0) == ((uint32_t)fn->device_id << 16 | fn->vendor_id) ? out : NULL;
}

static bool is_watched(unsigned function)
{
    for (unsigned i = 0; i < s->watched_count; i++)
        if (s->watched[i].function == function)
            return true;
    return false;
}

static void watch_paths(const struct inventory *inv)
{
    s->watched_count = 0;
    for (unsigned c = 0; c < inv->controller_count; c++) {
        const struct path *p = &s->controllers[c].path;

        for (unsigned k = 0; inv->controllers[c].driven && p->count > 1 && k < p->count; k++) {
            struct watched *w = &s->watched[s->watched_count];
            struct mmio config;

            if (!s->facts[p->at[k]].has_pcie || is_watched(p->at[k]) ||
                s->watched_count == CHECKS_MAX_WATCHED)
                continue;
            *w = (struct watched){ .function = p->at[k], .controller = c };
            const struct pci_fn *fn = &s->functions[p->at[k]];
            pci_watch_begin(&w->watch, fn, config_in_memory(fn, &config), !s->firmware_first);
            s->watched_count++;
        }
    }
}

bool checks_run(struct inventory *inv, const struct conf *conf, const struct machine_info *machine,
                struct medium *m)
{
    size_t len;
    const void *table;

    list_functions();
    board_describe(&s->board);
    find_paths(inv);
    journal_tree(inv);
    judge_functions(inv);
    check_smbus(inv, (enum pin_wish)conf->smbus, machine, m);
    read_health(inv);
    table = board_acpi_table("HEST", &len);
    s->firmware_first = hest_is_firmware_first(table, len);
    watch_paths(inv);
    return check_expected_disks(inv, conf);
}
