/* /cost, /plan and /compare, asked of the real binary: the worked figures, other spellings, every
 * mistake named, and their text forms. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <string.h>
#include <sys/stat.h>

#define QWEN  "qwen3.5-397b-a17b/b200/"
#define MT16K QWEN "attune-tp2-pp8-ep8-vpp2-mt16k"
#define MT8K  QWEN "attune-tp2-pp8-ep8-vpp2-mt8k"
#define GPU48 QWEN "attune-48gpu-tp2-pp6-ep8"

static void get(void **state, const char *target, struct http_response *out)
{
    const struct service *service = *state;

    (void)http_get(service->port, target, NULL, out);
}

static void get_ok(void **state, const char *target, struct http_response *out)
{
    get(state, target, out);
    if (out->status != 200)
        fail_msg("%s: %d: %.500s", target, out->status, out->body);
}

/* Compare a real with what the reply must show, to the last digit. */
static void assert_real(struct http_response *r, const char *path, double expected)
{
    if (json_real_at(r, path) != expected)
        fail_msg("%s: %.17g instead of %.17g", path, json_real_at(r, path), expected);
}

static void assert_text(struct http_response *r, const char *path, const char *expected)
{
    assert_string_equal(json_text_at(r, path), expected);
}

static void a_cost_is_of_exactly_the_tokens_that_were_asked_for(void **state)
{
    struct http_response r;

    get_ok(state, "/cost?recipe=" MT16K "&tokens=10e9", &r);
    assert_text(&r, "recipe", MT16K);
    assert_text(&r, "model", "qwen3.5-397b-a17b");
    assert_text(&r, "gpu", "b200");
    assert_true(json_is_null_at(&r, "published"));
    assert_int_equal(json_int_at(&r, "gpus"), 64);
    assert_text(&r, "url", "/models/" MT16K);
    assert_int_equal(json_int_at(&r, "tokens"), 10000000000);
    assert_int_equal(json_int_at(&r, "steps"), 9537);
    assert_int_equal(json_int_at(&r, "trained_tokens"), 10000269312);
    assert_real(&r, "step_seconds", 13.293);
    assert_real(&r, "gpu_hours", 2253.72);
    assert_real(&r, "wall_hours", 35.2144);
    assert_real(&r, "usd", 32096.6);
    assert_real(&r, "usd_per_million_tokens", 3.20966);
    assert_real(&r, "check.gpu_hours", 22.49);
    assert_real(&r, "check.usd", 320.294);
    assert_real(&r, "uncertainty.speed_stderr", 8.65607);
    assert_real(&r, "uncertainty.usd.low", 31654.8);
    assert_real(&r, "uncertainty.usd.high", 32538.4);
    assert_int_equal(json_int_at(&r, "uncertainty.window_steps"), 15);
    assert_int_equal(json_int_at(&r, "uncertainty.runs"), 1);
    assert_real(&r, "pricing.usd_per_gpu_hour", 14.2416);
    assert_text(&r, "pricing.as_of", "2026-10-20");
    http_response_done(&r);
}

/* Each pair is the same request, but for the addresses of errors. */
static void counts_of_tokens_and_names_have_many_spellings(void **state)
{
    static const char *const same[][2] = {
        {"/cost?recipe=" MT16K "&tokens=10e9", "/cost?tokens=10B&recipe=" MT16K},
        {"/cost?recipe=" MT16K "&tokens=1.5T", "/cost?recipe=" MT16K "&tokens=1500000000000"},
        {"/cost?recipe=" MT16K "&tokens=1",
         "/cost?recipe=Qwen3.5-397B-A17B/B200/ATTUNE-tp2-pp8-ep8-vpp2-MT16K&tokens=1"},
        {"/cost?recipe=gemma-4-31b/h100/attune-tp2-pp4-split13&tokens=8192",
         "/cost?recipe=Gemma-4-31B/h100-sxm/attune-tp2-pp4-split13&tokens=8192"},
        {"/plan?model=gemma-4-31b&tokens=1e9&gpu=h100",
         "/plan?model=gemma-4-31b&tokens=1e9&gpu=H100,h100-sxm"},
        {"/plan?model=gemma-4-31b&tokens=1e9&gpu=h100",
         "/plan?model=GEMMA-4-31B&tokens=1B&gpu=H100"},
        {"/compare?a=" MT16K "&b=qwen3.5-397b-a17b/h200",
         "/compare?a=qwen3.5-397b-a17b/b200&b=QWEN3.5-397B-A17B/H200"},
        {"/compare?a=" MT16K "&b=" MT8K "&price=b200:2",
         "/compare.json?price=B200:2&b=" MT8K "&a=" MT16K},
    };

    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct http_response a, b;

        get_ok(state, same[i][0], &a);
        get_ok(state, same[i][1], &b);
        assert_string_equal(a.body, b.body);
        http_response_done(&a);
        http_response_done(&b);
    }
}

