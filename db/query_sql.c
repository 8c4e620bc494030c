/* List queries that count and that list events, as text, and the words that FTS5 looks for. */
#include "db/query_sql.h"

#include "db/query_where.h"

#include <string.h>

/* Tell whether a condition is on what the tables rankings and events have, too. */
static bool is_of_place(const struct query_filter *filter)
{
    return filter->test == QUERY_ANY_OF &&
           (query_is_column(filter->field, "model") || query_is_column(filter->field, "gpu") ||
            query_is_column(filter->field, "workload"));
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
            query_put_filters(query, true, sql);
            buf_putc(sql, ')');
        }
        buf_puts(sql, " FROM rankings WHERE 1");
        query_put_filters(query, true, sql);
        return;
    }
    buf_puts(sql, "SELECT count(*)");
    query_put_from(query, QUERY_RECIPES, sql);
    query_put_conditions(query, true, sql);
}

void query_write_before(const struct recipe_query *query, const struct query_order *order,
                        const struct query_value *keys, size_t key_count, struct buf *sql)
{
    const char *table = query_is_of_ranking(query, order) ? QUERY_CARDS : QUERY_RECIPES;

    buf_puts(sql, "SELECT count(*)");
    query_put_from(query, table, sql);
    query_put_conditions(query, false, sql);
    buf_puts(sql, " AND ");
    query_put_compare(query, order, key_count, true, 'b', keys, sql);
}

void query_write_events(const struct recipe_query *query, struct buf *sql)
{
    buf_puts(sql, "SELECT at, kind, model, gpu, workload, recipe, hash, tokens_per_s_per_gpu, "
                  "usd_per_million_tokens, old_recipe, old_tokens_per_s_per_gpu, "
                  "old_usd_per_million_tokens FROM events WHERE 1");
    for (size_t i = 0; i < query->filter_count; i++)
        if (is_of_place(&query->filters[i])) {
            buf_puts(sql, " AND ");
            query_put_filter(query, i, false, sql);
        }
    if (!is_all_of_place(query)) {
        buf_puts(sql, " AND EXISTS (SELECT 1");
        query_put_from(query, QUERY_RECIPES, sql);
        buf_puts(sql, " AND recipes.model = events.model AND recipes.gpu = events.gpu AND "
                      "recipes.recipe = events.recipe");
        query_put_conditions(query, false, sql);
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
