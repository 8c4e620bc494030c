/* A real server in the test's own process, with a few routes that no product has. */
#ifndef TESTS_SUPPORT_TOY_SERVER_H
#define TESTS_SUPPORT_TOY_SERVER_H

#include "server/server.h"
#include "tests/support/test.h"

#include <pthread.h>

/* Bytes of the body of /big. */
enum { TOY_BIG_BYTES = 100000 };

/*  /              GET   text, JSON   "hello\n"
 *  /hello/{name}  GET   text, CSV    "hello NAME\n"
 *  /big           GET   text         TOY_BIG_BYTES of digits
 *  /endless       GET   text         digits for as long as they are read
 *  /echo          POST  text         its body, up to 1000 bytes of YAML
 *  /slow          GET   text         "slow\n", when the gate is opened */
extern const struct http_routes toy_routes;

/* What holds /slow back.
 *
 * entered: requests that reached it
 * is_open: whether they may go on; they wait for it, but not for ever */
struct toy_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned entered;
    bool is_open;
};

/* A running server, its gate, the file it logs to, its port. */
struct toy {
    struct server *server;
    struct toy_gate gate;
    struct log log;
    unsigned port;
};

/* Start with two threads at a free port of 127.0.0.1, unless config says where else.
 *
 * Owns: the caller ends with toy_stop. */
void toy_start(struct toy *f, struct server_config config);

/* Stop the server and close its log. */
void toy_stop(struct toy *f);

/* Let the requests for /slow go on. */
void toy_open_gate(struct toy *f);

/* Wait until that many requests for /slow are under way. */
void toy_wait_for_slow(struct toy *f, unsigned count);

/* All of the log so far.
 *
 * Owns: the caller frees it with free(). */
char *toy_read_log(const struct toy *f);

/* One server for a whole group of tests: set-up and tear-down of cmocka. */
int toy_start_shared(void **state);
int toy_stop_shared(void **state);

#endif
