/* Each check across fields, by one edit of a real recipe file and the exact problem. */
#include "core/check.h"

#include "base/mem.h"
#include "base/num.h"
#include "core/figures.h"
#include "tests/support/judging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One edit, and the report of the edited file. */
struct edit {
    const char *file;
    const char *from;
    const char *to;
    const char *problems;
};

static void assert_edits(const struct edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct judging j;

        judging_init(&j, edits[i].file);
        judging_edit(&j, edits[i].from, edits[i].to);
        judging_run(&j);
        assert_string_equal(judging_problems(&j), edits[i].problems);
        judging_done(&j);
    }
}

static void the_five_recipes_have_no_problems(void **state)
{
    static const char *const files[] = {JUDGING_DENSE, JUDGING_EXPERT, JUDGING_16K, JUDGING_8K,
                                        JUDGING_48GPU};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct judging j;

        judging_init(&j, files[i]);
        judging_run(&j);
        assert_string_equal(judging_problems(&j), "");
        assert_true(j.judgement.has_audit);
        judging_done(&j);
    }
}

static void layouts_that_contradict_themselves_are_errors(void **state)
{
    static const struct edit edits[] = {
        {JUDGING_DENSE, "  dp: 1\n", "  dp: 2\n",
         "f:73:7: error: layout.dp: 2, but 8 GPUs / (tp 2 * pp 4 * cp 1) = 1\n"},
        {JUDGING_DENSE, "  cp: 1\n", "  cp: 3\n",
         "f:73:7: error: layout.dp: 1, but 8 GPUs / (tp 2 * pp 4 * cp 3) = no whole number\n"},
        {JUDGING_DENSE, "  tp: 2\n", "  tp: 1000000\n",
         "f:73:7: error: layout.dp: 1, but 8 GPUs / (tp 1000000 * pp 4 * cp 1) = "
         "no whole number\n"},
        {JUDGING_EXPERT, "  ep: 8\n", "  ep: 16\n",
         "f:67:7: error: layout.ep: ep 16 * etp 1 does not divide the 8 GPUs of a pipeline "
         "stage\n"},
        {JUDGING_EXPERT, "  ep: 8\n", "  ep: 3\n",
         "f:67:7: error: layout.ep: ep 3 * etp 1 does not divide the 8 GPUs of a pipeline stage\n"},
        {JUDGING_EXPERT, "  etp: 1\n", "  etp: 2\n",
         "f:67:7: error: layout.ep: ep 8 * etp 2 does not divide the 8 GPUs of a pipeline stage\n"},
        {JUDGING_EXPERT, "  layer_split: null\n", "  layer_split: {first: 1, last: 1}\n",
         "f:71:16: error: layout.layer_split: given, but pp 1 has one stage\n"},
        {JUDGING_EXPERT, "  vpp: 1\n", "  vpp: 2\n",
         "f:65:8: error: layout.vpp: 2, but pp 1 has one stage\n"},
        {JUDGING_DENSE, "  count: 8\n  per_node: 8\n", "  count: 8\n  per_node: 3\n",
         "f:8:10: error: gpu.count: 8, but whole nodes of 3 GPUs give a multiple of 3\n"},
        {JUDGING_DENSE, "  per_node: 8\n", "  per_node: 16\n", ""},
        {JUDGING_DENSE, "  rows_per_microbatch: 1\n", "  rows_per_microbatch: 3\n",
         "f:35:17: error: workload.global_batch: 128 is no multiple of dp 1 * "
         "rows_per_microbatch 3\n"},
        {JUDGING_DENSE, "  rows_per_microbatch: 1\n", "  rows_per_microbatch: 1000000000\n",
         "f:35:17: error: workload.global_batch: 128 is no multiple of dp 1 * "
         "rows_per_microbatch 1000000000\n"},
        {JUDGING_16K, "  rows_per_microbatch: 2\n", "  rows_per_microbatch: 3\n", ""},
    };

    (void)state;
    assert_edits(edits, COUNT_OF(edits));
}

