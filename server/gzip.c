/* zlib, in one step or in many. */
#include "server/gzip.h"

#define ZLIB_CONST /* Input is const. */
#include <zlib.h>

#include <limits.h>
#include <stdlib.h>

/* 15 bits of window, the most there is, and 16 for a gzip header; zlib.h, deflateInit2. */
enum { WINDOW_GZIP = 15 + 16, MEMORY = 8 };

static enum err_code start(z_stream *stream, struct err *e)
{
    int status = deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP, MEMORY,
                              Z_DEFAULT_STRATEGY);

    if (status == Z_MEM_ERROR)
        return err_nomem(e);
    return status == Z_OK ? ERR_OK : err_bug(e, "zlib cannot start: %d", status);
}

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
    enum err_code code = start(&stream, e);

    if (code != ERR_OK)
        return code;
    code = compress_all(&stream, bytes, len, out_bytes, out_len, e);
    (void)deflateEnd(&stream); /* Says only whether all input was read, which was checked. */
    return code;
}

/* zlib keeps a pointer to its stream, so that one must not be moved. */
struct http_packer {
    z_stream stream;
};

enum err_code http_packer_new(struct http_packer **out_packer, struct err *e)
{
    struct http_packer *packer = calloc(1, sizeof *packer);

    if (!packer)
        return err_nomem(e);
    if (start(&packer->stream, e) != ERR_OK) {
        free(packer);
        return e->code;
    }
    *out_packer = packer;
    return ERR_OK;
}

void http_packer_free(struct http_packer *packer)
{
    if (!packer)
        return;
    (void)deflateEnd(&packer->stream); /* Says only that a body was left before its end. */
    free(packer);
}

/* Bytes that zlib is given room for in one step. */
enum { ROOM = 16 * 1024 };

enum err_code http_packer_add(struct http_packer *packer, const char *bytes, size_t len,
                              bool is_last, struct buf *out, struct err *e)
{
    z_stream *stream = &packer->stream;
    unsigned char room[ROOM];
    int status = Z_OK;

    if (len > UINT_MAX)
        return err_bug(e, "a part of %zu bytes is too long for zlib", len);
    stream->next_in = (const Bytef *)bytes;
    stream->avail_in = (uInt)len;
    do {
        stream->next_out = room;
        stream->avail_out = ROOM;
        status = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
        buf_add(out, (const char *)room, ROOM - stream->avail_out);
    } while (stream->avail_out == 0 && out->status == ERR_OK);
    /* Without input, and with nothing kept back, zlib says Z_BUF_ERROR, which is no error. */
    if (out->status == ERR_OK && (status == Z_STREAM_ERROR || (is_last && status != Z_STREAM_END)))
        return err_bug(e, "zlib cannot go on: %d", status);
    return buf_check(out, e);
}
