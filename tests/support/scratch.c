/* Scratch folders, with the plain calls of the C library: base/file.c is among what is tested. */
#include "tests/support/scratch.h"

#include "tests/support/test.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scratch_path(char out[SCRATCH_BYTES], const char *folder, const char *name)
{
    int len = snprintf(out, SCRATCH_BYTES, "%s/%s", folder, name);

    if (len < 0 || len >= SCRATCH_BYTES)
        fail_msg("%s/%s: the path is too long", folder, name);
}

void scratch_make(char out[SCRATCH_BYTES])
{
    const char *tmp = getenv("TMPDIR");

    scratch_path(out, tmp && *tmp ? tmp : "/tmp", "scratch.XXXXXX");
    if (!mkdtemp(out))
        fail_msg("%s: %s", out, strerror(errno));
}

void scratch_write(const char *path, const char *bytes, size_t len)
{
    FILE *out = fopen(path, "wb");

    if (!out)
        fail_msg("%s: %s", path, strerror(errno));
    assert_int_equal(fwrite(bytes, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
}

char *scratch_read(const char *path, size_t *out_len)
{
    FILE *in = fopen(path, "rb");
    long len;
    char *bytes;

    if (!in)
        fail_msg("%s: %s", path, strerror(errno));
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    len = ftell(in);
    assert_true(len >= 0);
    rewind(in);
    bytes = calloc((size_t)len + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)len, in), len);
    assert_int_equal(fclose(in), 0);
    if (out_len)
        *out_len = (size_t)len;
    return bytes;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

void scratch_remove(const char *folder)
{
    if (nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        fail_msg("%s: cannot be removed: %s", folder, strerror(errno));
}
