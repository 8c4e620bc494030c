/* What one request of the API works with: this thread's connection held at one state of the
 * database, the catalogue, and memory that ends with the request. */
#ifndef API_SCOPE_H
#define API_SCOPE_H

#include "api/api.h"
#include "base/json.h"
#include "core/catalog.h"
#include "db/db.h"

/* Memory of one request at most: a page of 1,000 rows with every column is some megabytes. */
#define API_ARENA_LIMIT (64 * 1024 * 1024)

/* Lent to a handler for one call. */
struct api_scope {
    const struct http_request *request;
    struct http_reply *reply;
    const struct api *api;
    struct db *db;
    const struct catalog *catalog;
    struct arena arena;
    struct json json; /* writes to the reply's body */
};

/* Open a scope on this thread's connection.
 *
 * api:    what the server lends as app
 * body:   what s->json writes to
 * Errors: as db_pool_get and db_catalog_get; the scope is closed then.
 * Owns:   the caller ends with api_scope_close. */
MUST_USE enum err_code api_scope_open(struct api_scope *s, const struct http_request *request,
                                      struct http_reply *reply, const struct api *api,
                                      struct buf *body, struct err *e);
void api_scope_close(struct api_scope *s);

/* An endpoint's work. */
typedef enum err_code api_work(struct api_scope *s, struct err *e);

/* Open a scope on the app that the server lends, do the work, close it. When the work succeeded and
 * the reply's body has JSON, a newline ends it. */
MUST_USE enum err_code api_answer(const struct http_request *request, struct http_reply *reply,
                                  void *app, api_work *work, struct err *e);

#endif
