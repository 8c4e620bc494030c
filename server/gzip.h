/* Compression of bodies. */
#ifndef SERVER_GZIP_H
#define SERVER_GZIP_H

#include "base/buf.h"

/* Compress in the gzip format; the same bytes give the same result.
 *
 * out_bytes, out_len: the result
 * Errors: ERR_NOMEM; ERR_BUG if the library fails.
 * Owns:   the caller frees *out_bytes with free(). */
MUST_USE enum err_code http_gzip(const char *bytes, size_t len, char **out_bytes, size_t *out_len,
                                 struct err *e);

/* A body that is compressed part by part. */
struct http_packer;

/* Owns: the caller ends with http_packer_free; NULL is fine there. */
MUST_USE enum err_code http_packer_new(struct http_packer **out_packer, struct err *e);
void http_packer_free(struct http_packer *packer);

/* Compress a part; what comes of it may be appended with a later one.
 *
 * is_last: no part follows: the end of the format is appended
 * Errors:  ERR_NOMEM; ERR_LIMIT if out is full; ERR_BUG if the library fails. */
MUST_USE enum err_code http_packer_add(struct http_packer *packer, const char *bytes, size_t len,
                                       bool is_last, struct buf *out, struct err *e);

#endif
