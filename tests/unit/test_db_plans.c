/* How SQLite runs the statements that are put together: each way to read a whole table or to sort
 * is one of a list, with its reason; the orders that people ask for are read from an index. */
#include "db/query.h"
#include "tests/support/db_fixture.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "base/text.h"
#include "db/columns.h"
#include "db/query_sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_BYTES = 4000, PLACES = 3 };

/* Statements of a list. */
enum statement { PAGE, ROW, TOTAL, BEFORE, EVENTS, STATEMENTS };

/* What comes after this step works on a page's rows alone. */
static const char page_found[] = "SCAN page";

/* A step of a plan that reads all of a table, or sorts, and is meant to.
 *
 * step:        how it begins
 * is_of_page:  whether it works on a page's rows alone
 * is_unserved: whether it must not be where an index has the order
 * reason:      why it is meant */
struct mark {
    enum statement statement;
    const char *step;
    bool is_of_page;
    bool is_unserved;
    const char *reason;
};

static const struct mark marks[] = {
    {PAGE, "SCAN recipes USING COVERING INDEX", false, false,
     "likewise, and of the recipes nothing else is read"},
    {PAGE, "SCAN recipes USING INDEX", false, false,
     "rows come in the order asked for, and the walk ends with the page"},
    {PAGE, "SCAN recipes", false, true,
     "every column sorts both ways: an index for each would be written at every import, and the "
     "table is narrow for this"},
    {PAGE, "USE TEMP B-TREE", false, true,
     "likewise, or few rows were looked up; no more than a page is kept of what is sorted"},
    {PAGE, page_found, true, false, "the rows of a page, whose texts are read by their id"},
    {PAGE, "USE TEMP B-TREE", true, false,
     "the rows of a page, which the join may give in any order"},
    {TOTAL, "SCAN recipes", false, false, "what filters without an index let through is counted"},
    {TOTAL, "SCAN rankings", false, false,
     "sums a row for each list instead of one for each recipe"},
    {BEFORE, "SCAN recipes", false, false,
     "counts what stands before a page: one walk for a page's rank"},
    {EVENTS, "SCAN events", false, false, "newest first, and the walk ends with the feed"},
    {EVENTS, "USE TEMP B-TREE", false, false, "those of one model, which stand by GPU"},
};

/* The test's state.
 *
 * is_met: of each mark, whether a plan had it */
struct plans {
    struct fixture fixture;
    bool is_met[COUNT_OF(marks)];
};

static int setup(void **state)
{
    struct plans *p = mem_array(1, sizeof *p);

    assert_non_null(p);
    fixture_init(&p->fixture);
    fixture_migrate(&p->fixture);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct plans *p = *state;

    fixture_done(&p->fixture);
    free(p);
    return 0;
}

static const struct field *column(const char *name)
{
    const struct field *field = field_by_column(&recipe_fields, name);

    assert_non_null(field);
    return field;
}

static void write_statement(const struct recipe_query *q, enum statement statement, struct buf *sql)
{
    struct query_order order;

    query_order_make(q, &order);
    switch (statement) {
    case PAGE:
        query_write_page(q, &order, sql);
        break;
    case ROW:
        query_write_row(q, &order, sql);
        break;
    case TOTAL:
        query_write_total(q, sql);
        break;
    case BEFORE:
        query_write_before(q, &order, q->after, order.count, sql);
        break;
    case EVENTS:
        query_write_events(q, sql);
        break;
    case STATEMENTS:
        break;
    }
}

