/* Columns in memory: their codes, where values stand in them, and blocks of marks. */
#include "db/scan_maker.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "core/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct field *field(const char *name)
{
    const struct field *found = field_by_column(&recipe_fields, name);

    assert_non_null(found);
    return found;
}

static struct query_value integer(int64_t value)
{
    return (struct query_value){.kind = QUERY_INT, .integer = value};
}

static struct query_value real(double value)
{
    return (struct query_value){.kind = QUERY_REAL, .real = value};
}

static struct query_value text(const char *value)
{
    return (struct query_value){.kind = QUERY_TEXT, .text = value};
}

static const struct query_value null = {.kind = QUERY_NULL};

static void make(const char *name, const struct query_value *values, size_t count,
                 struct scan_column *out)
{
    struct scan_maker m;

    scan_maker_init(&m, name ? field(name) : NULL);
    for (size_t i = 0; i < count; i++)
        assert_true(scan_maker_add(&m, &values[i]));
    assert_true(scan_maker_finish(&m, out));
    scan_maker_done(&m);
}

static void expect_codes(const struct scan_column *c, const uint32_t *codes, size_t count)
{
    assert_int_equal(c->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(scan_column_code(c, i), codes[i]);
}

static void expect_place(const struct scan_column *c, struct query_value value, uint32_t code,
                         bool is_in)
{
    struct scan_place place = scan_column_find(c, &value);

    assert_int_equal(place.code, code);
    assert_int_equal(place.is_in, is_in);
}

static void numbers_are_in_the_order_of_their_values(void **state)
{
    const struct query_value values[] = {integer(10), integer(-9), null, integer(2), integer(10)};
    struct scan_column c;

    (void)state;
    make("tp", values, COUNT_OF(values), &c);
    assert_int_equal(c.value_count, 3);
    assert_int_equal(c.width, 1);
    expect_codes(&c, (const uint32_t[]){2, 0, 3, 1, 2}, 5);
    expect_place(&c, integer(-10), 0, false);
    expect_place(&c, integer(2), 1, true);
    expect_place(&c, integer(3), 2, false);
    expect_place(&c, integer(11), 3, false);
    expect_place(&c, null, 3, true);
    scan_column_done(&c);
}

static void both_zeros_are_one_value(void **state)
{
    const struct query_value values[] = {real(0.5), real(-0.0), real(0.0), real(-1e-300)};
    struct scan_column c;

    (void)state;
    make("mfu", values, COUNT_OF(values), &c);
    assert_int_equal(c.value_count, 3);
    expect_codes(&c, (const uint32_t[]){2, 1, 1, 0}, 4);
    expect_place(&c, real(-0.0), 1, true);
    expect_place(&c, real(1e300), 3, false);
    scan_column_done(&c);
}

static void texts_are_in_the_order_of_their_bytes(void **state)
{
    const struct query_value values[] = {text("b"),  text("z\xc3\xa9ro"), text("B"), text(""),
                                         text("ab"), text("b"),           null,      text("a")};
    struct scan_column c;

    (void)state;
    make("author", values, COUNT_OF(values), &c);
    assert_int_equal(c.value_count, 6);
    expect_codes(&c, (const uint32_t[]){4, 5, 1, 0, 3, 4, 6, 2}, 8);
    assert_string_equal(c.values[5].text, "z\xc3\xa9ro");
    expect_place(&c, text("aa"), 3, false);
    expect_place(&c, text("zz"), 5, false);
    expect_place(&c, text("\xff"), 6, false);
    scan_column_done(&c);
}

static void nothing_but_nulls_is_one_code(void **state)
{
    const struct query_value values[] = {null, null};
    struct scan_column c;

    (void)state;
    make("dispatcher", values, COUNT_OF(values), &c);
    assert_int_equal(c.value_count, 0);
    expect_codes(&c, (const uint32_t[]){0, 0}, 2);
    expect_place(&c, text("x"), 0, false);
    expect_place(&c, null, 0, true);
    scan_column_done(&c);
}

static void no_recipes_make_an_empty_column(void **state)
{
    struct scan_column c;

    (void)state;
    make("tp", NULL, 0, &c);
    assert_int_equal(c.count, 0);
    assert_int_equal(scan_blocks(c.count), 0);
    expect_place(&c, integer(1), 0, false);
    scan_column_done(&c);
}

/* Make a column of so many values, each once, the highest first, and a null. */
static void make_many(size_t count, struct scan_column *out)
{
    struct query_value *values = mem_array(count + 1, sizeof *values);

    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = integer((int64_t)(count - i));
    make("window_tokens", values, count + 1, out);
    free(values);
}

static void codes_are_as_wide_as_null_needs(void **state)
{
    static const struct {
        size_t values;
        size_t width;
    } cases[] = {{255, 1}, {256, 2}, {65535, 2}, {65536, 4}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scan_column c;

        make_many(cases[i].values, &c);
        assert_int_equal(c.width, cases[i].width);
        assert_int_equal(scan_column_code(&c, 0), cases[i].values - 1);
        assert_int_equal(scan_column_code(&c, cases[i].values - 1), 0);
        assert_int_equal(scan_column_code(&c, cases[i].values), cases[i].values);
        assert_in_range(c.bytes, scan_places(c.count) * c.width, 20 * scan_places(c.count));
        scan_column_done(&c);
    }
}

/* Compare the marks of each block with the codes, one by one. */
static void check_marks(const struct scan_column *c, struct scan_range range)
{
    for (size_t block = 0; block < scan_blocks(c->count); block++) {
        uint8_t marks[SCAN_BLOCK] = {0};
        size_t expected = 1;

        marks[SCAN_BLOCK - 1] = 1; /* What is marked stays so. */
        scan_column_mark(c, block, range, marks);
        assert_int_equal(marks[SCAN_BLOCK - 1], 1);
        for (size_t i = 0; i + 1 < SCAN_BLOCK; i++) {
            uint32_t code = scan_column_code(c, block * SCAN_BLOCK + i);

            assert_int_equal(marks[i], code >= range.first && code <= range.last);
            expected += marks[i];
        }
        assert_int_equal(scan_marks_count(marks), expected);
    }
}

static void marks_are_on_codes_of_the_range(void **state)
{
    static const size_t counts[] = {255, 5000, 70000};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        const uint32_t null_code = (uint32_t)counts[i];
        struct scan_column c;

        make_many(counts[i], &c);
        check_marks(&c, (struct scan_range){0, 0});
        check_marks(&c, (struct scan_range){0, null_code});
        check_marks(&c, (struct scan_range){null_code, null_code});
        check_marks(&c, (struct scan_range){7, null_code / 2});
        scan_column_done(&c);
    }
}

