/* Rows of lists, in each format that lists have: the same columns in the same order. What the rows
 * are of is a style: its columns, and what fills them. */
#ifndef API_ROWS_H
#define API_ROWS_H

#include "base/json.h"
#include "core/text_table.h"
#include "db/query.h"

/* Whether the 95% intervals of two neighbours' speeds overlap: known only in an order by speed, and
 * of comparable recipes. */
enum rows_near_tie { ROWS_UNKNOWN, ROWS_APART, ROWS_NEAR_TIE };

/* A walk over the rows of a page, or of one page after the other.
 *
 * row, rank, near_tie: of the row where the walk stands; near_tie is with the row after it
 * position: of the next row in the whole list, from 1
 * before:   keys of the row before the page; NULL: the walk begins with it */
struct rows_walk {
    const struct recipe_query *query;
    const struct query_page *page;
    const struct query_row *row;
    int64_t rank;
    enum rows_near_tie near_tie;
    int64_t position;
    const struct query_value *before;
    size_t index;
};

/* Begin a walk over a page: before its first row. */
void rows_walk_begin(struct rows_walk *walk, const struct recipe_query *query,
                     const struct query_page *page);

/* Go on with the page that follows.
 *
 * before: keys of the row where the walk stands; they need not live in its page any more */
void rows_walk_on(struct rows_walk *walk, const struct recipe_query *query,
                  const struct query_page *page, const struct query_value *before);

/* Go to the next row; false at the page's end. */
bool rows_walk_next(struct rows_walk *walk);

/* A column that rows show. kind: FIELD_INT, FIELD_REAL, FIELD_BOOL, FIELD_TEXT or FIELD_DATE */
struct rows_column {
    const char *name;
    enum field_kind kind;
};

/* Most columns of a row: those of a query, its rank, and what a ranking knows of it. */
#define ROWS_COLUMNS (QUERY_COLUMNS + 3)

/* What rows look like.
 *
 * columns: column_count of them
 * fill:    finds the values of the row where a walk stands, one for each column; out has room for
 *          ROWS_COLUMNS, and texts in it live until the next row
 * put_card: writes the members of a row in JSON; NULL: they are its columns
 * context: for fill and put_card */
struct rows_style {
    struct rows_column columns[ROWS_COLUMNS];
    size_t column_count;
    enum err_code (*fill)(const struct rows_style *style, const struct rows_walk *walk,
                          struct query_value *out, struct err *e);
    void (*put_card)(const struct rows_style *style, const struct rows_walk *walk, struct json *j);
    void *context;
};

/* Write the row where the walk stands as the members of an open object.
 *
 * Errors: here and below, those of the style's fill; what a buffer takes is for buf_check. */
MUST_USE enum err_code rows_put_json(struct json *j, const struct rows_style *style,
                                     const struct rows_walk *walk, struct err *e);

/* Append the row where the walk stands as a line of NDJSON. */
MUST_USE enum err_code rows_put_ndjson(struct buf *out, const struct rows_style *style,
                                       const struct rows_walk *walk, struct err *e);

/* Append the header of a CSV table, and the row where the walk stands: RFC 4180. Text that a
 * spreadsheet would take for a formula gets an apostrophe before it; numbers stand as they are,
 * true and false as words, null as nothing. */
void rows_put_csv_header(struct buf *out, const struct rows_style *style);
MUST_USE enum err_code rows_put_csv(struct buf *out, const struct rows_style *style,
                                    const struct rows_walk *walk, struct err *e);

/* Start a table for a terminal with its heads, and add the row where the walk stands.
 *
 * Owns: the caller ends with text_table_done. */
void rows_begin_text(struct text_table *t, const struct rows_style *style, size_t limit);
MUST_USE enum err_code rows_put_text(struct text_table *t, const struct rows_style *style,
                                     const struct rows_walk *walk, struct err *e);

/* Append a number, true or false; nothing for null. value: no text */
void rows_put_plain(struct buf *out, const struct rows_column *column,
                    const struct query_value *value);

#endif
