/* From the path to what it names: the model, the GPU; redirects for other spellings and the nearest
 * names for unknown ones. */
#include "api/parts.h"

#include "base/num.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that a 404 offers. */
enum { OFFERED = 3 };

struct offer {
    const char *name;
    size_t distance;
};

static int by_distance(const void *a, const void *b)
{
    const struct offer *x = a;
    const struct offer *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return strcmp(x->name, y->name);
}

enum err_code parts_not_found(struct api_scope *s, const char *parameter, const char *given,
                              const char *const *known, struct err *e)
{
    const char *near[OFFERED + 1] = {NULL};
    size_t count = 0;
    struct offer *offers;
    char detail[200];
    int shown = strlen(given) > 100 ? 100 : (int)strlen(given);

    while (known[count])
        count++;
    offers = arena_array(&s->arena, count + 1, sizeof *offers);
    if (!offers)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++)
        offers[i] = (struct offer){known[i], text_distance(given, known[i])};
    qsort(offers, count, sizeof *offers, by_distance);
    for (size_t i = 0; i < count && i < OFFERED; i++)
        near[i] = offers[i].name;
    /* Fits: the name is cut above. */
    (void)snprintf(detail, sizeof detail, "there is no %s %.*s", parameter, shown, given);
    http_reply_issue(s->reply, parameter, detail, NULL, near);
    return err_set(e, ERR_NOT_FOUND, "%s", detail);
}

static enum err_code unknown_model(struct api_scope *s, const char *given, struct err *e)
{
    const struct model *models = s->catalog->models.items;
    size_t count = s->catalog->models.count;
    const char **known = arena_array(&s->arena, count + 1, sizeof *known);

    if (!known)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++)
        known[i] = models[i].slug;
    return parts_not_found(s, "model", given, known, e);
}

static enum err_code unknown_gpu(struct api_scope *s, const char *given, struct err *e)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    size_t count = s->catalog->gpus.count;
    const char **known = arena_array(&s->arena, count + 1, sizeof *known);

    if (!known)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++)
        known[i] = gpus[i].slug;
    return parts_not_found(s, "gpu", given, known, e);
}

/* Put the canonical path of a place together; slugs need no escaping. */
static void write_path(const struct parts_place *place, const char *recipe, const char *tail,
                       struct buf *out)
{
    if (place->model)
        buf_printf(out, "/models/%s", place->model->slug);
    if (place->gpu)
        buf_printf(out, "%s/%s", place->model ? "" : "/gpus", place->gpu->slug);
    if (recipe)
        buf_printf(out, "/%s", recipe);
    buf_puts(out, tail);
}

static enum err_code find(struct api_scope *s, bool has_model, bool has_gpu, const char *tail,
                          struct parts_place *out, bool *out_is_done, struct err *e)
{
    const char *model = has_model ? http_arg(s->request, "model") : NULL;
    const char *gpu = has_gpu ? http_arg(s->request, "gpu") : NULL;
    const char *recipe = http_arg(s->request, "recipe");
    struct buf path;

    *out = (struct parts_place){0};
    *out_is_done = false;
    if (model && !(out->model = catalog_model(s->catalog, model)))
        return unknown_model(s, model, e);
    if (gpu && !(out->gpu = catalog_gpu(s->catalog, gpu)))
        return unknown_gpu(s, gpu, e);
    if ((!model || strcmp(model, out->model->slug) == 0) &&
        (!gpu || strcmp(gpu, out->gpu->slug) == 0))
        return ERR_OK;
    if (recipe && !slug_check(recipe)) {
        const char *const none[] = {NULL};

        return parts_not_found(s, "recipe", recipe, none, e);
    }
    buf_init(&path, 1024);
    write_path(out, recipe, tail, &path);
    http_reply_redirect(s->reply, buf_text(&path));
    buf_done(&path);
    *out_is_done = true;
    return ERR_OK;
}

enum err_code parts_find(struct api_scope *s, bool has_model, bool has_gpu, struct parts_place *out,
                         bool *out_is_done, struct err *e)
{
    return find(s, has_model, has_gpu, "", out, out_is_done, e);
}

enum err_code parts_find_below(struct api_scope *s, const char *tail, struct parts_place *out,
                               bool *out_is_done, struct err *e)
{
    return find(s, true, true, tail, out, out_is_done, e);
}
