/* file-crc32c FILE OFFSET LENGTH: the CRC-32C of a piece of a file, as eight hex digits. */
#include <stdio.h>
#include <stdlib.h>
#include "crc.h"

int main(int argc, char **argv)
{
    static unsigned char buf[1 << 16];
    uint32_t crc = 0;

    if (argc != 4) {
        fprintf(stderr, "usage: file-crc32c FILE OFFSET LENGTH\n");
        return 2;
    }
    FILE *f = fopen(argv[1], "rb");
    unsigned long long left = strtoull(argv[3], NULL, 0);
    if (!f || fseek(f, strtol(argv[2], NULL, 0), SEEK_SET)) {
        perror(argv[1]);
        return 1;
    }
    while (left) {
        size_t n = fread(buf, 1, left < sizeof buf ? left : sizeof buf, f);

        if (!n) {
            fprintf(stderr, "%s: shorter than asked\n", argv[1]);
            return 1;
        }
        crc = crc32c(crc, buf, n);
        left -= n;
    }
    fclose(f);
    printf("%08x\n", crc);
    return 0;
}
