/* Pages of list queries, as text: which table or index is looked through, and what is read. */
#include "db/query_sql.h"

#include "base/mem.h"
#include "db/columns.h"
#include "db/query_where.h"

#include <string.h>

/* The card of a row, by the card's key. */
#define CARD_OF_RECIPE                                                                             \
    "CROSS JOIN (SELECT model, gpu, workload, tokens_per_s_per_gpu, measured, recipe, author AS "  \
    "card_author, speed_stderr AS card_stderr, usd_per_million_tokens AS card_usd, card_head, "    \
    "card_tail FROM recipe_cards) AS card USING (model, gpu, workload, tokens_per_s_per_gpu, "     \
    "measured, recipe)"

/* What is looked through.
 *
 * has_texts: whether it has the columns of recipe_texts
 * from:      for FROM
 * columns:   the first ones of enum query_column
 * usd:       cost at the list price */
struct source {
    bool has_texts;
    const char *from;
    const char *columns;
    const char *usd;
};

static const struct source all_cards = {
    false, QUERY_CARDS, "workload, author, tokens_per_s_per_gpu, speed_stderr", query_cost_column};

static const struct source all_recipes = {
    false, QUERY_RECIPES,
    "workload, author, tokens_per_s_per_gpu, cost_speed_stderr(tokens_per_s_per_gpu, "
    "step_time_cv_percent, window_steps)",
    query_cost_column};

static const struct source recipes_with_texts = {
    true, QUERY_RECIPES " JOIN recipe_texts USING (id)",
    "workload, author, tokens_per_s_per_gpu, cost_speed_stderr(tokens_per_s_per_gpu, "
    "step_time_cv_percent, window_steps)",
    query_cost_column};

/* Of a recipe no more is read than is in an index. */
static const struct source recipes_with_cards = {
    false, QUERY_RECIPES " " CARD_OF_RECIPE,
    "workload, card_author, tokens_per_s_per_gpu, card_stderr", "card_usd"};

static const char card_columns[] = ", card_head, card_tail";
static const char no_card_columns[] = ", NULL, NULL";

static bool has_cards(const struct recipe_query *query)
{
    return query->column_count == 0;
}

/* Write where the page begins. The bound on the first key says nothing new, but lets SQLite begin
 * there in an index. */
static void write_after(const struct recipe_query *query, const struct query_order *order,
                        struct buf *sql)
{
    const struct query_term *first = &order->terms[0];

    if (!first->is_nullable && !first->is_idle)
        buf_printf(sql, " AND %s %s :a0", first->field->column, first->is_descending ? "<=" : ">=");
    buf_puts(sql, " AND ");
    query_put_compare(query, order, order->count, false, 'a', query->after, sql);
}

static void write_order(const struct query_order *order, struct buf *sql)
{
    const char *before = " ORDER BY ";

    for (size_t i = 0; i < order->count; i++) {
        if (order->terms[i].is_idle)
            continue;
        buf_puts(sql, before);
        query_put_numbered("k", i, sql);
        buf_puts(sql, order->terms[i].is_descending ? " DESC" : "");
        buf_puts(sql, order->terms[i].is_nullable ? " NULLS LAST" : "");
        before = ", ";
    }
}

static void write_value(const struct recipe_query *query, const struct field *field,
                        const char *letter, size_t number, struct buf *sql)
{
    buf_puts(sql, ", ");
    buf_puts(sql, query_value_of(query, field));
    query_put_numbered(letter, number, sql);
}

/* Write the cost, by the client's prices or as it is at the list price. */
static void write_usd(const struct recipe_query *query, const char *at_list_price, struct buf *sql)
{
    buf_puts(sql, query->price_count > 0 ? "cost" : at_list_price);
    buf_puts(sql, " AS usd");
}

/* Write the columns that were asked for, without those of texts where these are read elsewhere, and
 * the keys. */
static void write_values(const struct recipe_query *query, const struct query_order *order,
                         bool has_texts, struct buf *sql)
{
    for (size_t i = 0; i < query->column_count; i++)
        if (has_texts || !column_is_in(query->columns[i], TABLE_TEXTS))
            write_value(query, query->columns[i], " AS c", i, sql);
    for (size_t i = 0; i < order->count; i++)
        if (!order->terms[i].fixed)
            write_value(query, order->terms[i].field, " AS k", i, sql);
}

