/* Making and ending the API, and the frame around every handler. */
#include "api/api.h"

#include "api/app.h"
#include "api/endpoints.h"
#include "api/list.h"
#include "api/scope.h"
#include "base/mem.h"
#include "db/catalog.h"

#include <stdlib.h>
#include <time.h>

static void use_filters(struct api *api, struct http_endpoint *row, enum endpoint_filters filters)
{
    switch (filters) {
    case ENDPOINT_NO_FILTERS:
        return;
    case ENDPOINT_RANKING_FILTERS:
        row->params = api->filters + LIST_PATH_FILTERS;
        row->param_count = api->filter_count - LIST_PATH_FILTERS;
        return;
    case ENDPOINT_ALL_FILTERS:
        row->params = api->filters;
        row->param_count = api->filter_count;
        return;
    case ENDPOINT_ROW_FILTERS:
        row->params = api->filters;
        row->param_count = api->filter_count - LIST_COLUMN_PARAMS;
        return;
    }
}

static enum err_code make_routes(struct api *api, struct err *e)
{
    enum err_code rc = list_params_make(&api->filters, &api->filter_count, e);

    if (rc != ERR_OK)
        return rc;
    api->endpoints = mem_array(endpoint_count, sizeof *api->endpoints);
    if (!api->endpoints)
        return err_nomem(e);
    for (size_t i = 0; i < endpoint_count; i++) {
        api->endpoints[i] = endpoints[i].http;
        use_filters(api, &api->endpoints[i], endpoints[i].filters);
    }
    api->routes.endpoints = api->endpoints;
    api->routes.count = endpoint_count;
    api->routes.page = web_page;
    return web_build(api->build, e);
}

/* A database that cannot be read now is told at the start, not at the first request. The connection
 * of this thread, which looks for others later, keeps the file from being mistaken for them. */
static enum err_code try_database(struct api *api, struct err *e)
{
    struct db *db = NULL;

    return db_pool_get(api->pool, &db, e);
}

enum err_code api_new(const struct api_config *config, struct api **out_api, struct err *e)
{
    struct api *api = mem_array(1, sizeof *api);
    enum err_code rc;

    if (!api)
        return err_nomem(e);
    api->started_at = time(NULL);
    rc = make_routes(api, e);
    if (rc == ERR_OK)
        rc = metrics_new(&api->routes, &api->metrics, e);
    if (rc == ERR_OK)
        rc = db_pool_new(config->db_path, (size_t)config->threads + 1, config->statement_ms,
                         &api->pool, e);
    if (rc == ERR_OK && config->columns_bytes > 0)
        rc = db_pool_keep_columns(api->pool, config->columns_bytes, e);
    if (rc == ERR_OK && config->cache_bytes > 0)
        rc = cache_new(config->cache_bytes, &api->cache, e);
    if (rc == ERR_OK)
        rc = try_database(api, e);
    if (rc != ERR_OK) {
        api_free(api);
        return rc;
    }
    *out_api = api;
    return ERR_OK;
}

const struct http_routes *api_routes(const struct api *api)
{
    return &api->routes;
}

struct metrics *api_metrics_of(const struct api *api)
{
    return api->metrics;
}

struct cache *api_cache_of(const struct api *api)
{
    return api->cache;
}

enum err_code api_look(struct api *api, enum db_pool_news *out_news, struct err *e)
{
    enum err_code rc = db_pool_look(api->pool, out_news, e);

    if (*out_news != DB_POOL_SAME && api->cache)
        cache_clear(api->cache);
    atomic_store(&api->is_refusing, rc != ERR_OK);
    return rc;
}

void api_stop(struct api *api)
{
    atomic_store(&api->is_stopping, true);
}

void api_free(struct api *api)
{
    if (!api)
        return;
    db_pool_free(api->pool);
    cache_free(api->cache);
    metrics_free(api->metrics);
    list_params_free(api->filters);
    free(api->endpoints);
    free(api);
}

enum err_code api_scope_open(struct api_scope *s, const struct http_request *request,
                             struct http_reply *reply, const struct api *api, struct buf *body,
                             struct err *e)
{
    enum err_code rc;

    *s = (struct api_scope){.request = request, .reply = reply, .api = api};
    rc = db_pool_get(api->pool, &s->db, e);
    /* The database was ours when the server started: what the file is now is no client's conflict.
     */
    if (rc == ERR_CONFLICT)
        rc = err_set(e, ERR_CORRUPT, "%s", e->text);
    if (rc == ERR_OK)
        rc = db_read_begin(s->db, e);
    if (rc != ERR_OK)
        return rc;
    arena_init(&s->arena, API_ARENA_LIMIT);
    json_init(&s->json, body);
    rc = db_catalog_get(s->db, &s->catalog, e);
    if (rc != ERR_OK)
        api_scope_close(s);
    return rc;
}

void api_scope_close(struct api_scope *s)
{
    arena_done(&s->arena);
    db_read_end(s->db);
}

enum err_code api_answer(const struct http_request *request, struct http_reply *reply, void *app,
                         api_work *work, struct err *e)
{
    struct api_scope s;
    enum err_code rc = api_scope_open(&s, request, reply, app, http_reply_body(reply), e);

    if (rc != ERR_OK)
        return rc;
    rc = work(&s, e);
    if (rc == ERR_OK && s.json.needs_comma)
        buf_putc(s.json.buf, '\n');
    api_scope_close(&s);
    return rc;
}
