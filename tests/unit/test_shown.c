/* Computed figures are rounded, up or down where they are limits, and written for people. */
#include "core/shown.h"

#include "base/mem.h"
#include "tests/support/test.h"

static void figures_are_rounded_to_six_digits(void **state)
{
    (void)state;
    assert_true(shown_round(1234567.8) == 1234570);
    assert_true(shown_round(0) == 0);
    assert_true(shown_round_up(36782.89168) == 36782.9);
    assert_true(shown_round_up(36782.9) == 36782.9);
    assert_true(shown_round_up(36782.91) == 36783);
    assert_true(shown_round_up(999999.1) == 1000000);
    assert_true(shown_round_up(1.0000001e-20) == 1.00001e-20);
    assert_true(shown_round_up(0) == 0);
    assert_true(shown_round_down(13.93848) == 13.9384);
    assert_true(shown_round_down(13.9384) == 13.9384);
    assert_true(shown_round_down(999999.9) == 999999);
    assert_true(shown_round_down(1.0000001e300) == 1e300);
}

static void figures_for_people_have_no_empty_fraction(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {64, "64"},
        {35.214378, "35.2144"},
        {-782.8917, "-782.892"},
        {12345678, "12345700"},
        {1.5e-7, "1.5e-07"},
    };
    struct buf out;

    (void)state;
    buf_init(&out, 4096);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        buf_reset(&out);
        shown_put_text(&out, cases[i].value);
        assert_string_equal(buf_text(&out), cases[i].text);
    }
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_rounded_to_six_digits),
        cmocka_unit_test(figures_for_people_have_no_empty_fraction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
