/* The life of an exchange: the body, the handler, the answer, the log. */
#include "server/exchange.h"

#include "base/clock.h"
#include "server/format.h"
#include "server/judge.h"
#include "server/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a path and of a user agent that the access log shows. */
enum { TEXT_SHOWN = 300 };

/* What a client is told of a failure of ours; the log has the rest. */
static const char our_fault[] = "The request is not at fault. Try again later; if it fails again, "
                                "report it with the instance named here.";
static const char damaged[] = "The request is not at fault. What is stored is damaged, and another "
                              "try will not help: report it with the instance named here.";

/* Make an id that no other request of any server has: the seed is random, and the mixing (the
 * finalizer of splitmix64, Steele et al. 2014) maps different numbers to different ones. */
static void make_id(struct exchange_site *site, char out[HTTP_ID_BYTES + 1])
{
    uint64_t z = site->id_seed + atomic_fetch_add(&site->id_next, 1);

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    (void)snprintf(out, HTTP_ID_BYTES + 1, "%016" PRIx64, z); /* Always 16 digits. */
}

void exchange_init(struct exchange *x, struct exchange_site *site, const struct net_address *peer)
{
    *x = (struct exchange){.site = site, .client = *peer, .started_ns = clock_steady_ns()};
    arena_init(&x->request.arena, HTTP_REQUEST_BYTES);
    make_id(site, x->request.id);
    x->request.path = x->request.query = "";
    buf_init(&x->request.body, 0);
    http_reply_init(&x->reply, &x->request.arena);
    buf_init(&x->key, HTTP_KEY_BYTES);
}

void exchange_done(struct exchange *x)
{
    cache_release(x->kept);
    buf_done(&x->key);
    http_reply_done(&x->reply);
    buf_done(&x->request.body);
    arena_done(&x->request.arena);
}

void exchange_field(struct exchange *x, const char *name, const char *value)
{
    struct err e;

    if (http_fields_add(&x->request.fields, name, value, &x->request.arena, &e))
        x->error = e;
}

static void refuse_body(struct exchange *x)
{
    x->problem = http_refusal(HTTP_REFUSAL_BODY);
    if (x->body_limit > 0)
        (void)err_set(&x->error, ERR_LIMIT, "the body is longer than %zu bytes", x->body_limit);
    else
        (void)err_set(&x->error, ERR_LIMIT, "the request may have no body");
}

bool exchange_judge(struct exchange *x, const char *method, const char *target, bool is_http_1_1)
{
    struct http_request *q = &x->request;
    uint64_t body_len;

    x->is_judged = true;
    if (!judge_request(x, method, target, is_http_1_1, &body_len))
        return true;
    buf_init(&q->body, x->body_limit);
    if (body_len == UINT64_MAX)
        return x->problem && q->fields.values[HTTP_FIELD_EXPECT];
    if (!x->problem && body_len > x->body_limit)
        refuse_body(x);
    if (!x->problem || body_len == 0)
        return false;
    return q->fields.values[HTTP_FIELD_EXPECT] || body_len > x->body_limit + HTTP_DRAIN_BYTES;
}

bool exchange_body(struct exchange *x, const char *bytes, size_t len)
{
    struct buf *body = &x->request.body;

    x->body_read += len;
    if (!x->problem && x->body_read > x->body_limit)
        refuse_body(x);
    if (!x->problem)
        buf_add(body, bytes, len);
    if (!x->problem && buf_check(body, &x->error))
        x->problem = err_kind(x->error.code);
    return x->body_read <= x->body_limit + HTTP_DRAIN_CHUNKED_BYTES;
}

/* The format suffix that was taken off the client's path: a handler redirects without it. */
static const char *suffix_of(const struct http_match *match)
{
    const char *suffix = match->has_format ? http_format_row(match->format)->suffix : NULL;

    return suffix ? suffix : "";
}

/* Put the page in place of what the reply has so far. It is made anew with each build of the
 * program, so that not even the page of what never changes is kept for ever. */
