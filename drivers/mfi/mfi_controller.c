#include "mfi_internal.h"
#include "str.h"

/* What the card says about itself (facts/mfi.md 4.2, 4.3), and its remarks on that. */

/* The largest command, from the limits that the card states (facts/mfi.md 2.5). */
static uint32_t reckon_command_bytes(const struct mfi_card *card)
{
    const struct mfi_ctrl_info *i = &card->info;
    uint64_t by_strips =
        i->stripe_exponent_min < 16 ? (1ull << i->stripe_exponent_min) * i->max_strips_per_io : 0;
    uint64_t sectors = i->max_request_sectors;

    /* Old firmware reports 0 for what it does not know. */
    if (by_strips && (!sectors || by_strips < sectors))
        sectors = by_strips;
    if (!sectors)
        sectors = MFI_DEFAULT_COMMAND_BYTES / 512;
    sectors = min_u64(sectors, card->gen->max_command_sectors);
    if (card->ieee_firmware)
        sectors = min_u64(sectors, MFI_DEFAULT_COMMAND_BYTES / 512);
    return (uint32_t)min_u64(sectors * 512, (uint64_t)card->max_sge * MFI_SEGMENT_BYTES);
}

static void take_components(struct mfi_card *card)
{
    const struct mfi_ctrl_info *i = &card->info;
    struct raid_card *r = &card->raid;
    unsigned n = (unsigned)min_u64(i->component_count, ARRAY_COUNT(i->component));

    for (unsigned k = 0; k < n; k++) {
        const struct mfi_component *from = &i->component[k];

        str_scrub(r->component[k].name, sizeof r->component[k].name, from->name, sizeof from->name);
        str_scrub(r->component[k].version, sizeof r->component[k].version, from->version,
                  sizeof from->version);
    }
    r->component_count = n;
}

/* The running firmware's version, for cards whose package has none. */
static const char *application_version(const struct raid_card *r)
{
    for (unsigned k = 0; k < r->component_count; k++)
        if (str_equal(r->component[k].name, "APP"))
            return r->component[k].version;
    return "";
}

/* 0 and FFh: not reported. */
int32_t mfi_temperature(uint8_t raw) { return raw && raw != 0xff ? raw : RAID_UNKNOWN; }

static void take_figures(struct mfi_card *card, bool known)
{
    const struct mfi_ctrl_info *i = &card->info;
    const struct mfi_ctrl_properties *p = &i->properties;
    struct raid_card *r = &card->raid;

    r->memory_mib = i->memory_mib;
    r->roc_temperature_c = mfi_temperature(i->roc_temperature_c);
    r->controller_temperature_c = mfi_temperature(i->controller_temperature_c);
    r->corrected_memory_errors = i->correctable_errors;
    r->uncorrected_memory_errors = i->uncorrectable_errors;
    r->rebuild_percent = known ? p->rebuild_percent : RAID_UNKNOWN;
    r->patrol_percent = known ? p->patrol_percent : RAID_UNKNOWN;
    r->init_percent = known ? p->init_percent : RAID_UNKNOWN;
    r->check_percent = known ? p->check_percent : RAID_UNKNOWN;
    r->reconstruction_percent = known ? p->reconstruction_percent : RAID_UNKNOWN;
    r->levels = i->raid_levels;
    r->policies = i->ld_ops;
    r->strip_min_bytes = i->stripe_exponent_min <= 16 ? 512u << i->stripe_exponent_min : 0;
    r->strip_max_bytes = i->stripe_exponent_max <= 16 ? 512u << i->stripe_exponent_max : 0;
    r->jbod_possible = i->ops_2 & CTRL_OPS_2_JBOD;
    r->max_commands = card->max_commands - 1u;
    r->max_command_bytes = card->max_command_bytes;
    r->virtual_drives = i->lds_present;
    r->degraded = i->lds_degraded;
    r->offline = i->lds_offline;
    r->drives = i->disks_present;
    r->predictive = i->disks_predictive;
    r->failed = i->disks_failed;
}

/* What firmware calls the card, with the name by its ids where that says more. */
static void name_card(struct mfi_card *card)
{
    struct raid_card *r = &card->raid;
    char *model = card->c.model;

    if (card->name)
        str_copy(r->fitted_as, sizeof r->fitted_as, card->name->name);
    if (!r->product[0] && card->name)
        str_copy(model, sizeof card->c.model, card->name->name);
    else if (!r->product[0])
        str_fmt(model, sizeof card->c.model, "MegaRAID %s", card->gen->name);
    else if (card->name && !str_find(r->product, card->name->name))
        str_fmt(model, sizeof card->c.model, "%s (%s)", card->name->name, r->product);
    else
        str_copy(model, sizeof card->c.model, r->product);
}

