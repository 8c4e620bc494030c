/* Counts of tokens, estimates for a measured recipe, and near ties. */
#include "core/estimate.h"

#include "base/mem.h"
#include "core/cost.h"
#include "core/shown.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

/* On-demand price of one B200. */
static const double b200_usd = 113.9328 / 8;

static const struct estimate_figures mt16k = {
    .tokens_per_s_per_gpu = 1232.53,
    .gpus = 64,
    .row_tokens = 8192,
    .global_batch = 128,
    .step_time_cv_percent = 2.72,
    .window_steps = 15,
    .runs = 1,
    .gpu_hours = 22.49,
};

static void make(const struct estimate_figures *figures, int64_t tokens, double price,
                 struct estimate *out)
{
    struct err e;

    assert_int_equal(estimate_make(figures, tokens, price, out, &e), ERR_OK);
}

static void assert_figure(double value, double expected)
{
    assert_true(shown_round(value) == expected);
}

static void token_counts_are_read_exactly(void **state)
{
    static const struct {
        const char *text;
        int64_t tokens;
    } cases[] = {
        {"1", 1},
        {"8192", 8192},
        {"10e9", 10000000000},
        {"10E+9", 10000000000},
        {"10B", 10000000000},
        {"10b", 10000000000},
        {"1.5T", 1500000000000},
        {"1.5t", 1500000000000},
        {"500M", 500000000},
        {"0.5m", 500000},
        {"2K", 2000},
        {"2.048k", 2048},
        {"1.0", 1},
        {"1.50e1", 15},
        {"1500e-2", 15},
        {"1.10000000000000000000000000B", 1100000000},
        {"1.005T", 1005000000000},
        {"123456789012345678", 123456789012345678},
        {"0.123456789012345678e18", 123456789012345678},
        {"1e18", 1000000000000000000},
        {"1000000T", 1000000000000000000},
        {"0.000001T", 1000000},
        {"1000000000000e-12", 1},
        {"1e3B", 1000000000000},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t tokens = 0;
        struct err e;

        assert_int_equal(tokens_parse(cases[i].text, strlen(cases[i].text), &tokens, &e), ERR_OK);
        assert_int_equal(tokens, cases[i].tokens);
    }
}

