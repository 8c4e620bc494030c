/* Lists of recipes: each part of a query by itself. All of them together: test_db_query_random.c.
 */
#include "db/query.h"
#include "tests/support/db_fixture.h"

#include "base/mem.h"
#include "core/cost.h"
#include "db/query_sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECIPES = 30 };

static int setup(void **state)
{
    struct fixture *f = mem_array(1, sizeof *f);

    fixture_init(f);
    fixture_migrate(f);
    fixture_put_catalog(f);
    for (int i = 0; i < RECIPES; i++) {
        char slug[16];
        struct recipe r;

        (void)snprintf(slug, sizeof slug, "r%02d", i); /* Fits. */
        fixture_recipe(&r, slug);
        r.result.tokens_per_s_per_gpu = 1000 + i;
        assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    }
    fixture_rank(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

static const struct field *column(const char *name)
{
    const struct field *field = field_by_column(&recipe_fields, name);

    assert_non_null(field);
    return field;
}

static struct query_value text(const char *word)
{
    return word ? (struct query_value){.kind = QUERY_TEXT, .text = word}
                : (struct query_value){.kind = QUERY_NULL};
}

static struct query_value real(double value)
{
    return (struct query_value){.kind = QUERY_REAL, .real = value};
}

static void page_has_the_columns_that_were_asked_for(void **state)
{
    struct fixture *f = *state;
    const struct field *const wanted[] = {column("summary"), column("tp"), column("notes"),
                                          column("mfu"), column("usd_per_million_tokens")};
    const struct query_price price = {"h100", 3.6};
    const struct query_value h100 = text("h100");
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
    assert_string_equal(page.rows[0].card_head, "\"recipe\":\"x\"");
    assert_string_equal(page.rows[0].card_tail, "\"gpus\":8");
    assert_string_equal(page.rows[0].author, "ATTUNE");
    assert_int_equal(page.rows[0].steps, 15);
    assert_int_equal(page.rows[0].runs, 1);
    assert_int_equal(page.rows[0].gpus, 8);
    assert_int_equal(strlen(page.rows[0].hash), 64);
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

static void largest_query_fits(void **state)
{
    static const char *const sorted[QUERY_SORTS] = {"usd_per_million_tokens",
                                                    "mfu",
                                                    "offload",
                                                    "dispatcher",
                                                    "recompute",
                                                    "family",
                                                    "tp",
                                                    "measured"};
    struct fixture *f = *state;
    static struct query_filter filters[QUERY_FILTERS];
    static struct query_value values[QUERY_VALUES];
    static struct query_price prices[QUERY_PRICES];
    static const struct field *wanted[QUERY_COLUMNS];
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
        values[i] = i == 0 ? text(NULL) : real(1.91111 * (double)i);
    for (size_t i = 0; i < QUERY_FILTERS; i++)
        filters[i] = (struct query_filter){column("usd_per_million_tokens"), QUERY_ANY_OF, values,
                                           QUERY_VALUES};
    for (size_t i = 0; i < QUERY_SORTS; i++)
        sorts[i] = (struct query_sort){column(sorted[i]), i % 2 == 0};
    for (size_t i = 0; i < QUERY_PRICES; i++)
        prices[i] = (struct query_price){"no-such-gpu", 1};
    for (size_t i = 0; i < QUERY_COLUMNS; i++)
        wanted[i] = column("usd_per_million_tokens");
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

static void full_arena_is_a_limit(void **state)
{
    struct fixture *f = *state;
    const struct recipe_query q = {.limit = 100};
    struct query_page page;
    struct arena arena;
    struct err e;

    arena_init(&arena, 20000);
    assert_int_equal(db_query_run(f->db, &q, &arena, &page, &e), ERR_LIMIT);
    assert_string_equal(e.text, "could not list recipes: the result is too large");
    arena_done(&arena);
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
    const struct query_value words[] = {text("alpha"), text("h100"), text("aaaaaaaaaaaaaaaa")};
    const struct query_filter filters[] = {{column("model"), QUERY_ANY_OF, &words[0], 1},
                                           {column("gpu"), QUERY_ANY_OF, &words[1], 1},
                                           {column("workload"), QUERY_ANY_OF, &words[2], 1}};
    const struct query_sort fastest = {column("tokens_per_s_per_gpu"), true};
    const struct query_sort cheapest = {column("usd_per_million_tokens"), false};
    const struct query_value keys[] = {real(300), text("2026-10-01"), text("alpha"), text("h100"),
                                       text("r100")};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_has_the_columns_that_were_asked_for),
        cmocka_unit_test(words_are_searched_and_never_operators),
        cmocka_unit_test(largest_query_fits),
        cmocka_unit_test(full_arena_is_a_limit),
        cmocka_unit_test(common_orders_need_no_sort),
    };

    return cmocka_run_group_tests_name("db_query", tests, setup, teardown);
}
