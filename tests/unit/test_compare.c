/* Comparisons of the measured recipes, of changed copies, and with published figures. */
#include "core/compare.h"

#include "base/mem.h"
#include "tests/support/comparing.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static const double h200_usd = 63.296 / 8;
static const double h100_usd = 55.04 / 8;

/* A published figure of the Qwen model on 128 H200. */
static const struct compare_side h200 = {
    .label = "qwen3.5-397b-a17b/h200",
    .model = "qwen3.5-397b-a17b",
    .figures = {.gpus = 128, .tokens_per_s_per_gpu = 545.3},
    .usd_per_gpu_hour = 63.296 / 8,
    .published_usd_per_million_tokens = 4.03,
};

static void make(const struct compare_side *a, const struct compare_side *b, struct comparison *c)
{
    struct err e;

    assert_int_equal(compare_make(a, b, c, &e), ERR_OK);
}

/* The members of a comparison, as JSON. */
static void assert_json(const struct comparison *c, const char *expected)
{
    struct json j;
    struct buf out;

    buf_init(&out, (size_t)1024 * 1024);
    json_init(&j, &out);
    json_begin(&j, NULL, '{');
    compare_write_json(c, &j);
    json_end(&j, '}');
    assert_string_equal(buf_text(&out), expected);
    buf_done(&out);
}

