/* Paths: split while still encoded, so that %2F never makes a segment, then decoded. */
#ifndef SERVER_PATH_H
#define SERVER_PATH_H

#include "base/arena.h"
#include "base/err.h"
#include "server/limits.h"

#include <stdbool.h>
#include <stddef.h>

/* A path in parts.
 *
 * segments:  decoded; lent by the arena that http_path_split was given
 * count:     how many the path has; only the first HTTP_SEGMENTS are in segments. 0 for "/"
 * has_slash: whether a slash follows the last segment */
struct http_path {
    const char *segments[HTTP_SEGMENTS];
    size_t count;
    bool has_slash;
};

/* Undo percent-encoding.
 *
 * is_query: whether a plus sign is a space
 * out_text: decoded text, lent by the arena
 * Errors:   ERR_INPUT for a bad escape, %00 and what is not UTF-8; ERR_NOMEM. */
MUST_USE enum err_code http_decode(const char *raw, size_t len, bool is_query, struct arena *arena,
                                   const char **out_text, struct err *e);

/* Split a path that starts with a slash.
 *
 * raw:    as the client sent it, without query
 * Errors: as http_decode. */
MUST_USE enum err_code http_path_split(const char *raw, struct arena *arena,
                                       struct http_path *out_path, struct err *e);

#endif
