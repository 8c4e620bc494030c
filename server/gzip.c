/* zlib, in one step. */
#include "server/gzip.h"

#define ZLIB_CONST /* Input is const. */
#include <zlib.h>

#include <limits.h>
#include <stdlib.h>

/* 15 bits of window, the most there is, and 16 for a gzip header; zlib.h, deflateInit2. */
enum { WINDOW_GZIP = 15 + 16, MEMORY = 8 };

static enum err_code compress_all(z_stream *stream, const char *bytes, size_t len, char **out_bytes,
                                  size_t *out_len, struct err *e)
{
    uLong bound = deflateBound(stream, (uLong)len);
    unsigned char *result;

    if (len > UINT_MAX || bound > UINT_MAX)
        return err_bug(e, "a body of %zu bytes is too long for zlib", len);
    result = malloc(bound);
    if (!result)
        return err_nomem(e);
    stream->next_in = (const Bytef *)bytes;
    stream->avail_in = (uInt)len;
    stream->next_out = result;
    stream->avail_out = (uInt)bound;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END) {
        free(result);
        return err_bug(e, "zlib cannot compress %zu bytes into %lu", len, bound);
    }
    *out_bytes = (char *)result;
    *out_len = stream->total_out;
    return ERR_OK;
}

enum err_code http_gzip(const char *bytes, size_t len, char **out_bytes, size_t *out_len,
                        struct err *e)
{
    z_stream stream = {.next_in = NULL};
    enum err_code code;
    int status = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP, MEMORY,
                              Z_DEFAULT_STRATEGY);

    if (status == Z_MEM_ERROR)
        return err_nomem(e);
    if (status != Z_OK)
        return err_bug(e, "zlib cannot start: %d", status);
    code = compress_all(&stream, bytes, len, out_bytes, out_len, e);
    (void)deflateEnd(&stream); /* Says only whether all input was read, which was checked. */
    return code;
}
