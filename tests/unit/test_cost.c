/* The formulas reproduce every figure that the recipes and their pages state. */
#include "core/cost.h"

#include "base/mem.h"
#include "base/num.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const int64_t h100_flops = 989000000000000;
static const int64_t b200_flops = 2250000000000000;

/* A measured run, with its figures as stated, and in full. */
struct run {
    double usd_per_hour;
    int64_t peak_bf16_flops;
    int64_t active_params;
    double tokens_per_s_per_gpu;
    const char *stated_usd;
    const char *usd;
    const char *stated_mfu;
};

static const struct run runs[] = {
    {55.04, h100_flops, 30696013824, 1178.1, "1.62", "1.6222", "0.2194"},
    {113.9328, b200_flops, 3821830144, 3763.4, "1.05", "1.05118", "0.0384"},
    {113.9328, b200_flops, 16331407360, 1232.53, "3.21", "3.20966", "0.0537"},
    {113.9328, b200_flops, 16331407360, 1130.65, "3.50", "3.49887", "0.0492"},
    {113.9328, b200_flops, 16331407360, 1075.50, "3.68", "3.67829", "0.0468"},
};

static void assert_shows(double value, int decimals, const char *expected)
{
    char text[NUM_TEXT_BYTES];
    int len = snprintf(text, sizeof text, "%.*f", decimals, value);

    assert_in_range(len, 1, (int)sizeof text - 1);
    assert_string_equal(text, expected);
}

static void assert_reads(double value, const char *expected)
{
    char text[NUM_TEXT_BYTES];

    num_format_real(text, value);
    assert_string_equal(text, expected);
}

static void stated_costs_are_reproduced(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        double hour = cost_usd_per_gpu_hour(runs[i].usd_per_hour, 8);
        double usd = cost_usd_per_million_tokens(hour, runs[i].tokens_per_s_per_gpu);

        assert_shows(usd, 2, runs[i].stated_usd);
        assert_reads(usd, runs[i].usd);
    }
}

static void stated_utilisation_is_reproduced(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(runs); i++)
        assert_shows(
            cost_mfu(runs[i].active_params, runs[i].tokens_per_s_per_gpu, runs[i].peak_bf16_flops),
            4, runs[i].stated_mfu);
}

/* Cells of the pages for GPUs whose recipe files are not in the collection. */
static void published_costs_are_reproduced(void **state)
{
    (void)state;
    assert_shows(cost_usd_per_million_tokens(cost_usd_per_gpu_hour(63.296, 8), 4023.2), 2, "0.55");
    assert_shows(cost_usd_per_million_tokens(cost_usd_per_gpu_hour(63.296, 8), 545.3), 2, "4.03");
    assert_shows(cost_usd_per_million_tokens(cost_usd_per_gpu_hour(55.04, 8), 313.3), 2, "6.10");
}

static void an_hour_of_one_gpu_is_its_share_of_the_instance(void **state)
{
    (void)state;
    assert_reads(cost_usd_per_gpu_hour(55.04, 8), "6.88");
    assert_reads(cost_usd_per_gpu_hour(63.296, 8), "7.912");
    assert_reads(cost_usd_per_gpu_hour(113.9328, 8), "14.2416");
}

static void a_cost_beyond_a_double_is_infinite(void **state)
{
    (void)state;
    assert_true(isinf(cost_usd_per_million_tokens(6.88, 1e-306)));
}

static void dp_is_what_the_other_dimensions_leave(void **state)
{
    int64_t dp = -1;

    (void)state;
    assert_true(cost_dp(8, 2, 4, 1, &dp));
    assert_int_equal(dp, 1);
    assert_true(cost_dp(64, 2, 8, 1, &dp));
    assert_int_equal(dp, 4);
    assert_true(cost_dp(48, 2, 6, 1, &dp));
    assert_int_equal(dp, 4);
}

static void dp_that_is_not_whole_is_refused(void **state)
{
    int64_t dp = -1;

    (void)state;
    assert_false(cost_dp(8, 3, 1, 1, &dp));
    assert_false(cost_dp(8, 16, 1, 1, &dp));
    assert_false(cost_dp(INT64_MAX, INT64_MAX, 2, 1, &dp));
    assert_false(cost_dp(INT64_MAX, INT64_MAX / 2, 2, 2, &dp));
    assert_int_equal(dp, -1);
}

static void window_tokens_count_both_ends(void **state)
{
    int64_t tokens = -1;

    (void)state;
    assert_true(cost_window_tokens(5, 19, 128, 8192, &tokens));
    assert_int_equal(tokens, 15728640);
    assert_true(cost_window_tokens(0, 0, 1, 1, &tokens));
    assert_int_equal(tokens, 1);
}

static void window_tokens_above_the_range_are_refused(void **state)
{
    int64_t tokens = -1;

    (void)state;
    assert_false(cost_window_tokens(0, INT64_MAX, 1, 1, &tokens));
    assert_false(cost_window_tokens(0, 1, INT64_MAX / 2 + 1, 1, &tokens));
    assert_false(cost_window_tokens(0, 1, 2, INT64_MAX / 2, &tokens));
    assert_int_equal(tokens, -1);
}

static void step_and_error_follow_from_speed(void **state)
{
    (void)state;
    assert_reads(num_round_digits(cost_step_seconds(128, 8192, 1178.1, 8), 6), "111.257");
    assert_reads(num_round_digits(cost_speed_stderr(1178.1, 2.19, 15), 6), "6.66163");
    assert_reads(cost_speed_stderr(1000, 2, 4), "10.0");
}

/* The worked plan: ten billion tokens of the largest model. */
static void hours_of_the_worked_plan_are_reproduced(void **state)
{
    (void)state;
    assert_shows(cost_gpu_hours(10e9, 1232.53) / 64, 1, "35.2");
    assert_shows(cost_gpu_hours(10e9, 1130.65) / 64, 1, "38.4");
    assert_shows(cost_gpu_hours(10e9, 1075.50) / 48, 1, "53.8");
    assert_shows(cost_gpu_hours(10e9, 1232.53) * 14.2416 / 1000, 1, "32.1");
    assert_shows(cost_gpu_hours(10e9, 1130.65) * 14.2416 / 1000, 1, "35.0");
    assert_shows(cost_gpu_hours(10e9, 1075.50) * 14.2416 / 1000, 1, "36.8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stated_costs_are_reproduced),
        cmocka_unit_test(stated_utilisation_is_reproduced),
        cmocka_unit_test(published_costs_are_reproduced),
        cmocka_unit_test(an_hour_of_one_gpu_is_its_share_of_the_instance),
        cmocka_unit_test(a_cost_beyond_a_double_is_infinite),
        cmocka_unit_test(dp_is_what_the_other_dimensions_leave),
        cmocka_unit_test(dp_that_is_not_whole_is_refused),
        cmocka_unit_test(window_tokens_count_both_ends),
        cmocka_unit_test(window_tokens_above_the_range_are_refused),
        cmocka_unit_test(step_and_error_follow_from_speed),
        cmocka_unit_test(hours_of_the_worked_plan_are_reproduced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