static void windows_that_contradict_the_run_are_errors(void **state)
{
    static const struct edit edits[] = {
        {JUDGING_DENSE, "  - 19\n  window_tokens: 15728640\n",
         "  - 20\n  window_tokens: 16777216\n",
         "f:101:3: error: result.window: step 20 is outside a run of 20 steps, 0 to 19\n"},
        {JUDGING_DENSE, "  - 5\n  - 19\n", "  - 19\n  - 5\n",
         "f:101:3: error: result.window: step 19 is after step 5\n"},
        {JUDGING_DENSE, "window_tokens: 15728640", "window_tokens: 15728641",
         "f:103:18: error: result.window_tokens: 15728641, but (19 - 5 + 1) steps * 128 rows * "
         "8192 tokens = 15728640\n"},
        {JUDGING_DENSE, "  - 19\n  window_tokens: 15728640\n", "  - 5\n  window_tokens: 1048576\n",
         ""},
    };

    (void)state;
    assert_edits(edits, COUNT_OF(edits));
}

/* Three factors of a billion pass what 64 bits hold. */
static void window_tokens_that_overflow_are_an_error(void **state)
{
    struct judging j;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    judging_edit(&j, "  row_tokens: 8192\n", "  row_tokens: 1000000000\n");
    judging_edit(&j, "  global_batch: 128\n", "  global_batch: 1000000000\n");
    judging_edit(&j, "  steps_per_run: 20\n", "  steps_per_run: 1000000000\n");
    judging_edit(&j, "  - 19\n", "  - 999999999\n");
    judging_run(&j);
    assert_string_equal(judging_problems(&j),
                        "f:103:18: error: result.window_tokens: 15728640, but (999999999 - 5 + 1) "
                        "steps * 1000000000 rows * 1000000000 tokens = more than 64 bits hold\n");
    judging_done(&j);
}

static void gpus_that_the_catalogue_lacks_are_errors(void **state)
{
    static const struct edit edits[] = {
        {JUDGING_DENSE, "  type: H100\n", "  type: H10\n",
         "f:6:9: error: gpu.type: H10 is not in the catalogue; did you mean h100?\n"},
        {JUDGING_DENSE, "  type: H100\n", "  type: H100-NVL\n",
         "f:6:9: error: gpu.type: H100-NVL is not in the catalogue; did you mean h100?\n"},
        {JUDGING_DENSE, "  type: H100\n", "  type: MI300X\n",
         "f:6:9: error: gpu.type: MI300X is not in the catalogue\n"},
        {JUDGING_DENSE, "  type: H100\n", "  type: H100-SXM5\n", ""},
        {JUDGING_DENSE, "  memory_gb: 80\n", "  memory_gb: 96\n",
         "f:7:14: warning: gpu.memory_gb: 96, but the catalogue says 80 for H100\n"},
    };

    (void)state;
    assert_edits(edits, COUNT_OF(edits));
}

static void unknown_models_and_authors_are_warnings(void **state)
{
    static const struct edit edits[] = {
        {JUDGING_DENSE, "  name: ATTUNE\n", "  name: Somebody\n",
         "f:12:9: warning: author.name: Somebody is not among the catalogue's authors, so there is "
         "no citation\n"},
    };
    struct judging j;

    (void)state;
    assert_edits(edits, COUNT_OF(edits));
    judging_init(&j, JUDGING_DENSE);
    j.path = NULL;
    judging_edit(&j, "model: Gemma-4-31B\n", "model: Gemma-5\n");
    judging_run(&j);
    assert_string_equal(judging_problems(&j),
                        "f:4:8: warning: model: Gemma-5 is not in the catalogue; it is created "
                        "from the recipe\n");
    assert_null(j.judgement.recipe.derived.family);
    judging_done(&j);
}

static void outcomes_that_contradict_each_other_are_errors(void **state)
{
    static const struct edit edits[] = {
        {JUDGING_DENSE, "    steps: 20\n    result: pass\n", "    steps: 20\n    result: fail\n",
         "f:110:11: error: correctness.result: pass, but the result of convergence is fail\n"},
        {JUDGING_DENSE, "  configuration: pass\n", "  configuration: fail\n",
         "f:110:11: error: correctness.result: pass, but the result of the configuration is "
         "fail\n"},
        {JUDGING_DENSE, "    date: 2026-10-21\n    result: pass\n",
         "    date: 2026-10-21\n    result: fail\n",
         "f:110:11: error: correctness.result: pass, but the result of a component test is fail\n"},
        {JUDGING_DENSE, "correctness:\n  result: pass\n", "correctness:\n  result: fail\n",
         "f:14:9: error: status: verified, but the result of correctness is fail\n"},
    };

    (void)state;
    assert_edits(edits, COUNT_OF(edits));
}

