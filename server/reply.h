/* The inside of a reply, for the server's own files; handlers use http.h. */
#ifndef SERVER_REPLY_H
#define SERVER_REPLY_H

#include "server/problem.h"
#include "server/stream.h"

/* A limit that a client has passed.
 *
 * requests:     that may come in window_seconds
 * wait_seconds: until the next one may come */
struct http_limit {
    unsigned requests;
    unsigned window_seconds;
    unsigned wait_seconds;
};

/* What a handler filled in.
 *
 * arena:    lent; keeps every text below
 * stream:   what makes the body; NULL: body has it
 * location: of a redirect, without the client's query; NULL: none
 * links, disposition: values of Link and Content-Disposition
 * members:  of a problem
 * hash:     for the entity tag; NULL: that of the body
 * fault:    what a client is told of an error of ours; NULL: the server's words
 * limit:    of a problem with status 429
 * error:    the first thing that went wrong while it was filled; code ERR_OK: nothing */
struct http_reply {
    struct arena *arena;
    int status;
    enum http_cache cache;
    struct buf body;
    struct http_stream *stream;
    const char *location;
    struct buf links;
    size_t link_count;
    struct buf disposition;
    struct http_issues issues;
    struct buf members;
    const char *hash;
    const char *fault;
    struct http_limit limit;
    struct err error;
};

/* Start an empty reply.
 *
 * arena: lent for the reply's life */
void http_reply_init(struct http_reply *r, struct arena *arena);

/* Release it. */
void http_reply_done(struct http_reply *r);

/* Tell whether everything that was put in is there.
 *
 * Errors: ERR_BUG for a misuse, ERR_NOMEM, ERR_INPUT for a body above HTTP_BODY_BYTES: the client
 *         may ask for less. */
MUST_USE enum err_code http_reply_check(const struct http_reply *r, struct err *e);

#endif
