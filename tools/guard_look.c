/* What the write guard would say of a disk: guard-look FILE [BLOCK_BYTES] ...
 *
 * One line per file: state, fingerprint, what was found, with "; " between.  Reads only. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "err.h"
#include "guard_content.h"

struct file {
    int fd;
    uint32_t lba_bytes;
};

static int read_file(void *ctx, uint64_t lba, uint32_t blocks, void *buf)
{
    const struct file *f = ctx;
    size_t len = (size_t)blocks * f->lba_bytes;

    return pread(f->fd, buf, len, (off_t)(lba * f->lba_bytes)) == (ssize_t)len ? OK : E_MEDIA;
}

static int look(const char *path, uint32_t lba_bytes)
{
    static const char *const states[] = {
        [CONTENT_NOT_LOOKED] = "not-looked", [CONTENT_UNREADABLE] = "unreadable",
        [CONTENT_UNFINISHED] = "unfinished", [CONTENT_BLANK] = "blank",
        [CONTENT_FOUND] = "found",
    };
    static struct guard_memory memory;
    struct file file = { .fd = open(path, O_RDONLY | O_CLOEXEC), .lba_bytes = lba_bytes };
    static char text[4096];
    struct text words = text_over(text, sizeof text);
    struct guard_content c;

    if (file.fd < 0) {
        perror(path);
        return 2;
    }
    off_t bytes = lseek(file.fd, 0, SEEK_END);
    struct guard_reader r = {
        .read = read_file, .ctx = &file, .lba_bytes = lba_bytes, .lba_count = (uint64_t)bytes / lba_bytes
    };
    guard_look(&r, &memory, &c);
    guard_content_words(&c, &words);
    printf("%s %s %s\n", states[c.state], c.fingerprint[0] ? c.fingerprint : "-", text);
    close(file.fd);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: guard-look FILE [BLOCK_BYTES]\n", stderr);
        return 2;
    }
    return look(argv[1], argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 512);
}