static enum err_code put_page(struct exchange *x, struct err *e)
{
    buf_reset(&x->reply.body);
    if (x->reply.cache == HTTP_CACHE_IMMUTABLE)
        x->reply.cache = HTTP_CACHE_PUBLIC;
    return x->site->routes->page(&x->request, &x->reply.body, x->site->app, e);
}

/* Let the handler fill the reply. A page comes with the handler's redirects and errors too, so that
 * it is called for a page as well, for the data that the page will ask for. */
static enum err_code call_handler(struct exchange *x, bool is_page, struct err *e)
{
    const struct http_endpoint *endpoint = x->request.match.endpoint;
    enum http_format format = x->request.format;
    enum err_code code;

    x->reply.cache = endpoint->cache;
    if (is_page && endpoint->is_form)
        return ERR_OK;
    if (is_page)
        x->request.format = HTTP_JSON;
    code = endpoint->handle(&x->request, &x->reply, x->site->app, e);
    x->request.format = format;
    return code;
}

static enum err_code handle(struct exchange *x, struct http_answer *out_answer, struct err *e)
{
    bool is_page = x->request.format == HTTP_HTML && x->site->routes->page;
    struct http_reply *r = &x->reply;

    if (call_handler(x, is_page, e) || (!r->location && is_page && put_page(x, e)))
        return e->code;
    if (!r->location)
        return http_answer_make(&x->request, r, out_answer, e);
    if (http_reply_check(r, e))
        return e->code;
    return http_answer_redirect(&x->request, r->location, suffix_of(&x->request.match), r->cache,
                                out_answer, e);
}

static enum err_code answer_good(struct exchange *x, struct http_answer *out_answer, struct err *e)
{
    if (x->redirect)
        return http_answer_redirect(&x->request, x->redirect, "", HTTP_CACHE_PUBLIC, out_answer, e);
    if (x->request.verb != HTTP_VERB_OPTIONS)
        return handle(x, out_answer, e);
    http_answer_options(&x->request, x->request.match.methods, out_answer);
    return ERR_OK;
}

static void log_failure(const struct exchange *x)
{
    struct log_line line;

    log_begin(x->site->log, &line, "error", "request_failed");
    log_add_text(&line, "id", x->request.id);
    log_add_text(&line, "code", x->problem->name);
    log_add_text(&line, "text", x->error.text);
    if (x->error.file) {
        log_add_text(&line, "file", x->error.file);
        log_add_int(&line, "line", x->error.line);
    }
    log_end(x->site->log, &line);
}

/* Tell whether an error is for a browser: one that likes HTML better, and did not ask for another
 * format by a suffix. */
static bool wants_page(const struct exchange *x)
{
    const struct http_request *q = &x->request;
    enum http_format format = HTTP_JSON;

    if (!x->site->routes->page || (q->verb != HTTP_VERB_GET && q->verb != HTTP_VERB_HEAD) ||
        (q->match.has_format && q->match.format != HTTP_HTML))
        return false;
    return http_negotiate(q->fields.values[HTTP_FIELD_ACCEPT],
                          HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_HTML), HTTP_JSON, &format) &&
           format == HTTP_HTML;
}

static bool is_ours(const struct exchange *x)
{
    return x->error.code != ERR_OK && err_kind(x->error.code)->http_status >= 500;
}

/* What the client is told of the error. */
static const char *told_of(const struct exchange *x)
{
    if (!is_ours(x))
        return x->error.text;
    if (x->reply.fault)
        return x->reply.fault;
    return x->error.code == ERR_CORRUPT ? damaged : our_fault;
}

static enum err_code answer_problem(struct exchange *x, struct http_answer *out_answer,
                                    struct err *e)
{
    bool is_page = wants_page(x) && put_page(x, e) == ERR_OK;

    if (is_ours(x))
        log_failure(x);
    return http_answer_problem(&x->request, &x->reply, x->problem, told_of(x),
                               is_page ? HTTP_HTML : HTTP_PROBLEM, out_answer, e);
}