int mfi_controller_info(struct mfi_card *card)
{
    struct mfi_ctrl_info *i = &card->info;
    struct raid_card *r = &card->raid;
    int rc = mfi_dcmd(card, &MFI_CTRL_GET_INFO, (struct mfi_mbox){ { 0 } }, i, sizeof *i);

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc) {
        memset(i, 0, sizeof *i);
        controller_remark(&card->c, REMARK_WARN, "controller info: not reported by this controller");
    }
    str_scrub(r->product, sizeof r->product, i->product, sizeof i->product);
    str_scrub(r->serial, sizeof r->serial, i->serial, sizeof i->serial);
    str_scrub(r->package, sizeof r->package, i->package, sizeof i->package);
    str_copy(r->generation, sizeof r->generation, card->gen->name);
    take_components(card);
    str_copy(card->c.serial, sizeof card->c.serial, r->serial);
    str_copy(card->c.firmware, sizeof card->c.firmware, r->package[0] ? r->package : application_version(r));
    card->qemu = str_find(r->package, "-QEMU") != NULL;
    card->max_command_bytes = reckon_command_bytes(card);
    take_figures(card, !rc);
    name_card(card);
    return OK;
}

/* ---- battery (4.8) ---- */
static bool battery_is_bad(const struct mfi_bbu_status *b)
{
    const uint32_t bad_bbu = (uint32_t)(BBU_PACK_MISSING | BBU_REPLACE | BBU_CAPACITY_LOW);
    const uint32_t bad_ibbu =
        (uint32_t)(bad_bbu | BBU_VOLTAGE_LOW | BBU_DISCHARGING | BBU_LEARN_REQUESTED | BBU_LEARN_ACTIVE);

    if (b->type == BBU_IBBU)
        return b->status & bad_ibbu;
    return (b->status & bad_bbu) || (b->type == BBU_BBU && !b->healthy);
}

static void battery_words(struct raid_battery *b)
{
    static const struct {
        uint32_t bit;
        const char *words;
    } bits[] = {
        { BBU_PACK_MISSING, "pack missing" },
        { BBU_VOLTAGE_LOW, "voltage low" },
        { BBU_TEMPERATURE_HIGH, "too hot" },
        { BBU_CHARGING, "charging" },
        { BBU_DISCHARGING, "discharging" },
        { BBU_LEARN_REQUESTED, "learn cycle wanted" },
        { BBU_LEARN_ACTIVE, "learn cycle running" },
        { BBU_LEARN_FAILED, "learn cycle failed" },
        { BBU_LEARN_TIMEOUT, "learn cycle took too long" },
        { BBU_I2C_ERRORS, "I2C errors" },
        { BBU_REPLACE, "to be replaced" },
        { BBU_CAPACITY_LOW, "capacity low" },
        { BBU_PERIODIC_LEARN, "periodic learn cycle due" },
    };
    struct text t = text_over(b->words, sizeof b->words);

    text_str(&t, b->bad ? "present, not good" : "present, good");
    if (b->charge_percent != RAID_UNKNOWN)
        text_fmt(&t, ", charge %d %%", b->charge_percent);
    if (b->temperature_c != RAID_UNKNOWN)
        text_fmt(&t, ", %d C", b->temperature_c);
    for (unsigned i = 0; i < ARRAY_COUNT(bits); i++)
        if (b->raw_status & bits[i].bit)
            text_fmt(&t, ", %s", bits[i].words);
}

static void take_battery(struct raid_battery *b, const struct mfi_bbu_status *s)
{
    b->presence =
        s->status & BBU_PACK_MISSING || s->type == BBU_NONE ? RAID_BATTERY_NONE : RAID_BATTERY_PRESENT;
    b->type = s->type;
    b->raw_status = s->status;
    b->bad = battery_is_bad(s);
    b->charging = s->status & BBU_CHARGING;
    b->discharging = s->status & BBU_DISCHARGING;
    b->learn_active = s->status & BBU_LEARN_ACTIVE;
    b->learn_requested = s->status & BBU_LEARN_REQUESTED;
    b->learn_failed = s->status & (BBU_LEARN_FAILED | BBU_LEARN_TIMEOUT);
    b->replace = s->status & (BBU_REPLACE | BBU_CAPACITY_LOW);
    b->millivolts = s->millivolts;
    b->milliamperes = s->milliamperes;
    b->temperature_c = s->temperature_c < 200 ? s->temperature_c : RAID_UNKNOWN;
    b->charge_percent = s->charge_percent <= 100 ? s->charge_percent : RAID_UNKNOWN;
    if (b->presence == RAID_BATTERY_PRESENT)
        battery_words(b);
    else
        str_copy(b->words, sizeof b->words, "not fitted");
}

