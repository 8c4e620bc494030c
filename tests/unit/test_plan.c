/* Plans over the three measured recipes of one model, and over made ones for the corners. How they
 * are written is in test_plan_write.c. */
#include "core/plan.h"

#include "base/mem.h"
#include "core/shown.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The recipes of qwen3.5-397b-a17b on B200. */
static const struct plan_candidate measured[] = {
    {"q/b200/48gpu", "b200", {1075.50, 48, 8192, 128, 7.39, 15, 1, 19.73, false}, 113.9328 / 8},
    {"q/b200/mt8k", "b200", {1130.65, 64, 8192, 128, 0.58, 15, 1, 28.94, false}, 113.9328 / 8},
    {"q/b200/mt16k", "b200", {1232.53, 64, 8192, 128, 2.72, 15, 1, 22.49, false}, 113.9328 / 8},
};

/* 10e9 tokens, 36000 USD, 48 hours. */
static const struct plan_limits worked = {10000000000, 36000, 48, 0};

/* words: of the order, ended by NULL; none: the usual order */
static void make_sorted(const struct plan_candidate *candidates, size_t count,
                        const struct plan_limits *limits, const char *const *words,
                        struct plan *out)
{
    struct plan_sort sort = {.count = 0};
    struct err e;

    for (; *words; words++)
        assert_int_equal(plan_sort_add(&sort, *words, &e), ERR_OK);
    assert_int_equal(plan_make(candidates, count, limits, sort.count > 0 ? &sort : NULL, out, &e),
                     ERR_OK);
    assert_int_equal(out->count, count);
}

static void make(const struct plan_candidate *candidates, size_t count,
                 const struct plan_limits *limits, const char *word, struct plan *out)
{
    const char *const words[] = {word, NULL};

    make_sorted(candidates, count, limits, words, out);
}

/* The names of the rows in order, their folders left out, each followed by a space. */
static void assert_order(const struct plan *plan, const char *expected)
{
    struct buf names;

    buf_init(&names, 4096);
    for (size_t i = 0; i < plan->count; i++)
        buf_printf(&names, "%s ", strrchr(plan->rows[i].candidate->recipe, '/') + 1);
    assert_string_equal(buf_text(&names), expected);
    buf_done(&names);
}

static void assert_figure(double value, double expected)
{
    assert_true(shown_round(value) == expected);
}

static void assert_change(const struct plan_row *row, const char *expected)
{
    struct buf text;

    buf_init(&text, 4096);
    plan_put_change(row, &text);
    assert_string_equal(buf_text(&text), expected);
    buf_done(&text);
}

static void the_worked_plan_is_reproduced(void **state)
{
    struct plan plan;
    const struct plan_row *row;

    (void)state;
    make(measured, 3, &worked, NULL, &plan);
    assert_order(&plan, "mt16k mt8k 48gpu ");
    row = &plan.rows[0];
    assert_int_equal(row->verdict, PLAN_FEASIBLE);
    assert_figure(row->estimate.usd, 32096.6);
    assert_figure(row->estimate.wall_hours, 35.2144);
    assert_figure(row->checks[PLAN_BUDGET].slack, 3903.42);
    assert_figure(row->checks[PLAN_BUDGET].slack_fraction, 0.108428);
    assert_figure(row->checks[PLAN_DEADLINE].slack, 12.7856);
    assert_figure(row->checks[PLAN_DEADLINE].slack_fraction, 0.266367);
    assert_true(row->checks[PLAN_GPUS].limit == 0);
    assert_true(row->on_frontier);
    row = &plan.rows[1];
    assert_int_equal(row->verdict, PLAN_FEASIBLE);
    assert_figure(row->estimate.usd, 34988.7);
    assert_figure(row->estimate.wall_hours, 38.3875);
    assert_false(row->on_frontier);
    assert_change(row, "");
    row = &plan.rows[2];
    assert_int_equal(row->verdict, PLAN_INFEASIBLE);
    assert_int_equal(row->checks[PLAN_BUDGET].verdict, PLAN_INFEASIBLE);
    assert_int_equal(row->checks[PLAN_DEADLINE].verdict, PLAN_INFEASIBLE);
    assert_figure(row->checks[PLAN_BUDGET].slack, -782.892);
    assert_figure(row->checks[PLAN_DEADLINE].slack, -5.80788);
    assert_true(plan_change_of(row).budget_usd == 36782.9);
    assert_true(plan_change_of(row).usd_per_gpu_hour == 13.9384);
    assert_true(plan_change_of(row).deadline_hours == 53.8079);
    assert_int_equal(plan_change_of(row).max_gpus, 0);
    assert_change(row, "It is feasible with a budget of 36782.9 USD (or a price of at most 13.9384 "
                       "USD per GPU-hour) and a deadline of 53.8079 hours.");
    plan_done(&plan);
    assert_null(plan.rows);
}

