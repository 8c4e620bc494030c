/* The table of refusals, and errors as JSON. */
#include "server/problem.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct err_kind refusals[] = {
    [HTTP_REFUSAL_PARAMETER] = {"invalid-parameter", "A query parameter will not do", 400, 0},
    [HTTP_REFUSAL_UNKNOWN_PARAMETER] = {"unknown-parameter", "There is no such query parameter",
                                        400, 0},
    [HTTP_REFUSAL_METHOD] = {"method-not-allowed", "The resource does not take this method", 405,
                             0},
    [HTTP_REFUSAL_ACCEPT] = {"not-acceptable", "The resource has no representation of this kind",
                             406, 0},
    [HTTP_REFUSAL_BODY] = {"body-too-large", "The request's body is too large", 413, 0},
    [HTTP_REFUSAL_TARGET] = {"target-too-long", "The request's address is too long", 414, 0},
    [HTTP_REFUSAL_MEDIA_TYPE] = {"unsupported-media-type", "The body is of a kind that is not read",
                                 415, 0},
    [HTTP_REFUSAL_RATE] = {"too-many-requests", "There are too many requests; wait a little", 429,
                           0},
    [HTTP_REFUSAL_HEADERS] = {"headers-too-large", "The request's headers are too large", 431, 0},
    [HTTP_REFUSAL_UNKNOWN_METHOD] = {"method-unknown", "The service does not know this method", 501,
                                     0},
};

const struct err_kind *http_refusal(enum http_refusal refusal)
{
    assert((size_t)refusal < COUNT_OF(refusals));
    return &refusals[refusal];
}

/* Texts quote what the client sent, and are cut where their room ends, which may be inside of a
 * character. */
static const char *copy_text(struct http_issues *issues, const char *text)
{
    char *copy = arena_text(issues->arena, text, strlen(text));

    if (copy)
        text_scrub(copy);
    else
        issues->is_short = true;
    return copy;
}

const char *const *http_issues_keep(struct http_issues *issues, const char *const *list)
{
    const char **copy;
    size_t count = 0;

    if (!list)
        return NULL;
    while (list[count])
        count++;
    copy = arena_array(issues->arena, count + 1, sizeof *copy);
    issues->is_short |= !copy;
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = copy_text(issues, list[i]);
    return copy;
}

void http_issues_add(struct http_issues *issues, const char *parameter, const char *detail,
                     const char *const *allowed, const char *const *near)
{
    struct http_issue *issue = arena_array(issues->arena, 1, sizeof *issue);

    if (!issue) {
        issues->is_short = true;
        return;
    }
    issue->parameter = parameter ? copy_text(issues, parameter) : NULL;
    issue->detail = copy_text(issues, detail);
    issue->allowed = allowed;
    issue->near = near;
    if (issues->last)
        issues->last->next = issue;
    else
        issues->first = issue;
    issues->last = issue;
    issues->count++;
}

static void put_list(struct json *j, const char *key, const char *const *list)
{
    if (!list || !list[0])
        return;
    json_begin(j, key, '[');
    for (; *list; list++)
        json_put_text(j, NULL, *list);
    json_end(j, ']');
}

static void put_issue(struct json *j, const struct http_issue *issue)
{
    json_begin(j, NULL, '{');
    if (issue->parameter)
        json_put_text(j, "parameter", issue->parameter);
    json_put_text(j, "detail", issue->detail);
    put_list(j, "allowed", issue->allowed);
    put_list(j, "did_you_mean", issue->near);
    json_end(j, '}');
}

void http_problem_write(struct buf *out, const struct err_kind *kind, const char *detail,
                        const char *instance, const struct http_issues *issues, const char *members)
{
    char type[64];
    char text[sizeof((struct err *)NULL)->text];
    struct json j;
    int written = snprintf(type, sizeof type, "/problems/%s", kind->name);

    assert(written > 0 && (size_t)written < sizeof type);
    (void)written; /* Names are ours, and short. */
    json_init(&j, out);
    json_begin(&j, NULL, '{');
    json_put_text(&j, "type", type);
    json_put_text(&j, "title", kind->title);
    json_put_int(&j, "status", kind->http_status);
    if (detail) {
        /* Cut on purpose where it is longer than an error's text, which none is. */
        (void)snprintf(text, sizeof text, "%s", detail);
        text_scrub(text);
        json_put_text(&j, "detail", text);
    }
    json_put_text(&j, "instance", instance);
    if (issues->first) {
        json_begin(&j, "errors", '[');
        for (const struct http_issue *i = issues->first; i; i = i->next)
            put_issue(&j, i);
        json_end(&j, ']');
    }
    if (*members)
        json_put_raw(&j, NULL, members, strlen(members));
    json_end(&j, '}');
    buf_putc(out, '\n');
}
