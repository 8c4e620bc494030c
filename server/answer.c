/* The headers of every answer, in one place. */
#include "server/answer.h"

#include "base/hash.h"
#include "base/mem.h"
#include "server/conditional.h"
#include "server/format.h"
#include "server/gzip.h"
#include "server/limits.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scripts and styles come from here alone, data from here and from nowhere else. */
static const char content_security_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static const char *const cache_controls[] = {
    [HTTP_CACHE_PUBLIC] = "public, max-age=60, stale-while-revalidate=600",
    [HTTP_CACHE_NEVER] = "no-store",
    [HTTP_CACHE_IMMUTABLE] = "public, max-age=31536000, immutable",
};

static void put(struct http_answer *answer, const char *name, const char *value)
{
    assert(answer->header_count < HTTP_ANSWER_HEADERS);
    answer->headers[answer->header_count++] = (struct http_header){name, value};
}

/* Start an answer with what every one has. Anybody may read it: nothing here is private. */
static void start(struct http_answer *answer, int status, enum http_cache cache)
{
    *answer = (struct http_answer){.status = status};
    put(answer, "Access-Control-Allow-Origin", "*");
    put(answer, "Access-Control-Expose-Headers",
        "Allow, Content-Disposition, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, "
        "X-Request-Id");
    put(answer, "Vary", "Accept, Accept-Encoding");
    put(answer, "X-Content-Type-Options", "nosniff");
    put(answer, "Cache-Control", cache_controls[cache]);
}

/* Nothing of one request stands in an answer that many share, unless the client asked for it. */
static void put_id(struct http_answer *answer, const struct http_request *q, bool is_problem)
{
    if (q->has_id || is_problem)
        put(answer, "X-Request-Id", q->id);
}

const char *http_allow(unsigned methods)
{
    static const char *const lists[] = {
        [0] = "OPTIONS",
        [HTTP_GET] = "GET, HEAD, OPTIONS",
        [HTTP_POST] = "POST, OPTIONS",
        [HTTP_GET | HTTP_POST] = "GET, HEAD, POST, OPTIONS",
    };

    return lists[methods & (HTTP_GET | HTTP_POST)];
}

void http_answer_options(const struct http_request *q, unsigned methods,
                         struct http_answer *out_answer)
{
    start(out_answer, 204, HTTP_CACHE_NEVER);
    put(out_answer, "Allow", http_allow(methods));
    put(out_answer, "Access-Control-Allow-Methods", http_allow(methods));
    put(out_answer, "Access-Control-Allow-Headers",
        "Accept, Content-Type, If-None-Match, X-Request-Id");
    put(out_answer, "Access-Control-Max-Age", "86400");
    put_id(out_answer, q, false);
}

/* Copy text with what is not ASCII encoded. */
static void put_ascii(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x80)
            buf_putc(out, *text);
        else
            buf_printf(out, "%%%02X", (unsigned char)*text);
    }
}

enum err_code http_answer_redirect(struct http_request *q, const char *path, const char *suffix,
                                   enum http_cache cache, struct http_answer *out_answer,
                                   struct err *e)
{
    struct buf location;
    const char *copy;

    buf_init(&location, HTTP_REQUEST_BYTES);
    put_ascii(&location, path);
    buf_puts(&location, suffix);
    if (*q->query)
        buf_putc(&location, '?');
    put_ascii(&location, q->query);
    copy = location.status == ERR_OK ? arena_text(&q->arena, location.data, location.len) : NULL;
    buf_done(&location);
    if (!copy)
        return err_nomem(e);
    /* A name's address may change with the catalogue, so that a redirect is never kept for ever. */
    start(out_answer, 308, cache == HTTP_CACHE_NEVER ? cache : HTTP_CACHE_PUBLIC);
    put(out_answer, "Location", copy);
    put_id(out_answer, q, false);
    return ERR_OK;
}

static void put_type(struct http_answer *answer, enum http_format format)
{
    put(answer, "Content-Type", http_format_row(format)->content_type);
    if (format == HTTP_HTML)
        put(answer, "Content-Security-Policy", content_security_policy);
}

/* Hand a buffer's text over to the answer. */
static void give_body(struct buf *body, struct http_answer *answer)
{
    answer->body = body->data;
    answer->body_len = body->len;
    buf_init(body, body->limit);
}

/* Say when to come again. Fields are those of draft-ietf-httpapi-ratelimit-headers-10; they stand
 * on refusals alone, since other replies are kept by caches and shown to other clients. */
static enum err_code put_limit(struct http_answer *answer, const struct http_limit *limit,
                               struct arena *arena, struct err *e)
{
    char texts[3][64];
    const char *names[] = {"Retry-After", "RateLimit-Policy", "RateLimit"};

    /* All fit: three numbers of ten digits at most. */
    (void)snprintf(texts[0], sizeof texts[0], "%u", limit->wait_seconds);
    (void)snprintf(texts[1], sizeof texts[1], "\"address\";q=%u;w=%u", limit->requests,
                   limit->window_seconds);
    (void)snprintf(texts[2], sizeof texts[2], "\"address\";r=0;t=%u", limit->wait_seconds);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *copy = arena_text(arena, texts[i], strlen(texts[i]));

        if (!copy)
            return err_nomem(e);
        put(answer, names[i], copy);
    }
    return ERR_OK;
}

