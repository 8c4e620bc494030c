/* Each row of the audit in each of its results, and the audits of the five recipes. */
#include "core/audit.h"

#include "base/mem.h"
#include "tests/support/judging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_list(const struct text_list *list, const char *const *expected)
{
    size_t count = 0;

    for (; expected[count]; count++) {
        assert_true(count < list->count);
        assert_string_equal(list->items[count], expected[count]);
    }
    assert_int_equal(list->count, count);
}

static const char convergence_gate[] = "correlation at least 0.95, final loss difference at most "
                                       "0.03, 0 pointwise failures over 20 steps";
static const char pinned[] = "a commit, tag or version, without local changes";
static const char published[] = "a published reference recipe";
static const char miles[] = "miles 0.1.0 (radixark/miles commit 78527b91, a slime fork), no local "
                            "changes";
static const char slime[] = "slime with local patches, not pinned";

/* A real recipe and all its rows. */
struct known {
    const char *file;
    struct judging_row rows[AUDIT_CHECKS];
};

static const struct known all_known[] = {
    {JUDGING_DENSE,
     {
         {AUDIT_PASS, "1.62", "1.6222 at 6.88 USD per GPU-hour (2026-10-20)"},
         {AUDIT_PASS, "0.2194", "6 * 30696013824 * 1178.1 / 989000000000000 = 0.219391"},
         {AUDIT_PASS, "15728640", "(19 - 5 + 1) steps * 128 rows * 8192 tokens = 15728640"},
         {AUDIT_PASS, "1", "8 GPUs / (tp 2 * pp 4 * cp 1) = 1"},
         {AUDIT_PASS, "14 flags agree with the layout", NULL},
         {AUDIT_PASS, "2 exports agree with env", NULL},
         {AUDIT_PASS, "none", "none"},
         {AUDIT_PASS, "HF_CKPT, SFT_DATA", NULL},
         {AUDIT_PASS, miles, pinned},
         {AUDIT_PASS, "none", NULL},
         {AUDIT_PASS, "published", published},
         {AUDIT_PASS,
          "correlation 0.98649 (0.03649 inside), final loss difference 0.0091 (0.0209 inside), "
          "0 pointwise failures over 20 steps",
          convergence_gate},
         {AUDIT_WARN, "a single run", "2 or more runs"},
         {AUDIT_UNKNOWN, "not checked", "30696013824"},
     }},
    {JUDGING_EXPERT,
     {
         {AUDIT_PASS, "1.05", "1.05118 at 14.2416 USD per GPU-hour (2026-10-20)"},
         {AUDIT_PASS, "0.0384", "6 * 3821830144 * 3763.4 / 2250000000000000 = 0.0383549"},
         {AUDIT_PASS, "15728640", "(19 - 5 + 1) steps * 128 rows * 8192 tokens = 15728640"},
         {AUDIT_PASS, "8", "8 GPUs / (tp 1 * pp 1 * cp 1) = 8"},
         {AUDIT_PASS, "10 flags agree with the layout", NULL},
         {AUDIT_PASS, "2 exports agree with env", NULL},
         {AUDIT_PASS, "none", "none"},
         {AUDIT_PASS, "HF_CKPT, SFT_DATA", NULL},
         {AUDIT_PASS, miles, pinned},
         {AUDIT_PASS, "none", NULL},
         {AUDIT_PASS, "published", published},
         {AUDIT_PASS,
          "correlation 0.99891 (0.04891 inside), final loss difference 0.0015 (0.0285 inside), "
          "0 pointwise failures over 20 steps",
          convergence_gate},
         {AUDIT_WARN, "a single run", "2 or more runs"},
         {AUDIT_UNKNOWN, "not checked", "3821830144"},
     }},
    {JUDGING_16K,
     {
         {AUDIT_PASS, "3.21", "3.20966 at 14.2416 USD per GPU-hour (2026-10-20)"},
         {AUDIT_PASS, "0.0537", "6 * 16331407360 * 1232.53 / 2250000000000000 = 0.0536772"},
         {AUDIT_PASS, "15728640", "(19 - 5 + 1) steps * 128 rows * 8192 tokens = 15728640"},
         {AUDIT_PASS, "4", "64 GPUs / (tp 2 * pp 8 * cp 1) = 4"},
         {AUDIT_PASS, "16 flags agree with the layout", NULL},
         {AUDIT_PASS, "4 exports agree with env", NULL},
         {AUDIT_FAIL, "<slime entry module>", "none"},
         {AUDIT_PASS, "NVLINK_COUNT, MODEL_ARGS, HF_CKPT, TORCH_DIST, SFT_DATA", NULL},
         {AUDIT_WARN, slime, pinned},
         {AUDIT_PASS, "patches/fla_blackwell_guard.py", NULL},
         {AUDIT_WARN, "not published", published},
         {AUDIT_PASS,
          "correlation 0.9999986 (0.0499986 inside), final loss difference 8.6e-05 (0.029914 "
          "inside), 0 pointwise failures over 20 steps",
          convergence_gate},
         {AUDIT_WARN, "a single run", "2 or more runs"},
         {AUDIT_UNKNOWN, "not checked", "16331407360"},
     }},
    {JUDGING_8K,
     {
         {AUDIT_PASS, "3.5", "3.49887 at 14.2416 USD per GPU-hour (2026-10-20)"},
         {AUDIT_PASS, "0.0492", "6 * 16331407360 * 1130.65 / 2250000000000000 = 0.0492403"},
         {AUDIT_PASS, "15728640", "(19 - 5 + 1) steps * 128 rows * 8192 tokens = 15728640"},
         {AUDIT_PASS, "4", "64 GPUs / (tp 2 * pp 8 * cp 1) = 4"},
         {AUDIT_PASS, "16 flags agree with the layout", NULL},
         {AUDIT_PASS, "4 exports agree with env", NULL},
         {AUDIT_FAIL, "<slime entry module>", "none"},
         {AUDIT_PASS, "NVLINK_COUNT, MODEL_ARGS, HF_CKPT, TORCH_DIST, SFT_DATA", NULL},
         {AUDIT_WARN, slime, pinned},
         {AUDIT_PASS, "patches/fla_blackwell_guard.py", NULL},
         {AUDIT_WARN, "not published", published},
         {AUDIT_PASS,
          "correlation 0.9999967 (0.0499967 inside), final loss difference 0.0002 (0.0298 "
          "inside), 0 pointwise failures over 20 steps",
          convergence_gate},
         {AUDIT_WARN, "a single run", "2 or more runs"},
         {AUDIT_UNKNOWN, "not checked", "16331407360"},
     }},
    {JUDGING_48GPU,
     {
         {AUDIT_PASS, "3.68", "3.67829 at 14.2416 USD per GPU-hour (2026-10-20)"},
         {AUDIT_PASS, "0.0468", "6 * 16331407360 * 1075.5 / 2250000000000000 = 0.0468385"},
         {AUDIT_PASS, "15728640", "(19 - 5 + 1) steps * 128 rows * 8192 tokens = 15728640"},
         {AUDIT_PASS, "4", "48 GPUs / (tp 2 * pp 6 * cp 1) = 4"},
         {AUDIT_PASS, "13 flags agree with the layout", NULL},
         {AUDIT_PASS, "4 exports agree with env", NULL},
         {AUDIT_FAIL, "<slime entry module>", "none"},
         {AUDIT_PASS, "NVLINK_COUNT, MODEL_ARGS, HF_CKPT, TORCH_DIST, SFT_DATA", NULL},
         {AUDIT_WARN, slime, pinned},
         {AUDIT_PASS, "patches/fla_blackwell_guard.py", NULL},
         {AUDIT_WARN, "not published", published},
         {AUDIT_PASS,
          "correlation 0.9999971 (0.0499971 inside), final loss difference 2.6e-05 (0.029974 "
          "inside), 0 pointwise failures over 20 steps",
          convergence_gate},
         {AUDIT_WARN, "a single run", "2 or more runs"},
         {AUDIT_UNKNOWN, "not checked", "16331407360"},
     }},
};

