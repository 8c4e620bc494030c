/* GET /gpus, /gpus/{gpu} and /prices: the catalogue behind the figures. */
#include "api/endpoints.h"
#include "api/list.h"
#include "core/cost.h"

#include <string.h>

static void put_price(struct json *j, const struct price *p)
{
    json_begin(j, NULL, '{');
    json_put_text(j, "gpu", p->gpu);
    json_put_text(j, "provider", p->provider);
    json_put_text(j, "instance", p->instance);
    json_put_text(j, "region", p->region);
    json_put_text(j, "purchase", p->purchase);
    json_put_real(j, "usd_per_hour", p->usd_per_hour);
    json_put_int(j, "gpus", p->gpus);
    json_put_real(j, "usd_per_gpu_hour", cost_usd_per_gpu_hour(p->usd_per_hour, p->gpus));
    json_put_text(j, "as_of", p->as_of);
    json_put_text(j, "source", p->source);
    json_end(j, '}');
}

static void put_prices(struct api_scope *s, const char *gpu)
{
    const struct price *prices = s->catalog->prices.items;

    json_begin(&s->json, "prices", '[');
    for (size_t i = 0; i < s->catalog->prices.count; i++)
        if (strcmp(prices[i].gpu, gpu) == 0)
            put_price(&s->json, &prices[i]);
    json_end(&s->json, ']');
}

static void put_gpu_members(struct json *j, const struct gpu *g)
{
    json_put_text(j, "slug", g->slug);
    json_put_text(j, "name", g->name);
    json_begin(j, "aliases", '[');
    for (size_t i = 0; i < g->aliases.count; i++)
        json_put_text(j, NULL, g->aliases.items[i]);
    json_end(j, ']');
    json_put_int(j, "memory_gb", g->memory_gb);
    json_put_int(j, "peak_bf16_flops", g->peak_bf16_flops);
    json_put_text(j, "source", g->source);
    json_put_text(j, "source_date", g->source_date);
    json_begin(j, "url", '"');
    buf_printf(j->buf, "/gpus/%s", g->slug); /* A slug needs no escaping. */
    json_end(j, '"');
}

static enum err_code answer_gpus(struct api_scope *s, struct err *e)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    struct list_window window = {0};
    enum err_code rc;

    json_begin(&s->json, NULL, '{');
    rc = list_window(s, s->catalog->gpus.count, &window, e);
    json_begin(&s->json, "gpus", '[');
    for (size_t i = window.first; i < window.end; i++) {
        json_begin(&s->json, NULL, '{');
        put_gpu_members(&s->json, &gpus[i]);
        json_end(&s->json, '}');
    }
    json_end(&s->json, ']');
    json_end(&s->json, '}');
    return rc;
}

static enum err_code answer_gpu(struct api_scope *s, struct err *e)
{
    struct parts_place place;
    bool is_done = false;
    enum err_code rc = parts_find(s, false, true, &place, &is_done, e);

    if (rc != ERR_OK || is_done)
        return rc;
    json_begin(&s->json, NULL, '{');
    put_gpu_members(&s->json, place.gpu);
    put_prices(s, place.gpu->slug);
    json_end(&s->json, '}');
    return ERR_OK;
}

static enum err_code answer_prices(struct api_scope *s, struct err *e)
{
    const struct price *prices = s->catalog->prices.items;
    struct list_window window = {0};
    enum err_code rc;

    json_begin(&s->json, NULL, '{');
    rc = list_window(s, s->catalog->prices.count, &window, e);
    json_begin(&s->json, "prices", '[');
    for (size_t i = window.first; i < window.end; i++)
        put_price(&s->json, &prices[i]);
    json_end(&s->json, ']');
    json_end(&s->json, '}');
    return rc;
}

enum err_code api_gpus(const struct http_request *request, struct http_reply *reply, void *app,
                       struct err *e)
{
    return api_answer(request, reply, app, answer_gpus, e);
}

enum err_code api_gpu(const struct http_request *request, struct http_reply *reply, void *app,
                      struct err *e)
{
    return api_answer(request, reply, app, answer_gpu, e);
}

enum err_code api_prices(const struct http_request *request, struct http_reply *reply, void *app,
                         struct err *e)
{
    return api_answer(request, reply, app, answer_prices, e);
}