/* What a handler's error is called: bad input that it found in a parameter is the parameter's, as
 * what the table finds is. */
static const struct err_kind *kind_of(const struct exchange *x)
{
    return x->error.code == ERR_INPUT && x->reply.issues.first
               ? http_refusal(HTTP_REFUSAL_PARAMETER)
               : err_kind(x->error.code);
}

/* Who sent no body cannot send less: what was too large comes of what is stored. */
static void own_limit(struct exchange *x)
{
    const struct err met = x->error;

    if (met.code == ERR_LIMIT && x->request.body.len == 0)
        (void)err_bug(&x->error, "%s", met.text); /* Told by kind_of. */
}

enum err_code exchange_answer(struct exchange *x, struct http_answer *out_answer, struct err *e)
{
    if (!x->problem && answer_good(x, out_answer, &x->error)) {
        own_limit(x);
        x->problem = kind_of(x);
    }
    if (x->problem && answer_problem(x, out_answer, e))
        return e->code;
    x->status = http_answer_is_known(out_answer, &x->request) ? 304 : out_answer->status;
    x->sent_bytes =
        x->request.verb == HTTP_VERB_HEAD || x->status == 304 ? 0 : out_answer->body_len;
    return ERR_OK;
}

bool exchange_is_shared(const struct exchange *x, const struct http_answer *answer)
{
    return x->key.len > 0 && answer->etag && answer->body_len > 0 &&
           !x->request.match.endpoint->is_volatile;
}

int exchange_answer_kept(struct exchange *x)
{
    const struct cache_reply *reply = cache_entry_reply(x->kept);
    const char *known = x->request.fields.values[HTTP_FIELD_IF_NONE_MATCH];

    x->status = known && http_etag_is_in(known, reply->etag) ? 304 : 200;
    x->sent_bytes = x->request.verb == HTTP_VERB_HEAD || x->status == 304 ? 0 : reply->body_len;
    return x->status;
}

bool exchange_read(struct exchange *x, char *out, size_t size, size_t *out_len)
{
    if (http_stream_read(x->reply.stream, out, size, out_len, &x->error) == ERR_OK) {
        x->sent_bytes += *out_len;
        return true;
    }
    x->problem = err_kind(x->error.code);
    log_failure(x);
    return false;
}

/* Add a text that the client chose the length of. */
static void log_add_cut(struct log_line *line, const char *key, const char *value)
{
    char shown[TEXT_SHOWN + 1];
    size_t len = strnlen(value, TEXT_SHOWN);

    memcpy(shown, value, len);
    shown[len] = '\0';
    log_add_text(line, key, shown);
}

static void count(const struct exchange *x, int64_t duration_ns)
{
    const struct metrics_request request = {
        .endpoint = x->request.match.endpoint,
        .status = x->status,
        .received = x->body_read,
        .sent = x->sent_bytes,
        .duration_ns = duration_ns,
    };

    metrics_note(x->site->metrics, &request);
}

void exchange_log(const struct exchange *x)
{
    const char *agent = x->request.fields.values[HTTP_FIELD_USER_AGENT];
    char client[NET_TEXT_BYTES];
    int64_t duration_ns = clock_steady_ns() - x->started_ns;
    struct log_line line;

    count(x, duration_ns);
    if (!x->site->log->has_access)
        return;
    net_address_text(&x->client, client);
    log_begin(x->site->log, &line, "info", "request");
    log_add_text(&line, "id", x->request.id);
    log_add_text(&line, "client", client);
    log_add_text(&line, "method", x->method ? x->method : "-");
    log_add_cut(&line, "path", *x->request.path ? x->request.path : "-");
    log_add_int(&line, "status", x->status);
    log_add_int(&line, "bytes", (int64_t)x->sent_bytes);
    log_add_int(&line, "duration_us", duration_ns / 1000);
    if (x->is_cut)
        log_add_text(&line, "cut", "true");
    log_add_cut(&line, "user_agent", agent ? agent : "-");
    log_end(x->site->log, &line);
}
