/* Tables for a terminal: cells come row by row, columns are as wide as their widest cell. */
#ifndef CORE_TEXT_TABLE_H
#define CORE_TEXT_TABLE_H

#include "base/buf.h"

/* Most columns of a table: a recipe has fewer. */
#define TEXT_TABLE_COLUMNS 96

/* A table.
 *
 * columns: 1 to TEXT_TABLE_COLUMNS
 * is_right: which of them are set flush right, as numbers are
 * cells:   texts of the cells, each ended by a zero byte; append the next cell's text here
 * start:   where the next cell's text begins
 * count:   cells so far
 * widths:  of the columns, in characters */
struct text_table {
    size_t columns;
    bool is_right[TEXT_TABLE_COLUMNS];
    struct buf cells;
    size_t start;
    size_t count;
    size_t widths[TEXT_TABLE_COLUMNS];
};

/* Start an empty table; allocates nothing.
 *
 * right: bit i is set where column i is set flush right
 * limit: bytes that its cells may take */
void text_table_init(struct text_table *t, size_t columns, unsigned right, size_t limit);

/* Set a column flush right. */
void text_table_set_right(struct text_table *t, size_t column);

/* Release the cells. */
void text_table_done(struct text_table *t);

/* End the cell whose text was appended to t->cells; control characters in it become spaces. */
void text_table_end(struct text_table *t);

/* Add a cell. */
void text_table_put(struct text_table *t, const char *text);

/* Append text that is to stay on its line: control characters in it become spaces. */
void text_put_on_line(struct buf *out, const char *text);

/* Append the table, two spaces between columns, a line for each row that is whole.
 *
 * Errors: ERR_NOMEM or ERR_LIMIT if a cell could not be kept. Whether out took it all is for the
 *         caller of buf_check to see. */
MUST_USE enum err_code text_table_write(const struct text_table *t, struct buf *out, struct err *e);

#endif
