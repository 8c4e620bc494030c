/* What handlers ask of a request, and the request's target. */
#include "server/request.h"

#include "base/num.h"

#include <string.h>
#include <strings.h>

enum http_verb http_verb_parse(const char *method)
{
    static const struct {
        const char *name;
        enum http_verb verb;
    } verbs[] = {
        {"GET", HTTP_VERB_GET},         {"HEAD", HTTP_VERB_HEAD},   {"POST", HTTP_VERB_POST},
        {"OPTIONS", HTTP_VERB_OPTIONS}, {"PUT", HTTP_VERB_OTHER},   {"PATCH", HTTP_VERB_OTHER},
        {"DELETE", HTTP_VERB_OTHER},    {"TRACE", HTTP_VERB_OTHER},
    };

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, method) == 0)
            return verbs[i].verb;
    return HTTP_VERB_UNKNOWN;
}

/* Tell whether a target has only bytes that may stand in one: spaces and controls would be log and
 * header tricks, a # starts what is never sent, browsers take a backslash for a slash, and the
 * others would end a Link's target. Bytes from 0x80 are taken: people type them. */
static bool is_clean(const char *target)
{
    for (; *target; target++)
        if ((unsigned char)*target <= ' ' || *target == 0x7F || strchr("#\\\"<>", *target))
            return false;
    return true;
}

/* Find the path of an absolute target; RFC 9112, 3.2.2. NULL if it is none. */
static const char *skip_authority(const char *target)
{
    if (strncasecmp(target, "http://", 7) == 0)
        target += 7;
    else if (strncasecmp(target, "https://", 8) == 0)
        target += 8;
    else
        return NULL;
    return target + strcspn(target, "/?");
}

enum err_code http_request_aim(struct http_request *q, const char *target, struct err *e)
{
    const char *at = target;
    const char *path, *query;
    size_t path_len;

    q->path = q->query = "";
    if (!target)
        return err_set(e, ERR_INPUT, "the request's first line is malformed");
    if (!is_clean(target))
        return err_set(e, ERR_INPUT, "the request's target has bytes that must be %%-encoded");
    if (q->verb == HTTP_VERB_OPTIONS && strcmp(target, "*") == 0) {
        q->path = "*";
        return ERR_OK;
    }
    if (*at != '/')
        at = skip_authority(target);
    if (!at)
        return err_set(e, ERR_INPUT, "the request's target is not a path");
    path_len = strcspn(at, "?");
    path = path_len > 0 ? arena_text(&q->arena, at, path_len) : "/";
    at += path_len;
    if (*at == '?')
        at++;
    query = arena_text(&q->arena, at, strlen(at));
    if (!path || !query)
        return err_nomem(e);
    q->path = path;
    q->query = query;
    return ERR_OK;
}

const char *http_arg(const struct http_request *q, const char *name)
{
    for (size_t i = 0; i < q->match.argument_count; i++) {
        const struct http_argument *argument = &q->match.arguments[i];

        if (strlen(name) == argument->name_len &&
            memcmp(argument->name, name, argument->name_len) == 0)
            return argument->value;
    }
    return NULL;
}

const char *http_query(const struct http_request *q, const char *name)
{
    return http_query_at(q, name, 0);
}

const char *http_query_at(const struct http_request *q, const char *name, size_t index)
{
    const struct http_value *value = http_values_find(&q->values, name);

    return value && index < value->count ? value->values[index] : NULL;
}

int64_t http_query_int(const struct http_request *q, const char *name, int64_t absent)
{
    const char *text = http_query(q, name);
    int64_t value;
    struct err e;

    /* Its form was checked; what is no number is the word none. */
    if (!text || num_parse_int(text, strlen(text), INT64_MIN, INT64_MAX, &value, &e))
        return absent;
    return value;
}

double http_query_real(const struct http_request *q, const char *name, double absent)
{
    const char *text = http_query(q, name);
    double value;
    struct err e;

    if (!text || num_parse_real(text, strlen(text), &value, &e)) /* Likewise. */
        return absent;
    return value;
}

const struct http_param *http_query_param(const struct http_request *q, size_t index)
{
    return index < q->values.count ? q->values.items[index].param : NULL;
}

enum http_format http_request_format(const struct http_request *q)
{
    return q->format;
}

const char *http_request_body(const struct http_request *q, size_t *out_len)
{
    *out_len = q->body.len;
    return buf_text(&q->body);
}

const char *http_request_path(const struct http_request *q)
{
    return q->path;
}

const struct http_endpoint *http_request_endpoint(const struct http_request *q)
{
    return q->match.endpoint;
}

const char *http_request_query(const struct http_request *q)
{
    return q->query;
}
