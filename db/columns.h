/* Inside of db/: where the recipe's field table finds its columns. Those that are filtered or
 * sorted by are in the table recipes, which is scanned; the others in recipe_texts. */
#ifndef DB_COLUMNS_H
#define DB_COLUMNS_H

#include "base/buf.h"
#include "core/recipe.h"
#include "db/stmt.h"

/* Tables of recipes: what is filtered and sorted by, all else, and what lists show. The last has
 * columns of the first again. */
enum recipe_table { TABLE_RECIPES, TABLE_TEXTS, TABLE_CARDS };

/* Tell whether a table has a field's column. field: with a column */
bool column_is_in(const struct field *field, enum recipe_table table);

/* Tell whether a field's column may be null: the field may, or a map above it.
 *
 * field: a row of recipe_fields */
bool column_is_nullable(const struct field *field);

/* Bind a recipe's value of a column to the next parameter. */
void column_bind(struct stmt *s, const struct field *field, const struct recipe *r);

/* Append a recipe's value of a column, and a zero byte: for a digest. Null differs from any text.
 */
void column_digest(const struct field *field, const struct recipe *r, struct buf *out);

/* Append the words of a recipe, for full-text search: all its text, and the keys of its maps. */
void column_search_text(const struct recipe *r, struct buf *out);

#endif
