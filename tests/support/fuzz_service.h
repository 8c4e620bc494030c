/* The whole service in the process of a fuzz target, without a socket: the real endpoints over a
 * database of the catalogue and the recipes that the project has. */
#ifndef TESTS_SUPPORT_FUZZ_SERVICE_H
#define TESTS_SUPPORT_FUZZ_SERVICE_H

#include "server/exchange.h"

#include <jansson.h>

/* A request. Host is added.
 *
 * headers: header_count of them
 * body:    body_len bytes */
struct fuzz_question {
    const char *method;
    const char *target;
    const struct http_header *headers;
    size_t header_count;
    const char *body;
    size_t body_len;
};

/* What came of it; must not be moved.
 *
 * body: whole, also of a stream */
struct fuzz_reply {
    struct exchange exchange;
    struct http_answer answer;
    struct buf body;
};

/* Make the service, once; every later call gives the same. The process keeps it to its end. */
const struct http_routes *fuzz_service_routes(void);

/* Ask, and stop unless the answer is one that any request may get: headers of one line, no fault of
 * ours, JSON that is JSON, a redirect that stays here, an error that says what is wrong.
 *
 * out_reply: ends with fuzz_reply_done */
void fuzz_ask(const struct fuzz_question *question, struct fuzz_reply *out_reply);
void fuzz_reply_done(struct fuzz_reply *reply);

/* Ask with GET and no headers. */
void fuzz_get(const char *target, struct fuzz_reply *out_reply);

/* Value of the answer's header of this name; NULL: it has none. */
const char *fuzz_reply_header(const struct fuzz_reply *reply, const char *name);

/* The body, if it is JSON and the status 200; else NULL. Owns: the caller ends with json_decref. */
json_t *fuzz_reply_json(const struct fuzz_reply *reply);

/* Append a text percent-encoded, so that it is one segment of a path or one value of a query. */
void fuzz_put_encoded(struct buf *out, const char *text);

#endif
