/* Names and numbers from parameters to what they stand for. */
#include "api/asked.h"

#include "base/mem.h"
#include "db/figures.h"
#include "db/recipes.h"

#include <string.h>
#include <strings.h>

enum { PARTS_MOST = 3 };

/* One part of a parameter's value: its text, and what stands around it. */
struct part {
    const char *text;
    const char *before;
    const char *after;
};

/* A parameter's value, taken apart.
 *
 * parts: model, GPU, recipe; count of them */
struct names {
    const char *parameter;
    struct part parts[PARTS_MOST];
    size_t count;
};

static enum err_code refuse_form(struct api_scope *s, const char *parameter, enum asked_form form,
                                 struct err *e)
{
    static const char *const details[] = {
        [ASKED_RECIPE] = "it is no MODEL/GPU/RECIPE",
        [ASKED_RECIPE_OR_BEST] = "it is neither MODEL/GPU/RECIPE nor MODEL/GPU",
    };

    http_reply_issue(s->reply, parameter, details[form], NULL, NULL);
    return err_set(e, ERR_INPUT, "%s: %s", parameter, details[form]);
}

/* Split at the slashes; no part may be empty. */
static enum err_code split(struct api_scope *s, enum asked_form form, struct names *names,
                           struct err *e)
{
    const char *text = http_query(s->request, names->parameter);
    const char *at = text;

    do {
        size_t len = strcspn(at, "/");
        struct part *part;

        if (len == 0 || names->count == PARTS_MOST)
            return refuse_form(s, names->parameter, form, e);
        part = &names->parts[names->count];
        part->text = arena_text(&s->arena, at, len);
        part->before = arena_text(&s->arena, text, (size_t)(at - text));
        part->after = at + len;
        if (!part->text || !part->before)
            return err_nomem(e);
        names->count++;
        at += len + 1;
    } while (at[-1] == '/');
    if (names->count == PARTS_MOST || (form == ASKED_RECIPE_OR_BEST && names->count == 2))
        return ERR_OK;
    return refuse_form(s, names->parameter, form, e);
}

/* A part as the name of something. */
static struct parts_name name_of(const struct names *names, size_t at, const char *noun)
{
    const struct part *part = &names->parts[at];

    return (struct parts_name){names->parameter, noun, part->text, part->before, part->after};
}

const char *asked_label(struct api_scope *s, const char *model, const char *gpu, const char *recipe)
{
    const char *const parts[] = {model, "/", gpu, recipe ? "/" : "", recipe ? recipe : ""};
    size_t len = 0;
    char *label, *at;

    for (size_t i = 0; i < COUNT_OF(parts); i++)
        len += strlen(parts[i]);
    label = arena_array(&s->arena, len + 1, 1);
    at = label;
    for (size_t i = 0; label && i < COUNT_OF(parts); i++) {
        memcpy(at, parts[i], strlen(parts[i]));
        at += strlen(parts[i]);
    }
    return label;
}

static enum err_code find_place(struct api_scope *s, const struct names *names,
                                struct asked_recipe *out, struct err *e)
{
    const struct parts_name model = name_of(names, 0, "model");
    const struct parts_name gpu = name_of(names, 1, "GPU");
    enum err_code rc = parts_model(s, &model, &out->model, e);

    return rc == ERR_OK ? parts_gpu(s, &gpu, &out->gpu, e) : rc;
}

/* A recipe that is not there by its name may be there in other letters; else the nearest are
 * offered. */
static enum err_code find_other_spelling(struct api_scope *s, const struct names *names,
                                         struct asked_recipe *out, struct err *e)
{
    const char *model = out->model->slug;
    const char *gpu = out->gpu->slug;
    const struct parts_name name = name_of(names, 2, "recipe");
    const char *const *known = NULL;
    enum err_code rc = db_recipe_slugs(s->db, model, gpu, &s->arena, &known, e);

    if (rc != ERR_OK)
        return rc;
    for (size_t i = 0; known[i]; i++)
        if (strcasecmp(known[i], name.given) == 0) {
            out->recipe = known[i];
            return db_figures_of_recipe(s->db, model, gpu, known[i], &out->figures, e);
        }
    return parts_unknown(s, &name, known, e);
}

static enum err_code find_recipe(struct api_scope *s, const struct names *names,
                                 struct asked_recipe *out, struct err *e)
{
    enum err_code rc;

