/* Entity tags, and the question whether a client's copy is still good (RFC 9110, 13.1.2). */
#ifndef SERVER_CONDITIONAL_H
#define SERVER_CONDITIONAL_H

#include <stdbool.h>
#include <stddef.h>

/* Room for an entity tag with its quotes and zero byte. */
#define HTTP_ETAG_BYTES 64

/* Make the strong entity tag of a body.
 *
 * hash:   SHA-256, in hexadecimal, of the body, or of what it is made from
 * suffix: of its format, ".csv"; two formats may have the same bytes
 * coding: of its transfer, "gzip"; NULL: none */
void http_etag_make(const char *hash, const char *suffix, const char *coding,
                    char out[HTTP_ETAG_BYTES]);

/* Tell whether a list of entity tags has one, by weak comparison.
 *
 * list: value of If-None-Match; an asterisk has every tag. What is malformed has none.
 * etag: with its quotes */
bool http_etag_is_in(const char *list, const char *etag);

#endif
