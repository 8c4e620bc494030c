/* Numbers to text and back: the grammar, the ranges, every digit, every locale. */
#include "base/num.h"
#include "base/mem.h"
#include "base/text.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void whole_numbers_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"7", 7},
        {"-7", -7},
        {"30696013824", 30696013824},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t value = 42;
        struct err e;

        assert_int_equal(
            num_parse_int(rows[i].text, strlen(rows[i].text), INT64_MIN, INT64_MAX, &value, &e),
            ERR_OK);
        assert_true(value == rows[i].value);
    }
}

static void whole_numbers_are_refused_with_the_reason(void **state)
{
    static const char *const rows[][2] = {
        {"", "a number is needed, and nothing is here"},
        {"-", "- is not a number"},
        {"+7", "+7: a number has no leading plus"},
        {"012", "012: a number has no leading zeros"},
        {"-012", "-012: a number has no leading zeros"},
        {"00", "00: a number has no leading zeros"},
        {"0o10", "0o10: write the number in decimal"},
        {"0x1F", "0x1F: write the number in decimal"},
        {"0b11", "0b11: write the number in decimal"},
        {"1_000", "1_000: a number has no underscores"},
        {"1,000", "1,000: a number has no commas"},
        {"7.0", "7.0 is not a whole number"},
        {"1e3", "1e3 is not a whole number"},
        {" 7", " 7 is not a number"},
        {"7 ", "7  is not a number"},
        {"7\n", "7\n is not a number"},
        {"seven", "seven is not a number"},
        {"--7", "--7 is not a number"},
        {"\xD9\xA3", "\xD9\xA3 is not a number"},
        {"9223372036854775808", "9223372036854775808 is above 9223372036854775807"},
        {"-9223372036854775809", "-9223372036854775809 is below -9223372036854775808"},
        {"100000000000000000000000000", "100000000000000000000000000 is above 9223372036854775807"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t value = 42;
        struct err e;

        assert_int_equal(
            num_parse_int(rows[i][0], strlen(rows[i][0]), INT64_MIN, INT64_MAX, &value, &e),
            ERR_INPUT);
        assert_string_equal(e.text, rows[i][1]);
        assert_int_equal(value, 42);
    }
}

static void ranges_are_inclusive(void **state)
{
    int64_t value = 42;
    struct err e;

    (void)state;
    assert_int_equal(num_parse_int("1", 1, 1, 1000, &value, &e), ERR_OK);
    assert_int_equal(num_parse_int("1000", 4, 1, 1000, &value, &e), ERR_OK);
    assert_int_equal(value, 1000);
    assert_int_equal(num_parse_int("0", 1, 1, 1000, &value, &e), ERR_INPUT);
    assert_string_equal(e.text, "0 is below 1");
    assert_int_equal(num_parse_int("1001", 4, 1, 1000, &value, &e), ERR_INPUT);
    assert_string_equal(e.text, "1001 is above 1000");
    assert_int_equal(num_parse_int("99999999999999999999", 20, 1, 1000, &value, &e), ERR_INPUT);
    assert_string_equal(e.text, "99999999999999999999 is above 1000");
    assert_int_equal(value, 1000);
}

static void a_number_ends_where_its_length_says(void **state)
{
    int64_t value;
    double real;
    struct err e;

    (void)state;
    assert_int_equal(num_parse_int("12345", 3, 0, 1000, &value, &e), ERR_OK);
    assert_int_equal(value, 123);
    assert_int_equal(num_parse_real("1.25e9", 4, &real, &e), ERR_OK);
    assert_true(real == 1.25);
    assert_int_equal(num_parse_int(TEXT_AND_LEN("12\0003"), 0, 1000, &value, &e), ERR_INPUT);
    assert_int_equal(num_parse_real(TEXT_AND_LEN("1.5\0"), &real, &e), ERR_INPUT);
}

static void a_sign_alone_is_read_no_further(void **state)
{
    static const char text[] = "+12"; /* What follows would make it another mistake. */
    char *alone = malloc(1);
    int64_t value;
    struct err e;

    (void)state;
    assert_non_null(alone);
    alone[0] = '-';
    assert_int_equal(num_parse_int(alone, 1, 0, 1000, &value, &e), ERR_INPUT);
    assert_string_equal(e.text, "- is not a number");
    free(alone);
    assert_int_equal(num_parse_int(text, 1, 0, 1000, &value, &e), ERR_INPUT);
    assert_string_equal(e.text, "+: a number has no leading plus");
}

static void reals_are_read(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"0", 0.0},
        {"-0.0", -0.0},
        {"0e999", 0.0},
        {"1178.1", 1178.1},
        {"8.6e-05", 8.6e-05},
        {"1E+3", 1000.0},
        {"9509425349e4", 9509425349e4},
        {"-2.5", -2.5},
        {"1e022", 1e22},
        {"1.7976931348623157e308", DBL_MAX},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"3e-324", 4.9406564584124654e-324},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double value = 42;
        struct err e;

        assert_int_equal(num_parse_real(rows[i].text, strlen(rows[i].text), &value, &e), ERR_OK);
        assert_memory_equal(&value, &rows[i].value, sizeof value);
    }
}

