#include "pins.h"
#include "bits.h"
#include "str.h"

/* ---- may it be read ---- */

/* Boards on which the Linux driver refuses to work, because users had damage. */
static const struct {
    const char *maker, *product;
    enum smbus_kind kind;
    bool any_kind;
} denied[] = {
    { "SAPPHIRE", "PC-AM2RD790", SMBUS_PIIX4, true },
    { "DFI", "LP UT 790FX", SMBUS_PIIX4, true },
    { "DFI", "LP UT NF4", SMBUS_NFORCE, true },
    { "IBM", "", SMBUS_PIIX4, false },
};

static bool contains_nocase(const char *s, const char *part)
{
    size_t n = str_len(part);
    char piece[32];

    for (; str_len(s) >= n; s++) {
        str_copy_n(piece, sizeof piece, s, n);
        if (str_equal_nocase(piece, part))
            return true;
    }
    return false;
}

static bool is_denied(const struct smbus_row *row, const struct board_facts *b)
{
    for (unsigned i = 0; i < ARRAY_COUNT(denied); i++)
        if ((contains_nocase(b->maker, denied[i].maker) ||
             contains_nocase(b->system_maker, denied[i].maker)) &&
            contains_nocase(b->product, denied[i].product) &&
            (denied[i].any_kind || denied[i].kind == row->kind))
            return true;
    return false;
}

bool pins_may_probe(enum pin_wish wish, const struct smbus_row *row, const struct board_facts *board,
                    const struct pin_suspect *suspect, const char **why)
{
    *why = "";
    if (wish == PIN_LEAVE || wish == PIN_LOOK)
        *why = "the configuration says so";
    else if (!row || row->base_from == BASE_NONE)
        *why = "there is no driver for the controller";
    else if (is_denied(row, board))
        *why = "this board is known to be damaged or upset by it";
    else if (board_is_laptop(board) && wish != PIN_PROBE)
        *why = "this is a laptop";
    else if (wish == PIN_AUTO && !suspect->there)
        *why = "no card is fitted that is known for this trouble";
    else if (wish == PIN_AUTO && board_is_server(board))
        *why = "this is a server, whose slots are on a bus of its management controller";
    return !**why;
}

/* ---- counting ---- */

static enum responder_kind kind_of(const struct smbus_responder *r)
{
    static const enum responder_kind kind[] = {
        [SPD_BLANK] = RESPONDER_BLANK, [SPD_VALID] = RESPONDER_MODULE, [SPD_DAMAGED] = RESPONDER_DAMAGED,
        [SPD_FRU] = RESPONDER_FRU,     [SPD_OTHER] = RESPONDER_OTHER,
    };

    if (r->abandoned)
        return RESPONDER_SILENT;
    if (!r->answers)
        return RESPONDER_NONE;
    if (r->is_hub)
        return RESPONDER_MODULE;
    return r->passes ? kind[spd_class_of(r->data[0])] : RESPONDER_OTHER;
}

/* How many of three tests failed: comparisons of two passes, or checksums of a plausible type. */
static int bad_of_3(const struct smbus_responder *r)
{
    int differing = 0, damaged = 0;

    if (r->is_hub)
        return 0; /* its registers live */
    for (unsigned p = 0; p < r->passes; p++) {
        unsigned q = (p + 1) % SMBUS_PASSES;

        differing += q < r->passes && p != q && memcmp(r->data[p], r->data[q], SMBUS_BYTES);
        damaged += spd_class_of(r->data[p]) == SPD_DAMAGED;
    }
    if (r->gaps && !differing)
        differing = 1;
    return differing > damaged ? differing : damaged;
}

static void count_module(const struct smbus_responder *r, struct pin_counts *c, bool *all_sized)
{
    uint64_t mib = r->is_hub ? 0 : spd_mib(r->data[0]);

    c->modules++;
    c->modules_mib += mib;
    *all_sized = *all_sized && mib;
}

void pins_count(const struct smbus_evidence *e, const struct board_facts *board, struct pin_counts *c)
{
    bool all_sized = true;

    *c = (struct pin_counts){ .foreign_at = -1, .unstable_at = -1 };
    for (unsigned i = 0; i < SMBUS_ADDRESSES; i++) {
        const struct smbus_responder *r = &e->responder[i];
        enum responder_kind kind = kind_of(r);
        int bad = r->answers ? bad_of_3(r) : 0;

        if (board->bmc_smbus_address == SMBUS_FIRST + i)
            kind = RESPONDER_NONE; /* the board says who that is */
        c->kind[i] = kind;
        if (kind == RESPONDER_NONE)
            continue;
        if (bad > c->unstable_of_3) {
            c->unstable_of_3 = bad;
            c->unstable_at = (int)(SMBUS_FIRST + i);
        }
        if (kind == RESPONDER_MODULE)
            count_module(r, c, &all_sized);
        c->blank += kind == RESPONDER_BLANK;
        if (kind == RESPONDER_FRU || kind == RESPONDER_OTHER) {
            if (!c->foreign++)
                c->foreign_at = (int)(SMBUS_FIRST + i);
            c->foreign_is_fru |= kind == RESPONDER_FRU;
        }
    }
    if (!all_sized)
        c->modules_mib = 0;
}