enum err_code http_answer_problem(const struct http_request *q, struct http_reply *r,
                                  const struct err_kind *kind, const char *detail,
                                  enum http_format format, struct http_answer *out_answer,
                                  struct err *e)
{
    struct buf *body = &r->body;

    if (r->issues.is_short || r->members.status != ERR_OK)
        return err_nomem(e);
    if (format != HTTP_HTML) {
        buf_done(body);
        buf_init(body, HTTP_PROBLEM_BYTES);
        http_problem_write(body, kind, detail, q->id, &r->issues, buf_text(&r->members));
    }
    if (body->status != ERR_OK)
        return err_nomem(e);
    /* No error is kept by anybody: what is missing now may be imported a second later, and each
     * error names its own request. */
    start(out_answer, kind->http_status, HTTP_CACHE_NEVER);
    put_type(out_answer, format);
    if (kind->http_status == 405)
        put(out_answer, "Allow", http_allow(q->match.methods));
    if (kind->http_status == 503)
        put(out_answer, "Retry-After", "1");
    if (kind->http_status == 429 && put_limit(out_answer, &r->limit, r->arena, e))
        return e->code;
    put_id(out_answer, q, true);
    give_body(body, out_answer);
    return ERR_OK;
}

/* Put a body into the answer, compressed where the client and the body's size make it worth while.
 *
 * out_coding: "gzip", or NULL */
static enum err_code take_body(const struct http_request *q, struct buf *body,
                               struct http_answer *answer, const char **out_coding, struct err *e)
{
    size_t least = q->coding == HTTP_CODING_GZIP_ONLY ? 0 : HTTP_GZIP_BYTES;

    *out_coding = NULL;
    if (q->coding == HTTP_CODING_IDENTITY || body->len <= least) {
        give_body(body, answer);
        return ERR_OK;
    }
    if (http_gzip(body->data, body->len, &answer->body, &answer->body_len, e))
        return e->code;
    *out_coding = "gzip";
    put(answer, "Content-Encoding", *out_coding);
    return ERR_OK;
}

/* Make the first part of a stream. Where it is the last one, it is a body like any other. */
static enum err_code begin_stream(struct http_reply *r, struct err *e)
{
    struct buf empty = r->body;
    enum err_code rc = http_stream_make(r->stream, e);

    if (rc != ERR_OK || !r->stream->is_last)
        return rc;
    r->body = r->stream->part;
    r->stream->part = empty;
    http_stream_free_all(r->stream);
    r->stream = NULL;
    return ERR_OK;
}

static enum err_code take_stream(const struct http_request *q, struct http_reply *r,
                                 struct http_answer *answer, struct err *e)
{
    answer->stream = r->stream;
    if (q->coding == HTTP_CODING_IDENTITY)
        return ERR_OK;
    put(answer, "Content-Encoding", "gzip");
    return http_stream_pack(r->stream, e);
}

static enum err_code put_etag(struct http_answer *answer, const struct http_reply *r,
                              const char *suffix, const char *coding, struct err *e)
{
    char hash[HASH_HEX_BYTES];
    char etag[HTTP_ETAG_BYTES];

    if (!r->hash)
        hash_sha256(answer->body ? answer->body : "", answer->body_len, hash);
    http_etag_make(r->hash ? r->hash : hash, suffix, coding, etag);
    answer->etag = arena_text(r->arena, etag, strlen(etag));
    if (!answer->etag)
        return err_nomem(e);
    put(answer, "ETag", answer->etag);
    return ERR_OK;
}

static void put_headers(const struct http_request *q, const struct http_reply *r,
                        struct http_answer *answer)
{
    put_type(answer, q->format);
    if (r->links.len > 0)
        put(answer, "Link", buf_text(&r->links));
    if (r->disposition.len > 0)
        put(answer, "Content-Disposition", buf_text(&r->disposition));
    put_id(answer, q, r->status >= 400);
}

enum err_code http_answer_make(const struct http_request *q, struct http_reply *r,
                               struct http_answer *out_answer, struct err *e)
{
    bool is_read = q->verb == HTTP_VERB_GET || q->verb == HTTP_VERB_HEAD;
    enum http_cache cache = is_read && r->status < 400 ? r->cache : HTTP_CACHE_NEVER;
    const char *coding;
    struct http_answer answer;

    if (http_reply_check(r, e) || (r->stream && begin_stream(r, e)))
        return e->code;
    start(&answer, r->status, cache);
    put_headers(q, r, &answer);
    if (r->stream) {
        if (take_stream(q, r, &answer, e))
            return e->code;
        *out_answer = answer;
        return ERR_OK;
    }
    if (take_body(q, &r->body, &answer, &coding, e))
        return e->code;
    if (r->status == 200 && cache != HTTP_CACHE_NEVER &&
        put_etag(&answer, r, http_format_row(q->format)->suffix, coding, e)) {
        http_answer_done(&answer);
        return e->code;
    }
    *out_answer = answer;
    return ERR_OK;
}

bool http_answer_is_known(const struct http_answer *answer, const struct http_request *q)
{
    const char *list = q->fields.values[HTTP_FIELD_IF_NONE_MATCH];

    return answer->etag && list && http_etag_is_in(list, answer->etag);
}

void http_answer_done(struct http_answer *answer)
{
    free(answer->body);
    answer->body = NULL;
}
