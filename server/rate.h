/* How many requests each client address may make. Memory is fixed: where more clients come at once
 * than there is room for, the one that asked least lately is forgotten, and starts anew. */
#ifndef SERVER_RATE_H
#define SERVER_RATE_H

#include "server/address.h"

#include <stdint.h>

struct rate;

/* The time over which requests are counted. */
#define RATE_WINDOW_SECONDS 60

/* Make a limit.
 *
 * requests: in RATE_WINDOW_SECONDS, > 0; as many at once are let through after a pause
 * seed:     random, so that nobody can choose addresses that fall together
 * Errors:   ERR_NOMEM.
 * Owns:     the caller ends with rate_free. */
MUST_USE enum err_code rate_new(unsigned requests, uint64_t seed, struct rate **out_rate,
                                struct err *e);

/* Release it; NULL is fine. */
void rate_free(struct rate *rate);

/* Count a request of a client: an address, or one /64 of IPv6.
 *
 * now_ns: by the steady clock
 * returns 0 if it may pass; else the seconds until the next one may, at least 1 */
unsigned rate_take(struct rate *rate, const struct net_address *address, int64_t now_ns);

/* Requests that may pass in RATE_WINDOW_SECONDS. */
unsigned rate_requests(const struct rate *rate);

#endif
