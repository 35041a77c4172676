#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Runs a fuzz target over stored inputs, without libFuzzer: files, or all files of a directory. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static unsigned long inputs;

static void run_bytes(const uint8_t *data, size_t size)
{
    /* Exactly as long as the input, so that the sanitizer sees a read beyond it. */
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

static int run_file(const char *path)
{
    enum { LARGEST = 1 << 24 };
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(LARGEST);

    if (!f || !data) {
        perror(path);
        free(data);
        return 1;
    }
    /* A crash names its input by the last line printed. */
    fprintf(stderr, "%s\n", path);
    run_bytes(data, fread(data, 1, LARGEST, f));
    free(data);
    fclose(f);
    return 0;
}

static int run_path(const char *path)
{
    struct stat st;
    struct dirent **names;
    int bad = 0;

    if (stat(path, &st)) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(st.st_mode))
        return run_file(path);
    int n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char full[4096];

        if (names[i]->d_name[0] != '.') {
            snprintf(full, sizeof full, "%s/%s", path, names[i]->d_name);
            bad |= run_file(full);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return bad || n < 0;
}

int main(int argc, char **argv)
{
    int bad = 0;

    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    run_bytes(NULL, 0);
    for (int i = 1; i < argc; i++)
        bad |= run_path(argv[i]);
    printf("%s: %lu inputs replayed\n", argv[0], inputs);
    return bad || inputs < 2;
}
