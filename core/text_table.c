/* Cells in one buffer, widths as they come. */
#include "core/text_table.h"

#include <assert.h>
#include <string.h>

void text_table_init(struct text_table *t, size_t columns, unsigned right, size_t limit)
{
    assert(columns >= 1 && columns <= TEXT_TABLE_COLUMNS);
    *t = (struct text_table){.columns = columns};
    for (size_t i = 0; i < columns && right != 0; i++, right >>= 1)
        t->is_right[i] = right & 1;
    buf_init(&t->cells, limit);
}

void text_table_set_right(struct text_table *t, size_t column)
{
    assert(column < t->columns);
    t->is_right[column] = true;
}

void text_table_done(struct text_table *t)
{
    buf_done(&t->cells);
}

/* Count the characters of UTF-8 text: the bytes that continue none. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* What would break a line, or drive a terminal. */
static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

void text_put_on_line(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_putc(out, is_control(*text) ? ' ' : *text);
}

void text_table_end(struct text_table *t)
{
    size_t *widest = &t->widths[t->count % t->columns];
    size_t width;

    buf_putc(&t->cells, '\0');
    if (t->cells.status != ERR_OK)
        return; /* Told by text_table_write. */
    for (char *c = t->cells.data + t->start; *c; c++)
        if (is_control(*c))
            *c = ' ';
    width = width_of(t->cells.data + t->start);
    *widest = width > *widest ? width : *widest;
    t->start = t->cells.len;
    t->count++;
}

void text_table_put(struct text_table *t, const char *text)
{
    buf_puts(&t->cells, text);
    text_table_end(t);
}

static void put_spaces(struct buf *out, size_t count)
{
    while (count-- > 0)
        buf_putc(out, ' ');
}

/* No spaces follow a row's last cell. */
static void put_cell(const struct text_table *t, size_t column, const char *text, struct buf *out)
{
    size_t room = t->widths[column] - width_of(text);
    bool is_last = column + 1 == t->columns;
    bool is_right = t->is_right[column];

    if (is_right)
        put_spaces(out, room);
    buf_puts(out, text);
    if (!is_last)
        put_spaces(out, is_right ? 2 : room + 2);
}

enum err_code text_table_write(const struct text_table *t, struct buf *out, struct err *e)
{
    const char *cell = buf_text(&t->cells);
    enum err_code rc = buf_check(&t->cells, e);

    if (rc != ERR_OK)
        return rc;
    for (size_t i = 0; i < t->count - t->count % t->columns; i++) {
        put_cell(t, i % t->columns, cell, out);
        if ((i + 1) % t->columns == 0)
            buf_putc(out, '\n');
        cell += strlen(cell) + 1;
    }
    return ERR_OK;
}
