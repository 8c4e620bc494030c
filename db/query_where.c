/* Conditions of list queries, as text. */
#include "db/query_where.h"

#include "core/recipe.h"

#include <stdio.h>

/* A letter and a number of any size. */
enum { NAME_BYTES = 32 };

void query_put_numbered(const char *letter, size_t number, struct buf *sql)
{
    buf_puts(sql, letter);
    buf_put_int(sql, (int64_t)number);
}

/* Write the parameter of a filter's value. */
static void write_filter_value(size_t filter, size_t value, struct buf *sql)
{
    query_put_numbered(":f", filter, sql);
    query_put_numbered("_", value, sql);
}

void query_put_from(const struct recipe_query *query, const char *table, struct buf *sql)
{
    if (query->price_count == 0) {
        buf_puts(sql, " FROM ");
        buf_puts(sql, table);
        buf_puts(sql, " WHERE 1");
        return;
    }
    buf_puts(sql, " FROM (SELECT *, CASE gpu");
    for (size_t i = 0; i < query->price_count; i++)
        buf_printf(sql,
                   " WHEN :gpu%zu THEN cost_usd_per_million_tokens(:price%zu, "
                   "tokens_per_s_per_gpu)",
                   i, i);
    buf_printf(sql, " ELSE %s END AS cost FROM %s) AS recipes WHERE 1", query_cost_column, table);
}

/* Tell whether a filter is on GPUs of any model. The index of ids has them, too: SQLite would look
 * through it, and then each recipe up, a quarter of all. */
static bool is_of_gpus_alone(const struct recipe_query *query, const struct query_filter *filter)
{
    if (!query_is_column(filter->field, "gpu"))
        return false;
    for (size_t i = 0; i < query->filter_count; i++)
        if (query_is_column(query->filters[i].field, "model"))
            return false;
    return true;
}

static void write_any_of(const struct recipe_query *query, size_t index, struct buf *sql)
{
    const struct query_filter *filter = &query->filters[index];
    bool has_null = false;
    const char *before = "";

    buf_puts(sql, is_of_gpus_alone(query, filter) ? "(+" : "(");
    buf_puts(sql, query_value_of(query, filter->field));
    buf_puts(sql, " IN (");
    for (size_t i = 0; i < filter->count; i++) {
        has_null = has_null || filter->values[i].kind == QUERY_NULL;
        if (filter->values[i].kind == QUERY_NULL)
            continue;
        buf_puts(sql, before);
        write_filter_value(index, i, sql);
        before = ", ";
    }
    buf_putc(sql, ')');
    if (has_null)
        buf_printf(sql, " OR %s IS NULL", query_value_of(query, filter->field));
    buf_putc(sql, ')');
}

/* Write a column for a range. A sign before it keeps SQLite from an index: a range may let most
 * rows through, and to look each up takes ten times as long as to look through all. An index serves
 * where it has the order, too, or where the range is all that is counted. */
static void write_ranged(const struct recipe_query *query, const struct field *field, bool is_count,
                         struct buf *sql)
{
    size_t conditions =
        query->filter_count + (query->as_of != NULL) + (query->text != NULL) + query->is_ranking;
    bool has_order = query->sort_count > 0 && query->sorts[0].field == field;

    if (!has_order && !(is_count && conditions == 1))
        buf_putc(sql, '+');
    buf_puts(sql, query_value_of(query, field));
}

void query_put_filter(const struct recipe_query *query, size_t index, bool is_count,
                      struct buf *sql)
{
    switch (query->filters[index].test) {
    case QUERY_ANY_OF:
        write_any_of(query, index, sql);
        break;
    case QUERY_MIN:
    case QUERY_MAX:
        write_ranged(query, query->filters[index].field, is_count, sql);
        buf_puts(sql, query->filters[index].test == QUERY_MIN ? " >= " : " <= ");
        write_filter_value(index, 0, sql);
        break;
    }
}

void query_put_filters(const struct recipe_query *query, bool is_count, struct buf *sql)
{
    for (size_t i = 0; i < query->filter_count; i++) {
        buf_puts(sql, " AND ");
        query_put_filter(query, i, is_count, sql);
    }
}

void query_put_conditions(const struct recipe_query *query, bool is_count, struct buf *sql)
{
    query_put_filters(query, is_count, sql);
    if (query->is_ranking)
        buf_puts(sql, " AND status <> 'retracted'");
    if (query->as_of) {
        buf_puts(sql, " AND ");
        write_ranged(query, field_by_column(&recipe_fields, "measured"), is_count, sql);
        buf_puts(sql, " <= :as_of");
    }
    if (query->text)
        buf_puts(sql, " AND recipes.id IN (SELECT rowid FROM recipe_search WHERE recipe_search "
                      "MATCH :text)");
}

/* Write "this row's value comes before (or after) the key", nulls being last either way. */
static void write_side(const struct query_term *term, const char *value, bool is_before,
                       const char *parameter, bool is_key_null, struct buf *sql)
{
    if (is_key_null) {
        buf_printf(sql, is_before ? "%s IS NOT NULL" : "0", value);
        return;
    }
    buf_printf(sql, "%s %s %s", value, term->is_descending == is_before ? ">" : "<", parameter);
    if (term->is_nullable && !is_before)
        buf_printf(sql, " OR %s IS NULL", value);
}

void query_put_compare(const struct recipe_query *query, const struct query_order *order,
                       size_t count, bool is_before, char letter, const struct query_value *keys,
                       struct buf *sql)
{
    size_t open = 0;

    for (size_t i = 0; i < count; i++) {
        const struct query_term *term = &order->terms[i];
        const char *value = query_value_of(query, term->field);
        bool is_key_null = keys[i].kind == QUERY_NULL;
        char parameter[NAME_BYTES];

        if (term->is_idle)
            continue;
        (void)snprintf(parameter, sizeof parameter, ":%c%zu", letter, i); /* Fits. */
        buf_putc(sql, '(');
        write_side(term, value, is_before, parameter, is_key_null, sql);
        if (is_key_null)
            buf_printf(sql, " OR (%s IS NULL AND ", value);
        else
            buf_printf(sql, " OR (%s = %s AND ", value, parameter);
        open++;
    }
    buf_putc(sql, '0');
    for (size_t i = 0; i < open; i++)
        buf_puts(sql, "))");
}
