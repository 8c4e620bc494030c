/* The five recipe files: the same tree as YAML and as JSON, the struct's members, and what is
 * derived from a recipe. What each field may be is test_recipe_fields.c's. */
#include "core/recipe.h"

#include "base/mem.h"
#include "tests/support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {
    "recipes/gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8.yaml",
    "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml",
    "recipes/qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8.yaml",
    "recipes/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k.yaml",
    "recipes/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k.yaml",
};

/* The recipe whose layer split and offload are not null, with component tests and notes. */
static const char *const fullest = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml";

static void read_tree(struct recipe *r, struct reading *reading)
{
    struct err e = {0};

    recipe_init(r);
    assert_int_equal(recipe_read(r, reading->root, &reading->report, &e), ERR_OK);
}

/* Read a recipe file, which has no problems. */
static void read_recipe(struct recipe *r, const char *path)
{
    struct reading reading;

    reading_file(&reading, path);
    read_tree(r, &reading);
    assert_string_equal(reading_problems(&reading), "");
    reading_done(&reading);
}

static char *document(const struct recipe *r)
{
    struct buf out;
    struct json j;
    char *text;

    buf_init(&out, 1024 * 1024);
    json_init(&j, &out);
    recipe_write_document(r, NULL, &j);
    text = buf_take(&out, NULL);
    assert_non_null(text);
    return text;
}

static void each_file_is_the_same_tree_in_yaml_and_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct reading reading;
        struct recipe r;
        char *text;

        reading_file(&reading, files[i]);
        read_tree(&r, &reading);
        assert_string_equal(reading_problems(&reading), "");
        text = document(&r);
        reading_assert_json(reading.root, text);
        free(text);
        recipe_done(&r);
        reading_done(&reading);
    }
}

static void members_have_the_files_values(void **state)
{
    const struct component_test *tests;
    struct recipe r;

    (void)state;
    read_recipe(&r, fullest);
    tests = r.correctness.component_tests.items;
    assert_string_equal(r.model, "Gemma-4-31B");
    assert_true(r.gpu.count == 8 && r.gpu.memory_gb == 80);
    assert_string_equal(r.stack.entries[5].key, "cuda");
    assert_string_equal(r.stack.entries[5].text, "13.0");
    assert_true(r.result.tokens_per_s_per_gpu == 1178.1);
    assert_true(r.result.mfu == 0.2194);
    assert_true(r.result.active_params.count == 30696013824);
    assert_true(r.result.window.items[0] == 5 && r.result.window.items[1] == 19);
    assert_true(r.layout.layer_split.is_present && r.layout.layer_split.first == 13);
    assert_true(r.layout.offload.is_present && r.layout.offload.optimizer_fraction == 0.8);
    assert_true(r.layout.max_tokens_per_gpu == 0);
    assert_null(r.layout.dispatcher);
    assert_true(r.layout.recompute.is_present && r.layout.recompute.num_layers == 0);
    assert_int_equal(r.correctness.component_tests.count, 2);
    assert_string_equal(tests[0].date, "2026-10-21");
    assert_string_equal(tests[0].note,
                        "run on this recipe's training image; one attention call per case, not a "
                        "training run");
    assert_int_equal(r.patches.count, 0);
    assert_string_equal(r.env.entries[0].text, "1");
    recipe_done(&r);
}

static void notes_of_component_tests_stay_absent(void **state)
{
    struct recipe r;
    char *text;

    (void)state;
    read_recipe(&r, files[3]);
    assert_null(((const struct component_test *)r.correctness.component_tests.items)->note);
    text = document(&r);
    assert_non_null(strstr(text, "the negative controls fail\"}],\"convergence\":{\"steps\":20"));
    free(text);
    recipe_done(&r);
}

