/* Rows as CSV, RFC 4180. */
#include "api/rows.h"
#include "api/rows_parts.h"

#include "base/mem.h"
#include "core/recipe.h"

#include <string.h>

/* What a reader looks for first; the other columns follow in the field table's order. */
static const char *const first_columns[] = {"model", "gpu", "recipe", "tokens_per_s_per_gpu",
                                            "usd_per_million_tokens"};

static bool is_first(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(first_columns); i++)
        if (strcmp(field->column, first_columns[i]) == 0)
            return true;
    return false;
}

size_t rows_columns_csv(const struct field **out)
{
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(first_columns); i++)
        out[count++] = field_by_column(&recipe_fields, first_columns[i]);
    for (size_t i = 0; i < recipe_fields.count && count < QUERY_COLUMNS; i++) {
        const struct field *field = &recipe_fields.rows[i];

        if (field->column && !(field->flags & FIELD_MULTILINE) && !is_first(field))
            out[count++] = field;
    }
    return count;
}

/* Spreadsheets take a cell that begins with one of these for a formula. */
static bool is_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text);
}

static void put_text(struct buf *out, const char *text)
{
    bool is_quoted = strpbrk(text, "\",\r\n") != NULL;

    if (is_quoted)
        buf_putc(out, '"');
    if (is_formula(text))
        buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '"')
            buf_putc(out, '"');
        buf_putc(out, *text);
    }
    if (is_quoted)
        buf_putc(out, '"');
}

static void put_value(struct buf *out, const struct field *field, const struct query_value *value)
{
    if (value->kind == QUERY_TEXT)
        put_text(out, value->text);
    else
        rows_put_plain(out, field, value);
}

void rows_put_csv_header(struct buf *out, const struct rows_style *style)
{
    buf_puts(out, "rank");
    for (size_t i = 0; i < style->query->column_count; i++)
        buf_printf(out, ",%s", style->query->columns[i]->column);
    buf_puts(out, style->has_cards ? ",speed_stderr,near_tie\r\n" : "\r\n");
}

void rows_put_csv(struct buf *out, const struct rows_style *style, const struct rows_walk *walk)
{
    buf_put_int(out, walk->rank);
    for (size_t i = 0; i < style->query->column_count; i++) {
        buf_putc(out, ',');
        put_value(out, style->query->columns[i], &walk->row->values[i]);
    }
    if (style->has_cards) {
        buf_putc(out, ',');
        rows_put_stderr(out, walk->row);
        buf_printf(out, ",%s", rows_near_tie_word(walk->near_tie));
    }
    buf_puts(out, "\r\n");
}
