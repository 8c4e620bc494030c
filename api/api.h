/* The API: what the endpoints share, and their routes. */
#ifndef API_API_H
#define API_API_H

#include "base/err.h"
#include "db/pool.h"
#include "server/cache.h"
#include "server/http.h"
#include "server/metrics.h"

/* The endpoints' state: connections to the database, parameters made from the field table, what is
 * counted, replies that are kept. */
struct api;

/* What an API is over.
 *
 * db_path:       of the database, copied
 * threads:       that will answer
 * statement_ms:  how long one statement may take; 0: the default of read connections
 * cache_bytes:   for replies that are sent again; 0: each is made anew
 * columns_bytes: for columns of recipes that lists look through; 0: all is left to SQLite */
struct api_config {
    const char *db_path;
    unsigned threads;
    int statement_ms;
    size_t cache_bytes;
    size_t columns_bytes;
};

/* Make the API over a database.
 *
 * Errors: ERR_NOMEM; ERR_IO; as db_open_read if the database cannot be opened now.
 * Owns:   the caller ends with api_free, after the server stopped. */
MUST_USE enum err_code api_new(const struct api_config *config, struct api **out_api,
                               struct err *e);

/* The routes, lent for the API's life; handlers want the API as their app. */
const struct http_routes *api_routes(const struct api *api);

/* Where the server counts requests, for /metrics; lent for the API's life. */
struct metrics *api_metrics_of(const struct api *api);

/* Where the server keeps replies, lent likewise; NULL: nowhere. */
struct cache *api_cache_of(const struct api *api);

/* Look at the database, and forget the replies of before where it has changed; as db_pool_look.
 * Called by one thread, several times a second. */
MUST_USE enum err_code api_look(struct api *api, enum db_pool_news *out_news, struct err *e);

/* Tell /readyz that the service is about to stop. */
void api_stop(struct api *api);

/* Release the API; NULL is fine. */
void api_free(struct api *api);

#endif
