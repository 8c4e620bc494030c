/* The open connections: how many one address has, which have a request under way, and which take
 * too long for it. The HTTP library counts silence only, so that a client which sends a byte now
 * and then would keep its place for ever; here a thread cuts it off. */
#ifndef SERVER_CONNECTIONS_H
#define SERVER_CONNECTIONS_H

#include "server/address.h"

#include <stdint.h>

struct connections;
struct connection;

/* Make an empty set, and start its thread.
 *
 * per_address:     connections that one address, or one /64 of IPv6, may have
 * request_seconds: from a request's first byte to its last
 * exempt:          addresses that per_address does not hold for; NULL: none; lent
 * Errors:          ERR_NOMEM; ERR_IO if no thread can be started.
 * Owns:            the caller ends with connections_free. */
MUST_USE enum err_code connections_new(unsigned per_address, unsigned request_seconds,
                                       const struct net_block *exempt,
                                       struct connections **out_connections, struct err *e);

/* End the thread and release the set, which must be empty. NULL is fine. */
void connections_free(struct connections *cs);

/* Add a connection.
 *
 * fd:  its socket, which stays open until connections_remove
 * returns NULL if its address has too many, or memory is short
 * Owns: the set; ends with connections_remove. */
struct connection *connections_add(struct connections *cs, int fd, const struct net_address *peer);

/* Remove a connection, before its socket is closed: from then on it is never touched, and its
 * number may be another's. NULL is fine. */
void connections_remove(struct connections *cs, struct connection *c);

/* The address at its other end. */
const struct net_address *connection_peer(const struct connection *c);

/* Tell that the first line of a request has come, that all of the request has, that its answer is
 * sent or given up. */
void connection_begin(struct connections *cs, struct connection *c);
void connection_receive(struct connection *c);
void connection_end(struct connection *c);

/* Tell whether any connection is between begin and end. */
bool connections_are_busy(struct connections *cs);

#endif
