/* Inside of db/: columns in memory, read from the database. Nothing outside db/ includes this. */
#ifndef DB_SCAN_BUILD_H
#define DB_SCAN_BUILD_H

#include "db/db.h"
#include "db/scan_column.h"

/* Most columns of one query: its filters, its sort keys, status, day, words, and the ids. */
#define SCAN_COLUMNS (QUERY_FILTERS + QUERY_SORTS + 4)

/* Build columns in one walk through all recipes.
 *
 * fields: count of them; NULL stands for the ids
 * limit_bytes: of a column; one that takes more is given up
 * out:    count of them, zeroed; they stay so where one was given up, or on failure
 * Errors: ERR_NOMEM, ERR_BUSY if it takes too long, ERR_CORRUPT, ERR_IO; ERR_LIMIT if an id is too
 *         large.
 * Owns:   the caller ends each with scan_column_done. */
MUST_USE enum err_code scan_build(struct db *db, const struct field *const *fields, size_t count,
                                  size_t limit_bytes, struct scan_column *out, struct err *e);

#endif
