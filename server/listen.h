/* The listening socket. */
#ifndef SERVER_LISTEN_H
#define SERVER_LISTEN_H

#include "base/err.h"

/* Check that an address can be parsed; opens nothing.
 *
 * Errors: ERR_INPUT. */
MUST_USE enum err_code server_listen_check(const char *where, struct err *e);

/* Open a socket that listens.
 *
 * where:    listen, as in struct server_config
 * out_fd:   the socket, non-blocking
 * out_port: its port
 * Errors:   ERR_INPUT for an address that cannot be parsed; ERR_IO, with the address and the
 * reason. Owns:     the caller closes *out_fd. */
MUST_USE enum err_code server_listen(const char *where, int *out_fd, unsigned *out_port,
                                     struct err *e);

#endif
