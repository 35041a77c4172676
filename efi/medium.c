#include "medium.h"
#include "file.h"
#include "medium_room.h"
#include "platform.h"

static EFI_GUID basic_data = {
    0xebd0a0a2, 0xb9e5, 0x4433, { 0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7 }
};
enum { READ_FILE_MAX_BYTES = 1 << 20, COMPARE_BYTES = 64 << 10, EXTEND_WHEN_LEFT_BYTES = 2 << 20 };
static const char marker_file[] = "baresweep.id";

/* ---- which volumes there are ---- */

EFI_DEVICE_PATH_PROTOCOL *medium_boot_path(void)
{
    EFI_LOADED_IMAGE *image = firmware_protocol(image_handle, &guid_loaded_image);

    return image ? device_path_of(image->DeviceHandle) : NULL;
}

static EFI_HANDLE boot_volume(void)
{
    EFI_LOADED_IMAGE *image = firmware_protocol(image_handle, &guid_loaded_image);

    return image ? image->DeviceHandle : NULL;
}

static bool on_boot_disk(EFI_HANDLE volume)
{
    EFI_DEVICE_PATH_PROTOCOL *mine = device_path_of(volume), *boots = medium_boot_path();
    size_t len = boots ? device_path_disk_len(boots) : 0;

    return mine && len && device_path_disk_len(mine) == len && !memcmp(mine, boots, len);
}

void medium_connect_boot_disk(void)
{
    EFI_DEVICE_PATH_PROTOCOL *boots = medium_boot_path();
    UINTN count;
    EFI_HANDLE *handles = boots ? firmware_handles(&guid_block_io, &count) : NULL;

    if (!handles)
        return;
    for (UINTN i = 0; i < count; i++)
        if (on_boot_disk(handles[i]))
            firmware_connect(handles[i]);
    boot->FreePool(handles);
}

/* Partition type GUID of a GPT hard-drive node is not in its device path; the partition driver of every UEFI
 * since 2.7 publishes it, older ones do not.  So: a partition of the boot disk that is not the one we came
 * from, and that the firmware could mount as FAT, is the data partition. */
static bool is_data_partition(EFI_HANDLE volume)
{
    static EFI_GUID partition_info = {
        0x8cf2f62c, 0xbc9b, 0x4821, { 0x80, 0x8d, 0xec, 0x9e, 0xc4, 0x21, 0xa1, 0xa0 }
    };
    const uint8_t *info = firmware_protocol(volume, &partition_info);

    if (!on_boot_disk(volume) || volume == boot_volume())
        return false;
    /* EFI_PARTITION_INFO_PROTOCOL: revision, type (2: GPT), system flag, 7 reserved, then the GPT entry. */
    if (info && info[4] == 2)
        return !memcmp(info + 16, &basic_data, sizeof basic_data);
    return true;
}

static bool is_marked_stick(EFI_HANDLE volume)
{
    EFI_BLOCK_IO_PROTOCOL *block = firmware_protocol(volume, &guid_block_io);
    EFI_DEVICE_PATH_PROTOCOL *path = device_path_of(volume);
    EFI_FILE_PROTOCOL *root, *marker;

    if (!block || !block->Media->RemovableMedia || on_boot_disk(volume) ||
        !device_path_has_node(path, MESSAGING_DEVICE_PATH, MSG_USB_DP))
        return false;
    root = volume_root(volume);
    marker = root ? file_open(root, marker_file, EFI_FILE_MODE_READ, 0) : NULL;
    if (marker)
        marker->Close(marker);
    if (root)
        root->Close(root);
    return marker != NULL;
}

static bool is_boot_volume(EFI_HANDLE volume) { return volume == boot_volume(); }

/* The design's order of result volumes. */
static const struct {
    bool (*fits)(EFI_HANDLE volume);
    const char *name;
} choices[] = {
    { is_data_partition, "data partition of the boot medium" },
    { is_marked_stick, "removable volume with the file baresweep.id" },
    { is_boot_volume, "volume that the application came from" },
};

/* ---- files ---- */

const char medium_journal_name[] = "journal.ndjson";

/* FAT under power cuts: a file that grows left a dirty file system in 7 of 18 trials, one preallocated and
 * written in place in none (facts/machine.md).  So all room is taken here, before anything is measured. */
