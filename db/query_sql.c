/* The text of list queries. Only fixed fragments and columns of the field table are joined here:
 * whatever came from outside is a parameter, named by its place. */
#include "db/query_sql.h"

#include "base/mem.h"
#include "db/columns.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Columns of a page that come from the table recipes, in the order of enum query_column. The cost
 * is not among them: it may be an expression. */
static const char narrow_columns[] =
    "model, gpu, recipe, measured, author, tokens_per_s_per_gpu, step_time_cv_percent, "
    "window_steps, gpus, runs";

static const char page_columns[] =
    "page.model, page.gpu, page.recipe, page.measured, page.author, page.tokens_per_s_per_gpu, "
    "page.step_time_cv_percent, page.window_steps, page.gpus, page.runs, page.usd, hash, "
    "card_head, card_tail";

/* A letter and a number of any size. */
enum { NAME_BYTES = 32 };

static const char cost_column[] = "usd_per_million_tokens";

static bool is_column(const struct field *field, const char *column)
{
    return strcmp(field->column, column) == 0;
}

static void add_term(struct query_order *order, const struct field *field, bool is_descending)
{
    struct query_term *term = &order->terms[order->count];

    *term = (struct query_term){field, is_descending, column_is_nullable(field), false};
    for (size_t i = 0; i < order->count; i++)
        if (order->terms[i].field == field)
            term->is_repeated = true;
    order->count++;
}

void query_order_make(const struct recipe_query *query, struct query_order *out)
{
    static const char *const ends[QUERY_TIE_KEYS] = {"measured", "model", "gpu", "recipe"};

    assert(query->sort_count <= QUERY_SORTS);
    out->count = 0;
    for (size_t i = 0; i < query->sort_count; i++)
        add_term(out, query->sorts[i].field, query->sorts[i].is_descending);
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        add_term(out, field_by_column(&recipe_fields, ends[i]), i == 0);
}

/* Write what a column stands for: the cost is worked out where prices are given. */
static void write_value(const struct recipe_query *query, const struct field *field,
                        struct buf *sql)
{
    if (query->price_count == 0 || !is_column(field, cost_column)) {
        buf_puts(sql, field->column);
        return;
    }
    buf_puts(sql, "CASE gpu");
    for (size_t i = 0; i < query->price_count; i++)
        buf_printf(sql,
                   " WHEN :gpu%zu THEN cost_usd_per_million_tokens(:price%zu, "
                   "tokens_per_s_per_gpu)",
                   i, i);
    buf_printf(sql, " ELSE %s END", cost_column);
}

static void write_any_of(const struct recipe_query *query, size_t index, struct buf *sql)
{
    const struct query_filter *filter = &query->filters[index];
    bool has_null = false;
    const char *before = "";

    buf_putc(sql, '(');
    write_value(query, filter->field, sql);
    buf_puts(sql, " IN (");
    for (size_t i = 0; i < filter->count; i++) {
        has_null = has_null || filter->values[i].kind == QUERY_NULL;
        if (filter->values[i].kind == QUERY_NULL)
            continue;
        buf_printf(sql, "%s:f%zu_%zu", before, index, i);
        before = ", ";
    }
    buf_putc(sql, ')');
    if (has_null) {
        buf_puts(sql, " OR ");
        write_value(query, filter->field, sql);
        buf_puts(sql, " IS NULL");
    }
    buf_putc(sql, ')');
}

static void write_filter(const struct recipe_query *query, size_t index, struct buf *sql)
{
    switch (query->filters[index].test) {
    case QUERY_ANY_OF:
        write_any_of(query, index, sql);
        break;
    case QUERY_MIN:
        write_value(query, query->filters[index].field, sql);
        buf_printf(sql, " >= :f%zu_0", index);
        break;
    case QUERY_MAX:
        write_value(query, query->filters[index].field, sql);
        buf_printf(sql, " <= :f%zu_0", index);
        break;
    }
}

/* Write the conditions of a query, each after AND: the caller has written WHERE and something. */
static void write_conditions(const struct recipe_query *query, struct buf *sql)
{
    for (size_t i = 0; i < query->filter_count; i++) {
        buf_puts(sql, " AND ");
        write_filter(query, i, sql);
    }
    if (query->as_of)
        buf_puts(sql, " AND measured <= :as_of");
    if (query->text)
        buf_puts(sql, " AND recipes.id IN (SELECT rowid FROM recipe_search WHERE recipe_search "
                      "MATCH :text)");
}

/* Write "this row's term comes before (or after) the key", nulls being last either way. */
static void write_side(const struct recipe_query *query, const struct query_term *term,
                       bool is_before, const char *parameter, bool is_key_null, struct buf *sql)
{
    if (is_key_null && !is_before) {
        buf_putc(sql, '0');
        return;
    }
    write_value(query, term->field, sql);
    if (is_key_null) {
        buf_puts(sql, " IS NOT NULL");
        return;
    }
    buf_printf(sql, " %s %s", term->is_descending == is_before ? ">" : "<", parameter);
    if (term->is_nullable && !is_before) {
        buf_puts(sql, " OR ");
        write_value(query, term->field, sql);
        buf_puts(sql, " IS NULL");
    }
}

/* Write the first count terms compared with a row's keys, in lexical order:
 * (t0 after k0 OR (t0 = k0 AND (t1 after k1 OR ...))). */