static void the_worked_plan_is_reproduced(void **state)
{
    struct http_response r;

    get_ok(state, "/plan?model=qwen3.5-397b-a17b&tokens=10e9&budget_usd=36000&deadline_hours=48",
           &r);
    assert_text(&r, "model", "qwen3.5-397b-a17b");
    assert_real(&r, "constraints.budget_usd", 36000);
    assert_real(&r, "constraints.deadline_hours", 48);
    assert_true(json_is_null_at(&r, "constraints.max_gpus"));
    assert_real(&r, "pricing.b200.usd_per_gpu_hour", 14.2416);
    assert_int_equal(json_object_size(json_at(&r, "pricing")), 1);
    assert_int_equal(json_int_at(&r, "total"), 3);
    assert_text(&r, "plans.0.recipe", MT16K);
    assert_true(json_bool_at(&r, "plans.0.feasible"));
    assert_real(&r, "plans.0.wall_hours", 35.2144);
    assert_real(&r, "plans.0.usd", 32096.6);
    assert_real(&r, "plans.0.slack.usd.absolute", 3903.42);
    assert_real(&r, "plans.0.slack.hours.fraction", 0.266367);
    assert_true(json_bool_at(&r, "plans.0.on_frontier"));
    assert_true(json_is_null_at(&r, "plans.0.change"));
    assert_text(&r, "plans.1.recipe", MT8K);
    assert_true(json_bool_at(&r, "plans.1.feasible"));
    assert_real(&r, "plans.1.wall_hours", 38.3875);
    assert_real(&r, "plans.1.usd", 34988.7);
    assert_false(json_bool_at(&r, "plans.1.on_frontier"));
    assert_text(&r, "plans.2.recipe", GPU48);
    assert_false(json_bool_at(&r, "plans.2.feasible"));
    assert_real(&r, "plans.2.wall_hours", 53.8079);
    assert_real(&r, "plans.2.usd", 36782.9);
    assert_int_equal(json_count_at(&r, "plans.2.binding"), 2);
    assert_text(&r, "plans.2.change.text",
                "It is feasible with a budget of 36782.9 USD (or a price of at most 13.9384 USD "
                "per GPU-hour) and a deadline of 53.8079 hours.");
    http_response_done(&r);
}

/* A limit that a reply gives is one that the next request fits. */
static void the_change_that_a_plan_names_is_enough(void **state)
{
    struct http_response r;

    get_ok(state,
           "/plan?model=qwen3.5-397b-a17b&tokens=10e9&budget_usd=36782.9&deadline_hours=53.8079",
           &r);
    assert_true(json_bool_at(&r, "plans.2.feasible"));
    http_response_done(&r);
    get_ok(state,
           "/plan?model=qwen3.5-397b-a17b&tokens=10e9&budget_usd=36000&deadline_hours=53.8079"
           "&price=b200:13.9384",
           &r);
    assert_true(json_bool_at(&r, "plans.2.feasible"));
    assert_text(&r, "pricing.b200.basis", "custom");
    http_response_done(&r);
}

