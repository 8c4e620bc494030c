/* Rows as a table for a terminal. */
#include "api/rows.h"

void rows_begin_text(struct text_table *t, const struct rows_style *style, size_t limit)
{
    text_table_init(t, style->column_count, 0, limit);
    for (size_t i = 0; i < style->column_count; i++) {
        const struct rows_column *column = &style->columns[i];

        if (column->kind == FIELD_INT || column->kind == FIELD_REAL)
            text_table_set_right(t, i);
        text_table_put(t, column->name);
    }
}

enum err_code rows_put_text(struct text_table *t, const struct rows_style *style,
                            const struct rows_walk *walk, struct err *e)
{
    struct query_value values[ROWS_COLUMNS];
    enum err_code rc = style->fill(style, walk, values, e);

    for (size_t i = 0; rc == ERR_OK && i < style->column_count; i++) {
        if (values[i].kind == QUERY_NULL)
            buf_putc(&t->cells, '-');
        else if (values[i].kind == QUERY_TEXT)
            buf_puts(&t->cells, values[i].text);
        else
            rows_put_plain(&t->cells, &style->columns[i], &values[i]);
        text_table_end(t);
    }
    return rc;
}
