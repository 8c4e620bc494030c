/* Each check looks at a few members and says what it found and what it should be. */
#include "core/check.h"

#include "base/num.h"
#include "base/text.h"
#include "core/cost.h"
#include "core/figures.h"
#include "core/place.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What every check looks at.
 *
 * gpu: the recipe's, of the catalogue; NULL if it has none */
struct check {
    struct recipe *r;
    const struct tree_node *root;
    const struct catalog *catalog;
    const struct gpu *gpu;
    struct report *report;
};

/* Find the node of a dotted path, or the nearest one above that is there. */
static const struct tree_node *find_node(const struct tree_node *root, const char *path)
{
    const struct tree_node *node = root;
    char key[SLUG_BYTES];

    while (*path) {
        size_t len = strcspn(path, ".");
        const struct tree_node *child;

        if (len >= sizeof key || node->kind != TREE_MAP)
            break;
        memcpy(key, path, len);
        key[len] = '\0';
        child = tree_find(node, key);
        if (!child)
            break;
        node = child;
        path += len + (path[len] == '.' ? 1 : 0);
    }
    return node;
}

/* Note a problem at the place of its field; one of the whole file has the path "" and no place. */
PRINTF_LIKE(4, 5)
static void add(const struct check *c, enum severity severity, const char *path, const char *fmt,
                ...)
{
    const struct tree_node *node = find_node(c->root, path);
    char message[REPORT_MESSAGE_LIMIT + 2]; /* As much as tells the report that it must cut. */
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args); /* The report marks what was cut. */
    va_end(args);
    report_add(c->report, severity, *path ? node->line : 0, *path ? node->column : 0, path, "%s",
               message);
}

/* Most GPUs among which the one that was meant is looked for. */
enum { NAMES_LIMIT = 256 };

static const char *nearest_gpu(const struct catalog *catalog, const char *slug)
{
    const struct gpu *gpus = catalog->gpus.items;
    const char *slugs[NAMES_LIMIT] = {NULL};
    size_t count = 0;

    for (; count < catalog->gpus.count && count < NAMES_LIMIT; count++)
        slugs[count] = gpus[count].slug;
    return text_nearest(slug, slugs, count);
}

static void check_gpu(const struct check *c)
{
    const struct recipe *r = c->r;
    int64_t count = r->gpu.count, per_node = r->gpu.per_node;
    const char *nearest = c->gpu ? NULL : nearest_gpu(c->catalog, r->derived.gpu_slug);

    if (nearest)
        add(c, SEVERITY_ERROR, "gpu.type", "%s is not in the catalogue; did you mean %s?",
            r->gpu.type, nearest);
    else if (!c->gpu)
        add(c, SEVERITY_ERROR, "gpu.type", "%s is not in the catalogue", r->gpu.type);
    else if (r->gpu.memory_gb != c->gpu->memory_gb)
        add(c, SEVERITY_WARNING, "gpu.memory_gb",
            "%" PRId64 ", but the catalogue says %" PRId64 " for %s", r->gpu.memory_gb,
            c->gpu->memory_gb, c->gpu->name);
    if (count > per_node && count % per_node != 0)
        add(c, SEVERITY_ERROR, "gpu.count",
            "%" PRId64 ", but whole nodes of %" PRId64 " GPUs give a multiple of %" PRId64, count,
            per_node, per_node);
}

/* A model that the catalogue lacks is created from the recipe, so its name must give a slug. */
static void check_names(const struct check *c)
{
    const struct recipe *r = c->r;
    const struct model *model = catalog_model(c->catalog, r->derived.model_slug);

    if (!slug_check(r->derived.model_slug))
        add(c, SEVERITY_ERROR, "model", "%s in lower case is no slug", r->model);
    else if (!model || !model->family)
        add(c, SEVERITY_WARNING, "model",
            "%s is not in the catalogue; it is created from the recipe", r->model);
    if (!catalog_author(c->catalog, r->author.name))
        add(c, SEVERITY_WARNING, "author.name",
            "%s is not among the catalogue's authors, so there is no citation", r->author.name);
}

