/* JSON in: limits, duplicate keys, and kinds that are never taken for one another. */
#include "base/json_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct json_limits limits = {.bytes = 200, .depth = 3, .values = 9};

static struct json_t *parse(const char *text)
{
    struct json_t *root = NULL;
    struct err e = {0};

    if (json_read_parse(text, strlen(text), &limits, &root, &e) != ERR_OK)
        fail_msg("%s", e.text);
    return root;
}

static void assert_refused(const char *text, size_t len, enum err_code code, const char *message)
{
    struct json_t *root = NULL;
    struct err e = {0};

    assert_int_equal(json_read_parse(text, len, &limits, &root, &e), code);
    assert_null(root);
    assert_string_equal(e.text, message);
}

static void refuses_what_is_no_json(void **state)
{
    static const char with_nul[] = "{\"a\":1}\0";

    (void)state;
    assert_refused("", 0, ERR_INPUT,
                   "not valid JSON: line 1, column 0: '[' or '{' expected near end of file");
    assert_refused("<html>", 6, ERR_INPUT,
                   "not valid JSON: line 1, column 1: '[' or '{' expected near '<'");
    assert_refused("{} {}", 5, ERR_INPUT,
                   "not valid JSON: line 1, column 4: end of file expected near '{'");
    assert_refused(with_nul, sizeof with_nul - 1, ERR_INPUT,
                   "not valid JSON: line 1, column 8: end of file expected near end of file");
    assert_refused("[1e999]", 7, ERR_INPUT,
                   "not valid JSON: line 1, column 6: real number overflow near '1e999'");
    assert_refused("[9223372036854775808]", 21, ERR_INPUT,
                   "not valid JSON: line 1, column 20: too big integer near "
                   "'9223372036854775808'");
}

static void refuses_duplicate_keys(void **state)
{
    static const char text[] = "{\"a\":1,\n\"a\":2}";

    (void)state;
    assert_refused(text, sizeof text - 1, ERR_INPUT,
                   "not valid JSON: line 2, column 3: duplicate object key near '\"a\"'");
}

static void refuses_what_is_over_a_limit(void **state)
{
    char text[201];

    (void)state;
    memset(text, ' ', sizeof text);
    assert_refused(text, sizeof text, ERR_LIMIT, "longer than 200 bytes");
    assert_refused("[[[[]]]]", 8, ERR_LIMIT, "nested deeper than 3");
    assert_refused("[{\"a\":[{}]}]", 12, ERR_LIMIT, "nested deeper than 3");
    assert_refused("[1,2,3,4,5,6,7,8,9]", 19, ERR_LIMIT, "more than 9 values");
}

static void reads_up_to_the_limits(void **state)
{
    struct json_t *root = parse("[[[]]]");

    (void)state;
    json_read_free(root);
    root = parse("[1,2,3,4,5,6,7,8]");
    assert_int_equal(json_read_count(root), 8);
    json_read_free(root);
    /* Brackets and commas inside a text are none, and a quote behind a backslash ends none. */
    root = parse("[\"[[[[{{{{,,,,,,,,,\\\"[[[[\\\\\"]");
    assert_int_equal(json_read_count(root), 1);
    json_read_free(root);
    json_read_free(NULL);
}

static void reads_whole_numbers_only(void **state)
{
    struct json_t *root = parse("{\"a\":5,\"b\":5.0,\"c\":\"5\",\"d\":true,\"e\":null,\"f\":[],"
                                "\"g\":9223372036854775807}");
    static const struct {
        const char *key;
        const char *message;
    } wrong[] = {
        {"b", "n: a whole number is needed, not a real number"},
        {"c", "n: a whole number is needed, not a text"},
        {"d", "n: a whole number is needed, not true or false"},
        {"e", "n: a whole number is needed, not nothing"},
        {"f", "n: a whole number is needed, not a list"},
        {"x", "n: a whole number is needed, not nothing"},
    };
    int64_t value = -1;
    struct err e = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(json_read_int(json_read_find(root, wrong[i].key), "n", 0, 9, &value, &e),
                         ERR_INPUT);
        assert_string_equal(e.text, wrong[i].message);
        assert_int_equal(value, -1);
    }
    assert_int_equal(json_read_int(json_read_find(root, "a"), "n", 6, 9, &value, &e), ERR_INPUT);
    assert_string_equal(e.text, "n: 5 is below 6");
    assert_int_equal(json_read_int(json_read_find(root, "a"), "n", 0, 4, &value, &e), ERR_INPUT);
    assert_string_equal(e.text, "n: 5 is above 4");
    assert_int_equal(json_read_int(json_read_find(root, "a"), "n", 5, 5, &value, &e), ERR_OK);
    assert_int_equal(value, 5);
    assert_int_equal(json_read_int(json_read_find(root, "g"), "n", 0, INT64_MAX, &value, &e),
                     ERR_OK);
    assert_int_equal(value, INT64_MAX);
    json_read_free(root);
}

