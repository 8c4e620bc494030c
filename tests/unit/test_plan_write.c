/* Plans as JSON and as text. */
#include "core/plan.h"

#include "tests/support/test.h"

#include <string.h>

/* The recipes of qwen3.5-397b-a17b on B200. */
static const struct plan_candidate measured[] = {
    {"q/b200/48gpu", "b200", {1075.50, 48, 8192, 128, 7.39, 15, 1, 19.73, false}, 113.9328 / 8},
    {"q/b200/mt8k", "b200", {1130.65, 64, 8192, 128, 0.58, 15, 1, 28.94, false}, 113.9328 / 8},
    {"q/b200/mt16k", "b200", {1232.53, 64, 8192, 128, 2.72, 15, 1, 22.49, false}, 113.9328 / 8},
};

/* 10e9 tokens, 36000 USD, 48 hours. */
static const struct plan_limits worked = {10000000000, 36000, 48, 0};

static void make(const struct plan_candidate *candidates, size_t count,
                 const struct plan_limits *limits, struct plan *out)
{
    struct err e;

    assert_int_equal(plan_make(candidates, count, limits, NULL, out, &e), ERR_OK);
}

static void json_explains_every_row(void **state)
{
    struct plan_candidate candidates[] = {measured[0], measured[2], measured[1]};
    struct plan plan;
    struct json j;
    struct buf out;

    (void)state;
    candidates[2].usd_per_gpu_hour = 0;
    make(candidates, 3, &worked, &plan);
    buf_init(&out, (size_t)64 * 1024);
    json_init(&j, &out);
    plan_write_json(&plan, 0, plan.count, NULL, &j);
    assert_string_equal(
        buf_text(&out),
        "[{\"recipe\":\"q/b200/mt16k\",\"gpu\":\"b200\",\"gpus\":64,\"usd_per_gpu_hour\":14.2416,"
        "\"feasible\":true,\"usd\":32096.6,\"wall_hours\":35.2144,\"gpu_hours\":2253.72,"
        "\"slack\":{\"usd\":{\"absolute\":3903.42,\"fraction\":0.108428},"
        "\"hours\":{\"absolute\":12.7856,\"fraction\":0.266367},\"gpus\":null},"
        "\"on_frontier\":true,\"binding\":[],\"change\":null},"
        "{\"recipe\":\"q/b200/mt8k\",\"gpu\":\"b200\",\"gpus\":64,\"usd_per_gpu_hour\":null,"
        "\"feasible\":null,\"usd\":null,\"wall_hours\":38.3875,\"gpu_hours\":2456.8,"
        "\"slack\":{\"usd\":null,\"hours\":{\"absolute\":9.61254,\"fraction\":0.200261},"
        "\"gpus\":null},\"on_frontier\":false,\"binding\":[\"budget_usd\"],"
        "\"change\":{\"budget_usd\":null,\"usd_per_gpu_hour\":14.6532,\"deadline_hours\":null,"
        "\"max_gpus\":null,\"text\":\"The cost is not known: there is no price. It is feasible "
        "with a price of at most 14.6532 USD per GPU-hour.\"}},"
        "{\"recipe\":\"q/b200/48gpu\",\"gpu\":\"b200\",\"gpus\":48,\"usd_per_gpu_hour\":14.2416,"
        "\"feasible\":false,\"usd\":36782.9,\"wall_hours\":53.8079,\"gpu_hours\":2582.78,"
        "\"slack\":{\"usd\":{\"absolute\":-782.892,\"fraction\":-0.021747},"
        "\"hours\":{\"absolute\":-5.80788,\"fraction\":-0.120997},\"gpus\":null},"
        "\"on_frontier\":false,\"binding\":[\"budget_usd\",\"deadline_hours\"],"
        "\"change\":{\"budget_usd\":36782.9,\"usd_per_gpu_hour\":13.9384,"
        "\"deadline_hours\":53.8079,\"max_gpus\":null,\"text\":\"It is feasible with a budget of "
        "36782.9 USD (or a price of at most 13.9384 USD per GPU-hour) and a deadline of 53.8079 "
        "hours.\"}}]");
    buf_done(&out);
    plan_done(&plan);
}

