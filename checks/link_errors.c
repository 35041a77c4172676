#include "link.h"
#include "bits.h"
#include "str.h"

/* ---- P8, P9: errors while disks were read ---- */

static const struct {
    uint32_t bit;
    const char *words;
} correctable_words[] = {
    { AER_COR_RECEIVER, "receiver error" },       { AER_COR_BAD_TLP, "bad packet" },
    { AER_COR_BAD_DLLP, "bad link packet" },      { AER_COR_ROLLOVER, "replay rollover" },
    { AER_COR_REPLAY_TIMEOUT, "replay timeout" },
};
enum {
    LINK_ERRORS =
        AER_COR_RECEIVER | AER_COR_BAD_TLP | AER_COR_BAD_DLLP | AER_COR_ROLLOVER | AER_COR_REPLAY_TIMEOUT
};
static const struct {
    uint32_t bit;
    const char *words;
} uncorrectable_words[] = {
    { 1u << 4, "data link protocol error" },
    { 1u << 5, "surprise down" },
    { 1u << 12, "poisoned packet" },
    { 1u << 14, "completion timeout" },
    { 1u << 15, "completer abort" },
    { 1u << 16, "unexpected completion" },
    { 1u << 17, "receiver overflow" },
    { 1u << 18, "malformed packet" },
    { 1u << 19, "ECRC error" },
    { 1u << 20, "unsupported request" },
};

/* One error in a short run proves little; in more than one sample of a hundred, and more than twice, it is a
 * fault. */
enum { CORRECTABLE_MIN = 3, CORRECTABLE_PER_SAMPLES = 100 };

static void say_correctable(const struct pci_watch *w, const char *subject, const char *address,
                            struct finding_list *out)
{
    bool often = w->correctable_samples >= CORRECTABLE_MIN &&
                 (uint64_t)w->correctable_samples * CORRECTABLE_PER_SAMPLES > w->samples;
    char words[120];
    struct text t = text_over(words, sizeof words);

    for (unsigned i = 0; i < ARRAY_COUNT(correctable_words); i++)
        if (w->correctable & correctable_words[i].bit)
            text_fmt(&t, "%s%s", t.len ? ", " : "", correctable_words[i].words);
    finding_add(out, "link-corrected", often ? FINDING_FAIL : FINDING_WARN, subject, "no errors on the link",
                "%s: %s in %u of %u samples", address, words, w->correctable_samples, w->samples);
}

static void say_uncorrectable(const struct pci_watch *w, const char *subject, const char *address,
                              struct finding_list *out)
{
    char words[150];
    struct text t = text_over(words, sizeof words);

    for (unsigned i = 0; i < ARRAY_COUNT(uncorrectable_words); i++)
        if (w->uncorrectable & uncorrectable_words[i].bit)
            text_fmt(&t, "%s%s", t.len ? ", " : "", uncorrectable_words[i].words);
    if (w->device_status & PCI_ERROR_FATAL)
        text_fmt(&t, "%sfatal", t.len ? ", " : "");
    if (w->device_status & PCI_ERROR_NONFATAL)
        text_fmt(&t, "%snot fatal", t.len ? ", " : "");
    if (w->power_fault)
        text_fmt(&t, "%spower fault of the slot", t.len ? ", " : "");
    if (w->gone)
        text_fmt(&t, "%sthe function vanished", t.len ? ", " : "");
    finding_add(out, "link-errors", FINDING_FAIL, subject, "no errors on the link",
                "%s: %s; status 0x%x, header %08x %08x %08x %08x", address, words, w->uncorrectable,
                w->header_log[0], w->header_log[1], w->header_log[2], w->header_log[3]);
}

void errors_judge(const struct pci_facts *f, const struct pci_watch *w, const char *subject,
                  struct finding_list *out)
{
    char address[16];

    path_address_text(f, address, sizeof address);
    if (w->uncorrectable || (w->device_status & (PCI_ERROR_FATAL | PCI_ERROR_NONFATAL)) || w->power_fault ||
        w->gone)
        say_uncorrectable(w, subject, address, out);
    if (w->correctable & LINK_ERRORS)
        say_correctable(w, subject, address, out);
}

/* ---- P10, P12, P13: as found ---- */

static bool is_raid(const struct pci_facts *f)
{
    return f->class_code >> 8 == 0x0104 || card_find(f->vendor_id, f->device_id);
}

enum { RAID_CARD_MW = 25000 };

void function_judge(const struct pci_facts *f, unsigned d_state, const char *subject,
                    struct finding_list *out)
{
    char address[16];

