#include "nvme_internal.h"
#include "text.h"

/* Status codes by type (fact sheet A7), in plain words. */
static const struct status_row {
    uint8_t sct, sc;
    const char *words;
} status_rows[] = {
    { 0, 0x00, "success" },
    { 0, 0x01, "invalid command opcode" },
    { 0, 0x02, "invalid field in command" },
    { 0, 0x03, "command id conflict" },
    { 0, 0x04, "data transfer error" },
    { 0, 0x05, "aborted: power loss notification" },
    { 0, 0x06, "internal device error" },
    { 0, 0x07, "aborted on request" },
    { 0, 0x08, "aborted: its submission queue was deleted" },
    { 0, 0x09, "aborted: fused partner failed" },
    { 0, 0x0a, "aborted: fused partner missing" },
    { 0, 0x0b, "invalid namespace or format" },
    { 0, 0x0c, "command sequence error" },
    { 0, 0x0d, "invalid SGL segment descriptor" },
    { 0, 0x0e, "invalid number of SGL descriptors" },
    { 0, 0x0f, "invalid data SGL length" },
    { 0, 0x10, "invalid metadata SGL length" },
    { 0, 0x11, "invalid SGL descriptor type" },
    { 0, 0x12, "invalid use of controller memory buffer" },
    { 0, 0x13, "invalid PRP offset" },
    { 0, 0x14, "atomic write unit exceeded" },
    { 0, 0x15, "operation denied" },
    { 0, 0x16, "invalid SGL offset" },
    { 0, 0x18, "host identifier of inconsistent format" },
    { 0, 0x19, "keep alive timer expired" },
    { 0, 0x1a, "invalid keep alive timeout" },
    { 0, 0x1b, "aborted: preempted by a reservation" },
    { 0, 0x1c, "sanitize failed" },
    { 0, 0x1d, "sanitize in progress" },
    { 0, 0x1e, "invalid SGL data block granularity" },
    { 0, 0x1f, "command not supported for a queue in controller memory" },
    { 0, 0x20, "namespace is write protected" },
    { 0, 0x21, "command interrupted" },
    { 0, 0x22, "transient transport error" },
    { 0, 0x23, "command prohibited by lockdown" },
    { 0, 0x24, "medium not ready for admin commands" },
    { 0, 0x80, "LBA out of range" },
    { 0, 0x81, "capacity exceeded" },
    { 0, 0x82, "namespace not ready" },
    { 0, 0x83, "reservation conflict" },
    { 0, 0x84, "format in progress" },
    { 0, 0x85, "invalid value size" },
    { 0, 0x86, "invalid key size" },
    { 0, 0x87, "key does not exist" },
    { 0, 0x88, "unrecovered error" },
    { 0, 0x89, "key exists" },
    { 1, 0x00, "invalid completion queue" },
    { 1, 0x01, "invalid queue id" },
    { 1, 0x02, "invalid queue size" },
    { 1, 0x03, "too many aborts at once" },
    { 1, 0x05, "too many asynchronous event requests" },
    { 1, 0x06, "invalid firmware slot" },
    { 1, 0x07, "invalid firmware image" },
    { 1, 0x08, "invalid interrupt vector" },
    { 1, 0x09, "invalid log page" },
    { 1, 0x0a, "invalid format" },
    { 1, 0x0b, "new firmware needs a conventional reset" },
    { 1, 0x0c, "invalid queue deletion" },
    { 1, 0x0d, "feature cannot be saved" },
    { 1, 0x0e, "feature cannot be changed" },
    { 1, 0x0f, "feature does not belong to a namespace" },
    { 1, 0x10, "new firmware needs a subsystem reset" },
    { 1, 0x11, "new firmware needs a controller reset" },
    { 1, 0x12, "new firmware needs more time than allowed" },
    { 1, 0x13, "firmware activation prohibited" },
    { 1, 0x14, "overlapping range" },
    { 1, 0x15, "not enough capacity for the namespace" },
    { 1, 0x16, "namespace id not available" },
    { 1, 0x18, "namespace already attached" },
    { 1, 0x19, "namespace is private" },
    { 1, 0x1a, "namespace not attached" },
    { 1, 0x1b, "thin provisioning not supported" },
    { 1, 0x1c, "invalid controller list" },
    { 1, 0x1d, "device self-test in progress" },
    { 1, 0x1e, "boot partition is write protected" },
    { 1, 0x1f, "invalid controller id" },
    { 1, 0x20, "invalid secondary controller state" },
    { 1, 0x21, "invalid number of controller resources" },
    { 1, 0x22, "invalid resource id" },
    { 1, 0x23, "sanitize prohibited while persistent memory is on" },
    { 1, 0x24, "invalid ANA group id" },
    { 1, 0x25, "ANA attach failed" },
    { 1, 0x26, "insufficient capacity" },
    { 1, 0x27, "too many namespaces attached" },
    { 1, 0x28, "lockdown of this command not supported" },
    { 1, 0x29, "I/O command set not supported" },
    { 1, 0x2a, "I/O command set not enabled" },
    { 1, 0x2b, "I/O command set combination rejected" },
    { 1, 0x2c, "invalid I/O command set" },
    { 1, 0x2d, "identifier not available" },
    { 1, 0x80, "conflicting attributes" },
    { 1, 0x81, "invalid protection information" },
    { 1, 0x82, "write to a read-only range" },
    { 1, 0x83, "command size limit exceeded" },
    { 1, 0x85, "incompatible namespace or format" },
    { 1, 0x86, "fast copy not possible" },
    { 1, 0x87, "overlapping I/O range" },
    { 1, 0x89, "insufficient resources" },
    { 1, 0xb8, "zone boundary error" },
    { 1, 0xb9, "zone is full" },
    { 1, 0xba, "zone is read only" },
    { 1, 0xbb, "zone is offline" },
    { 1, 0xbc, "zone invalid write" },
    { 1, 0xbd, "too many active zones" },
    { 1, 0xbe, "too many open zones" },
    { 1, 0xbf, "invalid zone state transition" },
    { 2, 0x80, "write fault" },
    { 2, 0x81, "unrecovered read error" },
    { 2, 0x82, "end-to-end guard check error" },
    { 2, 0x83, "end-to-end application tag check error" },
    { 2, 0x84, "end-to-end reference tag check error" },
    { 2, 0x85, "compare failure" },
    { 2, 0x86, "access denied" },
    { 2, 0x87, "deallocated or unwritten block" },
    { 2, 0x88, "end-to-end storage tag check error" },
    { 3, 0x00, "internal path error" },
    { 3, 0x01, "path lost for good (ANA persistent loss)" },
    { 3, 0x02, "path inaccessible (ANA)" },
    { 3, 0x03, "path in transition (ANA)" },
    { 3, 0x60, "controller pathing error" },
    { 3, 0x70, "host pathing error" },
    { 3, 0x71, "aborted by the host" },
};

