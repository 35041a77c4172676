#ifndef RESULT_VERDICT_H
#define RESULT_VERDICT_H
#include <stdbool.h>

/* What a single observation means.  INFO and CANNOT_TELL change no verdict. */
enum finding_level {
    FINDING_PASS,
    FINDING_INFO,
    FINDING_WARN,
    FINDING_FAIL,
    FINDING_CANNOT_TELL,
    FINDING_LEVEL_COUNT
};
/* What is said of a drive, a controller and the run.  Zero is NOT_TESTED: what nobody set never passes. */
enum verdict { VERDICT_NOT_TESTED, VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL, VERDICT_ABORTED, VERDICT_COUNT };

const char *finding_level_text(enum finding_level l); /* "PASS", "INFO", "WARN", "FAIL", "CANNOT TELL" */
const char *verdict_text(enum verdict v);             /* "NOT-TESTED", "PASS", ... */
bool verdict_from_text(const char *s, enum verdict *out);

/* One thing's verdict after one more finding: WARN and FAIL raise it, FAIL beats WARN, ABORTED stays.  PASS
 * lifts only NOT_TESTED: it is for what was measured and found good. */
enum verdict verdict_after(enum verdict v, enum finding_level l);
/* The whole's verdict from its parts: FAIL > ABORTED > WARN > PASS; NOT_TESTED parts do not lower a tested
 * whole and a whole without any tested part is NOT_TESTED. */
enum verdict verdict_join(enum verdict a, enum verdict b);

/* How a run ends, by the design's table. */
struct run_status {
    enum verdict verdict;
    bool bad_configuration;  /* a job or configuration line was refused; the rest still ran */
    bool expectation_missed; /* `expect` wanted something that is not there */
};
/* EFI status numbers of our own; the application sets the high bit (an error to every boot loader).  iPXE
 * shows the low seven bits: they differ from each other and from those that UEFI defines (1..35). */
enum run_efi_code {
    RUN_EFI_NOT_TESTED = 0x2041,
    RUN_EFI_WARN = 0x2042, /* only when the configuration says that WARN does not chain */
    RUN_EFI_FAIL = 0x2043,
    RUN_EFI_ABORTED = 0x2044,
    RUN_EFI_BAD_CONFIGURATION = 0x2045
};
struct run_ending {
    int exit_code;     /* of ./run: 0, 1, 2 (3, crash or hang, is not ours to say) */
    unsigned efi_code; /* 0: EFI_SUCCESS; else an enum run_efi_code */
    bool chains_to_next;
};
/* A missed expectation ends like FAIL.  The exit code says the worst: 1 before 2 before 0. */
struct run_ending run_ending(const struct run_status *s, bool warn_chains);

#endif
