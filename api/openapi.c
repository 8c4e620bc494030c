/* GET /openapi.json: paths and parameters from the endpoint table and the field table, the recipe's
 * schema from the field table; the other shapes, descriptions and examples from api/openapi/. */
#include "api/app.h"
#include "api/endpoints.h"
#include "api/scope.h"
#include "base/embed.h"
#include "base/version.h"
#include "core/recipe.h"
#include "core/schema.h"
#include "server/format.h"

#include <string.h>

/* Append JSON without the white space that it has for people. */
static void put_compact(struct buf *out, const char *bytes, size_t len)
{
    bool is_text = false;

    for (size_t i = 0; i < len; i++) {
        bool is_escape = is_text && bytes[i] == '\\';

        if (bytes[i] == '"')
            is_text = !is_text;
        if (is_text || !strchr(" \n\r\t", bytes[i]))
            buf_putc(out, bytes[i]);
        if (is_escape && i + 1 < len)
            buf_putc(out, bytes[++i]);
    }
}

/* Put the members of an object of ours, which stands in a file of the binary, into the open object.
 */
static enum err_code put_members(struct json *j, const char *path, struct err *e)
{
    const struct embed_file *file = embed_find(path);
    const char *first = file ? strchr(file->bytes, '{') : NULL;
    const char *last = first ? strrchr(first, '}') : NULL;

    if (!last)
        return err_bug(e, "%s is no embedded object", path);
    json_put_raw(j, NULL, "", 0);
    put_compact(j->buf, first + 1, (size_t)(last - first - 1));
    return ERR_OK;
}

static void put_ref(struct json *j, const char *key, const char *kind, const char *name)
{
    json_begin(j, key, '{');
    json_begin(j, "$ref", '"');
    buf_printf(j->buf, "#/components/%s/%s", kind, name); /* Names of ours. */
    json_end(j, '"');
    json_end(j, '}');
}

static void put_schema_type(struct json *j, const struct http_param *param)
{
    static const char *const types[] = {
        [HTTP_PARAM_TEXT] = "string", [HTTP_PARAM_INT] = "integer",  [HTTP_PARAM_REAL] = "number",
        [HTTP_PARAM_DATE] = "string", [HTTP_PARAM_BOOL] = "boolean", [HTTP_PARAM_WORD] = "string"};

    json_put_text(j, "type", types[param->kind]);
    if (param->kind == HTTP_PARAM_DATE)
        json_put_text(j, "format", "date");
    if (param->kind == HTTP_PARAM_TEXT)
        json_put_int(j, "minLength", 1);
    if (param->min != 0 || param->max != 0) {
        json_put_real(j, "minimum", param->min);
        json_put_real(j, "maximum", param->max);
    }
    if (!param->allowed)
        return;
    json_begin(j, "enum", '[');
    for (size_t i = 0; param->allowed[i]; i++)
        json_put_text(j, NULL, param->allowed[i]);
    json_end(j, ']');
}

/* One value's schema; the word none may stand for null. */
static void put_value_schema(struct json *j, const char *key, const struct http_param *param)
{
    json_begin(j, key, '{');
    if (param->is_nullable) {
        json_begin(j, "anyOf", '[');
        json_begin(j, NULL, '{');
        put_schema_type(j, param);
        json_end(j, '}');
        json_begin(j, NULL, '{');
        json_put_text(j, "const", "none");
        json_end(j, '}');
        json_end(j, ']');
    } else {
        put_schema_type(j, param);
    }
    if (param->fallback && param->kind == HTTP_PARAM_INT)
        json_put_raw(j, "default", param->fallback, strlen(param->fallback));
    else if (param->fallback && !param->is_list)
        json_put_text(j, "default", param->fallback);
    json_end(j, '}');
}

static void put_query_param(struct json *j, const struct http_param *param)
{
    json_begin(j, NULL, '{');
    json_put_text(j, "name", param->name);
    json_put_text(j, "in", "query");
    if (param->is_required)
        json_put_bool(j, "required", true);
    json_put_text(j, "description", param->description);
    if (param->is_list) {
        json_put_text(j, "style", "form");
        json_put_bool(j, "explode", false);
        json_begin(j, "schema", '{');
        json_put_text(j, "type", "array");
        json_put_int(j, "minItems", 1);
        put_value_schema(j, "items", param);
        if (param->fallback) {
            json_begin(j, "default", '[');
            json_put_text(j, NULL, param->fallback);
            json_end(j, ']');
        }
        json_end(j, '}');
    } else {
        put_value_schema(j, "schema", param);
    }
    json_end(j, '}');
}

