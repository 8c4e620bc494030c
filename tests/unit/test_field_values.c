/* Each kind of value that a field may hold: what is taken, what is refused and in which words. The
 * tables have one row. */
#include "core/field.h"

#include "base/mem.h"
#include "tests/support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { ARENA_LIMIT = 1024 * 1024 };

/* Any one value. */
struct one {
    int64_t integer;
    double real;
    bool truth;
    const char *text;
    struct text_list texts;
    struct int_list ints;
    struct open_map open;
};

/* Read "v: VALUE" by a table of one row; the report must be what is expected. */
static void read_one(struct field row, const char *value, const char *expected, struct arena *arena,
                     struct one *out)
{
    const struct field_table table = {&row, 1};
    struct reading r;
    struct err e = {0};
    char yaml[512];

    row.path = "v";
    assert_true(snprintf(yaml, sizeof yaml, "v: %s\n", value) < (int)sizeof yaml);
    *out = (struct one){0};
    reading_text(&r, yaml);
    assert_int_equal(field_read(&table, r.root, out, arena, &r.report, &e), ERR_OK);
    assert_string_equal(reading_problems(&r), expected);
    reading_done(&r);
}

static void refuse(struct field row, const char *value, const char *message)
{
    struct arena arena;
    struct one one;
    struct one zero = {0};
    char expected[512];

    arena_init(&arena, ARENA_LIMIT);
    assert_true(snprintf(expected, sizeof expected, "f:1:4: error: v: %s\n", message) <
                (int)sizeof expected);
    read_one(row, value, expected, &arena, &one);
    assert_memory_equal(&one, &zero, sizeof one);
    arena_done(&arena);
}

static void take_int(struct field row, const char *value, int64_t expected)
{
    struct arena arena;
    struct one one;

    arena_init(&arena, ARENA_LIMIT);
    read_one(row, value, "", &arena, &one);
    assert_true(one.integer == expected);
    arena_done(&arena);
}

static void take_real(struct field row, const char *value, double expected)
{
    struct arena arena;
    struct one one;

    arena_init(&arena, ARENA_LIMIT);
    read_one(row, value, "", &arena, &one);
    assert_true(one.real == expected);
    arena_done(&arena);
}

static void take_text(struct field row, const char *value, const char *expected)
{
    struct arena arena;
    struct one one;

    arena_init(&arena, ARENA_LIMIT);
    read_one(row, value, "", &arena, &one);
    assert_string_equal(one.text, expected);
    arena_done(&arena);
}

static const struct field count_row = {
    .kind = FIELD_INT, .offset = offsetof(struct one, integer), .min = 1, .max = 1e15};

static void whole_numbers_are_plain_decimals_within_the_range(void **state)
{
    struct field any = count_row;

    (void)state;
    any.min = any.max = 0;
    take_int(count_row, "1", 1);
    take_int(count_row, "1000000000000000", 1000000000000000);
    take_int(any, "-9223372036854775808", INT64_MIN);
    take_int(any, "9223372036854775807", INT64_MAX);
    refuse(count_row, "0", "0 is below 1");
    refuse(count_row, "1000000000000001", "1000000000000001 is above 1000000000000000");
    refuse(any, "9223372036854775808", "9223372036854775808 is above 9223372036854775807");
    refuse(count_row, "012", "012: a number has no leading zeros");
    refuse(count_row, "0x1f", "0x1f: write the number in decimal");
    refuse(count_row, "1_000", "1_000: a number has no underscores");
    refuse(count_row, "8.0", "8.0 is not a whole number");
    refuse(count_row, "eight", "eight is not a number");
    refuse(count_row, "acht\u00e9", "acht\u00e9 is not a number");
    refuse(count_row, "'8'", "quoted, where a whole number is needed: write it without quotes");
    refuse(count_row, "null", "null, where a whole number is needed");
    refuse(count_row, "[8]", "a list, where a whole number is needed");
    refuse(count_row, "{a: 8}", "a map, where a whole number is needed");
}

static void nothing_is_null(void **state)
{
    struct field nullable = count_row;
    struct arena arena;
    struct one one;

    (void)state;
    nullable.flags = FIELD_NULLABLE;
    arena_init(&arena, ARENA_LIMIT);
    read_one(count_row, "", "f:1:3: error: v: null, where a whole number is needed\n", &arena,
             &one);
    read_one(nullable, "", "", &arena, &one);
    assert_true(one.integer == 0);
    arena_done(&arena);
}

