#ifndef EFI_MEDIUM_H
#define EFI_MEDIUM_H
#include "fio_logs.h"
#include "firmware.h"
#include "render.h"

/* The FAT volume that takes the results, and the files on it.  A medium that is missing, read-only or full
 * never ends a run: every function says so once and the run goes on. */

enum { JOURNAL_PREALLOCATED_BYTES = 16 << 20 };

extern const char medium_journal_name[]; /* in the folder of each run */

enum medium_state {
    MEDIUM_NONE,      /* no volume that can be written */
    MEDIUM_READ_ONLY, /* found, but it refuses writing */
    MEDIUM_FULL,      /* no room for the journal */
    MEDIUM_FAILED,    /* took data and then lost or changed it */
    MEDIUM_OK
};
struct medium {
    enum medium_state state;
    EFI_FILE_PROTOCOL *root, *dir, *journal;
    EFI_HANDLE volume;
    char where[160];    /* "second partition of the boot medium, runs/20261130-141500-1a2b3c4d" */
    char problem[160];  /* why state is not MEDIUM_OK, in words */
    char run_path[100]; /* "runs/...": by which the volume is found again after it was pulled */
    uint64_t preallocated, written;
    unsigned times_back; /* it was lost and came back */
};

/* Chooses by the design's order: the boot medium's data partition, another removable volume that carries our
 * marker file, the volume that the application came from.  Makes `runs/<run_name>` and a journal file of
 * JOURNAL_PREALLOCATED_BYTES in it.  Always leaves *m usable. */
void medium_open(struct medium *m, const char *run_name);
/* Brings the file up to journal[0..len): writes in place what is new, flushes, opens the file a second time
 * and compares.  Extends the preallocation when little is left.  False: the medium took it no longer; each
 * further call looks whether it is back, and then writes all of it once more. */
bool medium_checkpoint(struct medium *m, const char *journal, size_t len);
/* A finished file beside the journal. */
bool medium_write(struct medium *m, const char *name,
                  void (*render)(const char *journal, size_t len, struct render_out *out),
                  const char *journal, size_t len);
/* The same for a file that a job asked for, in its folder below. */
bool medium_write_log(struct medium *m, const struct fio_log *log);
/* Cuts the journal to what was written and closes everything. */
void medium_close(struct medium *m);

/* A small file of fixed size in the root of the result volume: all of it into buf; made, full of zeros, when
 * it is not there.  False: there is no such volume, or it does not keep the file.  */
bool medium_ledger_read(const struct medium *m, const char *name, char *buf, size_t len);
/* The same file on the other volumes that could have taken the results of an earlier start, one after the
 * other; nothing is made.  *at: 0 at first, theirs then.  False: there is no more. */
bool medium_ledger_elsewhere(const struct medium *m, const char *name, char *buf, size_t len, unsigned *at);
/* Writes n bytes of buf in place and reads the whole file back through a second handle.  True: it holds buf.
 */
bool medium_ledger_write(const struct medium *m, const char *name, const char *buf, size_t len, size_t at,
                         size_t n);

/* A whole file from the boot volume, the boot medium's other partitions or the result volume, in that order;
 * '/' separates folders.  Pool memory in *text (boot->FreePool); E_IO: there is none, E_LIMIT: above 1 MiB.
 * from receives where it was found. */
int medium_read_file(const struct medium *m, const char *path, char **text, size_t *len, char *from,
                     size_t from_cap);

/* Names of the runs on the result volume but for this one, the last in order of name first; at most cap. */
enum { MEDIUM_RUN_NAME_BYTES = 64 };
unsigned medium_runs(const struct medium *m, char (*names)[MEDIUM_RUN_NAME_BYTES], unsigned cap);
/* Bytes of the journal of such a run from `at` on; *got may be less than cap at its end.  *size: of the file.
 * E_IO: it cannot be read. */
int medium_run_read(const struct medium *m, const char *run, uint64_t at, char *buf, size_t cap, size_t *got,
                    uint64_t *size);

/* The boot volume's device path, NULL when the application did not come from a volume. */
EFI_DEVICE_PATH_PROTOCOL *medium_boot_path(void);
/* Makes the boot medium's other partitions known; call once before the above. */
void medium_connect_boot_disk(void);

#endif