static const char *find_words(uint32_t sct, uint32_t sc)
{
    static const char *const unknown[] = { "unknown generic status", "unknown command specific status",
                                           "unknown media error", "unknown path error" };

    for (unsigned i = 0; i < ARRAY_COUNT(status_rows); i++)
        if (status_rows[i].sct == sct && status_rows[i].sc == sc)
            return status_rows[i].words;
    return sct == 7                     ? "vendor specific status"
           : sct < ARRAY_COUNT(unknown) ? unknown[sct]
                                        : "reserved status type";
}

void nvme_status_words(uint32_t detail, struct text *out)
{
    uint32_t sct = (uint32_t)FIELD_GET(STATUS_SCT, detail), sc = (uint32_t)FIELD_GET(STATUS_SC, detail);
    uint32_t delay = (uint32_t)FIELD_GET(STATUS_CRD, detail);

    text_fmt(out, "%s (SCT %u, SC 0x%02x)", find_words(sct, sc), sct, sc);
    if (!sct && !sc)
        return;
    text_str(out, detail & STATUS_DNR ? ", do not retry" : ", may be retried");
    if (delay)
        text_fmt(out, " after retry delay %u", delay);
    if (detail & STATUS_MORE)
        text_str(out, ", more in the drive's error log");
}

enum io_status nvme_status_kind(uint32_t status)
{
    uint32_t sct = (uint32_t)FIELD_GET(STATUS_SCT, status), sc = (uint32_t)FIELD_GET(STATUS_SC, status);

    /* 85h to 87h are verdicts about the request. */
    if (sct == 2 && (sc == 0x88 || (sc >= 0x80 && sc <= 0x84)))
        return IO_MEDIA_ERROR;
    return IO_DEVICE_ERROR;
}
