#include "link.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* ---- what a link carries ---- */

/* kB/s per lane after line code: 8b/10b for the first two generations, then 128b/130b. */
static const uint32_t lane_kb_per_s[] = { 0, 250000, 500000, 984615, 1969231, 3938462, 7876923 };
enum { PACKET_OVERHEAD_BYTES = 24 }; /* framing, sequence, 16-byte header, LCRC */

uint64_t link_ceiling_bytes_per_s(unsigned speed, unsigned width, unsigned payload_bytes)
{
    if (speed >= ARRAY_COUNT(lane_kb_per_s) || !payload_bytes)
        return 0;
    return lane_kb_per_s[speed] * 1000ull * width * payload_bytes / (payload_bytes + PACKET_OVERHEAD_BYTES);
}

void link_text(struct text *t, unsigned speed, unsigned width)
{
    if (!speed || !width)
        text_str(t, "unknown");
    else
        text_fmt(t, "Gen%u x%u", speed, width);
}

/* What both ends have agreed on; the port answers for a device that does not say. */
static uint8_t now_speed(const struct pci_facts *port, const struct pci_facts *device)
{
    return device->link.speed ? device->link.speed : port->link.speed;
}
static uint8_t now_width(const struct pci_facts *port, const struct pci_facts *device)
{
    return device->link.width ? device->link.width : port->link.width;
}

void path_ceiling(const struct pci_facts *f, const struct path *p, struct path_ceiling *out)
{
    struct hop hops[PATH_MAX];
    unsigned n = path_hops(f, p, hops);

    *out = (struct path_ceiling){ 0 };
    for (unsigned i = 0; i < n; i++) {
        const struct pci_facts *port = &f[hops[i].port], *device = &f[hops[i].device];
        uint16_t payload = device->payload_bytes ? device->payload_bytes : port->payload_bytes;
        uint64_t rate = device->has_pcie ? link_ceiling_bytes_per_s(now_speed(port, device),
                                                                    now_width(port, device), payload)
                                         : 0;

        if (!rate || (out->known && rate >= out->bytes_per_s))
            continue;
        *out = (struct path_ceiling){ true,   rate, hops[i], now_speed(port, device), now_width(port, device),
                                      payload };
    }
}

unsigned link_use_permille(const struct path_ceiling *c, uint64_t bytes_per_s)
{
    return c->known ? (unsigned)min_u64(mul_div_u64(bytes_per_s, 1000, c->bytes_per_s), 9999) : 0;
}

enum { BEYOND_BELIEF_PERMILLE = 1050 };

void limit_judge(const struct path_ceiling *c, uint64_t bytes_per_s, const char *subject,
                 struct finding_list *out)
{
    unsigned use = link_use_permille(c, bytes_per_s);

    if (use < LINK_LIMITS_PERMILLE || use > BEYOND_BELIEF_PERMILLE)
        return;
    finding_add(out, "link-limits", FINDING_INFO, subject, NULL,
                "%llu MB/s were read over Gen%u x%u, which carries %llu MB/s at most (%u.%u %%)",
                (unsigned long long)(bytes_per_s / 1000000), c->speed, c->width,
                (unsigned long long)(c->bytes_per_s / 1000000), use / 10, use % 10);
}

/* ---- P1-P5, P7: one link ---- */

static uint8_t lesser(uint8_t a, uint8_t b) { return !a ? b : !b ? a : a < b ? a : b; }

struct judged_link {
    const struct pci_facts *port, *device;
    const char *subject;
    struct finding_list *out;
    bool under_load;      /* seen while data moved */
    uint8_t speed, width; /* the best that was seen */
    uint8_t speed_expected, width_expected;
    bool correctable; /* errors while it was watched, or the bits of before */
    char now[16], expected[16], address[16];
};

static void say_link(const struct judged_link *j, const char *code, enum finding_level level,
                     const char *words)
{
    finding_add(j->out, code, level, j->subject, j->expected, "%s: %s%s%s", j->address, j->now,
                words[0] ? "; " : "", words);
}

static void judge_width(const struct judged_link *j)
{
    char words[140];

    str_fmt(words, sizeof words, "slot can do x%u, card x%u, lane errors 0x%x", j->port->link.width_possible,
            j->device->link.width_possible, j->device->lane_errors | j->port->lane_errors);
    say_link(j, "lanes-missing", FINDING_FAIL, words);
}