static void reals_are_refused_with_the_reason(void **state)
{
    static const char *const rows[][2] = {
        {"", "a number is needed, and nothing is here"},
        {".5", ".5 is not a number"},
        {"5.", "5. is not a number"},
        {"1.e5", "1.e5 is not a number"},
        {"1e", "1e is not a number"},
        {"1e+", "1e+ is not a number"},
        {"1.5.2", "1.5.2 is not a number"},
        {"1e5.5", "1e5.5 is not a number"},
        {".inf", ".inf is not a number"},
        {"-.inf", "-.inf is not a number"},
        {".nan", ".nan is not a number"},
        {"nan", "nan is not a number"},
        {"inf", "inf is not a number"},
        {"Infinity", "Infinity is not a number"},
        {"+1.5", "+1.5: a number has no leading plus"},
        {"01.5", "01.5: a number has no leading zeros"},
        {"0x1p3", "0x1p3: write the number in decimal"},
        {"1_0.5", "1_0.5: a number has no underscores"},
        {"1,5", "1,5: a number has no commas"},
        {"1.5 ", "1.5  is not a number"},
        {"1e309", "1e309 is too large for a 64-bit real"},
        {"-1e999999", "-1e999999 is too large for a 64-bit real"},
        {"1e-400", "1e-400 is too small for a 64-bit real"},
        {"2e-324", "2e-324 is too small for a 64-bit real"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double value = 42;
        struct err e;

        assert_int_equal(num_parse_real(rows[i][0], strlen(rows[i][0]), &value, &e), ERR_INPUT);
        assert_string_equal(e.text, rows[i][1]);
        assert_true(value == 42);
    }
}

static void a_long_text_is_refused_and_shown_in_part(void **state)
{
    char digits[70];
    int64_t value;
    double real;
    struct err e;

    (void)state;
    memset(digits, '1', sizeof digits);
    assert_int_equal(num_parse_real(digits, 64, &real, &e), ERR_OK);
    assert_int_equal(num_parse_real(digits, 65, &real, &e), ERR_INPUT);
    assert_string_equal(e.text, "1111111111111111111111111111111111111111 is not a number");
    assert_int_equal(num_parse_int(digits, 65, 0, 9, &value, &e), ERR_INPUT);
    assert_int_equal(num_parse_int(TEXT_AND_LEN("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                                                "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                                                "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                                                "\xE2\x82\xAC\xE2\x82\xAC"),
                                   0, 9, &value, &e),
                     ERR_INPUT);
    assert_true(text_is_utf8(e.text, strlen(e.text)));
}

static void expect_real(double value, const char *text)
{
    char out[NUM_TEXT_BYTES];

    num_format_real(out, value);
    assert_string_equal(out, text);
}

static void reals_are_written_shortest(void **state)
{
    (void)state;
    expect_real(1178.1, "1178.1");
    expect_real(0.1 + 0.2, "0.30000000000000004");
    expect_real(2, "2.0");
    expect_real(0, "0.0");
    expect_real(-0.0, "-0.0");
    expect_real(-1.5, "-1.5");
    expect_real(8.6e-05, "8.6e-05");
    expect_real(989e12, "989000000000000.0");
    expect_real(1e22, "1e+22");
    expect_real(1e23, "1e+23");
    expect_real(5e-324, "5e-324");
    expect_real(1.5e-323, "1.5e-323");
    expect_real(2.2250738585072009e-308, "2.225073858507201e-308");
    expect_real(DBL_MIN, "2.2250738585072014e-308");
    expect_real(DBL_MAX, "1.7976931348623157e+308");
    expect_real(-DBL_MAX, "-1.7976931348623157e+308");
    expect_real(9007199254740993.0, "9007199254740992.0");
    expect_real(0.21944444444444444, "0.21944444444444444");
    /* A power of two, where the nearest 16 digits read as the double below. */
    expect_real(0x1p-44, "5.684341886080802e-14");
    expect_real(0x1p-1019, "1.7800590868057611e-307");
    expect_real(-0x1p-44, "-5.684341886080802e-14");
}

static void expect_integer(int64_t value, const char *text)
{
    char out[NUM_TEXT_BYTES];

    num_format_int(out, value);
    assert_string_equal(out, text);
}

static void integers_are_written_whole(void **state)
{
    (void)state;
    expect_integer(0, "0");
    expect_integer(INT64_MIN, "-9223372036854775808");
    expect_integer(INT64_MAX, "9223372036854775807");
}

/* A fixed sequence of 64-bit values that looks random: xorshift64* (Vigna, 2014). */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

/* Fail unless value is written as text that both parsers read back to the same bits, and that no
 * text with fewer digits does. */
static void check_round_trip(double value)
{
    char text[NUM_TEXT_BYTES];
    char shorter[NUM_TEXT_BYTES];
    size_t digits = 0;
    double back;
    struct err e;

    num_format_real(text, value);
    assert_int_equal(num_parse_real(text, strlen(text), &back, &e), ERR_OK);
    assert_memory_equal(&back, &value, sizeof value);
    back = strtod(text, NULL);
    assert_memory_equal(&back, &value, sizeof value);
    for (const char *c = text; *c && *c != 'e' && strcmp(c, ".0") != 0; c++)
        if (*c >= '0' && *c <= '9' && (digits > 0 || *c != '0'))
            digits++;
    assert_in_range(digits, 0, 17);
    if (digits < 17)
        return;
    assert_int_equal(snprintf(shorter, sizeof shorter, "%.16g", value) > 0, 1);
    assert_true(strtod(shorter, NULL) != value);
}

static void every_real_reads_back(void **state)
{
    uint64_t seed = 20261020;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&seed);
        double value;

        if (i % 4 == 1)
            bits &= UINT64_C(0x800FFFFFFFFFFFFF); /* a subnormal */
        memcpy(&value, &bits, sizeof value);
        if (i % 4 == 2)
            value = (double)(int64_t)bits / 1000.0;
        if (isfinite(value))
            check_round_trip(value);
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_round_trip(ldexp(1, exponent));
        check_round_trip(nextafter(ldexp(1, exponent), 0));
        check_round_trip(nextafter(ldexp(1, exponent), HUGE_VAL));
    }
    for (int exponent = -307; exponent < 309; exponent++)
        check_round_trip(pow(10, exponent));
}