/* A file below a folder named "recipes" stands where its content says. */
static void check_place(const struct check *c, const char *path)
{
    const struct recipe *r = c->r;
    struct recipe_place place;

    if (!recipe_place_of(path, &place)) {
        add(c, SEVERITY_ERROR, "",
            "the path below recipes/ is %s, but must be <model>/<gpu>/<recipe>.yaml in slugs",
            recipe_place_below(path));
        return;
    }
    if (strcmp(place.model, r->derived.model_slug) != 0)
        add(c, SEVERITY_ERROR, "model", "%s is not the folder's model, %s", r->model, place.model);
    if (c->gpu && strcmp(place.gpu, c->gpu->slug) != 0)
        add(c, SEVERITY_ERROR, "gpu.type", "%s is not the folder's GPU, %s", r->gpu.type,
            place.gpu);
}

static void check_path(const struct check *c, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (recipe_place_below(path))
        check_place(c, path);
    else if (!slug_check(c->r->derived.recipe_slug))
        add(c, SEVERITY_ERROR, "", "the file's name, %s, is no slug followed by .yaml",
            slash ? slash + 1 : path);
}

/* Experts are spread over the GPUs of a pipeline stage: ep * etp divides them. */
static void check_experts(const struct check *c)
{
    int64_t gpus = c->r->gpu.count, pp = c->r->layout.pp;
    int64_t ep = c->r->layout.ep, etp = c->r->layout.etp;
    int64_t stage = gpus / pp;

    if (gpus % pp == 0 && (ep > stage || etp > stage || stage % (ep * etp) != 0))
        add(c, SEVERITY_ERROR, "layout.ep",
            "ep %" PRId64 " * etp %" PRId64 " does not divide the %" PRId64
            " GPUs of a pipeline stage",
            ep, etp, stage);
}

static void check_layout(const struct check *c)
{
    const struct recipe *r = c->r;
    struct figure dp;

    figure_dp(r, &dp);
    if (!dp.agrees)
        add(c, SEVERITY_ERROR, "layout.dp", "%s, but %s", dp.found, dp.expected);
    check_experts(c);
    if (r->layout.pp == 1 && r->layout.layer_split.is_present)
        add(c, SEVERITY_ERROR, "layout.layer_split", "given, but pp 1 has one stage");
    if (r->layout.pp == 1 && r->layout.vpp > 1)
        add(c, SEVERITY_ERROR, "layout.vpp", "%" PRId64 ", but pp 1 has one stage", r->layout.vpp);
}

/* Steps are counted from 0, so a run of 20 ends with step 19. */
static void check_window(const struct check *c)
{
    const struct recipe *r = c->r;
    int64_t first = r->result.window.items[0], last = r->result.window.items[1];
    struct figure tokens;

    if (first > last) {
        add(c, SEVERITY_ERROR, "result.window", "step %" PRId64 " is after step %" PRId64, first,
            last);
        return;
    }
    if (last >= r->result.steps_per_run)
        add(c, SEVERITY_ERROR, "result.window",
            "step %" PRId64 " is outside a run of %" PRId64 " steps, 0 to %" PRId64, last,
            r->result.steps_per_run, r->result.steps_per_run - 1);
    figure_window_tokens(r, &tokens);
    if (!tokens.agrees)
        add(c, SEVERITY_ERROR, "result.window_tokens", "%s, but %s", tokens.found, tokens.expected);
}

/* Rows are dealt to dp ranks in microbatches of one size, unless batching is dynamic. */
static void check_batch(const struct check *c)
{
    const struct recipe *r = c->r;
    int64_t batch = r->workload.global_batch, dp = r->layout.dp;
    int64_t rows = r->layout.rows_per_microbatch;

    if (rows > 0 && r->layout.max_tokens_per_gpu == 0 &&
        (dp > batch || rows > batch || batch % (dp * rows) != 0))
        add(c, SEVERITY_ERROR, "workload.global_batch",
            "%" PRId64 " is no multiple of dp %" PRId64 " * rows_per_microbatch %" PRId64, batch,
            dp, rows);
}

static bool is_fail(const char *result)
{
    return strcmp(result, "fail") == 0;
}

