/* Inside of db/: bringing a schema up to a list of migrations. Nothing outside db/ includes this
 * but tests, which bring their own lists. */
#ifndef DB_MIGRATE_H
#define DB_MIGRATE_H

#include "base/embed.h"
#include "db/db.h"

/* The program's migrations, lent: the file at index i brings version i to i + 1. */
const struct embed_file *migrate_files(size_t *out_count);

/* Bring the schema to the end of a list; as db_migrate, which does it with migrate_files. */
MUST_USE enum err_code migrate_apply(struct db *db, const struct embed_file *files, size_t count,
                                     int *out_from, int *out_to, struct err *e);

#endif