/* Lowered on purpose: by the device itself, by the firmware's setting, or asleep between transfers. */
static const char *deliberate(const struct judged_link *j)
{
    const struct pci_link *p = &j->port->link;

    if (p->speed_target && p->speed_target < j->speed_expected && p->speed_target <= j->speed)
        return "the firmware set the port to this speed";
    if (p->bandwidth_autonomous && !p->bandwidth_managed)
        return "lowered by the device itself, not because of errors";
    if (!j->under_load && !p->bandwidth_managed && !j->correctable)
        return "seen while idle only";
    return NULL;
}

static void judge_speed(const struct judged_link *j)
{
    const char *why = deliberate(j);

    if (why)
        say_link(j, "link-saving", FINDING_INFO, why);
    else
        say_link(j, "link-signal", FINDING_FAIL,
                 j->under_load ? "also while data moved"
                               : "the port reports that the link was lowered or had errors");
}

static void judge_design(const struct judged_link *j)
{
    const struct card *card = card_find(j->device->vendor_id, j->device->device_id);
    const struct pci_link *l = &j->device->link;
    char words[120];

    if (!card || !l->width_possible || !l->speed_possible ||
        (l->width_possible >= card->width && l->speed_possible >= card->speed))
        return;
    str_fmt(words, sizeof words, "the card offers Gen%u x%u, its design is Gen%u x%u (%s)", l->speed_possible,
            l->width_possible, card->speed, card->width, card->name);
    say_link(j, "card-narrow", FINDING_WARN, words);
}

static void judge_full(const struct judged_link *j)
{
    const struct pci_link *card = &j->device->link;
    char words[100] = "";

    if (j->width < card->width_possible) {
        str_fmt(words, sizeof words, "the card could use x%u, the slot has x%u", card->width_possible,
                j->port->link.width_possible);
        say_link(j, "slot-narrow", FINDING_WARN, words);
        return;
    }
    if (card->speed_possible > j->speed)
        str_fmt(words, sizeof words, "all that the slot offers; the card could do Gen%u",
                card->speed_possible);
    say_link(j, "link-full", FINDING_PASS, words);
}

static bool is_under_load(const struct pci_watch *watch)
{
    return watch && watch->samples && watch->speed_most && watch->width_most;
}

bool link_is_narrow(const struct pci_facts *port, const struct pci_facts *device,
                    const struct pci_watch *watch)
{
    return device->has_pcie && is_under_load(watch) &&
           (watch->speed_most < lesser(port->link.speed_possible, device->link.speed_possible) ||
            watch->width_most < lesser(port->link.width_possible, device->link.width_possible));
}

void link_judge(const struct pci_facts *port, const struct pci_facts *device, const struct pci_watch *watch,
                const char *subject, struct finding_list *out)
{
    struct judged_link j = {
        .port = port,
        .device = device,
        .subject = subject,
        .out = out,
        .under_load = is_under_load(watch),
        .speed_expected = lesser(port->link.speed_possible, device->link.speed_possible),
        .width_expected = lesser(port->link.width_possible, device->link.width_possible),
    };
    struct text now = text_over(j.now, sizeof j.now), expected = text_over(j.expected, sizeof j.expected);

    path_address_text(device, j.address, sizeof j.address);
    j.speed = j.under_load ? watch->speed_most : now_speed(port, device);
    j.width = j.under_load ? watch->width_most : now_width(port, device);
    j.correctable =
        ((watch ? watch->correctable : 0) | device->correctable | port->correctable) & ~AER_COR_ADVISORY;
    link_text(&now, j.speed, j.width);
    link_text(&expected, j.speed_expected, j.width_expected);
    /* A card without the capability sits behind a bridge of its own: what the port then says is not about it.
     */
    if (!device->has_pcie || !j.speed || !j.width || !j.speed_expected || !j.width_expected) {
        say_link(&j, "link-unknown", FINDING_INFO, "the card says nothing about its link");
        return;
    }
    if (j.width < j.width_expected)
        judge_width(&j);
    else if (j.speed < j.speed_expected)
        judge_speed(&j);
    else
        judge_full(&j);
    judge_design(&j);
}
