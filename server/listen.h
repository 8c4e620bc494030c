/* Listening; binding is in server.h, since whoever drops privileges binds before. */
#ifndef SERVER_LISTEN_H
#define SERVER_LISTEN_H

#include "base/err.h"

/* Let the socket of server_bind take connections.
 *
 * where:    it is bound to, for the error
 * out_port: its port
 * Errors:   ERR_IO. */
MUST_USE enum err_code server_listen(int fd, const char *where, unsigned *out_port, struct err *e);

#endif