static void a_plan_is_narrowed_sorted_and_paged(void **state)
{
    static const char *const order[] = {GPU48, MT8K, MT16K};
    char path[2048] = "/plan?model=qwen3.5-397b-a17b&tokens=1B&sort=gpus,-usd&limit=1";
    struct http_response r;

    for (size_t i = 0; i < 3; i++) {
        get_ok(state, path, &r);
        assert_int_equal(json_int_at(&r, "total"), 3);
        assert_int_equal(json_count_at(&r, "plans"), 1);
        assert_text(&r, "plans.0.recipe", order[i]);
        if (i == 2)
            assert_true(json_is_null_at(&r, "next"));
        else
            (void)snprintf(path, sizeof path, "%s", json_text_at(&r, "next"));
        http_response_done(&r);
    }
    get_ok(state, "/plan?model=qwen3.5-397b-a17b&tokens=1B&gpu=h200,h100", &r);
    assert_int_equal(json_int_at(&r, "total"), 0);
    assert_int_equal(json_object_size(json_at(&r, "pricing")), 0);
    assert_text(&r, "constraints.gpu.0", "h200");
    http_response_done(&r);
    get_ok(state, "/plan?model=qwen3.5-397b-a17b&tokens=1B&max_gpus=48", &r);
    assert_text(&r, "plans.0.recipe", GPU48);
    assert_int_equal(json_int_at(&r, "plans.1.change.max_gpus"), 64);
    http_response_done(&r);
}

static void the_two_of_64_gpus_differ_in_batching_and_results(void **state)
{
    struct http_response r;

    get_ok(state, "/compare?a=" MT16K "&b=" MT8K, &r);
    assert_true(json_bool_at(&r, "comparable"));
    assert_false(json_bool_at(&r, "near_tie"));
    assert_text(&r, "a.recipe", MT16K);
    assert_real(&r, "b.usd_per_million_tokens", 3.49887);
    assert_int_equal(json_object_size(json_at(&r, "differences")), 3);
    assert_int_equal(json_count_at(&r, "differences.layout"), 2);
    assert_text(&r, "differences.layout.0.name", "max_tokens_per_gpu");
    assert_int_equal(json_int_at(&r, "differences.layout.0.a"), 16384);
    assert_text(&r, "differences.layout.1.name", "rows_per_microbatch");
    assert_int_equal(json_int_at(&r, "differences.layout.1.b"), 1);
    assert_int_equal(json_count_at(&r, "differences.flags"), 1);
    assert_text(&r, "differences.flags.0.name", "--max-tokens-per-gpu");
    assert_text(&r, "differences.flags.0.b", "8192");
    assert_int_equal(json_count_at(&r, "differences.results"), 8);
    http_response_done(&r);
}

static void the_worked_break_even_is_reproduced(void **state)
{
    struct http_response r;

    get_ok(state, "/compare?a=qwen3.5-397b-a17b/b200&b=qwen3.5-397b-a17b/h200", &r);
    assert_text(&r, "a.recipe", MT16K);
    assert_true(json_is_null_at(&r, "b.recipe"));
    assert_text(&r, "b.published.date", "2026-10-20");
    assert_text(&r, "b.url", "/models/qwen3.5-397b-a17b/h200");
    assert_real(&r, "b.pricing.usd_per_gpu_hour", 7.912);
    assert_true(json_is_null_at(&r, "comparable"));
    assert_real(&r, "break_even.a_usd_per_gpu_hour", 17.8833);
    assert_real(&r, "break_even.b_usd_per_gpu_hour", 6.30082);
    http_response_done(&r);
}

