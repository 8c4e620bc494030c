/* Rows of recipes. JSON and NDJSON show the card that was rendered at import, the others columns of
 * the field table; all of them show the chosen columns where the client chose some. */
#ifndef API_ROWS_RECIPES_H
#define API_ROWS_RECIPES_H

#include "api/rows.h"

/* Choose the columns that a format shows when the client chose none: for CSV every one that fits a
 * line, for text those of a card.
 *
 * out:     room for QUERY_COLUMNS
 * returns  how many */
size_t rows_recipes_csv(const struct field **out);
size_t rows_recipes_text(bool has_place, const struct field **out);

/* Make the style of a query's rows: rank, then the query's columns.
 *
 * has_cards: whether the client chose no columns; then how sure the speed is ends each row
 * has_place: whether cards show model and GPU, because the path does not name them */
void rows_recipes_style(const struct recipe_query *query, bool has_cards, bool has_place,
                        struct rows_style *out);

#endif
