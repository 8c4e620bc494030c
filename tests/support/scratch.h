/* Folders that a test fills and removes again. */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

#include <stddef.h>

/* Room for the path of a scratch folder, or of a file in one. */
#define SCRATCH_BYTES 512

/* Make an empty folder below $TMPDIR; the test fails if that cannot be done. */
void scratch_make(char out[SCRATCH_BYTES]);

/* Join a folder and a name; the test fails if the path is too long. */
void scratch_path(char out[SCRATCH_BYTES], const char *folder, const char *name);

/* Write a file whole, making no folder; the test fails if that cannot be done. */
void scratch_write(const char *path, const char *bytes, size_t len);

/* Read a file whole, a zero byte after it.
 *
 * out_len: may be NULL
 * Owns:    the caller frees the result with free(). */
char *scratch_read(const char *path, size_t *out_len);

/* Remove a folder and all that is in it. */
void scratch_remove(const char *folder);

#endif