/* What is said of a row that does not fit is enough for it, and one digit less is not. */
static void the_smallest_change_is_enough_and_the_smallest(void **state)
{
    struct plan_limits limits = {10000000000, 20000, 20, 8};
    struct plan plan, changed;
    struct plan_candidate cheap;

    (void)state;
    make(measured, 3, &limits, "recipe", &plan);
    for (size_t i = 0; i < plan.count; i++) {
        const struct plan_row *row = &plan.rows[i];
        struct plan_change change = plan_change_of(row);
        struct plan_limits enough = {limits.tokens, change.budget_usd, change.deadline_hours,
                                     change.max_gpus};

        assert_int_equal(row->verdict, PLAN_INFEASIBLE);
        make(row->candidate, 1, &enough, NULL, &changed);
        assert_int_equal(changed.rows[0].verdict, PLAN_FEASIBLE);
        plan_done(&changed);
        enough.budget_usd *= 1 - 1e-5;
        enough.deadline_hours *= 1 - 1e-5;
        enough.max_gpus--;
        make(row->candidate, 1, &enough, NULL, &changed);
        for (size_t k = 0; k < PLAN_CONSTRAINTS; k++)
            assert_int_equal(changed.rows[0].checks[k].verdict, PLAN_INFEASIBLE);
        plan_done(&changed);
        cheap = *row->candidate;
        cheap.usd_per_gpu_hour = change.usd_per_gpu_hour;
        make(&cheap, 1, &limits, NULL, &changed);
        assert_int_equal(changed.rows[0].checks[PLAN_BUDGET].verdict, PLAN_FEASIBLE);
        plan_done(&changed);
        cheap.usd_per_gpu_hour *= 1 + 1e-5;
        make(&cheap, 1, &limits, NULL, &changed);
        assert_int_equal(changed.rows[0].checks[PLAN_BUDGET].verdict, PLAN_INFEASIBLE);
        plan_done(&changed);
    }
    plan_done(&plan);
}

