#include "menu_words.h"
#include "conf_edit.h"
#include "journal.h"
#include "platform.h"
#include "presets.h"

enum { NAME_BYTES = 64, JOURNAL_MAX_BYTES = 64 << 20, CONF_MAX_BYTES = 64 << 10 };
static const char conf_name[] = "baresweep.conf";

static EFI_FILE_PROTOCOL *file_open(EFI_FILE_PROTOCOL *dir, const char *path, UINT64 mode)
{
    CHAR16 name[160];
    EFI_FILE_PROTOCOL *file = NULL;

    ucs2_from_text(name, ARRAY_COUNT(name), path);
    return EFI_ERROR(dir->Open(dir, &file, name, mode, 0)) ? NULL : file;
}

/* ---- an earlier run ---- */

/* Names begin with the date; those of machines without a clock come before all others. */
static bool is_newer(const char *a, const char *b)
{
    bool a_dated = !str_starts(a, "noclock"), b_dated = !str_starts(b, "noclock");

    while (*a && *a == *b) {
        a++;
        b++;
    }
    return a_dated != b_dated ? a_dated : *a > *b;
}

static bool is_run_name(const EFI_FILE_INFO *info, const struct medium *m, char *name)
{
    text_from_ucs2(name, NAME_BYTES, info->FileName);
    return info->Attribute & EFI_FILE_DIRECTORY && name[0] != '.' && !str_find(m->where, name);
}

static bool newest_run(const struct medium *m, EFI_FILE_PROTOCOL *runs, char best[NAME_BYTES])
{
    union {
        EFI_FILE_INFO info;
        uint8_t bytes[600];
    } entry;
    char name[NAME_BYTES];

    best[0] = 0;
    for (;;) {
        UINTN size = sizeof entry;

        if (EFI_ERROR(runs->Read(runs, &size, &entry)) || !size)
            return best[0] != 0;
        if (is_run_name(&entry.info, m, name) && (!best[0] || is_newer(name, best)))
            str_copy(best, NAME_BYTES, name);
    }
}

static char *read_whole(EFI_FILE_PROTOCOL *file, size_t *len)
{
    UINT64 size = 0;
    UINTN n;
    char *text;

    if (EFI_ERROR(file->SetPosition(file, ~0ull)) || EFI_ERROR(file->GetPosition(file, &size)) ||
        EFI_ERROR(file->SetPosition(file, 0)) || size > JOURNAL_MAX_BYTES || !(text = plat_alloc(size + 1)))
        return NULL;
    n = (UINTN)size;
    if (EFI_ERROR(file->Read(file, &n, text))) {
        plat_free(text);
        return NULL;
    }
    text[n] = 0;
    *len = n;
    return text;
}

struct note_writer {
    struct note *notes;
    unsigned count, cap;
    size_t used;
};

static bool to_notes(void *ctx, const char *bytes, size_t len)
{
    struct note_writer *w = ctx;

    for (size_t i = 0; i < len && w->count < w->cap; i++) {
        struct note *n = &w->notes[w->count];

        if (bytes[i] != '\n') {
            if (w->used < sizeof n->text - 1)
                n->text[w->used++] = bytes[i];
            continue;
        }
        n->text[w->used] = 0;
        n->ink = INK_PLAIN;
        w->used = 0;
        w->count++;
    }
    return w->count < w->cap;
}

static unsigned summary_of(const char *text, size_t len, struct note *notes, unsigned cap)
{
    struct note_writer w = { .notes = notes, .cap = cap };
    struct render_out out = { .write = to_notes, .ctx = &w };

    render_summary(text, journal_end(text, len), &out);
    return w.count;
}

unsigned menu_earlier_run(const struct medium *m, struct note *notes, unsigned cap)
{
    EFI_FILE_PROTOCOL *runs = m->root ? file_open(m->root, "runs", EFI_FILE_MODE_READ) : NULL, *file = NULL;
    char best[NAME_BYTES], path[120], *text = NULL;
    unsigned count = 0;
    size_t len = 0;

    if (runs && newest_run(m, runs, best)) {
        str_fmt(path, sizeof path, "runs\\%s\\journal.ndjson", best);
        file = file_open(m->root, path, EFI_FILE_MODE_READ);
    }
    if (file && (text = read_whole(file, &len)))
        count = summary_of(text, len, notes, cap);
    plat_free(text);
    if (file)
        file->Close(file);
    if (runs)
        runs->Close(runs);
    return count;
}

/* ---- settings ---- */

static void write_conf(struct medium *m, const char *text, size_t len, struct text *outcome)
{
    EFI_FILE_PROTOCOL *file = file_open(m->root, conf_name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE);
    UINTN n = len;
    bool ok;

    /* An older, longer text would show its end. */
    if (file)
        file->Delete(file);
    file = file_open(m->root, conf_name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE);
    ok = file && !EFI_ERROR(file->Write(file, &n, (void *)text)) && n == len && !EFI_ERROR(file->Flush(file));
    if (file)
        file->Close(file);
    text_str(outcome, ok ? "Saved in baresweep.conf." : "Not saved: the stick refused it.");
}

/* Another file of that name may be read before ours. */
static void check_conf(const struct medium *m, const char *wanted, size_t wanted_len, struct text *outcome)
{
    char *text, from[40];
    size_t len;

    if (medium_read_file(m, conf_name, &text, &len, from, sizeof from) != OK)
        return;
    if (len != wanted_len || memcmp(text, wanted, len))
        text_fmt(outcome, " But the one of the %s is read before it: remove that.", from);
    boot->FreePool(text);
}

void menu_save(struct medium *m, const struct conf *conf, struct text *outcome)
{
    char budget[16], from[40], *old = NULL, *text;
    size_t old_len = 0;
    struct preset p = { .name = "none" };
    const struct conf_change changes[] = {
        { "plan", settings_plan_word((enum conf_plan)conf->plan) },
        { "preset", conf->plan == CONF_PLAN_PRESET && preset_get(conf->preset, &p) ? p.name : "" },
        { "budget", "" },
        { "budget_s", budget },
        { "include", conf->include },
    };

    str_fmt(budget, sizeof budget, "%u", conf->budget_s);
    if (!m->root || !(text = plat_alloc(CONF_MAX_BYTES))) {
        text_fmt(outcome, "Not saved: %s", m->problem);
        return;
    }
    if (medium_read_file(m, conf_name, &old, &old_len, from, sizeof from) != OK)
        old_len = 0;
    struct text t = text_over(text, CONF_MAX_BYTES);
    conf_edit(old, old_len, changes, ARRAY_COUNT(changes), &t);
    if (t.cut)
        text_str(outcome, "Not saved: baresweep.conf would be too long.");
    else {
        write_conf(m, text, t.len, outcome);
        check_conf(m, text, t.len, outcome);
    }
    if (old_len)
        boot->FreePool(old);
    plat_free(text);
}