    out->recipe = names->parts[2].text;
    rc = db_figures_of_recipe(s->db, out->model->slug, out->gpu->slug, out->recipe, &out->figures,
                              e);
    return rc == ERR_NOT_FOUND ? find_other_spelling(s, names, out, e) : rc;
}

/* The GPUs on which a model has any figure are offered where it has none. */
static enum err_code refuse_pair(struct api_scope *s, const struct names *names,
                                 const struct asked_recipe *asked, struct err *e)
{
    const struct published *published = asked->model->published.items;
    size_t count = asked->model->published.count;
    const struct parts_name name = name_of(names, 1, "recipe or published figure on");
    struct ranking_list mains = {0};
    const char **known;
    enum err_code rc = db_rankings_of(s->db, asked->model->slug, NULL, &s->arena, &mains, e);

    if (rc != ERR_OK)
        return rc;
    known = arena_array(&s->arena, mains.count + count + 1, sizeof *known);
    if (!known)
        return err_nomem(e);
    for (size_t i = 0; i < mains.count; i++)
        known[i] = mains.items[i].gpu;
    for (size_t i = 0; i < count; i++)
        known[mains.count + i] = published[i].gpu;
    return parts_unknown(s, &name, known, e);
}

/* Find the fastest of what is known of a model on a GPU. */
static enum err_code find_best(struct api_scope *s, const struct names *names,
                               struct asked_recipe *out, struct err *e)
{
    const struct published *published = parts_published(out->model, out->gpu->slug);
    struct ranking_list main = {0};
    const struct ranking *best;
    enum err_code rc =
        db_rankings_main_of(s->db, out->model->slug, out->gpu->slug, &s->arena, &main, e);

    if (rc != ERR_OK)
        return rc;
    best = main.count > 0 ? main.items : NULL;
    if (!best && !published)
        return refuse_pair(s, names, out, e);
    if (best &&
        (!published || best->best_tokens_per_s_per_gpu >= published->tokens_per_s_per_gpu)) {
        out->recipe = best->best_recipe;
        return db_figures_of_recipe(s->db, out->model->slug, out->gpu->slug, out->recipe,
                                    &out->figures, e);
    }
    out->published = published;
    out->figures.tokens_per_s_per_gpu = published->tokens_per_s_per_gpu;
    out->figures.gpus = published->gpus;
    return ERR_OK;
}

enum err_code asked_recipe_find(struct api_scope *s, const char *parameter, enum asked_form form,
                                struct asked_recipe *out, struct err *e)
{
    struct names names = {.parameter = parameter};
    struct asked_recipe found = {0};
    enum err_code rc = split(s, form, &names, e);

    if (rc == ERR_OK)
        rc = find_place(s, &names, &found, e);
    if (rc == ERR_OK)
        rc = names.count == PARTS_MOST ? find_recipe(s, &names, &found, e)
                                       : find_best(s, &names, &found, e);
    if (rc != ERR_OK)
        return rc;
    found.label = asked_label(s, found.model->slug, found.gpu->slug, found.recipe);
    if (!found.label)
        return err_nomem(e);
    *out = found;
    return ERR_OK;
}

void asked_put_members(struct json *j, const struct asked_recipe *asked)
{
    json_put_text(j, "model", asked->model->slug);
    json_put_text(j, "gpu", asked->gpu->slug);
    json_put_text(j, "recipe", asked->recipe ? asked->label : NULL);
    if (asked->published)
        parts_put_published(j, "published", asked->published);
    else
        json_put_null(j, "published");
    json_put_int(j, "gpus", asked->figures.gpus);
    json_put_real(j, "tokens_per_s_per_gpu", asked->figures.tokens_per_s_per_gpu);
    json_begin(j, "url", '"');
    buf_printf(j->buf, "/models/%s", asked->label); /* Slugs need no escaping. */
    json_end(j, '"');
}

static enum err_code read_tokens(struct api_scope *s, int64_t *out, struct err *e)
{
    const char *text = http_query(s->request, "tokens");

    if (tokens_parse(text, strlen(text), out, e) == ERR_OK)
        return ERR_OK;
    http_reply_issue(s->reply, "tokens", e->text, NULL, NULL);
    return err_wrap(e, "tokens");
}

enum err_code asked_tokens_and_prices(struct api_scope *s, int64_t *out_tokens,
                                      struct prices *out_prices, struct err *e)
{
    enum err_code rc = read_tokens(s, out_tokens, e);
    struct err later;

    if (parts_prices(s, out_prices, rc == ERR_OK ? e : &later) != ERR_OK && rc == ERR_OK)
        rc = e->code;
    return rc;
}
