/* The text of list queries. Only fixed fragments and columns of the field table are joined here:
 * whatever came from outside is a parameter, named by its place. */
#include "db/query_sql.h"

#include "base/mem.h"
#include "db/columns.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A letter and a number of any size. */
enum { NAME_BYTES = 32 };

static const char cost_column[] = "usd_per_million_tokens";

/* The card of a row, by the card's key. */
#define CARD_OF_RECIPE                                                                             \
    "CROSS JOIN (SELECT model, gpu, workload, tokens_per_s_per_gpu, measured, recipe, author AS "  \
    "card_author, speed_stderr AS card_stderr, usd_per_million_tokens AS card_usd, card_head, "    \
    "card_tail FROM recipe_cards) AS card USING (model, gpu, workload, tokens_per_s_per_gpu, "     \
    "measured, recipe)"

/* What is looked through.
 *
 * table:   whose columns it has
 * from:    for FROM
 * columns: the first ones of enum query_column
 * usd:     cost at the list price */
struct source {
    enum recipe_table table;
    const char *from;
    const char *columns;
    const char *usd;
};

static const struct source all_cards = {TABLE_CARDS, "recipe_cards AS recipes",
                                        "workload, author, tokens_per_s_per_gpu, speed_stderr",
                                        cost_column};

static const struct source all_recipes = {
    TABLE_RECIPES, "recipes",
    "workload, author, tokens_per_s_per_gpu, cost_speed_stderr(tokens_per_s_per_gpu, "
    "step_time_cv_percent, window_steps)",
    cost_column};

/* Of a recipe no more is read than is in an index. */
static const struct source recipes_with_cards = {
    TABLE_RECIPES, "recipes " CARD_OF_RECIPE,
    "workload, card_author, tokens_per_s_per_gpu, card_stderr", "card_usd"};

static const char card_columns[] = ", card_head, card_tail";
static const char no_card_columns[] = ", NULL, NULL";

static bool is_column(const struct field *field, const char *column)
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

/* What stands for a field's column: the cost is worked out where prices are given. */
static const char *value_of(const struct recipe_query *query, const struct field *field)
{
    return query->price_count > 0 && is_column(field, cost_column) ? "cost" : field->column;
}

static bool has_cards(const struct recipe_query *query)
{
    return query->column_count == 0;
}

