/* GET /verifications: what was found of each recipe's active parameters. */
#include "api/endpoints.h"
#include "api/list.h"
#include "core/recipe.h"
#include "db/checkpoints.h"

/* Columns that each row is read with, in this order. */
enum { STATED, SOURCE, REVISION, COLUMNS };

static void choose_columns(struct list *list)
{
    static const char *const names[COLUMNS] = {
        [STATED] = "active_params",
        [SOURCE] = "active_params_source",
        [REVISION] = "active_params_revision",
    };

    for (size_t i = 0; i < COLUMNS; i++)
        list->columns[i] = field_by_column(&recipe_fields, names[i]);
    list->query.column_count = COLUMNS;
}

static enum err_code put_row(struct api_scope *s, const struct query_row *row, struct err *e)
{
    const struct hub_claim claim = {row->values[SOURCE].text, row->values[REVISION].text,
                                    row->values[STATED].integer};
    struct hub_result found;
    struct json *j = &s->json;
    enum err_code rc = db_checkpoint_judge(s->db, &claim, &found, e);

    if (rc != ERR_OK)
        return rc;
    json_begin(j, NULL, '{');
    json_put_text(j, "model", row->model);
    json_put_text(j, "gpu", row->gpu);
    json_put_text(j, "recipe", row->recipe);
    hub_result_write_members(&found, &claim, j);
    json_put_key(j, "url");
    /* Slugs hold nothing that a path or JSON would escape. */
    buf_printf(j->buf, "\"/models/%s/%s/%s\"", row->model, row->gpu, row->recipe);
    j->needs_comma = true;
    json_end(j, '}');
    return ERR_OK;
}

static enum err_code answer(struct api_scope *s, struct err *e)
{
    const struct parts_place everywhere = {0};
    struct list *list = arena_array(&s->arena, 1, sizeof *list);
    struct query_page page = {0};
    enum err_code rc;

    if (!list)
        return err_nomem(e);
    rc = list_parse(s, &everywhere, list, e);
    choose_columns(list);
    if (rc == ERR_OK)
        rc = db_query_run(s->db, &list->query, &s->arena, &page, e);
    if (rc != ERR_OK)
        return rc;
    json_begin(&s->json, NULL, '{');
    json_put_int(&s->json, "total", page.total);
    rc = list_put_next(s, &page, e);
    json_put_text(&s->json, "sort", list->sort);
    json_begin(&s->json, "verifications", '[');
    for (size_t i = 0; rc == ERR_OK && i < page.count; i++)
        rc = put_row(s, &page.rows[i], e);
    json_end(&s->json, ']');
    json_end(&s->json, '}');
    return rc;
}

enum err_code api_verifications(const struct http_request *request, struct http_reply *reply,
                                void *app, struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
