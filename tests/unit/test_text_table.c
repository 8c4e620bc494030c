/* Tables for a terminal. */
#include "core/text_table.h"

#include "tests/support/test.h"

static void tables_are_aligned_by_characters(void **state)
{
    struct text_table t;
    struct buf out;
    struct err e;

    (void)state;
    text_table_init(&t, 3, 1U << 1, 4096);
    text_table_put(&t, "name");
    text_table_put(&t, "n");
    text_table_put(&t, "what");
    text_table_put(&t, "\xc3\xa9t\xc3\xa9"); /* Three characters, five bytes. */
    text_table_put(&t, "100");
    text_table_put(&t, "two\nlines\tand\x7f");
    text_table_put(&t, "of no row");
    buf_init(&out, 4096);
    assert_int_equal(text_table_write(&t, &out, &e), ERR_OK);
    assert_string_equal(buf_text(&out), "name         n  what\n"
                                        "\xc3\xa9t\xc3\xa9        100  two lines and \n");
    text_table_done(&t);
    buf_done(&out);
}

static void a_table_over_its_limit_is_refused(void **state)
{
    struct text_table t;
    struct buf out;
    struct err e;

    (void)state;
    text_table_init(&t, 1, 0, 10);
    text_table_put(&t, "0123456789");
    buf_init(&out, 4096);
    assert_int_equal(text_table_write(&t, &out, &e), ERR_LIMIT);
    assert_string_equal(buf_text(&out), "");
    text_table_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_aligned_by_characters),
        cmocka_unit_test(a_table_over_its_limit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
