/* GET /plan: which recipes of a model fit a budget, a deadline and a number of GPUs. */
#include "api/asked.h"
#include "api/endpoints.h"
#include "api/list.h"
#include "core/plan.h"
#include "db/figures.h"

#include <string.h>

/* What was asked, and what was found.
 *
 * gpus:       that recipes may be of; all where gpu_count is 0
 * candidates: in the order of their GPUs */
struct plan_view {
    const struct model *model;
    const struct gpu **gpus;
    size_t gpu_count;
    struct prices prices;
    struct plan_limits limits;
    struct plan_sort sort;
    struct plan_candidate *candidates;
    size_t candidate_count;
    struct plan plan;
};

static enum err_code read_sort(struct api_scope *s, struct plan_sort *out, struct err *e)
{
    const char *word;

    for (size_t i = 0; (word = http_query_at(s->request, "sort", i)) != NULL; i++)
        if (plan_sort_add(out, word, e) != ERR_OK) {
            http_reply_issue(s->reply, "sort", e->text, NULL, NULL);
            return err_wrap(e, "sort");
        }
    return ERR_OK;
}

/* Read what needs no catalogue. */
static enum err_code read_limits(struct api_scope *s, struct plan_view *view, struct err *e)
{
    struct plan_limits *limits = &view->limits;
    enum err_code rc = asked_tokens_and_prices(s, &limits->tokens, &view->prices, e);
    struct err other;

    limits->budget_usd = http_query_real(s->request, "budget_usd", 0);
    limits->deadline_hours = http_query_real(s->request, "deadline_hours", 0);
    limits->max_gpus = http_query_int(s->request, "max_gpus", 0);
    if (read_sort(s, &view->sort, rc == ERR_OK ? e : &other) != ERR_OK && rc == ERR_OK)
        rc = e->code;
    return rc;
}

static bool is_asked_gpu(const struct plan_view *view, const char *gpu)
{
    for (size_t i = 0; i < view->gpu_count; i++)
        if (strcmp(view->gpus[i]->slug, gpu) == 0)
            return true;
    return view->gpu_count == 0;
}

/* Find the GPUs that are asked for, each once. */
static enum err_code find_gpus(struct api_scope *s, struct plan_view *view, struct err *e)
{
    struct parts_name name = {"gpu", "GPU", NULL, "", ""};
    enum err_code rc = ERR_OK;
    size_t count = 0;

    while (http_query_at(s->request, "gpu", count))
        count++;
    view->gpus = arena_array(&s->arena, count + 1, sizeof *view->gpus);
    if (!view->gpus)
        return err_nomem(e);
    for (size_t i = 0; i < count && rc == ERR_OK; i++) {
        const struct gpu *gpu = NULL;

        name.given = http_query_at(s->request, "gpu", i);
        rc = parts_gpu(s, &name, &gpu, e);
        if (rc == ERR_OK && (view->gpu_count == 0 || !is_asked_gpu(view, gpu->slug)))
            view->gpus[view->gpu_count++] = gpu;
    }
    return rc;
}

static enum err_code find_names(struct api_scope *s, struct plan_view *view, struct err *e)
{
    const struct parts_name name = {"model", "model", http_query(s->request, "model"), "", ""};
    enum err_code rc = parts_model(s, &name, &view->model, e);

    return rc == ERR_OK ? find_gpus(s, view, e) : rc;
}

static bool is_asked_confirmation(const struct api_scope *s, const char *confirmation)
{
    const char *word = NULL;
    size_t i = 0;

    while ((word = http_query_at(s->request, "confirmation", i)) != NULL &&
           strcmp(word, confirmation) != 0)
        i++;
    return word || i == 0;
}

/* The GPU of the candidate before another one; "" before the first. */
static const char *gpu_before(const struct plan_view *view, size_t at)
{
    return at > 0 ? view->candidates[at - 1].gpu : "";
}

static enum err_code find_candidates(struct api_scope *s, struct plan_view *view, struct err *e)
{
    struct figures_list found = {0};
    enum err_code rc = db_figures_of_model(s->db, view->model->slug, &s->arena, &found, e);

