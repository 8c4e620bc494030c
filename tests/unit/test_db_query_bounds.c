/* The bounds of a query: the largest one that the API lets through fits. */
#include "db/query.h"
#include "tests/support/db_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Two pages of the largest query. */
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
        r.derived.usd_per_million_tokens = i < 3 ? 0 : (double)i;
        assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    }
    return 0;
}

static void largest_query_fits(void **state)
{
    struct fixture *f = *state;
    static struct query_filter filters[QUERY_FILTERS];
    static struct query_value values[QUERY_VALUES];
    static struct query_price prices[QUERY_PRICES];
    static const struct field *wanted[QUERY_COLUMNS];
    static const char *const columns[QUERY_SORTS] = {
        "model",      "gpu", "tokens_per_s_per_gpu",  "measured", "offload",
        "dispatcher", "tp",  "usd_per_million_tokens"};
    struct query_sort sorts[QUERY_SORTS];
    struct recipe_query q = {.filters = filters,
                             .filter_count = QUERY_FILTERS,
                             .sorts = sorts,
                             .sort_count = QUERY_SORTS,
                             .prices = prices,
                             .price_count = QUERY_PRICES,
                             .columns = wanted,
                             .column_count = QUERY_COLUMNS,
                             .as_of = "2026-12-01",
                             .limit = 10};
    struct query_page page;
    struct arena arena;
    struct err e;

    for (size_t i = 0; i < QUERY_VALUES; i++)
        values[i] = i == 0 ? (struct query_value){.kind = QUERY_NULL}
                           : (struct query_value){.kind = QUERY_REAL, .real = (double)i};
    for (size_t i = 0; i < QUERY_FILTERS; i++)
        filters[i] =
            (struct query_filter){field_by_column(&recipe_fields, "usd_per_million_tokens"),
                                  QUERY_ANY_OF, values, QUERY_VALUES};
    for (size_t i = 0; i < QUERY_SORTS; i++)
        sorts[i] = (struct query_sort){field_by_column(&recipe_fields, columns[i]), i % 2 == 0};
    for (size_t i = 0; i < QUERY_PRICES; i++)
        prices[i] = (struct query_price){"no-such-gpu", 1};
    for (size_t i = 0; i < QUERY_COLUMNS; i++)
        wanted[i] = field_by_column(&recipe_fields, "usd_per_million_tokens");
    arena_init(&arena, 1 << 20);
    if (db_query_run(f->db, &q, &arena, &page, &e) != ERR_OK)
        fail_msg("%s", e.text);
    assert_int_equal(page.total, RECIPES);
    q.after = page.rows[9].keys;
    if (db_query_run(f->db, &q, &arena, &page, &e) != ERR_OK)
        fail_msg("%s", e.text);
    assert_int_equal(page.count, 10);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_query_fits),
    };

    return cmocka_run_group_tests_name("db_query_bounds", tests, setup, fixture_tear_down);
}