static void write_compare(const struct recipe_query *query, const struct query_order *order,
                          size_t count, bool is_before, char letter, const struct query_value *keys,
                          struct buf *sql)
{
    size_t open = 0;

    for (size_t i = 0; i < count; i++) {
        const struct query_term *term = &order->terms[i];
        bool is_key_null = keys[i].kind == QUERY_NULL;
        char parameter[NAME_BYTES];

        if (term->is_repeated)
            continue;
        (void)snprintf(parameter, sizeof parameter, ":%c%zu", letter, i); /* Fits. */
        buf_putc(sql, '(');
        write_side(query, term, is_before, parameter, is_key_null, sql);
        buf_puts(sql, " OR (");
        write_value(query, term->field, sql);
        if (is_key_null)
            buf_puts(sql, " IS NULL AND ");
        else
            buf_printf(sql, " = %s AND ", parameter);
        open++;
    }
    buf_putc(sql, '0');
    for (size_t i = 0; i < open; i++)
        buf_puts(sql, "))");
}

/* Write where the page begins. The bound on the first key says nothing new, but lets SQLite begin
 * there in an index. */
static void write_after(const struct recipe_query *query, const struct query_order *order,
                        struct buf *sql)
{
    const struct query_term *first = &order->terms[0];

    if (!first->is_nullable)
        buf_printf(sql, " AND %s %s :a0", first->field->column, first->is_descending ? "<=" : ">=");
    buf_puts(sql, " AND ");
    write_compare(query, order, order->count, false, 'a', query->after, sql);
}

static void write_order(const struct query_order *order, struct buf *sql)
{
    const char *before = " ORDER BY ";

    for (size_t i = 0; i < order->count; i++) {
        if (order->terms[i].is_repeated)
            continue;
        buf_printf(sql, "%sk%zu%s%s", before, i, order->terms[i].is_descending ? " DESC" : "",
                   order->terms[i].is_nullable ? " NULLS LAST" : "");
        before = ", ";
    }
}

/* The rows of the page are found in the narrow table; only their texts are read. */
static void write_narrow(const struct recipe_query *query, const struct query_order *order,
                         struct buf *sql)
{
    buf_printf(sql, "SELECT id, %s, ", narrow_columns);
    write_value(query, field_by_column(&recipe_fields, cost_column), sql);
    buf_puts(sql, " AS usd");
    for (size_t i = 0; i < query->column_count; i++)
        if (!column_is_in_texts(query->columns[i])) {
            buf_puts(sql, ", ");
            write_value(query, query->columns[i], sql);
            buf_printf(sql, " AS c%zu", i);
        }
    for (size_t i = 0; i < order->count; i++) {
        buf_puts(sql, ", ");
        write_value(query, order->terms[i].field, sql);
        buf_printf(sql, " AS k%zu", i);
    }
    buf_puts(sql, " FROM recipes WHERE 1");
    write_conditions(query, sql);
    if (query->after)
        write_after(query, order, sql);
    write_order(order, sql);
    buf_puts(sql, " LIMIT :limit");
}

void query_write_page(const struct recipe_query *query, const struct query_order *order,
                      struct buf *sql)
{
    buf_printf(sql, "SELECT %s", page_columns);
    for (size_t i = 0; i < query->column_count; i++)
        if (column_is_in_texts(query->columns[i]))
            buf_printf(sql, ", %s", query->columns[i]->column);
        else
            buf_printf(sql, ", c%zu", i);
    for (size_t i = 0; i < order->count; i++)
        buf_printf(sql, ", k%zu", i);
    buf_puts(sql, " FROM (");
    write_narrow(query, order, sql);
    buf_puts(sql, ") AS page CROSS JOIN recipe_texts ON recipe_texts.id = page.id");
    write_order(order, sql);
}

/* Tell whether every condition is on what the table rankings counts by. */
static bool is_counted(const struct recipe_query *query)
{
    for (size_t i = 0; i < query->filter_count; i++)
        if (query->filters[i].test != QUERY_ANY_OF ||
            (!is_column(query->filters[i].field, "model") &&
             !is_column(query->filters[i].field, "gpu") &&
             !is_column(query->filters[i].field, "workload")))
            return false;
    return !query->as_of && !query->text;
}

void query_write_total(const struct recipe_query *query, struct buf *sql)
{
    buf_puts(sql, is_counted(query) ? "SELECT coalesce(sum(recipes), 0) FROM rankings WHERE 1"
                                    : "SELECT count(*) FROM recipes WHERE 1");
    write_conditions(query, sql);
}

void query_write_better(const struct recipe_query *query, const struct query_order *order,
                        const struct query_value *keys, struct buf *sql)
{
    buf_puts(sql, "SELECT count(*) FROM recipes WHERE 1");
    write_conditions(query, sql);
    buf_puts(sql, " AND ");
    write_compare(query, order, query->sort_count, true, 'b', keys, sql);
}

void query_write_match(const char *text, struct buf *out)
{
    static const char spaces[] = " \t\n\r\f\v";

    for (text += strspn(text, spaces); *text; text += strspn(text, spaces)) {
        size_t len = strcspn(text, spaces);

        buf_putc(out, '"');
        for (size_t i = 0; i < len; i++) {
            if (text[i] == '"')
                buf_putc(out, '"');
            buf_putc(out, text[i]);
        }
        buf_puts(out, "\" ");
        text += len;
    }
}
