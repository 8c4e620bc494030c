/* What an operator watches of the collection: its size, when and how it changed last, how many
 * recipes are confirmed. */
#ifndef DB_STATUS_H
#define DB_STATUS_H

#include "core/hub_result.h"
#include "db/db.h"

/* Numbers of the last import that changed anything, each a fact of that name. */
enum db_import_count { DB_IMPORT_ADDED, DB_IMPORT_CHANGED, DB_IMPORT_REMOVED, DB_IMPORT_COUNTS };

/* A status.
 *
 * imported:      recipes that the last import added, changed, removed; -1: not known
 * imported_at:   when that was, seconds since 1970; -1: never
 * verified_at:   when a checkpoint was checked last, likewise
 * outcomes:      recipes by the outcome of recounting their active parameters */
struct db_status {
    int64_t recipes;
    int64_t imported[DB_IMPORT_COUNTS];
    int64_t imported_at;
    int64_t verified_at;
    int64_t outcomes[HUB_OUTCOMES];
};

/* Read the status. The connection keeps it until the database changes, since counting a million
 * recipes takes a while. */
MUST_USE enum err_code db_status_get(struct db *db, struct db_status *out, struct err *e);

/* Store the numbers of an import, and when it was ("2026-10-20T08:15:00Z"). Inside a write
 * transaction. */
MUST_USE enum err_code db_status_put_import(struct db *db, const char *at,
                                            const int64_t counts[DB_IMPORT_COUNTS], struct err *e);

#endif