    path_address_text(f, address, sizeof address);
    if (d_state || f->d_state)
        finding_add(out, "not-awake", FINDING_WARN, subject, "D0", "%s was in power state D%u%s", address,
                    d_state ? d_state : f->d_state, f->d_state ? " and is still" : " and was woken");
    if (f->pme_status)
        finding_add(out, "wake-request", FINDING_WARN, subject, "no request",
                    "%s asks for waking the machine (PME%s)", address,
                    f->pme_enabled ? ", enabled" : ", not enabled");
    if (f->device_status || f->uncorrectable || f->correctable)
        finding_add(out, "errors-before", FINDING_INFO, subject, NULL,
                    "%s: device status 0x%x, uncorrectable 0x%x, correctable 0x%x before anything was read",
                    address, f->device_status, f->uncorrectable, f->correctable);
    if (is_raid(f) && f->has_pcie && f->type <= PCIE_LEGACY_ENDPOINT && f->captured_limit_mw < RAID_CARD_MW)
        finding_add(out, "slot-power", FINDING_INFO, subject, "25 W for a RAID card",
                    "%s: the slot offers %u.%u W%s", address, f->captured_limit_mw / 1000,
                    f->captured_limit_mw % 1000 / 100,
                    f->captured_limit_mw ? "" : ", that is, it did not say");
}

/* ---- P11 ---- */

static void payload_words(const struct pci_facts *f, const struct path *p, struct text *t)
{
    for (unsigned i = 0; i < p->count; i++) {
        const struct pci_facts *at = &f[p->at[i]];
        char address[16];

        path_address_text(at, address, sizeof address);
        if (at->has_pcie)
            text_fmt(t, "%s%s %u of %u", t->len ? ", " : "", address, at->payload_bytes,
                     at->payload_possible_bytes);
    }
}

void payload_judge(const struct pci_facts *f, const struct path *p, const char *subject,
                   struct finding_list *out)
{
    uint16_t least = 0, most = 0, possible = 0;
    char words[150];
    struct text t = text_over(words, sizeof words);

    for (unsigned i = 0; p->count > 1 && i < p->count; i++) {
        const struct pci_facts *at = &f[p->at[i]];

        if (!at->has_pcie || !at->payload_bytes || !at->payload_possible_bytes)
            continue;
        least = !least || at->payload_bytes < least ? at->payload_bytes : least;
        most = at->payload_bytes > most ? at->payload_bytes : most;
        possible = !possible || at->payload_possible_bytes < possible ? at->payload_possible_bytes : possible;
    }
    payload_words(f, p, &t);
    if (least != most)
        finding_add(out, "payload-mixed", FINDING_FAIL, subject, "one payload size on the whole path",
                    "payload bytes: %s", words);
    else if (least == 128 && possible >= 256)
        finding_add(out, "payload-small", FINDING_INFO, subject, NULL,
                    "packets carry 128 bytes, all parts of the path could do %u", possible);
}

/* ---- P6 ---- */

static bool anything_behind(const struct pci_facts *f, unsigned count, const struct pci_facts *port)
{
    for (unsigned i = 0; i < count; i++)
        if (f[i].answers && f[i].segment == port->segment && f[i].bus == port->secondary_bus && f[i].bus)
            return true;
    return false;
}

void slots_judge(const struct pci_facts *f, unsigned count, const struct board_facts *board,
                 struct finding_list *out)
{
    for (unsigned i = 0; i < count; i++) {
        const struct pci_facts *port = &f[i];
        const struct board_slot *slot = board_slot_at(board, port->segment, port->secondary_bus);
        char address[16];

        if (!port->has_pcie || (port->type != PCIE_ROOT_PORT && port->type != PCIE_DOWNSTREAM_PORT) ||
            !port->slot.implemented || anything_behind(f, count, port))
            continue;
        bool told = port->secondary_bus && slot && slot->occupied;
        path_address_text(port, address, sizeof address);
        /* The board's word alone may be old. */
        if (port->slot.present || told)
            finding_add(out, "slot-no-link", port->slot.present ? FINDING_FAIL : FINDING_WARN, address,
                        "a card that is seated answers",
                        "slot %u%s%s: %s, and nothing answers behind the port%s", port->slot.number,
                        slot ? " " : "", slot ? slot->name : "",
                        port->slot.present ? "a card is seated" : "the board says that it is occupied",
                        port->link.tells_active && !port->link.active ? " (no link)" : "");
    }
}
