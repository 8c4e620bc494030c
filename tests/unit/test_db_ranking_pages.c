/* Pages of rankings: found, missing, and gone with any change of their model's recipes. */
#include "db/ranking_pages.h"

#include "base/version.h"
#include "tests/support/db_fixture.h"
#include "tests/support/test.h"

static void put_recipe(struct fixture *f, const char *model, const char *gpu, const char *slug,
                       double speed, enum recipe_change change)
{
    struct recipe r;

    fixture_recipe(&r, slug);
    fixture_place(&r, model, gpu);
    r.result.tokens_per_s_per_gpu = speed;
    assert_int_equal(fixture_put(f, &r), change);
}

/* Two models, the first on two GPUs. */
static void put_recipes(struct fixture *f)
{
    put_recipe(f, "alpha", "h100", "r1", 900, RECIPE_ADDED);
    put_recipe(f, "alpha", "b200", "r2", 800, RECIPE_ADDED);
    put_recipe(f, "beta", "h100", "r3", 700, RECIPE_ADDED);
    fixture_rank(f);
}

static const struct ranking_page page = {
    .hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    .total = 3,
    .head = "\"a\":1",
    .rows = "{\"b\":2}\n{}\n",
    .keys = "i1:2\ni1:3\n",
    .tail = "\"c\":\"\xc3\xa9\"",
};

/* Put the pages that are missing; tell which they are: "alpha/b200 alpha/h100 ". */
static void put_missing(struct fixture *f, struct buf *out)
{
    struct ranking_place place = {0};
    struct arena arena;
    struct err e;

    arena_init(&arena, 1 << 20);
    for (;;) {
        assert_int_equal(db_ranking_page_next(f->db, &arena, &place, &e), ERR_OK);
        if (!place.model)
            break;
        buf_printf(out, "%s/%s ", place.model, place.gpu);
        assert_int_equal(db_ranking_page_put(f->db, place.model, place.gpu, &page, &e), ERR_OK);
    }
    arena_done(&arena);
}

static void expect_missing(struct fixture *f, const char *expected)
{
    struct buf out;

    buf_init(&out, 1000);
    put_missing(f, &out);
    assert_string_equal(buf_text(&out), expected);
    buf_done(&out);
}

static void a_page_comes_back_as_it_was(void **state)
{
    struct fixture *f = *state;
    struct ranking_page found;
    struct arena arena;
    struct err e;

    put_recipes(f);
    assert_int_equal(db_fact_put(f->db, "render_version", version_whole(), &e), ERR_OK);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_ranking_page_get(f->db, "alpha", "h100", &arena, &found, &e), ERR_OK);
    assert_null(found.head);
    expect_missing(f, "alpha/b200 alpha/h100 beta/h100 ");
    assert_int_equal(db_ranking_page_get(f->db, "alpha", "h100", &arena, &found, &e), ERR_OK);
    assert_string_equal(found.hash, page.hash);
    assert_int_equal(found.total, 3);
    assert_string_equal(found.head, page.head);
    assert_string_equal(found.rows, page.rows);
    assert_string_equal(found.keys, page.keys);
    assert_string_equal(found.tail, page.tail);
    assert_int_equal(db_ranking_page_get(f->db, "beta", "b200", &arena, &found, &e), ERR_OK);
    assert_null(found.head);
    assert_int_equal(db_fact_put(f->db, "render_version", "another", &e), ERR_OK);
    assert_int_equal(db_ranking_page_get(f->db, "alpha", "h100", &arena, &found, &e), ERR_OK);
    assert_null(found.head);
    arena_done(&arena);
}

static bool is_unseen(void *context, const char *source)
{
    (void)context;
    (void)source;
    return false;
}

static void pages_go_with_any_change_of_their_model(void **state)
{
    struct fixture *f = *state;
    size_t removed = 0;
    struct err e;

    put_recipes(f);
    expect_missing(f, "alpha/b200 alpha/h100 beta/h100 ");
    expect_missing(f, "");
    put_recipe(f, "alpha", "h100", "r4", 500, RECIPE_ADDED);
    expect_missing(f, "alpha/b200 alpha/h100 ");
    put_recipe(f, "beta", "h100", "r3", 701, RECIPE_REJUDGED);
    expect_missing(f, "beta/h100 ");
    put_recipe(f, "beta", "h100", "r3", 701, RECIPE_SAME);
    expect_missing(f, "");
    assert_int_equal(db_ranking_pages_clear(f->db, &e), ERR_OK);
    expect_missing(f, "alpha/b200 alpha/h100 beta/h100 ");
    assert_int_equal(
        db_recipes_prune(f->db, "/data", is_unseen, NULL, "2026-11-30T00:00:00Z", &removed, &e),
        ERR_OK);
    assert_int_equal(removed, 4);
    fixture_rank(f);
    expect_missing(f, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_comes_back_as_it_was, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(pages_go_with_any_change_of_their_model,
                                        fixture_set_up_catalog, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_ranking_pages", tests, NULL, NULL);
}
