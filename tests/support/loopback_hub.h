/* A hub on the loopback interface, for tests: two ports that the system gives, the hub's own and
 * that of the storage it redirects to. It serves repositories of hub_files.h, records what it is
 * asked, and misbehaves where it is told to. */
#ifndef TESTS_SUPPORT_LOOPBACK_HUB_H
#define TESTS_SUPPORT_LOOPBACK_HUB_H

#include "tests/support/hub_files.h"

enum loopback_port { LOOPBACK_HUB, LOOPBACK_STORAGE, LOOPBACK_PORTS };

enum loopback_kind {
    LOOPBACK_REPLY,          /* status, headers and body instead of the true answer */
    LOOPBACK_EDIT,           /* in the true answer, the first `from` in the body becomes `body`, and
                                `headers` come before its own */
    LOOPBACK_NO_RANGE,       /* the true answer, whole, whatever range is asked for */
    LOOPBACK_CHUNKED,        /* the same without a Content-Length */
    LOOPBACK_CUT,            /* hang up after half the body */
    LOOPBACK_CLOSE,          /* hang up without an answer */
    LOOPBACK_SILENT,         /* never answer */
    LOOPBACK_SLOW,           /* one byte of the body each 20 ms */
    LOOPBACK_ENDLESS,        /* a body without a length that never ends */
    LOOPBACK_ENDLESS_HEADERS /* a header that never ends */
};

/* One thing to do wrong.
 *
 * port, path: requests on this port whose path has this part in it
 * skip:       so many such requests are answered well before
 * times:      how many are then answered wrong; 0: all
 * headers:    lines that end in \r\n; "{hub}" and "{storage}" become the two origins */
struct loopback_fault {
    enum loopback_port port;
    const char *path;
    unsigned skip;
    unsigned times;
    enum loopback_kind kind;
    int status;
    const char *headers;
    const char *from;
    const char *body;
};

/* One request that came; "" where a header was absent. Long values are cut. */
struct loopback_request {
    enum loopback_port port;
    char path[400];
    char range[60];
    char authorization[100];
    char user_agent[100];
    char accept_encoding[60];
};

struct loopback_hub;

/* Start serving.
 *
 * repos:  count of them, lent until loopback_hub_stop
 * faults: fault_count of them, lent too; the first that fits a request holds
 * Owns:   the caller ends with loopback_hub_stop; the program ends if a port or memory is short. */
struct loopback_hub *loopback_hub_start(const struct hub_repo *repos, size_t count,
                                        const struct loopback_fault *faults, size_t fault_count);

/* Hang up on everybody, end all threads, release the rest. */
void loopback_hub_stop(struct loopback_hub *hub);

/* Wait so long before each answer from now on, as a hub far away would. */
void loopback_hub_delay(struct loopback_hub *hub, unsigned delay_ms);

/* Nanoseconds that the answers took, from a request's end to the answer's, all together. */
int64_t loopback_hub_busy_ns(struct loopback_hub *hub);

/* "http://127.0.0.1:PORT"; lent from hub. */
const char *loopback_hub_origin(const struct loopback_hub *hub, enum loopback_port port);

/* Copy the n-th request that came, from 0; false if there were not so many. The first 2000 are
 * kept.
 */
bool loopback_hub_request(struct loopback_hub *hub, size_t n, struct loopback_request *out_request);

/* Count the requests on a port whose path has this part in it. */
size_t loopback_hub_count(struct loopback_hub *hub, enum loopback_port port, const char *path);

#endif
