/* The scan before libyaml: which characters and escapes it reports, and which lines are directives.
 */
#include "importers/yaml_scan.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

/* Compare a report's text, then release it. */
static void check_report(struct report *report, const char *expected)
{
    struct buf text;

    buf_init(&text, 64 * 1024);
    report_write_text(report, "f", &text);
    assert_string_equal(buf_text(&text), expected);
    buf_done(&text);
    report_done(report);
}

static void check_bytes(const char *bytes, size_t len, const char *expected)
{
    struct report report;

    report_init(&report);
    yaml_scan_bytes(bytes, len, &report);
    check_report(&report, expected);
}

struct bad_bytes {
    const char *text;
    size_t len;
    const char *report;
};

/* Expands to a text without its zero byte, and the length that a text with NUL needs. */
#define BYTES(text) text, sizeof(text) - 1

static void bytes_that_may_not_be_are_reported(void **state)
{
    static const struct bad_bytes cases[] = {
        {BYTES("a: \x07\n"), "f:1:4: error: control character U+0007 is not allowed; delete it\n"},
        {BYTES("a: x\0\n"), "f:1:5: error: control character U+0000 is not allowed; delete it\n"},
        {BYTES("é: \x7F\n"), "f:1:4: error: control character U+007F is not allowed; delete it\n"},
        {BYTES("# \xC2\x80\n"),
         "f:1:3: error: control character U+0080 is not allowed; delete it\n"},
        {BYTES("a: |\n  \x1B[1m\n"),
         "f:2:3: error: control character U+001B is not allowed; delete it\n"},
        {BYTES("a: 1\xC2\x85"
               "b: 2\n"),
         "f:1:5: error: line break U+0085 is not allowed; end lines with LF\n"},
        {BYTES("a: 'x\xE2\x80\xA8'\n"),
         "f:1:6: error: line break U+2028 is not allowed; end lines with LF\n"},
        {BYTES("a: 'x\xE2\x80\xA9'\n"),
         "f:1:6: error: line break U+2029 is not allowed; end lines with LF\n"},
        {BYTES("a: 1\rb: 2\n"), "f:1:5: error: a carriage return stands without a line feed; end "
                                "lines with LF or CRLF\n"},
        {BYTES("a: 1\nb: \xEF\xBB\xBF\n"),
         "f:2:4: error: byte order mark U+FEFF is not allowed; delete it\n"},
        {BYTES("a: \xEF\xBF\xBF\n"),
         "f:1:4: error: noncharacter U+FFFF is not allowed; delete it\n"},
        {BYTES("a: caf\xE9\n"), "f:1:7: error: byte 0xE9 is not UTF-8; save the file as UTF-8\n"},
        {BYTES("\xED\xA0\x80"), "f:1:1: error: byte 0xED is not UTF-8; save the file as UTF-8\n"
                                "f:1:2: error: byte 0xA0 is not UTF-8; save the file as UTF-8\n"
                                "f:1:3: error: byte 0x80 is not UTF-8; save the file as UTF-8\n"},
        {BYTES("\xFF\xFE"
               "a\0"),
         "f:1:1: error: this is UTF-16; save the file as UTF-8\n"},
        {BYTES("\xFE\xFF\0a"), "f:1:1: error: this is UTF-16; save the file as UTF-8\n"},
        {BYTES("a\0:\0 \0b\0"), "f:1:1: error: this is UTF-16; save the file as UTF-8\n"},
        {BYTES("\0a\0:\0 \0b"), "f:1:1: error: this is UTF-16; save the file as UTF-8\n"},
        {BYTES("a: \x01\nb: \x02\r\nc: \xFF \x03"),
         "f:1:4: error: control character U+0001 is not allowed; delete it\n"
         "f:2:4: error: control character U+0002 is not allowed; delete it\n"
         "f:3:4: error: byte 0xFF is not UTF-8; save the file as UTF-8\n"
         "f:3:6: error: control character U+0003 is not allowed; delete it\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_bytes(cases[i].text, cases[i].len, cases[i].report);
}

static void text_of_every_kind_passes(void **state)
{
    (void)state;
    check_bytes("", 0, "");
    check_bytes("a", 1, "");
    check_bytes(BYTES("a:\tb \"'[]{}#&*!%@`\r\n\n"), "");
    check_bytes(BYTES("\xC2\xA0 \xC3\xA9 \xE6\xBC\xA2 \xEF\xBF\xBD \xF0\x9F\x98\x80 \xE2\x80\xA7"),
                "");
}

/* Scan the source of a scalar at line 7, column 3, with the path p. */
static void check_escapes(const char *source, const char *expected)
{
    struct report report;
    bool is_clean;

    report_init(&report);
    is_clean = yaml_scan_escapes(source, strlen(source), (struct yaml_place){7, 3}, "p", &report);
    assert_int_equal(is_clean, report.errors == 0);
    check_report(&report, expected);
}

static void escapes_of_refused_characters_are_reported(void **state)
{
    static const struct {
        const char *source;
        const char *place;
        const char *words;
    } cases[] = {
        {"\"x\\0\"", "7:5", "\\0 makes control character U+0000"},
        {"\"\\x07\"", "7:4", "\\x07 makes control character U+0007"},
        {"\"\\x7f\"", "7:4", "\\x7f makes control character U+007F"},
        {"\"\\a\"", "7:4", "\\a makes control character U+0007"},
        {"\"\\b\"", "7:4", "\\b makes control character U+0008"},
        {"\"\\v\"", "7:4", "\\v makes control character U+000B"},
        {"\"\\f\"", "7:4", "\\f makes control character U+000C"},
        {"\"\\r\"", "7:4", "\\r makes control character U+000D"},
        {"\"\\e\"", "7:4", "\\e makes control character U+001B"},
        {"\"\\N\"", "7:4", "\\N makes line break U+0085"},
        {"\"\\L\"", "7:4", "\\L makes line break U+2028"},
        {"\"\\P\"", "7:4", "\\P makes line break U+2029"},
        {"\"é\\\\\\u0085\"", "7:7", "\\u0085 makes line break U+0085"},
        {"\"\\\n \\U0000feFF\"", "8:2", "\\U0000feFF makes byte order mark U+FEFF"},
        {"\"é\r\n\\x1B\"", "8:1", "\\x1B makes control character U+001B"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct buf expected;

        buf_init(&expected, 1024);
        buf_printf(&expected, "f:%s: error: p: the escape %s, which is not allowed\n",
                   cases[i].place, cases[i].words);
        check_escapes(cases[i].source, buf_text(&expected));
        buf_done(&expected);
    }
}

static void all_escapes_of_one_scalar_are_reported(void **state)
{
    (void)state;
    check_escapes(
        "\"\\0 \\x01\"",
        "f:7:4: error: p: the escape \\0 makes control character U+0000, which is not allowed\n"
        "f:7:7: error: p: the escape \\x01 makes control character U+0001, which is not allowed\n");
}

static void other_escapes_pass(void **state)
{
    (void)state;
    check_escapes("\"\"", "");
    check_escapes("\"\\n\\t\\\t\\ \\\"\\/\\\\\\_\"", "");
    check_escapes("\"\\\\0 \\x41\\u00e9\\U0001F600\"", "");
}

static void check_directive(const char *text, struct yaml_place place, bool is_there, size_t line)
{
    assert_int_equal(yaml_scan_directive(text, strlen(text), &place), is_there);
    assert_int_equal(place.line, line);
}

static void directives_are_found_before_a_document_only(void **state)
{
    (void)state;
    check_directive("%YAML 1.2\n", (struct yaml_place){1, 1}, true, 1);
    check_directive("\n \t# x\r\n...\n... # y\n%", (struct yaml_place){1, 1}, true, 5);
    check_directive("... # end\n%TAG ! x\n", (struct yaml_place){9, 4}, true, 10);
    check_directive("", (struct yaml_place){1, 1}, false, 1);
    check_directive("# only\n", (struct yaml_place){1, 1}, false, 1);
    check_directive("%", (struct yaml_place){1, 4}, false, 1);
    check_directive(" %\n", (struct yaml_place){1, 1}, false, 1);
    check_directive("a\n%b\n", (struct yaml_place){1, 1}, false, 1);
    check_directive("...a\n%b\n", (struct yaml_place){1, 1}, false, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_may_not_be_are_reported),
        cmocka_unit_test(text_of_every_kind_passes),
        cmocka_unit_test(escapes_of_refused_characters_are_reported),
        cmocka_unit_test(all_escapes_of_one_scalar_are_reported),
        cmocka_unit_test(other_escapes_pass),
        cmocka_unit_test(directives_are_found_before_a_document_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
