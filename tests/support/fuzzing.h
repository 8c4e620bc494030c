/* What fuzz targets share: stopping at what must never be, and cutting an input into texts. */
#ifndef TESTS_SUPPORT_FUZZING_H
#define TESTS_SUPPORT_FUZZING_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The target; each tests/fuzz/fuzz_*.c defines its own. Returns 0 always. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop, so that the input counts as one that crashed, unless something is true. */
void fuzz_require(bool is_true);

/* Copy an input as a text that a zero byte ends; one inside it ends it earlier. Owns: the caller
 * frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Cut the next line off a text; "" after the last one.
 *
 * at: moved behind it */
char *fuzz_next_line(char **at);

/* Stop unless a text is valid UTF-8 in one line without control characters. */
void fuzz_check_line(const char *text);

/* Stop unless an error says something that the input may be at fault for: not ERR_OK, no bug of
 * ours, words that are there. */
void fuzz_check_error(enum err_code code, const struct err *e);

#endif
