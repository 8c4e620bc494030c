/* GET /, /healthz, /readyz, /version, /schema/recipe.json and /favicon.ico: the service itself. */
#include "api/app.h"
#include "api/endpoints.h"
#include "api/scope.h"
#include "base/version.h"
#include "core/schema.h"
#include "server/format.h"

#include <stdlib.h>
#include <string.h>

/* Version of the API's shapes: it changes only when something is taken away. */
static const char api_version_text[] = "1";

static void put_formats(struct json *j, const struct http_endpoint *row)
{
    json_begin(j, "formats", '[');
    for (enum http_format format = HTTP_JSON; format < HTTP_FORMATS; format++)
        if (row->formats & HTTP_BIT(format))
            json_put_text(j, NULL, http_format_row(format)->media_type);
    json_end(j, ']');
}

static void put_endpoint(struct json *j, const struct http_endpoint *row)
{
    json_begin(j, NULL, '{');
    json_put_text(j, "id", row->id);
    json_put_text(j, "method", row->methods & HTTP_POST ? "POST" : "GET");
    json_put_text(j, "path", row->path);
    json_put_text(j, "summary", row->summary);
    put_formats(j, row);
    json_begin(j, "parameters", '[');
    for (size_t i = 0; i < row->param_count; i++)
        json_put_text(j, NULL, row->params[i].name);
    json_end(j, ']');
    json_end(j, '}');
}

/* The index needs no database, so that it answers while there is none. */
enum err_code api_index(const struct http_request *request, struct http_reply *reply, void *app,
                        struct err *e)
{
    const struct api *api = app;
    struct json j;

    (void)request;
    (void)e;
    json_init(&j, http_reply_body(reply));
    json_begin(&j, NULL, '{');
    json_put_text(&j, "name", "OpenRecipes");
    json_put_text(&j, "version", version_text());
    json_put_text(&j, "openapi", "/openapi.json");
    json_begin(&j, "endpoints", '[');
    for (size_t i = 0; i < api->routes.count; i++)
        put_endpoint(&j, &api->routes.endpoints[i]);
    json_end(&j, ']');
    json_end(&j, '}');
    buf_putc(j.buf, '\n');
    return ERR_OK;
}

enum err_code api_healthz(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    (void)request;
    (void)app;
    (void)e;
    buf_puts(http_reply_body(reply), "{\"status\":\"ok\"}\n");
    return ERR_OK;
}

/* Ready means that this thread can read the catalogue, which api_answer has just done. */
static enum err_code answer_ready(struct api_scope *s, struct err *e)
{
    (void)e;
    json_begin(&s->json, NULL, '{');
    json_put_text(&s->json, "status", "ready");
    json_put_int(&s->json, "models", (int64_t)s->catalog->models.count);
    json_end(&s->json, '}');
    return ERR_OK;
}

enum err_code api_readyz(const struct http_request *request, struct http_reply *reply, void *app,
                         struct err *e)
{
    const struct api *api = app;
    enum err_code rc;

    if (atomic_load(&api->is_stopping))
        return err_set(e, ERR_BUSY, "the service is about to stop");
    rc = api_answer(request, reply, app, answer_ready, e);
    if (rc == ERR_CORRUPT)
        http_reply_fault(reply, "The database is damaged. It must be put back from a snapshot, or "
                                "made anew by an import.");
    /* Whatever is wrong with the database, it may pass: that is 503, and the load balancer waits.
     */
    return rc == ERR_OK ? ERR_OK : err_set(e, ERR_BUSY, "the database cannot be read: %s", e->text);
}

static enum err_code answer_version(struct api_scope *s, struct err *e)
{
    char *imported_at = NULL;
    int schema = 0;
    enum err_code rc = db_fact_get(s->db, "imported_at", &imported_at, e);

    if (rc == ERR_OK)
        rc = db_stored_version(s->db, &schema, e);
    if (rc == ERR_OK) {
        json_begin(&s->json, NULL, '{');
        json_put_text(&s->json, "api", api_version_text);
        json_put_text(&s->json, "version", version_text());
        json_put_text(&s->json, "build", version_build());
        json_put_int(&s->json, "schema", schema);
        json_put_text(&s->json, "data", imported_at);
        json_end(&s->json, '}');
    }
    free(imported_at);
    return rc;
}

enum err_code api_version(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    return api_answer(request, reply, app, answer_version, e);
}

enum err_code api_schema(const struct http_request *request, struct http_reply *reply, void *app,
                         struct err *e)
{
    (void)request;
    (void)app;
    (void)e;
    schema_write_json(http_reply_body(reply));
    buf_putc(http_reply_body(reply), '\n');
    return ERR_OK;
}

/* Three bars of a ranking. */
static const char icon[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">"
    "<rect width=\"16\" height=\"16\" rx=\"3\" fill=\"#0b5fa5\"/>"
    "<path d=\"M3 4h10v2H3zM3 7h7v2H3zM3 10h4v2H3z\" fill=\"#fff\"/></svg>\n";

enum err_code api_favicon(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    (void)request;
    (void)app;
    (void)e;
    buf_puts(http_reply_body(reply), icon);
    return ERR_OK;
}