static void each_constraint_binds_by_itself(void **state)
{
    static const struct {
        struct plan_limits limits;
        const char *change;
    } cases[] = {
        {{10000000000, 36000, 0, 0},
         "It is feasible with a budget of 36782.9 USD (or a price of at most 13.9384 USD per "
         "GPU-hour)."},
        {{10000000000, 0, 48, 0}, "It is feasible with a deadline of 53.8079 hours."},
        {{10000000000, 0, 0, 47}, "It is feasible with 48 GPUs."},
        {{10000000000, 0, 48, 47}, "It is feasible with a deadline of 53.8079 hours and 48 GPUs."},
        {{10000000000, 36000, 48, 47},
         "It is feasible with a budget of 36782.9 USD (or a price of at most 13.9384 USD per "
         "GPU-hour), a deadline of 53.8079 hours and 48 GPUs."},
        {{10000000000, 0, 0, 48}, ""},
        {{10000000000, 0, 0, 0}, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct plan plan;

        make(&measured[0], 1, &cases[i].limits, NULL, &plan);
        assert_int_equal(plan.rows[0].verdict, *cases[i].change ? PLAN_INFEASIBLE : PLAN_FEASIBLE);
        assert_change(&plan.rows[0], cases[i].change);
        plan_done(&plan);
    }
}

static void a_budget_without_a_price_is_never_feasible(void **state)
{
    struct plan_candidate unpriced = measured[2];
    struct plan_limits limits = worked;
    struct plan plan;

    (void)state;
    unpriced.usd_per_gpu_hour = 0;
    make(&unpriced, 1, &limits, NULL, &plan);
    assert_int_equal(plan.rows[0].verdict, PLAN_UNKNOWN);
    assert_int_equal(plan.rows[0].checks[PLAN_BUDGET].verdict, PLAN_UNKNOWN);
    assert_false(plan.rows[0].on_frontier);
    assert_change(&plan.rows[0],
                  "The cost is not known: there is no price. It is feasible with a price of at "
                  "most 15.9735 USD per GPU-hour.");
    plan_done(&plan);
    limits.deadline_hours = 30;
    make(&unpriced, 1, &limits, NULL, &plan);
    assert_int_equal(plan.rows[0].verdict, PLAN_INFEASIBLE);
    assert_change(&plan.rows[0],
                  "The cost is not known: there is no price. It is feasible with a price of at "
                  "most 15.9735 USD per GPU-hour and a deadline of 35.2144 hours.");
    plan_done(&plan);
    limits = (struct plan_limits){10000000000, 0, 48, 64};
    make(&unpriced, 1, &limits, NULL, &plan);
    assert_int_equal(plan.rows[0].verdict, PLAN_FEASIBLE);
    plan_done(&plan);
}

/* No price is so low that the budget would do; or the budget is above what any price comes to. */
static void a_price_beyond_what_can_be_asked_for_is_not_offered(void **state)
{
    struct plan_candidate unpriced = measured[2];
    struct plan_limits limits = {10000000000, 1e-9, 0, 0};
    struct plan plan;

    (void)state;
    make(&measured[2], 1, &limits, NULL, &plan);
    assert_true(plan_change_of(&plan.rows[0]).usd_per_gpu_hour == 0);
    assert_change(&plan.rows[0], "It is feasible with a budget of 32096.6 USD.");
    plan_done(&plan);
    unpriced.usd_per_gpu_hour = 0;
    make(&unpriced, 1, &limits, NULL, &plan);
    assert_int_equal(plan.rows[0].verdict, PLAN_UNKNOWN);
    assert_change(&plan.rows[0], "The cost is not known: there is no price.");
    plan_done(&plan);
    limits.budget_usd = 1e30;
    make(&unpriced, 1, &limits, NULL, &plan);
    assert_true(plan_change_of(&plan.rows[0]).usd_per_gpu_hour == PLAN_PRICE_MOST);
    plan_done(&plan);
}

/* A made candidate that costs its GPU-hours at a price of 1 USD. */
static struct plan_candidate made(const char *recipe, double speed, int64_t gpus)
{
    return (struct plan_candidate){recipe, "x", {speed, gpus, 1000, 10, 1, 10, 2, 1, false}, 1};
}

static void the_frontier_is_what_nothing_beats(void **state)
{
    const struct plan_limits limits = {1000000000, 0, 0, 10};
    struct plan_candidate candidates[] = {
        made("m/x/cheapest", 1000, 8),   made("m/x/its-equal", 1000, 8),
        made("m/x/same-cost", 1000, 4),  made("m/x/fastest", 500, 64),
        made("m/x/same-time", 250, 128), made("m/x/dominated", 400, 16),
        made("m/x/between", 800, 16),    made("m/x/unpriced", 4000, 128),
    };
    static const char frontier[] = "cheapest its-equal between fastest ";
    struct buf found;
    struct plan plan;

    (void)state;
    candidates[7].usd_per_gpu_hour = 0;
    make(candidates, COUNT_OF(candidates), &limits, NULL, &plan);
    assert_order(&plan, "cheapest its-equal same-cost between fastest dominated same-time "
                        "unpriced ");
    buf_init(&found, 4096);
    for (size_t i = 0; i < plan.count; i++)
        if (plan.rows[i].on_frontier)
            buf_printf(&found, "%s ", plan.rows[i].candidate->recipe + 4);
    assert_string_equal(buf_text(&found), frontier);
    buf_done(&found);
    plan_done(&plan);
}

static void rows_are_sorted_as_asked(void **state)
{
    static const struct {
        const char *sort[3];
        const char *order;
    } cases[] = {
        {{NULL}, "a b c u "},
        {{"usd"}, "a b c u "},
        {{"-usd"}, "c a b u "},
        {{"wall_hours"}, "u c a b "},
        {{"-wall_hours"}, "a b c u "},
        {{"gpu_hours", "-recipe"}, "u b a c "},
        {{"gpus"}, "a b u c "},
        {{"-gpus", "recipe"}, "c u a b "},
        {{"-tokens_per_s_per_gpu"}, "u a b c "},
        {{"-recipe"}, "u c b a "},
    };
    const struct plan_limits limits = {1000000000, 0, 0, 0};
    struct plan_candidate candidates[] = {
        made("m/x/c", 500, 64),
        made("m/x/u", 4000, 16),
        made("m/x/b", 1000, 8),
        made("m/x/a", 1000, 8),
    };

    (void)state;
    candidates[1].usd_per_gpu_hour = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct plan plan;

        make_sorted(candidates, COUNT_OF(candidates), &limits, cases[i].sort, &plan);
        assert_order(&plan, cases[i].order);
        plan_done(&plan);
    }
}