static void prices_come_out_as_they_went_in(void **state)
{
    struct plan_candidate candidate = measured[0];
    struct plan plan;
    struct json j;
    struct buf out;

    (void)state;
    candidate.usd_per_gpu_hour = 2.1034567;
    make(&candidate, 1, &worked, &plan);
    buf_init(&out, 4096);
    json_init(&j, &out);
    plan_write_json(&plan, 0, plan.count, NULL, &j);
    assert_non_null(strstr(buf_text(&out), "\"usd_per_gpu_hour\":2.1034567,"));
    buf_done(&out);
    plan_done(&plan);
}

static void json_has_slack_and_change_in_gpus(void **state)
{
    const struct plan_limits limits = {10000000000, 0, 0, 60};
    struct plan plan;
    struct json j;
    struct buf out;

    (void)state;
    make(measured, 3, &limits, &plan);
    buf_init(&out, (size_t)64 * 1024);
    json_init(&j, &out);
    json_begin(&j, NULL, '{');
    plan_write_json(&plan, 0, plan.count, "plans", &j);
    json_end(&j, '}');
    assert_ptr_equal(strstr(buf_text(&out), "{\"plans\":[{\"recipe\":\"q/b200/48gpu\""),
                     buf_text(&out));
    assert_non_null(strstr(buf_text(&out), "\"slack\":{\"usd\":null,\"hours\":null,"
                                           "\"gpus\":{\"absolute\":12.0,\"fraction\":0.2}}"));
    assert_non_null(strstr(buf_text(&out),
                           "\"binding\":[\"max_gpus\"],\"change\":{\"budget_usd\":null,"
                           "\"usd_per_gpu_hour\":null,\"deadline_hours\":null,\"max_gpus\":64,"
                           "\"text\":\"It is feasible with 64 GPUs.\"}"));
    buf_done(&out);
    plan_done(&plan);
}

static void text_is_an_aligned_table(void **state)
{
    struct plan_candidate candidates[] = {measured[0], measured[1], measured[2]};
    struct plan plan;
    struct buf out;
    struct err e;

    (void)state;
    candidates[1].usd_per_gpu_hour = 0;
    make(candidates, 3, &worked, &plan);
    buf_init(&out, 4096);
    assert_int_equal(plan_write_text(&plan, 0, plan.count, 4096, &out, &e), ERR_OK);
    assert_string_equal(
        buf_text(&out),
        "#  recipe        gpus      usd  wall_hours  frontier  feasible  change\n"
        "1  q/b200/mt16k    64  32096.6     35.2144  yes       yes       -\n"
        "2  q/b200/mt8k     64        -     38.3875  no        unknown   The cost is not known: "
        "there is no price. It is feasible with a price of at most 14.6532 USD per GPU-hour.\n"
        "3  q/b200/48gpu    48  36782.9     53.8079  no        no        It is feasible with a "
        "budget of 36782.9 USD (or a price of at most 13.9384 USD per GPU-hour) and a deadline of "
        "53.8079 hours.\n");
    assert_int_equal(plan_write_text(&plan, 0, plan.count, 100, &out, &e), ERR_LIMIT);
    buf_done(&out);
    plan_done(&plan);
}

static void a_plan_of_nothing_is_empty(void **state)
{
    struct plan plan;
    struct json j;
    struct buf out;

    (void)state;
    make(measured, 0, &worked, &plan);
    buf_init(&out, 4096);
    json_init(&j, &out);
    plan_write_json(&plan, 0, plan.count, NULL, &j);
    assert_string_equal(buf_text(&out), "[]");
    buf_done(&out);
    plan_done(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_explains_every_row),
        cmocka_unit_test(prices_come_out_as_they_went_in),
        cmocka_unit_test(json_has_slack_and_change_in_gpus),
        cmocka_unit_test(text_is_an_aligned_table),
        cmocka_unit_test(a_plan_of_nothing_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
