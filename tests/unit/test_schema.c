/* The schema: the same in both notations, the same as the file of the project, and row by row what
 * the field table says, both ways. */
#include "core/schema.h"

#include "base/file.h"
#include "core/recipe.h"
#include "tests/support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>

#include <stdlib.h>
#include <string.h>

enum { OUTPUT_LIMIT = 1024 * 1024 };

static void write_json(struct buf *out)
{
    struct err e = {0};

    buf_init(out, OUTPUT_LIMIT);
    schema_write_json(out);
    assert_int_equal(buf_check(out, &e), ERR_OK);
}

static void write_yaml(struct buf *out)
{
    struct err e = {0};

    buf_init(out, OUTPUT_LIMIT);
    schema_write_yaml(out);
    assert_int_equal(buf_check(out, &e), ERR_OK);
}

static json_t *load(void)
{
    struct buf out;
    json_error_t error;
    json_t *schema;

    write_json(&out);
    schema = json_loads(buf_text(&out), JSON_REJECT_DUPLICATES, &error);
    assert_non_null(schema);
    buf_done(&out);
    return schema;
}

static void both_notations_are_one_tree(void **state)
{
    struct buf json;
    struct buf yaml;
    struct reading r;

    (void)state;
    write_json(&json);
    write_yaml(&yaml);
    assert_int_equal(json.data[json.len - 1], '\n');
    assert_int_equal(yaml.data[yaml.len - 1], '\n');
    assert_int_equal(strlen(json.data), json.len);
    assert_null(memchr(json.data, '\n', json.len - 1));
    reading_text(&r, buf_text(&yaml));
    reading_assert_json(r.root, buf_text(&json));
    reading_done(&r);
    buf_done(&yaml);
    buf_done(&json);
}

static void the_projects_file_is_what_the_table_says(void **state)
{
    struct err e = {0};
    struct buf yaml;
    char *file = NULL;
    size_t len = 0;

    (void)state;
    write_yaml(&yaml);
    assert_int_equal(file_read("schema/recipe.schema.yaml", OUTPUT_LIMIT, &file, &len, &e), ERR_OK);
    /* Where they differ: openrecipes schema > schema/recipe.schema.yaml */
    assert_string_equal(file, buf_text(&yaml));
    free(file);
    buf_done(&yaml);
}

/* The object that describes a row: down through properties, and items for "[]". */
static json_t *describe(json_t *schema, const char *path)
{
    char name[64];

    while (*path) {
        size_t len = strcspn(path, ".[");

        assert_true(len < sizeof name);
        memcpy(name, path, len);
        name[len] = '\0';
        schema = json_object_get(json_object_get(schema, "properties"), name);
        if (strncmp(path + len, "[]", 2) == 0) {
            schema = json_object_get(schema, "items");
            len += 2;
        }
        path += len + (path[len] == '.' ? 1 : 0);
    }
    return schema;
}

static const char *first_type(const json_t *object)
{
    const json_t *type = json_object_get(object, "type");

    return json_string_value(json_is_array(type) ? json_array_get(type, 0) : type);
}

static bool is_nullable(const json_t *object)
{
    const json_t *type = json_object_get(object, "type");

    return json_is_array(type) && strcmp(json_string_value(json_array_get(type, 1)), "null") == 0;
}

static void each_row_is_described(void **state)
{
    static const char *const types[] = {
        [FIELD_MAP] = "object",      [FIELD_INT] = "integer",    [FIELD_REAL] = "number",
        [FIELD_BOOL] = "boolean",    [FIELD_TEXT] = "string",    [FIELD_DATE] = "string",
        [FIELD_TEXT_LIST] = "array", [FIELD_INT_LIST] = "array", [FIELD_OPEN_MAP] = "object",
        [FIELD_MAP_LIST] = "array"};
    json_t *schema = load();

    (void)state;
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        const json_t *object = describe(schema, field->path);
        const char *description;

        if (field->flags & FIELD_DERIVED) {
            assert_null(object);
            continue;
        }
        assert_non_null(object);
        assert_string_equal(first_type(object), types[field->kind]);
        assert_int_equal(is_nullable(object), (field->flags & FIELD_NULLABLE) != 0);
        description = json_string_value(json_object_get(object, "description"));
        assert_memory_equal(description, field->description, strlen(field->description));
        assert_int_equal(description[strlen(description) - 1], '.');
        if (field->unit)
            assert_non_null(strstr(description, field->unit));
    }
    json_decref(schema);
}

/* Count the properties at every depth, and see that each map is closed or open, and asks for what
 * is among its properties. */
static size_t count_properties(json_t *object)
{
    json_t *properties = json_object_get(object, "properties");
    json_t *items = json_object_get(object, "items");
    const json_t *others = json_object_get(object, "additionalProperties");
    const json_t *name;
    json_t *value;
    const char *key;
    size_t count = 0;
    size_t i;

    if (strcmp(first_type(object), "object") == 0)
        assert_true(json_is_false(others) || strcmp(first_type(others), "string") == 0);
    json_array_foreach(json_object_get(object, "required"), i, name)
        assert_non_null(json_object_get(properties, json_string_value(name)));
    json_object_foreach(properties, key, value) count += 1 + count_properties(value);
    return items ? count + count_properties(items) : count;
}

