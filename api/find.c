/* From the path to what it names: the model, the GPU, the client's prices; redirects for other
 * spellings. */
#include "api/parts.h"

#include "base/num.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Put the canonical path of a place together; slugs need no escaping. */
static void write_path(const struct parts_place *place, const char *recipe, struct buf *out)
{
    if (place->model)
        buf_printf(out, "/models/%s", place->model->slug);
    if (place->gpu)
        buf_printf(out, "%s/%s", place->model ? "" : "/gpus", place->gpu->slug);
    if (recipe)
        buf_printf(out, "/%s", recipe);
}

enum err_code parts_find(struct api_scope *s, bool has_model, bool has_gpu, struct parts_place *out,
                         bool *out_is_done, struct err *e)
{
    const char *model = has_model ? http_arg(s->request, "model") : NULL;
    const char *gpu = has_gpu ? http_arg(s->request, "gpu") : NULL;
    const char *recipe = http_arg(s->request, "recipe");
    const struct parts_name model_name = {"model", "model", model, "", ""};
    const struct parts_name gpu_name = {"gpu", "gpu", gpu, "", ""};
    struct buf path;

    *out = (struct parts_place){0};
    *out_is_done = false;
    if (model && parts_model(s, &model_name, &out->model, e) != ERR_OK)
        return e->code;
    if (gpu && parts_gpu(s, &gpu_name, &out->gpu, e) != ERR_OK)
        return e->code;
    if ((!model || strcmp(model, out->model->slug) == 0) &&
        (!gpu || strcmp(gpu, out->gpu->slug) == 0))
        return ERR_OK;
    if (recipe && !slug_check(recipe)) {
        const char *const none[] = {NULL};

        return parts_not_found(s, "recipe", recipe, none, e);
    }
    buf_init(&path, 1024);
    write_path(out, recipe, &path);
    http_reply_redirect(s->reply, buf_text(&path));
    buf_done(&path);
    *out_is_done = true;
    return ERR_OK;
}

/* Complain about one part of the price parameter. */
static enum err_code bad_price(struct api_scope *s, const char *detail, const char *near,
                               struct err *e)
{
    const char *const names[] = {near, NULL};

    http_reply_issue(s->reply, "price", detail, NULL, near ? names : NULL);
    return err_set(e, ERR_INPUT, "price: %s", detail);
}

static enum err_code unknown_price_gpu(struct api_scope *s, const char *name, struct err *e)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    const char *known[QUERY_PRICES];
    size_t count = 0;
    char detail[120];

    for (; count < s->catalog->gpus.count && count < QUERY_PRICES; count++)
        known[count] = gpus[count].slug;
    (void)snprintf(detail, sizeof detail, "there is no GPU %.60s", name); /* Fits: cut. */
    return bad_price(s, detail, text_nearest(name, known, count), e);
}

/* Read one "GPU:USD". */
static enum err_code read_price(struct api_scope *s, const char *part, struct prices *out,
                                struct err *e)
{
    const char *colon = strrchr(part, ':');
    const struct gpu *gpu;
    char *name;
    double usd = 0;

    if (!colon || colon == part)
        return bad_price(s, "each price is GPU:USD, such as h100:2.10", NULL, e);
    name = arena_text(&s->arena, part, (size_t)(colon - part));
    if (!name)
        return err_nomem(e);
    gpu = catalog_gpu(s->catalog, name);
    if (!gpu)
        return unknown_price_gpu(s, name, e);
    if (num_parse_real(colon + 1, strlen(colon + 1), &usd, e) != ERR_OK)
        return bad_price(s, e->text, NULL, e);
    if (usd < PRICE_LEAST || usd > PRICE_MOST)
        return bad_price(s, "USD per GPU-hour is from 0.0001 to 100000", NULL, e);
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->custom[i].gpu, gpu->slug) == 0)
            return bad_price(s, "a GPU has one price", NULL, e);
    if (out->count == QUERY_PRICES)
        return bad_price(s, "too many prices", NULL, e);
    out->custom[out->count++] = (struct query_price){gpu->slug, usd};
    return ERR_OK;
}

enum err_code parts_prices(struct api_scope *s, struct prices *out, struct err *e)
{
    enum err_code rc = ERR_OK;
    const char *part;

    out->count = 0;
    for (size_t i = 0; (part = http_query_at(s->request, "price", i)) != NULL; i++) {
        enum err_code one = read_price(s, part, out, e);

        if (rc == ERR_OK)
            rc = one;
    }
    return rc;
}
