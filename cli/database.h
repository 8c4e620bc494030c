/* Opening the database from the command line. */
#ifndef CLI_DATABASE_H
#define CLI_DATABASE_H

#include "db/db.h"

/* Open the database for writing with its schema up to date, making the file but not its folder.
 *
 * out_from, out_to: schema versions before and after; may be NULL
 * Owns: the caller ends with db_close, on failure too. */
MUST_USE enum err_code cli_open_migrated(const char *path, struct db **out_db, int *out_from,
                                         int *out_to, struct err *e);

/* The same for a database that has to be there.
 *
 * Errors: ERR_NOT_FOUND if it is not. */
MUST_USE enum err_code cli_open_existing(const char *path, struct db **out_db, struct err *e);

/* Where the database is missing, make a folder for one that stands for it and is thrown away, so
 * that a dry run leaves nothing behind.
 *
 * out_path: where that database is to be; NULL: path is there
 * Owns:     the caller ends with cli_scratch_remove, once the database is closed. */
MUST_USE enum err_code cli_scratch_make(const char *path, char **out_path, struct err *e);

/* Remove a scratch database and its folder; NULL is fine. Swallows the path. */
void cli_scratch_remove(char *path);

#endif
