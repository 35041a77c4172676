#include "platform_qtest.h"
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bits.h"
#include "err.h"

/* Guest memory below the q35 hole; allocations start above what firmware and legacy areas would use. */
enum { RAM_BYTES = 192 << 20, RAM_FIRST = 16 << 20, FUNCTIONS_MAX = 64, ARGS_MAX = 96 };
#define BAR_FIRST 0xc0000000ull

static struct {
    char folder[64], problem[256];
    pid_t pid;
    int fd;
    uint8_t *ram;
    uint64_t next_free, next_bar;
    struct pci_fn functions[FUNCTIONS_MAX];
    unsigned function_count;
    long live;
    char in[256];
    size_t in_len;
} q = { .fd = -1, .pid = -1 };

const char *qtest_problem(void) { return q.problem; }

static bool problem(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(q.problem, sizeof q.problem, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- the wire: one command a line, one answer a line ---- */

static void die(const char *why)
{
    fprintf(stderr, "qtest: %s\n", why);
    abort();
}

static void read_answer(char *line, size_t cap)
{
    for (;;) {
        char *nl = memchr(q.in, '\n', q.in_len);

        if (nl) {
            size_t n = (size_t)(nl - q.in), rest = q.in_len - n - 1;

            snprintf(line, cap, "%.*s", (int)n, q.in);
            memmove(q.in, nl + 1, rest);
            q.in_len = rest;
            if (strncmp(line, "IRQ", 3))
                return;
            continue;
        }
        struct pollfd p = { .fd = q.fd, .events = POLLIN };
        if (poll(&p, 1, 30000) <= 0)
            die("QEMU does not answer within 30 s");
        ssize_t got = read(q.fd, q.in + q.in_len, sizeof q.in - q.in_len);
        if (got <= 0)
            die("QEMU closed the socket");
        q.in_len += (size_t)got;
    }
}

static uint64_t command(const char *fmt, ...)
{
    char line[128], answer[160];
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (write(q.fd, line, (size_t)n) != n)
        die("write to the socket");
    read_answer(answer, sizeof answer);
    if (strncmp(answer, "OK", 2))
        die(answer);
    return answer[2] ? strtoull(answer + 3, NULL, 0) : 0;
}

/* ---- PCI by the ports of mechanism 1 ---- */

static uint32_t config_address(const struct pci_fn *fn, uint32_t off)
{
    return 0x80000000u | (uint32_t)fn->bus << 16 | (uint32_t)fn->device << 11 | (uint32_t)fn->function << 8 |
           off;
}

uint32_t plat_pci_read32(const struct pci_fn *fn, uint32_t off)
{
    command("outl 0xcf8 0x%x\n", config_address(fn, off));
    return (uint32_t)command("inl 0xcfc\n");
}

void plat_pci_write32(const struct pci_fn *fn, uint32_t off, uint32_t v)
{
    command("outl 0xcf8 0x%x\n", config_address(fn, off));
    command("outl 0xcfc 0x%x\n", v);
}

static void assign_bars(const struct pci_fn *fn)
{
    for (unsigned bar = 0; bar < 6; bar++) {
        uint32_t off = 0x10 + 4 * bar;
        plat_pci_write32(fn, off, 0xffffffffu);
        uint32_t mask = plat_pci_read32(fn, off);
        bool wide = (mask & 7) == 4;

        if (!mask || (mask & 1)) {
            plat_pci_write32(fn, off, mask ? 0xc000 + 0x100 * bar + 0x1000u * fn->device : 0);
            continue;
        }
        uint64_t size = (uint64_t)(~(mask & ~0xfu)) + 1;
        q.next_bar = ALIGN_UP(q.next_bar, size);
        plat_pci_write32(fn, off, (uint32_t)q.next_bar);
        if (wide)
            plat_pci_write32(fn, off + 4, 0);
        q.next_bar += size;
        bar += wide;
    }
}

static void enumerate(void)
{
    for (unsigned dev = 0; dev < 32; dev++)
        for (unsigned function = 0; function < 8; function++) {
            struct pci_fn fn = { .device = (uint8_t)dev, .function = (uint8_t)function };
            uint32_t id = plat_pci_read32(&fn, 0);

            if (id == 0xffffffffu || q.function_count == FUNCTIONS_MAX)
                continue;
            uint32_t class = plat_pci_read32(&fn, 8), sub = plat_pci_read32(&fn, 0x2c);
            fn.vendor_id = (uint16_t)id;
            fn.device_id = (uint16_t)(id >> 16);
            fn.class_code = class >> 8;
            fn.revision = (uint8_t) class;
            fn.subvendor_id = (uint16_t)sub;
            fn.subdevice_id = (uint16_t)(sub >> 16);
            if ((class >> 24) == 1)
                assign_bars(&fn);
            q.functions[q.function_count++] = fn;
        }
}

struct pci_fn *qtest_pci_find(uint16_t vendor_id, uint16_t device_id, unsigned n)
{
    for (unsigned i = 0; i < q.function_count; i++)
        if (q.functions[i].vendor_id == vendor_id && q.functions[i].device_id == device_id && !n--)
            return &q.functions[i];
    return NULL;
}

/* ---- QEMU's life ---- */

static bool connect_socket(void)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };

    snprintf(a.sun_path, sizeof a.sun_path, "%s/q.sock", q.folder);
    for (unsigned tenths = 0; tenths < 600; tenths++) {
        q.fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (!connect(q.fd, (struct sockaddr *)&a, sizeof a))
            return true;
        close(q.fd);
        q.fd = -1;
        if (waitpid(q.pid, NULL, WNOHANG) == q.pid) {
            q.pid = -1;
            return problem("QEMU ended at once; see %s/qemu.out", q.folder);
        }
        usleep(100000);
    }
    return problem("QEMU's qtest socket did not appear within 60 s");
}