/* Write down how SQLite would run a statement, each step followed by a semicolon. */
static void explain(struct fixture *f, const struct recipe_query *q, enum statement statement,
                    char out[PLAN_BYTES])
{
    struct buf sql;
    sqlite3_stmt *s;

    buf_init(&sql, SQL_LIMIT);
    buf_puts(&sql, "EXPLAIN QUERY PLAN ");
    write_statement(q, statement, &sql);
    if (sqlite3_prepare_v2(f->db->handle, buf_text(&sql), -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", buf_text(&sql), sqlite3_errmsg(f->db->handle));
    out[0] = '\0';
    while (sqlite3_step(s) == SQLITE_ROW) {
        size_t len = strlen(out);
        int added = snprintf(out + len, PLAN_BYTES - len, "%s;", sqlite3_column_text(s, 3));

        assert_in_range(added, 1, PLAN_BYTES - len - 1);
    }
    assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
    buf_done(&sql);
}

/* Tell whether a step reads a whole table or index, or sorts. What FTS5 does is its own. */
static bool is_slow(const char *step)
{
    return (strncmp(step, "SCAN ", 5) == 0 && strncmp(step, "SCAN recipe_search ", 19) != 0) ||
           strncmp(step, "USE TEMP B-TREE", 15) == 0;
}

static const struct mark *find_mark(enum statement statement, const char *step, bool is_of_page)
{
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (marks[i].statement == statement && marks[i].is_of_page == is_of_page &&
            strncmp(step, marks[i].step, strlen(marks[i].step)) == 0)
            return &marks[i];
    return NULL;
}

/* Hold each step of a statement's plan to the marks.
 *
 * is_served: whether an index has the query's order */
static void check(struct plans *p, const struct recipe_query *q, enum statement statement,
                  bool is_served)
{
    char plan[PLAN_BYTES];
    char whole[PLAN_BYTES];
    bool is_of_page = false;
    char *rest = plan;
    char *step;

    explain(&p->fixture, q, statement, plan);
    memcpy(whole, plan, sizeof whole);
    while ((step = strsep(&rest, ";")) != NULL) {
        const struct mark *mark;

        is_of_page = is_of_page || strcmp(step, page_found) == 0;
        if (!is_slow(step))
            continue;
        mark = find_mark(statement, step, is_of_page);
        if (!mark || (mark->is_unserved && is_served))
            fail_msg("sort %s: %s is not meant: %s",
                     q->sort_count > 0 ? q->sorts->field->column : "-", step, whole);
        p->is_met[mark - marks] = true;
    }
}

static const struct query_value words[] = {{.kind = QUERY_TEXT, .text = "alpha"},
                                           {.kind = QUERY_TEXT, .text = "h100"},
                                           {.kind = QUERY_TEXT, .text = "aaaaaaaaaaaaaaaa"}};

/* A query and what it points to. */
struct asked {
    struct recipe_query query;
    struct query_filter filters[4];
    struct query_sort sort;
    struct query_price price;
    struct query_value keys[1 + QUERY_TAIL_KEYS];
};

/* Make a query that is sorted by one column.
 *
 * place: how many of model, GPU and workload are named */
static void make_asked(struct asked *a, const char *sort, bool is_descending, size_t place)
{
    static const char *const places[PLACES] = {"model", "gpu", "workload"};

    *a = (struct asked){
        .query = {.filters = a->filters,
                  .filter_count = place,
                  .sorts = &a->sort,
                  .sort_count = 1,
                  .limit = 50},
        .sort = {column(sort), is_descending},
        .price = {"h100", 2.5},
    };
    for (size_t i = 0; i < place; i++)
        a->filters[i] = (struct query_filter){column(places[i]), QUERY_ANY_OF, &words[i], 1};
    for (size_t i = 0; i < COUNT_OF(a->keys); i++)
        a->keys[i] = (struct query_value){.kind = QUERY_TEXT, .text = "a"};
}

/* Tell whether an index has an order: of all recipes, or of a ranking. */
static bool is_served(const struct asked *a, size_t place)
{
    const char *sort = a->sort.field->column;

    if (strcmp(sort, "tokens_per_s_per_gpu") == 0)
        return a->sort.is_descending && (place == 0 || place == PLACES);
    if (place > 0)
        return false;
    if (strcmp(sort, "measured") == 0)
        return a->sort.is_descending;
    return strcmp(sort, "usd_per_million_tokens") == 0 && !a->sort.is_descending &&
           a->query.price_count == 0;
}

/* Check the first page and another one, at the list's prices and at the client's. */
static void check_sort(struct plans *p, const char *sort, bool is_descending, size_t place)
{
    for (size_t i = 0; i < 4; i++) {
        struct asked a;

        make_asked(&a, sort, is_descending, place);
        a.query.prices = &a.price;
        a.query.price_count = i % 2;
        a.query.after = i < 2 ? NULL : a.keys;
        check(p, &a.query, PAGE, is_served(&a, place));
        check(p, &a.query, ROW, false);
        check(p, &a.query, TOTAL, false);
        if (a.query.after)
            check(p, &a.query, BEFORE, false);
    }
}

static void every_sort_reads_as_it_is_meant_to(void **state)
{
    size_t checked = 0;

    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];

        if (!(field->flags & FIELD_SORTABLE))
            continue;
        for (size_t place = 0; place <= PLACES; place++) {
            check_sort(*state, field->column, false, place);
            check_sort(*state, field->column, true, place);
        }
        checked++;
    }
    assert_true(checked > 40);
}

