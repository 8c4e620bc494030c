/* Opening the database from the command line. */
#ifndef CLI_DATABASE_H
#define CLI_DATABASE_H

#include "db/db.h"

/* Open the database for writing with its schema up to date; makes its folder when only that is
 * missing.
 *
 * out_from, out_to: schema versions before and after; may be NULL
 * Owns: the caller ends with db_close, on failure too. */
MUST_USE enum err_code cli_open_migrated(const char *path, struct db **out_db, int *out_from,
                                         int *out_to, struct err *e);

/* The same for a database that has to be there.
 *
 * Errors: ERR_NOT_FOUND if it is not. */
MUST_USE enum err_code cli_open_existing(const char *path, struct db **out_db, struct err *e);

#endif