static bool journal_create(struct medium *m, const char *run_name)
{
    char path[100];
    EFI_FILE_PROTOCOL *runs = file_open(
        m->root, "runs", EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, EFI_FILE_DIRECTORY);

    if (!runs) {
        m->state = MEDIUM_READ_ONLY;
        return false;
    }
    runs->Close(runs);
    m->state = MEDIUM_FULL;
    str_fmt(path, sizeof path, "runs/%s", run_name);
    m->dir = file_open(m->root, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                       EFI_FILE_DIRECTORY);
    if (!m->dir)
        return false;
    m->journal = file_open(m->dir, medium_journal_name,
                           EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);
    if (!m->journal || !file_set_size(m->journal, JOURNAL_PREALLOCATED_BYTES) ||
        EFI_ERROR(m->journal->Flush(m->journal)))
        return false;
    m->preallocated = JOURNAL_PREALLOCATED_BYTES;
    str_copy(m->run_path, sizeof m->run_path, path);
    m->state = MEDIUM_OK;
    return true;
}

/* Removes what journal_create left on a volume that is too small. */
static void journal_abandon(struct medium *m)
{
    if (m->journal)
        m->journal->Delete(m->journal);
    if (m->dir)
        m->dir->Delete(m->dir);
    if (m->root)
        m->root->Close(m->root);
    m->journal = m->dir = m->root = NULL;
}

static const char *const state_words[] = {
    [MEDIUM_NONE] = "no FAT volume found that could take the results",
    [MEDIUM_READ_ONLY] = "the volume refuses writing (write protected?)",
    [MEDIUM_FULL] = "no room for the journal: 16 MiB must be free",
    [MEDIUM_FAILED] = "the medium did not keep what was written",
    [MEDIUM_OK] = "",
};

/* True with the journal in place.  A full volume gets one more chance after room was made on it. */
static bool try_volume(struct medium *m, EFI_HANDLE volume, const char *run_name)
{
    for (bool again = false;; again = true) {
        if (!(m->root = volume_root(volume)))
            return false;
        m->volume = volume;
        if (journal_create(m, run_name))
            return true;
        journal_abandon(m);
        EFI_FILE_PROTOCOL *root = m->state == MEDIUM_FULL && !again ? volume_root(volume) : NULL;
        bool made = root && medium_make_room(root);
        if (root)
            root->Close(root);
        if (!made)
            return false;
    }
}

void medium_open(struct medium *m, const char *run_name)
{
    UINTN count;
    EFI_HANDLE *volumes = firmware_handles(&guid_file_system, &count);
    enum medium_state worst = MEDIUM_NONE;

    *m = (struct medium){ 0 };
    for (unsigned c = 0; c < ARRAY_COUNT(choices) && m->state != MEDIUM_OK; c++)
        for (UINTN i = 0; i < count && m->state != MEDIUM_OK; i++) {
            if (!choices[c].fits(volumes[i]))
                continue;
            str_fmt(m->where, sizeof m->where, "%s, runs/%s", choices[c].name, run_name);
            if (!try_volume(m, volumes[i], run_name) && m->state != MEDIUM_NONE)
                worst = m->state;
        }
    if (m->state != MEDIUM_OK) {
        m->state = worst;
        str_copy(m->problem, sizeof m->problem, state_words[worst]);
    }
    if (volumes)
        boot->FreePool(volumes);
}

/* Closes what is open, also on a volume that is gone. */
static void medium_drop(struct medium *m)
{
    if (m->journal)
        m->journal->Close(m->journal);
    if (m->dir)
        m->dir->Close(m->dir);
    if (m->root)
        m->root->Close(m->root);
    m->journal = m->dir = m->root = NULL;
}

static bool medium_give_up(struct medium *m, const char *what)
{
    m->state = MEDIUM_FAILED;
    str_fmt(m->problem, sizeof m->problem, "%s: %s", state_words[MEDIUM_FAILED], what);
    return false;
}

/* The proof that firmware took it: a second handle reads the same bytes. */
static bool journal_compare(struct medium *m, const char *journal, size_t from, size_t to)
{
    EFI_FILE_PROTOCOL *again = file_open(m->dir, medium_journal_name, EFI_FILE_MODE_READ, 0);
    char *buf = plat_alloc(COMPARE_BYTES);
    bool same = again && buf && !EFI_ERROR(again->SetPosition(again, from));

    while (same && from < to) {
        UINTN n = to - from < COMPARE_BYTES ? to - from : COMPARE_BYTES, got = n;

        same = !EFI_ERROR(again->Read(again, &got, buf)) && got == n && !memcmp(buf, journal + from, n);
        from += n;
    }
    plat_free(buf);
    if (again)
        again->Close(again);
    return same;
}

