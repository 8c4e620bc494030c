/* Each part of a list query by itself: columns, words, and an arena that is full. Orders and
 * filters are test_db_query.c. */
#include "db/query.h"
#include "tests/support/db_fixture.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "core/cost.h"

#include <stdio.h>
#include <string.h>

enum { RECIPES = 20 };

static int setup(void **state)
{
    struct fixture *f;

    (void)fixture_set_up_catalog(state); /* Fails by itself. */
    f = *state;
    for (size_t i = 0; i < RECIPES; i++) {
        struct recipe r;
        char slug[16];

        (void)snprintf(slug, sizeof slug, "r%02zu", i); /* Fits. */
        fixture_recipe(&r, slug);
        fixture_place(&r, "alpha", i % 2 == 0 ? "h100" : "b200");
        assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    }
    return 0;
}

static const struct field *column(const char *name)
{
    const struct field *field = field_by_column(&recipe_fields, name);

    assert_non_null(field);
    return field;
}

static void page_has_the_columns_that_were_asked_for(void **state)
{
    struct fixture *f = *state;
    const struct field *const wanted[] = {column("summary"), column("tp"), column("notes"),
                                          column("mfu"), column("usd_per_million_tokens")};
    const struct query_price price = {"h100", 3.6};
    const struct query_value h100 = {.kind = QUERY_TEXT, .text = "h100"};
    const struct query_filter filter = {column("gpu"), QUERY_ANY_OF, &h100, 1};
    const struct recipe_query q = {.columns = wanted,
                                   .column_count = COUNT_OF(wanted),
                                   .filters = &filter,
                                   .filter_count = 1,
                                   .prices = &price,
                                   .price_count = 1,
                                   .limit = 1};
    struct query_page page;
    struct arena arena;
    struct err e;

    arena_init(&arena, 1 << 20);
    assert_int_equal(db_query_run(f->db, &q, &arena, &page, &e), ERR_OK);
    assert_int_equal(page.count, 1);
    assert_string_equal(page.rows[0].values[0].text, "TP 2, PP 4");
    assert_int_equal(page.rows[0].values[1].kind, QUERY_INT);
    assert_int_equal(page.rows[0].values[2].kind, QUERY_NULL);
    assert_int_equal(page.rows[0].values[3].kind, QUERY_NULL);
    assert_true(page.rows[0].values[4].real == page.rows[0].usd_per_million_tokens);
    assert_true(page.rows[0].usd_per_million_tokens ==
                cost_usd_per_million_tokens(3.6, page.rows[0].tokens_per_s_per_gpu));
    assert_string_equal(page.author, "ATTUNE");
    assert_true(page.rows[0].speed_stderr ==
                cost_speed_stderr(page.rows[0].tokens_per_s_per_gpu, 2.5, 15));
    assert_null(page.rows[0].card_head);
    assert_null(page.rows[0].card_tail);
    arena_done(&arena);
}

static void page_has_cards_where_no_columns_are_asked_for(void **state)
{
    struct fixture *f = *state;
    const struct recipe_query q = {.limit = 1};
    struct query_page page;
    struct arena arena;
    struct err e;

    arena_init(&arena, 1 << 20);
    assert_int_equal(db_query_run(f->db, &q, &arena, &page, &e), ERR_OK);
    assert_int_equal(page.count, 1);
    assert_string_equal(page.rows[0].card_head, "\"recipe\":\"x\"");
    assert_string_equal(page.rows[0].card_tail, "\"gpus\":8");
    arena_done(&arena);
}

static int64_t found(struct fixture *f, const char *words)
{
    const struct recipe_query q = {.text = words, .limit = 1};
    struct query_page page;
    struct arena arena;
    struct err e;

    arena_init(&arena, 1 << 20);
    if (db_query_run(f->db, &q, &arena, &page, &e) != ERR_OK)
        fail_msg("%s", e.text);
    arena_done(&arena);
    return page.total;
}

static void words_are_searched_and_never_operators(void **state)
{
    assert_int_equal(found(*state, "embedding"), RECIPES);
    assert_int_equal(found(*state, "  Embedding\tSPLIT "), RECIPES);
    assert_int_equal(found(*state, "--tensor-model-parallel-size"), RECIPES);
    assert_int_equal(found(*state, "embedding absent"), 0);
    assert_int_equal(found(*state, "embedding OR absent"), 0);
    assert_int_equal(found(*state, "embedding NOT pass"), 0);
    assert_int_equal(found(*state, "embed*"), 0);
    assert_int_equal(found(*state, "\"embedding"), RECIPES);
    assert_int_equal(found(*state, "'; DROP TABLE recipes; --"), 0);
    assert_int_equal(found(*state, "text:embedding"), 0);
    assert_int_equal(found(*state, "+ embedding"), RECIPES);
    assert_int_equal(found(*state, "+++"), 0);
    assert_int_equal(found(*state, " "), 0);
    assert_int_equal(found(*state, "("), 0);
}

static void full_arena_is_a_limit(void **state)
{
    struct fixture *f = *state;
    const struct recipe_query q = {.limit = 100};
    struct query_page page;
    struct arena arena;
    struct err e;

    arena_init(&arena, 4000);
    assert_int_equal(db_query_run(f->db, &q, &arena, &page, &e), ERR_LIMIT);
    assert_string_equal(e.text, "could not list recipes: the result is too large");
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_has_the_columns_that_were_asked_for),
        cmocka_unit_test(page_has_cards_where_no_columns_are_asked_for),
        cmocka_unit_test(words_are_searched_and_never_operators),
        cmocka_unit_test(full_arena_is_a_limit),
    };

    return cmocka_run_group_tests_name("db_query_parts", tests, setup, fixture_tear_down);
}
