/* Bodies of errors, application/problem+json (RFC 9457), and the protocol's own refusals. */
#ifndef SERVER_PROBLEM_H
#define SERVER_PROBLEM_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>

/* What the protocol refuses by itself, beside what err_kind() has. */
enum http_refusal {
    HTTP_REFUSAL_PARAMETER,         /* 400, a query parameter's value will not do */
    HTTP_REFUSAL_UNKNOWN_PARAMETER, /* 400, the endpoint has no such query parameter */
    HTTP_REFUSAL_METHOD,            /* 405 */
    HTTP_REFUSAL_ACCEPT,            /* 406 */
    HTTP_REFUSAL_BODY,              /* 413 */
    HTTP_REFUSAL_TARGET,            /* 414 */
    HTTP_REFUSAL_MEDIA_TYPE,        /* 415 */
    HTTP_REFUSAL_RATE,              /* 429 */
    HTTP_REFUSAL_HEADERS,           /* 431 */
    HTTP_REFUSAL_UNKNOWN_METHOD     /* 501 */
};

/* Look a refusal up in its table; its exit code means nothing. */
const struct err_kind *http_refusal(enum http_refusal refusal);

/* One entry of errors[]; its texts live as long as the list's arena.
 *
 * parameter: NULL: the body
 * allowed, near: ended by NULL; NULL: nothing to list */
struct http_issue {
    struct http_issue *next;
    const char *parameter;
    const char *detail;
    const char *const *allowed;
    const char *const *near;
};

/* A list of them.
 *
 * arena:    keeps copies of their text
 * is_short: whether memory was short for one */
struct http_issues {
    struct arena *arena;
    struct http_issue *first;
    struct http_issue *last;
    size_t count;
    bool is_short;
};

/* Append an entry; as http_reply_issue, but for the lists.
 *
 * parameter, detail: copied, and scrubbed by text_scrub
 * allowed, near:     lent for the arena's life, such as what http_issues_keep returned */
void http_issues_add(struct http_issues *issues, const char *parameter, const char *detail,
                     const char *const *allowed, const char *const *near);

/* Copy a list and its texts into the arena; NULL stays NULL. */
const char *const *http_issues_keep(struct http_issues *issues, const char *const *list);

/* Write the body of an error.
 *
 * detail:   text of a struct err; NULL: none
 * instance: the request's id
 * members:  further ones, JSON without braces; "": none */
void http_problem_write(struct buf *out, const struct err_kind *kind, const char *detail,
                        const char *instance, const struct http_issues *issues,
                        const char *members);

#endif