/* Firmware that finds a USB device while it runs makes a handle for it, and no more. */
static void connect_usb_devices(void)
{
    static EFI_GUID usb_io = {
        0x2b2f68d6, 0x0cd2, 0x44cf, { 0x8e, 0x8b, 0xbb, 0xa2, 0x0b, 0x1b, 0x5b, 0x75 }
    };
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&usb_io, &count);

    for (UINTN i = 0; handles && i < count; i++)
        firmware_connect(handles[i]);
    if (handles)
        boot->FreePool(handles);
}

/* A stick that was pulled and put back is another volume to the firmware: its handle is looked for by the
 * run's folder and journal.  What that journal holds is compared with what was written before, the rest is
 * written anew by the next checkpoint. */
static bool medium_reopen(struct medium *m)
{
    UINTN count;
    bool back = false;

    connect_usb_devices();
    EFI_HANDLE *volumes = firmware_handles(&guid_file_system, &count);
    for (UINTN i = 0; volumes && !back && i < count; i++) {
        struct medium again = { .volume = volumes[i], .root = volume_root(volumes[i]) };

        if (!again.root)
            continue;
        again.dir = file_open(again.root, m->run_path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);
        again.journal =
            again.dir ? file_open(again.dir, medium_journal_name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0)
                      : NULL;
        back = again.journal && file_set_size(again.journal, m->preallocated);
        if (!back) {
            medium_drop(&again);
            continue;
        }
        medium_drop(m);
        m->volume = again.volume;
        m->root = again.root;
        m->dir = again.dir;
        m->journal = again.journal;
        m->written = 0; /* all of it once more: cheap, and sure */
        m->state = MEDIUM_OK;
        m->times_back++;
    }
    if (volumes)
        boot->FreePool(volumes);
    return back;
}

bool medium_checkpoint(struct medium *m, const char *journal, size_t len)
{
    if (m->state == MEDIUM_FAILED && m->run_path[0])
        medium_reopen(m);
    size_t from = (size_t)m->written;

    if (m->state != MEDIUM_OK)
        return false;
    if (len == from)
        return true;
    if (len > m->preallocated)
        return medium_give_up(m, "more was written between two checkpoints than was set aside");
    if (!file_write_at(m->journal, from, journal + from, len - from) ||
        EFI_ERROR(m->journal->Flush(m->journal)))
        return medium_give_up(m, "write refused");
    if (!journal_compare(m, journal, from, len))
        return medium_give_up(m, "read back differs");
    m->written = len;
    if (m->preallocated - len < EXTEND_WHEN_LEFT_BYTES &&
        file_set_size(m->journal, m->preallocated + JOURNAL_PREALLOCATED_BYTES) &&
        !EFI_ERROR(m->journal->Flush(m->journal)))
        m->preallocated += JOURNAL_PREALLOCATED_BYTES;
    return true;
}

static bool render_to_file(void *ctx, const char *bytes, size_t len)
{
    EFI_FILE_PROTOCOL *file = ctx;
    UINTN done = len;

    return !EFI_ERROR(file->Write(file, &done, (void *)bytes)) && done == len;
}

/* A new file beside the journal; NULL: there is no room, or no medium. */
static EFI_FILE_PROTOCOL *report_open(struct medium *m, const char *name)
{
    if (m->state != MEDIUM_OK)
        return NULL;
    return file_open(m->dir, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);
}

static bool report_close(EFI_FILE_PROTOCOL *file, const struct render_out *out)
{
    bool ok = !out->failed && !EFI_ERROR(file->Flush(file));

    file->Close(file);
    return ok;
}

bool medium_write(struct medium *m, const char *name,
                  void (*render)(const char *journal, size_t len, struct render_out *out),
                  const char *journal, size_t len)
{
    struct render_out out = { .write = render_to_file, .ctx = report_open(m, name) };

    if (!out.ctx)
        return false;
    render(journal, len, &out);
    return report_close(out.ctx, &out);
}

