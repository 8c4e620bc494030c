/* The order of a list query, and what serves it, by the field table. */
#include "db/query_order.h"

#include "base/mem.h"
#include "core/recipe.h"
#include "db/columns.h"

#include <assert.h>
#include <string.h>

const char query_cost_column[] = "usd_per_million_tokens";

bool query_is_column(const struct field *field, const char *column)
{
    return strcmp(field->column, column) == 0;
}

/* The value of a text column that a filter leaves as the only one; NULL: there is none. */
static const struct query_value *fixed_value(const struct recipe_query *query,
                                             const struct field *field)
{
    for (size_t i = 0; i < query->filter_count; i++) {
        const struct query_filter *filter = &query->filters[i];

        if (filter->field == field && filter->test == QUERY_ANY_OF && filter->count == 1 &&
            filter->values[0].kind == QUERY_TEXT)
            return &filter->values[0];
    }
    return NULL;
}

static void add_term(const struct recipe_query *query, struct query_order *order,
                     const struct field *field, bool is_descending)
{
    struct query_term *term = &order->terms[order->count];

    *term = (struct query_term){field, is_descending, column_is_nullable(field),
                                fixed_value(query, field), false};
    term->is_idle = term->fixed != NULL;
    for (size_t i = 0; i < order->count; i++)
        if (order->terms[i].field == field)
            term->is_idle = true;
    order->count++;
}

void query_order_make(const struct recipe_query *query, struct query_order *out)
{
    static const char *const ends[QUERY_TAIL_KEYS] = {"measured", "model", "gpu", "recipe"};
    const struct query_value *workload =
        fixed_value(query, field_by_column(&recipe_fields, "workload"));

    assert(query->sort_count <= QUERY_SORTS);
    out->count = 0;
    out->workload = workload ? workload->text : NULL;
    for (size_t i = 0; i < query->sort_count; i++)
        add_term(query, out, query->sorts[i].field, query->sorts[i].is_descending);
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        add_term(query, out, field_by_column(&recipe_fields, ends[i]), i == 0);
}

const char *query_value_of(const struct recipe_query *query, const struct field *field)
{
    return query->price_count > 0 && query_is_column(field, query_cost_column) ? "cost"
                                                                               : field->column;
}

bool query_is_of_ranking(const struct recipe_query *query, const struct query_order *order)
{
    static const char *const keys[] = {"model", "gpu", "workload"};
    size_t found = 0;

    for (size_t i = 0; i < query->filter_count; i++) {
        const struct query_filter *filter = &query->filters[i];

        if (!column_is_in(filter->field, TABLE_CARDS))
            return false;
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            found += query_is_column(filter->field, keys[k]) && filter->test == QUERY_ANY_OF &&
                     filter->count == 1;
    }
    for (size_t i = 0; i < query->column_count; i++)
        if (!column_is_in(query->columns[i], TABLE_CARDS))
            return false;
    for (size_t i = 0; i < order->count; i++)
        if (!column_is_in(order->terms[i].field, TABLE_CARDS))
            return false;
    return found == COUNT_OF(keys) && !query->text;
}

/* What an index of all recipes begins with, and the direction that it serves. */
static const struct {
    const char *column;
    bool is_descending;
} served[] = {{"measured", true}, {"tokens_per_s_per_gpu", true}, {query_cost_column, false}};

/* Tell whether SQLite may look through an index for a field's sake. */
static bool leads_an_index(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(served); i++)
        if (query_is_column(field, served[i].column))
            return true;
    return query_is_column(field, "model");
}

bool query_is_served(const struct recipe_query *query, const struct query_order *order)
{
    const struct query_term *first = &order->terms[0];
    bool has_order = false;

    for (size_t i = 0; i < COUNT_OF(served); i++)
        has_order = has_order || (query_is_column(first->field, served[i].column) &&
                                  first->is_descending == served[i].is_descending);
    if (!has_order || query->sort_count > 1 || query->text || query->as_of ||
        query_value_of(query, first->field) != first->field->column)
        return false;
    for (size_t i = 0; i < query->filter_count; i++)
        if (query->filters[i].field != first->field && leads_an_index(query->filters[i].field))
            return false;
    return true;
}
