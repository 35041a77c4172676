#include "medium_room.h"
#include "file.h"
#include "medium.h"
#include "platform.h"
#include "resume.h"

enum { RUNS_MOST = 256 };

/* The first line names the run; what lies behind a journal's end may be of another. */
static bool read_run_id(EFI_FILE_PROTOCOL *file, char *buf, struct resume *r)
{
    struct journal_reader reader;
    struct journal_line l;
    UINTN got = RESUME_HEAD_BYTES;

    if (EFI_ERROR(file->SetPosition(file, 0)) || EFI_ERROR(file->Read(file, &got, buf)))
        return false;
    journal_reader_start(&reader, buf, got);
    bool found = journal_reader_next(&reader, &l) == JOURNAL_LINE;
    r->run_id = l.run_id;
    return found;
}

struct old_journal {
    EFI_FILE_PROTOCOL *file;
    char *buf;
    struct resume r;
};

static bool lies_at(void *ctx, uint64_t at_bytes)
{
    const struct old_journal *o = ctx;
    UINTN got = RESUME_PROBE_BYTES;

    return !EFI_ERROR(o->file->SetPosition(o->file, at_bytes)) &&
           !EFI_ERROR(o->file->Read(o->file, &got, o->buf)) && resume_run_lies_in(&o->r, o->buf, got);
}

static bool cut(EFI_FILE_PROTOCOL *file, char *buf)
{
    struct old_journal o = { .file = file, .buf = buf };
    uint64_t size, end;

    /* One that came to its end was cut by its run. */
    if (!file_size(file, &size) || !resume_cut_bytes(size, JOURNAL_PREALLOCATED_BYTES, 0) ||
        !read_run_id(file, buf, &o.r))
        return false;
    end = resume_cut_bytes(size, JOURNAL_PREALLOCATED_BYTES, resume_last_piece(size, lies_at, &o));
    return end && file_set_size(file, end) && !EFI_ERROR(file->Flush(file));
}

/* A folder is read with nothing in it open for writing: the names first. */
static unsigned list(EFI_FILE_PROTOCOL *root, char (*names)[MEDIUM_RUN_NAME_BYTES])
{
    EFI_FILE_PROTOCOL *runs = file_open(root, "runs", EFI_FILE_MODE_READ, 0);
    union {
        EFI_FILE_INFO info;
        uint8_t bytes[512];
    } u;
    unsigned count = 0;
    UINTN size = sizeof u;

    while (runs && count < RUNS_MOST && !EFI_ERROR(runs->Read(runs, &size, &u)) && size) {
        if (u.info.Attribute & EFI_FILE_DIRECTORY && u.info.FileName[0] != '.')
            text_from_ucs2(names[count++], sizeof names[0], u.info.FileName);
        size = sizeof u;
    }
    if (runs)
        runs->Close(runs);
    return count;
}

bool medium_make_room(EFI_FILE_PROTOCOL *root)
{
    char(*names)[MEDIUM_RUN_NAME_BYTES] = plat_alloc(RUNS_MOST * sizeof *names);
    char *buf = plat_alloc(RESUME_PROBE_BYTES);
    unsigned count = names && buf ? list(root, names) : 0;
    bool any = false;

    for (unsigned i = 0; i < count; i++) {
        char path[MEDIUM_RUN_NAME_BYTES + 32];

        str_fmt(path, sizeof path, "runs/%s/%s", names[i], medium_journal_name);
        EFI_FILE_PROTOCOL *file = file_open(root, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);
        if (!file)
            continue;
        any |= cut(file, buf);
        file->Close(file);
    }
    plat_free(buf);
    plat_free(names);
    return any;
}