/* The parameters of the path are components, named as they stand in the template. */
static void put_path_params(struct json *j, const char *path)
{
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{')) {
        char name[64];
        size_t len = strcspn(at + 1, "}");

        if (len >= sizeof name)
            return;
        memcpy(name, at + 1, len);
        name[len] = '\0';
        put_ref(j, NULL, "parameters", name);
    }
}

static void put_content(struct json *j, const struct http_endpoint *row)
{
    json_begin(j, "content", '{');
    for (enum http_format format = HTTP_JSON; format < HTTP_FORMATS; format++) {
        if (!(row->formats & HTTP_BIT(format)))
            continue;
        json_begin(j, http_format_row(format)->media_type, '{');
        if (format == HTTP_JSON) {
            put_ref(j, "schema", "schemas", row->id);
            json_begin(j, "examples", '{');
            put_ref(j, "real", "examples", row->id);
            json_end(j, '}');
        } else {
            json_begin(j, "schema", '{');
            json_put_text(j, "type", "string");
            json_end(j, '}');
        }
        json_end(j, '}');
    }
    json_end(j, '}');
}

/* What stands on a good reply. */
static void put_headers(struct json *j, const struct http_endpoint *row)
{
    static const struct {
        const char *name;
        bool is_cached; /* only where the reply may be kept */
    } headers[] = {
        {"ETag", true}, {"Vary", false}, {"Cache-Control", false}, {"X-Request-Id", false}};

    json_begin(j, "headers", '{');
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (!headers[i].is_cached || row->cache != HTTP_CACHE_NEVER)
            put_ref(j, headers[i].name, "headers", headers[i].name);
    for (size_t i = 0; i < row->param_count; i++)
        if (strcmp(row->params[i].name, "cursor") == 0)
            put_ref(j, "Link", "headers", "Link");
    json_end(j, '}');
}

static void put_ok(struct json *j, const struct http_endpoint *row)
{
    json_begin(j, "200", '{');
    json_put_text(j, "description", row->summary);
    put_headers(j, row);
    put_content(j, row);
    json_end(j, '}');
}

/* A parameter that is required names what is asked for, as the arguments of a path do. */
static bool has_required(const struct http_endpoint *row)
{
    for (size_t i = 0; i < row->param_count; i++)
        if (row->params[i].is_required)
            return true;
    return false;
}

static void put_responses(struct json *j, const struct http_endpoint *row)
{
    bool has_args = strchr(row->path, '{') != NULL;
    bool is_cached = row->cache != HTTP_CACHE_NEVER;

    json_begin(j, "responses", '{');
    put_ok(j, row);
    if (is_cached)
        put_ref(j, "304", "responses", "NotModified");
    if (has_args)
        put_ref(j, "308", "responses", "OtherSpelling");
    put_ref(j, "400", "responses", "BadRequest");
    if (has_args || has_required(row))
        put_ref(j, "404", "responses", "NotFound");
    if (strstr(row->path, "/{recipe}"))
        put_ref(j, "410", "responses", "Gone");
    put_ref(j, "406", "responses", "NotAcceptable");
    if (row->methods & HTTP_POST) {
        put_ref(j, "413", "responses", "TooLarge");
        put_ref(j, "415", "responses", "UnsupportedMediaType");
    }
    put_ref(j, "429", "responses", "TooManyRequests");
    put_ref(j, "503", "responses", "Unavailable");
    put_ref(j, "default", "responses", "Problem");
    json_end(j, '}');
}

