/* Everything by the field table, from a generator of our own, so that every run asks the same. */
#include "tests/support/scan_trial.h"

#include "base/mem.h"
#include "db/connection.h"
#include "db/query_order.h"
#include "db/rankings.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

enum { ARENA_LIMIT = 32 * 1024 * 1024 };

static const char *const models[] = {"alpha", "beta", "gamma"};
static const char *const gpus[] = {"b200", "h100", "h200"};
static const char *const workloads[] = {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"};
static const char *const words[] = {"a", "ab", "B", "z\xc3\xa9ro", "~", "ATTUNE"};
static const char *const notes[] = {"amber", "amber basalt", "basalt", "cobalt"};
static const char *const texts[] = {"amber", "basalt amber", "cobalt", "zinc"};
static const char *const days[] = {"2026-01-31", "2026-02-01", "2026-10-20", "2026-10-21",
                                   "2026-11-30"};

static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static const char *pick(const char *const *list, size_t count, uint32_t *seed)
{
    return list[next(seed, (uint32_t)count)];
}

static const char *pick_allowed(const struct field *field, uint32_t *seed)
{
    size_t count = 0;

    while (field->allowed[count])
        count++;
    return pick(field->allowed, count, seed);
}

static bool is_slug(const struct field *field)
{
    return strcmp(field->column, "model") == 0 || strcmp(field->column, "gpu") == 0 ||
           strcmp(field->column, "recipe") == 0 || strcmp(field->column, "workload") == 0;
}

static bool is_asked_for(const struct field *field, unsigned flags)
{
    return field->column && (field->flags & flags) != 0;
}

/* Many values of speeds and costs, few of all else; shares stay below 1. */
static double make_real(const struct field *field, uint32_t *seed)
{
    double value = 1 + next(seed, field->max > 1 && next(seed, 2) == 0 ? 1000 : 7);

    return field->max == 1 ? value / 8 : value * 1.1;
}

static void fill(const struct field *field, struct recipe *r, uint32_t *seed)
{
    void *member = (char *)r + field->offset;
    bool is_null = (field->flags & (FIELD_NULLABLE | FIELD_OPTIONAL)) && next(seed, 3) == 0;
    const char *text = NULL;

    if (field->kind == FIELD_INT)
        *(int64_t *)member = is_null ? 0 : 1 + next(seed, next(seed, 8) == 0 ? 400 : 5);
    else if (field->kind == FIELD_REAL)
        *(double *)member = is_null ? 0 : make_real(field, seed);
    else if (field->kind == FIELD_BOOL)
        *(bool *)member = next(seed, 2) == 0;
    if (field->kind != FIELD_TEXT && field->kind != FIELD_DATE)
        return;
    if (field->kind == FIELD_DATE)
        text = pick(days, COUNT_OF(days), seed);
    else if (field->allowed)
        text = pick_allowed(field, seed);
    else
        text = pick(words, COUNT_OF(words), seed);
    *(const char **)member = is_null ? NULL : text;
}

static void make_recipe(struct recipe *r, size_t index, uint32_t *seed)
{
    char slug[16];

    (void)snprintf(slug, sizeof slug, "r%05zu", index % 100000); /* Fits. */
    fixture_recipe(r, slug);
    fixture_place(r, pick(models, COUNT_OF(models), seed), pick(gpus, COUNT_OF(gpus), seed));
    r->layout.layer_split.is_present = next(seed, 2) == 0;
    r->layout.recompute.is_present = next(seed, 2) == 0;
    r->layout.offload.is_present = next(seed, 2) == 0;
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];

        if (is_asked_for(field, FIELD_FILTERABLE | FIELD_SORTABLE) && !is_slug(field))
            fill(field, r, seed);
    }
    r->derived.workload = pick(workloads, COUNT_OF(workloads), seed);
    r->notes = pick(notes, COUNT_OF(notes), seed);
}

struct collection {
    size_t count;
    uint32_t seed;
};