static void stated_figures_may_differ_by_their_own_rounding(void **state)
{
    static const struct edit edits[] = {
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 1.63\n",
         "f:90:27: warning: result.usd_per_million_tokens: 1.63, but 1.6222 at 6.88 USD per "
         "GPU-hour (2026-10-20)\n"},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 1.620\n",
         "f:90:27: warning: result.usd_per_million_tokens: 1.62, but 1.6222 at 6.88 USD per "
         "GPU-hour (2026-10-20)\n"},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 1.6\n", ""},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 2\n", ""},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 1.6221967\n", ""},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 1.62e0\n", ""},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 0.163e+1\n",
         "f:90:27: warning: result.usd_per_million_tokens: 1.63, but 1.6222 at 6.88 USD per "
         "GPU-hour (2026-10-20)\n"},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: null\n", ""},
        {JUDGING_DENSE, "mfu: 0.2194\n", "mfu: 0.2195\n",
         "f:92:8: warning: result.mfu: 0.2195, but 6 * 30696013824 * 1178.1 / 989000000000000 = "
         "0.219391\n"},
        {JUDGING_DENSE, "mfu: 0.2194\n", "mfu: 0.22\n", ""},
        {JUDGING_DENSE, "mfu: 0.2194\n", "mfu: null\n", ""},
        {JUDGING_DENSE, "tokens_per_s_per_gpu: 1178.1\n", "tokens_per_s_per_gpu: 1e-310\n",
         "f:89:25: error: result.tokens_per_s_per_gpu: 1e-310 is too small for costs to be "
         "computed; no GPU trains below 1e-06\n"},
    };

    (void)state;
    assert_edits(edits, COUNT_OF(edits));
}

static void assert_reads(double value, const char *expected)
{
    char text[NUM_TEXT_BYTES];

    num_format_real(text, num_round_digits(value, 15));
    assert_string_equal(text, expected);
}

static void half_units_follow_the_last_digit(void **state)
{
    (void)state;
    assert_reads(figure_half_unit("1.62"), "0.005");
    assert_reads(figure_half_unit("3.50"), "0.005");
    assert_reads(figure_half_unit("12"), "0.5");
    assert_reads(figure_half_unit("8.6e-05"), "5e-07");
    assert_reads(figure_half_unit("1E+2"), "50.0");
}

/* A path and the report of an unchanged recipe below it. */
struct place {
    const char *path;
    const char *problems;
};

