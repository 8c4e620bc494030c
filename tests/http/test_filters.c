/* Every filterable row of the field table, as a parameter: equality, any of, bounds, null. */
#include "core/recipe.h"
#include "db/query.h"
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/synthetic.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECIPES = 120, PATH_BYTES = 400, VALUE_BYTES = 200 };

/* Real and made-up recipes together: the real ones have what the others lack. */
static int setup(void **state)
{
    struct service *s = calloc(1, sizeof *s);
    char folder[SCRATCH_BYTES];
    const char *const paths[] = {folder, "catalog", "recipes", NULL};

    assert_non_null(s);
    scratch_make(folder);
    synthetic_write_catalog(folder);
    for (size_t i = 0; i < RECIPES; i++) {
        struct synthetic r;

        synthetic_make(&r, 2, i);
        /* The project's catalogue, which comes last, knows neither that GPU nor that author. */
        if (strcmp(r.gpu, "x900") != 0 && strcmp(r.author, "ATTUNE") == 0)
            synthetic_write(&r, folder);
    }
    service_start(s, &(struct service_options){.paths = paths});
    scratch_remove(folder);
    *state = s;
    return 0;
}

static unsigned port_of(void **state)
{
    return ((const struct service *)*state)->port;
}

/* Ask for all rows with one column. */
static void get_column(void **state, const char *column, const char *query,
                       struct http_response *out)
{
    char path[PATH_BYTES];
    int len = snprintf(path, sizeof path, "/recipes?limit=1000&fields=%s%s", column, query);

    assert_in_range(len, 1, sizeof path - 1);
    (void)http_get(port_of(state), path, NULL, out);
    if (out->status != 200)
        fail_msg("%s: %d: %s", path, out->status, out->body);
}

static const json_t *value_of(struct http_response *r, size_t row, const char *column)
{
    return json_object_get(json_array_get(json_at(r, "recipes"), row), column);
}

/* Order of two values that are not null; texts have none, only equality. */
static int compare(const json_t *a, const json_t *b)
{
    if (json_is_string(a))
        return strcmp(json_string_value(a), json_string_value(b));
    if (json_is_boolean(a))
        return json_is_true(a) - json_is_true(b);
    return (json_number_value(a) > json_number_value(b)) -
           (json_number_value(a) < json_number_value(b));
}

/* Write a value as a query has it. */
static void write_value(const json_t *value, char out[VALUE_BYTES])
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    size_t len = 0;

    assert_non_null(text);
    if (json_is_null(value)) {
        (void)snprintf(out, VALUE_BYTES, "none"); /* Fits. */
        free(text);
        return;
    }
    for (const char *at = json_is_string(value) ? json_string_value(value) : text; *at; at++)
        if ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
            (*at >= 'A' && *at <= 'Z') || *at == '-' || *at == '.')
            out[len++] = *at;
        else
            len += (size_t)snprintf(out + len, VALUE_BYTES - len, "%%%02X", (unsigned char)*at);
    out[len] = '\0';
    free(text);
}

enum test { EQUAL, AT_LEAST, AT_MOST };

static bool holds(enum test test, const json_t *value, const json_t *wanted)
{
    if (json_is_null(value) || json_is_null(wanted))
        return test == EQUAL && json_is_null(value) && json_is_null(wanted);
    if (test == EQUAL)
        return compare(value, wanted) == 0;
    return test == AT_LEAST ? compare(value, wanted) >= 0 : compare(value, wanted) <= 0;
}

/* Ask with one filter, and count in memory what should come. */
static void check_filter(void **state, const char *column, enum test test,
                         struct http_response *all, const json_t *wanted)
{
    static const char *const prefixes[] = {"", "min_", "max_"};
    char value[VALUE_BYTES];
    char query[PATH_BYTES];
    struct http_response found;
    size_t expected = 0;

    for (size_t i = 0; i < json_count_at(all, "recipes"); i++)
        expected += holds(test, value_of(all, i, column), wanted);
    write_value(wanted, value);
    (void)snprintf(query, sizeof query, "&%s%s=%s", prefixes[test], column, value); /* Fits. */
    get_column(state, column, query, &found);
    if (json_count_at(&found, "recipes") != expected)
        fail_msg("%s: %zu instead of %zu", query, json_count_at(&found, "recipes"), expected);
    for (size_t i = 0; i < expected; i++)
        assert_true(holds(test, value_of(&found, i, column), wanted));
    http_response_done(&found);
}

/* Try each value that a column has, and null where it may be null. */
static void check_column(void **state, const struct field *field)
{
    bool has_range =
        field->kind == FIELD_INT || field->kind == FIELD_REAL || field->kind == FIELD_DATE;
    struct http_response all;
    json_t *none = json_null();

    get_column(state, field->column, "", &all);
    for (size_t i = 0; i < json_count_at(&all, "recipes"); i += 3) {
        const json_t *wanted = value_of(&all, i, field->column);

        if (json_is_null(wanted))
            continue;
        check_filter(state, field->column, EQUAL, &all, wanted);
        if (!has_range)
            continue;
        check_filter(state, field->column, AT_LEAST, &all, wanted);
        check_filter(state, field->column, AT_MOST, &all, wanted);
    }
    if (field_can_be_null(&recipe_fields, field))
        check_filter(state, field->column, EQUAL, &all, none);
    http_response_done(&all);
}