static const struct field share_row = {
    .kind = FIELD_REAL, .flags = FIELD_ABOVE_MIN, .offset = offsetof(struct one, real), .max = 1};

static void reals_are_exact_and_within_the_range(void **state)
{
    struct field any = share_row;
    struct field from_min = share_row;

    (void)state;
    any.max = 0;
    from_min.flags = 0;
    from_min.min = -1;
    take_real(share_row, "8.6e-05", 8.6e-05);
    take_real(share_row, "1", 1);
    take_real(any, "1178.1", 1178.1);
    take_real(any, "-0.30000000000000004", -0.30000000000000004);
    take_real(from_min, "-1", -1);
    refuse(from_min, "-1.5", "-1.5 is below -1");
    refuse(share_row, "0", "0 is not above 0");
    refuse(share_row, "-0.1", "-0.1 is below 0");
    refuse(share_row, "1.01", "1.01 is above 1");
    refuse(any, ".inf", ".inf is not a number");
    refuse(any, ".nan", ".nan is not a number");
    refuse(any, "1e400", "1e400 is too large for a 64-bit real");
    refuse(any, "1.", "1. is not a number");
    refuse(any, "\"1.5\"", "quoted, where a number is needed: write it without quotes");
    refuse(any, "~", "null, where a number is needed");
}

static void truth_values_are_plain_words(void **state)
{
    static const struct field row = {.kind = FIELD_BOOL, .offset = offsetof(struct one, truth)};
    static const char *const yes[] = {"true", "True", "TRUE"};
    static const char *const no[] = {"false", "False", "FALSE"};
    struct arena arena;
    struct one one;

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    for (size_t i = 0; i < COUNT_OF(yes); i++) {
        read_one(row, yes[i], "", &arena, &one);
        assert_true(one.truth);
        read_one(row, no[i], "", &arena, &one);
        assert_false(one.truth);
    }
    arena_done(&arena);
    refuse(row, "yes", "yes is not true or false");
    refuse(row, "tRUE", "tRUE is not true or false");
    refuse(row, "1", "1 is not true or false");
    refuse(row, "'true'", "quoted, where true or false is needed: write it without quotes");
    refuse(row, "null", "null, where true or false is needed");
}

static const struct field text_row = {.kind = FIELD_TEXT, .offset = offsetof(struct one, text)};

static void texts_keep_their_own_characters(void **state)
{
    struct field lines = text_row;

    (void)state;
    lines.flags = FIELD_MULTILINE;
    take_text(text_row, "3.10", "3.10");
    take_text(text_row, "9509425349e4", "9509425349e4");
    take_text(text_row, "true", "true");
    take_text(text_row, "'null'", "null");
    take_text(text_row, "2026-10-20", "2026-10-20");
    take_text(lines, "|\n  a\n  b", "a\nb\n");
    refuse(text_row, "|\n  a\n  b", "has a line break, where one line is needed; fold it with >-");
    refuse(text_row, "''", "empty, where a text is needed");
    refuse(text_row, "'  '", "empty, where a text is needed");
    refuse(lines, "\"\\n\"", "empty, where a text is needed");
    refuse(text_row, "null", "null, where a text is needed");
    refuse(text_row, "[a]", "a list, where a text is needed");
}

static void dates_are_days_of_the_calendar(void **state)
{
    static const struct field row = {.kind = FIELD_DATE, .offset = offsetof(struct one, text)};

    (void)state;
    take_text(row, "2026-10-20", "2026-10-20");
    take_text(row, "'2024-02-29'", "2024-02-29");
    refuse(row, "2026-02-29", "2026-02-29 is not a date (YYYY-MM-DD)");
    refuse(row, "20 October 2026", "20 October 2026 is not a date (YYYY-MM-DD)");
    refuse(row, "null", "null, where a date (YYYY-MM-DD) is needed");
}