static void other_token_counts_are_refused(void **state)
{
    static const char prefix[] = "a count of tokens is like 8192, 10e9, 10B or 1.5T: ";
    static const struct {
        const char *text;
        bool has_prefix;
        const char *message;
    } cases[] = {
        {"", true, "a number is needed, and nothing is here"},
        {"B", true, "a number is needed, and nothing is here"},
        {"10_000", true, "10_000: a number has no underscores"},
        {"10,000", true, "10,000: a number has no commas"},
        {"+10", true, "+10: a number has no leading plus"},
        {"010", true, "010: a number has no leading zeros"},
        {"0x10", true, "0x10: write the number in decimal"},
        {"10 B", true, "10  is not a number"},
        {"10G", true, "10G is not a number"},
        {"nan", true, "nan is not a number"},
        {"1e999", true, "1e999 is too large for a 64-bit real"},
        {"0", false, "0: at least 1 token is needed"},
        {"0T", false, "0T: at least 1 token is needed"},
        {"-5", false, "-5: at least 1 token is needed"},
        {"1.5", false, "1.5 is not a whole number of tokens"},
        {"1.0005K", false, "1.0005K is not a whole number of tokens"},
        {"15e-1", false, "15e-1 is not a whole number of tokens"},
        {"1e-300", false, "1e-300 is not a whole number of tokens"},
        {"1000000000000000001", false, "1000000000000000001 is above 10^18 tokens"},
        {"1e19", false, "1e19 is above 10^18 tokens"},
        {"1.1e18", false, "1.1e18 is above 10^18 tokens"},
        {"1e300", false, "1e300 is above 10^18 tokens"},
        {"9999999T", false, "9999999T is above 10^18 tokens"},
        {"9223372036854775808", false, "9223372036854775808 has too many digits"},
        {"12345678901234567890123", false, "12345678901234567890123 has too many digits"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t skip = cases[i].has_prefix ? sizeof prefix - 1 : 0;
        int64_t tokens = 7;
        struct err e;

        assert_int_equal(tokens_parse(cases[i].text, strlen(cases[i].text), &tokens, &e),
                         ERR_INPUT);
        assert_memory_equal(e.text, prefix, skip);
        assert_string_equal(e.text + skip, cases[i].message);
        assert_int_equal(tokens, 7);
    }
}

static void ten_billion_tokens_take_what_was_worked_out(void **state)
{
    struct estimate found;

    (void)state;
    make(&mt16k, 10000000000, b200_usd, &found);
    assert_int_equal(found.tokens, 10000000000);
    assert_int_equal(found.steps, 9537);
    assert_int_equal(found.trained_tokens, 10000269312);
    assert_figure(found.step_seconds, 13.2930);
    assert_figure(found.gpu_hours, 2253.72);
    assert_figure(found.wall_hours, 35.2144);
    assert_figure(found.usd, 32096.6);
    assert_figure(found.usd_per_million_tokens, 3.20966);
    assert_figure(found.check_gpu_hours, 22.49);
    assert_figure(found.check_usd, 320.294);
    assert_figure(found.speed_stderr, 8.65607);
    assert_figure(found.wall_hours_95.low, 34.7296);
    assert_figure(found.wall_hours_95.high, 35.6991);
    assert_figure(found.usd_95.low, 31654.8);
    assert_figure(found.usd_95.high, 32538.4);
}

static void steps_are_rounded_up_to_whole_ones(void **state)
{
    static const int64_t step_tokens = 1048576;
    static const struct {
        int64_t tokens;
        int64_t steps;
    } cases[] = {
        {1, 1},
        {1048575, 1},
        {1048576, 1},
        {1048577, 2},
        {15728640, 15},
        {15728641, 16},
        {ESTIMATE_TOKENS_MAX, 953674316407},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct estimate found;

        make(&mt16k, cases[i].tokens, b200_usd, &found);
        assert_int_equal(found.steps, cases[i].steps);
        assert_int_equal(found.trained_tokens, cases[i].steps * step_tokens);
    }
}

static void without_a_price_no_cost_is_known(void **state)
{
    struct estimate found;

    (void)state;
    make(&mt16k, 10000000000, 0, &found);
    assert_figure(found.wall_hours, 35.2144);
    assert_true(found.usd == 0);
    assert_true(found.usd_per_million_tokens == 0);
    assert_true(found.check_usd == 0);
    assert_true(found.usd_95.low == 0 && found.usd_95.high == 0);
}

/* A variation so large that the interval would reach below zero. */
static void an_interval_begins_at_zero_at_the_lowest(void **state)
{
    struct estimate_figures figures = mt16k;
    struct estimate found;

    (void)state;
    figures.step_time_cv_percent = 100;
    figures.window_steps = 1;
    make(&figures, 10000000000, b200_usd, &found);
    assert_true(found.wall_hours_95.low == 0);
    assert_figure(found.wall_hours_95.high, 104.235);
    figures.step_time_cv_percent = 0;
    make(&figures, 10000000000, b200_usd, &found);
    assert_true(found.wall_hours_95.low == found.wall_hours);
    assert_true(found.wall_hours_95.high == found.wall_hours);
}

static void the_largest_and_smallest_figures_stay_finite(void **state)
{
    const struct estimate_figures large = {1e9, 1000000000, 1, 1, 1e6, 1, 1, 1e9, false};
    const struct estimate_figures small = {1e-9, 1, 1000000000, 1000000000, 1e6, 1, 1, 1e9, false};
    struct estimate found;

    (void)state;
    make(&small, ESTIMATE_TOKENS_MAX, ESTIMATE_PRICE_MAX, &found);
    assert_int_equal(found.steps, 1);
    assert_int_equal(found.trained_tokens, 1000000000000000000);
    assert_figure(found.usd, 2.77778e32);
    assert_figure(found.usd_95.high, 5.44472e36);
    make(&large, 1, ESTIMATE_PRICE_MIN, &found);
    assert_figure(found.usd, 2.77778e-22);
    assert_true(found.usd_per_million_tokens > 0);
}

static void figures_out_of_range_are_named(void **state)
{
    struct estimate_figures wrong[] = {mt16k, mt16k, mt16k, mt16k, mt16k, mt16k, mt16k, mt16k};
    static const char *const messages[] = {
        "tokens_per_s_per_gpu is not between 1e-09 and 1e+09",
        "gpus is not between 1 and 1e+09",
        "row_tokens is not between 1 and 1e+09",
        "global_batch is not between 1 and 1e+09",
        "step_time_cv_percent is not between 0 and 1e+06",
        "steps of the window is not between 1 and 1e+09",
        "runs is not between 1 and 1e+09",
        "gpu_hours is not between 0 and 1e+09",
    };
    struct estimate found;
    struct err e;

    (void)state;
    wrong[0].tokens_per_s_per_gpu = 0;
    wrong[1].gpus = 0;
    wrong[2].row_tokens = 1000000001;
    wrong[3].global_batch = 0;
    wrong[4].step_time_cv_percent = -1;
    wrong[5].window_steps = 0;
    wrong[6].runs = 0;
    wrong[7].gpu_hours = (double)NAN;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(estimate_make(&wrong[i], 1, b200_usd, &found, &e), ERR_INPUT);
        assert_string_equal(e.text, messages[i]);
    }
}