static enum err_code store(struct db *db, void *context, struct err *e)
{
    static const char hash[] = "0123456789012345678901234567890123456789012345678901234567890123";
    const struct collection *collection = context;
    uint32_t seed = collection->seed;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < collection->count; i++) {
        enum recipe_change change;
        struct recipe r;
        const struct recipe_entry entry = {.recipe = &r,
                                           .source = "",
                                           .hash = hash,
                                           .yaml = "",
                                           .document = "{}",
                                           .audit = "{}",
                                           .card_head = "head",
                                           .card_tail = "tail",
                                           .facts = "facts"};

        make_recipe(&r, i, &seed);
        rc = db_recipe_put(db, &entry, "2026-11-30T12:00:00Z", &change, e);
    }
    return rc == ERR_OK ? db_rankings_rebuild(db, e) : rc;
}

void scan_trial_store(struct fixture *f, size_t count, uint32_t seed)
{
    struct collection collection = {count, seed};
    struct err e;

    if (db_tx_run(f->db, store, &collection, &e) != ERR_OK)
        fail_msg("%s", e.text);
}

static const struct field *pick_field(unsigned flags, uint32_t *seed)
{
    const struct field *field;

    do
        field = &recipe_fields.rows[next(seed, (uint32_t)recipe_fields.count)];
    while (!is_asked_for(field, flags));
    return field;
}

/* The probe's value, which is another one at each call. */
static struct query_value make_value(struct scan_trial *t, const struct field *field,
                                     uint32_t *seed)
{
    const void *member = (const char *)&t->probe + field->offset;

    make_recipe(&t->probe, next(seed, 600), seed);
    if (field_is_null(field, &t->probe))
        return (struct query_value){.kind = QUERY_NULL};
    if (field->kind == FIELD_INT)
        return (struct query_value){.kind = QUERY_INT, .integer = *(const int64_t *)member};
    if (field->kind == FIELD_BOOL)
        return (struct query_value){.kind = QUERY_INT, .integer = *(const bool *)member};
    if (field->kind == FIELD_REAL)
        return (struct query_value){.kind = QUERY_REAL, .real = *(const double *)member};
    return (struct query_value){.kind = QUERY_TEXT, .text = *(const char *const *)member};
}

/* Slugs are in the probe itself, and soon others. */
static struct query_value make_lasting(struct scan_trial *t, const struct field *field,
                                       uint32_t *seed)
{
    struct query_value value = make_value(t, field, seed);

    if (strcmp(field->column, "model") == 0)
        value.text = pick(models, COUNT_OF(models), seed);
    else if (strcmp(field->column, "gpu") == 0)
        value.text = pick(gpus, COUNT_OF(gpus), seed);
    else if (strcmp(field->column, "recipe") == 0)
        value.text = next(seed, 2) == 0 ? "r00007" : "r00100x";
    return value;
}

static void make_filters(struct scan_trial *t, uint32_t *seed)
{
    t->query.filters = t->filters;
    t->query.filter_count = next(seed, TRIAL_FILTERS);
    for (size_t i = 0; i < t->query.filter_count; i++) {
        struct query_filter *filter = &t->filters[i];

        filter->field = pick_field(FIELD_FILTERABLE, seed);
        filter->test = (enum query_test)next(seed, 3);
        filter->values = t->values[i];
        filter->count = filter->test == QUERY_ANY_OF ? 1 + next(seed, TRIAL_VALUES) : 1;
        for (size_t k = 0; k < filter->count; k++)
            t->values[i][k] = make_lasting(t, filter->field, seed);
    }
}

static void make_sorts(struct scan_trial *t, uint32_t *seed)
{
    t->query.sorts = t->sorts;
    t->query.sort_count = next(seed, 3) == 0 ? next(seed, TRIAL_SORTS + 1) : 1;
    for (size_t i = 0; i < t->query.sort_count; i++)
        t->sorts[i] = (struct query_sort){pick_field(FIELD_SORTABLE, seed), next(seed, 2) == 0};
}

/* Begin behind a row that there need not be, but that passes the filters which leave one value and
 * has the same value for the same column. */
static void make_after(struct scan_trial *t, uint32_t *seed)
{
    struct query_order order;

    query_order_make(&t->query, &order);
    for (size_t i = 0; i < order.count; i++) {
        const struct field *field = order.terms[i].field;
        size_t first = 0;

        while (order.terms[first].field != field)
            first++;
        t->after[i] = first < i              ? t->after[first]
                      : order.terms[i].fixed ? *order.terms[i].fixed
                                             : make_lasting(t, field, seed);
    }
    t->query.after = t->after;
}

