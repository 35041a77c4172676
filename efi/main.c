#include "after.h"
#include "blink_run.h"
#include "burn_in_run.h"
#include "checks_run.h"
#include "clock.h"
#include "console.h"
#include "end_screen.h"
#include "ending.h"
#include "estimate.h"
#include "front.h"
#include "guard_run.h"
#include "handback.h"
#include "inventory.h"
#include "live.h"
#include "machine.h"
#include "net_delivery.h"
#include "net_link.h"
#include "net_state.h"
#include "net_syslog.h"
#include "plan.h"
#include "platform.h"
#include "record.h"
#include "resume_run.h"
#include "serial.h"
#include "drive_state.h"
#include "settings.h"
#include "stripe.h"
#include "sweep_run.h"
#include "text.h"
#include "version.h"
#include "watchdog.h"
#include "str.h"

static struct machine_info machine;
static struct medium medium;
static struct settings settings;
static struct inventory inventory;
static struct plan plan;
static struct disk *array; /* of the configuration's `stripe` */

static void report_clock(const struct clock_facts *c)
{
    if (!c->tsc_invariant)
        record_finding("clock-not-invariant", FINDING_WARN, "clock", "CPUID 80000007h EDX bit 8 set",
                       "the processor does not promise a constant time stamp counter (%llu MHz by %s)",
                       (unsigned long long)(c->tsc_hz / 1000000), c->calibrated_by);
    if (c->cross_checked && c->disagreement_permille > 50)
        record_finding("clock-disagrees", FINDING_WARN, "clock", "two time bases within 5 %",
                       "ACPI timer and firmware stall differ by %u.%u %%", c->disagreement_permille / 10,
                       c->disagreement_permille % 10);
}

static void report_medium(const struct medium *m)
{
    static const char *const code[] = {
        [MEDIUM_NONE] = "no-result-medium",
        [MEDIUM_READ_ONLY] = "stick-read-only",
        [MEDIUM_FULL] = "stick-full",
        [MEDIUM_FAILED] = "stick-write-failed",
        [MEDIUM_OK] = "",
    };

    /* A machine that the network booted is not expected to have a stick. */
    if (m->state != MEDIUM_OK)
        record_finding(code[m->state], net_link.booted_by_network ? FINDING_INFO : FINDING_WARN, "stick",
                       NULL, "%s; the lines on the serial port are the result", m->problem);
}

static void run_name(char *buf, size_t cap, uint64_t run_id)
{
    char day[9] = "", time[7] = "";
    const char *c = machine.clock;

    if (c[0])
        str_fmt(day, sizeof day, "%.4s%.2s%.2s", c, c + 5, c + 8);
    if (c[0])
        str_fmt(time, sizeof time, "%.2s%.2s%.2s", c + 11, c + 14, c + 17);
    if (c[0])
        str_fmt(buf, cap, "%s-%s-%08x", day, time, (uint32_t)run_id);
    else
        str_fmt(buf, cap, "noclock-%08x", (uint32_t)run_id);
}

static void begin(void)
{
    struct clock_facts clock;
    char name[40];

    watchdog_off(); /* firmware gives an application five minutes */
    clock_init(&clock);
    serial_init();
    medium_connect_boot_disk();
    machine_describe(&machine, &clock);
    uint64_t run_id = machine_run_id(&machine);
    run_name(name, sizeof name, run_id);
    medium_open(&medium, name);
    net_link_look();
    watchdog_arm(false);
    settings_load(&settings, &medium, &machine);
    console_init(&settings.conf);
    record_start(run_id);
    serial_say("%s %s on %s %s", PRODUCT_NAME, PRODUCT_VERSION, machine.vendor, machine.model);
    journal_run_start(record_journal(), &machine, settings.conf.run_label);
    report_clock(&clock);
    report_medium(&medium);
    net_delivery_start(&settings.conf, &machine, name);
    net_syslog_start(&settings.conf, &machine);
    net_state_fetch(&settings.conf, &machine);
    watchdog_off();
}

/* ---- the plan ---- */

/* The disks that the configuration wants read as one; without a reason why not, the array is the only disk.
 */
static int make_array(struct disk **disks, unsigned *count)
{
    struct disk *members[STRIPE_MAX_MEMBERS + 1]; /* one too many is told by stripe_make */
    unsigned n = 0;

    for (unsigned i = 0; i < *count && n <= STRIPE_MAX_MEMBERS; i++)
        if (plan_list_has(settings.conf.stripe, disks[i]))
            members[n++] = disks[i];
    int rc = stripe_make(members, n, settings.conf.stripe_chunk_kib * 1024u, "stripe0", &array);
    *count = rc == OK;
    disks[0] = array;
    return rc;
}

static bool plan_is_burn_in(void)
{
    return settings.conf.plan == CONF_PLAN_BURN_IN || settings.conf.plan == CONF_PLAN_BURN_IN_READONLY;
}

/* A job file that was asked for and is not there means no plan, not another one. */
static int plan_as_configured(struct disk **disks, unsigned count)
{
    int rc;

    if (settings.conf.plan == CONF_PLAN_DEFAULT)
        return plan_default(&settings.conf, disks, count, &plan);
    if (plan_is_burn_in())
        return plan_burn_in(&settings.conf, disks, count, &plan);
    if (settings.conf.stripe[0] && (rc = make_array(disks, &count)) != OK)
        return rc;
    for (unsigned i = 0; i < count; i++)
        estimate_probe(disks[i]);
    return settings.jobs ? plan_from_jobs(&settings.conf, settings.jobs, disks, count, &plan) : OK;
}

