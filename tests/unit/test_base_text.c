/* UTF-8, dates, and which name was meant. */
#include "base/text.h"
#include "base/mem.h"
#include "tests/support/test.h"

#include <string.h>

static void valid_characters_are_read(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        uint32_t code;
    } rows[] = {
        {"a", 1, 'a'},
        {"\0", 1, 0},
        {"\x7F", 1, 0x7F},
        {"\xC2\x80", 2, 0x80},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xED\x9F\xBF", 3, 0xD7FF},
        {"\xEE\x80\x80", 3, 0xE000},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t code = 0xFFFFFFFF;

        assert_int_equal(text_utf8_next(rows[i].bytes, rows[i].len, &code), rows[i].len);
        assert_int_equal(code, rows[i].code);
        for (size_t len = 1; len < rows[i].len; len++)
            assert_int_equal(text_utf8_next(rows[i].bytes, len, &code), 0);
    }
}

static void invalid_bytes_are_refused(void **state)
{
    static const char *const rows[] = {
        "\x80 continuation alone",
        "\xBF continuation alone",
        "\xC0\x80 overlong zero",
        "\xC1\xBF overlong",
        "\xE0\x9F\xBF overlong",
        "\xF0\x8F\xBF\xBF overlong",
        "\xED\xA0\x80 surrogate",
        "\xED\xBF\xBF surrogate",
        "\xF4\x90\x80\x80 above U+10FFFF",
        "\xF5\x80\x80\x80 above U+10FFFF",
        "\xF8\x88\x80\x80\x80 five bytes",
        "\xFE",
        "\xFF",
        "\xC3(",
        "\xE2\x82(",
        "\xE2(\x82",
        "\xF0\x9F\x9A(",
    };
    uint32_t code;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(text_utf8_next(rows[i], strlen(rows[i]), &code), 0);
        assert_false(text_is_utf8(rows[i], strlen(rows[i])));
    }
}

static void every_code_point_reads_as_itself(void **state)
{
    (void)state;
    for (uint32_t code = 0x800; code < 0x10000; code++) {
        const char bytes[] = {(char)(0xE0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3F)),
                              (char)(0x80 | (code & 0x3F))};
        bool is_surrogate = code >= 0xD800 && code < 0xE000;
        uint32_t got = 0;

        assert_int_equal(text_utf8_next(bytes, 3, &got), is_surrogate ? 0 : 3);
        assert_int_equal(got, is_surrogate ? 0 : code);
    }
}

static void a_text_is_judged_to_its_last_byte(void **state)
{
    (void)state;
    assert_true(text_is_utf8("", 0));
    assert_true(text_is_utf8(TEXT_AND_LEN("Gr\xC3\xB6\xC3\x9F"
                                          "e\0\xE2\x82\xAC")));
    assert_false(text_is_utf8(TEXT_AND_LEN("ab\xE2\x82")));
    assert_false(text_is_utf8(TEXT_AND_LEN("ab\0\xFF")));
}

static void a_cut_falls_between_characters(void **state)
{
    static const char text[] = "a\xC3\xB6\xE2\x82\xAC\xF0\x9F\x9A\x80z";
    static const size_t cuts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};

    (void)state;
    for (size_t at = 0; at < COUNT_OF(cuts); at++)
        assert_int_equal(text_utf8_cut(text, at), cuts[at]);
    assert_int_equal(text_utf8_cut("\x80\x80\x80\x80\x80\x80", 6), 6);
    assert_int_equal(text_utf8_cut("a\x80\x80", 3), 3);
}

static void lower_case_is_ascii_only(void **state)
{
    char out[16];

    (void)state;
    text_lower(out, "AZaz@[`{09\xC3\x84", 12);
    assert_string_equal(out, "azaz@[`{09\xC3\x84");
    text_lower(out, "ABC", 2);
    assert_string_equal(out, "ab");
    text_lower(out, "", 0);
    assert_string_equal(out, "");
}

