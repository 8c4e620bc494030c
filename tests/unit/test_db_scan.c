/* Lists from columns in memory: random queries must give what SQL gives, for small collections and
 * for those of several blocks. What columns are made of is test_db_scan_column.c, how they are
 * kept test_db_scan_store.c. */
#include "db/pool.h"
#include "tests/support/scan_trial.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "db/connection.h"
#include "db/scan.h"
#include "db/scan_column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 300, MANY = 2 * SCAN_BLOCK + 100, COLUMNS_BYTES = 64 * 1024 * 1024 };

/* A collection, and a pool whose connections share columns. */
struct shared {
    struct fixture *fixture;
    struct db_pool *pool;
    struct db *db;
};

static void begin_with(struct shared *s, void **state, size_t count, size_t columns_bytes)
{
    struct err e;

    s->fixture = *state;
    scan_trial_store(s->fixture, count, 11);
    assert_int_equal(db_pool_new(s->fixture->path, 0, 0, &s->pool, &e), ERR_OK);
    assert_int_equal(db_pool_keep_columns(s->pool, columns_bytes, &e), ERR_OK);
    assert_int_equal(db_pool_get(s->pool, &s->db, &e), ERR_OK);
    assert_int_equal(db_read_begin(s->db, &e), ERR_OK);
}

static void begin(struct shared *s, void **state, size_t count)
{
    begin_with(s, state, count, COLUMNS_BYTES);
}

static void end(struct shared *s)
{
    db_read_end(s->db);
    db_pool_free(s->pool);
}

/* Compare random queries, and count those that columns served. */
static size_t compare_random(struct shared *s, size_t count, size_t pages)
{
    struct scan_trial *trial = mem_array(1, sizeof *trial);
    uint32_t seed = 20261130;
    size_t served = 0;

    assert_non_null(trial);
    for (size_t i = 0; i < count; i++) {
        struct query_order order;
        const char *problem = NULL;
        struct err e;

        scan_trial_make(trial, &seed);
        query_order_make(&trial->query, &order);
        served += scan_why_not(&trial->query, &order) == NULL;
        if (scan_trial_compare(s->db, &trial->query, pages, &problem, &e) != ERR_OK)
            fail_msg("query %zu: %s", i, e.text);
        if (problem)
            fail_msg("query %zu: %s differs", i, problem);
    }
    free(trial);
    return served;
}

static void random_queries_over_few_recipes_give_what_sql_gives(void **state)
{
    struct shared s;

    begin(&s, state, FEW);
    assert_in_range(compare_random(&s, 2000, 15), 1300, 2000);
    end(&s);
}

static void random_queries_over_several_blocks_give_what_sql_gives(void **state)
{
    struct shared s;

    begin(&s, state, MANY);
    assert_in_range(compare_random(&s, 150, 3), 80, 150);
    assert_in_range(db_pool_columns_bytes(s.pool), MANY, COLUMNS_BYTES);
    end(&s);
}

/* Ids alone take more than that, and are given up while they are read. */
static void without_room_all_is_left_to_sql(void **state)
{
    struct shared s;

    begin_with(&s, state, MANY, 1000);
    (void)compare_random(&s, 20, 1);
    assert_int_equal(db_pool_columns_bytes(s.pool), 0);
    end(&s);
}

static void no_recipes_give_an_empty_page(void **state)
{
    struct shared s;

    begin(&s, state, 0);
    assert_in_range(compare_random(&s, 200, 2), 100, 200);
    end(&s);
}

static const struct field *column(const char *name)
{
    const struct field *field = field_by_column(&recipe_fields, name);

    assert_non_null(field);
    return field;
}

/* Ask how many recipes have tp = 3, in a transaction of its own. */
static int64_t count_tp_3(struct shared *s)
{
    const struct query_value three = {.kind = QUERY_INT, .integer = 3};
    const struct query_filter filter = {column("tp"), QUERY_ANY_OF, &three, 1};
    const struct recipe_query query = {.filters = &filter, .filter_count = 1, .limit = 1};
    struct query_page page;
    struct arena arena;
    struct err e;

    arena_init(&arena, 1 << 20);
    assert_int_equal(db_query_run(s->db, &query, &arena, &page, &e), ERR_OK);
    arena_done(&arena);
    return page.total;
}

static void what_was_committed_shows_in_the_next_transaction(void **state)
{
    struct shared s;
    struct recipe r;
    int64_t before;
    struct err e;

    begin(&s, state, FEW);
    before = count_tp_3(&s);
    assert_true(db_pool_columns_bytes(s.pool) > 0);
    fixture_recipe(&r, "newcomer");
    r.layout.tp = 3;
    assert_int_equal(fixture_put(s.fixture, &r), RECIPE_ADDED);
    assert_int_equal(count_tp_3(&s), before);
    db_read_end(s.db);
    assert_int_equal(db_read_begin(s.db, &e), ERR_OK);
    assert_int_equal(count_tp_3(&s), before + 1);
    end(&s);
}

/* One recipe as a query has it, by SQL or by columns: what the reason says. */
static const char *reason(const struct recipe_query *query)
{
    struct query_order order;

    query_order_make(query, &order);
    return scan_why_not(query, &order);
}