/* Tell whether rows are looked up by a column; what is found is sorted then. */
static bool is_looked_up(const struct field *field)
{
    static const char *const names[] = {"model", "gpu", "workload", "measured",
                                        "usd_per_million_tokens"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(field->column, names[i]) == 0)
            return true;
    return false;
}

/* Check one filter on the fastest of all recipes, and on those of a ranking. */
static void check_filter(struct plans *p, const struct field *field, enum query_test test)
{
    const struct query_value value = {.kind = QUERY_INT, .integer = 1};

    for (size_t place = 0; place <= PLACES; place += PLACES) {
        struct asked a;

        make_asked(&a, "tokens_per_s_per_gpu", true, place);
        a.filters[a.query.filter_count++] = (struct query_filter){field, test, &value, 1};
        check(p, &a.query, PAGE,
              !is_looked_up(field) && (place == 0 || column_is_in(field, TABLE_CARDS)));
        check(p, &a.query, TOTAL, false);
        check(p, &a.query, EVENTS, false);
    }
}

static void every_filter_reads_as_it_is_meant_to(void **state)
{
    size_t checked = 0;

    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        bool has_range =
            field->kind == FIELD_INT || field->kind == FIELD_REAL || field->kind == FIELD_DATE;

        if (!(field->flags & FIELD_FILTERABLE))
            continue;
        check_filter(*state, field, QUERY_ANY_OF);
        if (has_range) {
            check_filter(*state, field, QUERY_MIN);
            check_filter(*state, field, QUERY_MAX);
        }
        checked++;
    }
    assert_true(checked >= 30);
}

/* A day is a condition on rows in order; words find recipes, which are sorted then. */
static void words_and_days_read_as_they_are_meant_to(void **state)
{
    for (size_t place = 0; place <= PLACES; place += PLACES) {
        struct asked a;

        make_asked(&a, "tokens_per_s_per_gpu", true, place);
        a.query.as_of = "2026-10-18";
        check(*state, &a.query, PAGE, true);
        check(*state, &a.query, TOTAL, false);
        check(*state, &a.query, EVENTS, false);
        a.query.text = "words";
        check(*state, &a.query, PAGE, false);
        check(*state, &a.query, TOTAL, false);
        check(*state, &a.query, EVENTS, false);
    }
}

/* Runs last: a mark that no plan needs any more is taken away. */
static void every_mark_is_met(void **state)
{
    const struct plans *p = *state;

    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (!p->is_met[i])
            fail_msg("%s: no plan has it", marks[i].step);
}

/* Expect a page's rows to be found in one step, each with its card, without a sort. */
static void expect_found_by(struct plans *p, const struct recipe_query *q, const char *step)
{
    char plan[PLAN_BYTES];
    char found[PLAN_BYTES];

    explain(&p->fixture, q, PAGE, plan);
    (void)snprintf(found, sizeof found,
                   "%s;SEARCH recipe_cards USING PRIMARY KEY (model=? AND gpu=? AND workload=? AND "
                   "tokens_per_s_per_gpu=? AND measured=? AND recipe=?);",
                   step); /* Fits. */
    assert_string_equal(plan, found);
}

/* An index that has no order to offer would look up many rows, one by one. */
static void indexes_serve_where_they_have_the_order(void **state)
{
    static const char scanned[] = "CO-ROUTINE page;SCAN recipes;USE TEMP B-TREE FOR ORDER BY;";
    static const struct query_value value = {.kind = QUERY_INT, .integer = 1};
    char plan[PLAN_BYTES];
    struct asked a;

    make_asked(&a, "mfu", true, 0);
    a.filters[a.query.filter_count++] =
        (struct query_filter){column("tokens_per_s_per_gpu"), QUERY_MIN, &value, 1};
    explain(*state, &a.query, PAGE, plan);
    assert_true(text_starts(plan, scanned));
    explain(*state, &a.query, TOTAL, plan);
    assert_string_equal(
        plan, "SEARCH recipes USING COVERING INDEX recipes_speed (tokens_per_s_per_gpu>?);");
    a.query.as_of = "2026-10-18";
    explain(*state, &a.query, TOTAL, plan);
    assert_true(text_starts(plan, "SCAN recipes"));
    a.sort.field = column("tokens_per_s_per_gpu");
    a.query.as_of = NULL;
    expect_found_by(*state, &a.query,
                    "SEARCH recipes USING COVERING INDEX recipes_speed (tokens_per_s_per_gpu>?)");
    make_asked(&a, "mfu", true, 0);
    a.filters[a.query.filter_count++] =
        (struct query_filter){column("gpu"), QUERY_ANY_OF, &words[1], 1};
    explain(*state, &a.query, PAGE, plan);
    assert_true(text_starts(plan, scanned));
}

