/* Shared objects of replies. */
#include "api/parts.h"

#include "base/num.h"
#include "core/cost.h"
#include "core/shown.h"

#include <string.h>

void parts_put_usd(struct json *j, const char *key, double gpu_hour, double tokens_per_s_per_gpu)
{
    if (gpu_hour > 0)
        json_put_real(j, key, cost_usd_per_million_tokens(gpu_hour, tokens_per_s_per_gpu));
    else
        json_put_null(j, key);
}

void parts_put_model_members(struct json *j, const struct model *m, int64_t active_params)
{
    json_put_text(j, "slug", m->slug);
    json_put_text(j, "name", m->name);
    json_put_text(j, "family", m->family);
    if (active_params > 0)
        json_put_int(j, "active_params", active_params);
    else
        json_put_null(j, "active_params");
    json_begin(j, "url", '"');
    buf_printf(j->buf, "/models/%s", m->slug); /* A slug needs no escaping. */
    json_end(j, '"');
}

void parts_put_model(struct json *j, const char *key, const struct model *m, int64_t active_params)
{
    json_begin(j, key, '{');
    parts_put_model_members(j, m, active_params);
    json_end(j, '}');
}

void parts_put_gpu(struct json *j, const char *key, const struct gpu *g)
{
    json_begin(j, key, '{');
    json_put_text(j, "slug", g->slug);
    json_put_text(j, "name", g->name);
    json_put_int(j, "memory_gb", g->memory_gb);
    json_put_int(j, "peak_bf16_flops", g->peak_bf16_flops);
    json_begin(j, "url", '"');
    buf_printf(j->buf, "/gpus/%s", g->slug); /* A slug needs no escaping. */
    json_end(j, '"');
    json_end(j, '}');
}

void parts_put_published(struct json *j, const char *key, const struct published *p)
{
    json_begin(j, key, '{');
    json_put_text(j, "source", p->source);
    json_put_text(j, "date", p->date);
    json_end(j, '}');
}

/* A figure whose recipe file is not here: as published, unless the client has prices of its own, or
 * chose some. */
static void put_published_best(struct api_scope *s, const struct published *p,
                               const struct prices *prices)
{
    struct json *j = &s->json;

    json_put_int(j, "gpus", p->gpus);
    json_put_real(j, "tokens_per_s_per_gpu", p->tokens_per_s_per_gpu);
    if (p->usd_per_million_tokens > 0 && !parts_is_chosen(prices, p->gpu))
        json_put_real(j, "usd_per_million_tokens", p->usd_per_million_tokens);
    else
        parts_put_usd(j, "usd_per_million_tokens", parts_gpu_hour(s, prices, p->gpu, NULL),
                      p->tokens_per_s_per_gpu);
    json_put_null(j, "recipe");
    parts_put_published(j, "published", p);
}

const struct ranking *parts_ranking(const struct ranking *rankings, size_t count, const char *gpu)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rankings[i].gpu, gpu) == 0)
            return &rankings[i];
    return NULL;
}

const struct published *parts_published(const struct model *m, const char *gpu)
{
    const struct published *items = m->published.items;

    for (size_t i = 0; i < m->published.count; i++)
        if (strcmp(items[i].gpu, gpu) == 0)
            return &items[i];
    return NULL;
}

static void put_best(struct api_scope *s, const struct ranking *r, const struct prices *prices)
{
    struct json *j = &s->json;

    json_put_int(j, "gpus", r->best_gpus);
    json_put_real(j, "tokens_per_s_per_gpu", r->best_tokens_per_s_per_gpu);
    parts_put_usd(j, "usd_per_million_tokens", parts_gpu_hour(s, prices, r->gpu, NULL),
                  r->best_tokens_per_s_per_gpu);
    json_put_text(j, "recipe", r->best_recipe);
}

void parts_put_gpus(struct api_scope *s, const char *key, const struct model *m,
                    const struct ranking *rankings, size_t count, const struct prices *prices)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    struct json *j = &s->json;

    json_begin(j, key, '[');
    for (size_t i = 0; i < s->catalog->gpus.count; i++) {
        const struct ranking *ranking = parts_ranking(rankings, count, gpus[i].slug);
        const struct published *published = parts_published(m, gpus[i].slug);

        json_begin(j, NULL, '{');
        json_put_text(j, "gpu", gpus[i].slug);
        if (ranking)
            put_best(s, ranking, prices);
        else if (published)
            put_published_best(s, published, prices);
        else
            json_put_null(j, "recipe");
        json_end(j, '}');
    }
    json_end(j, ']');
}

void parts_put_citation(struct json *j, const char *key, const struct catalog *c,
                        const char *author)
{
    const struct author *found = author ? catalog_author(c, author) : NULL;

    if (!found) {
        json_put_null(j, key);
        return;
    }
    json_begin(j, key, '{');
    json_put_text(j, "text", found->citation);
    json_put_text(j, "bibtex", found->bibtex);
    json_end(j, '}');
}

const struct ranking *parts_fastest(const struct ranking *rankings, size_t count)
{
    const struct ranking *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (!best || rankings[i].best_tokens_per_s_per_gpu > best->best_tokens_per_s_per_gpu)
            best = &rankings[i];
    return best;
}

int64_t parts_active_params(const struct ranking *rankings, size_t count)
{
    const struct ranking *fastest = parts_fastest(rankings, count);

    return fastest ? fastest->best_active_params : 0;
}