static void every_filterable_field_filters(void **state)
{
    size_t checked = 0;

    for (size_t i = 0; i < recipe_fields.count; i++)
        if (recipe_fields.rows[i].flags & FIELD_FILTERABLE) {
            check_column(state, &recipe_fields.rows[i]);
            checked++;
        }
    assert_true(checked >= 30);
}

static void a_filter_that_nothing_matches_gives_an_empty_list(void **state)
{
    static const char *const formats[] = {"/recipes?tp=999999",
                                          "/models/gemma-4-31b/h100?tp=999999"};
    struct http_response r;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        assert_int_equal(http_get(port_of(state), formats[i], NULL, &r), 200);
        assert_int_equal(json_int_at(&r, "total"), 0);
        assert_int_equal(json_count_at(&r, "recipes"), 0);
        http_response_done(&r);
    }
    assert_int_equal(http_get(port_of(state), "/recipes.ndjson?tp=999999", NULL, &r), 200);
    assert_string_equal(r.body, "");
    http_response_done(&r);
    assert_int_equal(http_get(port_of(state), "/recipes.csv?tp=999999&fields=tp", NULL, &r), 200);
    assert_string_equal(r.body, "rank,tp\r\n");
    http_response_done(&r);
}

static void words_that_look_like_operators_are_searched(void **state)
{
    static const struct {
        const char *query;
        size_t count; /* of the real recipes; SIZE_MAX: not compared */
    } cases[] = {
        {"qwen3.5", 3},    {"gemma-4-31b", SIZE_MAX}, {"%22", SIZE_MAX},
        {"AND", SIZE_MAX}, {"NEAR(", SIZE_MAX},       {"*", SIZE_MAX},
        {"-", SIZE_MAX},   {"a%20%22b", SIZE_MAX},    {"%27", SIZE_MAX},
        {"zzzzz", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[PATH_BYTES];
        struct http_response r;

        (void)snprintf(path, sizeof path, "/recipes?q=%s", cases[i].query); /* Fits. */
        if (http_get(port_of(state), path, NULL, &r) != 200)
            fail_msg("%s: %d: %s", path, r.status, r.body);
        if (cases[i].count != SIZE_MAX)
            assert_int_equal(json_count_at(&r, "recipes"), cases[i].count);
        http_response_done(&r);
    }
}

static void only_what_was_measured_by_a_day_is_ranked(void **state)
{
    struct http_response r;

    assert_int_equal(
        http_get(port_of(state), "/models/qwen3.5-397b-a17b/b200?as_of=2026-10-17", NULL, &r), 200);
    assert_int_equal(json_int_at(&r, "total"), 0);
    http_response_done(&r);
    assert_int_equal(
        http_get(port_of(state), "/models/qwen3.5-397b-a17b/b200?as_of=2026-10-18", NULL, &r), 200);
    assert_int_equal(json_int_at(&r, "total"), 3);
    assert_int_equal(json_int_at(&r, "recipes.0.rank"), 1);
    http_response_done(&r);
}

/* More than there is room for is the client's to mend, and no mistake of the service. */
static void too_many_filters_are_refused(void **state)
{
    char path[8 * PATH_BYTES] = "/recipes?limit=1";
    struct http_response r;
    size_t count = 0;

    for (size_t i = 0; i < recipe_fields.count && count <= QUERY_FILTERS; i++) {
        const struct field *field = &recipe_fields.rows[i];
        const char *name = field->column;
        const char *most = field->kind == FIELD_INT ? "8" : "1";
        size_t len = strlen(path);

        if (!(field->flags & FIELD_FILTERABLE) ||
            (field->kind != FIELD_INT && field->kind != FIELD_REAL))
            continue;
        assert_in_range(snprintf(path + len, sizeof path - len, "&%s=1&min_%s=1&max_%s=%s", name,
                                 name, name, most),
                        1, sizeof path - len - 1);
        count += 3;
    }
    assert_true(count > QUERY_FILTERS);
    (void)http_get(port_of(state), path, NULL, &r);
    assert_int_equal(r.status, 400);
    if (!strstr(r.body, "\"detail\":\"more than 48 filters\""))
        fail_msg("%s", r.body);
    http_response_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_filterable_field_filters),
        cmocka_unit_test(a_filter_that_nothing_matches_gives_an_empty_list),
        cmocka_unit_test(words_that_look_like_operators_are_searched),
        cmocka_unit_test(only_what_was_measured_by_a_day_is_ranked),
        cmocka_unit_test(too_many_filters_are_refused),
    };

    return cmocka_run_group_tests(tests, setup, service_group_teardown);
}
