/* Inside of db/: which recipes have some words, as a column in memory. Nothing outside db/ includes
 * this. */
#ifndef DB_SCAN_WORDS_H
#define DB_SCAN_WORDS_H

#include "db/db.h"
#include "db/scan_column.h"

/* Ask the search index for the recipes with some words.
 *
 * match: text for FTS5
 * ids:   of all recipes
 * out:   zeroed, and stays so if memory is short or the index cannot be asked, or takes too long;
 *        1 for each recipe that has the words
 * Owns:  the caller ends with scan_column_done. */
void scan_words_build(struct db *db, const char *match, const struct scan_column *ids,
                      struct scan_column *out);

#endif