/* ---- the rows ---- */

enum {
    LINE_SAMPLES_MIN = 200,
    EDGES_MIN = 3,
    COLLISION_RATE = 32,
    BUSY_MIN_MS = 100,
    MAP_GAP_MIB = 512,
    DDR4 = 0x1a
};

struct judged {
    const struct smbus_evidence *e;
    const struct board_facts *board;
    struct pin_counts c;
    char suspect[150];
    struct finding_list *out;
};

static void say(struct judged *j, const char *code, enum finding_level level, const char *expected,
                const char *seen)
{
    finding_add(j->out, code, level, "smbus", expected, "%s%s%s", seen, j->suspect[0] ? "; " : "",
                j->suspect);
}

static bool enough_samples(const struct smbus_evidence *e)
{
    return e->has_pins && e->pin_samples >= LINE_SAMPLES_MIN;
}

static bool row_not_usable(struct judged *j)
{
    const struct smbus_evidence *e = j->e;
    char seen[160];

    if (e->state == SMBUS_SEEN)
        return false;
    if (e->state == SMBUS_ABSENT)
        str_copy(seen, sizeof seen, "no SMBus controller is visible");
    else
        str_fmt(seen, sizeof seen, "%s at %s: %s", e->name, e->pci_address, e->why);
    say(j, e->state == SMBUS_OWNED ? "smbus-owned" : "smbus-not-visible", FINDING_CANNOT_TELL, NULL, seen);
    return true;
}

static bool row_line_held(struct judged *j)
{
    const struct smbus_evidence *e = j->e;
    char seen[120];

    if (!enough_samples(e))
        return false;
    if (e->clock_low == e->pin_samples && (e->timed_out || !e->probed)) {
        str_fmt(seen, sizeof seen, "clock low in %u of %u samples, %u reads without end", e->clock_low,
                e->pin_samples, e->timed_out);
        /* A second, independent sign makes it certain. */
        say(j, "smbus-clock-held", e->timed_out ? FINDING_FAIL : FINDING_WARN, "both lines high while idle",
            seen);
        return true;
    }
    if (e->data_low != e->pin_samples)
        return false;
    str_fmt(seen, sizeof seen, "data low with the clock high in %u of %u samples", e->data_low,
            e->pin_samples);
    say(j, "smbus-data-held", FINDING_FAIL, "both lines high while idle", seen);
    return true;
}

static bool row_busy(struct judged *j)
{
    const struct smbus_evidence *e = j->e;

    if (e->wedged) {
        say(j, "smbus-wedged", FINDING_FAIL, "a transfer ends when it is told to",
            "the controller stayed busy for 5 s after the end command");
        return true;
    }
    if (e->busy_ms < BUSY_MIN_MS)
        return false;
    say(j, "smbus-left-busy", FINDING_WARN, "an idle controller",
        e->killed_at_entry
            ? "a transfer was running when we came, for more than 100 ms; the end command ended it"
            : "a transfer was running for more than 100 ms; nobody ended it, since we only looked");
    return true;
}

static bool row_unstable(struct judged *j)
{
    const struct pin_counts *c = &j->c;
    char seen[120];

    if (!c->unstable_of_3)
        return false;
    str_fmt(seen, sizeof seen, "0x%02x: %d of 3 readings differ or have a wrong checksum",
            (unsigned)c->unstable_at, c->unstable_of_3);
    say(j, "smbus-two-answer", c->unstable_of_3 >= 3 ? FINDING_FAIL : FINDING_WARN,
        "three equal, valid readings", seen);
    return true;
}

static bool row_memory_missing(struct judged *j)
{
    const struct pin_counts *c = &j->c;
    const struct board_facts *b = j->board;
    uint64_t gap = max_u64(MAP_GAP_MIB, c->modules_mib / 10);
    char seen[150];

    if (b->told && b->sockets && c->modules > b->modules) {
        str_fmt(seen, sizeof seen, "%u modules can be read, the firmware uses %u", c->modules, b->modules);
        say(j, "memory-left-out", FINDING_FAIL, "every module that can be read is used", seen);
        return true;
    }
    /* One sign alone, and graphics memory makes gaps as well. */
    if (b->map_mib && c->modules_mib > b->map_mib + gap) {
        str_fmt(seen, sizeof seen, "the modules state %llu MiB, the firmware's map has %llu MiB",
                (unsigned long long)c->modules_mib, (unsigned long long)b->map_mib);
        say(j, "memory-left-out", FINDING_WARN, "a gap of at most 10 % or 512 MiB", seen);
        return true;
    }
    return false;
}

/* With its second page left selected, a DDR4 module shows bytes that look like no module at all. */
static bool may_be_second_pages(const struct judged *j)
{
    return j->board->memory_type == DDR4 && !j->c.foreign_is_fru &&
           j->c.modules + j->c.foreign <= j->board->modules;
}

