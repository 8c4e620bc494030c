/* The API: what the endpoints share, and their routes. */
#ifndef API_API_H
#define API_API_H

#include "base/err.h"
#include "server/http.h"
#include "server/metrics.h"

/* The endpoints' state: connections to the database, parameters made from the field table. */
struct api;

/* Make the API over a database.
 *
 * db_path: copied
 * threads: that will answer
 * Errors:  ERR_NOMEM; as db_open_read if the database cannot be opened now.
 * Owns:    the caller ends with api_free, after the server stopped. */
MUST_USE enum err_code api_new(const char *db_path, unsigned threads, struct api **out_api,
                               struct err *e);

/* The routes, lent for the API's life; handlers want the API as their app. */
const struct http_routes *api_routes(const struct api *api);

/* Where the server counts requests, for /metrics; lent for the API's life. */
struct metrics *api_metrics_of(const struct api *api);

/* Look whether another database was put in the place of the one that is served; as db_pool_look.
 * Called by one thread, several times a second. */
MUST_USE enum err_code api_look(struct api *api, bool *out_is_new, struct err *e);

/* Tell /readyz that the service is about to stop. */
void api_stop(struct api *api);

/* Release the API; NULL is fine. */
void api_free(struct api *api);

#endif
