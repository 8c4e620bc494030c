/* What goes back over the wire: status, headers and body, made of a reply or of an error. */
#ifndef SERVER_ANSWER_H
#define SERVER_ANSWER_H

#include "server/reply.h"
#include "server/request.h"

/* Headers of the answer that has most of them, with room to spare. */
#define HTTP_ANSWER_HEADERS 20

/* One header; both texts are constants or lent by the request. */
struct http_header {
    const char *name;
    const char *value;
};

/* An answer. Date, Content-Length and Connection are the library's to add.
 *
 * status:  before If-None-Match was looked at: 304 is the same answer without its body
 * body:    NULL: empty
 * stream:  makes the body while it is sent; NULL: body has it. Lent by the reply
 * etag:    NULL: none */
struct http_answer {
    int status;
    struct http_header headers[HTTP_ANSWER_HEADERS];
    size_t header_count;
    char *body;
    size_t body_len;
    struct http_stream *stream;
    const char *etag;
};

/* Make the answer of a reply that a handler filled.
 *
 * r:      its body is taken; of a stream the first part is made
 * Errors: those of http_reply_check and of the stream; ERR_NOMEM; ERR_BUG.
 * Owns:   the caller ends with http_answer_done; q and r must outlive the answer. */
MUST_USE enum err_code http_answer_make(const struct http_request *q, struct http_reply *r,
                                        struct http_answer *out_answer, struct err *e);

/* Make the answer of an error.
 *
 * detail: NULL: none
 * r:      its issues are listed
 * format: HTTP_PROBLEM, and r's body is thrown away; or HTTP_HTML, and r's body, a page, is taken
 * Errors: ERR_NOMEM.
 * Owns:   as http_answer_make. */
MUST_USE enum err_code http_answer_problem(const struct http_request *q, struct http_reply *r,
                                           const struct err_kind *kind, const char *detail,
                                           enum http_format format, struct http_answer *out_answer,
                                           struct err *e);

/* Make the answer of OPTIONS.
 *
 * methods: or-ed enum http_method */
void http_answer_options(const struct http_request *q, unsigned methods,
                         struct http_answer *out_answer);

/* Make the answer of a redirect to a path of ours, to which q's query is added.
 *
 * path:   percent-encoded
 * suffix: of a format, put after it; "": none
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code http_answer_redirect(struct http_request *q, const char *path,
                                            const char *suffix, enum http_cache cache,
                                            struct http_answer *out_answer, struct err *e);

/* Value of Allow for a set of methods. */
const char *http_allow(unsigned methods);

/* Tell whether the client's copy is still good, so that status 304 will do. */
bool http_answer_is_known(const struct http_answer *answer, const struct http_request *q);

/* Release the body. */
void http_answer_done(struct http_answer *answer);

#endif
