/* Query parameters, checked against their endpoint's table. */
#ifndef SERVER_PARAMS_H
#define SERVER_PARAMS_H

#include "server/http.h"
#include "server/problem.h"

/* One parameter that the client sent.
 *
 * values: decoded; more than one only for a list */
struct http_value {
    const struct http_param *param;
    const char **values;
    size_t count;
};

/* All of them, in the order of the query.
 *
 * has_unknown: whether one was refused because the endpoint has no such parameter */
struct http_values {
    struct http_value *items;
    size_t count;
    bool has_unknown;
};

/* Read a query; every mistake in it becomes an issue.
 *
 * query:      as the client sent it, without question mark
 * issues:     its arena keeps the values too
 * out_values: written on success, and its has_unknown on failure too
 * Errors:     ERR_INPUT if there are issues, in e the sum of them; ERR_NOMEM. */
MUST_USE enum err_code http_params_parse(const struct http_endpoint *endpoint, const char *query,
                                         struct http_issues *issues, struct http_values *out_values,
                                         struct err *e);

/* Find a parameter that was sent; NULL if it was not. */
const struct http_value *http_values_find(const struct http_values *values, const char *name);

#endif
