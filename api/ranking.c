/* GET /models/{model}/{gpu}: the ranking of comparable recipes. */
#include "api/ranking.h"

#include "api/endpoints.h"
#include "api/ranking_pages.h"

#include <stdio.h>
#include <string.h>

static bool is_here(const struct ranking_view *view, const struct ranking *r)
{
    return strcmp(r->gpu, view->place.gpu->slug) == 0;
}

/* Pick the workload that the client asked for, or the main one. */
static enum err_code pick_workload(struct api_scope *s, struct ranking_view *view, struct err *e)
{
    const char *asked = http_query(s->request, "workload");
    const char **known = arena_array(&s->arena, view->rankings.count + 1, sizeof *known);
    size_t count = 0;

    if (!known)
        return err_nomem(e);
    for (size_t i = 0; i < view->rankings.count; i++) {
        const struct ranking *r = &view->rankings.items[i];

        if (!is_here(view, r))
            continue;
        known[count++] = r->workload;
        if (asked ? strcmp(r->workload, asked) == 0 : r->is_main)
            view->ranked = r;
    }
    if (asked && !view->ranked) {
        http_reply_issue(s->reply, "workload", "no recipe here has this workload", known, NULL);
        return err_set(e, ERR_INPUT, "workload: no recipe here has this workload");
    }
    return ERR_OK;
}

static void put_workload(struct json *j, const char *key, const struct ranking *r)
{
    json_begin(j, key, '{');
    json_put_text(j, "id", r->workload);
    json_put_int(j, "row_tokens", r->row_tokens);
    json_put_text(j, "rows", r->rows);
    json_put_int(j, "global_batch", r->global_batch);
    json_put_text(j, "precision", r->precision);
    json_put_text(j, "rows_sha256", r->rows_sha256);
}

static void put_other_workloads(struct api_scope *s, const struct ranking_view *view)
{
    struct json *j = &s->json;

    json_begin(j, "other_workloads", '[');
    for (size_t i = 0; i < view->rankings.count; i++) {
        const struct ranking *r = &view->rankings.items[i];

        if (!is_here(view, r) || r == view->ranked)
            continue;
        put_workload(j, NULL, r);
        json_put_int(j, "recipes", r->recipes);
        json_begin(j, "url", '"');
        /* Slugs and hexadecimal digits need no escaping. */
        buf_printf(j->buf, "/models/%s/%s?workload=%s", r->model, r->gpu, r->workload);
        json_end(j, '"');
        json_end(j, '}');
    }
    json_end(j, ']');
}

/* Main rankings of the model: the best of each GPU. */
static size_t keep_main(struct ranking *items, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (items[i].is_main)
            items[kept++] = items[i];
    return kept;
}

void ranking_put_head(struct api_scope *s, const struct ranking_view *view)
{
    struct json *j = &s->json;

    parts_put_model(j, "model", view->place.model,
                    parts_active_params(view->rankings.items, view->rankings.count));
    parts_put_gpu(j, "gpu", view->place.gpu);
    if (view->ranked) {
        put_workload(j, "workload", view->ranked);
        json_end(j, '}');
    } else {
        json_put_null(j, "workload");
    }
    json_put_text(j, "first_place_since", view->ranked ? view->ranked->first_place_since : NULL);
    parts_put_pricing(s, "pricing", &view->list.prices, view->place.gpu->slug);
    json_put_text(j, "sort", view->list.sort);
    json_put_int(j, "total", view->page.total);
}

void ranking_put_tail(struct api_scope *s, struct ranking_view *view)
{
    const char *author = view->page.author ? view->page.author
                         : view->ranked    ? view->ranked->best_author
                                           : NULL;
    struct json *j = &s->json;
    size_t mains;

    put_other_workloads(s, view);
    mains = keep_main(view->rankings.items, view->rankings.count);
    parts_put_gpus(s, "other_gpus", view->place.model, view->rankings.items, mains,
                   &view->list.prices);
    json_put_text(j, "notes", view->place.model->notes);
    parts_put_citation(j, "citation", s->catalog, author);
}

static enum err_code put_ranking(struct api_scope *s, struct ranking_view *view, struct err *e)
{
    enum err_code rc;

    json_begin(&s->json, NULL, '{');
    ranking_put_head(s, view);
    rc = list_put_next(s, &view->page, e);
    if (rc == ERR_OK)
        rc = list_put_rows(s, &view->list, &view->page, e);
    ranking_put_tail(s, view);
    json_end(&s->json, '}');
    return rc;
}

/* The id of a workload that no recipe has. */
static const char no_workload[] = "none";

/* Fill the reply with the rows of one workload, in the request's format. */
static enum err_code put_rows(struct api_scope *s, struct ranking_view *view, struct err *e)
{
    const char *workload = view->ranked ? view->ranked->workload : no_workload;
    enum http_format format = http_request_format(s->request);
    enum err_code rc = ERR_OK;

    /* A workload that the client asked for is among the filters already; a feed tells of all. What
     * is retracted has no ranking, so that all of it is shown to who asks for it. */
    if (http_query(s->request, "workload") || format == HTTP_ATOM ||
        (!view->ranked && !view->list.query.is_ranking))
        workload = NULL;
    else
        rc = list_add_filter(s, &view->list, "workload", workload, e);
    if (rc == ERR_OK && format != HTTP_JSON)
        return list_reply(s, &view->place, &view->list, workload, e);
    if (rc == ERR_OK)
        rc = db_query_run(s->db, &view->list.query, &s->arena, &view->page, e);
    return rc == ERR_OK ? put_ranking(s, view, e) : rc;
}

static enum err_code answer(struct api_scope *s, struct err *e)
{
    struct ranking_view *view;
    struct parts_place place;
    bool is_done = false;
    enum err_code rc = parts_find(s, true, true, &place, &is_done, e);

    if (rc == ERR_OK && !is_done)
        rc = ranking_pages_reply(s, &place, &is_done, e);
    if (rc != ERR_OK || is_done)
        return rc;
    view = arena_array(&s->arena, 1, sizeof *view);
    if (!view)
        return err_nomem(e);
    view->place = place;
    rc = list_parse(s, &view->place, &list_of_recipes, &view->list, e);
    if (rc == ERR_OK)
        rc = db_rankings_of(s->db, view->place.model->slug, view->place.gpu->slug, &s->arena,
                            &view->rankings, e);
    if (rc == ERR_OK)
        rc = pick_workload(s, view, e);
    return rc == ERR_OK ? put_rows(s, view, e) : rc;
}

enum err_code api_ranking(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
