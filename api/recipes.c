/* GET /recipes: all recipes, filtered, sorted, paged. */
#include "api/endpoints.h"
#include "api/list.h"

static enum err_code answer(struct api_scope *s, struct err *e)
{
    const struct parts_place everywhere = {0};
    struct list *list = arena_array(&s->arena, 1, sizeof *list);
    struct query_page page = {0};
    enum err_code rc;

    if (!list)
        return err_nomem(e);
    rc = list_parse(s, &everywhere, list, e);
    if (rc == ERR_OK && http_request_format(s->request) != HTTP_JSON)
        return list_reply(s, &everywhere, list, NULL, e);
    if (rc == ERR_OK)
        rc = db_query_run(s->db, &list->query, &s->arena, &page, e);
    if (rc != ERR_OK)
        return rc;
    json_begin(&s->json, NULL, '{');
    json_put_int(&s->json, "total", page.total);
    rc = list_put_next(s, &page, e);
    json_put_text(&s->json, "sort", list->sort);
    parts_put_pricings(s, "pricing", &list->prices);
    list_put_rows(s, "recipes", list, &page);
    json_end(&s->json, '}');
    return rc;
}

enum err_code api_recipes(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
