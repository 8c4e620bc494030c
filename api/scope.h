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

/* An endpoint's work. */
typedef enum err_code api_work(struct api_scope *s, struct err *e);

/* Open a scope on the app that the server lends, do the work, close it. When the work succeeded and
 * the reply's body has JSON, a newline ends it. */
MUST_USE enum err_code api_answer(const struct http_request *request, struct http_reply *reply,
                                  void *app, api_work *work, struct err *e);

#endif