/* Write what all pages end with: where they are from, from which row on, in which order. */
static void write_rows(const struct recipe_query *query, const struct query_order *order,
                       const char *table, struct buf *sql)
{
    query_put_from(query, table, sql);
    query_put_conditions(query, false, sql);
    if (query->after)
        write_after(query, order, sql);
    write_order(order, sql);
    buf_puts(sql, " LIMIT :limit");
}

/* Write what is read of a row where it is found. */
static void write_columns(const struct recipe_query *query, const struct query_order *order,
                          const struct source *source, struct buf *sql)
{
    buf_puts(sql, "SELECT ");
    buf_puts(sql, source->columns);
    buf_puts(sql, ", ");
    write_usd(query, source->usd, sql);
    buf_puts(sql, has_cards(query) ? card_columns : no_card_columns);
    write_values(query, order, source->has_texts, sql);
}

/* Write a page whose rows are read in one walk. */
static void write_walk(const struct recipe_query *query, const struct query_order *order,
                       const struct source *source, struct buf *sql)
{
    write_columns(query, order, source, sql);
    write_rows(query, order, source->from, sql);
}

/* Write a page whose rows are found in the narrow table first, so that of what is sorted only their
 * cards, or the texts that are asked for, are read. */
static void write_found(const struct recipe_query *query, const struct query_order *order,
                        bool has_texts, struct buf *sql)
{
    buf_puts(sql, "SELECT page.workload, page.author, page.tokens_per_s_per_gpu, ");
    buf_puts(sql, has_cards(query) ? "card_stderr"
                                   : "cost_speed_stderr(page.tokens_per_s_per_gpu, cv, steps)");
    buf_puts(sql, ", page.usd");
    buf_puts(sql, has_cards(query) ? card_columns : no_card_columns);
    for (size_t i = 0; i < query->column_count; i++)
        if (column_is_in(query->columns[i], TABLE_TEXTS)) {
            buf_puts(sql, ", recipe_texts.");
            buf_puts(sql, query->columns[i]->column);
        } else {
            query_put_numbered(", c", i, sql);
        }
    for (size_t i = 0; i < order->count; i++)
        if (!order->terms[i].fixed)
            query_put_numbered(", k", i, sql);
    buf_puts(sql, " FROM (SELECT id, model, gpu, measured, recipe, workload, author, "
                  "tokens_per_s_per_gpu, step_time_cv_percent AS cv, window_steps AS steps, ");
    write_usd(query, query_cost_column, sql);
    write_values(query, order, false, sql);
    write_rows(query, order, QUERY_RECIPES, sql);
    buf_puts(sql, ") AS page ");
    if (has_cards(query))
        buf_puts(sql, CARD_OF_RECIPE);
    else if (has_texts)
        buf_puts(sql, "CROSS JOIN recipe_texts ON recipe_texts.id = page.id");
    write_order(order, sql);
}

static bool needs_texts(const struct recipe_query *query)
{
    for (size_t i = 0; i < query->column_count; i++)
        if (column_is_in(query->columns[i], TABLE_TEXTS))
            return true;
    return false;
}

void query_write_row(const struct recipe_query *query, const struct query_order *order,
                     struct buf *sql)
{
    const struct source *source = has_cards(query)     ? &recipes_with_cards
                                  : needs_texts(query) ? &recipes_with_texts
                                                       : &all_recipes;

    write_columns(query, order, source, sql);
    query_put_from(query, source->from, sql);
    buf_puts(sql, " AND id = :id");
}

void query_write_page(const struct recipe_query *query, const struct query_order *order,
                      struct buf *sql)
{
    if (query_is_of_ranking(query, order))
        write_walk(query, order, &all_cards, sql);
    else if (!needs_texts(query) && query_is_served(query, order))
        write_walk(query, order, has_cards(query) ? &recipes_with_cards : &all_recipes, sql);
    else
        write_found(query, order, needs_texts(query), sql);
}