static void tokens_and_prices_out_of_range_are_named(void **state)
{
    static const double prices[] = {-1, 1e-10, 1.1e9, (double)INFINITY, (double)NAN};
    static const int64_t counts[] = {0, -1, ESTIMATE_TOKENS_MAX + 1};
    struct estimate found;
    struct err e;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(prices); i++) {
        assert_int_equal(estimate_make(&mt16k, 1, prices[i], &found, &e), ERR_INPUT);
        assert_string_equal(e.text, "usd_per_gpu_hour is not between 1e-09 and 1e+09");
    }
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        assert_int_equal(estimate_make(&mt16k, counts[i], b200_usd, &found, &e), ERR_INPUT);
        assert_string_equal(e.text, "tokens is not between 1 and 10^18");
    }
}

static void figures_are_taken_from_a_recipe(void **state)
{
    int64_t window[] = {5, 19};
    struct recipe r = {.gpu = {.count = 64}};
    struct estimate_figures found;

    (void)state;
    r.workload.row_tokens = 8192;
    r.workload.global_batch = 128;
    r.result.tokens_per_s_per_gpu = 1232.53;
    r.result.step_time_cv_percent = 2.72;
    r.result.window = (struct int_list){window, 2};
    r.result.runs = 1;
    r.result.gpu_hours = 22.49;
    estimate_figures_of(&r, &found);
    assert_true(found.tokens_per_s_per_gpu == mt16k.tokens_per_s_per_gpu);
    assert_int_equal(found.gpus, 64);
    assert_int_equal(found.row_tokens, 8192);
    assert_int_equal(found.global_batch, 128);
    assert_true(found.step_time_cv_percent == 2.72);
    assert_int_equal(found.window_steps, 15);
    assert_int_equal(found.runs, 1);
    assert_true(found.gpu_hours == 22.49);
}

static void speeds_whose_intervals_overlap_are_a_near_tie(void **state)
{
    double fastest = cost_speed_stderr(1232.53, 2.72, 15);
    double second = cost_speed_stderr(1130.65, 0.58, 15);
    double third = cost_speed_stderr(1075.5, 7.39, 15);

    (void)state;
    assert_false(estimate_is_near_tie(1232.53, fastest, 1130.65, second));
    assert_false(estimate_is_near_tie(1130.65, second, 1075.5, third));
    assert_true(estimate_is_near_tie(1100, second, 1075.5, third));
    assert_true(estimate_is_near_tie(1075.5, third, 1100, second));
    assert_true(estimate_is_near_tie(100, 5, 119.6, 5));
    assert_false(estimate_is_near_tie(100, 5, 119.7, 5));
    assert_true(estimate_is_near_tie(100, 0, 100, 0));
    assert_false(estimate_is_near_tie(100, 0, 100.1, 0));
}

