/* The order in which a request's head is judged, from what makes the rest unreadable to what only
 * its endpoint can know. */
#include "server/judge.h"

#include "base/text.h"
#include "server/canonical.h"
#include "server/format.h"
#include "server/limits.h"

#include <string.h>
#include <strings.h>

/* Letters of a method that the log shows. */
enum { METHOD_SHOWN = 16 };

/* What curl calls a body by itself; RFC 9110 leaves the receiver free to look inside. */
static const char curl_type[] = "application/x-www-form-urlencoded";

/* Refuse the request; the text is in x->error already. */
static bool refuse(struct exchange *x, const struct err_kind *kind)
{
    x->problem = kind;
    return false;
}

/* Refuse it for what a called function found. */
static bool refuse_error(struct exchange *x)
{
    return refuse(x, err_kind(x->error.code));
}

/* Judge the size of the head. Lines beyond the limit were not looked at, and may have said
 * something of the body. */
static bool judge_fields(struct exchange *x)
{
    const struct http_fields *fields = &x->request.fields;

    if (fields->total_lines <= HTTP_HEADER_LINES && fields->total_bytes <= HTTP_HEADER_BYTES)
        return true;
    (void)err_set(&x->error, ERR_INPUT,
                  "the request has more than %d header lines or %d bytes of them",
                  HTTP_HEADER_LINES, HTTP_HEADER_BYTES);
    return refuse(x, http_refusal(HTTP_REFUSAL_HEADERS));
}

/* Judge how often the client asks. Where the answer to that is no, nothing else of it is looked at.
 */
static bool judge_rate(struct exchange *x)
{
    struct rate *rate = x->site->rate;
    unsigned wait_seconds = rate ? rate_take(rate, &x->client, x->started_ns) : 0;

    if (wait_seconds == 0)
        return true;
    x->reply.limit = (struct http_limit){rate_requests(rate), RATE_WINDOW_SECONDS, wait_seconds};
    (void)err_set(&x->error, ERR_LIMIT, "more than %u requests in %d seconds came from the address",
                  rate_requests(rate), RATE_WINDOW_SECONDS);
    return refuse(x, http_refusal(HTTP_REFUSAL_RATE));
}

static bool judge_target(struct exchange *x, const char *target)
{
    if (!target || strlen(target) <= HTTP_TARGET_BYTES)
        return true;
    (void)err_set(&x->error, ERR_INPUT, "the request's address is longer than %d bytes",
                  HTTP_TARGET_BYTES);
    return refuse(x, http_refusal(HTTP_REFUSAL_TARGET));
}

static bool judge_method(struct exchange *x, const char *method)
{
    if (x->request.verb != HTTP_VERB_UNKNOWN)
        return true;
    (void)err_set(&x->error, ERR_INPUT, "%.100s is not a method that is known here", method);
    return refuse(x, http_refusal(HTTP_REFUSAL_UNKNOWN_METHOD));
}

static unsigned method_of(enum http_verb verb)
{
    if (verb == HTTP_VERB_GET || verb == HTTP_VERB_HEAD)
        return HTTP_GET;
    return verb == HTTP_VERB_POST ? HTTP_POST : 0;
}

static bool judge_path(struct exchange *x)
{
    struct http_request *q = &x->request;
    struct http_path path;

    if (strcmp(q->path, "*") == 0) {
        q->match.methods = HTTP_GET | HTTP_POST;
        return true;
    }
    if (http_path_split(q->path, &q->arena, &path, &x->error) ||
        http_route(x->site->routes, &path, method_of(q->verb), &q->arena, &q->match, &x->error))
        return refuse_error(x);
    if (q->match.methods == 0) {
        (void)err_set(&x->error, ERR_NOT_FOUND, "there is nothing at %.300s", q->path);
        return refuse_error(x);
    }
    if (path.has_slash) {
        x->redirect = arena_text(&q->arena, q->path, strlen(q->path) - 1);
        if (!x->redirect) {
            (void)err_nomem(&x->error);
            return refuse_error(x);
        }
    }
    return true;
}

static bool judge_endpoint(struct exchange *x, const char *method)
{
    if (x->request.match.endpoint)
        return true;
    (void)err_set(&x->error, ERR_INPUT, "the resource takes %s, not %.10s",
                  http_allow(x->request.match.methods), method);
    return refuse(x, http_refusal(HTTP_REFUSAL_METHOD));
}

static bool judge_params(struct exchange *x)
{
    struct http_request *q = &x->request;
    enum err_code code =
        http_params_parse(q->match.endpoint, q->query, &x->reply.issues, &q->values, &x->error);

    if (code == ERR_INPUT)
        return refuse(x, http_refusal(q->values.has_unknown ? HTTP_REFUSAL_UNKNOWN_PARAMETER
                                                            : HTTP_REFUSAL_PARAMETER));
    return code == ERR_OK || refuse_error(x);
}

/* List the media types of a set of formats as what would do. */
static void add_accept_issue(struct exchange *x, unsigned formats)
{
    const char *types[HTTP_FORMATS + 1] = {NULL};
    size_t count = 0;

    for (size_t i = 0; i < HTTP_FORMATS; i++)
        if (formats & HTTP_BIT(i))
            types[count++] = http_format_row((enum http_format)i)->media_type;
    http_issues_add(&x->reply.issues, "Accept", x->error.text,
                    http_issues_keep(&x->reply.issues, types), NULL);
}