static void what_sql_serves_well_is_left_to_it(void **state)
{
    const struct query_value slug = {.kind = QUERY_TEXT, .text = "alpha"};
    const struct query_value one = {.kind = QUERY_INT, .integer = 1};
    const struct query_filter of_model = {column("model"), QUERY_ANY_OF, &slug, 1};
    const struct query_filter mistaken = {column("author"), QUERY_MIN, &one, 1};
    const struct query_sort by_speed = {column("tokens_per_s_per_gpu"), true};
    const struct query_sort by_cost = {column("usd_per_million_tokens"), false};
    const struct query_price price = {"h100", 2};

    (void)state;
    assert_null(reason(&(struct recipe_query){.sorts = &by_speed, .sort_count = 1}));
    assert_string_equal(
        reason(&(struct recipe_query){.sorts = &by_speed, .sort_count = 1, .is_part = true}),
        "an index has the order, and each part begins where the one before ended");
    assert_string_equal(reason(&(struct recipe_query){.filters = &of_model, .filter_count = 1}),
                        "the recipes of a model lie together, and are few");
    assert_string_equal(reason(&(struct recipe_query){.filters = &mistaken, .filter_count = 1}),
                        "a value is of another kind than its column");
    assert_null(reason(&(struct recipe_query){.prices = &price, .price_count = 1}));
    assert_string_equal(
        reason(&(struct recipe_query){
            .sorts = &by_cost, .sort_count = 1, .prices = &price, .price_count = 1}),
        "costs at the client's prices are in no column");
}

static void outside_a_transaction_no_columns_are_used(void **state)
{
    struct shared s;

    begin(&s, state, FEW);
    db_read_end(s.db);
    (void)count_tp_3(&s);
    assert_int_equal(db_pool_columns_bytes(s.pool), 0);
    end(&s);
}

static enum err_code do_nothing(struct db *db, void *context, struct err *e)
{
    (void)db;
    (void)context;
    (void)e;
    return ERR_OK;
}

static enum err_code put_fact(struct db *db, void *context, struct err *e)
{
    return db_fact_put(db, "n", context, e);
}

static enum err_code put_and_fail(struct db *db, void *context, struct err *e)
{
    return put_fact(db, context, e) == ERR_OK ? err_set(e, ERR_INPUT, "no") : e->code;
}

static void read_name(struct fixture *f, char out[64])
{
    char *text = NULL;
    struct err e;

    assert_int_equal(db_fact_get(f->db, DB_FACT_CHANGE, &text, &e), ERR_OK);
    assert_non_null(text);
    assert_int_equal(strlen(text), 32);
    (void)snprintf(out, 64, "%s", text); /* Fits. */
    free(text);
}

static void each_changed_state_has_another_name(void **state)
{
    struct fixture *f = *state;
    char one[] = "1";
    char two[] = "2";
    char names[6][64];
    struct err e;

    read_name(f, names[0]);
    assert_int_equal(db_tx_run(f->db, put_fact, one, &e), ERR_OK);
    read_name(f, names[1]);
    assert_string_not_equal(names[1], names[0]);
    assert_int_equal(db_tx_run(f->db, do_nothing, NULL, &e), ERR_OK);
    read_name(f, names[2]);
    assert_string_equal(names[2], names[1]);
    assert_int_equal(db_tx_try(f->db, put_fact, two, &e), ERR_OK);
    read_name(f, names[3]);
    assert_string_equal(names[3], names[1]);
    assert_int_equal(db_tx_run(f->db, put_and_fail, two, &e), ERR_INPUT);
    read_name(f, names[4]);
    assert_string_equal(names[4], names[1]);
    /* One that was written by what does not name states. */
    fixture_sql(f, "DELETE FROM facts WHERE name = 'change'");
    assert_int_equal(db_tx_run(f->db, do_nothing, NULL, &e), ERR_OK);
    read_name(f, names[5]);
    assert_string_not_equal(names[5], names[1]);
}

/* A database that was last written by what does not name states. */
static void state_without_a_name_is_left_to_sql(void **state)
{
    struct shared s;
    struct err e;

    begin(&s, state, FEW);
    db_read_end(s.db);
    fixture_sql(s.fixture, "DELETE FROM facts WHERE name = 'change'");
    assert_int_equal(db_read_begin(s.db, &e), ERR_OK);
    (void)count_tp_3(&s);
    assert_int_equal(db_pool_columns_bytes(s.pool), 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_queries_over_few_recipes_give_what_sql_gives,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(random_queries_over_several_blocks_give_what_sql_gives,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(without_room_all_is_left_to_sql, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(no_recipes_give_an_empty_page, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_was_committed_shows_in_the_next_transaction,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test(what_sql_serves_well_is_left_to_it),
        cmocka_unit_test_setup_teardown(each_changed_state_has_another_name, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(outside_a_transaction_no_columns_are_used,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(state_without_a_name_is_left_to_sql, fixture_set_up_catalog,
                                        fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_scan", tests, NULL, NULL);
}