static void starts_and_ends(void **state)
{
    (void)state;
    assert_true(text_is_word("Aa-Zz0.9", "-."));
    assert_true(text_is_word("", "-"));
    assert_false(text_is_word("a b", "-"));
    assert_false(text_is_word("\xc3\xa4", "-"));
    assert_false(text_is_word("@", ""));
    assert_true(text_starts("recipes/x", "recipes/"));
    assert_true(text_starts("x", ""));
    assert_false(text_starts("recipes", "recipes/"));
    assert_false(text_starts("Recipes/x", "recipes/"));
    assert_true(text_ends("a.yaml", ".yaml"));
    assert_true(text_ends(".yaml", ".yaml"));
    assert_true(text_ends("x", ""));
    assert_false(text_ends("yaml", ".yaml"));
    assert_false(text_ends("a.yaml.gz", ".yaml"));
}

static void real_dates_only(void **state)
{
    static const char *const dates[] = {"2026-10-20", "0001-01-01", "9999-12-31", "2024-02-29",
                                        "2000-02-29", "2026-04-30", "2026-02-28"};
    static const char *const others[] = {
        "",           "2026-10-2",   "2026-1-020", "2026-10-200", "2026/10/20", "20261020",
        "2026-00-10", "2026-13-10",  "2026-10-00", "2026-10-32",  "2026-04-31", "2026-02-29",
        "1900-02-29", "2100-02-29",  "0000-01-01", "2026-10-2x",  "+026-10-20", " 2026-10-2",
        "2026-1 -10", "2026-10-20 ", "-026-10-20", "2026-02-30"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(dates); i++)
        assert_true(text_is_date(dates[i]));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_false(text_is_date(others[i]));
}

static void distances(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        size_t distance;
    } rows[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "ABC", 0},
        {"abc", "abd", 1},
        {"abc", "ab", 1},
        {"abc", "abxc", 1},
        {"abc", "acb", 1},
        {"kitten", "sitting", 3},
        {"ca", "abc", 3},
        {"limt", "limit", 1},
        {"gemma-4-31b", "gemma-4-13b", 1},
    };
    char long_a[200];
    char long_b[200];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(text_distance(rows[i].a, rows[i].b), rows[i].distance);
        assert_int_equal(text_distance(rows[i].b, rows[i].a), rows[i].distance);
    }
    memset(long_a, 'a', sizeof long_a - 1);
    memset(long_b, 'a', sizeof long_b - 1);
    long_a[199] = long_b[199] = '\0';
    long_b[100] = 'b';
    assert_int_equal(text_distance(long_a, long_b), 0);
    long_b[99] = 'b';
    assert_int_equal(text_distance(long_a, long_b), 1);
    assert_int_equal(text_distance(long_a, ""), 100);
}

static void the_nearest_name(void **state)
{
    static const char *const names[] = {"limit", "cursor", "sort",      "fields",
                                        "gpu",   "gpus",   "gpu_hours", "tokens_per_s_per_gpu"};
    const size_t count = COUNT_OF(names);

    (void)state;
    assert_string_equal(text_nearest("limt", names, count), "limit");
    assert_string_equal(text_nearest("LIMIT", names, count), "limit");
    assert_string_equal(text_nearest("srot", names, count), "sort");
    assert_string_equal(text_nearest("gpus", names, count), "gpus");
    assert_string_equal(text_nearest("gpuss", names, count), "gpus");
    assert_string_equal(text_nearest("tokens", names, count), "tokens_per_s_per_gpu");
    assert_string_equal(text_nearest("cursor_id", names, count), "cursor");
    assert_null(text_nearest("zzzz", names, count));
    assert_null(text_nearest("", names, count));
    assert_null(text_nearest("s", names, count));
    assert_null(text_nearest("limit", names, 0));
}

static void a_line_is_scrubbed_of_what_cannot_stand_in_it(void **state)
{
    char text[] = "a\nb\x1B[1m \xC3\xA9\xC2\x85 \x7F\xE2\x82";

    (void)state;
    text_scrub(text);
    assert_string_equal(text, "a?b?[1m \xC3\xA9?? ???");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_scrubbed_of_what_cannot_stand_in_it),
        cmocka_unit_test(valid_characters_are_read),
        cmocka_unit_test(invalid_bytes_are_refused),
        cmocka_unit_test(every_code_point_reads_as_itself),
        cmocka_unit_test(a_text_is_judged_to_its_last_byte),
        cmocka_unit_test(a_cut_falls_between_characters),
        cmocka_unit_test(lower_case_is_ascii_only),
        cmocka_unit_test(starts_and_ends),
        cmocka_unit_test(real_dates_only),
        cmocka_unit_test(distances),
        cmocka_unit_test(the_nearest_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
