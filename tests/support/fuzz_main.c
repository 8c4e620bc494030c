/* Feeds a fuzz target every file of its corpus, each as one TAP test: a regression test without
 * libFuzzer. The program's name tells which corpus: replay_yaml reads tests/fuzz/corpus/yaml/. */
#include "tests/support/fuzzing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Read a whole file into memory of exactly its size, so that a sanitizer sees a read past its end.
 * NULL on failure. */
static uint8_t *read_input(const char *path, size_t *out_len)
{
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long len;

    if (!in)
        return NULL;
    if (fseek(in, 0, SEEK_END) == 0 && (len = ftell(in)) >= 0) {
        rewind(in);
        *out_len = (size_t)len;
        bytes = malloc(*out_len);
        if (bytes && fread(bytes, 1, *out_len, in) != *out_len) {
            free(bytes);
            bytes = NULL;
        }
    }
    (void)fclose(in); /* Read only. */
    return bytes;
}

static int feed(const char *folder, const char *name, int number)
{
    char path[512];
    size_t len = 0;
    uint8_t *bytes;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    /* Said before, as the target may not come back. */
    fprintf(stderr, "input %s\n", name);
    bytes = length > 0 && (size_t)length < sizeof path ? read_input(path, &len) : NULL;
    if (!bytes) {
        printf("not ok %d - %s cannot be read\n", number, name);
        return 1;
    }
    (void)LLVMFuzzerTestOneInput(bytes, len); /* Always 0: what is wrong, it tells by crashing. */
    free(bytes);
    printf("ok %d - %s\n", number, name);
    return 0;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *target = strstr(slash ? slash : argv[0], "replay_");
    struct dirent **entries;
    char folder[256];
    int failures = 0;
    int count;

    if (argc != 1 || !target)
        return EXIT_FAILURE;
    count = snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", target + sizeof "replay_" - 1);
    if (count < 0 || (size_t)count >= sizeof folder)
        return EXIT_FAILURE;
    count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        failures += feed(folder, entries[i]->d_name, i + 1);
        (void)fflush(stdout); /* What was shown stays shown if the next input crashes. */
        free(entries[i]);
    }
    free(entries);
    return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
