/* The judgement of a request's head; a part of server/exchange.c. */
#ifndef SERVER_JUDGE_H
#define SERVER_JUDGE_H

#include "server/exchange.h"

/* Judge a head: as exchange_judge, without what its body needs.
 *
 * out_body_len: bytes of the body; UINT64_MAX if it comes in chunks; written on success
 * returns false if the end of the body cannot be known: the connection cannot be used further */
bool judge_request(struct exchange *x, const char *method, const char *target, bool is_http_1_1,
                   uint64_t *out_body_len);

#endif