static void the_five_recipes_have_these_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all_known); i++) {
        struct judging j;

        judging_init(&j, all_known[i].file);
        judging_run(&j);
        for (size_t row = 0; row < AUDIT_CHECKS; row++)
            judging_assert_row(&j.judgement.audit, (enum audit_check)row,
                               all_known[i].rows[row].result, all_known[i].rows[row].found,
                               all_known[i].rows[row].expected);
        judging_done(&j);
    }
}

static void the_gemma_recipes_need_variables(void **state)
{
    static const char *const files[] = {JUDGING_DENSE, JUDGING_EXPERT};
    static const char *const variables[] = {"HF_CKPT", "SFT_DATA", NULL};
    static const char *const none[] = {NULL};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct judging j;
        const struct audit *a = &j.judgement.audit;

        judging_init(&j, files[i]);
        judging_run(&j);
        assert_int_equal(a->runnable, AUDIT_NEEDS_VARIABLES);
        assert_string_equal(a->summary,
                            "Set HF_CKPT and SFT_DATA, then the command runs as it stands.");
        assert_list(&a->variables, variables);
        assert_list(&a->placeholders, none);
        assert_int_equal(audit_count(a, AUDIT_PASS), 12);
        assert_int_equal(audit_count(a, AUDIT_WARN), 1);
        assert_int_equal(audit_count(a, AUDIT_FAIL), 0);
        assert_int_equal(audit_count(a, AUDIT_UNKNOWN), 1);
        judging_done(&j);
    }
}

