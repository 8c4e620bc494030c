/* The recipe's table against the five recipe files: the same tree as YAML and as JSON, every key
 * required or not, null or not, as the table says, and what is derived from a recipe. */
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

/* Find the map that holds a row's key, and the key itself; items are those of the first. */
static struct tree_node *find_map(struct tree_node *root, const char *path, char key[64])
{
    struct tree_node *map = root;
    const char *dot;

    while ((dot = strchr(path, '.'))) {
        size_t len = strcspn(path, ".[");
        struct tree_node *child = map->first;

        while (strncmp(child->key, path, len) != 0 || child->key[len] != '\0')
            child = child->next;
        map = path[len] == '[' ? child->first : child;
        path = dot + 1;
    }
    assert_true(snprintf(key, 64, "%s", path) < 64);
    return map;
}

static struct tree_node *find_node(struct tree_node *root, const char *path)
{
    char key[64];
    struct tree_node *node = find_map(root, path, key)->first;

    while (strcmp(node->key, key) != 0)
        node = node->next;
    return node;
}

/* "correctness.component_tests[].test" as the first item's path. */
static void first_path(char out[128], const char *path)
{
    const char *brackets = strstr(path, "[]");
    int head = brackets ? (int)(brackets - path) : (int)strlen(path);

    assert_true(snprintf(out, 128, "%.*s%s%s", head, path, brackets ? "[0]" : "",
                         brackets ? brackets + 2 : "") < 128);
}

/* Read the tree again: no problems, or just one with this path and message. */
static void assert_problem(const struct tree_node *root, const char *path, const char *message)
{
    struct report report;
    struct recipe r;
    struct err e = {0};

    report_init(&report);
    recipe_init(&r);
    assert_int_equal(recipe_read(&r, root, &report, &e), ERR_OK);
    if (message) {
        if (report.errors != 1)
            fail_msg("%s: %zu problems", path, report.errors);
        assert_string_equal(report.first->path, path);
        assert_string_equal(report.first->message, message);
    } else if (report.errors > 0) {
        fail_msg("%s: %s", path, report.first->message);
    }
    recipe_done(&r);
    report_done(&report);
}

static void keys_are_required_as_the_table_says(void **state)
{
    struct reading reading;
    size_t optional = 0;

    (void)state;
    reading_file(&reading, fullest);
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        struct tree_node **link = NULL;
        struct tree_node *map;
        struct tree_node *node;
        char key[64];
        char path[128];

        if (field->flags & FIELD_DERIVED)
            continue;
        map = find_map(reading.root, field->path, key);
        node = reading_cut(map, key, &link);
        first_path(path, field->path);
        assert_problem(reading.root, path,
                       field->flags & FIELD_OPTIONAL ? NULL : "the key is missing");
        optional += field->flags & FIELD_OPTIONAL ? 1 : 0;
        *link = node;
        map->count++;
    }
    /* The typed keys of dataset.build, and the note of a component test. */
    assert_int_equal(optional, 7);
    assert_problem(reading.root, "", NULL);
    reading_done(&reading);
}

static const char *needed(enum field_kind kind)
{
    static const char *const messages[] = {
        [FIELD_MAP] = "null, where a map is needed",
        [FIELD_INT] = "null, where a whole number is needed",
        [FIELD_REAL] = "null, where a number is needed",
        [FIELD_BOOL] = "null, where true or false is needed",
        [FIELD_TEXT] = "null, where a text is needed",
        [FIELD_DATE] = "null, where a date (YYYY-MM-DD) is needed",
        [FIELD_TEXT_LIST] = "null, where a list is needed",
        [FIELD_INT_LIST] = "null, where a list is needed",
        [FIELD_OPEN_MAP] = "null, where a map is needed",
        [FIELD_MAP_LIST] = "null, where a list is needed",
    };

    return messages[kind];
}

