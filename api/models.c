/* GET /models and /models/{model}: what is there of each model. */
#include "api/endpoints.h"
#include "api/list.h"

#include <string.h>

/* The part of a list of rankings that is one model's; the list is in the order of models. */
static struct ranking_list of_model(const struct ranking_list *all, const char *model)
{
    struct ranking_list part = {0};

    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->items[i].model, model) != 0)
            continue;
        if (part.count == 0)
            part.items = &all->items[i];
        part.count++;
    }
    return part;
}

static enum err_code answer_list(struct api_scope *s, struct err *e)
{
    const struct model *models = s->catalog->models.items;
    struct ranking_list all = {0};
    struct list_window window = {0};
    struct prices prices;
    enum err_code rc = parts_prices(s, &prices, e);

    if (rc == ERR_OK)
        rc = db_rankings_main(s->db, &s->arena, &all, e);
    if (rc != ERR_OK)
        return rc;
    json_begin(&s->json, NULL, '{');
    rc = list_window(s, s->catalog->models.count, &window, e);
    parts_put_pricings(s, "pricing", &prices);
    json_begin(&s->json, "models", '[');
    for (size_t i = window.first; i < window.end; i++) {
        struct ranking_list own = of_model(&all, models[i].slug);

        json_begin(&s->json, NULL, '{');
        parts_put_model_members(&s->json, &models[i], parts_active_params(own.items, own.count));
        parts_put_gpus(s, "gpus", &models[i], own.items, own.count, &prices);
        json_end(&s->json, '}');
    }
    json_end(&s->json, ']');
    json_end(&s->json, '}');
    return rc;
}

static void put_hub(struct json *j, const struct model *m)
{
    if (!m->hub_repository) {
        json_put_null(j, "hub");
        return;
    }
    json_begin(j, "hub", '{');
    json_put_text(j, "repository", m->hub_repository);
    json_put_text(j, "revision", m->hub_revision);
    json_end(j, '}');
}

static enum err_code answer_one(struct api_scope *s, struct err *e)
{
    struct json *j = &s->json;
    struct ranking_list mains = {0};
    struct parts_place place;
    struct prices prices;
    bool is_done = false;
    enum err_code rc = parts_find(s, true, false, &place, &is_done, e);

    if (rc != ERR_OK || is_done)
        return rc;
    rc = parts_prices(s, &prices, e);
    if (rc == ERR_OK)
        rc = db_rankings_of(s->db, place.model->slug, NULL, &s->arena, &mains, e);
    if (rc != ERR_OK)
        return rc;
    json_begin(j, NULL, '{');
    parts_put_model_members(j, place.model, parts_active_params(mains.items, mains.count));
    if (place.model->total_params > 0)
        json_put_int(j, "total_params", place.model->total_params);
    else
        json_put_null(j, "total_params");
    json_put_text(j, "total_params_source", place.model->total_params_source);
    put_hub(j, place.model);
    parts_put_pricings(s, "pricing", &prices);
    rc = parts_put_model_confirmation(s, "confirmation", mains.items, mains.count, e);
    parts_put_gpus(s, "gpus", place.model, mains.items, mains.count, &prices);
    json_put_text(j, "notes", place.model->notes);
    json_end(j, '}');
    return rc;
}

enum err_code api_models(const struct http_request *request, struct http_reply *reply, void *app,
                         struct err *e)
{
    return api_answer(request, reply, app, answer_list, e);
}

enum err_code api_model(const struct http_request *request, struct http_reply *reply, void *app,
                        struct err *e)
{
    return api_answer(request, reply, app, answer_one, e);
}
