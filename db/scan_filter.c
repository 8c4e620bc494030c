/* Conditions become ranges of codes, once for each query; each is looked for block by block. */
#include "db/scan_filter.h"

#include "core/recipe.h"

#include <assert.h>
#include <string.h>

/* What rankings leave out. */
static const char left_out[] = "retracted";

static const struct field *column(const char *name)
{
    return field_by_column(&recipe_fields, name);
}

bool scan_filter_fits(const struct recipe_query *query)
{
    for (size_t i = 0; i < query->filter_count; i++) {
        const struct query_filter *filter = &query->filters[i];

        for (size_t k = 0; k < filter->count; k++)
            if (filter->values[k].kind != QUERY_NULL &&
                filter->values[k].kind != scan_kind(filter->field))
                return false;
    }
    return true;
}

void scan_filter_want(const struct recipe_query *query, const char *match, struct scan_loan *loan)
{
    for (size_t i = 0; i < query->filter_count; i++)
        scan_loan_want(loan, (struct scan_subject){.field = query->filters[i].field});
    if (query->is_ranking)
        scan_loan_want(loan, (struct scan_subject){.field = column("status")});
    if (query->as_of)
        scan_loan_want(loan, (struct scan_subject){.field = column("measured")});
    if (query->text)
        scan_loan_want(loan, (struct scan_subject){.words = match});
}

/* Add codes from first to before end. */
static void add_range(struct scan_condition *condition, uint32_t first, uint32_t end)
{
    assert(condition->count < SCAN_RANGES);
    if (first < end)
        condition->ranges[condition->count++] = (struct scan_range){first, end - 1};
}

/* Add what a filter lets through. Null is neither above nor below anything. */
static void add_values(struct scan_condition *condition, enum query_test test,
                       const struct query_value *values, size_t count)
{
    const struct scan_column *from = condition->column;

    for (size_t i = 0; i < count; i++) {
        struct scan_place place = scan_column_find(from, &values[i]);

        if (test == QUERY_ANY_OF)
            add_range(condition, place.code, place.code + place.is_in);
        else if (test == QUERY_MIN)
            add_range(condition, place.code, from->value_count);
        else if (values[i].kind != QUERY_NULL)
            add_range(condition, 0, place.code + place.is_in);
    }
}

/* Add every status but one. */
static void leave_out(struct scan_condition *status)
{
    const struct query_value value = {.kind = QUERY_TEXT, .text = left_out};
    struct scan_place place = scan_column_find(status->column, &value);

    add_range(status, 0, place.code);
    add_range(status, place.code + place.is_in, status->column->value_count);
}

static struct scan_condition *add_condition(struct scan_filter *out, const struct scan_loan *loan,
                                            struct scan_subject subject)
{
    struct scan_condition *condition = &out->conditions[out->count++];

    assert(out->count <= SCAN_CONDITIONS);
    condition->column = scan_loan_column(loan, subject);
    return condition;
}

void scan_filter_make(const struct recipe_query *query, const char *match,
                      const struct scan_loan *loan, struct scan_filter *out)
{
    for (size_t i = 0; i < query->filter_count; i++) {
        const struct query_filter *filter = &query->filters[i];

        add_values(add_condition(out, loan, (struct scan_subject){.field = filter->field}),
                   filter->test, filter->values, filter->count);
    }
    if (query->is_ranking)
        leave_out(add_condition(out, loan, (struct scan_subject){.field = column("status")}));
    if (query->as_of) {
        const struct query_value day = {.kind = QUERY_TEXT, .text = query->as_of};

        add_values(add_condition(out, loan, (struct scan_subject){.field = column("measured")}),
                   QUERY_MAX, &day, 1);
    }
    if (query->text)
        add_range(add_condition(out, loan, (struct scan_subject){.words = match}), 1, 2);
    out->recipes = scan_loan_column(loan, (struct scan_subject){0})->count;
}

/* Take the marks off recipes whose codes are in none of a condition's ranges. */
static void keep(const struct scan_condition *condition, size_t block, uint8_t *marks)
{
    uint8_t found[SCAN_BLOCK] = {0};

    for (size_t i = 0; i < condition->count; i++)
        scan_column_mark(condition->column, block, condition->ranges[i], found);
    for (size_t i = 0; i < SCAN_BLOCK; i++)
        marks[i] &= found[i];
}

/* Take the marks off what lies behind the last recipe. */
static void end_marks(size_t count, size_t block, uint8_t *marks)
{
    size_t first = block * SCAN_BLOCK;

    if (count - first < SCAN_BLOCK)
        memset(marks + (count - first), 0, SCAN_BLOCK - (count - first));
}

void scan_filter_mark(const struct scan_filter *filter, size_t block, uint8_t *marks)
{
    memset(marks, 1, SCAN_BLOCK);
    for (size_t i = 0; i < filter->count; i++)
        keep(&filter->conditions[i], block, marks);
    end_marks(filter->recipes, block, marks);
}
