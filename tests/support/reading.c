/* Documents for tests. */
#include "tests/support/reading.h"

#include "base/file.h"
#include "base/num.h"
#include "core/recipe.h"
#include "importers/yaml_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void read_bytes(struct reading *r, const char *bytes, size_t len)
{
    struct err e = {0};

    *r = (struct reading){0};
    arena_init(&r->arena, (size_t)64 * 1024 * 1024);
    report_init(&r->report);
    buf_init(&r->problems, (size_t)1024 * 1024);
    assert_int_equal(yaml_tree_read(bytes, len, &r->arena, &r->root, &r->report, &e), ERR_OK);
    assert_string_equal(reading_problems(r), "");
    assert_non_null(r->root);
}

void reading_text(struct reading *r, const char *yaml)
{
    read_bytes(r, yaml, strlen(yaml));
}

void reading_file(struct reading *r, const char *path)
{
    struct err e = {0};
    char *bytes = NULL;
    size_t len = 0;

    assert_int_equal(file_read(path, RECIPE_FILE_LIMIT, &bytes, &len, &e), ERR_OK);
    read_bytes(r, bytes, len);
    free(bytes);
}

void reading_done(struct reading *r)
{
    buf_done(&r->problems);
    report_done(&r->report);
    arena_done(&r->arena);
}

const char *reading_problems(struct reading *r)
{
    struct err e = {0};

    buf_reset(&r->problems);
    report_sort(&r->report);
    report_write_text(&r->report, "f", &r->problems);
    assert_int_equal(buf_check(&r->problems, &e), ERR_OK);
    return buf_text(&r->problems);
}

struct tree_node *reading_cut(struct tree_node *map, const char *key, struct tree_node ***out_link)
{
    for (struct tree_node **link = &map->first; *link; link = &(*link)->next) {
        struct tree_node *node = *link;

        if (strcmp(node->key, key) == 0) {
            *link = node->next;
            map->count--;
            *out_link = link;
            return node;
        }
    }
    fail_msg("no key %s", key);
    return NULL;
}

static void assert_scalar(const struct tree_node *node, const json_t *json)
{
    struct err e = {0};
    int64_t integer = 0;
    double real = 0;

    assert_int_equal(node->kind, TREE_SCALAR);
    switch (json_typeof(json)) {
    case JSON_STRING:
        assert_string_equal(json_string_value(json), node->text);
        break;
    case JSON_INTEGER:
        assert_true(node->is_plain);
        assert_int_equal(num_parse_int(node->text, node->len, INT64_MIN, INT64_MAX, &integer, &e),
                         ERR_OK);
        assert_true(json_integer_value(json) == integer);
        break;
    case JSON_REAL:
        assert_true(node->is_plain);
        assert_int_equal(num_parse_real(node->text, node->len, &real, &e), ERR_OK);
        assert_true(json_real_value(json) == real);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        assert_true(node->is_plain);
        assert_string_equal(node->text, json_is_true(json) ? "true" : "false");
        break;
    case JSON_NULL:
        assert_true(tree_is_null(node));
        break;
    case JSON_OBJECT:
    case JSON_ARRAY:
        fail_msg("%s is a map or a list in JSON", node->text);
    }
}

static void assert_same(const struct tree_node *node, json_t *json)
{
    const struct tree_node *child = node->first;
    const char *key;
    json_t *value;
    size_t i;

    if (json_is_object(json)) {
        assert_int_equal(node->kind, TREE_MAP);
        assert_int_equal(node->count, json_object_size(json));
        json_object_foreach(json, key, value)
        {
            assert_string_equal(key, child->key);
            assert_same(child, value);
            child = child->next;
        }
    } else if (json_is_array(json)) {
        assert_int_equal(node->kind, TREE_LIST);
        assert_int_equal(node->count, json_array_size(json));
        json_array_foreach(json, i, value)
        {
            assert_same(child, value);
            child = child->next;
        }
    } else {
        assert_scalar(node, json);
    }
}

void reading_assert_json(const struct tree_node *root, const char *json_text)
{
    json_error_t error;
    json_t *json = json_loads(json_text, JSON_REJECT_DUPLICATES, &error);

    if (!json)
        fail_msg("no JSON: %s in %s", error.text, json_text);
    assert_same(root, json);
    json_decref(json);
}