static bool row_foreign(struct judged *j)
{
    const struct pin_counts *c = &j->c;
    char seen[120];

    if (!c->foreign || may_be_second_pages(j))
        return false;
    str_fmt(seen, sizeof seen, "0x%02x answers with %s (%u such address%s)", (unsigned)c->foreign_at,
            c->kind[c->foreign_at - SMBUS_FIRST] == RESPONDER_FRU ? "the identification of a card (FRU)"
                                                                  : "data that is no memory module",
            c->foreign, c->foreign == 1 ? "" : "es");
    say(j, "smbus-foreign", FINDING_WARN, "only memory modules at 0x50-0x57", seen);
    return true;
}

static bool row_disturbed(struct judged *j)
{
    const struct smbus_evidence *e = j->e;
    char seen[150];
    bool often = e->collisions && (uint64_t)e->collisions * COLLISION_RATE >= e->reads;

    if (!often && !e->late && !e->timed_out && e->foreign_edges < EDGES_MIN)
        return false;
    str_fmt(seen, sizeof seen,
            "%u of %u reads collided, %u were answered late, %u did not end; %u foreign edges", e->collisions,
            e->reads, e->late, e->timed_out, e->foreign_edges);
    say(j, "smbus-disturbed", FINDING_WARN, "no other master and no slow device", seen);
    return true;
}

static bool row_only_looked(struct judged *j)
{
    if (j->e->probed && j->e->complete)
        return false;
    if (j->e->probed)
        say(j, "smbus-unclear", FINDING_CANNOT_TELL, NULL, j->e->why);
    else if (j->e->why[0])
        say(j, "smbus-only-looked", FINDING_CANNOT_TELL, NULL, j->e->why);
    else
        say(j, "smbus-only-looked", FINDING_CANNOT_TELL, NULL,
            j->e->has_pins ? "controller idle, both lines high; nothing was sent"
                           : "controller idle; nothing was sent");
    return true;
}

static void rows_of_counts(struct judged *j)
{
    const struct pin_counts *c = &j->c;
    const struct board_facts *b = j->board;
    char seen[120];

    str_fmt(seen, sizeof seen, "%u memory modules of %u can be read, %u blank and %u other answers",
            c->modules, b->modules, c->blank, c->foreign);
    if (c->blank && !c->foreign)
        say(j, "smbus-blank", FINDING_CANNOT_TELL, NULL, seen);
    else if (!c->modules && b->modules)
        say(j, "smbus-elsewhere", FINDING_CANNOT_TELL, NULL, seen);
    else if (c->modules < b->modules)
        say(j, "smbus-partly", FINDING_CANNOT_TELL, NULL, seen);
    else if (c->modules && c->modules == b->modules)
        say(j, "smbus-healthy", FINDING_PASS, NULL, seen);
    else
        say(j, "smbus-unclear", FINDING_CANNOT_TELL, NULL, seen);
}

static void name_suspect(const struct pin_suspect *s, char *out, size_t cap)
{
    if (!s->there)
        str_copy(out, cap, "no card is fitted that is known for this");
    else
        str_fmt(out, cap, "suspect: %s%s", s->name,
                s->slot_known && !s->slot_has_smbus ? " (the board says that this slot has no SMBus)" : "");
}

void pins_judge(const struct smbus_evidence *e, const struct board_facts *board,
                const struct pin_suspect *suspect, struct finding_list *out)
{
    static bool (*const rows[])(struct judged *) = {
        row_not_usable,     row_line_held, row_busy,      row_unstable,
        row_memory_missing, row_foreign,   row_disturbed, row_only_looked,
    };
    struct judged j = { .e = e, .board = board, .out = out };

    pins_count(e, board, &j.c);
    name_suspect(suspect, j.suspect, sizeof j.suspect);
    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i](&j))
            return;
    rows_of_counts(&j);
}

void pins_text(const struct smbus_evidence *e, const struct pin_counts *c, struct text *out)
{
    static const char letter[RESPONDER_KINDS] = "-MBDFOS";

    text_fmt(out, "%s%s%s", e->state == SMBUS_ABSENT ? "no controller" : e->name, e->why[0] ? ": " : "",
             e->why);
    if (e->state != SMBUS_SEEN)
        return;
    text_fmt(out, "; base 0x%04x, status 0x%02x, control 0x%02x, configuration 0x%02x", e->base, e->status,
             e->control, e->configuration);
    if (e->has_pins)
        text_fmt(out, "; clock low %u, data low %u, foreign edges %u of %u samples", e->clock_low,
                 e->data_low, e->foreign_edges, e->pin_samples);
    if (e->busy_ms)
        text_fmt(out, "; busy for %u ms", e->busy_ms);
    if (e->lock_held)
        text_str(out, "; its lock stayed taken");
    if (!e->probed)
        return;
    text_fmt(out,
             "; %u reads in %u ms: %u bytes, %u refused, %u collided, %u late, %u without end; 0x50-0x57 ",
             e->reads, e->took_ms, e->acknowledged, e->refused, e->collisions, e->late, e->timed_out);
    for (unsigned i = 0; i < SMBUS_ADDRESSES; i++)
        text_char(out, letter[c->kind[i]]);
}
