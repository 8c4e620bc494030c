/* A report's counts, order and limits, and its two forms. */
#include "core/report.h"

#include "base/buf.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void check_text(const struct report *r, const char *expected)
{
    struct buf text;

    buf_init(&text, 1024 * 1024);
    report_write_text(r, "dir/f.yaml", &text);
    assert_string_equal(buf_text(&text), expected);
    buf_done(&text);
}

static void check_json(const struct report *r, const char *expected)
{
    struct buf text;
    struct json j;

    buf_init(&text, 1024 * 1024);
    json_init(&j, &text);
    report_write_json(r, NULL, &j);
    assert_string_equal(buf_text(&text), expected);
    buf_done(&text);
}

static void an_empty_report_has_no_lines(void **state)
{
    struct report r;

    (void)state;
    report_init(&r);
    report_sort(&r);
    check_text(&r, "");
    check_json(&r, "[]");
    report_done(&r);
}

/* Four problems, out of order. */
static void fill(struct report *r)
{
    report_init(r);
    report_add(r, SEVERITY_WARNING, 4, 9, "layout.tp", "%d is below %d", 0, 1);
    report_add(r, SEVERITY_ERROR, 4, 2, "", "first");
    report_add(r, SEVERITY_ERROR, 2, 5, "a[0].b", "twice");
    report_add(r, SEVERITY_ERROR, 4, 2, "", "second");
    report_add(r, SEVERITY_ERROR, 0, 0, "", "whole file");
}

static void problems_are_sorted_by_place_and_keep_their_order(void **state)
{
    struct report r;

    (void)state;
    fill(&r);
    assert_int_equal(r.errors, 4);
    assert_int_equal(r.warnings, 1);
    assert_string_equal(r.first->message, "0 is below 1");
    report_sort(&r);
    assert_string_equal(r.last->message, "0 is below 1");
    check_text(&r, "dir/f.yaml: error: whole file\n"
                   "dir/f.yaml:2:5: error: a[0].b: twice\n"
                   "dir/f.yaml:4:2: error: first\n"
                   "dir/f.yaml:4:2: error: second\n"
                   "dir/f.yaml:4:9: warning: layout.tp: 0 is below 1\n");
    report_add(&r, SEVERITY_ERROR, 1, 1, "", "added after sorting");
    assert_string_equal(r.last->message, "added after sorting");
    report_done(&r);
}

static void json_has_null_where_there_is_no_place(void **state)
{
    struct report r;

    (void)state;
    report_init(&r);
    report_add(&r, SEVERITY_ERROR, 0, 0, "", "say \"%s\"", "x\ny");
    report_add(&r, SEVERITY_WARNING, 3, 1, "é", "m");
    check_json(&r, "[{\"line\":null,\"column\":null,\"path\":\"\",\"severity\":\"error\","
                   "\"message\":\"say \\\"x\\ny\\\"\"},"
                   "{\"line\":3,\"column\":1,\"path\":\"é\",\"severity\":\"warning\","
                   "\"message\":\"m\"}]");
    report_done(&r);
}

static void strict_turns_warnings_into_errors(void **state)
{
    struct report r;

    (void)state;
    report_init(&r);
    report_add(&r, SEVERITY_ERROR, 1, 1, "", "a");
    report_add(&r, SEVERITY_WARNING, 2, 1, "", "b");
    report_make_strict(&r);
    assert_int_equal(r.errors, 2);
    assert_int_equal(r.warnings, 0);
    check_text(&r, "dir/f.yaml:1:1: error: a\ndir/f.yaml:2:1: error: b\n");
    report_done(&r);
}

static void control_characters_cannot_break_a_line(void **state)
{
    struct report r;
    struct buf text;

    (void)state;
    report_init(&r);
    report_add(&r, SEVERITY_ERROR, 1, 1, "a\nf:2:2: error: b", "c\t\x1B[1m\x7F é");
    buf_init(&text, 4096);
    report_write_text(&r, "x\ny", &text);
    assert_string_equal(buf_text(&text),
                        "x\\ny:1:1: error: a\\nf:2:2: error: b: c\\t\\x1b[1m\\x7f é\n");
    buf_done(&text);
    report_done(&r);
}

/* Report a path and a message of count times "é", with one byte before them. */
static void add_long(struct report *r, size_t count)
{
    struct buf text;

    buf_init(&text, 4096);
    buf_putc(&text, 'x');
    for (size_t i = 0; i < count; i++)
        buf_puts(&text, "é");
    report_add(r, SEVERITY_ERROR, 1, 1, buf_text(&text), "%s", buf_text(&text));
    buf_done(&text);
}

static void long_text_is_cut_between_characters(void **state)
{
    struct report r;

    (void)state;
    report_init(&r);
    add_long(&r, 99);
    assert_int_equal(strlen(r.last->path), 199);
    assert_int_equal(strlen(r.last->message), 199);
    add_long(&r, 100);
    assert_int_equal(strlen(r.last->path), 200);
    assert_string_equal(r.last->path + 195, "é...");
    assert_int_equal(strlen(r.last->message), 201);
    add_long(&r, 249);
    assert_int_equal(strlen(r.last->message), 499);
    add_long(&r, 250);
    assert_int_equal(strlen(r.last->message), 500);
    assert_string_equal(r.last->message + 495, "é...");
    assert_false(r.is_short);
    report_done(&r);
}

static void problems_over_the_limit_are_counted(void **state)
{
    struct report r;
    struct buf text;
    size_t lines = 0;
    static const char note[] = "f: note: 3 more problems are not shown\n";

    (void)state;
    report_init(&r);
    for (size_t i = 0; i < REPORT_LIMIT + 3; i++)
        report_add(&r, i % 2 ? SEVERITY_WARNING : SEVERITY_ERROR, REPORT_LIMIT + 3 - i, 1, "p",
                   "%0600zu", i);
    assert_int_equal(r.errors, REPORT_LIMIT / 2 + 2);
    assert_int_equal(r.warnings, REPORT_LIMIT / 2 + 1);
    assert_int_equal(r.hidden, 3);
    assert_false(r.is_short);
    report_sort(&r);
    assert_int_equal(r.first->line, 4);
    assert_int_equal(r.last->line, REPORT_LIMIT + 3);
    buf_init(&text, 1024 * 1024);
    report_write_text(&r, "f", &text);
    for (const char *c = buf_text(&text); *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, REPORT_LIMIT + 1);
    assert_string_equal(buf_text(&text) + text.len - strlen(note), note);
    buf_done(&text);
    report_done(&r);
}

static void a_report_without_memory_is_short(void **state)
{
    struct report r;

    (void)state;
    report_init(&r);
    r.arena.limit = 64;
    report_add(&r, SEVERITY_ERROR, 1, 1, "path", "message");
    assert_true(r.is_short);
    assert_null(r.first);
    assert_int_equal(r.errors, 1);
    report_done(&r);
    assert_false(r.is_short);
    assert_int_equal(r.errors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_report_has_no_lines),
        cmocka_unit_test(problems_are_sorted_by_place_and_keep_their_order),
        cmocka_unit_test(json_has_null_where_there_is_no_place),
        cmocka_unit_test(strict_turns_warnings_into_errors),
        cmocka_unit_test(control_characters_cannot_break_a_line),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(problems_over_the_limit_are_counted),
        cmocka_unit_test(a_report_without_memory_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