static void texts_are_tables_with_their_prices(void **state)
{
    struct http_response r;

    get_ok(state, "/plan.txt?model=qwen3.5-397b-a17b&tokens=1B&deadline_hours=4&limit=2", &r);
    assert_string_equal(http_response_header(&r, "Content-Type"), "text/plain; charset=utf-8");
    assert_string_equal(
        r.body,
        "#  recipe                                                gpus      usd  wall_hours  "
        "frontier  feasible  change\n"
        "1  " MT16K "    64  3209.66     3.52144  yes       yes       -\n"
        "2  " MT8K "     64  3498.87     3.83875  no        yes       -\n"
        "\n"
        "rows 1 to 2 of 3\n"
        "price of b200: 14.2416 USD per GPU-hour, AWS p6-b200.48xlarge in us-east-1, on_demand, "
        "as of 2026-10-20 (AWS EC2 on-demand price list, Linux)\n");
    http_response_done(&r);

    get_ok(state, "/plan.txt?model=Gemma-4-31B&tokens=1B&gpu=b200", &r);
    assert_string_equal(r.body, "#  recipe  gpus  usd  wall_hours  frontier  feasible  change\n\n"
                                "no recipe of gemma-4-31b\n");
    http_response_done(&r);

    get_ok(state, "/compare.txt?a=" MT16K "&b=qwen3.5-397b-a17b/h100&price=h100:2,b200:4.5", &r);
    assert_string_equal(
        r.body,
        "a: " MT16K "\nb: qwen3.5-397b-a17b/h100\ncomparable: cannot tell\n"
        "- b is a published figure without a recipe: what it was trained on is not known.\n"
        "- The GPU counts differ: a has 64, b has 128.\n"
        "- a was measured in one run only.\n"
        "With 2 USD per GPU-hour for b, a costs less per token up to 7.86805 USD per GPU-hour. "
        "With 4.5 USD per GPU-hour for a, b costs less per token up to 1.14387 USD per GPU-hour.\n"
        "\n"
        "group    name                    a        b\n"
        "layout   gpus                    64       128\n"
        "results  tokens_per_s_per_gpu    1232.53  313.3\n"
        "results  usd_per_million_tokens  1.01417  1.77324\n"
        "\n"
        "price of b200: 4.5 USD per GPU-hour, yours\n"
        "price of h100: 2 USD per GPU-hour, yours\n");
    http_response_done(&r);
}

/* A request that is refused: its status, and for each error its parameter and a part of its detail
 * or its first suggestion. */
struct refusal {
    const char *target;
    int status;
    size_t errors;
    const char *parameter;
    const char *detail;
    const char *near;
};