/* The folders that a path names, which may be there. */
static bool make_folders(struct medium *m, const char *path)
{
    char folder[160];

    for (size_t i = 0; path[i]; i++) {
        EFI_FILE_PROTOCOL *made;

        if (path[i] != '/' || !str_copy_n(folder, sizeof folder, path, i))
            continue;
        made = file_open(m->dir, folder, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                         EFI_FILE_DIRECTORY);
        if (!made)
            return false;
        made->Close(made);
    }
    return true;
}

bool medium_write_log(struct medium *m, const struct fio_log *log)
{
    if (m->state != MEDIUM_OK || !make_folders(m, log->path))
        return false;
    struct render_out out = { .write = render_to_file, .ctx = report_open(m, log->path) };

    if (!out.ctx)
        return false;
    fio_log_render(log, &out);
    return report_close(out.ctx, &out);
}

/* ---- a ledger: fixed size, written in place ---- */

static bool ledger_same(const struct medium *m, const char *name, const char *buf, size_t len)
{
    EFI_FILE_PROTOCOL *again = file_open(m->root, name, EFI_FILE_MODE_READ, 0);
    char *now = plat_alloc(len);
    UINTN got = len;
    bool same =
        again && now && !EFI_ERROR(again->Read(again, &got, now)) && got == len && !memcmp(now, buf, len);

    plat_free(now);
    if (again)
        again->Close(again);
    return same;
}

bool medium_ledger_write(const struct medium *m, const char *name, const char *buf, size_t len, size_t at,
                         size_t n)
{
    EFI_FILE_PROTOCOL *file = NULL;
    bool ok = false;

    if (m->state == MEDIUM_OK)
        file = file_open(m->root, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);
    if (file) {
        ok = file_write_at(file, at, buf + at, n) && !EFI_ERROR(file->Flush(file));
        file->Close(file);
    }
    return ok && ledger_same(m, name, buf, len);
}

bool medium_ledger_elsewhere(const struct medium *m, const char *name, char *buf, size_t len, unsigned *at)
{
    UINTN count;
    EFI_HANDLE *volumes = firmware_handles(&guid_file_system, &count);
    bool found = false;

    for (; volumes && !found && *at < count; (*at)++) {
        EFI_FILE_PROTOCOL *root = NULL, *file = NULL;
        UINTN got = len;

        if (m->state == MEDIUM_OK && volumes[*at] == m->volume)
            continue;
        for (unsigned c = 0; c < ARRAY_COUNT(choices) && !root; c++)
            root = choices[c].fits(volumes[*at]) ? volume_root(volumes[*at]) : NULL;
        file = root ? file_open(root, name, EFI_FILE_MODE_READ, 0) : NULL;
        memset(buf, 0, len);
        found = file && !EFI_ERROR(file->Read(file, &got, buf)) && got;
        if (file)
            file->Close(file);
        if (root)
            root->Close(root);
    }
    if (volumes)
        boot->FreePool(volumes);
    return found;
}

bool medium_ledger_read(const struct medium *m, const char *name, char *buf, size_t len)
{
    enum { ALL = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE };
    EFI_FILE_PROTOCOL *file;
    UINTN got = len;
    bool ok;

    if (m->state != MEDIUM_OK)
        return false;
    file = file_open(m->root, name, EFI_FILE_MODE_READ, 0);
    if (file) {
        ok = !EFI_ERROR(file->Read(file, &got, buf)) && got == len;
        file->Close(file);
        return ok;
    }
    file = file_open(m->root, name, ALL | EFI_FILE_MODE_CREATE, 0);
    if (!file)
        return false;
    memset(buf, 0, len);
    ok = file_set_size(file, len) && !EFI_ERROR(file->Flush(file));
    file->Close(file);
    return ok && medium_ledger_write(m, name, buf, len, 0, len);
}

void medium_close(struct medium *m)
{
    if (m->journal) {
        if (m->state == MEDIUM_OK && file_set_size(m->journal, m->written))
            m->journal->Flush(m->journal);
    }
    medium_drop(m);
}

/* ---- reading ---- */