    if (rc != ERR_OK)
        return rc;
    view->candidates = arena_array(&s->arena, found.count + 1, sizeof *view->candidates);
    if (!view->candidates)
        return err_nomem(e);
    for (size_t i = 0; i < found.count; i++) {
        const struct recipe_figures *r = &found.items[i];
        struct plan_candidate *next = &view->candidates[view->candidate_count];

        if (!is_asked_gpu(view, r->gpu) || !is_asked_confirmation(s, r->confirmation))
            continue;
        *next = (struct plan_candidate){.gpu = r->gpu, .figures = r->figures};
        next->recipe = asked_label(s, view->model->slug, r->gpu, r->recipe);
        if (!next->recipe)
            return err_nomem(e);
        if (strcmp(gpu_before(view, view->candidate_count++), r->gpu) == 0)
            next->usd_per_gpu_hour = next[-1].usd_per_gpu_hour;
        else
            next->usd_per_gpu_hour = parts_gpu_hour(s, &view->prices, r->gpu, NULL);
    }
    return ERR_OK;
}

static void put_limit(struct json *j, const char *key, double limit)
{
    if (limit > 0)
        json_put_real(j, key, limit);
    else
        json_put_null(j, key);
}

static void put_constraints(struct api_scope *s, const struct plan_view *view)
{
    struct json *j = &s->json;
    const char *word;

    json_begin(j, "constraints", '{');
    put_limit(j, "budget_usd", view->limits.budget_usd);
    put_limit(j, "deadline_hours", view->limits.deadline_hours);
    if (view->limits.max_gpus > 0)
        json_put_int(j, "max_gpus", view->limits.max_gpus);
    else
        json_put_null(j, "max_gpus");
    json_begin(j, "gpu", '[');
    for (size_t i = 0; i < view->gpu_count; i++)
        json_put_text(j, NULL, view->gpus[i]->slug);
    json_end(j, ']');
    json_begin(j, "confirmation", '[');
    for (size_t i = 0; (word = http_query_at(s->request, "confirmation", i)) != NULL; i++)
        json_put_text(j, NULL, word);
    json_end(j, ']');
    json_end(j, '}');
}

static enum err_code put_json(struct api_scope *s, const struct plan_view *view, struct err *e)
{
    struct json *j = &s->json;
    struct list_window window = {0};
    enum err_code rc;

    json_begin(j, NULL, '{');
    json_put_text(j, "model", view->model->slug);
    json_put_int(j, "tokens", view->limits.tokens);
    put_constraints(s, view);
    json_begin(j, "pricing", '{');
    for (size_t i = 0; i < view->candidate_count; i++)
        if (strcmp(gpu_before(view, i), view->candidates[i].gpu) != 0)
            parts_put_pricing(s, view->candidates[i].gpu, &view->prices, view->candidates[i].gpu);
    json_end(j, '}');
    rc = list_window(s, view->plan.count, &window, e);
    plan_write_json(&view->plan, window.first, window.end, "plans", j);
    json_end(j, '}');
    return rc;
}

static enum err_code put_text(struct api_scope *s, const struct plan_view *view, struct err *e)
{
    struct buf *out = s->json.buf;
    struct list_window window = {0};
    enum err_code rc = list_window_read(s, view->plan.count, &window, e);

    if (rc == ERR_OK)
        rc = plan_write_text(&view->plan, window.first, window.end, API_ARENA_LIMIT, out, e);
    if (rc != ERR_OK)
        return rc;
    buf_putc(out, '\n');
    if (view->plan.count == 0)
        buf_printf(out, "no recipe of %s\n", view->model->slug);
    if (window.end - window.first < view->plan.count)
        buf_printf(out, "rows %zu to %zu of %zu\n", window.first + 1, window.end, view->plan.count);
    for (size_t i = 0; i < view->candidate_count; i++)
        if (strcmp(gpu_before(view, i), view->candidates[i].gpu) != 0)
            parts_put_pricing_text(s, &view->prices, view->candidates[i].gpu);
    return ERR_OK;
}

static enum err_code answer(struct api_scope *s, struct err *e)
{
    struct plan_view *view = arena_array(&s->arena, 1, sizeof *view);
    const struct plan_sort *sort;
    enum err_code rc;

    if (!view)
        return err_nomem(e);
    rc = read_limits(s, view, e);
    if (rc == ERR_OK)
        rc = find_names(s, view, e);
    if (rc == ERR_OK)
        rc = find_candidates(s, view, e);
    if (rc != ERR_OK)
        return rc;
    sort = view->sort.count > 0 ? &view->sort : NULL;
    rc = plan_make(view->candidates, view->candidate_count, &view->limits, sort, &view->plan, e);
    if (rc != ERR_OK)
        return rc;
    if (http_request_format(s->request) == HTTP_TEXT)
        rc = put_text(s, view, e);
    else
        rc = put_json(s, view, e);
    plan_done(&view->plan);
    return rc;
}

enum err_code api_plan(const struct http_request *request, struct http_reply *reply, void *app,
                       struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
