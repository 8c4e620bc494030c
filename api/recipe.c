/* GET /models/{model}/{gpu}/{recipe}: one recipe, whole; its file, its command, its citation. */
#include "api/endpoints.h"
#include "api/recipe_find.h"
#include "base/num.h"
#include "base/text.h"
#include "core/cost.h"
#include "db/recipes.h"

#include <string.h>

/* A recipe with what surrounds it. */
struct recipe_view {
    struct recipe_place at;
    struct recipe_page page;
    struct prices prices;
};

static void put_computed(struct api_scope *s, const struct recipe_view *view)
{
    const struct recipe_page *page = &view->page;
    double speed = page->tokens_per_s_per_gpu;
    double mfu = cost_mfu(page->active_params, speed, view->at.place.gpu->peak_bf16_flops);
    double step_seconds =
        cost_step_seconds(page->global_batch, page->row_tokens, speed, page->gpus);
    double stderr_of_speed = cost_speed_stderr(speed, page->step_time_cv_percent, page->steps);
    struct json *j = &s->json;

    json_begin(j, "computed", '{');
    parts_put_usd(j, "usd_per_million_tokens",
                  parts_gpu_hour(s, &view->prices, view->at.place.gpu->slug, NULL), speed);
    json_put_real(j, "mfu", num_round_digits(mfu, 6));
    json_put_real(j, "step_seconds", num_round_digits(step_seconds, 6));
    json_put_real(j, "speed_stderr", num_round_digits(stderr_of_speed, 6));
    json_end(j, '}');
}

/* Links to what belongs to the recipe. Slugs need no escaping. */
static void put_links(struct json *j, const struct recipe_view *view)
{
    static const struct {
        const char *key;
        const char *suffix;
    } own[] = {
        {"self", ""}, {"yaml", ".yaml"}, {"sh", ".sh"}, {"bib", ".bib"}, {"history", "/history"}};
    const char *model = view->at.place.model->slug;
    const char *gpu = view->at.place.gpu->slug;

    json_begin(j, "links", '{');
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        json_begin(j, own[i].key, '"');
        buf_printf(j->buf, "/models/%s/%s/%s%s", model, gpu, view->at.recipe, own[i].suffix);
        json_end(j, '"');
    }
    json_begin(j, "revision", '"');
    buf_printf(j->buf, "/models/%s/%s/%s@%s", model, gpu, view->at.recipe, view->page.hash);
    json_end(j, '"');
    json_begin(j, "ranking", '"');
    buf_printf(j->buf, "/models/%s/%s", model, gpu);
    json_end(j, '"');
    json_end(j, '}');
}

static enum err_code put_json(struct api_scope *s, const struct recipe_view *view, struct err *e)
{
    const struct recipe_page *page = &view->page;
    struct json *j = &s->json;
    enum err_code rc;

    json_begin(j, NULL, '{');
    parts_put_model(j, "model", view->at.place.model, page->active_params);
    parts_put_gpu(j, "gpu", view->at.place.gpu);
    json_put_text(j, "recipe", view->at.recipe);
    json_put_raw(j, "document", page->document, strlen(page->document));
    parts_put_pricing(s, "pricing", &view->prices, view->at.place.gpu->slug);
    put_computed(s, view);
    json_put_raw(j, "audit", page->audit, strlen(page->audit));
    rc = parts_put_confirmation(s, "confirmation", view->at.place.model->slug,
                                view->at.place.gpu->slug, view->at.recipe, e);
    json_put_text(j, "first_seen", page->first_seen);
    json_put_text(j, "hash", page->hash);
    put_links(j, view);
    parts_put_citation(j, "citation", s->catalog, page->author);
    json_end(j, '}');
    return rc;
}

static void name_file(struct api_scope *s, const struct recipe_view *view, const char *suffix)
{
    struct buf name;

    buf_init(&name, SLUG_BYTES + 10);
    buf_printf(&name, "%s%s", view->at.recipe, suffix);
    http_reply_filename(s->reply, buf_text(&name));
    buf_done(&name);
}

static enum err_code put_bibtex(struct api_scope *s, const struct recipe_view *view, struct err *e)
{
    const struct author *author = catalog_author(s->catalog, view->page.author);

    if (!author)
        return err_set(e, ERR_NOT_FOUND, "the catalogue has no citation of this recipe's author");
    buf_puts(s->json.buf, author->bibtex);
    if (!text_ends(author->bibtex, "\n"))
        buf_putc(s->json.buf, '\n');
    name_file(s, view, ".bib");
    return ERR_OK;
}

static enum err_code put_format(struct api_scope *s, const struct recipe_view *view, struct err *e)
{
    switch (http_request_format(s->request)) {
    case HTTP_YAML:
        buf_add(s->json.buf, view->page.yaml, view->page.yaml_len);
        name_file(s, view, ".yaml");
        return ERR_OK;
    case HTTP_SH:
        buf_puts(s->json.buf, view->page.run);
        name_file(s, view, ".sh");
        return ERR_OK;
    case HTTP_BIB:
        return put_bibtex(s, view, e);
    case HTTP_JSON:
    case HTTP_HTML:
    case HTTP_CSV:
    case HTTP_NDJSON:
    case HTTP_TEXT:
    case HTTP_ATOM:
    case HTTP_SVG:
    case HTTP_JS:
    case HTTP_CSS:
    case HTTP_METRICS:
    case HTTP_PROBLEM:
    case HTTP_FORMATS:
        break;
    }
    return put_json(s, view, e);
}

static enum err_code answer(struct api_scope *s, struct err *e)
{
    struct recipe_view *view = arena_array(&s->arena, 1, sizeof *view);
    bool is_done = false;
    enum err_code rc;

    if (!view)
        return err_nomem(e);
    rc = recipe_find(s, "", &view->at, &is_done, e);
    if (rc != ERR_OK || is_done)
        return rc;
    rc = parts_prices(s, &view->prices, e);
    if (rc == ERR_OK)
        rc = db_recipe_get(s->db, view->at.model, view->at.gpu, view->at.recipe, &s->arena,
                           &view->page, e);
    if (rc == ERR_NOT_FOUND)
        return recipe_missing(s, &view->at, e);
    return rc == ERR_OK ? put_format(s, view, e) : rc;
}

enum err_code api_recipe(const struct http_request *request, struct http_reply *reply, void *app,
                         struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