static void the_two_of_64_gpus_differ_in_batching_and_results(void **state)
{
    struct recipe mt16k, mt8k;
    struct compare_side a, b;
    struct comparison c;

    (void)state;
    comparing_load(&mt16k, COMPARING_QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml", NULL, NULL);
    comparing_load(&mt8k, COMPARING_QWEN "attune-tp2-pp8-ep8-vpp2-mt8k.yaml", NULL, NULL);
    a = comparing_side("mt16k", &mt16k, COMPARING_B200_USD);
    b = comparing_side("mt8k", &mt8k, COMPARING_B200_USD);
    make(&a, &b, &c);
    assert_json(
        &c,
        "{\"comparable\":true,\"reasons\":[\"Both were measured in one run only.\"],"
        "\"near_tie\":false,\"differences\":{\"layout\":["
        "{\"name\":\"max_tokens_per_gpu\",\"a\":16384,\"b\":8192},"
        "{\"name\":\"rows_per_microbatch\",\"a\":2,\"b\":1}],"
        "\"flags\":[{\"name\":\"--max-tokens-per-gpu\",\"a\":\"16384\",\"b\":\"8192\"}],"
        "\"results\":[{\"name\":\"tokens_per_s_per_gpu\",\"a\":1232.53,\"b\":1130.65},"
        "{\"name\":\"stated_usd_per_million_tokens\",\"a\":3.21,\"b\":3.5},"
        "{\"name\":\"step_time_cv_percent\",\"a\":2.72,\"b\":0.58},"
        "{\"name\":\"mfu\",\"a\":0.0537,\"b\":0.0492},"
        "{\"name\":\"gpu_hours\",\"a\":22.49,\"b\":28.94},"
        "{\"name\":\"correlation\",\"a\":0.9999986,\"b\":0.9999967},"
        "{\"name\":\"final_loss_difference\",\"a\":8.6e-05,\"b\":0.0002},"
        "{\"name\":\"usd_per_million_tokens\",\"a\":3.20966,\"b\":3.49887}]},"
        "\"break_even\":{\"a_usd_per_gpu_hour\":15.5249,\"b_usd_per_gpu_hour\":13.0644,"
        "\"text\":\"With 14.2416 USD per GPU-hour for b, a costs less per token up to 15.5249 USD "
        "per GPU-hour. With 14.2416 USD per GPU-hour for a, b costs less per token up to 13.0644 "
        "USD per GPU-hour.\"}}");
    compare_done(&c);
    recipe_done(&mt16k);
    recipe_done(&mt8k);
}

static void text_is_a_head_and_an_aligned_table(void **state)
{
    struct comparing change;
    struct buf out;
    struct err e;

    (void)state;
    comparing_make(&change, "--distributed-timeout-minutes 30",
                   "--new --distributed-timeout-minutes 40");
    buf_init(&out, (size_t)64 * 1024);
    assert_int_equal(compare_write_text(&change.found, 4096, &out, &e), ERR_OK);
    assert_string_equal(buf_text(&out),
                        "a: a\nb: b\ncomparable: yes\n"
                        "- The 95% intervals of the speeds overlap: a near tie.\n"
                        "- Both were measured in one run only.\n"
                        "With 14.2416 USD per GPU-hour for b, a costs less per token up to 14.2416 "
                        "USD per GPU-hour. With 14.2416 USD per GPU-hour for a, b costs less per "
                        "token up to 14.2416 USD per GPU-hour.\n\n"
                        "group  name                           a   b\n"
                        "flags  --distributed-timeout-minutes  30  40\n"
                        "flags  --new                          -   true\n");
    buf_reset(&out);
    assert_int_equal(compare_write_text(&change.found, 20, &out, &e), ERR_LIMIT);
    buf_done(&out);
    comparing_done(&change);
}

static void long_values_stand_below_the_table(void **state)
{
    struct comparing change;
    struct buf out;
    struct err e;

    (void)state;
    comparing_make(&change, "--distributed-timeout-minutes 30",
                   "--distributed-timeout-minutes 1234567890123456789012345678901234567890 "
                   "--new 12345678901234567890123456789012345678901");
    buf_init(&out, (size_t)64 * 1024);
    assert_int_equal(compare_write_text(&change.found, 4096, &out, &e), ERR_OK);
    assert_string_equal(strstr(buf_text(&out), "group"),
                        "group  name                           a   b\n"
                        "flags  --distributed-timeout-minutes  30  "
                        "1234567890123456789012345678901234567890\n"
                        "\n"
                        "flags --new\n"
                        "  a: -\n"
                        "  b: 12345678901234567890123456789012345678901\n");
    buf_done(&out);
    comparing_done(&change);
}

static void a_recipe_does_not_differ_from_itself(void **state)
{
    static const char *const reasons[] = {"The 95% intervals of the speeds overlap: a near tie.",
                                          "Both were measured in one run only.", NULL};
    struct comparing change;

    (void)state;
    comparing_make(&change, NULL, NULL);
    assert_int_equal(change.found.verdict, COMPARE_YES);
    assert_true(change.found.is_near_tie);
    comparing_assert_reasons(&change.found, reasons);
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        assert_null(change.found.groups[i].first);
    comparing_done(&change);
}

static void other_workloads_are_not_compared(void **state)
{
    static const char *const batch[] = {"The workloads differ in global_batch.",
                                        "The 95% intervals of the speeds overlap: a near tie.",
                                        "Both were measured in one run only.", NULL};
    static const char *const rows[] = {"The workloads differ in rows, rows_sha256.",
                                       "The 95% intervals of the speeds overlap: a near tie.",
                                       "Both were measured in one run only.", NULL};
    struct comparing change;

    (void)state;
    comparing_make(&change, "  global_batch: 128\n", "  global_batch: 256\n");
    assert_int_equal(change.found.verdict, COMPARE_NO);
    comparing_assert_names(&change.found, COMPARE_WORKLOAD, "global_batch ");
    comparing_assert_reasons(&change.found, batch);
    comparing_done(&change);
    comparing_load(&change.original, COMPARING_QWEN "attune-48gpu-tp2-pp6-ep8.yaml", NULL, NULL);
    comparing_load(&change.changed, COMPARING_QWEN "attune-48gpu-tp2-pp6-ep8.yaml",
                   "SFT conversations", "poems");
    change.changed.workload.dataset.rows_sha256 = "0";
    recipe_derive(&change.changed, "test");
    change.a = comparing_side("a", &change.original, 0);
    change.b = comparing_side("b", &change.changed, 0);
    make(&change.a, &change.b, &change.found);
    comparing_assert_reasons(&change.found, rows);
    comparing_done(&change);
}

/* The same rows, and another count or another dataset, are the same workload. */
static void details_of_the_dataset_do_not_forbid_a_comparison(void **state)
{
    struct comparing change;

    (void)state;
    comparing_make(&change, "      seed: 42\n", "      seed: 43\n      new: x\n");
    assert_int_equal(change.found.verdict, COMPARE_YES);
    comparing_assert_names(&change.found, COMPARE_WORKLOAD,
                           "dataset.build.new dataset.build.seed ");
    assert_int_equal(change.found.groups[COMPARE_WORKLOAD].last->a.kind, COMPARE_INTEGER);
    assert_string_equal(change.found.groups[COMPARE_WORKLOAD].last->a.text, "42");
    assert_string_equal(change.found.groups[COMPARE_WORKLOAD].last->b.text, "43");
    comparing_done(&change);
    comparing_make(&change, "supervised_token_ratio: 0.676", "supervised_token_ratio: 0.5");
    comparing_assert_names(&change.found, COMPARE_WORKLOAD,
                           "dataset.build.supervised_token_ratio ");
    assert_string_equal(change.found.groups[COMPARE_WORKLOAD].first->a.text, "0.676");
    comparing_done(&change);
}

static void other_tokenizers_are_not_compared(void **state)
{
    static const char *const other[] = {"The tokenizers differ, so that tokens are not the same "
                                        "text.",
                                        "The 95% intervals of the speeds overlap: a near tie.",
                                        "Both were measured in one run only.", NULL};
    static const struct {
        const char *part;
        const char *by;
    } others[] = {
        {"tokenizer.json sha256 5", "tokenizer.json sha256 6"},
        {"tokenizer.json sha256 5", "tokenizer.json sha256 55"},
        {"tokenizer.json sha256", "tokenizer.json"},
    };
    static const char *const missing[] = {"Only a names its tokenizer.",
                                          "The 95% intervals of the speeds overlap: a near tie.",
                                          "Both were measured in one run only.", NULL};
    struct comparing change;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        comparing_make(&change, others[i].part, others[i].by);
        assert_int_equal(change.found.verdict, COMPARE_NO);
        comparing_assert_names(&change.found, COMPARE_WORKLOAD, "dataset.build.tokenizer ");
        comparing_assert_reasons(&change.found, other);
        comparing_done(&change);
    }
    comparing_make(&change, "      tokenizer: Qwen3.5 (", "      words: Qwen3.5 (");
    assert_int_equal(change.found.verdict, COMPARE_YES);
    comparing_assert_reasons(&change.found, missing);
    comparing_done(&change);
}

