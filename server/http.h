/* What a handler sees of HTTP: a request that was already checked against its endpoint's row, and a
 * reply to fill. No library type, no endpoint and no SQL is known here. */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Methods that an endpoint may take, or-ed. HEAD goes with GET, OPTIONS with everything. */
enum http_method { HTTP_GET = 1, HTTP_POST = 2 };

/* Representations; the table in server/format.c gives each its suffix and media type. */
enum http_format {
    HTTP_JSON,
    HTTP_HTML,
    HTTP_CSV,
    HTTP_NDJSON,
    HTTP_TEXT,
    HTTP_ATOM,
    HTTP_YAML,
    HTTP_SH,
    HTTP_BIB,
    HTTP_SVG,
    HTTP_JS,
    HTTP_CSS,
    HTTP_PROBLEM, /* application/problem+json; only the router's */
    HTTP_METRICS, /* the text format of Prometheus; no suffix asks for it */
    HTTP_FORMATS  /* how many there are */
};

/* Expands to the bit of a format in a set of formats; constants in tables need it. */
#define HTTP_BIT(format) (1u << (format))

/* How long a reply may be kept by others. */
enum http_cache {
    HTTP_CACHE_PUBLIC,   /* public, max-age=60, stale-while-revalidate=600 */
    HTTP_CACHE_NEVER,    /* no-store */
    HTTP_CACHE_IMMUTABLE /* public, max-age=31536000, immutable */
};

enum http_param_kind {
    HTTP_PARAM_TEXT, /* any UTF-8, not empty, at most HTTP_PARAM_BYTES */
    HTTP_PARAM_INT,
    HTTP_PARAM_REAL,
    HTTP_PARAM_DATE, /* a calendar day, YYYY-MM-DD */
    HTTP_PARAM_BOOL, /* true or false */
    HTTP_PARAM_WORD  /* one of allowed */
};

/* Longest value of one parameter, after decoding. */
#define HTTP_PARAM_BYTES 2000

/* One query parameter.
 *
 * is_list:     commas separate values (split before decoding, so %2C is a comma in a value)
 * has_commas:  a value of the list may hold a comma; elsewhere one is a mistake in encoding
 * is_nullable: the word none is taken too
 * is_required: a request without it is refused
 * min, max:    range of a number, inclusive; both 0 where there is no limit
 * allowed:     for HTTP_PARAM_WORD, ended by NULL
 * fallback:    what is taken when it is absent, as text for the documents; NULL: nothing
 * description: one sentence for the OpenAPI document */
struct http_param {
    const char *name;
    enum http_param_kind kind;
    bool is_list;
    bool has_commas;
    bool is_nullable;
    bool is_required;
    double min;
    double max;
    const char *const *allowed;
    const char *fallback;
    const char *description;
};

struct http_request;
struct http_reply;

/* Answer one request. Called by many threads at once.
 *
 * app:    what the server was started with
 * reply:  empty, status 200; the format that was negotiated is in request
 * Errors: the code chooses the status, e's text becomes the problem's detail, and the reply's
 * issues (http_reply_issue) its errors[]. */
typedef enum err_code http_handler(const struct http_request *request, struct http_reply *reply,
                                   void *app, struct err *e);

/* One endpoint.
 *
 * id:           operationId of the OpenAPI document: "ranking"
 * path:         template: "/models/{model}/{gpu}"; a name in braces takes one whole segment, two
 *               names "{recipe}@{hash}" its parts before and after the first @
 * methods:      or-ed enum http_method
 * formats:      set of formats (HTTP_BIT); a suffix chooses one (".csv", ".json"), else Accept,
 *               else first_format
 * first_format: what is sent when the client does not care
 * cache:        of a reply with status 200; http_reply_cache changes it for one reply
 * is_volatile:  whether each request is answered anew, since the reply tells of this moment
 * params:       query parameters, each at most once
 * body_limit:   bytes that a POST may carry; 0: none
 * body_types:   media types that a POST may have, ended by NULL; a missing type and the one that
 *               `curl --data-binary` sends by itself are always taken
 * is_form:      its page asks for the parameters, so that a browser gets it without the handler
 * summary:      one line for the documents */
struct http_endpoint {
    const char *id;
    const char *path;
    unsigned methods;
    unsigned formats;
    enum http_format first_format;
    enum http_cache cache;
    bool is_volatile;
    const struct http_param *params;
    size_t param_count;
    size_t body_limit;
    const char *const *body_types;
    bool is_form;
    http_handler *handle;
    const char *summary;
};

/* Write the page that a browser gets in place of a reply or an error, with the status of either: it
 * asks for the reply itself.
 *
 * app:    what the server was started with
 * Errors: the error is answered as one of a handler. */
