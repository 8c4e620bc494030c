/* Which endpoint a path belongs to. */
#ifndef SERVER_ROUTER_H
#define SERVER_ROUTER_H

#include "server/http.h"
#include "server/path.h"

/* A path argument.
 *
 * name:  in the template, without braces; name_len bytes, not terminated
 * value: decoded, without format suffix */
struct http_argument {
    const char *name;
    size_t name_len;
    const char *value;
};

/* What the table says about a path and a method.
 *
 * endpoint:   the first row that fits both; NULL if none does
 * methods:    of all rows that fit the path, or-ed; 0: the path is unknown
 * has_format: whether the path's suffix chose format */
struct http_match {
    const struct http_endpoint *endpoint;
    unsigned methods;
    bool has_format;
    enum http_format format;
    struct http_argument arguments[2 * HTTP_SEGMENTS];
    size_t argument_count;
};

/* Find the endpoint of a path.
 *
 * path:   a slash at its end is not looked at
 * method: one of enum http_method; 0 asks for the methods alone
 * arena:  keeps arguments that had a suffix, or shared a segment
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code http_route(const struct http_routes *routes, const struct http_path *path,
                                  unsigned method, struct arena *arena,
                                  struct http_match *out_match, struct err *e);

#endif
