/* The catalogue in the database: stored and loaded in one piece. */
#ifndef DB_CATALOG_H
#define DB_CATALOG_H

#include "core/catalog.h"
#include "db/db.h"

/* Replace the stored catalogue. Inside a write transaction, in any order with changes of recipes: a
 * GPU or model that recipes still use and the catalogue lacks makes db_tx_run, at its end, fail
 * with ERR_CONFLICT, naming it. Sets the fact "catalog_hash".
 *
 * out_changed: whether anything differs from what was stored (if not, nothing is written) */
MUST_USE enum err_code db_catalog_put(struct db *db, const struct catalog *catalog,
                                      bool *out_changed, struct err *e);

/* Load the stored catalogue into a catalogue that catalog_init made. */
MUST_USE enum err_code db_catalog_load(struct db *db, struct catalog *out, struct err *e);

/* The stored catalogue, kept with a read connection and loaded again when the database changed.
 * Lent until the next db_read_begin. Between db_read_begin and db_read_end. */
MUST_USE enum err_code db_catalog_get(struct db *db, const struct catalog **out, struct err *e);

#endif