static void exec_qemu(const char *const *device_args)
{
    static char memory[160], qtest[100], log[100];
    const char *argv[ARGS_MAX] = { "qemu-system-x86_64",
                                   "-machine",
                                   "q35,memory-backend=ram",
                                   "-accel",
                                   "tcg",
                                   "-S",
                                   "-display",
                                   "none",
                                   "-nodefaults",
                                   "-net",
                                   "none",
                                   "-m",
                                   "192",
                                   "-object",
                                   memory,
                                   "-qtest",
                                   qtest,
                                   "-qtest-log",
                                   "/dev/null",
                                   "-d",
                                   "guest_errors",
                                   "-D",
                                   log };
    unsigned n = 0;

    snprintf(memory, sizeof memory, "memory-backend-file,id=ram,size=192M,mem-path=%s/ram,share=on",
             q.folder);
    snprintf(qtest, sizeof qtest, "unix:%s/q.sock,server=on,wait=off", q.folder);
    snprintf(log, sizeof log, "%s/guest_errors", q.folder);
    /* Nobody else would end it when a test aborts. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (argv[n])
        n++;
    for (; *device_args && n < ARGS_MAX - 1; device_args++)
        argv[n++] = *device_args;
    char out[100];
    snprintf(out, sizeof out, "%s/qemu.out", q.folder);
    int fd = open(out, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(fd, 1);
    dup2(fd, 2);
    execvp(argv[0], (char **)argv);
    _exit(127);
}

static bool make_folder(void)
{
    if (q.folder[0])
        return true;
    snprintf(q.folder, sizeof q.folder, "%s/qtest-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    return mkdtemp(q.folder) || problem("no folder for the test");
}

bool qtest_start(const char *const *device_args)
{
    char path[100];

    if (q.pid > 0) {
        /* A test that failed did not come to its qtest_stop. */
        kill(q.pid, SIGKILL);
        waitpid(q.pid, NULL, 0);
        close(q.fd);
        munmap(q.ram, RAM_BYTES);
        q.pid = -1;
    }
    if (system("command -v qemu-system-x86_64 >/dev/null 2>&1"))
        return problem("qemu-system-x86_64 is not installed");
    if (!make_folder())
        return false;
    snprintf(path, sizeof path, "%s/ram", q.folder);
    int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, RAM_BYTES))
        return problem("no memory file %s", path);
    q.ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (q.ram == MAP_FAILED)
        return problem("memory file cannot be mapped");
    q.pid = fork();
    if (!q.pid)
        exec_qemu(device_args);
    if (!connect_socket())
        return false;
    q.next_free = RAM_FIRST;
    q.next_bar = BAR_FIRST;
    q.function_count = 0;
    q.live = 0;
    q.in_len = 0;
    enumerate();
    return true;
}

