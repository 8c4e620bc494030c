/* Cursors: where a page starts, opaque to clients, and refused by any query but the one that made
 * them. A cursor is the URL-safe Base64 of a check and the last row's keys as a JSON array. The
 * check is over the query and the keys, so a changed cursor, or one of another query, is told. */
#ifndef API_CURSOR_H
#define API_CURSOR_H

#include "api/scope.h"
#include "db/query.h"

/* Append what a cursor holds: the keys of the last row, count of them. */
void cursor_write_keys(const struct query_value *keys, size_t count, struct buf *out);

/* Write a cursor for the request's query.
 *
 * keys: by cursor_write_keys, len bytes */
MUST_USE enum err_code cursor_write(struct api_scope *s, const char *keys, size_t len,
                                    struct buf *out, struct err *e);

/* Read the request's cursor; *out_keys stays NULL when there is none.
 *
 * count:    keys that the query's order has
 * out_keys: in the scope's arena
 * Errors:   ERR_INPUT with an issue. */
MUST_USE enum err_code cursor_read(struct api_scope *s, size_t count,
                                   const struct query_value **out_keys, struct err *e);

/* Append the path of the next page: the request's own path and parameters with this cursor. */
void cursor_write_path(struct api_scope *s, const char *cursor, struct buf *out);

#endif