static void ids_are_their_own_codes(void **state)
{
    const struct query_value values[] = {integer(7), integer(1), integer(300000)};
    struct scan_column c;

    (void)state;
    make(NULL, values, COUNT_OF(values), &c);
    assert_int_equal(c.width, 4);
    assert_int_equal(c.value_count, 300001);
    expect_codes(&c, (const uint32_t[]){7, 1, 300000}, 3);
    scan_column_done(&c);
}

/* Texts of all lengths, more than the first table has room for. */
static void many_texts_keep_their_codes(void **state)
{
    enum { TEXTS = 3000, TEXT_BYTES = 80 };
    static char texts[TEXTS][TEXT_BYTES];
    struct query_value values[TEXTS];
    struct scan_column c;

    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        (void)snprintf(texts[i], TEXT_BYTES, "%0*d", 5 + i % 70, (i * 7919) % TEXTS); /* Fits. */
        values[i] = text(texts[i]);
    }
    make("recipe", values, TEXTS, &c);
    assert_int_equal(c.width, 2);
    for (size_t i = 0; i < TEXTS; i++)
        assert_string_equal(c.values[scan_column_code(&c, i)].text, texts[i]);
    for (size_t i = 1; i < c.value_count; i++)
        assert_true(strcmp(c.values[i - 1].text, c.values[i].text) < 0);
    scan_column_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_in_the_order_of_their_values),
        cmocka_unit_test(both_zeros_are_one_value),
        cmocka_unit_test(texts_are_in_the_order_of_their_bytes),
        cmocka_unit_test(nothing_but_nulls_is_one_code),
        cmocka_unit_test(no_recipes_make_an_empty_column),
        cmocka_unit_test(codes_are_as_wide_as_null_needs),
        cmocka_unit_test(marks_are_on_codes_of_the_range),
        cmocka_unit_test(ids_are_their_own_codes),
        cmocka_unit_test(many_texts_keep_their_codes),
    };

    return cmocka_run_group_tests_name("db_scan_column", tests, NULL, NULL);
}
