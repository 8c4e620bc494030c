/* GET /compare: two recipes side by side, or a recipe and a figure published elsewhere. */
#include "api/asked.h"
#include "api/endpoints.h"
#include "core/compare.h"
#include "db/recipes.h"

#include <string.h>

/* One of the two. */
struct side {
    struct asked_recipe asked;
    struct compare_side compared;
};

/* Both.
 *
 * prices: the client's */
struct compare_view {
    struct side a;
    struct side b;
    struct prices prices;
    struct comparison comparison;
};

static enum err_code load(struct api_scope *s, struct compare_view *view, struct side *side,
                          struct err *e)
{
    const struct asked_recipe *asked = &side->asked;
    const struct published *published = asked->published;
    struct compare_side *compared = &side->compared;
    enum err_code rc;

    *compared = (struct compare_side){
        .label = asked->label,
        .model = asked->model->slug,
        .figures = asked->figures,
        .usd_per_gpu_hour = parts_gpu_hour(s, &view->prices, asked->gpu->slug, NULL),
    };
    if (published) {
        if (!parts_is_chosen(&view->prices, asked->gpu->slug))
            compared->published_usd_per_million_tokens = published->usd_per_million_tokens;
        return ERR_OK;
    }
    rc = db_recipe_facts(s->db, asked->model->slug, asked->gpu->slug, asked->recipe, &s->arena,
                         &compared->facts, e);
    if (rc == ERR_OK && !*compared->facts)
        rc = err_set(e, ERR_BUSY, "%s was stored by an earlier version: it must be imported again",
                     asked->label);
    return rc;
}

static void put_side(struct api_scope *s, const char *key, const struct compare_view *view,
                     const struct side *side)
{
    struct json *j = &s->json;
    double usd = compare_usd(&side->compared);

    json_begin(j, key, '{');
    asked_put_members(j, &side->asked);
    if (usd > 0)
        json_put_real(j, "usd_per_million_tokens", usd);
    else
        json_put_null(j, "usd_per_million_tokens");
    parts_put_pricing(s, "pricing", &view->prices, side->asked.gpu->slug);
    json_end(j, '}');
}

static enum err_code put(struct api_scope *s, const struct compare_view *view, struct err *e)
{
    struct buf *out = s->json.buf;
    enum err_code rc;

    if (http_request_format(s->request) != HTTP_TEXT) {
        json_begin(&s->json, NULL, '{');
        put_side(s, "a", view, &view->a);
        put_side(s, "b", view, &view->b);
        compare_write_json(&view->comparison, &s->json);
        json_end(&s->json, '}');
        return ERR_OK;
    }
    rc = compare_write_text(&view->comparison, API_ARENA_LIMIT, out, e);
    buf_putc(out, '\n');
    parts_put_pricing_text(s, &view->prices, view->a.asked.gpu->slug);
    if (view->a.asked.gpu != view->b.asked.gpu)
        parts_put_pricing_text(s, &view->prices, view->b.asked.gpu->slug);
    return rc;
}

static enum err_code compare(struct api_scope *s, struct compare_view *view, struct err *e)
{
    enum err_code rc = load(s, view, &view->a, e);

    if (rc == ERR_OK)
        rc = load(s, view, &view->b, e);
    if (rc == ERR_OK)
        rc = compare_make(&view->a.compared, &view->b.compared, &view->comparison, e);
    if (rc != ERR_OK)
        return rc;
    rc = put(s, view, e);
    compare_done(&view->comparison);
    return rc;
}

/* Find both, so that both are told where neither is there. */
static enum err_code find_sides(struct api_scope *s, struct compare_view *view, struct err *e)
{
    enum err_code rc = asked_recipe_find(s, "a", ASKED_RECIPE_OR_BEST, &view->a.asked, e);
    struct err other;

    if (rc != ERR_OK && err_kind(rc)->http_status >= 500)
        return rc;
    if (asked_recipe_find(s, "b", ASKED_RECIPE_OR_BEST, &view->b.asked, &other) == ERR_OK)
        return rc;
    if (rc != ERR_OK && err_kind(other.code)->http_status < 500)
        return err_set(e, rc, "%s; %s", e->text, other.text);
    *e = other;
    return e->code;
}

static enum err_code answer(struct api_scope *s, struct err *e)
{
    struct compare_view *view = arena_array(&s->arena, 1, sizeof *view);
    enum err_code rc;

    if (!view)
        return err_nomem(e);
    rc = parts_prices(s, &view->prices, e);
    if (rc == ERR_OK)
        rc = find_sides(s, view, e);
    return rc == ERR_OK ? compare(s, view, e) : rc;
}

enum err_code api_compare(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