typedef enum err_code http_page(const struct http_request *request, struct buf *out, void *app,
                                struct err *e);

/* The routes, looked at in order; a table's row wins over a later one that fits too.
 *
 * page: of every endpoint that has HTTP_HTML among its formats; NULL: their handlers write HTML */
struct http_routes {
    const struct http_endpoint *endpoints;
    size_t count;
    http_page *page;
};

/* Value of a path argument ("model"), decoded, never NULL for a name of the endpoint's template. A
 * format suffix is taken off already. Lent for the request. */
const char *http_arg(const struct http_request *q, const char *name);

/* Decoded value of a query parameter; NULL when it is absent. For a list, the first value. */
const char *http_query(const struct http_request *q, const char *name);

/* Values of a list parameter.
 *
 * index: from 0
 * returns NULL past the last one */
const char *http_query_at(const struct http_request *q, const char *name, size_t index);

/* Value of a number parameter, or what to take when it is absent. Its range was checked. */
int64_t http_query_int(const struct http_request *q, const char *name, int64_t absent);
double http_query_real(const struct http_request *q, const char *name, double absent);

/* Walk the query parameters in the order the client sent them.
 *
 * returns the row of the index-th one, NULL past the last */
const struct http_param *http_query_param(const struct http_request *q, size_t index);

/* The negotiated representation, JSON where a page is to take the reply's place; the body of a
 * POST; and the path as the client sent it, without query ("/models/gemma-4-31b/h100.csv"). */
enum http_format http_request_format(const struct http_request *q);
const char *http_request_body(const struct http_request *q, size_t *out_len);
const char *http_request_path(const struct http_request *q);

/* The table's row; NULL on an error page of an address that has none. */
const struct http_endpoint *http_request_endpoint(const struct http_request *q);

/* The query as the client sent it, without the question mark; "" when there was none. */
const char *http_request_query(const struct http_request *q);

/* The buffer for the body; its limit is the server's. */
struct buf *http_reply_body(struct http_reply *r);

/* Make the next part of a body that is sent while it is made. Called on the thread of the request,
 * whose http_request and http_reply still live.
 *
 * out:         empty; its limit is the server's. Nothing may be appended, too
 * out_is_last: whether no part follows
 * Errors:      in the first part as those of a handler; later ones cut the reply off, so that the
 *              client sees that it is not whole, and are logged. */
typedef enum err_code http_stream_next(void *context, struct buf *out, bool *out_is_last,
                                       struct err *e);

/* Release what a stream works with. The request may be gone by then. */
typedef void http_stream_free(void *context);

/* Send a body that next makes part by part, instead of the one in http_reply_body. It has no length
 * and no entity tag, unless its first part is its last: then it is a body like any other.
 *
 * context: swallowed; free_context is called once, after the last use */
void http_reply_take_stream(struct http_reply *r, http_stream_next *next,
                            http_stream_free *free_context, void *context);

/* Change the status (308, 410 and the like are made with the functions below or an error). */
void http_reply_status(struct http_reply *r, int status);

/* Answer 308 to a path of ours; the format suffix that was taken off the client's path, and its
 * query, are added. The path must be percent-encoded, and is copied. */
void http_reply_redirect(struct http_reply *r, const char *path);

/* Change how long the reply may be kept. */
void http_reply_cache(struct http_reply *r, enum http_cache cache);

/* Add a Link header: <target>; rel="rel". The target must be percent-encoded, and is copied. At
 * most HTTP_LINKS of them; more are a bug. */
#define HTTP_LINKS 8
void http_reply_link(struct http_reply *r, const char *target, const char *rel);

/* Spare the server from hashing the body for its entity tag: it is made, in the request's format,
 * from nothing but the address and what a SHA-256 in hexadecimal stands for. Copied. */
void http_reply_hash(struct http_reply *r, const char *hash);

/* Suggest a file name for a download: Content-Disposition: inline; filename="..." */
void http_reply_filename(struct http_reply *r, const char *name);

/* The buffer for members that a problem has beside those that all have: JSON members without braces
 * ("history":[...]). They are sent only if the handler returns an error. */
struct buf *http_reply_members(struct http_reply *r);

/* Say what the client is told if the handler returns an error of ours (status 500 and above), whose
 * text only the log has. A constant.
 */
void http_reply_fault(struct http_reply *r, const char *text);

/* One entry of a problem's errors[]. All text is copied.
 *
 * parameter: name of the path or query parameter, NULL for the body
 * detail:    what is wrong with it
 * allowed:   names or words that would do, ended by NULL; NULL: nothing to list
 * near:      the closest known names, nearest first, ended by NULL; NULL: none */
void http_reply_issue(struct http_reply *r, const char *parameter, const char *detail,
                      const char *const *allowed, const char *const *near);

#endif
