/* HTTP requests, several at once, each one alone: no redirect, no retry, no queue (that is
 * download.h). Limits in bytes and time, and the token for one origin only. The home of libcurl.
 *
 * The program must ignore SIGPIPE: libcurl is told to leave signals alone. */
#ifndef IMPORTERS_FETCH_H
#define IMPORTERS_FETCH_H

#include "base/buf.h"

/* The connections, and what all requests share. */
struct fetch;

/* Room for scheme://host:port; a host name has up to 253 characters. */
#define FETCH_ORIGIN_BYTES 320

/* How to fetch.
 *
 * endpoint:    scheme://host[:port][/path]; the token goes to its scheme, host and port alone
 * token:       sent as a bearer token; NULL: none
 * connections: that are kept open for later requests, > 0
 * connect_ms:  until a connection stands, > 0
 * stall_s:     with under 100 bytes a second, > 0
 * transfer_ms: of one request, > 0 */
struct fetch_config {
    const char *endpoint;
    const char *token;
    unsigned connections;
    unsigned connect_ms;
    unsigned stall_s;
    unsigned transfer_ms;
};

/* How a request ended. */
enum fetch_end {
    FETCH_WHOLE,        /* there is a reply */
    FETCH_CUT,          /* there is a reply, and its body is longer than is kept */
    FETCH_FAULT,        /* there is none: fault says why */
    FETCH_PASSING_FAULT /* there is none, and the next try may be better */
};

/* One request. Starts zeroed, with the members up to owner set; the rest is filled in.
 *
 * url:           lent until the end
 * has_range, first, last: bytes to ask for; without a range the whole file
 * body:          initialised, with its limit; gets the body of a reply with status 200 or 206, and
 *                of no other. Lent until fetch_forget
 * owner:         the caller's own
 * is_own:        whether it went to the endpoint's own origin, with the token
 * end, fault:    fault is set only if there is no reply
 * status:        of the reply
 * content_bytes: what Content-Length says; -1: nothing
 * bytes:         of the body that arrived
 * easy, left_out, header_bytes, is_over, is_active: fetch.c's own */
struct fetch_hop {
    const char *url;
    bool has_range;
    int64_t first;
    int64_t last;
    struct buf *body;
    void *owner;

    bool is_own;
    enum fetch_end end;
    struct err fault;
    long status;
    int64_t content_bytes;
    int64_t bytes;

    void *easy;
    size_t left_out;
    size_t header_bytes;
    bool is_over;
    bool is_active;
};

/* Make ready to fetch.
 *
 * config: its texts are not kept
 * Errors: ERR_INPUT for an endpoint that is no http or https URL, or carries a user, a query or a
 *         fragment, and for a token with characters that no header may have; ERR_NOMEM.
 * Owns:   the caller ends with fetch_free, after fetch_forget of every hop. */
MUST_USE enum err_code fetch_new(const struct fetch_config *config, struct fetch **out_fetch,
                                 struct err *e);

/* Close the connections. NULL is fine. */
void fetch_free(struct fetch *f);

/* Write scheme://host:port of a URL in lower case, as libcurl reads it.
 *
 * Errors: ERR_INPUT if it is no http or https URL or has a user name; its text does not repeat the
 *         URL, which may carry a signature. ERR_NOMEM. */
MUST_USE enum err_code fetch_origin(const char *url, char out[FETCH_ORIGIN_BYTES], struct err *e);

/* Begin a request.
 *
 * Errors: ERR_INPUT as fetch_origin; ERR_NOMEM.
 * Owns:   the caller ends with fetch_forget, on failure too. */
MUST_USE enum err_code fetch_begin(struct fetch *f, struct fetch_hop *hop, struct err *e);

/* Let data flow until some arrives, or for so long.
 *
 * Errors: ERR_BUG if libcurl fails. */
MUST_USE enum err_code fetch_flow(struct fetch *f, unsigned wait_ms, struct err *e);

/* The next request that has ended; NULL: none. */
struct fetch_hop *fetch_next_ended(struct fetch *f);

/* A header of an ended request's reply, "" if absent; lent until fetch_forget. */
const char *fetch_header(const struct fetch_hop *hop, const char *name);

/* Where a redirect leads, made absolute; NULL if it is none. Lent until fetch_forget. */
const char *fetch_redirect(const struct fetch_hop *hop);

/* Drop a request, ended or not, and what was lent of it; the body stays as it is. */
void fetch_forget(struct fetch *f, struct fetch_hop *hop);

#endif