static bool judge_accept(struct exchange *x)
{
    struct http_request *q = &x->request;
    const struct http_endpoint *endpoint = q->match.endpoint;

    q->format = q->match.format;
    q->coding = http_negotiate_coding(q->fields.values[HTTP_FIELD_ACCEPT_ENCODING]);
    if (q->match.has_format ||
        http_negotiate(q->fields.values[HTTP_FIELD_ACCEPT], endpoint->formats,
                       endpoint->first_format, &q->format))
        return true;
    (void)err_set(&x->error, ERR_INPUT, "none of the resource's representations is accepted");
    add_accept_issue(x, endpoint->formats);
    return refuse(x, http_refusal(HTTP_REFUSAL_ACCEPT));
}

static bool is_taken_type(const char *type, const char *const *types)
{
    if (!type || http_is_media_type(type, curl_type))
        return true;
    for (; types && *types; types++)
        if (http_is_media_type(type, *types))
            return true;
    return false;
}

static bool judge_body_type(struct exchange *x)
{
    const struct http_request *q = &x->request;
    const char *type = q->fields.values[HTTP_FIELD_CONTENT_TYPE];
    const char *coding = q->fields.values[HTTP_FIELD_CONTENT_ENCODING];

    if (q->verb != HTTP_VERB_POST)
        return true;
    if (coding && strcasecmp(coding, "identity") != 0) {
        (void)err_set(&x->error, ERR_INPUT, "a body that is compressed is not read");
        http_issues_add(&x->reply.issues, "Content-Encoding", x->error.text, NULL, NULL);
        return refuse(x, http_refusal(HTTP_REFUSAL_MEDIA_TYPE));
    }
    if (is_taken_type(type, q->match.endpoint->body_types))
        return true;
    (void)err_set(&x->error, ERR_INPUT,
                  *type ? "a body of type %.100s is not read"
                        : "a body whose Content-Type is empty%s is not read",
                  type);
    http_issues_add(&x->reply.issues, "Content-Type", x->error.text, q->match.endpoint->body_types,
                    NULL);
    return refuse(x, http_refusal(HTTP_REFUSAL_MEDIA_TYPE));
}

/* Tell whether a browser gets the endpoint's form, whose script judges what is filled in. */
static bool is_form_page(const struct exchange *x)
{
    return x->request.match.endpoint->is_form && x->request.format == HTTP_HTML &&
           x->site->routes->page;
}

/* Judge what only the endpoint can know. */
static void judge_for_endpoint(struct exchange *x, const char *method)
{
    if (x->request.verb == HTTP_VERB_OPTIONS || x->redirect)
        return;
    if (judge_endpoint(x, method) && judge_accept(x) && (is_form_page(x) || judge_params(x)) &&
        judge_body_type(x) && x->request.verb == HTTP_VERB_POST)
        x->body_limit = x->request.match.endpoint->body_limit;
}

/* Look whether the request was answered before. What a reply depends on is in the key: the target,
 * and what the client would like. The path and the query's values stay as they were sent, since
 * links to further pages repeat them. */
static bool find_kept(struct exchange *x)
{
    struct http_request *q = &x->request;
    const char *accept = q->fields.values[HTTP_FIELD_ACCEPT];
    bool takes_all = !accept || strcmp(accept, "*/*") == 0;

    if (!x->site->cache || (q->verb != HTTP_VERB_GET && q->verb != HTTP_VERB_HEAD))
        return false;
    q->coding = http_negotiate_coding(q->fields.values[HTTP_FIELD_ACCEPT_ENCODING]);
    buf_putc(&x->key, (char)('0' + q->coding));
    buf_puts(&x->key, q->path);
    buf_putc(&x->key, '?');
    http_canonical_query(q->query, &x->key);
    buf_putc(&x->key, ' ');
    buf_puts(&x->key, takes_all ? "" : accept);
    if (x->key.status != ERR_OK) {
        buf_done(&x->key);
        return false;
    }
    x->generation = cache_generation(x->site->cache);
    x->kept = cache_get(x->site->cache, x->key.data, x->key.len);
    if (x->kept)
        q->match.endpoint = cache_entry_reply(x->kept)->endpoint;
    return x->kept != NULL;
}

/* Take over the id that the client sent, if it can stand in a header and in a log. */
static void take_id(struct http_request *q)
{
    const char *id = q->fields.values[HTTP_FIELD_X_REQUEST_ID];
    size_t len = id ? strlen(id) : 0;

    q->has_id = id != NULL;
    if (len > 0 && len <= HTTP_ID_BYTES && text_is_word(id, "._-"))
        memcpy(q->id, id, len + 1);
}

bool judge_request(struct exchange *x, const char *method, const char *target, bool is_http_1_1,
                   uint64_t *out_body_len)
{
    struct http_request *q = &x->request;
    enum err_code aim;
    struct err aimed, framed;

    take_id(q);
    q->verb = http_verb_parse(method);
    x->method = arena_text(&q->arena, method, strnlen(method, METHOD_SHOWN));
    x->client =
        net_client(&x->client, q->fields.values[HTTP_FIELD_X_FORWARDED_FOR], x->site->trusted);
    aim = http_request_aim(q, target, &aimed); /* First for the log's sake, told in its turn. */
    if (!judge_fields(x))
        return false;
    if (http_fields_frame(&q->fields, is_http_1_1, out_body_len, &framed)) {
        x->error = framed;
        return refuse_error(x);
    }
    if (x->error.code != ERR_OK) {
        (void)refuse_error(x);
        return true;
    }
    if (!judge_rate(x) || !judge_target(x, target) || !judge_method(x, method))
        return true;
    if (aim != ERR_OK) {
        x->error = aimed;
        (void)refuse_error(x);
        return true;
    }
    if (*out_body_len == 0 && find_kept(x))
        return true;
    if (judge_path(x))
        judge_for_endpoint(x, method);
    return true;
}
