/* JSON text: commas, escapes, numbers. */
#include "base/json.h"
#include "tests/support/test.h"

#include <float.h>
#include <jansson.h>
#include <string.h>

/* What a test starts with. */
static struct json begin(struct buf *b)
{
    struct json j;

    buf_init(b, 1 << 20);
    json_init(&j, b);
    return j;
}

static void expect(struct buf *b, const char *text)
{
    struct err e;

    assert_int_equal(buf_check(b, &e), ERR_OK);
    assert_string_equal(buf_text(b), text);
    buf_done(b);
}

static void commas_stand_between_and_nowhere_else(void **state)
{
    struct buf b;
    struct json j = begin(&b);

    (void)state;
    json_begin(&j, NULL, '{');
    json_begin(&j, "none", '[');
    json_end(&j, ']');
    json_begin(&j, "some", '[');
    json_put_int(&j, NULL, 1);
    json_begin(&j, NULL, '{');
    json_end(&j, '}');
    json_begin(&j, NULL, '{');
    json_put_null(&j, "a");
    json_put_bool(&j, "b", true);
    json_end(&j, '}');
    json_put_bool(&j, NULL, false);
    json_end(&j, ']');
    json_put_text(&j, "t", "x");
    json_put_raw(&j, "raw", "[1,2]", 5);
    json_put_real(&j, "real", 0.5);
    json_end(&j, '}');
    expect(&b, "{\"none\":[],\"some\":[1,{},{\"a\":null,\"b\":true},false],"
               "\"t\":\"x\",\"raw\":[1,2],\"real\":0.5}");
}

static void a_key_from_outside_is_escaped(void **state)
{
    struct buf b;
    struct json j = begin(&b);

    (void)state;
    json_begin(&j, NULL, '{');
    json_put_key(&j, "a\"b");
    json_put_int(&j, NULL, 1);
    json_put_key(&j, "");
    json_begin(&j, NULL, '[');
    json_end(&j, ']');
    json_put_key(&j, "c");
    json_put_null(&j, NULL);
    json_end(&j, '}');
    expect(&b, "{\"a\\\"b\":1,\"\":[],\"c\":null}");
}

static void escapes_are_the_shortest(void **state)
{
    struct buf b;
    struct json j = begin(&b);

    (void)state;
    json_begin(&j, NULL, '[');
    json_put_text(&j, NULL, "\b\t\n\f\r\"\\/\x7F");
    json_put_text(&j, NULL, "\x01\x0B\x1F");
    json_put_text(&j, NULL,
                  "Gr\xC3\xB6\xC3\x9F"
                  "e \xE2\x82\xAC \xF0\x9F\x9A\x80");
    json_put_text(&j, NULL, NULL);
    json_put_text(&j, NULL, "");
    json_put_text_n(&j, NULL, "a\0b", 3);
    json_end(&j, ']');
    expect(&b, "[\"\\b\\t\\n\\f\\r\\\"\\\\/\x7F\",\"\\u0001\\u000b\\u001f\","
               "\"Gr\xC3\xB6\xC3\x9F"
               "e \xE2\x82\xAC \xF0\x9F\x9A\x80\",null,\"\",\"a\\u0000b\"]");
}

static void every_ascii_character_reads_back(void **state)
{
    struct buf b;
    struct json j = begin(&b);
    json_t *read;
    char all[128];

    (void)state;
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)i;
    json_begin(&j, NULL, '[');
    json_put_text_n(&j, NULL, all, sizeof all);
    json_end(&j, ']');
    read = json_loads(buf_text(&b), JSON_ALLOW_NUL, NULL);
    assert_non_null(read);
    assert_int_equal(json_string_length(json_array_get(read, 0)), sizeof all);
    assert_memory_equal(json_string_value(json_array_get(read, 0)), all, sizeof all);
    json_decref(read);
    buf_done(&b);
}

static void numbers_keep_every_digit(void **state)
{
    struct buf b;
    struct json j = begin(&b);

    (void)state;
    json_begin(&j, NULL, '[');
    json_put_int(&j, NULL, INT64_MIN);
    json_put_int(&j, NULL, INT64_MAX);
    json_put_int(&j, NULL, 0);
    json_put_real(&j, NULL, 1178.1);
    json_put_real(&j, NULL, 8.6e-05);
    json_put_real(&j, NULL, 2);
    json_put_real(&j, NULL, DBL_MAX);
    json_end(&j, ']');
    expect(&b, "[-9223372036854775808,9223372036854775807,0,1178.1,8.6e-05,2.0,"
               "1.7976931348623157e+308]");
}

static void a_text_past_the_limit_fails_the_buffer(void **state)
{
    struct buf b;
    struct json j;
    struct err e;

    (void)state;
    buf_init(&b, 8);
    json_init(&j, &b);
    json_begin(&j, NULL, '[');
    json_put_text(&j, NULL, "1234567890");
    json_end(&j, ']');
    assert_int_equal(buf_check(&b, &e), ERR_LIMIT);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_between_and_nowhere_else),
        cmocka_unit_test(a_key_from_outside_is_escaped),
        cmocka_unit_test(escapes_are_the_shortest),
        cmocka_unit_test(every_ascii_character_reads_back),
        cmocka_unit_test(numbers_keep_every_digit),
        cmocka_unit_test(a_text_past_the_limit_fails_the_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