int mfi_battery(struct mfi_card *card)
{
    struct raid_battery *b = &card->raid.battery;
    struct mfi_bbu_status status;
    struct mfi_bbu_capacity capacity;
    int rc = mfi_dcmd(card, &MFI_BBU_STATUS, (struct mfi_mbox){ { 0 } }, &status, sizeof status);

    if (card->c.fault.err)
        return card->c.fault.err;
    *b = (struct raid_battery){ .charge_percent = RAID_UNKNOWN,
                                .millivolts = RAID_UNKNOWN,
                                .temperature_c = RAID_UNKNOWN,
                                .cycles = RAID_UNKNOWN };
    if (!rc) {
        take_battery(b, &status);
    } else if (rc == E_REFUSED &&
               (card->command_status == MFI_STAT_NO_HARDWARE || card->command_status == MFI_STAT_NO_DEVICE)) {
        b->presence = RAID_BATTERY_NONE;
        str_copy(b->words, sizeof b->words, "not fitted");
    } else {
        str_fmt(b->words, sizeof b->words, "%s",
                !(card->info.hw_present & CTRL_HW_BBU) ? "not fitted"
                : card->gen->shy                       ? "fitted, not asked about"
                                                       : "fitted, its state is not told");
    }
    if (b->presence != RAID_BATTERY_PRESENT)
        return OK;
    if (!mfi_dcmd(card, &MFI_BBU_CAPACITY, (struct mfi_mbox){ { 0 } }, &capacity, sizeof capacity))
        b->cycles = capacity.cycles;
    return card->c.fault.err;
}

/* ---- what goes on beside us ---- */
int mfi_patrol(struct mfi_card *card)
{
    struct mfi_patrol_status status;
    int rc = mfi_dcmd(card, &MFI_PATROL_STATUS, (struct mfi_mbox){ { 0 } }, &status, sizeof status);

    card->raid.patrol_active = !rc && status.state == PATROL_ACTIVE;
    return card->c.fault.err;
}

/* ---- remarks ---- */
static void firmware_remarks(struct mfi_card *card)
{
    if (card->message_acknowledged)
        controller_remark(&card->c, REMARK_WARN,
                          "the firmware waited for its boot message to be answered: acknowledged, as "
                          "ack_boot_message says; what it was about is in the event log");
    if (card->was_reset)
        controller_remark(&card->c, REMARK_WARN,
                          "the firmware was in state FAULT (status word 0x%08x, code 0x%x): reset, as "
                          "reset_faulted_raid says; what its write cache held may be lost",
                          card->fault_word, (unsigned)FIELD_GET(FAULT_CODE, card->fault_word));
}

/* No datasheet was at hand: about 105 C is where these chips are said to shut down; 95 leaves a reserve. */
enum { ROC_HOT_C = 95 };

static void temperature_remarks(struct mfi_card *card)
{
    const struct raid_card *r = &card->raid;
    int32_t c = r->roc_temperature_c > r->controller_temperature_c ? r->roc_temperature_c
                                                                   : r->controller_temperature_c;

    if (c >= ROC_HOT_C)
        controller_remark(&card->c, REMARK_WARN, "the card is at %d C: its heat sink needs more moving air",
                          c);
    else if (card->name && card->name->adapter && c >= 0)
        controller_remark(
            &card->c, REMARK_INFO,
            "%s at %d C: its heat sink has no fan, outside of a server's air flow put one before it",
            card->name->name, c);
    else if (card->name && card->name->adapter)
        controller_remark(
            &card->c, REMARK_INFO,
            "%s does not tell its temperature; its heat sink has no fan, outside of a server's air flow "
            "put one before it",
            card->name->name);
}

static void battery_remarks(struct mfi_card *card)
{
    const struct raid_battery *b = &card->raid.battery;

    if (b->presence != RAID_BATTERY_PRESENT)
        return;
    if (b->bad && !b->learn_active)
        controller_remark(&card->c, REMARK_WARN, "battery %s: write-back is off unless it is forced; %s",
                          b->words, b->replace ? "replace the pack" : "let it charge, then look again");
    else if (b->learn_failed)
        controller_remark(&card->c, REMARK_WARN, "battery %s: start a learn cycle in the card's setup",
                          b->words);
}

void mfi_controller_remarks(struct mfi_card *card)
{
    const struct mfi_ctrl_info *i = &card->info;

    firmware_remarks(card);
    if (i->uncorrectable_errors)
        controller_remark(
            &card->c, REMARK_FAIL,
            "controller memory: %u uncorrectable error%s (and %u corrected): replace the module or "
            "the card",
            i->uncorrectable_errors, str_plural(i->uncorrectable_errors), i->correctable_errors);
    else if (i->correctable_errors)
        controller_remark(&card->c, REMARK_WARN, "controller memory: %u corrected error%s",
                          i->correctable_errors, str_plural(i->correctable_errors));
    temperature_remarks(card);
    battery_remarks(card);
}