static void the_qwen_recipes_do_not_run_as_they_stand(void **state)
{
    static const char *const files[] = {JUDGING_16K, JUDGING_8K, JUDGING_48GPU};
    static const char *const variables[] = {"NVLINK_COUNT", "MODEL_ARGS", "HF_CKPT",
                                            "TORCH_DIST",   "SFT_DATA",   NULL};
    static const char *const placeholders[] = {"<slime entry module>", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct judging j;
        const struct audit *a = &j.judgement.audit;

        judging_init(&j, files[i]);
        judging_run(&j);
        assert_int_equal(a->runnable, AUDIT_NOT_AS_IT_STANDS);
        assert_string_equal(a->summary,
                            "The command does not run as it stands: replace <slime entry module>; "
                            "set NVLINK_COUNT, MODEL_ARGS, HF_CKPT, TORCH_DIST and SFT_DATA; "
                            "the framework is not pinned; the reference is not published.");
        assert_list(&a->variables, variables);
        assert_list(&a->placeholders, placeholders);
        assert_int_equal(audit_count(a, AUDIT_PASS), 9);
        assert_int_equal(audit_count(a, AUDIT_WARN), 3);
        assert_int_equal(audit_count(a, AUDIT_FAIL), 1);
        assert_int_equal(audit_count(a, AUDIT_UNKNOWN), 1);
        judging_done(&j);
    }
}

static void stated_figures_that_differ_warn(void **state)
{
    static const struct judging_change edits[] = {
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: 1.63\n", AUDIT_USD, AUDIT_WARN, "1.63",
         "1.6222 at 6.88 USD per GPU-hour (2026-10-20)"},
        {JUDGING_8K, "tokens: 3.50\n", "tokens: 3.500\n", AUDIT_USD, AUDIT_WARN, "3.5",
         "3.49887 at 14.2416 USD per GPU-hour (2026-10-20)"},
        {JUDGING_DENSE, "tokens: 1.62\n", "tokens: null\n", AUDIT_USD, AUDIT_UNKNOWN, "not stated",
         "1.6222 at 6.88 USD per GPU-hour (2026-10-20)"},
        {JUDGING_DENSE, "mfu: 0.2194\n", "mfu: 0.22\n", AUDIT_MFU, AUDIT_PASS, "0.22",
         "6 * 30696013824 * 1178.1 / 989000000000000 = 0.219391"},
        {JUDGING_DENSE, "mfu: 0.2194\n", "mfu: 0.23\n", AUDIT_MFU, AUDIT_WARN, "0.23",
         "6 * 30696013824 * 1178.1 / 989000000000000 = 0.219391"},
        {JUDGING_DENSE, "mfu: 0.2194\n", "mfu: null\n", AUDIT_MFU, AUDIT_UNKNOWN, "not stated",
         "6 * 30696013824 * 1178.1 / 989000000000000 = 0.219391"},
    };

    (void)state;
    judging_assert_changes(edits, COUNT_OF(edits));
}