static void feasible_rows_come_first_in_any_order(void **state)
{
    const struct plan_limits limits = {1000000000, 300, 0, 0};
    struct plan_candidate candidates[] = {
        made("m/x/dear", 500, 8),
        made("m/x/cheap", 2000, 8),
        made("m/x/unpriced", 4000, 8),
        made("m/x/fits", 1000, 8),
    };
    struct plan plan;

    (void)state;
    candidates[2].usd_per_gpu_hour = 0;
    make(candidates, COUNT_OF(candidates), &limits, "-wall_hours", &plan);
    assert_order(&plan, "fits cheap unpriced dear ");
    plan_done(&plan);
}

static void sort_keys_are_known_and_stand_once(void **state)
{
    static const char *const wrong[] = {"", "price", "usd,gpus", "--usd", "-", "usdx", "+usd"};
    struct plan_sort sort = {.count = 0};
    struct err e;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        char message[60];

        (void)snprintf(message, sizeof message, "%s is nothing to sort by", wrong[i]);
        assert_int_equal(plan_sort_add(&sort, wrong[i], &e), ERR_INPUT);
        assert_string_equal(e.text, message);
    }
    assert_int_equal(sort.count, 0);
    assert_int_equal(plan_sort_add(&sort, "-gpus", &e), ERR_OK);
    assert_int_equal(plan_sort_add(&sort, "usd", &e), ERR_OK);
    assert_int_equal(plan_sort_add(&sort, "gpus", &e), ERR_INPUT);
    assert_string_equal(e.text, "gpus stands twice");
    assert_int_equal(sort.count, 2);
    assert_int_equal(sort.keys[0].key, PLAN_KEY_GPUS);
    assert_true(sort.keys[0].is_descending);
    assert_int_equal(sort.keys[1].key, PLAN_KEY_USD);
    assert_false(sort.keys[1].is_descending);
}

/* Every word stands at its key's place, the last key's too. */
static void each_key_has_two_words(void **state)
{
    struct err e;

    (void)state;
    for (size_t i = 0; i < 2 * PLAN_KEYS; i++) {
        struct plan_sort sort = {.count = 0};

        assert_int_equal(plan_sort_add(&sort, plan_sort_words[i], &e), ERR_OK);
        assert_int_equal(sort.keys[0].key, i / 2);
        assert_int_equal(sort.keys[0].is_descending, i % 2);
        assert_int_equal(*plan_sort_words[i] == '-', i % 2);
    }
    assert_string_equal(plan_sort_words[2 * PLAN_KEY_RECIPE], "recipe");
    assert_null(plan_sort_words[2 * PLAN_KEYS]);
}

static void limits_out_of_range_are_refused(void **state)
{
    static const struct plan_limits wrong[] = {
        {1, -1, 0, 0}, {1, 1e31, 0, 0}, {1, (double)NAN, 0, 0}, {1, 0, 1e-10, 0}, {1, 0, 0, -1},
    };
    struct plan_candidate unlikely = measured[0];
    struct plan plan;
    struct err e;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(plan_make(measured, 3, &wrong[i], NULL, &plan, &e), ERR_INPUT);
        assert_string_equal(e.text, "a limit is not between 1e-09 and 1e+30");
    }
    unlikely.figures.gpus = 0;
    assert_int_equal(plan_make(&unlikely, 1, &worked, NULL, &plan, &e), ERR_INPUT);
    assert_string_equal(e.text, "q/b200/48gpu: gpus is not between 1 and 1e+09");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_plan_is_reproduced),
        cmocka_unit_test(the_smallest_change_is_enough_and_the_smallest),
        cmocka_unit_test(each_constraint_binds_by_itself),
        cmocka_unit_test(a_budget_without_a_price_is_never_feasible),
        cmocka_unit_test(a_price_beyond_what_can_be_asked_for_is_not_offered),
        cmocka_unit_test(the_frontier_is_what_nothing_beats),
        cmocka_unit_test(rows_are_sorted_as_asked),
        cmocka_unit_test(feasible_rows_come_first_in_any_order),
        cmocka_unit_test(sort_keys_are_known_and_stand_once),
        cmocka_unit_test(each_key_has_two_words),
        cmocka_unit_test(limits_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
