/* Rows as a table for a terminal. */
#include "api/rows.h"
#include "api/rows_parts.h"

#include "base/mem.h"
#include "core/recipe.h"

static const char *const columns[] = {
    "model",
    "gpu",
    "recipe",
    "tokens_per_s_per_gpu",
    "usd_per_million_tokens",
    "mfu",
    "gpus",
    "label",
    "status",
    "measured",
    "runs",
    "author",
};

/* Model and GPU come first, where the path does not name them. */
enum { PLACE_COLUMNS = 2 };

size_t rows_columns_text(bool has_place, const struct field **out)
{
    size_t skipped = has_place ? 0 : PLACE_COLUMNS;

    for (size_t i = skipped; i < COUNT_OF(columns); i++)
        out[i - skipped] = field_by_column(&recipe_fields, columns[i]);
    return COUNT_OF(columns) - skipped;
}

void rows_begin_text(struct text_table *t, const struct rows_style *style, size_t limit)
{
    const struct recipe_query *query = style->query;
    size_t extras = style->has_cards ? 2 : 0;

    text_table_init(t, 1 + query->column_count + extras, 1, limit);
    text_table_put(t, "rank");
    for (size_t i = 0; i < query->column_count; i++) {
        const struct field *field = query->columns[i];

        if (field->kind == FIELD_INT || field->kind == FIELD_REAL)
            text_table_set_right(t, 1 + i);
        text_table_put(t, field->column);
    }
    if (style->has_cards) {
        text_table_set_right(t, 1 + query->column_count);
        text_table_put(t, "speed_stderr");
        text_table_put(t, "near_tie");
    }
}

void rows_put_text(struct text_table *t, const struct rows_style *style,
                   const struct rows_walk *walk)
{
    const struct recipe_query *query = style->query;

    buf_put_int(&t->cells, walk->rank);
    text_table_end(t);
    for (size_t i = 0; i < query->column_count; i++) {
        const struct query_value *value = &walk->row->values[i];

        if (value->kind == QUERY_NULL)
            buf_putc(&t->cells, '-');
        else if (value->kind == QUERY_TEXT)
            buf_puts(&t->cells, value->text);
        else
            rows_put_plain(&t->cells, query->columns[i], value);
        text_table_end(t);
    }
    if (!style->has_cards)
        return;
    rows_put_stderr(&t->cells, walk->row);
    text_table_end(t);
    text_table_put(t, walk->near_tie == ROWS_UNKNOWN ? "-" : rows_near_tie_word(walk->near_tie));
}