/* What claims that all passed must not stand beside a part that failed. */
static void check_outcomes(const struct check *c)
{
    const struct recipe *r = c->r;
    const struct component_test *tests = r->correctness.component_tests.items;
    const char *failed = NULL;

    for (size_t i = 0; i < r->correctness.component_tests.count; i++)
        if (is_fail(tests[i].result))
            failed = "a component test";
    if (is_fail(r->correctness.configuration))
        failed = "the configuration";
    if (is_fail(r->correctness.convergence.result))
        failed = "convergence";
    if (failed && !is_fail(r->correctness.result))
        add(c, SEVERITY_ERROR, "correctness.result", "pass, but the result of %s is fail", failed);
    if (is_fail(r->correctness.result) && strcmp(r->status, "verified") == 0)
        add(c, SEVERITY_ERROR, "status", "verified, but the result of correctness is fail");
}

/* Work out the half unit of a stated figure, as its text shows it. */
static double half_unit(const struct check *c, const char *path, double stated)
{
    const struct tree_node *node = find_node(c->root, path);

    return stated > 0 && node->kind == TREE_SCALAR ? figure_half_unit(node->text) : 0;
}

/* Slowest speed that is believed, tokens/s: far below any GPU, and far above where a cost would
 * leave the range of a double. */
static const double min_speed = 1e-6;

static void check_figures(const struct check *c)
{
    static const char usd_path[] = "result.usd_per_million_tokens", mfu_path[] = "result.mfu";
    struct recipe *r = c->r;
    const struct price *price = c->gpu ? catalog_price(c->catalog, c->gpu->slug) : NULL;
    const struct price *then =
        c->gpu ? catalog_price_on(c->catalog, c->gpu->slug, r->result.measured) : NULL;
    double speed = r->result.tokens_per_s_per_gpu;
    struct figure usd, mfu;
    double computed;
    char text[NUM_TEXT_BYTES];

    r->derived.usd_half_unit = half_unit(c, usd_path, r->result.usd_per_million_tokens);
    r->derived.mfu_half_unit = half_unit(c, mfu_path, r->result.mfu);
    if (speed < min_speed) {
        num_format_real(text, speed);
        add(c, SEVERITY_ERROR, "result.tokens_per_s_per_gpu",
            "%s is too small for costs to be computed; no GPU trains below 1e-06", text);
        return;
    }
    if (price)
        r->derived.usd_per_million_tokens = cost_usd_per_million_tokens(
            cost_usd_per_gpu_hour(price->usd_per_hour, price->gpus), speed);
    figure_usd(r, then, &usd);
    if (usd.is_known && !usd.agrees)
        add(c, SEVERITY_WARNING, usd_path, "%s, but %s", usd.found, usd.expected);
    figure_mfu(r, c->gpu, &mfu);
    computed = c->gpu ? cost_mfu(r->result.active_params.count, speed, c->gpu->peak_bf16_flops) : 0;
    if (computed > 1)
        add(c, SEVERITY_ERROR, "result.tokens_per_s_per_gpu",
            "no GPU is that fast: the MFU would be %s", mfu.expected);
    else if (mfu.is_known && !mfu.agrees)
        add(c, SEVERITY_WARNING, mfu_path, "%s, but %s", mfu.found, mfu.expected);
}

/* Take over what the catalogue knows of the recipe's GPU and model. */
static enum err_code finish_derived(const struct check *c, struct err *e)
{
    struct recipe *r = c->r;
    const struct model *model = catalog_model(c->catalog, r->derived.model_slug);

    if (c->gpu)
        (void)slug_make(r->derived.gpu_slug, c->gpu->slug); /* It is a slug already. */
    if (!model || !model->family)
        return ERR_OK;
    r->derived.family = arena_text(&r->arena, model->family, strlen(model->family));
    return r->derived.family ? ERR_OK : err_nomem(e);
}

enum err_code recipe_check(struct recipe *r, const char *path, const struct tree_node *root,
                           const struct catalog *catalog, struct report *report, struct err *e)
{
    const struct gpu *gpu = catalog_gpu(catalog, r->gpu.type);
    const struct check c = {r, root, catalog, gpu, report};
    enum err_code rc = finish_derived(&c, e);

    if (rc != ERR_OK)
        return rc;
    check_gpu(&c);
    check_names(&c);
    if (path)
        check_path(&c, path);
    check_layout(&c);
    check_batch(&c);
    check_window(&c);
    check_outcomes(&c);
    check_figures(&c);
    return report->is_short ? err_nomem(e) : ERR_OK;
}
