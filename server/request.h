/* The inside of a request, for the server's own files; handlers use http.h. */
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include "base/arena.h"
#include "server/fields.h"
#include "server/negotiate.h"
#include "server/params.h"
#include "server/router.h"

/* What the server does with a method. */
enum http_verb {
    HTTP_VERB_UNKNOWN,
    HTTP_VERB_GET,
    HTTP_VERB_HEAD,
    HTTP_VERB_POST,
    HTTP_VERB_OPTIONS,
    HTTP_VERB_OTHER
};

/* One request.
 *
 * arena: keeps every text below but id
 * id:    the client's X-Request-Id, or one that was made
 * has_id: whether the client sent any, so that the reply says which was taken
 * path, query: as the client sent them
 * match, values, format: known once the request was found good
 * body:  of a POST */
struct http_request {
    struct arena arena;
    char id[HTTP_ID_BYTES + 1];
    bool has_id;
    enum http_verb verb;
    const char *path;
    const char *query;
    struct http_fields fields;
    struct http_match match;
    struct http_values values;
    enum http_format format;
    enum http_coding coding;
    struct buf body;
};

/* Look a method up; they are told apart by letter case (RFC 9110, 9.1). */
enum http_verb http_verb_parse(const char *method);

/* Split a request's target into q's path and query.
 *
 * target: "/path?query", "http://host/path?query" or, for OPTIONS, "*", whose path is "*"; NULL: it
 *         could not be read
 * Errors: ERR_INPUT for bytes that no target has and for any other form; ERR_NOMEM. path and query
 *         are then "" and "". */
MUST_USE enum err_code http_request_aim(struct http_request *q, const char *target, struct err *e);

#endif
