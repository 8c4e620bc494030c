/* Figures for estimates: of one recipe, and of all of a model. */
#include "db/figures.h"

#include "base/mem.h"
#include "tests/support/db_fixture.h"
#include "tests/support/test.h"

#include <stdio.h>

static void put(struct fixture *f, const char *model, const char *gpu, const char *slug)
{
    struct recipe r;

    fixture_recipe(&r, slug);
    fixture_place(&r, model, gpu);
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
}

static void figures_are_those_of_the_recipe(void **state)
{
    struct fixture *f = *state;
    struct estimate_figures found, expected;
    struct recipe r;
    struct err e;

    fixture_recipe(&r, "one");
    fixture_place(&r, "alpha", "h100");
    r.result.tokens_per_s_per_gpu = 123.25;
    r.result.step_time_cv_percent = 1.5;
    r.result.gpu_hours = 9.75;
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    estimate_figures_of(&r, &expected);
    assert_int_equal(db_figures_of_recipe(f->db, "alpha", "h100", "one", &found, &e), ERR_OK);
    assert_true(found.tokens_per_s_per_gpu == 123.25);
    assert_true(found.step_time_cv_percent == 1.5);
    assert_true(found.gpu_hours == 9.75);
    assert_int_equal(found.gpus, expected.gpus);
    assert_int_equal(found.row_tokens, expected.row_tokens);
    assert_int_equal(found.global_batch, expected.global_batch);
    assert_int_equal(found.window_steps, expected.window_steps);
    assert_int_equal(found.runs, expected.runs);
    assert_int_equal(db_figures_of_recipe(f->db, "alpha", "h200", "one", &found, &e),
                     ERR_NOT_FOUND);
    assert_string_equal(e.text, "there is no recipe one of alpha on h200");
}

static void a_model_has_those_of_all_its_recipes(void **state)
{
    static const char *const order[] = {"b200 z", "h100 a", "h100 b"};
    struct fixture *f = *state;
    struct figures_list list;
    struct arena arena;
    struct err e;

    put(f, "alpha", "h100", "b");
    put(f, "alpha", "h100", "a");
    put(f, "alpha", "b200", "z");
    put(f, "beta", "h100", "c");
    arena_init(&arena, 1 << 16);
    assert_int_equal(db_figures_of_model(f->db, "alpha", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        char name[40];

        (void)snprintf(name, sizeof name, "%s %s", list.items[i].gpu, list.items[i].recipe);
        assert_string_equal(name, order[i]);
        assert_true(list.items[i].figures.gpus > 0);
    }
    assert_int_equal(db_figures_of_model(f->db, "gamma", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 0);
    arena_done(&arena);
    arena_init(&arena, 100);
    assert_int_equal(db_figures_of_model(f->db, "alpha", &arena, &list, &e), ERR_LIMIT);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(figures_are_those_of_the_recipe, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_model_has_those_of_all_its_recipes,
                                        fixture_set_up_catalog, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_figures", tests, NULL, NULL);
}