static void slugs_are_lower_case_and_no_format(void **state)
{
    static const char *const good[] = {"a",  "0", "qwen3.5-397b-a17b", "x.jsonl", "json",
                                       "a.", "sh"};
    static const char *const bad[] = {"",       ".a",    "-a",     "A",      "a_b",    "a/b",
                                      "a b",    "a.csv", "a.sh",   "a.json", "a.bib",  "a.ndjson",
                                      "a.atom", "a.txt", "a.yaml", "a.html", "\u00e9", "a%20"};
    char text[SLUG_LIMIT + 2];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(slug_check(good[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(slug_check(bad[i]));
    memset(text, 'a', sizeof text);
    text[SLUG_LIMIT] = '\0';
    assert_true(slug_check(text));
    text[SLUG_LIMIT] = 'a';
    text[SLUG_LIMIT + 1] = '\0';
    assert_false(slug_check(text));
}

static void names_become_slugs(void **state)
{
    char slug[SLUG_BYTES];
    char text[SLUG_LIMIT + 2];

    (void)state;
    assert_true(slug_make(slug, "Qwen3.5-397B-A17B"));
    assert_string_equal(slug, "qwen3.5-397b-a17b");
    assert_false(slug_make(slug, "Gemma 4"));
    assert_string_equal(slug, "gemma 4");
    assert_false(slug_make(slug, NULL));
    assert_string_equal(slug, "");
    memset(text, 'A', sizeof text);
    text[SLUG_LIMIT + 1] = '\0';
    assert_false(slug_make(slug, text));
    assert_string_equal(slug, "");
}

static void slugs_nodes_and_framework_are_derived(void **state)
{
    struct recipe r;

    (void)state;
    read_recipe(&r, files[2]);
    recipe_derive(&r, "attune-48gpu-tp2-pp6-ep8");
    assert_string_equal(r.derived.model, "qwen3.5-397b-a17b");
    assert_string_equal(r.derived.gpu, "b200");
    assert_string_equal(r.derived.recipe, "attune-48gpu-tp2-pp6-ep8");
    assert_string_equal(r.derived.framework, "slime");
    assert_true(r.derived.nodes == 6);
    assert_string_equal(r.derived.confirmation, "not_checked");
    assert_null(r.derived.family);
    assert_true(r.derived.usd_per_million_tokens == 0);
    r.gpu.count = 49;
    recipe_derive(&r, "other");
    assert_true(r.derived.nodes == 7);
    assert_string_equal(r.derived.recipe, "other");
    recipe_done(&r);
}

static void frameworks_are_the_first_word(void **state)
{
    static const struct {
        const char *text;
        const char *framework;
    } cases[] = {{"Megatron-LM 0.16", "megatron-lm"},
                 {"NeMo, 2.0", "nemo"},
                 {"torchtitan", "torchtitan"},
                 {" miles(local)", "miles"},
                 {"", NULL},
                 {NULL, NULL}};
    struct open_entry entry = {.key = "framework", .kind = FIELD_TEXT};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recipe r;

        recipe_init(&r);
        entry.text = cases[i].text;
        r.stack = (struct open_map){&entry, 1};
        recipe_derive(&r, "a");
        if (cases[i].framework)
            assert_string_equal(r.derived.framework, cases[i].framework);
        else
            assert_null(r.derived.framework);
        recipe_done(&r);
    }
}

static void a_stem_too_long_for_a_slug_is_none(void **state)
{
    char stem[SLUG_LIMIT + 2];
    struct recipe r;

    (void)state;
    memset(stem, 'a', sizeof stem);
    stem[SLUG_LIMIT + 1] = '\0';
    recipe_init(&r);
    recipe_derive(&r, stem);
    assert_string_equal(r.derived.recipe, "");
    assert_string_equal(r.derived.model, "");
    assert_null(r.derived.framework);
    recipe_done(&r);
}

/* The ids were worked out by hand with sha256sum over the lines that core/recipe.c describes. */
static void workloads_differ_by_what_makes_speeds_comparable(void **state)
{
    char id[17];
    struct recipe r;

    (void)state;
    read_recipe(&r, files[0]);
    recipe_derive(&r, "a");
    assert_string_equal(r.derived.workload, "2749aeaf7d3a22f7");
    memcpy(id, r.derived.workload_id, sizeof id);
    r.workload.row_tokens++;
    recipe_derive(&r, "a");
    assert_string_not_equal(r.derived.workload, id);
    r.workload.row_tokens--;
    r.workload.rows = "SFT conversations, packed";
    recipe_derive(&r, "a");
    assert_string_not_equal(r.derived.workload, id);
    r.workload.rows = "SFT conversations";
    r.workload.global_batch++;
    recipe_derive(&r, "a");
    assert_string_not_equal(r.derived.workload, id);
    r.workload.global_batch--;
    r.workload.precision = "fp8";
    recipe_derive(&r, "a");
    assert_string_not_equal(r.derived.workload, id);
    r.workload.precision = "bf16";
    r.layout.tp = 4;
    r.result.tokens_per_s_per_gpu = 1;
    recipe_derive(&r, "a");
    assert_string_equal(r.derived.workload, id);
    recipe_done(&r);
    read_recipe(&r, files[2]);
    recipe_derive(&r, "a");
    assert_string_equal(r.derived.workload, "95c813f281e57444");
    recipe_done(&r);
}

static void derived_fields_are_null_until_known(void **state)
{
    struct recipe r;

    (void)state;
    read_recipe(&r, fullest);
    recipe_derive(&r, "a");
    assert_true(field_is_null(field_by_column(&recipe_fields, "family"), &r));
    assert_true(field_is_null(field_by_column(&recipe_fields, "usd_per_million_tokens"), &r));
    assert_false(field_is_null(field_by_column(&recipe_fields, "model"), &r));
    assert_false(field_is_null(field_by_column(&recipe_fields, "offload"), &r));
    assert_true(field_is_null(field_by_column(&recipe_fields, "dispatcher"), &r));
    recipe_done(&r);
    read_recipe(&r, files[0]);
    assert_true(field_is_null(field_by_column(&recipe_fields, "offload"), &r));
    assert_true(field_is_null(field_by_column(&recipe_fields, "layer_split_first"), &r));
    assert_true(field_is_null(field_by_column(&recipe_fields, "offload_overlap_d2h_h2d"), &r));
    assert_false(field_is_null(field_by_column(&recipe_fields, "sequence_parallel"), &r));
    recipe_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_is_the_same_tree_in_yaml_and_json),
        cmocka_unit_test(members_have_the_files_values),
        cmocka_unit_test(notes_of_component_tests_stay_absent),
        cmocka_unit_test(slugs_are_lower_case_and_no_format),
        cmocka_unit_test(names_become_slugs),
        cmocka_unit_test(slugs_nodes_and_framework_are_derived),
        cmocka_unit_test(frameworks_are_the_first_word),
        cmocka_unit_test(a_stem_too_long_for_a_slug_is_none),
        cmocka_unit_test(workloads_differ_by_what_makes_speeds_comparable),
        cmocka_unit_test(derived_fields_are_null_until_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
