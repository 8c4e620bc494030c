/* Responses of libmicrohttpd: made of answers, or kept for many requests. A part of server/mhd.c.
 */
#ifndef SERVER_MHD_RESPONSE_H
#define SERVER_MHD_RESPONSE_H

#include "server/exchange.h"

#include <microhttpd.h>

/* Make the library's response of an answer: the one place where this is done.
 *
 * answer:  its body is taken
 * x:       whose answer it is
 * is_last: whether the connection is to be closed after it
 * returns NULL if memory is short
 * Owns:   the caller ends with MHD_destroy_response. */
struct MHD_Response *mhd_response_make(struct http_answer *answer, struct exchange *x,
                                       bool is_last);

/* Make a response that many requests may share, without what is of this one alone, and put it into
 * the cache and x->kept.
 *
 * answer: its body is taken, on failure too
 * returns false if memory is short */
bool mhd_response_keep(struct http_answer *answer, struct exchange *x);

/* Make a response like a kept one, with headers that are of one request alone.
 *
 * reply:  lent as long as the response is sent
 * id:     of the request; NULL: none is told
 * returns NULL if memory is short
 * Owns:   as mhd_response_make. */
struct MHD_Response *mhd_response_copy(const struct cache_reply *reply, const char *id,
                                       bool is_last);

#endif