/* Whatever way rounding takes, it is what printing and reading the decimal gives. */
static void rounding_agrees_with_the_decimal(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        int digits = 1 + i % 13;
        char text[NUM_TEXT_BYTES];
        double value;

        seed = seed * 6364136223846793005U + 1442695040888963407U;
        value = ldexp((double)(seed >> 11), (int)(seed % 140) - 110);
        if (i % 4 == 0)
            value = (double)(seed >> 40) / 1000; /* Decimals, which may be ties. */
        if (i % 8 == 1)
            value = nextafter(pow(10, (double)(seed >> 60)), (seed & 4096) != 0 ? 0 : 1e30);
        (void)snprintf(text, sizeof text, "%.*e", digits - 1, -value);
        assert_true(num_round_digits(-value, digits) == strtod(text, NULL));
    }
}

static void rounding_to_significant_digits(void **state)
{
    (void)state;
    assert_true(num_round_digits(1.62218344, 6) == 1.62218);
    assert_true(num_round_digits(1.622185001, 6) == 1.62219);
    assert_true(num_round_digits(123456789, 6) == 123457000);
    assert_true(num_round_digits(-0.000123456789, 3) == -0.000123);
    assert_true(num_round_digits(9.9999999, 3) == 10);
    assert_true(num_round_digits(0, 6) == 0);
    assert_true(num_round_digits(0.1 + 0.2, 17) == 0.1 + 0.2);
    assert_true(num_round_digits(0.1 + 0.2, 15) == 0.3);
    assert_true(num_round_digits(DBL_MIN, 1) == 2e-308);
}