static void common_orders_are_read_from_an_index(void **state)
{
    static const struct query_value fastest = {.kind = QUERY_REAL, .real = 300};
    char plan[PLAN_BYTES];
    struct asked a;

    make_asked(&a, "measured", true, 0);
    a.query.sort_count = 0;
    expect_found_by(*state, &a.query, "SCAN recipes USING COVERING INDEX recipes_measured");
    make_asked(&a, "usd_per_million_tokens", false, 0);
    expect_found_by(*state, &a.query, "SCAN recipes USING COVERING INDEX recipes_cost");
    make_asked(&a, "tokens_per_s_per_gpu", true, 0);
    expect_found_by(*state, &a.query, "SCAN recipes USING COVERING INDEX recipes_speed");
    a.keys[0] = fastest;
    a.query.after = a.keys;
    expect_found_by(*state, &a.query,
                    "SEARCH recipes USING COVERING INDEX recipes_speed (tokens_per_s_per_gpu<?)");
    make_asked(&a, "tokens_per_s_per_gpu", true, PLACES);
    a.query.after = a.keys;
    explain(*state, &a.query, PAGE, plan);
    assert_string_equal(plan, "SEARCH recipes USING PRIMARY KEY (model=? AND gpu=? AND workload=? "
                              "AND tokens_per_s_per_gpu<?);");
}

/* Expands to how a recipe is found, for plans that are constants. */
#define BY_ID "SEARCH recipes USING INDEX sqlite_autoindex_recipes_1 (id=?);"

/* What columns found is read row by row, with the card or the texts that it shows. */
static void rows_are_looked_up_by_their_id(void **state)
{
    static const struct {
        const char *shown;
        const char *plan;
    } cases[] = {
        {NULL, BY_ID "SEARCH recipe_cards USING PRIMARY KEY (model=? AND gpu=? AND workload=? AND "
                     "tokens_per_s_per_gpu=? AND measured=? AND recipe=?);"},
        {"tp", BY_ID},
        {"label", "SEARCH recipe_texts USING INTEGER PRIMARY KEY (rowid=?);" BY_ID},
    };

    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        const struct field *shown = cases[i / 2].shown ? column(cases[i / 2].shown) : NULL;
        char plan[PLAN_BYTES];
        struct asked a;

        make_asked(&a, "mfu", true, 0);
        a.query.columns = &shown;
        a.query.column_count = shown != NULL;
        a.query.prices = &a.price;
        a.query.price_count = i % 2;
        explain(*state, &a.query, ROW, plan);
        assert_string_equal(plan, cases[i / 2].plan);
    }
}

/* A feed reads the newest events first, and stops when it has enough. */
static void feeds_need_no_sort(void **state)
{
    static const char of_ranking[] =
        "SEARCH events USING INDEX events_place (model=? AND gpu=?);CORRELATED SCALAR SUBQUERY "
        "1;SEARCH recipes USING PRIMARY KEY (model=? AND gpu=? AND recipe=?);";
    const struct query_value most = {.kind = QUERY_INT, .integer = 48};
    struct plans *p = *state;
    char plan[PLAN_BYTES];
    struct asked a;

    make_asked(&a, "tokens_per_s_per_gpu", true, 2);
    explain(&p->fixture, &a.query, EVENTS, plan);
    assert_string_equal(plan, "SEARCH events USING INDEX events_place (model=? AND gpu=?);");
    a.filters[a.query.filter_count++] = (struct query_filter){column("gpus"), QUERY_MAX, &most, 1};
    explain(&p->fixture, &a.query, EVENTS, plan);
    assert_string_equal(plan, of_ranking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sort_reads_as_it_is_meant_to),
        cmocka_unit_test(every_filter_reads_as_it_is_meant_to),
        cmocka_unit_test(words_and_days_read_as_they_are_meant_to),
        cmocka_unit_test(every_mark_is_met),
        cmocka_unit_test(indexes_serve_where_they_have_the_order),
        cmocka_unit_test(common_orders_are_read_from_an_index),
        cmocka_unit_test(rows_are_looked_up_by_their_id),
        cmocka_unit_test(feeds_need_no_sort),
    };

    return cmocka_run_group_tests_name("db_plans", tests, setup, teardown);
}
