/* The HTTP server: start it on an address, let it answer by a table of routes, stop it. */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "base/log.h"
#include "server/cache.h"
#include "server/http.h"
#include "server/metrics.h"

struct server;
struct tls;

/* How to serve. Zero means the default that stands beside each.
 *
 * listen:          "127.0.0.1:8080", "[::1]:8080", ":8080" (every address, IPv6 and IPv4); port 0
 *                  takes a free one
 * threads:         of the pool; 0: one for each processor, at least 2
 * connections:     at once in all; 0: 1000
 * connections_per_address: at once from one client address (one /64 of IPv6); 0: 200
 * idle_seconds:    without a byte; 0: 30
 * request_seconds: from a request's first byte to its last, however it drips; 0: 60
 * trusted_proxy:   an address or CIDR block whose X-Forwarded-For is believed, and to which
 *                  connections_per_address does not apply; NULL: nobody's
 * bound_fd:        a socket that server_bind bound, swallowed; 0: bind at listen
 * rate_limit:      requests that one client address (one /64 of IPv6) may make in a minute; behind
 *                  trusted_proxy the client's own; 0: any number
 * tls:             what makes it HTTPS, lent until server_stop; NULL: HTTP
 * metrics:         lent until server_stop; NULL: nothing is counted
 * cache:           keeps replies, and is cleared by whoever knows that they have changed; lent
 *                  until server_stop; NULL: each reply is made anew */
struct server_config {
    const char *listen;
    unsigned threads;
    unsigned connections;
    unsigned connections_per_address;
    unsigned idle_seconds;
    unsigned request_seconds;
    const char *trusted_proxy;
    int bound_fd;
    unsigned rate_limit;
    struct tls *tls;
    struct metrics *metrics;
    struct cache *cache;
};

/* Open a socket for server_start, while the process may still take any port. It takes no connection
 * yet.
 *
 * where:  listen, as in struct server_config
 * out_fd: the socket, non-blocking
 * Errors: ERR_INPUT for an address that cannot be parsed; ERR_IO, with address and reason.
 * Owns:   the caller closes *out_fd, or hands it to server_start. */
MUST_USE enum err_code server_bind(const char *where, int *out_fd, struct err *e);

/* Threads that a server with this config has. */
unsigned server_threads(const struct server_config *config);

/* Start serving; returns once the port is open.
 *
 * routes, app, log: lent until server_stop
 * Errors: ERR_INPUT for an address that cannot be parsed; ERR_IO if it cannot be opened (it names
 *         the address and says why); ERR_NOMEM.
 * Owns:   the caller ends with server_stop. */
MUST_USE enum err_code server_start(const struct server_config *config,
                                    const struct http_routes *routes, void *app,
                                    const struct log *log, struct server **out_server,
                                    struct err *e);

/* The port that is open, for a config that asked for port 0. */
unsigned server_port(const struct server *s);

/* Take no new connection, finish the requests under way for at most two seconds, stop. NULL is
 * fine. */
void server_stop(struct server *s);

#endif