static int file_read_all(EFI_FILE_PROTOCOL *file, char **text, size_t *len)
{
    UINT64 size = 0;

    if (!file_size(file, &size))
        return E_IO;
    if (size > READ_FILE_MAX_BYTES)
        return E_LIMIT;
    UINTN n = (UINTN)size;
    if (EFI_ERROR(boot->AllocatePool(EfiBootServicesData, n + 1, (void **)text)))
        return E_NOMEM;
    if (EFI_ERROR(file->Read(file, &n, *text))) {
        boot->FreePool(*text);
        return E_IO;
    }
    (*text)[n] = 0;
    *len = n;
    return OK;
}

static int read_from_volume(EFI_HANDLE volume, const char *path, char **text, size_t *len)
{
    EFI_FILE_PROTOCOL *root = volume_root(volume),
                      *file = root ? file_open(root, path, EFI_FILE_MODE_READ, 0) : NULL;
    int rc = file ? file_read_all(file, text, len) : E_IO;

    if (file)
        file->Close(file);
    if (root)
        root->Close(root);
    return rc;
}

int medium_read_file(const struct medium *m, const char *path, char **text, size_t *len, char *from,
                     size_t from_cap)
{
    UINTN count;
    EFI_HANDLE *volumes = firmware_handles(&guid_file_system, &count);
    int rc = boot_volume() ? read_from_volume(boot_volume(), path, text, len) : E_IO;

    str_copy(from, from_cap, "boot volume");
    for (UINTN i = 0; rc == E_IO && i < count; i++)
        if (on_boot_disk(volumes[i]) && volumes[i] != boot_volume()) {
            rc = read_from_volume(volumes[i], path, text, len);
            str_copy(from, from_cap, "boot medium");
        }
    if (rc == E_IO && m->volume) {
        rc = read_from_volume(m->volume, path, text, len);
        str_copy(from, from_cap, "result volume");
    }
    if (volumes)
        boot->FreePool(volumes);
    return rc;
}

/* ---- earlier runs ---- */

static bool comes_after(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a > *b;
}

/* Into the list, which is in falling order; the least goes when it is full. */
static unsigned keep_name(char (*names)[MEDIUM_RUN_NAME_BYTES], unsigned count, unsigned cap,
                          const char *name)
{
    unsigned at = count;

    while (at && comes_after(name, names[at - 1]))
        at--;
    if (at == cap)
        return count;
    if (count == cap)
        count--;
    memmove(names[at + 1], names[at], (count - at) * sizeof names[0]);
    str_copy(names[at], sizeof names[0], name);
    return count + 1;
}

unsigned medium_runs(const struct medium *m, char (*names)[MEDIUM_RUN_NAME_BYTES], unsigned cap)
{
    EFI_FILE_PROTOCOL *runs = m->root ? file_open(m->root, "runs", EFI_FILE_MODE_READ, 0) : NULL;
    union {
        EFI_FILE_INFO info;
        uint8_t bytes[512];
    } u;
    unsigned count = 0;
    UINTN size = sizeof u;

    while (runs && !EFI_ERROR(runs->Read(runs, &size, &u)) && size) {
        char name[MEDIUM_RUN_NAME_BYTES];

        text_from_ucs2(name, sizeof name, u.info.FileName);
        if (u.info.Attribute & EFI_FILE_DIRECTORY && name[0] != '.' && !str_find(m->where, name))
            count = keep_name(names, count, cap, name);
        size = sizeof u;
    }
    if (runs)
        runs->Close(runs);
    return count;
}

int medium_run_read(const struct medium *m, const char *run, uint64_t at, char *buf, size_t cap, size_t *got,
                    uint64_t *size)
{
    char path[MEDIUM_RUN_NAME_BYTES + 32];
    EFI_FILE_PROTOCOL *file;
    UINTN n = cap;
    UINT64 end = 0;

    *got = 0;
    str_fmt(path, sizeof path, "runs/%s/%s", run, medium_journal_name);
    file = m->root ? file_open(m->root, path, EFI_FILE_MODE_READ, 0) : NULL;
    if (!file)
        return E_IO;
    bool ok = !EFI_ERROR(file->SetPosition(file, ~0ull)) && !EFI_ERROR(file->GetPosition(file, &end));
    if (ok && at < end)
        ok = !EFI_ERROR(file->SetPosition(file, at)) && !EFI_ERROR(file->Read(file, &n, buf));
    else
        n = 0;
    file->Close(file);
    *got = n;
    *size = end;
    return ok ? OK : E_IO;
}