static void mistakes_are_named_with_what_is_nearest(void **state)
{
    static const struct refusal refusals[] = {
        {"/cost", 400, 2, "recipe", "it is required, and missing", NULL},
        {"/cost?tokens=1", 400, 1, "recipe", "it is required, and missing", NULL},
        {"/cost?recipe=x&tokens=", 400, 1, "tokens", "a value is missing", NULL},
        {"/cost?recipe=x&tokens=1&token=1", 400, 1, "token", "no such parameter", "tokens"},
        {"/cost?recipe=gemma-4-31b/h100&tokens=1", 400, 1, "recipe", "no MODEL/GPU/RECIPE", NULL},
        {"/cost?recipe=//&tokens=1", 400, 1, "recipe", "no MODEL/GPU/RECIPE", NULL},
        {"/cost?recipe=a/b/c/d&tokens=1", 400, 1, "recipe", "no MODEL/GPU/RECIPE", NULL},
        {"/cost?recipe=a/b/&tokens=1", 400, 1, "recipe", "no MODEL/GPU/RECIPE", NULL},
        {"/cost?recipe=" MT16K "&tokens=0", 400, 1, "tokens", "at least 1 token", NULL},
        {"/cost?recipe=" MT16K "&tokens=0.5", 400, 1, "tokens", "not a whole number", NULL},
        {"/cost?recipe=" MT16K "&tokens=10_000", 400, 1, "tokens", "is like 8192", NULL},
        {"/cost?recipe=" MT16K "&tokens=2e18", 400, 1, "tokens", "above 10^18", NULL},
        {"/cost?recipe=" MT16K "&tokens=x&price=b200", 400, 2, "tokens", "is like 8192", NULL},
        {"/cost?recipe=qwen3.5-397b-a17b/b20/x&tokens=1", 404, 1, "recipe", "there is no GPU b20",
         "qwen3.5-397b-a17b/b200/x"},
        {"/cost?recipe=gemma-4-31/h100/x&tokens=1", 404, 1, "recipe", "no model gemma-4-31",
         "gemma-4-31b/h100/x"},
        {"/cost?recipe=gemma-4-31b/H100/attune-tp2-pp4&tokens=1", 404, 1, "recipe",
         "there is no recipe attune-tp2-pp4", "gemma-4-31b/H100/attune-tp2-pp4-split13"},
        {"/plan?tokens=1", 400, 1, "model", "it is required, and missing", NULL},
        {"/plan?model=gemma&tokens=1", 404, 1, "model", "there is no model gemma", "gemma-4-31b"},
        {"/plan?model=gemma-4-31b&tokens=1&gpu=h100,h10", 404, 1, "gpu", "there is no GPU h10",
         "h100"},
        {"/plan?model=gemma-4-31b&tokens=1&gpu=", 400, 1, "gpu", "a value is missing", NULL},
        {"/plan?model=gemma-4-31b&tokens=1&sort=usd,gpu", 400, 1, "sort", "not one of the words",
         "gpus"},
        {"/plan?model=gemma-4-31b&tokens=1&sort=usd,-usd", 400, 1, "sort", "usd stands twice",
         NULL},
        {"/plan?model=gemma-4-31b&tokens=1&budget_usd=0", 400, 1, "budget_usd", "0 is below 0.01",
         NULL},
        {"/plan?model=gemma-4-31b&tokens=1&deadline_hours=nan", 400, 1, "deadline_hours",
         "not a number", NULL},
        {"/plan?model=gemma-4-31b&tokens=1&max_gpus=1.5", 400, 1, "max_gpus", "not a whole number",
         NULL},
        {"/plan?model=gemma-4-31b&tokens=1&cursor=x", 400, 1, "cursor", "", NULL},
        {"/compare?a=gemma-4-31b/h100", 400, 1, "b", "it is required, and missing", NULL},
        {"/compare?a=gemma-4-31b&b=gemma-4-31b/h100", 400, 1, "a", "neither MODEL/GPU/RECIPE",
         NULL},
        {"/plan?model=zzz&tokens=1", 404, 1, "model", "there is no model zzz", NULL},
        {"/compare?a=gemma-4-31b/b200&b=x/y", 404, 2, "a", "no recipe or published figure on b200",
         "gemma-4-31b/h100"},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *expected = &refusals[i];
        struct http_response r;

        get(state, expected->target, &r);
        if (r.status != expected->status || json_count_at(&r, "errors") != expected->errors)
            fail_msg("%s: %d: %.500s", expected->target, r.status, r.body);
        assert_text(&r, "errors.0.parameter", expected->parameter);
        if (!strstr(json_text_at(&r, "errors.0.detail"), expected->detail))
            fail_msg("%s: %s", expected->target, json_text_at(&r, "errors.0.detail"));
        if (expected->near)
            assert_text(&r, "errors.0.did_you_mean.0", expected->near);
        http_response_done(&r);
    }
}

static void both_sides_that_are_not_there_are_told(void **state)
{
    struct http_response r;

    get(state, "/compare?a=zzz/h100&b=gemma-4-31b/zzzzzzzz", &r);
    assert_int_equal(r.status, 404);
    assert_text(&r, "detail", "there is no model zzz; there is no GPU zzzzzzzz");
    assert_text(&r, "errors.1.parameter", "b");
    assert_int_equal(json_count_at(&r, "errors.1.allowed"), 3);
    assert_text(&r, "errors.1.allowed.0", "gemma-4-31b/h100");
    assert_null(strstr(r.body, "did_you_mean"));
    http_response_done(&r);
    get(state, "/compare?a=x&b=gemma-4-31b/h100/zzz", &r);
    assert_int_equal(r.status, 400);
    assert_text(&r, "detail",
                "a: it is neither MODEL/GPU/RECIPE nor MODEL/GPU; there is no recipe zzz");
    http_response_done(&r);
}