/* Tell whether all that a query asks for is in the cards of one ranking. */
static bool is_of_ranking(const struct recipe_query *query, const struct query_order *order)
{
    static const char *const keys[] = {"model", "gpu", "workload"};
    size_t found = 0;

    for (size_t i = 0; i < query->filter_count; i++) {
        const struct query_filter *filter = &query->filters[i];

        if (!column_is_in(filter->field, TABLE_CARDS))
            return false;
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            found += is_column(filter->field, keys[k]) && filter->test == QUERY_ANY_OF &&
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

/* Write a parameter, or the name of a column that has none of its own: a letter and a number. */
static void write_numbered(const char *letter, size_t number, struct buf *sql)
{
    buf_puts(sql, letter);
    buf_put_int(sql, (int64_t)number);
}

/* Write the parameter of a filter's value. */
static void write_filter_value(size_t filter, size_t value, struct buf *sql)
{
    write_numbered(":f", filter, sql);
    write_numbered("_", value, sql);
}

/* Write the table that is looked through. SQLite makes one query of this and the outer one, so that
 * indexes serve with prices too. */
static void write_from(const struct recipe_query *query, const char *table, struct buf *sql)
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
    buf_printf(sql, " ELSE %s END AS cost FROM %s) AS recipes WHERE 1", cost_column, table);
}

/* Tell whether a filter is on GPUs of any model. The index of ids has them, too: SQLite would look
 * through it, and then each recipe up, a quarter of all. */
static bool is_of_gpus_alone(const struct recipe_query *query, const struct query_filter *filter)
{
    if (!is_column(filter->field, "gpu"))
        return false;
    for (size_t i = 0; i < query->filter_count; i++)
        if (is_column(query->filters[i].field, "model"))
            return false;
    return true;
}

static void write_any_of(const struct recipe_query *query, size_t index, struct buf *sql)
{
    const struct query_filter *filter = &query->filters[index];
    bool has_null = false;
    const char *before = "";

    buf_puts(sql, is_of_gpus_alone(query, filter) ? "(+" : "(");
    buf_puts(sql, value_of(query, filter->field));
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
        buf_printf(sql, " OR %s IS NULL", value_of(query, filter->field));
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
    buf_puts(sql, value_of(query, field));
}

static void write_filter(const struct recipe_query *query, size_t index, bool is_count,
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

/* Write the filters of a query, each after AND: the caller has written WHERE and something. */
static void write_filters(const struct recipe_query *query, bool is_count, struct buf *sql)
{
    for (size_t i = 0; i < query->filter_count; i++) {
        buf_puts(sql, " AND ");
        write_filter(query, i, is_count, sql);
    }
}

/* Write all conditions of a query, likewise. */
static void write_conditions(const struct recipe_query *query, bool is_count, struct buf *sql)
{
    write_filters(query, is_count, sql);
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

/* Write the first count terms compared with a row's keys, in lexical order:
 * (t0 after k0 OR (t0 = k0 AND (t1 after k1 OR ...))). */
static void write_compare(const struct recipe_query *query, const struct query_order *order,
                          size_t count, bool is_before, char letter, const struct query_value *keys,
                          struct buf *sql)
{
    size_t open = 0;

    for (size_t i = 0; i < count; i++) {
        const struct query_term *term = &order->terms[i];
        const char *value = value_of(query, term->field);
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

/* Write where the page begins. The bound on the first key says nothing new, but lets SQLite begin
 * there in an index. */
static void write_after(const struct recipe_query *query, const struct query_order *order,
                        struct buf *sql)
{
    const struct query_term *first = &order->terms[0];

    if (!first->is_nullable && !first->is_idle)
        buf_printf(sql, " AND %s %s :a0", first->field->column, first->is_descending ? "<=" : ">=");
    buf_puts(sql, " AND ");
    write_compare(query, order, order->count, false, 'a', query->after, sql);
}

static void write_order(const struct query_order *order, struct buf *sql)
{
    const char *before = " ORDER BY ";

    for (size_t i = 0; i < order->count; i++) {
        if (order->terms[i].is_idle)
            continue;
        buf_puts(sql, before);
        write_numbered("k", i, sql);
        buf_puts(sql, order->terms[i].is_descending ? " DESC" : "");
        buf_puts(sql, order->terms[i].is_nullable ? " NULLS LAST" : "");
        before = ", ";
    }
}

static void write_value(const struct recipe_query *query, const struct field *field,
                        const char *letter, size_t number, struct buf *sql)
{
    buf_puts(sql, ", ");
    buf_puts(sql, value_of(query, field));
    write_numbered(letter, number, sql);
}

/* Write the cost, by the client's prices or as it is at the list price. */
static void write_usd(const struct recipe_query *query, const char *at_list_price, struct buf *sql)
{
    buf_puts(sql, query->price_count > 0 ? "cost" : at_list_price);
    buf_puts(sql, " AS usd");
}

/* Write the columns that were asked for and are in a table, and the keys. */
static void write_values(const struct recipe_query *query, const struct query_order *order,
                         enum recipe_table table, struct buf *sql)
{
    for (size_t i = 0; i < query->column_count; i++)
        if (column_is_in(query->columns[i], table))
            write_value(query, query->columns[i], " AS c", i, sql);
    for (size_t i = 0; i < order->count; i++)
        if (!order->terms[i].fixed)
            write_value(query, order->terms[i].field, " AS k", i, sql);
}

/* Write what all pages end with: where they are from, from which row on, in which order. */
static void write_rows(const struct recipe_query *query, const struct query_order *order,
                       const char *table, struct buf *sql)
{
    write_from(query, table, sql);
    write_conditions(query, false, sql);
    if (query->after)
        write_after(query, order, sql);
    write_order(order, sql);
    buf_puts(sql, " LIMIT :limit");
}

/* What an index of all recipes begins with, and the direction that it serves. */
static const struct {
    const char *column;
    bool is_descending;
} served[] = {{"measured", true}, {"tokens_per_s_per_gpu", true}, {cost_column, false}};

/* Tell whether SQLite may look through an index for a field's sake. */
static bool leads_an_index(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(served); i++)
        if (is_column(field, served[i].column))
            return true;
    return is_column(field, "model");
}

/* Tell whether the index that has a query's order is the only one that serves it, so that cards may
 * be read while it is walked: where rows are sorted, only those of the page may be. */
static bool is_served(const struct recipe_query *query, const struct query_order *order)
{
    const struct query_term *first = &order->terms[0];
    bool has_order = false;

    for (size_t i = 0; i < COUNT_OF(served); i++)
        has_order = has_order || (is_column(first->field, served[i].column) &&
                                  first->is_descending == served[i].is_descending);
    if (!has_order || query->sort_count > 1 || query->text || query->as_of ||
        value_of(query, first->field) != first->field->column)
        return false;
    for (size_t i = 0; i < query->filter_count; i++)
        if (query->filters[i].field != first->field && leads_an_index(query->filters[i].field))
            return false;
    return true;
}

/* Write a page whose rows are read in one walk. */
static void write_walk(const struct recipe_query *query, const struct query_order *order,
                       const struct source *source, struct buf *sql)
{
    buf_puts(sql, "SELECT ");
    buf_puts(sql, source->columns);
    buf_puts(sql, ", ");
    write_usd(query, source->usd, sql);
    buf_puts(sql, has_cards(query) ? card_columns : no_card_columns);
    write_values(query, order, source->table, sql);
    write_rows(query, order, source->from, sql);
}

/* Write a page whose rows are found in the narrow table first, so that of what is sorted only their
 * cards, or the texts that are asked for, are read. */
static void write_found(const struct recipe_query *query, const struct query_order *order,
                        bool needs_texts, struct buf *sql)
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
            write_numbered(", c", i, sql);
        }
    for (size_t i = 0; i < order->count; i++)
        if (!order->terms[i].fixed)
            write_numbered(", k", i, sql);
    buf_puts(sql, " FROM (SELECT id, model, gpu, measured, recipe, workload, author, "
                  "tokens_per_s_per_gpu, step_time_cv_percent AS cv, window_steps AS steps, ");
    write_usd(query, cost_column, sql);
    write_values(query, order, TABLE_RECIPES, sql);
    write_rows(query, order, all_recipes.from, sql);
    buf_puts(sql, ") AS page ");
    if (has_cards(query))
        buf_puts(sql, CARD_OF_RECIPE);
    else if (needs_texts)
        buf_puts(sql, "CROSS JOIN recipe_texts ON recipe_texts.id = page.id");
    write_order(order, sql);
}

void query_write_page(const struct recipe_query *query, const struct query_order *order,
                      struct buf *sql)
{
    bool needs_texts = false;

    for (size_t i = 0; i < query->column_count; i++)
        needs_texts = needs_texts || column_is_in(query->columns[i], TABLE_TEXTS);
    if (is_of_ranking(query, order))
        write_walk(query, order, &all_cards, sql);
    else if (!needs_texts && is_served(query, order))
        write_walk(query, order, has_cards(query) ? &recipes_with_cards : &all_recipes, sql);
    else
        write_found(query, order, needs_texts, sql);
}

/* Tell whether a condition is on what the tables rankings and events have, too. */
static bool is_of_place(const struct query_filter *filter)
{
    return filter->test == QUERY_ANY_OF &&
           (is_column(filter->field, "model") || is_column(filter->field, "gpu") ||
            is_column(filter->field, "workload"));
}

static bool is_all_of_place(const struct recipe_query *query)
{
    for (size_t i = 0; i < query->filter_count; i++)
        if (!is_of_place(&query->filters[i]))
            return false;
    return !query->as_of && !query->text;
}

void query_write_total(const struct recipe_query *query, struct buf *sql)
{
    if (is_all_of_place(query)) {
        /* The rankings count all but the retracted ones. */
        buf_puts(sql, "SELECT coalesce(sum(recipes), 0)");
        if (!query->is_ranking) {
            buf_puts(sql, " + (SELECT count(*) FROM recipes INDEXED BY recipes_retracted WHERE "
                          "status = 'retracted'");
            write_filters(query, true, sql);
            buf_putc(sql, ')');
        }
        buf_puts(sql, " FROM rankings WHERE 1");
        write_filters(query, true, sql);
        return;
    }
    buf_puts(sql, "SELECT count(*)");
    write_from(query, all_recipes.from, sql);
    write_conditions(query, true, sql);
}

void query_write_before(const struct recipe_query *query, const struct query_order *order,
                        const struct query_value *keys, size_t key_count, struct buf *sql)
{
    const struct source *source = is_of_ranking(query, order) ? &all_cards : &all_recipes;

    buf_puts(sql, "SELECT count(*)");
    write_from(query, source->from, sql);
    write_conditions(query, false, sql);
    buf_puts(sql, " AND ");
    write_compare(query, order, key_count, true, 'b', keys, sql);
}

void query_write_events(const struct recipe_query *query, struct buf *sql)
{
    buf_puts(sql, "SELECT at, kind, model, gpu, workload, recipe, hash, tokens_per_s_per_gpu, "
                  "usd_per_million_tokens, old_recipe, old_tokens_per_s_per_gpu, "
                  "old_usd_per_million_tokens FROM events WHERE 1");
    for (size_t i = 0; i < query->filter_count; i++)
        if (is_of_place(&query->filters[i])) {
            buf_puts(sql, " AND ");
            write_filter(query, i, false, sql);
        }
    if (!is_all_of_place(query)) {
        buf_puts(sql, " AND EXISTS (SELECT 1");
        write_from(query, all_recipes.from, sql);
        buf_puts(sql, " AND recipes.model = events.model AND recipes.gpu = events.gpu AND "
                      "recipes.recipe = events.recipe");
        write_conditions(query, false, sql);
        buf_putc(sql, ')');
    }
    buf_puts(sql, " ORDER BY events.id DESC LIMIT :limit");
}

void query_write_match(const char *text, struct buf *out)
{
    static const char spaces[] = " \t\n\r\f\v";

    /* An empty phrase, which FTS5 passes over; it refuses an empty text. */
    buf_puts(out, "\"\"");
    for (text += strspn(text, spaces); *text; text += strspn(text, spaces)) {
        size_t len = strcspn(text, spaces);

        buf_puts(out, " \"");
        for (size_t i = 0; i < len; i++) {
            if (text[i] == '"')
                buf_putc(out, '"');
            buf_putc(out, text[i]);
        }
        buf_putc(out, '"');
        text += len;
    }
}
