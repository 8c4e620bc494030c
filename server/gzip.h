/* Compression of bodies. */
#ifndef SERVER_GZIP_H
#define SERVER_GZIP_H

#include "base/err.h"

#include <stddef.h>

/* Compress in the gzip format; the same bytes give the same result.
 *
 * out_bytes, out_len: the result
 * Errors: ERR_NOMEM; ERR_BUG if the library fails.
 * Owns:   the caller frees *out_bytes with free(). */
MUST_USE enum err_code http_gzip(const char *bytes, size_t len, char **out_bytes, size_t *out_len,
                                 struct err *e);

#endif