static void a_cost_without_a_price_is_unknown(void **state)
{
    struct judging j;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    j.catalog.prices.count = 0;
    judging_run(&j);
    judging_assert_row(&j.judgement.audit, AUDIT_USD, AUDIT_UNKNOWN, "1.62", NULL);
    judging_done(&j);
}

static void contradicted_counts_fail(void **state)
{
    struct judging j;
    struct audit a;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    judging_run(&j);
    j.judgement.recipe.layout.dp = 2;
    j.judgement.recipe.result.window_tokens = 1;
    judging_audit(&j, &a);
    judging_assert_row(&a, AUDIT_DP, AUDIT_FAIL, "2", "8 GPUs / (tp 2 * pp 4 * cp 1) = 1");
    judging_assert_row(&a, AUDIT_WINDOW_TOKENS, AUDIT_FAIL, "1",
                       "(19 - 5 + 1) steps * 128 rows * 8192 tokens = 15728640");
    audit_done(&a);
    judging_done(&j);
}

static void an_empty_recipe_is_audited_without_harm(void **state)
{
    struct recipe r;
    struct catalog catalog;
    struct audit a;
    struct err e;

    (void)state;
    recipe_init(&r);
    catalog_init(&catalog);
    assert_int_equal(audit_make(&r, &catalog, NULL, &a, &e), ERR_OK);
    judging_assert_row(&a, AUDIT_USD, AUDIT_UNKNOWN, "not stated", NULL);
    judging_assert_row(&a, AUDIT_MFU, AUDIT_UNKNOWN, "not stated", NULL);
    judging_assert_row(&a, AUDIT_WINDOW_TOKENS, AUDIT_UNKNOWN, "not stated", NULL);
    judging_assert_row(&a, AUDIT_DP, AUDIT_UNKNOWN, "not stated", NULL);
    judging_assert_row(&a, AUDIT_FLAGS, AUDIT_UNKNOWN, "0 flags agree with the layout", NULL);
    judging_assert_row(&a, AUDIT_ENV, AUDIT_PASS, "0 exports agree with env", NULL);
    judging_assert_row(&a, AUDIT_VARIABLES, AUDIT_PASS, "none", NULL);
    judging_assert_row(&a, AUDIT_FRAMEWORK, AUDIT_WARN, "not stated", pinned);
    assert_string_equal(a.summary, "The command runs as it stands.");
    audit_done(&a);
    catalog_done(&catalog);
    recipe_done(&r);
}

static void frameworks_are_pinned_or_not(void **state)
{
    static const struct judging_change edits[] = {
        {JUDGING_16K, slime, "slime v0.2", AUDIT_FRAMEWORK, AUDIT_PASS, "slime v0.2", pinned},
        {JUDGING_16K, slime, "slime at 78527b91", AUDIT_FRAMEWORK, AUDIT_PASS, "slime at 78527b91",
         pinned},
        {JUDGING_16K, slime, "slime 0.2.0 with local patches", AUDIT_FRAMEWORK, AUDIT_WARN,
         "slime 0.2.0 with local patches", pinned},
        {JUDGING_16K, slime, "slime 0.2.0, not pinned", AUDIT_FRAMEWORK, AUDIT_WARN,
         "slime 0.2.0, not pinned", pinned},
        {JUDGING_16K, slime, "slime 0.2.0, No local changes", AUDIT_FRAMEWORK, AUDIT_PASS,
         "slime 0.2.0, No local changes", pinned},
        {JUDGING_16K, slime, "slime main of 20261018, effaced", AUDIT_FRAMEWORK, AUDIT_WARN,
         "slime main of 20261018, effaced", pinned},
        {JUDGING_16K, "  framework: slime", "  frame: slime", AUDIT_FRAMEWORK, AUDIT_WARN,
         "not stated", pinned},
    };

    (void)state;
    judging_assert_changes(edits, COUNT_OF(edits));
}

