/* Rows of recipes, in each format that lists have: the same columns in the same order. JSON and
 * NDJSON show the card that was rendered at import, the others columns of the field table; all of
 * them show the chosen columns where the client chose some. */
#ifndef API_ROWS_H
#define API_ROWS_H

#include "base/json.h"
#include "core/text_table.h"
#include "db/query.h"

/* What rows look like.
 *
 * query:     its columns are shown, but in a card
 * has_cards: whether the client chose no columns
 * has_place: whether cards show model and GPU, because the path does not name them */
struct rows_style {
    const struct recipe_query *query;
    bool has_cards;
    bool has_place;
};

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

/* Choose the columns that a format shows when the client chose none: for CSV every one that fits a
 * line, for text those of a card.
 *
 * out:     room for QUERY_COLUMNS
 * returns  how many */
size_t rows_columns_csv(const struct field **out);
size_t rows_columns_text(bool has_place, const struct field **out);

/* Write the row where the walk stands as the members of an open object. */
void rows_put_json(struct json *j, const struct rows_style *style, const struct rows_walk *walk);

/* Append the header of a CSV table, and the row where the walk stands: RFC 4180. Text that a
 * spreadsheet would take for a formula gets an apostrophe before it; numbers stand as they are,
 * true and false as words, null as nothing. */
void rows_put_csv_header(struct buf *out, const struct rows_style *style);
void rows_put_csv(struct buf *out, const struct rows_style *style, const struct rows_walk *walk);

/* Append the row where the walk stands as a line of NDJSON. */
void rows_put_ndjson(struct buf *out, const struct rows_style *style, const struct rows_walk *walk);

/* Start a table for a terminal with its heads, and add the row where the walk stands.
 *
 * Owns: the caller ends with text_table_done. */
void rows_begin_text(struct text_table *t, const struct rows_style *style, size_t limit);
void rows_put_text(struct text_table *t, const struct rows_style *style,
                   const struct rows_walk *walk);

#endif
