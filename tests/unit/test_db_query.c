/* Lists of recipes: random queries against a plain sort in memory, page by page. Each part of a
 * query by itself is test_db_query_parts.c. */
#include "db/query.h"
#include "tests/support/db_fixture.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "core/cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECIPES = 300, QUERIES = 400 };

/* One stored recipe as the model knows it. */
struct known {
    char recipe[16];
    const char *model;
    const char *gpu;
    const char *workload;
    const char *measured;
    const char *dispatcher; /* NULL: null */
    double speed;
    double usd;     /* 0: null */
    double offload; /* 0: null */
    int64_t tp;
    bool is_parallel;
};

static const char *const model_words[] = {"alpha", "beta", "gamma"};
static const char *const gpu_words[] = {"b200", "h100", "h200"};
static const char *const workload_words[] = {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"};
static const char *const day_words[] = {"2026-10-01", "2026-10-02", "2026-10-03"};
static const char *const dispatcher_words[] = {NULL, "alltoall", "deepep"};

static struct known known[RECIPES];

/* A generator of our own, so that every run asks the same. */
static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static void make_known(struct known *k, size_t index, uint32_t *seed)
{
    (void)snprintf(k->recipe, sizeof k->recipe, "r%03zu", index); /* Fits. */
    k->model = model_words[next(seed, 3)];
    k->gpu = gpu_words[next(seed, 3)];
    k->workload = workload_words[next(seed, 2)];
    k->measured = day_words[next(seed, 3)];
    k->dispatcher = dispatcher_words[next(seed, 3)];
    k->speed = 100 + 50.5 * next(seed, 12);
    k->usd = next(seed, 3) == 0 ? 0 : 1 + 0.25 * next(seed, 6);
    k->offload = next(seed, 2) == 0 ? 0 : 0.5;
    k->tp = 1 << next(seed, 4);
    k->is_parallel = next(seed, 2) == 0;
}

static enum err_code store_all(struct db *db, void *context, struct err *e)
{
    enum err_code rc = ERR_OK;

    (void)context;
    for (size_t i = 0; rc == ERR_OK && i < RECIPES; i++) {
        const struct known *k = &known[i];
        enum recipe_change change;
        struct recipe r;
        const struct recipe_entry entry = {
            .recipe = &r,
            .source = "",
            .hash = "0123456789012345678901234567890123456789012345678901234567890123",
            .yaml = "",
            .document = "{}",
            .audit = "{}",
            .card_head = "head",
            .card_tail = "tail",
            .facts = "facts"};

        fixture_recipe(&r, k->recipe);
        fixture_place(&r, k->model, k->gpu);
        r.derived.workload = k->workload;
        r.result.measured = k->measured;
        r.layout.dispatcher = k->dispatcher;
        r.result.tokens_per_s_per_gpu = k->speed;
        r.derived.usd_per_million_tokens = k->usd;
        r.layout.offload.is_present = k->offload > 0;
        r.layout.offload.optimizer_fraction = k->offload;
        r.layout.tp = k->tp;
        r.layout.sequence_parallel = k->is_parallel;
        rc = db_recipe_put(db, &entry, "2026-11-30T12:00:00Z", &change, e);
    }
    return rc;
}

static int setup(void **state)
{
    uint32_t seed = 7;
    struct fixture *f;
    struct err e;

    (void)fixture_set_up_catalog(state); /* Fails by itself. */
    f = *state;
    for (size_t i = 0; i < RECIPES; i++)
        make_known(&known[i], i, &seed);
    assert_int_equal(db_tx_run(f->db, store_all, NULL, &e), ERR_OK);
    fixture_rank(f);
    db_close(f->db);
    assert_int_equal(db_open_read(f->path, &f->db, &e), ERR_OK);
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
    return value > 0 ? (struct query_value){.kind = QUERY_REAL, .real = value}
                     : (struct query_value){.kind = QUERY_NULL};
}

static struct query_value integer(int64_t value)
{
    return (struct query_value){.kind = QUERY_INT, .integer = value};
}

/* The cost of a recipe in a query. */
static double cost(const struct recipe_query *q, const struct known *k)
{
    for (size_t i = 0; i < q->price_count; i++)
        if (strcmp(q->prices[i].gpu, k->gpu) == 0)
            return cost_usd_per_million_tokens(q->prices[i].usd_per_gpu_hour, k->speed);
    return k->usd;
}

static struct query_value value_of(const struct recipe_query *q, const struct known *k,
                                   const struct field *field)
{
    const char *name = field->column;

    if (strcmp(name, "model") == 0)
        return text(k->model);
    if (strcmp(name, "gpu") == 0)
        return text(k->gpu);
    if (strcmp(name, "recipe") == 0)
        return text(k->recipe);
    if (strcmp(name, "workload") == 0)
        return text(k->workload);
    if (strcmp(name, "measured") == 0)
        return text(k->measured);
    if (strcmp(name, "dispatcher") == 0)
        return text(k->dispatcher);
    if (strcmp(name, "tokens_per_s_per_gpu") == 0)
        return real(k->speed);
    if (strcmp(name, "usd_per_million_tokens") == 0)
        return real(cost(q, k));
    if (strcmp(name, "offload") == 0)
        return real(k->offload);
    if (strcmp(name, "tp") == 0)
        return integer(k->tp);
    assert_string_equal(name, "sequence_parallel");
    return integer(k->is_parallel);
}

static double number(const struct query_value *v)
{
    return v->kind == QUERY_INT ? (double)v->integer : v->real;
}

/* Compare two values that are not null. */
static int compare_values(const struct query_value *a, const struct query_value *b)
{
    if (a->kind == QUERY_TEXT)
        return strcmp(a->text, b->text);
    return (number(a) > number(b)) - (number(a) < number(b));
}

static int compare_by(const struct recipe_query *q, const struct field *field, bool is_descending,
                      const struct known *a, const struct known *b)
{
    struct query_value va = value_of(q, a, field);
    struct query_value vb = value_of(q, b, field);

    if (va.kind == QUERY_NULL || vb.kind == QUERY_NULL)
        return (va.kind == QUERY_NULL) - (vb.kind == QUERY_NULL);
    return is_descending ? compare_values(&vb, &va) : compare_values(&va, &vb);
}

static int compare_sorts(const struct recipe_query *q, const struct known *a, const struct known *b)
{
    int order = 0;

    for (size_t i = 0; order == 0 && i < q->sort_count; i++)
        order = compare_by(q, q->sorts[i].field, q->sorts[i].is_descending, a, b);
    return order;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct recipe_query *q = context;
    const struct known *const *ka = a;
    const struct known *const *kb = b;
    int order = compare_sorts(q, *ka, *kb);

    if (order == 0)
        order = compare_by(q, column("measured"), true, *ka, *kb);
    if (order == 0)
        order = strcmp((*ka)->model, (*kb)->model);
    if (order == 0)
        order = strcmp((*ka)->gpu, (*kb)->gpu);
    return order != 0 ? order : strcmp((*ka)->recipe, (*kb)->recipe);
}

/* Null is the same as null, and as nothing else. */
static bool is_same(const struct query_value *a, const struct query_value *b)
{
    if (a->kind == QUERY_NULL || b->kind == QUERY_NULL)
        return a->kind == b->kind;
    return compare_values(a, b) == 0;
}

static bool passes(const struct recipe_query *q, const struct query_filter *filter,
                   const struct known *k)
{
    struct query_value value = value_of(q, k, filter->field);

    if (filter->test == QUERY_ANY_OF) {
        for (size_t i = 0; i < filter->count; i++)
            if (is_same(&value, &filter->values[i]))
                return true;
        return false;
    }
    if (value.kind == QUERY_NULL)
        return false;
    return filter->test == QUERY_MIN ? compare_values(&value, filter->values) >= 0
                                     : compare_values(&value, filter->values) <= 0;
}

static bool matches(const struct recipe_query *q, const struct known *k)
{
    for (size_t i = 0; i < q->filter_count; i++)
        if (!passes(q, &q->filters[i], k))
            return false;
    return !q->as_of || strcmp(k->measured, q->as_of) <= 0;
}

/* A query and what it points to. */
struct random_query {
    struct recipe_query query;
    struct query_filter filters[4];
    struct query_value values[4][3];
    struct query_sort sorts[3];
    struct query_price prices[2];
    const struct field *columns[2];
};

static const char *const columns[] = {"model",
                                      "gpu",
                                      "workload",
                                      "measured",
                                      "dispatcher",
                                      "tokens_per_s_per_gpu",
                                      "usd_per_million_tokens",
                                      "offload",
                                      "tp",
                                      "sequence_parallel",
                                      "recipe"};

static void make_filter(struct random_query *r, size_t index, uint32_t *seed)
{
    struct query_filter *filter = &r->filters[index];

    filter->field = column(columns[next(seed, COUNT_OF(columns) - 1)]);
    filter->test = (enum query_test)next(seed, 3);
    filter->values = r->values[index];
    filter->count = filter->test == QUERY_ANY_OF ? 1 + next(seed, 3) : 1;
    for (size_t i = 0; i < filter->count; i++)
        do
            r->values[index][i] = value_of(&r->query, &known[next(seed, RECIPES)], filter->field);
        while (filter->test != QUERY_ANY_OF && r->values[index][i].kind == QUERY_NULL);
}

static void make_query(struct random_query *r, uint32_t *seed)
{
    struct recipe_query *q = &r->query;

    *r = (struct random_query){0};
    q->prices = r->prices;
    q->price_count = next(seed, 3) == 0 ? 1 + next(seed, 2) : 0;
    for (size_t i = 0; i < q->price_count; i++)
        r->prices[i] = (struct query_price){gpu_words[i + 1], 2.1 + next(seed, 5)};
    q->filters = r->filters;
    q->filter_count = next(seed, 4);
    for (size_t i = 0; i < q->filter_count; i++)
        make_filter(r, i, seed);
    q->sorts = r->sorts;
    q->sort_count = next(seed, 4);
    for (size_t i = 0; i < q->sort_count; i++)
        r->sorts[i] =
            (struct query_sort){column(columns[next(seed, COUNT_OF(columns))]), next(seed, 2) == 0};
    q->columns = r->columns;
    q->column_count = next(seed, 3) == 0 ? 1 + next(seed, 2) : 0;
    r->columns[0] = column(columns[next(seed, COUNT_OF(columns))]);
    r->columns[1] = column("label"); /* From the table of texts. */
    q->as_of = next(seed, 4) == 0 ? "2026-10-02" : NULL;
    q->limit = 1 + next(seed, 60);
}

/* What the model expects, in order. */
static size_t expect(const struct recipe_query *q, const struct known *out[RECIPES])
{
    size_t count = 0;

    for (size_t i = 0; i < RECIPES; i++)
        if (matches(q, &known[i]))
            out[count++] = &known[i];
    qsort_r(out, count, sizeof *out, compare, (void *)(uintptr_t)q);
    return count;
}

static int64_t rank_of(const struct recipe_query *q, const struct known *const *all, size_t count,
                       const struct known *k)
{
    int64_t rank = 1;

    for (size_t i = 0; i < count; i++)
        rank += compare_sorts(q, all[i], k) < 0;
    return rank;
}

static void assert_value(const struct query_value *value, struct query_value expected)
{
    assert_int_equal(value->kind, expected.kind);
    if (value->kind == QUERY_TEXT)
        assert_string_equal(value->text, expected.text);
    else if (value->kind == QUERY_INT)
        assert_int_equal(value->integer, expected.integer);
    else if (value->kind == QUERY_REAL)
        assert_true(value->real == expected.real);
}

static void check_row(const struct recipe_query *q, const struct query_row *row,
                      const struct known *k)
{
    assert_string_equal(row->recipe, k->recipe);
    assert_string_equal(row->model, k->model);
    assert_string_equal(row->gpu, k->gpu);
    assert_string_equal(row->workload, k->workload);
    assert_string_equal(row->keys[q->sort_count].text, k->measured);
    assert_true(row->tokens_per_s_per_gpu == k->speed);
    assert_true(row->usd_per_million_tokens == cost(q, k));
    if (q->column_count == 0)
        assert_string_equal(row->card_head, "head");
    else
        assert_null(row->card_head);
    if (q->column_count > 0)
        assert_value(&row->values[0], value_of(q, k, q->columns[0]));
    if (q->column_count > 1)
        assert_string_equal(row->values[1].text, "TP2 PP4 DP1");
}

/* Walk all pages of a query. */
static void check_query(struct fixture *f, struct recipe_query *q)
{
    const struct known *all[RECIPES];
    size_t count = expect(q, all);
    size_t seen = 0;
    struct query_page page = {.has_more = true};
    struct arena arena;
    struct err e;

    arena_init(&arena, 32 << 20);
    while (page.has_more) {
        if (db_query_run(f->db, q, &arena, &page, &e) != ERR_OK)
            fail_msg("%s", e.text);
        assert_int_equal(page.total, count);
        assert_int_equal(page.author != NULL, page.count > 0);
        assert_int_equal(page.key_count, q->sort_count + 4);
        assert_int_equal(page.count, count - seen < q->limit ? count - seen : q->limit);
        for (size_t i = 0; i < page.count; i++, seen++) {
            check_row(q, &page.rows[i], all[seen]);
            if (i > 0)
                assert_int_equal(db_query_is_tie(q, page.rows[i - 1].keys, page.rows[i].keys),
                                 compare_sorts(q, all[seen - 1], all[seen]) == 0);
        }
        if (page.count > 0) {
            assert_int_equal(page.first_rank, rank_of(q, all, count, all[seen - page.count]));
            assert_int_equal(page.first_position, seen - page.count + 1);
        }
        assert_int_equal(page.has_more, seen < count);
        q->after = page.count > 0 ? page.rows[page.count - 1].keys : NULL;
    }
    assert_int_equal(seen, count);
    arena_done(&arena);
}

static void random_queries_agree_with_a_sort_in_memory(void **state)
{
    uint32_t seed = 20261130;

    for (int i = 0; i < QUERIES; i++) {
        struct random_query r;

        make_query(&r, &seed);
        check_query(*state, &r.query);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_queries_agree_with_a_sort_in_memory),
    };

    return cmocka_run_group_tests_name("db_query", tests, setup, fixture_tear_down);
}