static void references_and_patches_and_runs_are_told(void **state)
{
    static const struct judging_change edits[] = {
        {JUDGING_16K, "reference: Not published.", "reference: slime's own recipe", AUDIT_REFERENCE,
         AUDIT_PASS, "published", published},
        {JUDGING_16K, "reference: Not published.", "reference: unpublished", AUDIT_REFERENCE,
         AUDIT_WARN, "not published", published},
        {JUDGING_DENSE, "patches: []", "patches: [a.py, b.py]", AUDIT_PATCHES, AUDIT_PASS,
         "a.py, b.py", NULL},
        {JUDGING_DENSE, "runs: 1\n", "runs: 3\n", AUDIT_RUNS, AUDIT_PASS, "3", "2 or more runs"},
    };

    (void)state;
    judging_assert_changes(edits, COUNT_OF(edits));
}

static void convergence_is_held_against_the_gate(void **state)
{
    static const struct judging_change edits[] = {
        {JUDGING_DENSE, "correlation: 0.98649", "correlation: 0.95", AUDIT_CONVERGENCE, AUDIT_PASS,
         "correlation 0.95 (0.0 inside), final loss difference 0.0091 (0.0209 inside), "
         "0 pointwise failures over 20 steps",
         convergence_gate},
        {JUDGING_DENSE, "correlation: 0.98649", "correlation: 0.949", AUDIT_CONVERGENCE, AUDIT_FAIL,
         "correlation 0.949 (0.001 outside), final loss difference 0.0091 (0.0209 inside), "
         "0 pointwise failures over 20 steps",
         convergence_gate},
        {JUDGING_DENSE, "final_loss_difference: 0.0091", "final_loss_difference: 0.03",
         AUDIT_CONVERGENCE, AUDIT_PASS,
         "correlation 0.98649 (0.03649 inside), final loss difference 0.03 (0.0 inside), "
         "0 pointwise failures over 20 steps",
         convergence_gate},
        {JUDGING_DENSE, "final_loss_difference: 0.0091", "final_loss_difference: 0.031",
         AUDIT_CONVERGENCE, AUDIT_FAIL,
         "correlation 0.98649 (0.03649 inside), final loss difference 0.031 (0.001 outside), "
         "0 pointwise failures over 20 steps",
         convergence_gate},
        {JUDGING_DENSE, "pointwise_failures: 0", "pointwise_failures: 1", AUDIT_CONVERGENCE,
         AUDIT_FAIL,
         "correlation 0.98649 (0.03649 inside), final loss difference 0.0091 (0.0209 inside), "
         "1 pointwise failure over 20 steps",
         convergence_gate},
        {JUDGING_DENSE, "    steps: 20\n", "    steps: 19\n", AUDIT_CONVERGENCE, AUDIT_UNKNOWN,
         "correlation 0.98649 (0.03649 inside), final loss difference 0.0091 (0.0209 inside), "
         "0 pointwise failures over 19 steps",
         convergence_gate},
    };

    (void)state;
    judging_assert_changes(edits, COUNT_OF(edits));
}

static void stated_failures_fail(void **state)
{
    static const char figures[] =
        "correlation 0.98649 (0.03649 inside), final loss difference 0.0091 (0.0209 inside), "
        "0 pointwise failures over 20 steps";
    struct judging j;
    struct recipe *r = &j.judgement.recipe;
    struct component_test *test;
    struct audit a;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    judging_run(&j);
    test = r->correctness.component_tests.items;
    r->correctness.result = "fail";
    judging_audit(&j, &a);
    assert_int_equal(a.rows[AUDIT_CONVERGENCE].result, AUDIT_FAIL);
    assert_string_equal(a.rows[AUDIT_CONVERGENCE].found + strlen(figures),
                        "; correctness is stated as fail");
    audit_done(&a);
    r->correctness.convergence.result = "fail";
    r->correctness.configuration = "fail";
    test->result = "fail";
    judging_audit(&j, &a);
    assert_int_equal(a.rows[AUDIT_CONVERGENCE].result, AUDIT_FAIL);
    assert_string_equal(a.rows[AUDIT_CONVERGENCE].found + strlen(figures),
                        "; convergence is stated as fail; configuration is stated as fail; "
                        "1 component test stated as fail");
    audit_done(&a);
    judging_done(&j);
}

/* What a verification found, and the row that it gives the dense recipe. */
struct verified {
    struct hub_result confirmation;
    enum audit_result result;
    const char *found;
};

