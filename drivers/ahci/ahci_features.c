#include "ahci_internal.h"
#include "math.h"
#include "str.h"

/* What a drive can do beside reading, what moves its numbers, and how it is woken (fact sheet B6, B7). */

enum {
    W_SPIN_UP = 2,
    W_SATA = 76,
    W_SETS_1 = 82,
    W_SETS_2 = 83,
    W_SETS_3 = 84,
    W_ENABLED_1 = 85,
    W_ENABLED_2 = 86,
    W_ENABLED_3 = 87,
    W_APM_LEVEL = 91,
    W_SECURITY = 128
};
#define SETS_1_SMART      BIT_(0)
#define SETS_1_CACHE      BIT_(5)
#define SETS_1_LOOK_AHEAD BIT_(6)
#define SETS_1_HPA        BIT_(10)
#define SETS_2_APM        BIT_(3)
#define SETS_2_FLUSH_EXT  BIT_(13)
#define SETS_3_ERROR_LOG  BIT_(0)
#define SETS_3_SELF_TEST  BIT_(1)
#define SETS_3_LOGS       BIT_(5)
#define SECURITY_ENABLED  BIT_(1)
#define SECURITY_FROZEN   BIT_(3)
#define SECURITY_EXPIRED  BIT_(4)
#define SATA_GENERATIONS  BITS(3, 1)

/* Bits 15:14 are 01b where a word, and the words before it of its group, mean what their bits say. */
static bool valid(uint16_t w) { return (w & 0xc000) == 0x4000; }

static const char *const link_speed[] = { "no", "1.5", "3", "6" };

unsigned ahci_generation_of(const uint16_t *w)
{
    uint64_t generations = w[W_SATA] == 0xffff ? 0 : FIELD_GET(SATA_GENERATIONS, w[W_SATA]);

    return generations ? (unsigned)log2_u64(generations) + 1 : 0;
}

const char *ahci_speed_text(unsigned generation)
{
    return generation < ARRAY_COUNT(link_speed) ? link_speed[generation] : "unknown";
}

void ahci_cache_states(const uint16_t *w, uint8_t state[CACHE_COUNT])
{
    static const uint16_t bit[CACHE_COUNT] = {
        [CACHE_WRITE] = SETS_1_CACHE, [CACHE_LOOK_AHEAD] = SETS_1_LOOK_AHEAD
    };
    bool told = valid(w[W_SETS_2]) && valid(w[W_ENABLED_3]);

    for (unsigned i = 0; i < CACHE_COUNT; i++)
        state[i] = !told || !(w[W_SETS_1] & bit[i]) ? CACHE_UNKNOWN
                   : w[W_ENABLED_1] & bit[i]        ? CACHE_ON
                                                    : CACHE_OFF;
}

static const char *state_word(uint8_t state)
{
    return state == CACHE_UNKNOWN ? "not reported" : state == CACHE_ON ? "on" : "off";
}

static void say_security(struct text *t, uint16_t w)
{
    if (w == 0xffff)
        return;
    if (w & SECURITY_ENABLED)
        text_str(t, "; password set");
    if (w & SECURITY_FROZEN)
        text_str(t, "; security frozen");
    if (w & SECURITY_EXPIRED)
        text_str(t, "; password attempts used up");
}

static void say_settings(struct ahci_port *p, const uint16_t *w)
{
    struct text t = text_over(p->disk.settings, sizeof p->disk.settings);
    unsigned link = (unsigned)FIELD_GET(SSTS_SPD, px_read(p, PX_SSTS)), drive = ahci_generation_of(w);
    bool named = valid(w[W_SETS_2]), state_named = valid(w[W_ENABLED_3]);

    text_fmt(&t, "write cache %s; look-ahead %s", state_word(p->disk.cache[CACHE_WRITE].found),
             state_word(p->disk.cache[CACHE_LOOK_AHEAD].found));
    if (p->ncq)
        text_fmt(&t, "; NCQ, %u commands", p->disk.max_depth);
    else
        text_str(&t, "; one command at a time");
    text_fmt(&t, "; link %s Gb/s", ahci_speed_text(link));
    if (drive)
        text_fmt(&t, ", drive %s", ahci_speed_text(drive));
    if (named && state_named && w[W_SETS_2] & w[W_ENABLED_2] & SETS_2_APM)
        text_fmt(&t, "; power management level %u", w[W_APM_LEVEL] & 0xff);
    if (p->features.smart && !p->features.smart_on)
        text_str(&t, "; SMART off");
    say_security(&t, w[W_SECURITY]);
}