static void nothing_else_is_described(void **state)
{
    json_t *schema = load();
    size_t rows = 0;

    (void)state;
    for (size_t i = 0; i < recipe_fields.count; i++)
        rows += recipe_fields.rows[i].flags & FIELD_DERIVED ? 0 : 1;
    assert_int_equal(count_properties(schema), rows);
    json_decref(schema);
}

static bool is_required(const json_t *object, const char *name)
{
    const json_t *item;
    size_t i;

    json_array_foreach(json_object_get(object, "required"), i, item)
    {
        if (strcmp(json_string_value(item), name) == 0)
            return true;
    }
    return false;
}

static void keys_are_required_but_for_the_optional_ones(void **state)
{
    json_t *schema = load();
    const json_t *test = describe(schema, "correctness.component_tests[]");

    (void)state;
    assert_true(is_required(schema, "notes"));
    assert_true(is_required(schema, "patches"));
    assert_false(is_required(schema, "derived"));
    assert_true(is_required(describe(schema, "layout"), "layer_split"));
    assert_true(is_required(test, "detail"));
    assert_false(is_required(test, "note"));
    assert_false(is_required(describe(schema, "workload.dataset.build"), "seed"));
    json_decref(schema);
}

/* The limits of a row as compact JSON, without its type and description. */
static void assert_limits(json_t *schema, const char *path, const char *expected)
{
    json_t *limits = json_copy(describe(schema, path));
    char *text;

    assert_non_null(limits);
    assert_int_equal(json_object_del(limits, "description"), 0);
    text = json_dumps(limits, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(limits);
}

static void limits_are_those_of_the_table(void **state)
{
    json_t *schema = load();

    (void)state;
    assert_limits(schema, "schema_version", "{\"type\":\"integer\",\"const\":1}");
    assert_limits(schema, "layout.tp", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000000}");
    assert_limits(schema, "layout.max_tokens_per_gpu",
                  "{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":1000000000000000}");
    assert_limits(schema, "result.mfu",
                  "{\"type\":[\"number\",\"null\"],\"exclusiveMinimum\":0,\"maximum\":1}");
    assert_limits(schema, "correctness.convergence.correlation",
                  "{\"type\":\"number\",\"minimum\":-1,\"maximum\":1}");
    assert_limits(schema, "result.profiler", "{\"type\":\"boolean\"}");
    assert_limits(schema, "layout.recompute.method",
                  "{\"type\":[\"string\",\"null\"],\"enum\":[\"uniform\",\"block\",null]}");
    assert_limits(schema, "workload.dataset.revision",
                  "{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{40}$\"}");
    assert_limits(schema, "result.active_params.source",
                  "{\"type\":\"string\",\"pattern\":\"^https://huggingface\\\\.co/"
                  "[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}$\"}");
    assert_limits(schema, "result.measured",
                  "{\"type\":\"string\",\"format\":\"date\","
                  "\"pattern\":\"^[0-9]{4}-[0-9]{2}-[0-9]{2}$\"}");
    assert_limits(
        schema, "layout.label",
        "{\"type\":\"string\",\"pattern\":\"^[^\\\\r\\\\n]*[^ \\\\t\\\\r\\\\n][^\\\\r\\\\n]*$\"}");
    assert_limits(schema, "run", "{\"type\":\"string\",\"pattern\":\"[^ \\\\t\\\\r\\\\n]\"}");
    assert_limits(schema, "result.window",
                  "{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":0,"
                  "\"maximum\":1000000000},\"minItems\":2,\"maxItems\":2}");
    assert_limits(schema, "env",
                  "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
                  "\"maxProperties\":1000}");
    json_decref(schema);
}

static void the_head_names_the_dialect(void **state)
{
    static const char head[] = "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
                               "\"$id\":\"/schema/recipe.json\",\"title\":\"Training recipe\",";
    struct buf out;

    (void)state;
    write_json(&out);
    assert_memory_equal(buf_text(&out), head, sizeof head - 1);
    buf_done(&out);
}

/* A limit that is too small cuts the schema; the buffer says so. */
static void a_full_buffer_is_noticed(void **state)
{
    struct err e = {0};
    struct buf out;

    (void)state;
    buf_init(&out, 1000);
    schema_write_json(&out);
    assert_int_equal(buf_check(&out, &e), ERR_LIMIT);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_notations_are_one_tree),
        cmocka_unit_test(the_projects_file_is_what_the_table_says),
        cmocka_unit_test(each_row_is_described),
        cmocka_unit_test(nothing_else_is_described),
        cmocka_unit_test(keys_are_required_but_for_the_optional_ones),
        cmocka_unit_test(limits_are_those_of_the_table),
        cmocka_unit_test(the_head_names_the_dialect),
        cmocka_unit_test(a_full_buffer_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
