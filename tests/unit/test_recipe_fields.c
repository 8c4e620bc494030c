/* The recipe's field table: which keys are required, which may be null, the ranges, the columns and
 * the filters. */
#include "core/recipe.h"

#include "base/mem.h"
#include "tests/support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* The recipe whose layer split and offload are not null, with component tests and notes. */
static const char *const fullest = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml";

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

/* Rows below a map say so, so that no look for it is needed. */
static void fields_of_maps_that_may_be_null_are_marked(void **state)
{
    size_t marked = 0;

    (void)state;
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        bool is_marked = field->flags & FIELD_BELOW_NULLABLE;
        bool may_be_null = field->flags & (FIELD_NULLABLE | FIELD_OPTIONAL);

        assert_int_equal(is_marked || may_be_null, field_can_be_null(&recipe_fields, field));
        marked += is_marked;
    }
    assert_int_equal(marked, 7);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_required_as_the_table_says),
        cmocka_unit_test(fields_may_be_null_as_listed),
        cmocka_unit_test(fields_of_maps_that_may_be_null_are_marked),
        cmocka_unit_test(values_have_their_ranges),
        cmocka_unit_test(words_are_known_ones),
        cmocka_unit_test(columns_are_unique_and_only_of_scalars),
        cmocka_unit_test(filters_are_the_documented_ones),
        cmocka_unit_test(each_row_has_a_member_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