void ahci_take_features(struct ahci_port *p, const uint16_t *w)
{
    bool named = valid(w[W_SETS_2]), more = valid(w[W_SETS_3]), state_named = valid(w[W_ENABLED_3]);
    uint8_t cache[CACHE_COUNT];

    ahci_cache_states(w, cache);
    for (unsigned i = 0; i < CACHE_COUNT; i++)
        p->disk.cache[i] = (struct cache_switch){ .found = cache[i], .now = cache[i] };
    p->features = (struct ahci_features){
        .smart = named && w[W_SETS_1] & SETS_1_SMART,
        .smart_on = named && state_named && w[W_SETS_1] & w[W_ENABLED_1] & SETS_1_SMART,
        .error_log = more && w[W_SETS_3] & SETS_3_ERROR_LOG,
        .self_test = more && w[W_SETS_3] & SETS_3_SELF_TEST,
        .logs = more && w[W_SETS_3] & SETS_3_LOGS,
        .flush_ext = named && p->lba48 && w[W_SETS_2] & SETS_2_FLUSH_EXT,
        .native_max = named && state_named && w[W_SETS_1] & w[W_ENABLED_1] & SETS_1_HPA,
    };
    say_settings(p, w);
}

/* ---- a host protected area ---- */
/* These hang or fail on READ NATIVE MAX (Linux' libata-core.c keeps the same ones); their sizes are taken as
 * they are. */
static const char *const native_max_hangs[] = { "HDS724040KLSA80", "WDC WD3200JD-00KLB0",
                                                "WDC WD2500JD-00HBB0", "MAXTOR 6L080L4", "OCZ-VERTEX" };

void ahci_look_for_hidden_area(struct ahci_port *p)
{
    static const struct ahci_command read_native_max = { .name = "READ NATIVE MAX EXT",
                                                         .command = ATA_READ_NATIVE_MAX_EXT,
                                                         .deadline_ms = IDENTIFY_MS,
                                                         .no_data = true };
    struct disk *d = &p->disk;
    uint64_t native;

    if (!p->features.native_max || !p->lba48)
        return;
    for (unsigned i = 0; i < ARRAY_COUNT(native_max_hangs); i++)
        if (str_starts(d->model, native_max_hangs[i]))
            return;
    if (ahci_ask(p, &read_native_max, NULL))
        return;
    native = ahci_port_reply_lba(p, true) + 1;
    if (native <= d->lba_count)
        return;
    controller_remark(&p->hba->c, REMARK_WARN,
                      "%s: %llu of %llu blocks are hidden in a host protected area: they are not tested",
                      d->name, (unsigned long long)(native - d->lba_count), (unsigned long long)native);
}

/* ---- waking ---- */
/* A drive that is set to start in standby says so in word 2; of its four values these two want a command
 * (libata-core.c, ata_dev_read_id, shows the same), the others start by the first read. */
bool ahci_wants_spin_up(const uint16_t *w) { return w[W_SPIN_UP] == 0x37c8 || w[W_SPIN_UP] == 0x738c; }

int ahci_spin_up_by_command(struct ahci_port *p)
{
    static const struct ahci_command spin_up = { .name = "SET FEATURES: spin up",
                                                 .command = ATA_SET_FEATURES,
                                                 .features = FEATURE_SPIN_UP,
                                                 .deadline_ms = SPIN_UP_MS,
                                                 .no_data = true };

    controller_remark(&p->hba->c, REMARK_INFO, "%s: started in standby (PUIS) and was woken", p->disk.name);
    plat_log(LOG_INFO, "%s: starts its motor, waiting up to %u s", p->disk.name, SPIN_UP_MS / 1000);
    return ahci_port_command(p, &spin_up, NULL);
}

int ahci_wake(struct ahci_port *p, uint64_t data_bus)
{
    static const struct ahci_command check = { .name = "CHECK POWER MODE",
                                               .command = ATA_CHECK_POWER_MODE,
                                               .deadline_ms = IDENTIFY_MS,
                                               .no_data = true };
    struct ahci_command first_block = { .name = "read that wakes the drive",
                                        .command = p->lba48 ? ATA_READ_DMA_EXT : ATA_READ_DMA,
                                        .count = 1,
                                        .deadline_ms = SPIN_UP_MS,
                                        .data_bus = data_bus,
                                        .data_bytes = p->disk.lba_bytes };
    uint64_t began_ns = plat_now_ns();
    uint8_t mode;
    int rc;

    if (p->disk.rotation == ROTATION_NONE || p->no_power_mode)
        return OK;
    rc = ahci_ask(p, &check, NULL);
    if (rc) {
        p->no_power_mode = true;
        return p->disk.fault.err;
    }
    mode = ahci_port_reply_count(p);
    if (mode == POWER_ACTIVE)
        return OK;
    if (mode < POWER_IDLE_FROM)
        plat_log(LOG_INFO, "%s: in standby, waking it takes up to %u s", p->disk.name, SPIN_UP_MS / 1000);
    /* A bad first block wakes the drive as well, and is the lane's to find. */
    ahci_ask(p, &first_block, NULL);
    if (mode < POWER_IDLE_FROM && !p->disk.fault.err)
        controller_remark(&p->hba->c, REMARK_INFO, "%s: was in standby; awake after %llu ms", p->disk.name,
                          (unsigned long long)((plat_now_ns() - began_ns) / NS_PER_MS));
    return p->disk.fault.err;
}
