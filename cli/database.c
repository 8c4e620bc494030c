/* The database's folder, file and schema. */
#include "cli/database.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum err_code cli_open_migrated(const char *path, struct db **out_db, int *out_from, int *out_to,
                                struct err *e)
{
    int from = 0;
    int to = 0;
    enum err_code rc;

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

/* The file of a scratch database in its folder. */
static const char scratch_name[] = "/openrecipes.db";

enum err_code cli_scratch_make(const char *path, char **out_path, struct err *e)
{
    const char *parent = getenv("TMPDIR");
    size_t bytes;
    char *made;

    *out_path = NULL;
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return ERR_OK;
    parent = parent && *parent ? parent : "/tmp";
    bytes = strlen(parent) + sizeof "/openrecipes.XXXXXX" + sizeof scratch_name;
    made = mem_array(bytes, 1);
    if (!made)
        return err_nomem(e);
    (void)snprintf(made, bytes, "%s/openrecipes.XXXXXX", parent); /* Fits: measured above. */
    if (!mkdtemp(made)) {
        (void)err_set(e, ERR_IO, "%s: %s", made, strerror(errno));
        free(made);
        return e->code;
    }
    memcpy(made + strlen(made), scratch_name, sizeof scratch_name);
    *out_path = made;
    return ERR_OK;
}

void cli_scratch_remove(char *path)
{
    if (!path)
        return;
    /* SQLite has removed what was beside it. What cannot be removed is left to who cleans there. */
    (void)unlink(path);
    path[strlen(path) - (sizeof scratch_name - 1)] = '\0';
    (void)rmdir(path);
    free(path);
}
