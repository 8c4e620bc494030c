/* The bounds of a query: the orders that people ask for are found by an index, not by sorting
 * everything, and the largest query that the API lets through fits. */
#include "db/query.h"
#include "tests/support/db_fixture.h"

#include "base/mem.h"
#include "db/query_sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two pages of the largest query. */
enum { RECIPES = 20 };

static int setup(void **state)
{
    struct fixture *f = mem_array(1, sizeof *f);

    assert_non_null(f);
    fixture_init(f);
    fixture_migrate(f);
    fixture_put_catalog(f);
    for (size_t i = 0; i < RECIPES; i++) {
        struct recipe r;
        char slug[16];

        (void)snprintf(slug, sizeof slug, "r%02zu", i); /* Fits. */
        fixture_recipe(&r, slug);
        r.derived.usd_per_million_tokens = i < 3 ? 0 : (double)i;
        assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

/* Explain a page's statement; *out_sorts tells whether its rows are found by sorting. */
static void explain(struct fixture *f, const struct recipe_query *q, char *out, size_t size)
{
    struct query_order order;
    struct buf sql;
    sqlite3_stmt *s;

    buf_init(&sql, SQL_LIMIT);
    buf_puts(&sql, "EXPLAIN QUERY PLAN ");
    query_order_make(q, &order);
    query_write_page(q, &order, &sql);
    assert_int_equal(sqlite3_prepare_v2(f->db->handle, buf_text(&sql), -1, &s, NULL), SQLITE_OK);
    out[0] = '\0';
    while (sqlite3_step(s) == SQLITE_ROW) {
        size_t len = strlen(out);

        (void)snprintf(out + len, size - len, "%s; ", sqlite3_column_text(s, 3)); /* Cut: fails. */
    }
    assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
    buf_done(&sql);
}

/* Of the two sorts in a plan, that of the page's few rows may stay. */
static bool finds_by_index(const char *plan, const char *index)
{
    const char *sort = strstr(plan, "TEMP B-TREE");

    return strstr(plan, index) && (!sort || !strstr(sort + 1, "TEMP B-TREE"));
}

static void common_orders_need_no_sort(void **state)
{
    struct fixture *f = *state;
    const struct query_value words[] = {{.kind = QUERY_TEXT, .text = "alpha"},
                                        {.kind = QUERY_TEXT, .text = "h100"},
                                        {.kind = QUERY_TEXT, .text = "aaaaaaaaaaaaaaaa"}};
    const struct query_filter filters[] = {
        {field_by_column(&recipe_fields, "model"), QUERY_ANY_OF, &words[0], 1},
        {field_by_column(&recipe_fields, "gpu"), QUERY_ANY_OF, &words[1], 1},
        {field_by_column(&recipe_fields, "workload"), QUERY_ANY_OF, &words[2], 1}};
    const struct query_sort fastest = {field_by_column(&recipe_fields, "tokens_per_s_per_gpu"),
                                       true};
    const struct query_sort cheapest = {field_by_column(&recipe_fields, "usd_per_million_tokens"),
                                        false};
    const struct query_value keys[] = {{.kind = QUERY_REAL, .real = 300},
                                       {.kind = QUERY_TEXT, .text = "2026-10-01"},
                                       {.kind = QUERY_TEXT, .text = "alpha"},
                                       {.kind = QUERY_TEXT, .text = "h100"},
                                       {.kind = QUERY_TEXT, .text = "r100"}};
    struct recipe_query q = {.limit = 50};
    char plan[2000];

    explain(f, &q, plan, sizeof plan);
    assert_true(finds_by_index(plan, "SCAN recipes USING INDEX recipes_measured"));
    q.sorts = &cheapest;
    q.sort_count = 1;
    explain(f, &q, plan, sizeof plan);
    assert_true(finds_by_index(plan, "SCAN recipes USING INDEX recipes_cost"));
    q.sorts = &fastest;
    explain(f, &q, plan, sizeof plan);
    assert_true(finds_by_index(plan, "SCAN recipes USING INDEX recipes_speed"));
    q.after = keys;
    explain(f, &q, plan, sizeof plan);
    assert_true(
        finds_by_index(plan, "SEARCH recipes USING INDEX recipes_speed (tokens_per_s_per_gpu<?)"));
    q.filters = filters;
    q.filter_count = COUNT_OF(filters);
    explain(f, &q, plan, sizeof plan);
    assert_true(finds_by_index(plan, "SEARCH recipes USING INDEX recipes_ranking (model=? AND "
                                     "gpu=? AND workload=? AND tokens_per_s_per_gpu<?)"));
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
        cmocka_unit_test(common_orders_need_no_sort),
        cmocka_unit_test(largest_query_fits),
    };

    return cmocka_run_group_tests_name("db_query_bounds", tests, setup, teardown);
}
