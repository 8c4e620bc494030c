/* Counts of what the server did, for Prometheus. Noting takes no lock and allocates nothing: each
 * processor has counters of its own, which are added up when they are written. */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include "server/http.h"

struct metrics;

/* Make counters, all zero, one set for each route.
 *
 * routes: lent until metrics_free
 * Errors: ERR_NOMEM.
 * Owns:   the caller ends with metrics_free. */
MUST_USE enum err_code metrics_new(const struct http_routes *routes, struct metrics **out_metrics,
                                   struct err *e);

/* Release them; NULL is fine. */
void metrics_free(struct metrics *m);

/* One request, when it has ended.
 *
 * endpoint:    of the routes; NULL: it fitted none
 * status:      0 if there was no answer
 * received, sent: bytes of the bodies
 * duration_ns: from its first line to its last byte */
struct metrics_request {
    const struct http_endpoint *endpoint;
    int status;
    uint64_t received;
    uint64_t sent;
    int64_t duration_ns;
};

/* Note a request; m may be NULL. */
void metrics_note(struct metrics *m, const struct metrics_request *request);

/* Note that a connection was opened (1), or closed (-1); m may be NULL. */
void metrics_note_connection(struct metrics *m, int change);

/* Append everything in the text format of Prometheus. What other threads count meanwhile may be
 * missing in one line and be there in the next. */
void metrics_write(const struct metrics *m, struct buf *out);

/* Append the two lines that a metric begins with.
 *
 * type: counter, gauge or histogram */
void metrics_write_head(struct buf *out, const char *name, const char *type, const char *help);

#endif