static void json_has_every_shown_rounded(void **state)
{
    struct estimate found;
    struct json j;
    struct buf out;

    (void)state;
    make(&mt16k, 10000000000, b200_usd, &found);
    buf_init(&out, 4096);
    json_init(&j, &out);
    json_begin(&j, NULL, '{');
    estimate_write_json(&found, &j);
    json_put_int(&j, "next", 1);
    json_end(&j, '}');
    assert_string_equal(
        buf_text(&out),
        "{\"tokens\":10000000000,\"steps\":9537,\"trained_tokens\":10000269312,"
        "\"step_seconds\":13.293,\"gpu_hours\":2253.72,\"wall_hours\":35.2144,\"usd\":32096.6,"
        "\"usd_per_million_tokens\":3.20966,\"check\":{\"gpu_hours\":22.49,\"usd\":320.294},"
        "\"uncertainty\":{\"confidence\":0.95,\"speed_stderr\":8.65607,"
        "\"wall_hours\":{\"low\":34.7296,\"high\":35.6991},"
        "\"usd\":{\"low\":31654.8,\"high\":32538.4},\"window_steps\":15,\"runs\":1,"
        "\"note\":\"One run only: the intervals are from the variation among its 15 measured "
        "steps, and do not cover how runs differ.\"},\"next\":1}");
    buf_done(&out);
}

static void json_has_null_where_no_price_is_known(void **state)
{
    struct estimate_figures figures = mt16k;
    struct estimate found;
    struct json j;
    struct buf out;

    (void)state;
    figures.runs = 3;
    figures.gpu_hours = 0;
    make(&figures, 8192, 0, &found);
    buf_init(&out, 4096);
    json_init(&j, &out);
    json_begin(&j, NULL, '{');
    estimate_write_json(&found, &j);
    json_end(&j, '}');
    assert_string_equal(
        buf_text(&out),
        "{\"tokens\":8192,\"steps\":1,\"trained_tokens\":1048576,\"step_seconds\":13.293,"
        "\"gpu_hours\":0.00184625,\"wall_hours\":2.88476e-05,\"usd\":null,"
        "\"usd_per_million_tokens\":null,\"check\":{\"gpu_hours\":null,\"usd\":null},"
        "\"uncertainty\":{\"confidence\":0.95,\"speed_stderr\":8.65607,"
        "\"wall_hours\":{\"low\":2.84505e-05,\"high\":2.92447e-05},\"usd\":null,"
        "\"window_steps\":15,\"runs\":3,"
        "\"note\":\"The figures are from 3 runs; the intervals are from the variation among 15 "
        "measured steps, and do not cover how runs differ.\"}}");
    buf_done(&out);
}

static void text_is_an_aligned_table(void **state)
{
    struct estimate found;
    struct buf out;
    struct err e;

    (void)state;
    make(&mt16k, 10000000000, b200_usd, &found);
    buf_init(&out, 4096);
    assert_int_equal(estimate_write_text(&found, &out, &e), ERR_OK);
    assert_string_equal(buf_text(&out),
                        "tokens                  10000000000\n"
                        "steps                   9537 (10000269312 tokens)\n"
                        "step_seconds            13.293\n"
                        "gpu_hours               2253.72\n"
                        "wall_hours              35.2144 (95%: 34.7296 to 35.6991)\n"
                        "usd                     32096.6 (95%: 31654.8 to 32538.4)\n"
                        "usd_per_million_tokens  3.20966\n"
                        "check: gpu_hours        22.49\n"
                        "check: usd              320.294\n"
                        "note                    One run only: the intervals are from the "
                        "variation among its 15 measured steps, and do not cover how runs "
                        "differ.\n");
    buf_reset(&out);
    make(&mt16k, 10000000000, 0, &found);
    assert_int_equal(estimate_write_text(&found, &out, &e), ERR_OK);
    assert_non_null(strstr(buf_text(&out), "\nusd                     -\n"));
    assert_non_null(strstr(buf_text(&out), "\ncheck: usd              -\n"));
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(token_counts_are_read_exactly),
        cmocka_unit_test(other_token_counts_are_refused),
        cmocka_unit_test(ten_billion_tokens_take_what_was_worked_out),
        cmocka_unit_test(steps_are_rounded_up_to_whole_ones),
        cmocka_unit_test(without_a_price_no_cost_is_known),
        cmocka_unit_test(an_interval_begins_at_zero_at_the_lowest),
        cmocka_unit_test(the_largest_and_smallest_figures_stay_finite),
        cmocka_unit_test(figures_out_of_range_are_named),
        cmocka_unit_test(tokens_and_prices_out_of_range_are_named),
        cmocka_unit_test(figures_are_taken_from_a_recipe),
        cmocka_unit_test(speeds_whose_intervals_overlap_are_a_near_tie),
        cmocka_unit_test(json_has_every_shown_rounded),
        cmocka_unit_test(json_has_null_where_no_price_is_known),
        cmocka_unit_test(text_is_an_aligned_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
