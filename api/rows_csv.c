/* Rows as CSV, RFC 4180. */
#include "api/rows.h"

#include <string.h>

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

void rows_put_csv_header(struct buf *out, const struct rows_style *style)
{
    for (size_t i = 0; i < style->column_count; i++)
        buf_printf(out, "%s%s", i > 0 ? "," : "", style->columns[i].name);
    buf_puts(out, "\r\n");
}

enum err_code rows_put_csv(struct buf *out, const struct rows_style *style,
                           const struct rows_walk *walk, struct err *e)
{
    struct query_value values[ROWS_COLUMNS];
    enum err_code rc = style->fill(style, walk, values, e);

    for (size_t i = 0; rc == ERR_OK && i < style->column_count; i++) {
        if (i > 0)
            buf_putc(out, ',');
        if (values[i].kind == QUERY_TEXT)
            put_text(out, values[i].text);
        else
            rows_put_plain(out, &style->columns[i], &values[i]);
    }
    buf_puts(out, "\r\n");
    return rc;
}