static void a_recipe_beside_itself_has_no_break_even(void **state)
{
    struct http_response r;

    get_ok(state, "/compare?a=" MT16K "&b=qwen3.5-397b-a17b/b200", &r);
    assert_int_equal(json_count_at(&r, "reasons"), 1);
    assert_text(&r, "reasons.0", "a and b are the same recipe.");
    assert_true(json_is_null_at(&r, "break_even"));
    http_response_done(&r);
    get_ok(state, "/compare?a=qwen3.5-397b-a17b/h200&b=qwen3.5-397b-a17b/H200", &r);
    assert_text(&r, "reasons.0", "a and b are the same published figure.");
    http_response_done(&r);
}

static void a_price_that_is_not_taken_is_not_proposed(void **state)
{
    struct http_response r;

    get_ok(state, "/plan?model=gemma-4-31b&tokens=1000T&budget_usd=0.01", &r);
    assert_true(json_is_null_at(&r, "plans.0.change.usd_per_gpu_hour"));
    assert_null(strstr(r.body, "a price of at most"));
    http_response_done(&r);
}

/* A GPU of a catalogue without its price: unknown figures are null, never 0. */
static void without_a_price_costs_are_null_and_feasibility_is_unknown(void **state)
{
    static const char gpus[] =
        "gpus:\n- slug: b200\n  name: B200\n  aliases: []\n  memory_gb: 180\n"
        "  peak_bf16_flops: 2250000000000000\n  source: x\n"
        "  source_date: 2026-10-20\n";
    static const char recipe[] = "recipes/" MT16K ".yaml";
    char folder[SCRATCH_BYTES], catalog[SCRATCH_BYTES], path[SCRATCH_BYTES];
    const char *const paths[] = {catalog, recipe, NULL};
    const struct service_options options = {.paths = paths};
    struct http_response r;
    struct service s;

    (void)state;
    scratch_make(folder);
    scratch_path(catalog, folder, "catalog");
    assert_int_equal(mkdir(catalog, 0700), 0);
    scratch_path(path, catalog, "gpus.yaml");
    scratch_write(path, gpus, sizeof gpus - 1);
    service_start(&s, &options);
    (void)http_get(s.port, "/cost?recipe=" MT16K "&tokens=10B", NULL, &r);
    assert_int_equal(r.status, 200);
    assert_true(json_is_null_at(&r, "usd"));
    assert_true(json_is_null_at(&r, "check.usd"));
    assert_true(json_is_null_at(&r, "uncertainty.usd"));
    assert_text(&r, "pricing.basis", "none");
    http_response_done(&r);
    (void)http_get(s.port, "/plan?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=1", NULL, &r);
    assert_true(json_is_null_at(&r, "plans.0.feasible"));
    assert_true(json_is_null_at(&r, "plans.0.usd"));
    http_response_done(&r);
    (void)http_get(s.port, "/compare.txt?a=" MT16K "&b=" MT16K, NULL, &r);
    assert_non_null(strstr(
        r.body, "\nprice of b200: not known: the price book has no on-demand price of this GPU\n"));
    http_response_done(&r);
    service_stop(&s);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cost_is_of_exactly_the_tokens_that_were_asked_for),
        cmocka_unit_test(counts_of_tokens_and_names_have_many_spellings),
        cmocka_unit_test(the_worked_plan_is_reproduced),
        cmocka_unit_test(the_change_that_a_plan_names_is_enough),
        cmocka_unit_test(a_plan_is_narrowed_sorted_and_paged),
        cmocka_unit_test(the_two_of_64_gpus_differ_in_batching_and_results),
        cmocka_unit_test(the_worked_break_even_is_reproduced),
        cmocka_unit_test(texts_are_tables_with_their_prices),
        cmocka_unit_test(mistakes_are_named_with_what_is_nearest),
        cmocka_unit_test(both_sides_that_are_not_there_are_told),
        cmocka_unit_test(a_recipe_beside_itself_has_no_break_even),
        cmocka_unit_test(a_price_that_is_not_taken_is_not_proposed),
        cmocka_unit_test(without_a_price_costs_are_null_and_feasibility_is_unknown),
    };

    return cmocka_run_group_tests(tests, service_group_setup, service_group_teardown);
}