static void put_request_body(struct json *j, const struct http_endpoint *row)
{
    json_begin(j, "requestBody", '{');
    json_put_bool(j, "required", true);
    json_begin(j, "content", '{');
    for (size_t i = 0; row->body_types && row->body_types[i]; i++) {
        json_begin(j, row->body_types[i], '{');
        json_begin(j, "schema", '{');
        json_put_text(j, "type", "string");
        json_put_int(j, "maxLength", (int64_t)row->body_limit);
        json_end(j, '}');
        json_end(j, '}');
    }
    json_end(j, '}');
    json_end(j, '}');
}

static void put_operation(struct json *j, const struct http_endpoint *row, const char *tag)
{
    json_begin(j, row->methods & HTTP_POST ? "post" : "get", '{');
    json_put_text(j, "operationId", row->id);
    json_put_text(j, "summary", row->summary);
    json_begin(j, "tags", '[');
    json_put_text(j, NULL, tag);
    json_end(j, ']');
    json_begin(j, "parameters", '[');
    put_path_params(j, row->path);
    for (size_t i = 0; i < row->param_count; i++)
        put_query_param(j, &row->params[i]);
    json_end(j, ']');
    if (row->body_limit > 0)
        put_request_body(j, row);
    put_responses(j, row);
    json_end(j, '}');
}

static void put_recipe_schema(struct json *j)
{
    json_put_key(j, "recipe_document");
    schema_write_json(j->buf);
    j->needs_comma = true;
}

/* A column of a list, as `fields` shows it. */
static void put_column(struct json *j, const struct field *field)
{
    static const char *const types[] = {[FIELD_INT] = "integer",
                                        [FIELD_REAL] = "number",
                                        [FIELD_BOOL] = "boolean",
                                        [FIELD_TEXT] = "string",
                                        [FIELD_DATE] = "string"};

    json_begin(j, field->column, '{');
    json_begin(j, "type", '[');
    json_put_text(j, NULL, types[field->kind]);
    if (field_can_be_null(&recipe_fields, field))
        json_put_text(j, NULL, "null");
    json_end(j, ']');
    json_put_text(j, "description", field->description);
    json_end(j, '}');
}

/* A row whose columns the client chose: every column there is, none required. */
static void put_chosen_row(struct json *j)
{
    json_begin(j, "chosen_row", '{');
    json_put_text(j, "type", "object");
    json_put_text(j, "description", "A row when fields chose its columns: rank, then those.");
    json_begin(j, "properties", '{');
    json_put_raw(j, "rank", "{\"type\":\"integer\",\"minimum\":1}", 30);
    for (size_t i = 0; i < recipe_fields.count; i++)
        if (recipe_fields.rows[i].column)
            put_column(j, &recipe_fields.rows[i]);
    json_end(j, '}');
    json_put_raw(j, "required", "[\"rank\"]", 8);
    json_end(j, '}');
}

static enum err_code put_components(struct json *j, struct err *e)
{
    enum err_code rc;

    json_begin(j, "components", '{');
    json_begin(j, "schemas", '{');
    put_recipe_schema(j);
    put_chosen_row(j);
    rc = put_members(j, "api/openapi/schemas.json", e);
    json_end(j, '}');
    json_begin(j, "examples", '{');
    if (rc == ERR_OK)
        rc = put_members(j, "api/openapi/examples.json", e);
    json_end(j, '}');
    if (rc == ERR_OK)
        rc = put_members(j, "api/openapi/components.json", e);
    json_end(j, '}');
    return rc;
}

enum err_code api_openapi(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    const struct api *api = app;
    enum err_code rc;
    struct json j;

    (void)request;
    json_init(&j, http_reply_body(reply));
    json_begin(&j, NULL, '{');
    json_put_text(&j, "openapi", "3.1.0");
    json_begin(&j, "info", '{');
    json_put_text(&j, "version", version_text());
    rc = put_members(&j, "api/openapi/info.json", e);
    json_end(&j, '}');
    json_begin(&j, "paths", '{');
    for (size_t i = 0; i < api->routes.count; i++) {
        json_begin(&j, api->routes.endpoints[i].path, '{');
        put_operation(&j, &api->routes.endpoints[i], endpoints[i].tag);
        json_end(&j, '}');
    }
    json_end(&j, '}');
    if (rc == ERR_OK)
        rc = put_components(&j, e);
    json_end(&j, '}');
    buf_putc(j.buf, '\n');
    return rc;
}
