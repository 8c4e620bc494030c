/* Growing text: contents, limits, the failure that sticks. */
#include "base/buf.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void an_empty_buffer_is_an_empty_text(void **state)
{
    struct buf b;
    struct err e;
    size_t len = 99;
    char *text;

    (void)state;
    buf_init(&b, 10);
    assert_string_equal(buf_text(&b), "");
    assert_null(b.data);
    assert_int_equal(buf_check(&b, &e), ERR_OK);
    text = buf_take(&b, &len);
    assert_non_null(text);
    assert_string_equal(text, "");
    assert_int_equal(len, 0);
    free(text);
}

static void every_append_lands_in_order(void **state)
{
    struct buf b;
    struct err e;

    (void)state;
    buf_init(&b, 1000);
    buf_puts(&b, "a");
    buf_putc(&b, ':');
    buf_put_int(&b, INT64_MIN);
    buf_putc(&b, ' ');
    buf_put_real(&b, 1178.1);
    buf_printf(&b, " %s-%03d", "x", 7);
    buf_add(&b, "\0z", 2);
    buf_add(&b, NULL, 0);
    assert_int_equal(buf_check(&b, &e), ERR_OK);
    assert_int_equal(b.len, 37);
    assert_memory_equal(buf_text(&b), "a:-9223372036854775808 1178.1 x-007\0z", 38);
    buf_done(&b);
    assert_null(b.data);
    assert_int_equal(b.limit, 1000);
}

static void growing_keeps_the_text(void **state)
{
    struct buf b;
    struct err e;

    (void)state;
    buf_init(&b, 100000);
    for (int i = 0; i < 100000; i++)
        buf_putc(&b, (char)('a' + i % 26));
    assert_int_equal(buf_check(&b, &e), ERR_OK);
    assert_int_equal(b.len, 100000);
    for (size_t i = 0; i < b.len; i++)
        assert_int_equal(b.data[i], 'a' + i % 26);
    assert_int_equal(b.data[b.len], '\0');
    buf_done(&b);
}

static void what_is_not_plain_is_encoded(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, 100);
    buf_put_encoded(&b, "", "ab");
    buf_put_encoded(&b, "a b%\xc3\xbc\nba", "ab");
    assert_string_equal(buf_text(&b), "a%20b%25%C3%BC%0Aba");
    buf_done(&b);
}

static void the_limit_is_exact(void **state)
{
    struct buf b;
    struct err e;

    (void)state;
    buf_init(&b, 4);
    buf_puts(&b, "abcd");
    assert_int_equal(buf_check(&b, &e), ERR_OK);
    buf_puts(&b, "");
    assert_int_equal(buf_check(&b, &e), ERR_OK);
    buf_putc(&b, 'e');
    assert_int_equal(buf_check(&b, &e), ERR_LIMIT);
    assert_string_equal(e.text, "the text is longer than 4 bytes");
    assert_string_equal(buf_text(&b), "abcd");
    buf_done(&b);
}

static void a_failure_sticks_until_done(void **state)
{
    struct buf b;
    struct err e;

    (void)state;
    buf_init(&b, 4);
    buf_puts(&b, "ab");
    buf_printf(&b, "%s", "cde");
    buf_putc(&b, 'c');
    buf_put_int(&b, 1);
    buf_printf(&b, "d");
    assert_string_equal(buf_text(&b), "ab");
    assert_int_equal(buf_check(&b, &e), ERR_LIMIT);
    buf_reset(&b);
    buf_puts(&b, "x");
    assert_string_equal(buf_text(&b), "");
    assert_int_equal(buf_check(&b, &e), ERR_LIMIT);
    buf_done(&b);
    buf_puts(&b, "1234");
    assert_int_equal(buf_check(&b, &e), ERR_OK);
    assert_string_equal(buf_text(&b), "1234");
    buf_done(&b);
}

static void a_reset_keeps_the_memory(void **state)
{
    struct buf b;
    const char *before;

    (void)state;
    buf_init(&b, 4);
    buf_reset(&b);
    assert_string_equal(buf_text(&b), "");
    buf_puts(&b, "1234");
    before = b.data;
    buf_reset(&b);
    assert_string_equal(buf_text(&b), "");
    buf_puts(&b, "567");
    assert_ptr_equal(b.data, before);
    assert_string_equal(buf_text(&b), "567");
    buf_done(&b);
}

static void a_failed_buffer_has_nothing_to_take(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, 4);
    buf_puts(&b, "12345");
    assert_null(buf_take(&b, NULL));
    assert_null(b.data);
    assert_int_equal(b.status, ERR_OK);
}

static void a_limit_of_nothing_holds_the_empty_text(void **state)
{
    struct buf b;
    struct err e;

    (void)state;
    buf_init(&b, 0);
    buf_puts(&b, "");
    assert_int_equal(buf_check(&b, &e), ERR_OK);
    buf_putc(&b, 'x');
    assert_int_equal(buf_check(&b, &e), ERR_LIMIT);
    buf_done(&b);
}

static void sizes_that_no_machine_has_are_refused(void **state)
{
    struct buf b;
    struct err e;

    (void)state;
    buf_init(&b, SIZE_MAX);
    buf_puts(&b, "x");
    buf_add(&b, "", SIZE_MAX - 1);
    assert_int_equal(buf_check(&b, &e), ERR_NOMEM);
    assert_string_equal(e.text, "out of memory");
    assert_string_equal(buf_text(&b), "x");
    buf_done(&b);
    buf_add(&b, "", SIZE_MAX / 2);
    assert_int_equal(buf_check(&b, &e), ERR_NOMEM);
    buf_done(&b);
}

static void taking_hands_the_text_over(void **state)
{
    struct buf b;
    size_t len;
    char *text;

    (void)state;
    buf_init(&b, 100);
    buf_add(&b, "a\0b", 3);
    text = buf_take(&b, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(text, "a\0b", 4);
    assert_null(b.data);
    assert_int_equal(b.len, 0);
    assert_int_equal(b.limit, 100);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_is_an_empty_text),
        cmocka_unit_test(every_append_lands_in_order),
        cmocka_unit_test(growing_keeps_the_text),
        cmocka_unit_test(what_is_not_plain_is_encoded),
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(a_failure_sticks_until_done),
        cmocka_unit_test(a_reset_keeps_the_memory),
        cmocka_unit_test(a_failed_buffer_has_nothing_to_take),
        cmocka_unit_test(a_limit_of_nothing_holds_the_empty_text),
        cmocka_unit_test(sizes_that_no_machine_has_are_refused),
        cmocka_unit_test(taking_hands_the_text_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
