/* Errors: the table, the formatting, what is cut. */
#include "base/err.h"
#include "base/text.h"
#include "tests/support/test.h"

#include <string.h>

static void each_code_has_name_status_and_exit_code(void **state)
{
    static const struct {
        enum err_code code;
        const char *name;
        int http_status;
        int exit_code;
    } rows[] = {
        {ERR_OK, "ok", 200, 0},
        {ERR_INPUT, "invalid-input", 400, 65},
        {ERR_NOT_FOUND, "not-found", 404, 66},
        {ERR_GONE, "gone", 410, 66},
        {ERR_CONFLICT, "conflict", 409, 65},
        {ERR_LIMIT, "too-large", 413, 65},
        {ERR_BUSY, "busy", 503, 75},
        {ERR_UPSTREAM, "upstream", 502, 69},
        {ERR_NOMEM, "out-of-memory", 503, 71},
        {ERR_IO, "storage", 503, 74},
        {ERR_CORRUPT, "corrupt", 500, 70},
        {ERR_BUG, "internal", 500, 70},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct err_kind *kind = err_kind(rows[i].code);

        assert_int_equal(rows[i].code, i);
        assert_string_equal(kind->name, rows[i].name);
        assert_int_equal(kind->http_status, rows[i].http_status);
        assert_int_equal(kind->exit_code, rows[i].exit_code);
        assert_true(strlen(kind->title) > 0);
    }
}

static void a_code_outside_the_table_is_a_bug(void **state)
{
    (void)state;
    assert_ptr_equal(err_kind((enum err_code)12), err_kind(ERR_BUG));
    assert_ptr_equal(err_kind((enum err_code)1000), err_kind(ERR_BUG));
}

static void set_formats_and_returns_the_code(void **state)
{
    struct err e;

    (void)state;
    memset(&e, 0x55, sizeof e);
    assert_int_equal(err_set(&e, ERR_CONFLICT, "%s is %d", "tp", 3), ERR_CONFLICT);
    assert_int_equal(e.code, ERR_CONFLICT);
    assert_string_equal(e.text, "tp is 3");
    assert_null(e.file);
    assert_int_equal(e.line, 0);
}

static void wrap_says_what_was_tried_first(void **state)
{
    struct err e;

    (void)state;
    (void)err_set(&e, ERR_IO, "disk full");
    assert_int_equal(err_wrap(&e, "cannot write %s", "a.db"), ERR_IO);
    assert_int_equal(err_wrap(&e, "import"), ERR_IO);
    assert_string_equal(e.text, "import: cannot write a.db: disk full");
}

static void an_argument_may_be_the_old_text(void **state)
{
    struct err e;

    (void)state;
    (void)err_set(&e, ERR_INPUT, "nan is not a number");
    assert_int_equal(err_set(&e, ERR_INPUT, "price: %s", e.text), ERR_INPUT);
    assert_string_equal(e.text, "price: nan is not a number");
    (void)err_set(&e, ERR_INPUT, "%s", e.text + 7);
    assert_string_equal(e.text, "nan is not a number");
    (void)err_wrap(&e, "not %s", e.text);
    assert_string_equal(e.text, "not nan is not a number: nan is not a number");
    (void)err_bug(&e, "a bug: %.7s", e.text);
    assert_string_equal(e.text, "a bug: not nan");
}

static void a_bug_knows_its_place(void **state)
{
    struct err e;

    (void)state;
    assert_int_equal(err_bug(&e, "%d rows", 2), ERR_BUG);
    assert_string_equal(e.text, "2 rows");
    assert_string_equal(e.file, "tests/unit/test_base_err.c");
    assert_int_equal(e.line, __LINE__ - 3);
    assert_int_equal(err_nomem(&e), ERR_NOMEM);
    assert_string_equal(e.text, "out of memory");
    assert_null(e.file);
}

static void a_long_text_is_cut_and_terminated(void **state)
{
    char many[1000];
    struct err e;

    (void)state;
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    (void)err_set(&e, ERR_INPUT, "%s", many);
    assert_int_equal(strlen(e.text), 511);
    (void)err_wrap(&e, "field");
    assert_int_equal(strlen(e.text), 511);
    assert_memory_equal(e.text, "field: xxx", 10);
    (void)err_wrap(&e, "%s", many);
    assert_int_equal(strlen(e.text), 511);
    (void)err_wrap(&e, "%.510s", many);
    assert_int_equal(strlen(e.text), 511);
    assert_int_equal(e.text[510], ':');
}

static void a_cut_never_splits_a_character(void **state)
{
    char many[1000] = "";
    struct err e;

    (void)state;
    for (size_t i = 0; i + 3 < sizeof many; i += 3)
        memcpy(many + i, "\xE2\x82\xAC", 4);
    for (int before = 0; before < 4; before++) {
        (void)err_set(&e, ERR_INPUT, "%.*s%s", before, "abc", many);
        assert_true(text_is_utf8(e.text, strlen(e.text)));
        assert_in_range(strlen(e.text), 509, 511);
        (void)err_wrap(&e, "%.*s", before, "abc");
        assert_true(text_is_utf8(e.text, strlen(e.text)));
        assert_in_range(strlen(e.text), 509, 511);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_code_has_name_status_and_exit_code),
        cmocka_unit_test(a_code_outside_the_table_is_a_bug),
        cmocka_unit_test(set_formats_and_returns_the_code),
        cmocka_unit_test(wrap_says_what_was_tried_first),
        cmocka_unit_test(an_argument_may_be_the_old_text),
        cmocka_unit_test(a_bug_knows_its_place),
        cmocka_unit_test(a_long_text_is_cut_and_terminated),
        cmocka_unit_test(a_cut_never_splits_a_character),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