static void another_description_of_the_same_tokenizer_is_fine(void **state)
{
    struct comparing change;

    (void)state;
    comparing_make(&change, "tokenizer: Qwen3.5 (the Qwen3.5-122B-A10B tokenizer;",
                   "tokenizer: Qwen3.5-122B-A10B (revision 1,");
    assert_int_equal(change.found.verdict, COMPARE_YES);
    comparing_assert_names(&change.found, COMPARE_WORKLOAD, "dataset.build.tokenizer ");
    assert_int_equal(change.found.reason_count, 2);
    comparing_done(&change);
}

static void another_model_is_not_compared(void **state)
{
    static const char *const reasons[] = {
        "The models differ: a is gemma-4-31b, b is gemma-4-26b-a4b.",
        "Both were measured in one run only.", NULL};
    struct recipe a_recipe, b_recipe;
    struct compare_side a, b;
    struct comparison c;

    (void)state;
    comparing_load(&a_recipe, "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml", NULL, NULL);
    comparing_load(&b_recipe, "recipes/gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8.yaml", NULL, NULL);
    a = comparing_side("a", &a_recipe, h100_usd);
    b = comparing_side("b", &b_recipe, COMPARING_B200_USD);
    make(&a, &b, &c);
    assert_int_equal(c.verdict, COMPARE_NO);
    comparing_assert_reasons(&c, reasons);
    compare_done(&c);
    recipe_done(&a_recipe);
    recipe_done(&b_recipe);
}