static void confirmations_are_told(void **state)
{
    static const char stated[] = "30696013824";
    static const struct verified all[] = {
        {{.outcome = HUB_CONFIRMED, .computed = 30696013824}, AUDIT_PASS, "30696013824"},
        {{.outcome = HUB_CONTRADICTED, .computed = 30696013825}, AUDIT_FAIL, "30696013825"},
        {{.outcome = HUB_UNCONFIRMABLE},
         AUDIT_UNKNOWN,
         "the count cannot be recomputed from this checkpoint"},
        {{.outcome = HUB_GATED}, AUDIT_UNKNOWN, "the checkpoint is gated"},
        {{.outcome = HUB_NOT_FOUND}, AUDIT_UNKNOWN, "the checkpoint is not found"},
        {{.outcome = HUB_UNREACHABLE}, AUDIT_UNKNOWN, "the hub could not be reached"},
        {{.outcome = HUB_NOT_CHECKED}, AUDIT_UNKNOWN, "not checked"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct judging j;
        struct audit a;

        judging_init(&j, JUDGING_DENSE);
        j.confirmation = &all[i].confirmation;
        judging_run(&j);
        judging_audit(&j, &a);
        judging_assert_row(&a, AUDIT_CONFIRMATION, all[i].result, all[i].found, stated);
        audit_done(&a);
        judging_done(&j);
    }
}

static void the_json_has_every_row_under_its_name(void **state)
{
    static const char start[] =
        "{\"summary\":\"Set HF_CKPT and SFT_DATA, then the command runs as it stands.\","
        "\"runnable\":\"needs_variables\",\"variables\":[\"HF_CKPT\",\"SFT_DATA\"],"
        "\"placeholders\":[],\"rows\":[{\"check\":\"usd\",\"result\":\"pass\",\"found\":\"1.62\","
        "\"expected\":\"1.6222 at 6.88 USD per GPU-hour (2026-10-20)\"},";
    static const char end[] = "{\"check\":\"confirmation\",\"result\":\"unknown\",\"found\":\"not "
                              "checked\",\"expected\":\"30696013824\"}]}";
    static const char *const names[] = {"usd",       "mfu",         "window_tokens", "dp",
                                        "flags",     "env",         "placeholders",  "variables",
                                        "framework", "patches",     "reference",     "convergence",
                                        "runs",      "confirmation"};
    struct judging j;
    struct json json;
    struct buf out;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    judging_run(&j);
    buf_init(&out, 64 * 1024);
    json_init(&json, &out);
    audit_write_json(&j.judgement.audit, NULL, &json);
    assert_int_equal(out.status, ERR_OK);
    assert_memory_equal(buf_text(&out), start, sizeof start - 1);
    assert_string_equal(buf_text(&out) + out.len - (sizeof end - 1), end);
    for (size_t i = 0; i < AUDIT_CHECKS; i++)
        assert_string_equal(audit_check_name((enum audit_check)i), names[i]);
    assert_string_equal(audit_result_name(AUDIT_WARN), "warn");
    assert_string_equal(audit_result_name(AUDIT_FAIL), "fail");
    assert_string_equal(audit_runnable_name(AUDIT_AS_IS), "as_is");
    assert_string_equal(audit_runnable_name(AUDIT_NOT_AS_IT_STANDS), "not_as_it_stands");
    buf_done(&out);
    judging_done(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_five_recipes_have_these_rows),
        cmocka_unit_test(the_gemma_recipes_need_variables),
        cmocka_unit_test(the_qwen_recipes_do_not_run_as_they_stand),
        cmocka_unit_test(stated_figures_that_differ_warn),
        cmocka_unit_test(a_cost_without_a_price_is_unknown),
        cmocka_unit_test(contradicted_counts_fail),
        cmocka_unit_test(an_empty_recipe_is_audited_without_harm),
        cmocka_unit_test(frameworks_are_pinned_or_not),
        cmocka_unit_test(references_and_patches_and_runs_are_told),
        cmocka_unit_test(convergence_is_held_against_the_gate),
        cmocka_unit_test(stated_failures_fail),
        cmocka_unit_test(confirmations_are_told),
        cmocka_unit_test(the_json_has_every_row_under_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