static void fields_may_be_null_as_listed(void **state)
{
    static const char *const nullable[] = {"gpu.instance",
                                           "author.url",
                                           "layout.layer_split",
                                           "layout.max_tokens_per_gpu",
                                           "layout.rows_per_microbatch",
                                           "layout.recompute",
                                           "layout.recompute.method",
                                           "layout.recompute.num_layers",
                                           "layout.offload",
                                           "layout.dispatcher",
                                           "result.usd_per_million_tokens",
                                           "result.mfu",
                                           "result.mfu_note",
                                           "result.gpu_hours_note",
                                           "correctness.convergence.note",
                                           "notes"};
    struct reading reading;
    size_t found = 0;

    (void)state;
    reading_file(&reading, fullest);
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        bool may_be_null = found < COUNT_OF(nullable) && strcmp(field->path, nullable[found]) == 0;
        struct tree_node *node;
        struct tree_node before;
        char path[128];

        if (field->flags & FIELD_DERIVED)
            continue;
        node = find_node(reading.root, field->path);
        before = *node;
        *node = (struct tree_node){.kind = TREE_SCALAR,
                                   .line = 1,
                                   .column = 1,
                                   .key = node->key,
                                   .text = "null",
                                   .len = 4,
                                   .is_plain = true,
                                   .next = node->next};
        first_path(path, field->path);
        assert_problem(reading.root, path, may_be_null ? NULL : needed(field->kind));
        *node = before;
        found += may_be_null ? 1 : 0;
    }
    assert_int_equal(found, COUNT_OF(nullable));
    reading_done(&reading);
}

/* Change a scalar of the fullest recipe. */
static void check_value(const char *path, const char *text, const char *message)
{
    struct reading reading;
    struct tree_node *node;
    char shown[128];

    reading_file(&reading, fullest);
    node = find_node(reading.root, path);
    node->text = text;
    node->len = strlen(text);
    node->is_plain = true;
    first_path(shown, path);
    assert_problem(reading.root, shown, message);
    reading_done(&reading);
}

static void values_have_their_ranges(void **state)
{
    (void)state;
    check_value("schema_version", "2", "2 is above 1");
    check_value("gpu.count", "0", "0 is below 1");
    check_value("gpu.count", "1000001", "1000001 is above 1000000");
    check_value("layout.tp", "0", "0 is below 1");
    check_value("layout.offload.optimizer_fraction", "0", "0 is not above 0");
    check_value("layout.offload.optimizer_fraction", "1.1", "1.1 is above 1");
    check_value("result.tokens_per_s_per_gpu", "0", "0 is not above 0");
    check_value("result.usd_per_million_tokens", "0", "0 is not above 0");
    check_value("result.step_time_cv_percent", "0", NULL);
    check_value("result.step_time_cv_percent", "-1", "-1 is below 0");
    check_value("result.mfu", "0", "0 is not above 0");
    check_value("result.mfu", "1", NULL);
    check_value("result.mfu", "1.01", "1.01 is above 1");
    check_value("result.active_params.count", "1000000000000001",
                "1000000000000001 is above 1000000000000000");
    check_value("result.gpu_hours", "0", "0 is not above 0");
    check_value("correctness.convergence.correlation", "-1", NULL);
    check_value("correctness.convergence.correlation", "-1.1", "-1.1 is below -1");
    check_value("correctness.convergence.correlation", "1.1", "1.1 is above 1");
    check_value("correctness.convergence.final_loss_difference", "-0.1", "-0.1 is below 0");
    check_value("correctness.convergence.pointwise_failures", "-1", "-1 is below 0");
    check_value("workload.dataset.build.padding_tokens", "0", NULL);
    check_value("workload.dataset.build.supervised_token_ratio", "1.5", "1.5 is above 1");
}