static void another_number_of_gpus_is_a_caution(void **state)
{
    static const char *const reasons[] = {"The GPU counts differ: a has 64, b has 48.",
                                          "a was measured in one run only.", NULL};
    struct recipe a_recipe, b_recipe;
    struct compare_side a, b;
    struct comparison c;

    (void)state;
    comparing_load(&a_recipe, COMPARING_QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml", NULL, NULL);
    comparing_load(&b_recipe, COMPARING_QWEN "attune-48gpu-tp2-pp6-ep8.yaml", "  runs: 1\n",
                   "  runs: 2\n");
    a = comparing_side("a", &a_recipe, COMPARING_B200_USD);
    b = comparing_side("b", &b_recipe, COMPARING_B200_USD);
    make(&a, &b, &c);
    assert_int_equal(c.verdict, COMPARE_YES);
    comparing_assert_reasons(&c, reasons);
    comparing_assert_names(
        &c, COMPARE_LAYOUT,
        "gpus label pp vpp layer_split_first layer_split_last max_tokens_per_gpu "
        "rows_per_microbatch ");
    comparing_assert_names(
        &c, COMPARE_FLAGS,
        "--actor-num-nodes --decoder-first-pipeline-num-layers "
        "--decoder-last-pipeline-num-layers --max-tokens-per-gpu "
        "--num-virtual-stages-per-pipeline-rank --pipeline-model-parallel-size ");
    comparing_assert_names(&c, COMPARE_ENV, "");
    comparing_assert_names(&c, COMPARE_STACK, "");
    comparing_assert_names(&c, COMPARE_WORKLOAD, "");
    compare_done(&c);
    recipe_done(&a_recipe);
    recipe_done(&b_recipe);
}

static void the_worked_break_even_is_reproduced(void **state)
{
    struct recipe r;
    struct compare_side a;
    struct comparison c;

    (void)state;
    comparing_load(&r, COMPARING_QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml", NULL, NULL);
    a = comparing_side("qwen3.5-397b-a17b/b200/mt16k", &r, COMPARING_B200_USD);
    assert_true(h200.usd_per_gpu_hour == h200_usd);
    make(&a, &h200, &c);
    assert_json(&c, "{\"comparable\":null,\"reasons\":[\"b is a published figure without a "
                    "recipe: what it was trained on is not known.\",\"The GPU counts differ: a "
                    "has 64, b has 128.\",\"a was measured in one run only.\"],\"near_tie\":null,"
                    "\"differences\":{\"layout\":[{\"name\":\"gpus\",\"a\":64,\"b\":128}],"
                    "\"results\":[{\"name\":\"tokens_per_s_per_gpu\",\"a\":1232.53,\"b\":545.3},"
                    "{\"name\":\"usd_per_million_tokens\",\"a\":3.20966,\"b\":4.0304}]},"
                    "\"break_even\":{\"a_usd_per_gpu_hour\":17.8833,\"b_usd_per_gpu_hour\":"
                    "6.30082,\"text\":\"With 7.912 USD per GPU-hour for b, a costs less per token "
                    "up to 17.8833 USD per GPU-hour. With 14.2416 USD per GPU-hour for a, b costs "
                    "less per token up to 6.30082 USD per GPU-hour.\"}}");
    compare_done(&c);
    recipe_done(&r);
}

static void a_published_cost_counts_where_no_price_is_known(void **state)
{
    struct compare_side a = h200;
    struct compare_side b = h200;
    struct comparison c;
    struct buf out;
    struct err e;

    (void)state;
    a.label = "qwen3.5-397b-a17b/b200";
    a.figures.tokens_per_s_per_gpu = 1232.53;
    a.usd_per_gpu_hour = 0;
    a.published_usd_per_million_tokens = 0;
    b.usd_per_gpu_hour = 0;
    make(&a, &b, &c);
    assert_int_equal(c.verdict, COMPARE_UNKNOWN);
    assert_int_equal(c.reason_count, 2);
    assert_true(c.break_even_b == 0);
    buf_init(&out, (size_t)64 * 1024);
    assert_int_equal(compare_write_text(&c, 4096, &out, &e), ERR_OK);
    assert_string_equal(
        buf_text(&out),
        "a: qwen3.5-397b-a17b/b200\nb: qwen3.5-397b-a17b/h200\ncomparable: cannot tell\n"
        "- a is a published figure without a recipe: what it was trained on is not known.\n"
        "- b is a published figure without a recipe: what it was trained on is not known.\n"
        "With 4.03 USD per million tokens for b, a costs less per token up to 17.8815 USD per "
        "GPU-hour.\n\n"
        "group    name                    a        b\n"
        "results  tokens_per_s_per_gpu    1232.53  545.3\n"
        "results  usd_per_million_tokens  -        4.03\n");
    buf_done(&out);
    compare_done(&c);
}

static void without_any_cost_there_is_no_break_even(void **state)
{
    struct compare_side side = h200;
    struct compare_side other;
    struct comparison c;

    (void)state;
    side.usd_per_gpu_hour = 0;
    side.published_usd_per_million_tokens = 0;
    other = side;
    other.label = "qwen3.5-397b-a17b/b200";
    make(&side, &other, &c);
    assert_json(&c, "{\"comparable\":null,\"reasons\":[\"a is a published figure without a "
                    "recipe: what it was trained on is not known.\",\"b is a published figure "
                    "without a recipe: what it was trained on is not known.\"],\"near_tie\":null,"
                    "\"differences\":{},\"break_even\":null}");
    compare_done(&c);
}

static void figures_out_of_range_are_refused(void **state)
{
    struct compare_side wrong[] = {h200, h200, h200, h200};
    struct comparison c;
    struct err e;

    (void)state;
    wrong[0].figures.gpus = 0;
    wrong[1].figures.tokens_per_s_per_gpu = 0;
    wrong[2].usd_per_gpu_hour = (double)NAN;
    wrong[3].published_usd_per_million_tokens = -1;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(compare_make(&wrong[i], &h200, &c, &e), ERR_INPUT);
        assert_string_equal(e.text,
                            "qwen3.5-397b-a17b/h200: a figure is not between 1e-09 and 1e+09");
        assert_int_equal(compare_make(&h200, &wrong[i], &c, &e), ERR_INPUT);
    }
}

/* Stored facts come from the disk: whatever is there, nothing outside it is read. */
static void damaged_facts_are_told(void **state)
{
    static const char *const wrong[] = {
        "",
        "w",
        "w\x1f",
        "w\x1f\x1e"
        "a",
        "w\x1f\x1e"
        "ab",
        "w\x1f\x1e"
        "ab001",
        "w\x1f\x1e"
        "ab001x\x1f",
        "w\x1f\x1e"
        "ab001\x1f"
        "1\x1e",
        "w\x1f\x1e"
        "zb001x\x1f"
        "1\x1e",
        "w\x1f\x1e"
        "az001x\x1f"
        "1\x1e",
        "w\x1f\x1e"
        "\x1e",
    };
    struct compare_side good = h200;
    struct comparison c;
    struct err e;

    (void)state;
    good.facts = "w\x1f\x1e"
                 "ab001x\x1f"
                 "1\x1e";
    make(&good, &good, &c);
    compare_done(&c);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct compare_side bad = h200;

        bad.facts = wrong[i];
        assert_int_equal(compare_make(&bad, &good, &c, &e), ERR_CORRUPT);
        assert_int_equal(compare_make(&good, &bad, &c, &e), ERR_CORRUPT);
        assert_string_equal(e.text, "the stored facts of qwen3.5-397b-a17b/h200");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_two_of_64_gpus_differ_in_batching_and_results),
        cmocka_unit_test(text_is_a_head_and_an_aligned_table),
        cmocka_unit_test(long_values_stand_below_the_table),
        cmocka_unit_test(a_recipe_does_not_differ_from_itself),
        cmocka_unit_test(other_workloads_are_not_compared),
        cmocka_unit_test(details_of_the_dataset_do_not_forbid_a_comparison),
        cmocka_unit_test(other_tokenizers_are_not_compared),
        cmocka_unit_test(another_description_of_the_same_tokenizer_is_fine),
        cmocka_unit_test(another_model_is_not_compared),
        cmocka_unit_test(another_number_of_gpus_is_a_caution),
        cmocka_unit_test(the_worked_break_even_is_reproduced),
        cmocka_unit_test(a_published_cost_counts_where_no_price_is_known),
        cmocka_unit_test(without_any_cost_there_is_no_break_even),
        cmocka_unit_test(figures_out_of_range_are_refused),
        cmocka_unit_test(damaged_facts_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
