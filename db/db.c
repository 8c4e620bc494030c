/* Opening and closing the database for the rest of the program, with its schema checked. */
#include "db/db.h"

#include "db/stmt.h"

#include <assert.h>
#include <stdlib.h>

/* Compare the schema with what this program knows. */
static enum err_code check_version(struct db *db, bool may_be_older, struct err *e)
{
    int known = db_schema_version();
    int stored = 0;
    enum err_code rc = db_stored_version(db, &stored, e);

    if (rc != ERR_OK)
        return err_wrap(e, "%s", db->path);
    if (stored > known)
        return err_set(e, ERR_CONFLICT,
                       "%s: its schema is version %d, this program knows up to %d; use a newer "
                       "openrecipes",
                       db->path, stored, known);
    if (stored < known && !may_be_older)
        return err_set(e, ERR_CONFLICT,
                       "%s: its schema is version %d, this program needs %d; run `openrecipes "
                       "migrate`",
                       db->path, stored, known);
    return ERR_OK;
}

static enum err_code open_checked(const char *path, enum connection_kind kind, struct db **out_db,
                                  struct err *e)
{
    struct db *db = NULL;
    enum err_code rc = connection_open(path, kind, &db, e);

    if (rc == ERR_OK)
        rc = check_version(db, kind == CONNECTION_WRITE, e);
    if (rc == ERR_OK)
        *out_db = db;
    else
        db_close(db);
    return rc;
}

enum err_code db_open_write(const char *path, struct db **out_db, struct err *e)
{
    return open_checked(path, CONNECTION_WRITE, out_db, e);
}

enum err_code db_open_read(const char *path, struct db **out_db, struct err *e)
{
    return open_checked(path, CONNECTION_READ, out_db, e);
}

bool db_is_wal(const struct db *db)
{
    return db->is_wal;
}

void db_close(struct db *db)
{
    int result;

    if (!db)
        return;
    catalog_forget(db);
    stmt_close_all(db);
    result = sqlite3_close(db->handle);
    assert(result == SQLITE_OK); /* No statement is left. */
    (void)result;
    free(db->path);
    free(db);
}
