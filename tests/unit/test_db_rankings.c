/* The rankings: counted, their best and main ones chosen, in the catalogue's order. */
#include "db/rankings.h"
#include "tests/support/db_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void put(struct fixture *f, const char *gpu, const char *slug, const char *workload,
                double speed, const char *measured)
{
    struct recipe r;

    fixture_recipe(&r, slug);
    fixture_place(&r, "alpha", gpu);
    r.derived.workload = workload;
    r.result.tokens_per_s_per_gpu = speed;
    r.result.measured = measured;
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
}

static const char work_a[] = "aaaaaaaaaaaaaaaa";
static const char work_b[] = "bbbbbbbbbbbbbbbb";
static const char work_c[] = "cccccccccccccccc";

static void rows_are_counted_and_ordered(void **state)
{
    struct fixture *f = *state;
    struct ranking_list list;
    struct arena arena;
    struct err e;

    put(f, "h100", "r1", work_a, 900, "2026-10-01");
    put(f, "h100", "r2", work_b, 700, "2026-10-01");
    put(f, "h100", "r3", work_b, 800, "2026-10-02");
    put(f, "h100", "r4", work_b, 800, "2026-10-03");
    put(f, "h100", "r5", work_b, 800, "2026-10-03");
    put(f, "b200", "r6", work_c, 2000.5, "2026-10-04");
    put(f, "b200", "r7", work_a, 100, "2026-10-05");
    put(f, "b200", "r8", work_b, 100, "2026-10-05");
    fixture_rank(f);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_rankings_of(f->db, "alpha", "b200", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 4);
    /* b200 comes first in the catalogue; of its single recipes the newest, then the smaller id. */
    assert_string_equal(list.items[0].gpu, "b200");
    assert_string_equal(list.items[0].workload, work_a);
    assert_true(list.items[0].is_main);
    assert_string_equal(list.items[1].workload, work_b);
    assert_false(list.items[1].is_main);
    assert_string_equal(list.items[2].workload, work_c);
    assert_true(list.items[2].best_tokens_per_s_per_gpu == 2000.5);
    /* Most recipes first; of equally fast ones the newest, then by slug. */
    assert_string_equal(list.items[3].model, "alpha");
    assert_string_equal(list.items[3].gpu, "h100");
    assert_string_equal(list.items[3].workload, work_b);
    assert_int_equal(list.items[3].row_tokens, 8192);
    assert_string_equal(list.items[3].rows, "SFT conversations");
    assert_int_equal(list.items[3].global_batch, 128);
    assert_string_equal(list.items[3].precision, "bf16");
    assert_int_equal(strlen(list.items[3].rows_sha256), 64);
    assert_int_equal(list.items[3].recipes, 4);
    assert_true(list.items[3].is_main);
    assert_string_equal(list.items[3].best_recipe, "r4");
    assert_int_equal(list.items[3].best_gpus, 8);
    assert_true(list.items[3].best_tokens_per_s_per_gpu == 800);
    assert_string_equal(list.items[3].best_author, "ATTUNE");
    assert_int_equal(list.items[3].best_active_params, 31000000000);
    assert_int_equal(db_rankings_of(f->db, "alpha", "h100", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[0].gpu, "b200");
    assert_string_equal(list.items[1].workload, work_b);
    assert_string_equal(list.items[2].workload, work_a);
    assert_false(list.items[2].is_main);
    assert_int_equal(db_rankings_main(f->db, &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].gpu, "b200");
    assert_string_equal(list.items[1].workload, work_b);
    arena_done(&arena);
}

static void main_ones_of_one_model_are_found(void **state)
{
    struct fixture *f = *state;
    struct ranking_list list;
    struct arena arena;
    struct err e;

    put(f, "h100", "r1", work_a, 900, "2026-10-01");
    put(f, "h100", "r2", work_b, 700, "2026-10-02");
    fixture_rank(f);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_rankings_of(f->db, "alpha", NULL, &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].workload, work_b);
    assert_int_equal(db_rankings_of(f->db, "alpha", "h100", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(db_rankings_of(f->db, "beta", "h100", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 0);
    arena_done(&arena);
}

static void retracted_recipes_are_in_no_ranking(void **state)
{
    struct fixture *f = *state;
    struct ranking_list list;
    struct arena arena;
    struct recipe r;
    bool has = false;
    struct err e;

    put(f, "h100", "r1", work_a, 900, "2026-10-01");
    put(f, "h100", "r2", work_b, 700, "2026-10-02");
    fixture_recipe(&r, "r3");
    r.derived.workload = work_a;
    r.result.tokens_per_s_per_gpu = 2000;
    r.status = "retracted";
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    fixture_recipe(&r, "r2");
    r.derived.workload = work_b;
    r.status = "retracted";
    assert_int_equal(fixture_put(f, &r), RECIPE_REJUDGED);
    fixture_rank(f);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_rankings_of(f->db, "alpha", "h100", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].best_recipe, "r1");
    assert_int_equal(list.items[0].recipes, 1);
    assert_int_equal(db_model_has_recipes(f->db, "alpha", &has, &e), ERR_OK);
    assert_true(has);
    assert_int_equal(db_model_has_recipes(f->db, "gamma", &has, &e), ERR_OK);
    assert_false(has);
    arena_done(&arena);
}

static void rebuilding_forgets_what_is_gone(void **state)
{
    struct fixture *f = *state;
    struct ranking_list list;
    struct arena arena;
    struct recipe r;
    struct err e;

    put(f, "h100", "r1", work_a, 900, "2026-10-01");
    fixture_rank(f);
    fixture_recipe(&r, "r1");
    r.derived.workload = work_b;
    assert_int_equal(fixture_put(f, &r), RECIPE_REJUDGED);
    fixture_rank(f);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_rankings_of(f->db, "alpha", "h100", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].workload, work_b);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_counted_and_ordered, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(main_ones_of_one_model_are_found, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(retracted_recipes_are_in_no_ranking, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(rebuilding_forgets_what_is_gone, fixture_set_up_catalog,
                                        fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_rankings", tests, NULL, NULL);
}
