/* Bodies that are made part by part while they are sent, compressed on the way where the client
 * takes it. */
#ifndef SERVER_STREAM_H
#define SERVER_STREAM_H

#include "server/gzip.h"
#include "server/http.h"

/* One body on its way.
 *
 * part:    what was made last
 * packer:  NULL: the body goes out as it is
 * packed:  part, compressed
 * at:      how much of the part was read
 * is_last: whether no part follows */
struct http_stream {
    http_stream_next *next;
    http_stream_free *free_context;
    void *context;
    struct buf part;
    struct http_packer *packer;
    struct buf packed;
    size_t at;
    bool is_last;
};

/* Make a stream; nothing of it is made yet. context is swallowed, on failure too.
 *
 * Errors: ERR_NOMEM.
 * Owns:   the caller ends with http_stream_free_all. */
MUST_USE enum err_code http_stream_take(http_stream_next *next, http_stream_free *free_context,
                                        void *context, struct http_stream **out_stream,
                                        struct err *e);

/* Release a stream and its context; NULL is fine. */
void http_stream_free_all(struct http_stream *stream);

/* Make the next part, once the one before it was read. The first is made before anything is sent,
 * so that its failures can be told; a body that ends with it is there whole, in stream->part.
 *
 * Errors: those of the stream's function; ERR_NOMEM. */
MUST_USE enum err_code http_stream_make(struct http_stream *stream, struct err *e);

/* Compress the body; after its first part was made. */
MUST_USE enum err_code http_stream_pack(struct http_stream *stream, struct err *e);

/* Read on.
 *
 * size:    room in out, > 0
 * out_len: bytes that were read; 0: the body has ended
 * Errors:  as http_stream_make; the body cannot be ended well then. */
MUST_USE enum err_code http_stream_read(struct http_stream *stream, char *out, size_t size,
                                        size_t *out_len, struct err *e);

#endif