static void words_are_of_the_list(void **state)
{
    static const char *const words[] = {"bf16", "fp8", NULL};
    struct field row = text_row;

    (void)state;
    row.allowed = words;
    take_text(row, "fp8", "fp8");
    refuse(row, "bf61", "bf61 is none of bf16, fp8; did you mean bf16?");
    refuse(row, "BF16", "BF16 is none of bf16, fp8; did you mean bf16?");
    refuse(row, "integer", "integer is none of bf16, fp8");
}

static void hashes_are_hexadecimal_of_one_length(void **state)
{
    struct field row = text_row;

    (void)state;
    row.flags = FIELD_HEX;
    row.max = 8;
    take_text(row, "95094e12", "95094e12");
    refuse(row, "95094E12", "95094E12 is not 8 lower-case hexadecimal digits");
    refuse(row, "95094e1", "95094e1 is not 8 lower-case hexadecimal digits");
    refuse(row, "95094e123", "95094e123 is not 8 lower-case hexadecimal digits");
    refuse(row, "95094g12", "95094g12 is not 8 lower-case hexadecimal digits");
}

static void names_that_become_slugs_look_like_them(void **state)
{
    struct field part = text_row;
    struct field slug = text_row;

    (void)state;
    part.flags = FIELD_SLUG_PART;
    slug.flags = FIELD_SLUG;
    take_text(part, "Qwen3.5-397B-A17B", "Qwen3.5-397B-A17B");
    take_text(slug, "qwen3.5-397b-a17b", "qwen3.5-397b-a17b");
    refuse(part, "Gemma 4",
           "Gemma 4 is not a name of letters, digits, dots and hyphens that can become a slug");
    refuse(part, "Gemma.JSON",
           "Gemma.JSON is not a name of letters, digits, dots and hyphens that can become a slug");
    refuse(slug, "Gemma",
           "Gemma is not a slug: lower-case letters, digits, dots and hyphens, not "
           "ending like a format");
}

static void addresses_are_safe_to_link_to(void **state)
{
    static const char reason[] = " is not an http or https address";
    static const char *const bad[] = {"javascript:alert(1)", "https://", "ftp://a.org",
                                      "https://a.org/<b>",   "http:/a",  "https://a.org/a b"};
    struct field row = text_row;
    char message[128];

    (void)state;
    row.flags = FIELD_URL;
    take_text(row, "https://arxiv.org/abs/2610.17528", "https://arxiv.org/abs/2610.17528");
    take_text(row, "http://a", "http://a");
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_true(snprintf(message, sizeof message, "%s%s", bad[i], reason) > 0);
        refuse(row, bad[i], message);
    }
}

static void hub_names_have_an_owner_and_a_name(void **state)
{
    static const char *const bad[] = {"gemma",          "/gemma",   "google/",
                                      "google/gemma/x", "../gemma", "google/-x"};
    struct field name = text_row;
    struct field url = text_row;
    char message[128];

    (void)state;
    name.flags = FIELD_HUB_NAME;
    url.flags = FIELD_HUB_URL;
    take_text(name, "google/gemma-4-31B-it", "google/gemma-4-31B-it");
    take_text(url, "https://huggingface.co/google/gemma-4-31B-it",
              "https://huggingface.co/google/gemma-4-31B-it");
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_true(snprintf(message, sizeof message,
                             "%s is not OWNER/NAME of a repository on Hugging Face", bad[i]) > 0);
        refuse(name, bad[i], message);
    }
    refuse(url, "http://huggingface.co/google/gemma",
           "http://huggingface.co/google/gemma is not https://huggingface.co/OWNER/NAME");
    refuse(url, "https://huggingface.co/google/gemma/tree",
           "https://huggingface.co/google/gemma/tree is not https://huggingface.co/OWNER/NAME");
}

/* 70 bytes are shown, and the 70th is in the middle of a character. */
static void long_texts_are_cut_between_characters_in_messages(void **state)
{
    static const char shown[] = "xééééééééééééééééé"
                                "ééééééééééééééééé";
    struct field row = text_row;
    char value[256];
    char message[256];

    (void)state;
    assert_int_equal(strlen(shown), 69);
    row.flags = FIELD_SLUG_PART;
    assert_true(snprintf(value, sizeof value, "%séé", shown) > 0);
    assert_true(snprintf(message, sizeof message,
                         "%s... is not a name of letters, digits, dots and hyphens that can become "
                         "a slug",
                         shown) > 0);
    refuse(row, value, message);
}