static void a_file_stands_where_its_content_says(void **state)
{
    static const char shape[] = ", but must be <model>/<gpu>/<recipe>.yaml in slugs\n";
    static const struct place places[] = {
        {NULL, ""},
        {"attune.yaml", ""},
        {"/tmp/any folder/attune.yaml", ""},
        {"/recipes/x/recipes/gemma-4-31b/h100/a.yaml", ""},
        {"recipes/gemma-4-31b/h100/a.yaml", ""},
        {"myrecipes/a.yaml", ""},
        {"recipes/gemma-4/h100/a.yaml",
         "f:4:8: error: model: Gemma-4-31B is not the folder's model, gemma-4\n"},
        {"recipes/gemma-4-31b/b200/a.yaml",
         "f:6:9: error: gpu.type: H100 is not the folder's GPU, b200\n"},
        {"recipes/gemma-4-31b/a.yaml", "f: error: the path below recipes/ is gemma-4-31b/a.yaml%s"},
        {"recipes/gemma-4-31b/h100/x/a.yaml",
         "f: error: the path below recipes/ is gemma-4-31b/h100/x/a.yaml%s"},
        {"recipes/gemma-4-31b/h100/A.yaml",
         "f: error: the path below recipes/ is gemma-4-31b/h100/A.yaml%s"},
        {"recipes/gemma-4-31b/h100/a.yml",
         "f: error: the path below recipes/ is gemma-4-31b/h100/a.yml%s"},
        {"my_recipe.yaml",
         "f: error: the file's name, my_recipe.yaml, is no slug followed by .yaml\n"},
        {"x/a.csv.yaml", "f: error: the file's name, a.csv.yaml, is no slug followed by .yaml\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct judging j;
        struct buf expected;
        size_t len = strcspn(places[i].problems, "%");

        buf_init(&expected, 1024);
        buf_add(&expected, places[i].problems, len);
        buf_puts(&expected, places[i].problems[len] == '%' ? shape : "");
        judging_init(&j, JUDGING_DENSE);
        j.path = places[i].path;
        judging_run(&j);
        assert_string_equal(judging_problems(&j), buf_text(&expected));
        judging_done(&j);
        buf_done(&expected);
    }
}

static void derived_members_come_from_the_catalogue(void **state)
{
    struct judging j;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    judging_edit(&j, "  type: H100\n", "  type: H100-SXM\n");
    judging_run(&j);
    assert_string_equal(j.judgement.recipe.derived.gpu, "h100");
    assert_string_equal(j.judgement.recipe.derived.family, "Gemma");
    assert_reads(j.judgement.recipe.derived.usd_per_million_tokens, "1.6222");
    assert_reads(j.judgement.recipe.derived.usd_half_unit, "0.005");
    assert_reads(j.judgement.recipe.derived.mfu_half_unit, "5e-05");
    judging_done(&j);
}

static void a_gpu_without_a_price_has_no_cost(void **state)
{
    struct judging j;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    j.catalog.prices.count = 0;
    judging_run(&j);
    assert_string_equal(judging_problems(&j), "");
    assert_true(j.judgement.recipe.derived.usd_per_million_tokens == 0);
    judging_done(&j);
}

static void a_speed_above_the_peak_is_an_error(void **state)
{
    static const struct edit edits[] = {
        {JUDGING_DENSE, "  tokens_per_s_per_gpu: 1178.1\n", "  tokens_per_s_per_gpu: 5371\n",
         "f:89:25: error: result.tokens_per_s_per_gpu: no GPU is that fast: the MFU would be "
         "6 * 30696013824 * 5371.0 / 989000000000000 = 1.00021\n"
         "f:90:27: warning: result.usd_per_million_tokens: 1.62, but 0.35582 at 6.88 USD per "
         "GPU-hour (2026-10-20)\n"},
    };

    (void)state;
    assert_edits(edits, COUNT_OF(edits));
}

static void a_newer_price_leaves_stated_costs_as_they_were(void **state)
{
    struct price prices[2];
    struct judging j;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    prices[1] = *catalog_price(&j.catalog, "h100");
    prices[0] = prices[1];
    prices[0].usd_per_hour *= 2;
    prices[0].as_of = "2026-11-01";
    j.catalog.prices = (struct item_list){.items = prices, .count = 2};
    judging_run(&j);
    assert_string_equal(judging_problems(&j), "");
    judging_assert_row(&j.judgement.audit, AUDIT_USD, AUDIT_PASS, "1.62",
                       "1.6222 at 6.88 USD per GPU-hour (2026-10-20)");
    assert_true(j.judgement.recipe.derived.usd_per_million_tokens > 3.24);
    judging_done(&j);
}

static void all_problems_are_told_at_once(void **state)
{
    struct judging j;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    judging_edit(&j, "  dp: 1\n", "  dp: 2\n");
    judging_edit(&j, "tokens: 1.62\n", "tokens: 1.63\n");
    judging_edit(&j, "window_tokens: 15728640", "window_tokens: 1");
    judging_run(&j);
    assert_int_equal(j.judgement.report.errors, 2);
    assert_int_equal(j.judgement.report.warnings, 1);
    assert_false(j.judgement.has_audit);
    judging_done(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_five_recipes_have_no_problems),
        cmocka_unit_test(layouts_that_contradict_themselves_are_errors),
        cmocka_unit_test(windows_that_contradict_the_run_are_errors),
        cmocka_unit_test(window_tokens_that_overflow_are_an_error),
        cmocka_unit_test(gpus_that_the_catalogue_lacks_are_errors),
        cmocka_unit_test(unknown_models_and_authors_are_warnings),
        cmocka_unit_test(outcomes_that_contradict_each_other_are_errors),
        cmocka_unit_test(stated_figures_may_differ_by_their_own_rounding),
        cmocka_unit_test(half_units_follow_the_last_digit),
        cmocka_unit_test(a_file_stands_where_its_content_says),
        cmocka_unit_test(derived_members_come_from_the_catalogue),
        cmocka_unit_test(a_gpu_without_a_price_has_no_cost),
        cmocka_unit_test(a_speed_above_the_peak_is_an_error),
        cmocka_unit_test(a_newer_price_leaves_stated_costs_as_they_were),
        cmocka_unit_test(all_problems_are_told_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
