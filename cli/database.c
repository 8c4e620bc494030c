/* The database's folder, file and schema. */
#include "cli/database.h"

#include <string.h>
#include <sys/stat.h>

/* Make the folder of a new database, so that the default place needs no step by hand. */
static void make_folder(const char *db_path)
{
    const char *slash = strrchr(db_path, '/');
    char folder[4096];

    if (!slash || slash == db_path || (size_t)(slash - db_path) >= sizeof folder)
        return;
    memcpy(folder, db_path, (size_t)(slash - db_path));
    folder[slash - db_path] = '\0';
    (void)mkdir(folder, 0755); /* If it fails, opening the database says why. */
}

enum err_code cli_open_migrated(const char *path, struct db **out_db, int *out_from, int *out_to,
                                struct err *e)
{
    int from = 0;
    int to = 0;
    enum err_code rc;

    make_folder(path);
    rc = db_open_write(path, out_db, e);
    if (rc == ERR_OK)
        rc = db_migrate(*out_db, &from, &to, e);
    if (rc == ERR_OK && out_from)
        *out_from = from;
    if (rc == ERR_OK && out_to)
        *out_to = to;
    return rc;
}

enum err_code cli_open_existing(const char *path, struct db **out_db, struct err *e)
{
    struct db *probe = NULL;

    if (db_open_read(path, &probe, e) == ERR_NOT_FOUND)
        return e->code;
    db_close(probe); /* What else is wrong with it, opening it for writing tells. */
    return cli_open_migrated(path, out_db, NULL, NULL, e);
}