static void reads_lists_of_whole_numbers(void **state)
{
    struct json_t *root = parse("{\"a\":[1,2],\"b\":[1,2.0],\"c\":7}");
    int64_t values[2] = {0};
    size_t count = 0;
    struct err e = {0};

    (void)state;
    assert_int_equal(json_read_ints(json_read_find(root, "a"), "n", 0, 9, 2, values, &count, &e),
                     ERR_OK);
    assert_int_equal(count, 2);
    assert_int_equal(values[0], 1);
    assert_int_equal(values[1], 2);
    assert_int_equal(json_read_ints(json_read_find(root, "a"), "n", 0, 9, 1, values, &count, &e),
                     ERR_INPUT);
    assert_string_equal(e.text, "n: 2 elements, more than 1");
    assert_int_equal(json_read_ints(json_read_find(root, "b"), "n", 0, 9, 2, values, &count, &e),
                     ERR_INPUT);
    assert_string_equal(e.text, "n: a whole number is needed, not a real number");
    assert_int_equal(json_read_ints(json_read_find(root, "c"), "n", 0, 9, 2, values, &count, &e),
                     ERR_INPUT);
    assert_string_equal(e.text, "n: a list is needed, not a whole number");
    json_read_free(root);
}

static void reads_texts_bools_and_objects(void **state)
{
    struct json_t *root = parse("{\"t\":\"x\",\"b\":true,\"n\":null,\"o\":{\"p\":false}}");
    struct json_t *object = NULL;
    const char *text = NULL;
    bool truth = false;
    struct err e = {0};

    (void)state;
    assert_int_equal(json_read_text(json_read_find(root, "t"), "t", &text, &e), ERR_OK);
    assert_string_equal(text, "x");
    assert_int_equal(json_read_text(json_read_find(root, "b"), "b", &text, &e), ERR_INPUT);
    assert_string_equal(e.text, "b: a text is needed, not true or false");
    assert_int_equal(json_read_bool(json_read_find(root, "b"), "b", &truth, &e), ERR_OK);
    assert_true(truth);
    assert_int_equal(json_read_bool(json_read_find(root, "t"), "t", &truth, &e), ERR_INPUT);
    assert_string_equal(e.text, "t: true or false is needed, not a text");
    assert_int_equal(json_read_object(root, "o", &object, &e), ERR_OK);
    assert_int_equal(json_read_bool(json_read_find(object, "p"), "p", &truth, &e), ERR_OK);
    assert_false(truth);
    assert_int_equal(json_read_object(root, "n", &object, &e), ERR_INPUT);
    assert_string_equal(e.text, "n: an object is needed, not null");
    assert_int_equal(json_read_object(root, "t", &object, &e), ERR_INPUT);
    assert_string_equal(e.text, "t: an object is needed, not a text");
    assert_true(json_read_is_object(root));
    assert_false(json_read_is_object(json_read_find(root, "t")));
    assert_null(json_read_find(json_read_find(root, "t"), "x"));
    json_read_free(root);
}

static void walks_members_in_order(void **state)
{
    struct json_t *root = parse("{\"z\":1,\"a\":2,\"m\":3}");
    struct json_member member = {0};
    char keys[4] = {0};
    size_t count = 0;

    (void)state;
    while (json_read_next(root, &member))
        keys[count++] = member.key[0];
    assert_string_equal(keys, "zam");
    assert_int_equal(json_read_count(root), 3);
    json_read_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_json),
        cmocka_unit_test(refuses_duplicate_keys),
        cmocka_unit_test(refuses_what_is_over_a_limit),
        cmocka_unit_test(reads_up_to_the_limits),
        cmocka_unit_test(reads_whole_numbers_only),
        cmocka_unit_test(reads_lists_of_whole_numbers),
        cmocka_unit_test(reads_texts_bools_and_objects),
        cmocka_unit_test(walks_members_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
