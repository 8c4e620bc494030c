/* A consistent copy of a database in use: written beside its place, then put there in one step. */
#include "db/stmt.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY };

static const struct stmt_row rows[] = {
    [COPY] = {"VACUUM INTO :target", "copy the database", NULL},
};

const struct stmt_table snapshot_statements = {rows, COUNT_OF(rows)};

static enum err_code failed(const char *path, struct err *e)
{
    enum err_code code = errno == EEXIST ? ERR_CONFLICT : ERR_IO;

    return err_set(e, code, "%s: %s", path, strerror(errno));
}

/* Copy through a connection of its own: the caller's may not write, not even a copy. VACUUM INTO
 * leaves a file in rollback-journal mode, whatever the mode of the original. */
static enum err_code copy(const char *from, const char *to, struct err *e)
{
    struct db *db = NULL;
    struct stmt s;
    enum err_code rc = connection_open(from, CONNECTION_COPY, &db, e);

    if (rc != ERR_OK)
        return rc;
    stmt_begin(&s, db, STMT_SNAPSHOT, COPY);
    stmt_bind_text(&s, ":target", to);
    rc = stmt_run(&s, e);
    db_close(db);
    return rc;
}

/* Put a file's contents, or a folder's entries, on the disk. */
static enum err_code sync_path(const char *path, int flags, struct err *e)
{
    int fd = open(path, flags | O_RDONLY | O_CLOEXEC);
    enum err_code rc = ERR_OK;

    if (fd < 0)
        return failed(path, e);
    if (fsync(fd) != 0)
        rc = failed(path, e);
    (void)close(fd); /* Nothing was written through it. */
    return rc;
}

static enum err_code sync_folder(const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? mem_text(path, slash == path ? 1 : (size_t)(slash - path)) : mem_text(".", 1);
    enum err_code rc;

    if (!folder)
        return err_nomem(e);
    rc = sync_path(folder, O_DIRECTORY, e);
    free(folder);
    return rc;
}

static enum err_code make_temp(const char *target, char **out_temp, struct err *e)
{
    size_t bytes = strlen(target) + sizeof ".XXXXXX";
    char *temp = mem_array(bytes, 1);
    int fd;

    if (!temp)
        return err_nomem(e);
    (void)snprintf(temp, bytes, "%s.XXXXXX", target); /* Fits: measured above. */
    fd = mkstemp(temp);
    if (fd < 0) {
        enum err_code rc = failed(target, e);

        free(temp);
        return rc;
    }
    (void)fchmod(fd, 0644); /* If it fails, the copy is its owner's alone, and as good. */
    (void)close(fd);        /* Nothing was written. */
    *out_temp = temp;
    return ERR_OK;
}

enum err_code db_snapshot(struct db *db, const char *target, struct err *e)
{
    struct stat about;
    char *temp = NULL;
    enum err_code rc;

    if (lstat(target, &about) == 0)
        return err_set(e, ERR_CONFLICT, "%s: File exists", target);
    rc = make_temp(target, &temp, e);
    if (!temp)
        return rc;
    rc = copy(db->path, temp, e);
    if (rc == ERR_OK)
        rc = sync_path(temp, 0, e);
    if (rc == ERR_OK && renameat2(AT_FDCWD, temp, AT_FDCWD, target, RENAME_NOREPLACE) != 0)
        rc = failed(target, e);
    if (rc == ERR_OK)
        rc = sync_folder(target, e);
    else
        (void)unlink(temp); /* Best effort: the first failure is the one to report. */
    free(temp);
    return rc;
}