void scan_trial_make(struct scan_trial *out, uint32_t *seed)
{
    struct recipe_query *q = &out->query;

    *out = (struct scan_trial){0};
    make_filters(out, seed);
    make_sorts(out, seed);
    q->prices = out->prices;
    q->price_count = next(seed, 5) == 0 ? 1 + next(seed, 2) : 0;
    out->prices[0] = (struct query_price){"h100", 2.5};
    out->prices[1] = (struct query_price){"h200", 0};
    q->columns = out->columns;
    q->column_count = next(seed, 3) == 0 ? 1 + next(seed, TRIAL_COLUMNS) : 0;
    for (size_t i = 0; i + 1 < TRIAL_COLUMNS; i++)
        out->columns[i] = pick_field(FIELD_SORTABLE, seed);
    out->columns[TRIAL_COLUMNS - 1] = field_by_column(&recipe_fields, "label");
    q->as_of = next(seed, 5) == 0 ? pick(days, COUNT_OF(days), seed) : NULL;
    q->text = next(seed, 6) == 0 ? pick(texts, COUNT_OF(texts), seed) : NULL;
    q->is_ranking = next(seed, 5) == 0;
    q->is_part = next(seed, 6) == 0;
    q->limit = 1 + next(seed, next(seed, 4) == 0 ? QUERY_LIMIT : 40);
    if (next(seed, 3) == 0)
        make_after(out, seed);
}

static bool is_text_same(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static bool are_values_same(const struct query_value *a, const struct query_value *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].kind != b[i].kind || a[i].integer != b[i].integer || a[i].real != b[i].real ||
            !is_text_same(a[i].text, b[i].text))
            return false;
    return true;
}

static bool is_row_same(const struct recipe_query *query, const struct query_row *a,
                        const struct query_row *b, size_t key_count)
{
    return is_text_same(a->model, b->model) && is_text_same(a->gpu, b->gpu) &&
           is_text_same(a->recipe, b->recipe) && is_text_same(a->workload, b->workload) &&
           a->tokens_per_s_per_gpu == b->tokens_per_s_per_gpu &&
           a->speed_stderr == b->speed_stderr &&
           a->usd_per_million_tokens == b->usd_per_million_tokens &&
           is_text_same(a->card_head, b->card_head) && is_text_same(a->card_tail, b->card_tail) &&
           are_values_same(a->values, b->values, query->column_count) &&
           are_values_same(a->keys, b->keys, key_count);
}

/* Tell what differs between two pages; NULL: nothing. */
static const char *difference(const struct recipe_query *query, const struct query_page *a,
                              const struct query_page *b)
{
    if (a->total != b->total)
        return "total";
    if (a->first_rank != b->first_rank)
        return "first_rank";
    if (a->first_position != b->first_position)
        return "first_position";
    if (a->count != b->count || a->has_more != b->has_more || a->key_count != b->key_count)
        return "rows";
    if (!is_text_same(a->author, b->author))
        return "author";
    for (size_t i = 0; i < a->count + a->has_more; i++)
        if (!is_row_same(query, &a->rows[i], &b->rows[i], a->key_count))
            return "a row";
    return NULL;
}

static enum err_code run_both(struct db *db, const struct recipe_query *query, struct arena *arena,
                              struct query_page *out, const char **out_problem, struct err *e)
{
    struct scan_store *columns = db->columns;
    struct query_page by_sql;
    enum err_code rc = db_query_run(db, query, arena, out, e);

    if (rc != ERR_OK)
        return rc;
    db->columns = NULL;
    rc = db_query_run(db, query, arena, &by_sql, e);
    db->columns = columns;
    if (rc == ERR_OK)
        *out_problem = difference(query, &by_sql, out);
    return rc;
}

enum err_code scan_trial_compare(struct db *db, const struct recipe_query *query, size_t pages,
                                 const char **out_problem, struct err *e)
{
    struct recipe_query q = *query;
    struct query_page page = {.has_more = true};
    enum err_code rc = ERR_OK;
    struct arena arena;

    *out_problem = NULL;
    arena_init(&arena, ARENA_LIMIT);
    for (size_t i = 0; rc == ERR_OK && page.has_more && !*out_problem && i < pages; i++) {
        rc = run_both(db, &q, &arena, &page, out_problem, e);
        if (rc == ERR_OK && page.count > 0)
            q.after = page.rows[page.count - 1].keys;
    }
    arena_done(&arena);
    return rc;
}
