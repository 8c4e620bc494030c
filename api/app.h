/* The inside of struct api, for api/ only. */
#ifndef API_APP_H
#define API_APP_H

#include "api/api.h"
#include "api/web.h"
#include "db/pool.h"
#include "server/metrics.h"

#include <stdatomic.h>

/* The endpoints' state. */
struct api {
    struct db_pool *pool;
    struct http_param *filters; /* made from the field table, model and gpu first */
    size_t filter_count;
    struct http_endpoint *endpoints; /* the table's rows with their filters */
    struct http_routes routes;
    char build[HASH_HEX_BYTES]; /* of web/, in the addresses of assets */
    struct metrics *metrics;
    struct cache *cache;     /* NULL: none */
    int64_t started_at;      /* seconds since 1970 */
    atomic_bool is_stopping; /* about to */
    atomic_bool is_refusing; /* a new database stands there that cannot be served */
};

#endif