static void lists_of_texts_name_the_item(void **state)
{
    static const struct field row = {.kind = FIELD_TEXT_LIST,
                                     .offset = offsetof(struct one, texts)};
    struct arena arena;
    struct one one;

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    read_one(row, "[a, 3.10]", "", &arena, &one);
    assert_int_equal(one.texts.count, 2);
    assert_string_equal(one.texts.items[0], "a");
    assert_string_equal(one.texts.items[1], "3.10");
    read_one(row, "[]", "", &arena, &one);
    assert_int_equal(one.texts.count, 0);
    read_one(row, "[a, '', null, {}]",
             "f:1:8: error: v[1]: empty, where a text is needed\n"
             "f:1:12: error: v[2]: null, where a text is needed\n"
             "f:1:18: error: v[3]: a map, where a text is needed\n",
             &arena, &one);
    arena_done(&arena);
    refuse(row, "a", "a single value, where a list is needed");
    refuse(row, "null", "null, where a list is needed");
}

static void lists_of_numbers_have_their_length(void **state)
{
    static const struct field row = {
        .kind = FIELD_INT_LIST, .offset = offsetof(struct one, ints), .min = 2, .max = 2};
    struct arena arena;
    struct one one;

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    read_one(row, "[0, 19]", "", &arena, &one);
    assert_int_equal(one.ints.count, 2);
    assert_true(one.ints.items[0] == 0 && one.ints.items[1] == 19);
    read_one(row, "[-1, 1000000001]",
             "f:1:5: error: v[0]: -1 is below 0\n"
             "f:1:9: error: v[1]: 1000000001 is above 1000000000\n",
             &arena, &one);
    read_one(row, "[5, null]", "f:1:8: error: v[1]: null, where a whole number is needed\n", &arena,
             &one);
    arena_done(&arena);
    refuse(row, "[5]", "1 item, where 2 are needed");
    refuse(row, "[5, 6, 7]", "3 items, where 2 are the most");
}

static void lists_and_open_maps_end_at_a_thousand(void **state)
{
    const struct field rows[] = {
        {"texts", .kind = FIELD_TEXT_LIST, .offset = offsetof(struct one, texts)},
        {"open", .kind = FIELD_OPEN_MAP, .offset = offsetof(struct one, open)},
    };
    const struct field_table table = {rows, COUNT_OF(rows)};
    struct reading r;
    struct one one = {0};
    struct arena arena;
    struct buf yaml;
    struct err e = {0};

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    buf_init(&yaml, ARENA_LIMIT);
    buf_puts(&yaml, "texts:\n");
    for (int i = 0; i < 1000; i++)
        buf_puts(&yaml, "- a\n");
    buf_puts(&yaml, "open:\n");
    for (int i = 0; i < 1001; i++)
        buf_printf(&yaml, "  k%d: a\n", i);
    reading_text(&r, buf_text(&yaml));
    assert_int_equal(field_read(&table, r.root, &one, &arena, &r.report, &e), ERR_OK);
    assert_string_equal(reading_problems(&r),
                        "f:1003:3: error: open: 1001 items, where 1000 are the most\n");
    assert_int_equal(one.texts.count, 1000);
    assert_int_equal(one.open.count, 0);
    reading_done(&r);
    buf_done(&yaml);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_plain_decimals_within_the_range),
        cmocka_unit_test(nothing_is_null),
        cmocka_unit_test(reals_are_exact_and_within_the_range),
        cmocka_unit_test(truth_values_are_plain_words),
        cmocka_unit_test(texts_keep_their_own_characters),
        cmocka_unit_test(dates_are_days_of_the_calendar),
        cmocka_unit_test(words_are_of_the_list),
        cmocka_unit_test(hashes_are_hexadecimal_of_one_length),
        cmocka_unit_test(names_that_become_slugs_look_like_them),
        cmocka_unit_test(addresses_are_safe_to_link_to),
        cmocka_unit_test(hub_names_have_an_owner_and_a_name),
        cmocka_unit_test(long_texts_are_cut_between_characters_in_messages),
        cmocka_unit_test(lists_of_texts_name_the_item),
        cmocka_unit_test(lists_of_numbers_have_their_length),
        cmocka_unit_test(lists_and_open_maps_end_at_a_thousand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
