/* One spelling for requests that ask for the same. */
#ifndef SERVER_CANONICAL_H
#define SERVER_CANONICAL_H

#include "base/buf.h"

/* Append a query with its parameters in one order, whatever order the client sent them in. Values
 * stay as they were sent.
 *
 * query: without question mark; one with more than HTTP_PARAMS parts, which no endpoint takes,
 *        stays as it is */
void http_canonical_query(const char *query, struct buf *out);

#endif