static void words_are_known_ones(void **state)
{
    (void)state;
    check_value("status", "verifed",
                "verifed is none of verified, unverified, retracted; did you mean verified?");
    check_value("status", "retracted", NULL);
    check_value("correctness.result", "passed", "passed is none of pass, fail; did you mean pass?");
    check_value("correctness.component_tests[].result", "ok", "ok is none of pass, fail");
    check_value("layout.recompute.granularity", "some", "some is none of full, selective");
    check_value("workload.dataset.revision", "b14afda60f1bbebe",
                "b14afda60f1bbebe is not 40 lower-case hexadecimal digits");
    check_value("result.active_params.source", "google/gemma-4-31B-it",
                "google/gemma-4-31B-it is not https://huggingface.co/OWNER/NAME");
    check_value("result.measured", "2026-02-30", "2026-02-30 is not a date (YYYY-MM-DD)");
    check_value(
        "model", "Gemma/4",
        "Gemma/4 is not a name of letters, digits, dots and hyphens that can become a slug");
}

static void columns_are_unique_and_only_of_scalars(void **state)
{
    size_t columns = 0;

    (void)state;
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        bool is_scalar = field->kind >= FIELD_INT && field->kind <= FIELD_DATE;
        bool is_in_list = strstr(field->path, "[]") || strstr(field->path, ".build.");

        assert_int_equal(field->column != NULL, is_scalar && !is_in_list);
        assert_ptr_equal(field_by_path(&recipe_fields, field->path), field);
        assert_int_equal(field->description[strlen(field->description) - 1], '.');
        if (!field->column) {
            assert_false(field->flags & (FIELD_FILTERABLE | FIELD_SORTABLE));
            continue;
        }
        assert_ptr_equal(field_by_column(&recipe_fields, field->column), field);
        if (field->kind != FIELD_TEXT)
            assert_true(field->flags & FIELD_SORTABLE);
        columns++;
    }
    assert_int_equal(columns, 77);
}

static void filters_are_the_documented_ones(void **state)
{
    static const char *const names[] = {"gpus",
                                        "author",
                                        "status",
                                        "row_tokens",
                                        "global_batch",
                                        "precision",
                                        "tp",
                                        "pp",
                                        "vpp",
                                        "cp",
                                        "ep",
                                        "etp",
                                        "dp",
                                        "sequence_parallel",
                                        "max_tokens_per_gpu",
                                        "rows_per_microbatch",
                                        "recompute",
                                        "offload",
                                        "dispatcher",
                                        "tokens_per_s_per_gpu",
                                        "step_time_cv_percent",
                                        "mfu",
                                        "active_params",
                                        "measured",
                                        "gpu_hours",
                                        "correlation",
                                        "final_loss_difference",
                                        "model",
                                        "gpu",
                                        "recipe",
                                        "family",
                                        "framework",
                                        "nodes",
                                        "workload",
                                        "usd_per_million_tokens",
                                        "confirmation"};
    size_t found = 0;

    (void)state;
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];

        if (!(field->flags & FIELD_FILTERABLE))
            continue;
        assert_true(found < COUNT_OF(names));
        assert_string_equal(field->column, names[found]);
        assert_true(field->flags & FIELD_SORTABLE);
        found++;
    }
    assert_int_equal(found, COUNT_OF(names));
}

static void each_row_has_a_member_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *a = &recipe_fields.rows[i];

        for (size_t k = 0; k < i; k++) {
            const struct field *b = &recipe_fields.rows[k];
            bool is_a_item = strstr(a->path, "[]");
            bool is_b_item = strstr(b->path, "[]");

            if (a->offset == b->offset && a->column && b->column && is_a_item == is_b_item)
                fail_msg("%s and %s share a member", a->path, b->path);
        }
        assert_true(a->offset < sizeof(struct recipe));
    }
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
        cmocka_unit_test(keys_are_required_as_the_table_says),
        cmocka_unit_test(fields_may_be_null_as_listed),
        cmocka_unit_test(values_have_their_ranges),
        cmocka_unit_test(words_are_known_ones),
        cmocka_unit_test(columns_are_unique_and_only_of_scalars),
        cmocka_unit_test(filters_are_the_documented_ones),
        cmocka_unit_test(each_row_has_a_member_of_its_own),
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