/* A locale whose decimal point is a comma. */
static int use_german(void **state)
{
    static char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];
    const char *argv[] = {"/usr/bin/localedef", "-i", "de_DE", "-f", "UTF-8", path, NULL};
    struct process_command command = {.argv = argv};
    struct process_result result;

    scratch_make(folder);
    *state = folder;
    scratch_path(path, folder, "de_DE.UTF-8");
    process_run(&command, &result);
    if (result.exit_code != 0)
        fail_msg("localedef: %s", result.err);
    process_result_done(&result);
    assert_int_equal(setenv("LOCPATH", folder, 1), 0);
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    assert_string_equal(localeconv()->decimal_point, ",");
    return 0;
}

static int use_c(void **state)
{
    assert_non_null(setlocale(LC_ALL, "C"));
    assert_int_equal(unsetenv("LOCPATH"), 0);
    scratch_remove(*state);
    return 0;
}

static void a_comma_in_the_locale_changes_nothing(void **state)
{
    char check[8];
    double value;
    struct err e;

    (void)state;
    assert_int_equal(snprintf(check, sizeof check, "%.1f", 1.5), 3);
    assert_string_equal(check, "1,5");
    reals_are_written_shortest(NULL);
    reals_are_read(NULL);
    rounding_to_significant_digits(NULL);
    assert_int_equal(num_parse_real("1,5", 3, &value, &e), ERR_INPUT);
    /* The caller's own locale is as it was. */
    assert_int_equal(snprintf(check, sizeof check, "%.1f", 1.5), 3);
    assert_string_equal(check, "1,5");
}

/* What the C library says with 15 digits is the shortest, where it reads back. */
static void reals_of_few_digits_are_those_of_the_c_library(void **state)
{
    static const double scales[] = {1, 1e1, 1e2, 1e3, 1e5, 1e8, 1e11, 1e14, 1e17, 1e19, 1e22};
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 300000; i++) {
        char expected[64];
        char found[NUM_TEXT_BYTES];
        double value;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value = (double)(int64_t)(seed >> (8 + seed % 48)) / scales[(seed >> 40) % 11];
        if (seed & 1)
            value = -value;
        (void)snprintf(expected, sizeof expected, "%.15g", value);
        if (strtod(expected, NULL) != value)
            continue;
        if (!strpbrk(expected, ".e"))
            (void)strcat(expected, ".0");
        num_format_real(found, value);
        assert_string_equal(found, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_agrees_with_the_decimal),
        cmocka_unit_test(whole_numbers_are_read),
        cmocka_unit_test(whole_numbers_are_refused_with_the_reason),
        cmocka_unit_test(ranges_are_inclusive),
        cmocka_unit_test(a_number_ends_where_its_length_says),
        cmocka_unit_test(a_sign_alone_is_read_no_further),
        cmocka_unit_test(reals_are_read),
        cmocka_unit_test(reals_are_refused_with_the_reason),
        cmocka_unit_test(a_long_text_is_refused_and_shown_in_part),
        cmocka_unit_test(reals_are_written_shortest),
        cmocka_unit_test(integers_are_written_whole),
        cmocka_unit_test(every_real_reads_back),
        cmocka_unit_test(rounding_to_significant_digits),
        cmocka_unit_test(reals_of_few_digits_are_those_of_the_c_library),
        cmocka_unit_test_setup_teardown(a_comma_in_the_locale_changes_nothing, use_german, use_c),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
