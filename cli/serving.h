/* A serving process, from its start until a signal ends it. */
#ifndef CLI_SERVING_H
#define CLI_SERVING_H

#include "api/api.h"
#include "base/log.h"
#include "cli/options.h"
#include "server/server.h"

#include <signal.h>

/* What is being served. args, config, log and is_wal are filled in by whoever starts it.
 *
 * config:  its bound_fd and tls are owned
 * is_wal:  whether reading the database needs to write beside it
 * refused: why a database that was put in place is not served, as it was logged */
struct serving {
    const struct cli_args *args;
    struct server_config config;
    struct log log;
    bool is_wal;
    sigset_t signals;
    struct api *api;
    struct server *server;
    struct err refused;
};

/* Let this thread alone take the signals, when it asks for them. Comes before any other thread. */
void serving_block_signals(struct serving *s);

/* Enter the sandbox and answer requests.
 *
 * Errors: those of cli_confine, api_new and server_start. */
MUST_USE enum err_code serving_start(struct serving *s, struct err *e);

/* Tell where it listens, and wait for the signal to stop. Meanwhile certificates are read again,
 * and databases that were put in place are gone over to. */
void serving_until_signal(struct serving *s);

/* Finish the requests under way and free everything. */
void serving_end(struct serving *s);

#endif
