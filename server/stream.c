/* Parts made one after the other, each when the one before it was read. */
#include "server/stream.h"

#include "server/limits.h"

#include <stdlib.h>
#include <string.h>

enum err_code http_stream_take(http_stream_next *next, http_stream_free *free_context,
                               void *context, struct http_stream **out_stream, struct err *e)
{
    struct http_stream *stream = malloc(sizeof *stream);

    if (!stream) {
        free_context(context);
        return err_nomem(e);
    }
    *stream = (struct http_stream){.next = next, .free_context = free_context, .context = context};
    buf_init(&stream->part, HTTP_BODY_BYTES);
    buf_init(&stream->packed, HTTP_BODY_BYTES);
    *out_stream = stream;
    return ERR_OK;
}

void http_stream_free_all(struct http_stream *stream)
{
    if (!stream)
        return;
    stream->free_context(stream->context);
    http_packer_free(stream->packer);
    buf_done(&stream->part);
    buf_done(&stream->packed);
    free(stream);
}

/* Compress the part that was made. */
static enum err_code pack_part(struct http_stream *stream, struct err *e)
{
    buf_reset(&stream->packed);
    return http_packer_add(stream->packer, stream->part.data, stream->part.len, stream->is_last,
                           &stream->packed, e);
}

enum err_code http_stream_make(struct http_stream *stream, struct err *e)
{
    enum err_code rc;

    buf_reset(&stream->part);
    stream->at = 0;
    rc = stream->next(stream->context, &stream->part, &stream->is_last, e);
    if (rc == ERR_OK)
        rc = buf_check(&stream->part, e);
    return rc == ERR_OK && stream->packer ? pack_part(stream, e) : rc;
}

enum err_code http_stream_pack(struct http_stream *stream, struct err *e)
{
    enum err_code rc = http_packer_new(&stream->packer, e);

    return rc == ERR_OK ? pack_part(stream, e) : rc;
}

enum err_code http_stream_read(struct http_stream *stream, char *out, size_t size, size_t *out_len,
                               struct err *e)
{
    const struct buf *ready = stream->packer ? &stream->packed : &stream->part;
    size_t len;

    /* A part may be empty, and compressing may keep one back. */
    while (stream->at == ready->len && !stream->is_last) {
        enum err_code rc = http_stream_make(stream, e);

        if (rc != ERR_OK)
            return rc;
    }
    len = ready->len - stream->at;
    len = len < size ? len : size;
    if (len > 0)
        memcpy(out, ready->data + stream->at, len);
    stream->at += len;
    *out_len = len;
    return ERR_OK;
}