/* What will not run, with its reason.  True when a line of the job file is at fault for some of it. */
static bool report_refusals(void)
{
    bool wrong_job = false;

    for (unsigned i = 0; i < plan.refusal_count; i++) {
        const struct plan_refusal *r = &plan.refusals[i];
        struct known_disk *k = r->disk ? inventory_find(&inventory, r->disk) : NULL;

        journal_not_tested(record_journal(), r->disk ? r->disk->name : "", r->job, r->why);
        if (k && !k->why[0])
            str_copy(k->why, sizeof k->why, r->why);
        wrong_job |= r->wrong_job;
    }
    return wrong_job;
}

static int plan_rc;

static void make_plan(void)
{
    struct disk **disks = plat_alloc(INVENTORY_MAX_DISKS * sizeof *disks);
    unsigned n = 0;

    plan_free(&plan);
    stripe_free(array);
    array = NULL;
    plan_rc = E_NOMEM;
    guard_run_decide();
    for (unsigned i = 0; disks && i < inventory.disk_count; i++)
        if (inventory.disks[i].wanted)
            disks[n++] = inventory.disks[i].disk;
    if (settings.conf.blink[0])
        plan_rc = OK; /* nothing is measured: one disk shows its bay */
    else if (disks)
        plan_rc = plan_as_configured(disks, n);
    plan_name_run(&plan, record_journal()->run_id);
    plat_free(disks);
}

/* True when something that was asked for was refused. */
static bool report_plan(void)
{
    unsigned n = 0;
    char words[40];

    for (unsigned i = 0; i < inventory.disk_count; i++)
        n += inventory.disks[i].wanted;
    if (!n)
        record_finding("no-disk", FINDING_INFO, "run", "at least one disk that can be read",
                       inventory.disk_count ? "none of the %u disks found can be read or is wanted"
                                            : "no disk was found (%u)",
                       inventory.disk_count);
    if (plan_rc != OK)
        record_finding("configuration-error", FINDING_WARN, "run", NULL, "no plan could be made: %s",
                       err_text(plan_rc));
    inventory_set_array(&inventory, array);
    journal_plan(record_journal(), plan.step_count, plan.estimate_ns);
    struct text t = text_over(words, sizeof words);
    text_duration(&t, plan.estimate_ns);
    if (plan.step_count)
        serial_say("plan: %u step%s, about %s", plan.step_count, str_plural(plan.step_count), words);
    resume_note_choice(&settings, &inventory);
    return report_refusals();
}

/* An unfinished run is looked for only where it can be offered, or is asked for. */
static void take_up_unfinished(void)
{
    char words[200];
    struct text outcome = text_over(words, sizeof words);

    if (!settings.conf.resume && !console_present())
        return;
    resume_look(&medium, &machine);
    if (settings.conf.resume && !resume_take(&settings, &inventory, &outcome))
        serial_say("resume = yes: %s", words);
}

/* What a person chose; without one, or in silence, the plan as it is.  Only what is final is confirmed. */
static void choose(void)
{
    const struct front front = { .inv = &inventory,
                                 .settings = &settings,
                                 .medium = &medium,
                                 .machine = &machine,
                                 .plan = &plan,
                                 .plan_anew = make_plan };
    enum front_choice choice = front_run(&front);

    if (choice == FRONT_CHECKS)
        plan_free(&plan);
    if (choice == FRONT_LEAVE)
        live_stop();
    if (choice != FRONT_RUN)
        resume_drop();
    if (choice == FRONT_RUN && guard_run_confirm(&plan))
        make_plan();
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    struct run_status status = { 0 };

    firmware_init(image, table);
    begin();
    status.bad_configuration = settings_report(&settings);
    checks_wake(&settings.conf);
    inventory_take(&inventory, &settings.conf, &medium);
    status.bad_configuration |= checks_run(&inventory, &settings.conf, &machine, &medium);
    guard_run_begin(&inventory, &settings, &medium, &machine);
    take_up_unfinished();
    make_plan();
    choose();
    status.bad_configuration |= report_plan();
    if (settings.conf.data_check)
        inventory_sample(&inventory, true);
    /* A run that only blinks, or that a person left, uses no arming up. */
    if (!settings.conf.blink[0] && !live_stopped())
        guard_run_commit(&plan, &medium);
    if (blink_run(&inventory, &settings.conf))
        ; /* nothing else is done */
    else if (plan_is_burn_in())
        burn_in_run(&plan, &inventory, &medium, &settings.conf, &machine);
    else
        sweep_run(&plan, &inventory, &medium, &settings.conf);
    if (settings.conf.data_check)
        inventory_sample(&inventory, false);
    if (!live_stopped())
        drive_self_tests(&inventory, &settings.conf);
    status.expectation_missed |= checks_finish(&inventory, &settings.conf);
    guard_run_finish();
    ending_list_disks(&inventory);
    handback_note(&inventory);
    plan_free(&plan);
    stripe_free(array);
    inventory_give_back(&inventory);
    if (settings.conf.handback_check)
        handback_check(&inventory);
    record_settle(&medium);
    ending_judge(&inventory, &settings.conf, &status);
    watchdog_arm(settings.conf.attended);
    struct run_ending ending = ending_write(&status, &settings.conf, &medium);
    watchdog_off();
    ending_last_line(&status, &ending);
    end_screen_stay(&settings.conf);
    console_end();
    settings_free(&settings);
    resume_end();
    net_link_down();
    record_end();
    return after_run(&settings.conf, &ending);
}
