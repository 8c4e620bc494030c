/* From a recipe's path to the recipe, or to why it is not there. */
#include "api/recipe_find.h"

#include "db/recipes.h"

#include <string.h>
#include <strings.h>

/* Revisions that a 410 lists; the history has all. */
enum { SHOWN = 20 };

/* Longest path of a recipe, with its tail. */
enum { PATH_LIMIT = 1024 };

static enum err_code was_there(struct api_scope *s, const struct recipe_place *at, bool *out_was,
                               struct err *e)
{
    struct revision_list list = {0};
    enum err_code rc =
        db_revisions_list(s->db, at->model, at->gpu, at->recipe, &s->arena, &list, e);

    *out_was = list.count > 0;
    return rc;
}

enum err_code recipe_find(struct api_scope *s, const char *tail, struct recipe_place *out,
                          bool *out_is_done, struct err *e)
{
    enum err_code rc = ERR_OK;
    bool was = false;

    *out_is_done = false;
    *out = (struct recipe_place){.model = http_arg(s->request, "model"),
                                 .gpu = http_arg(s->request, "gpu"),
                                 .recipe = http_arg(s->request, "recipe"),
                                 .tail = tail};
    /* A model that no file describes leaves with its last recipe, whose history stays. */
    if (!catalog_model(s->catalog, out->model) || !catalog_gpu(s->catalog, out->gpu))
        rc = was_there(s, out, &was, e);
    if (rc == ERR_OK && !was)
        rc = parts_find_below(s, tail, &out->place, out_is_done, e);
    return rc;
}

void recipe_put_revision(struct json *j, const struct recipe_place *at,
                         const struct revision *revision)
{
    json_begin(j, NULL, '{');
    json_put_text(j, "hash", revision->hash);
    json_put_text(j, "first_seen", revision->first_seen);
    json_put_text(j, "replaced_at", revision->replaced_at);
    json_put_real(j, "tokens_per_s_per_gpu", revision->tokens_per_s_per_gpu);
    json_put_text(j, "measured", revision->measured);
    json_begin(j, "url", '"');
    /* Slugs and hexadecimal digits need no escaping. */
    buf_printf(j->buf, "/models/%s/%s/%s@%s", at->model, at->gpu, at->recipe, revision->hash);
    json_end(j, '"');
    json_end(j, '}');
}

/* Say that the recipe was withdrawn, and what it was. */
static enum err_code gone(struct api_scope *s, const struct recipe_place *at,
                          const struct revision_list *list, struct err *e)
{
    struct json j;

    json_init(&j, http_reply_members(s->reply));
    json_begin(&j, "history", '[');
    for (size_t i = 0; i < list->count && i < SHOWN; i++)
        recipe_put_revision(&j, at, &list->items[i]);
    json_end(&j, ']');
    json_begin(&j, "links", '{');
    json_put_key(&j, "history");
    buf_printf(j.buf, "\"/models/%s/%s/%s/history\"", at->model, at->gpu, at->recipe);
    json_end(&j, '}');
    return err_set(e, ERR_GONE, "the recipe %s of %s on %s was withdrawn at %s; its history stays",
                   at->recipe, at->model, at->gpu, list->items[0].replaced_at);
}

enum err_code recipe_missing(struct api_scope *s, const struct recipe_place *at, struct err *e)
{
    const char *const *known = NULL;
    struct revision_list list = {0};
    struct buf path;
    enum err_code rc =
        db_revisions_list(s->db, at->model, at->gpu, at->recipe, &s->arena, &list, e);

    if (rc == ERR_OK && list.count > 0)
        return gone(s, at, &list, e);
    if (rc == ERR_OK)
        rc = db_recipe_slugs(s->db, at->model, at->gpu, &s->arena, &known, e);
    if (rc != ERR_OK)
        return rc;
    for (size_t i = 0; known[i]; i++) {
        if (strcasecmp(known[i], at->recipe) != 0)
            continue;
        buf_init(&path, PATH_LIMIT);
        buf_printf(&path, "/models/%s/%s/%s%s", at->model, at->gpu, known[i], at->tail);
        http_reply_redirect(s->reply, buf_text(&path));
        buf_done(&path);
        return ERR_OK;
    }
    return parts_not_found(s, "recipe", at->recipe, known, e);
}
