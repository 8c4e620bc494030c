/* From the path to what it names: the model, the GPU; redirects for other spellings. */
#include "api/parts.h"

#include "base/num.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

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