bool qtest_stop(char *what, size_t cap)
{
    char path[100], cmd[100];

    if (q.pid > 0) {
        kill(q.pid, SIGTERM);
        waitpid(q.pid, NULL, 0);
    }
    if (q.fd >= 0)
        close(q.fd);
    munmap(q.ram, RAM_BYTES);
    snprintf(path, sizeof path, "%s/guest_errors", q.folder);
    FILE *f = fopen(path, "r");
    what[0] = 0;
    bool clean = !f || !fgets(what, (int)cap, f);
    if (f)
        fclose(f);
    snprintf(cmd, sizeof cmd, "rm -rf %s", q.folder);
    if (system(cmd))
        fprintf(stderr, "qtest: %s stays behind\n", q.folder);
    memset(&q, 0, sizeof q);
    q.fd = -1;
    q.pid = -1;
    return clean;
}

/* ---- registers ---- */

uint32_t plat_read32(const struct mmio *m, uint32_t off)
{
    return (uint32_t)command("readl 0x%" PRIx64 "\n", (uint64_t)m->base + off);
}
uint64_t plat_read64(const struct mmio *m, uint32_t off)
{
    return command("readq 0x%" PRIx64 "\n", (uint64_t)m->base + off);
}
void plat_write32(const struct mmio *m, uint32_t off, uint32_t v)
{
    command("writel 0x%" PRIx64 " 0x%x\n", (uint64_t)m->base + off, v);
}
void plat_write64(const struct mmio *m, uint32_t off, uint64_t v)
{
    command("writeq 0x%" PRIx64 " 0x%" PRIx64 "\n", (uint64_t)m->base + off, v);
}
uint8_t plat_port_read8(uint16_t port) { return (uint8_t)command("inb 0x%x\n", port); }
uint16_t plat_port_read16(uint16_t port) { return (uint16_t)command("inw 0x%x\n", port); }
uint32_t plat_port_read32(uint16_t port) { return (uint32_t)command("inl 0x%x\n", port); }
void plat_port_write8(uint16_t port, uint8_t v) { command("outb 0x%x 0x%x\n", port, v); }
void plat_port_write16(uint16_t port, uint16_t v) { command("outw 0x%x 0x%x\n", port, v); }
void plat_port_write32(uint16_t port, uint32_t v) { command("outl 0x%x 0x%x\n", port, v); }

/* Memory decoding, bus mastering, legacy interrupts off. */
int plat_pci_enable(const struct pci_fn *fn)
{
    plat_pci_write32(fn, 4, 0x0407);
    q.live++;
    return OK;
}
void plat_pci_release(const struct pci_fn *fn)
{
    plat_pci_write32(fn, 4, 0);
    q.live--;
}

int plat_bar_map(const struct pci_fn *fn, unsigned bar, size_t min_len_bytes, struct mmio *out)
{
    uint32_t low = plat_pci_read32(fn, 0x10 + 4 * bar);

    *out = (struct mmio){ 0 };
    if (!low || (low & 1))
        return E_UNSUPPORTED;
    plat_pci_write32(fn, 0x10 + 4 * bar, 0xffffffffu);
    size_t len_bytes = (size_t)(~(plat_pci_read32(fn, 0x10 + 4 * bar) & ~0xfu) + 1u);
    plat_pci_write32(fn, 0x10 + 4 * bar, low);
    if (len_bytes < min_len_bytes)
        return E_LIMIT;
    *out = (struct mmio){ .ctx = &q, .base = low & ~0xfu, .len_bytes = len_bytes };
    q.live++;
    return OK;
}
int plat_fixed_map(uint64_t address, size_t len_bytes, struct mmio *out)
{
    (void)address;
    (void)len_bytes;
    *out = (struct mmio){ 0 };
    return E_UNSUPPORTED;
}

void plat_bar_unmap(struct mmio *m)
{
    if (m->ctx)
        q.live--;
    *m = (struct mmio){ 0 };
}

/* ---- memory: a bump allocator; every test starts with a new QEMU and so with all of it ---- */

int plat_dma_alloc(const struct pci_fn *fn, size_t len_bytes, const struct dma_limits *lim,
                   struct dma_buf *out)
{
    uint64_t align = lim && lim->align_bytes > 4096 ? lim->align_bytes : 4096;

    (void)fn;
    *out = (struct dma_buf){ 0 };
    if (lim && lim->boundary_bytes && len_bytes <= lim->boundary_bytes)
        while (align < len_bytes)
            align *= 2;
    uint64_t at = ALIGN_UP(q.next_free, align);
    if (at + len_bytes > RAM_BYTES)
        return E_NOMEM;
    q.next_free = at + len_bytes;
    q.live++;
    *out = (struct dma_buf){ .cpu = q.ram + at, .bus = at, .len_bytes = len_bytes, .ctx = &q };
    memset(out->cpu, 0, len_bytes);
    return OK;
}
void plat_dma_free(struct dma_buf *b)
{
    if (b->ctx)
        q.live--;
    *b = (struct dma_buf){ 0 };
}
void *plat_alloc(size_t len_bytes)
{
    void *p = aligned_alloc(64, ALIGN_UP(len_bytes ? len_bytes : 1, (size_t)64));

    q.live += p != NULL;
    return p ? memset(p, 0, len_bytes) : NULL;
}
void plat_free(void *p)
{
    q.live -= p != NULL;
    free(p);
}
long qtest_live_allocs(void) { return q.live; }

void plat_dma_publish(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void plat_dma_observe(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

uint64_t plat_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}
void plat_relax(void) { usleep(20); }
void plat_stall_us(uint32_t us) { usleep(us); }

void plat_log(enum log_level level, const char *fmt, ...)
{
    va_list ap;

    if (level > LOG_WARN)
        return;
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
}

/* ---- disks ---- */

const char *qtest_disk(const char *name, uint64_t size_bytes, uint64_t stamped_bytes)
{
    static char paths[8][100];
    static unsigned next;
    char *path = paths[next++ % ARRAY_COUNT(paths)], block[512];
    uint64_t starts[2] = { 0, (size_bytes - min_u64(stamped_bytes, size_bytes)) / 4096 * 4096 };

    if (!make_folder())
        return NULL;
    snprintf(path, sizeof paths[0], "%s/%s.img", q.folder, name);
    FILE *f = fopen(path, "w");
    if (!f || ftruncate(fileno(f), (off_t)size_bytes))
        die("disk image");
    for (unsigned s = 0; s < 2; s++)
        for (uint64_t at = starts[s]; at < min_u64(starts[s] + stamped_bytes, size_bytes); at += 512) {
            memset(block, 'a' + (int)(at / 512 % 23), sizeof block);
            snprintf(block, sizeof block, "%016" PRIx64, at / 512);
            fseek(f, (long)at, SEEK_SET);
            fwrite(block, 1, sizeof block, f);
        }
    fclose(f);
    return path;
}

void qtest_disk_read(const char *name, uint64_t offset, void *buf, size_t len)
{
    char path[100];

    snprintf(path, sizeof path, "%s/%s.img", q.folder, name);
    FILE *f = fopen(path, "r");
    if (!f || fseek(f, (long)offset, SEEK_SET) || fread(buf, 1, len, f) != len)
        die("disk image read back");
    fclose(f);
}
