/* The migration runner: forward only, each file in one transaction together with its row in
 * schema_migrations, so that a killed process leaves all of it or nothing. */
#include "db/migrate.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "db/stmt.h"

#include <string.h>

enum { HAS_TABLE, CREATE_TABLE, LIST, ADD };

static const struct stmt_row rows[] = {
    [HAS_TABLE] = {"SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = "
                   "'schema_migrations'",
                   "look for the schema", "sqlite_schema has no index and few rows"},
    [CREATE_TABLE] = {"CREATE TABLE IF NOT EXISTS schema_migrations ("
                      "version INTEGER NOT NULL PRIMARY KEY CHECK (version >= 1), "
                      "name TEXT NOT NULL, "
                      "checksum TEXT NOT NULL CHECK (length(checksum) = 64), "
                      "applied_at TEXT NOT NULL CHECK (length(applied_at) = 20)"
                      ") STRICT",
                      "create the list of migrations", NULL},
    [LIST] = {"SELECT version, name, checksum FROM schema_migrations ORDER BY version",
              "read the list of migrations", "it is wanted whole"},
    [ADD] = {"INSERT INTO schema_migrations (version, name, checksum, applied_at) "
             "VALUES (:version, :name, :checksum, :applied_at)",
             "note a migration", NULL},
};

const struct stmt_table migrate_statements = {rows, COUNT_OF(rows)};

const struct embed_file *migrate_files(size_t *out_count)
{
    const struct embed_file *first = NULL;
    size_t count = 0;

    /* Files are sorted by path, so those of one folder stand together. */
    for (size_t i = 0; i < embed_count; i++)
        if (text_starts(embed_files[i].path, "migrations/")) {
            first = first ? first : &embed_files[i];
            count++;
        }
    *out_count = count;
    return first;
}

int db_schema_version(void)
{
    size_t count;

    (void)migrate_files(&count); /* Only their number is asked for. */
    return (int)count;
}

static enum err_code has_table(struct db *db, bool *out_has, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_MIGRATE, HAS_TABLE);
    *out_has = stmt_next(&s);
    return stmt_end(&s, e);
}

enum err_code db_stored_version(struct db *db, int *out_version, struct err *e)
{
    int version = 0;
    bool has = false;
    struct stmt s;
    enum err_code rc = has_table(db, &has, e);

    if (rc == ERR_OK && has) {
        stmt_begin(&s, db, STMT_MIGRATE, LIST);
        while (stmt_next(&s))
            version = (int)stmt_int(&s, 0);
        rc = stmt_end(&s, e);
    }
    if (rc == ERR_OK)
        *out_version = version;
    return rc;
}

/* Compare an applied migration with the file of its version. */
static void check_applied(struct stmt *s, const struct embed_file *file, struct err *e)
{
    char checksum[HASH_HEX_BYTES];
    const char *name = stmt_text(s, 1, NULL);
    const char *stored = stmt_text(s, 2, NULL);

    hash_sha256(file->bytes, file->len, checksum);
    if (name && stored && strcmp(stored, checksum) != 0 && e->code == ERR_OK)
        (void)err_set(e, ERR_CONFLICT, /* Looked at by the caller. */
                      "the database was migrated by another text of %s (as %s) than this program "
                      "has: it has checksum %.12s, not %.12s",
                      file->path, name, stored, checksum);
}

/* Read the stored version, refusing a schema that the list does not lead to. */
static enum err_code check(struct db *db, const struct embed_file *files, size_t count,
                           int *out_stored, struct err *e)
{
    struct err refusal = {.code = ERR_OK};
    int stored = 0;
    bool has = false;
    struct stmt s;
    enum err_code rc = has_table(db, &has, e);

    *out_stored = 0;
    if (rc != ERR_OK || !has)
        return rc;
    stmt_begin(&s, db, STMT_MIGRATE, LIST);
    while (stmt_next(&s)) {
        stored = (int)stmt_int(&s, 0);
        if (stored >= 1 && (size_t)stored <= count)
            check_applied(&s, &files[stored - 1], &refusal);
    }
    rc = stmt_end(&s, e);
    if (rc != ERR_OK)
        return rc;
    if (stored < 0 || (size_t)stored > count)
        return err_set(e, ERR_CONFLICT,
                       "%s: its schema is version %d, this program knows up to %zu; use a newer "
                       "openrecipes",
                       db->path, stored, count);
    if (refusal.code != ERR_OK) {
        *e = refusal;
        return err_wrap(e, "%s", db->path);
    }
    *out_stored = stored;
    return ERR_OK;
}

static enum err_code note(struct db *db, int version, const struct embed_file *file, struct err *e)
{
    char now[CLOCK_TEXT_BYTES];
    char checksum[HASH_HEX_BYTES];
    struct stmt s;

    clock_now_text(now);
    hash_sha256(file->bytes, file->len, checksum);
    stmt_begin(&s, db, STMT_MIGRATE, ADD);
    stmt_bind_int(&s, ":version", version);
    stmt_bind_text(&s, ":name", file->path);
    stmt_bind_text(&s, ":checksum", checksum);
    stmt_bind_text(&s, ":applied_at", now);
    return stmt_run(&s, e);
}

struct list {
    const struct embed_file *files;
    size_t count;
};

/* Apply the next migration, if another process has not done so in the meantime. */
static enum err_code apply_next(struct db *db, void *context, struct err *e)
{
    const struct list *list = context;
    const struct embed_file *file;
    struct stmt s;
    int stored = 0;
    int result;
    enum err_code rc = check(db, list->files, list->count, &stored, e);

    if (rc != ERR_OK || (size_t)stored == list->count)
        return rc;
    file = &list->files[stored];
    stmt_begin(&s, db, STMT_MIGRATE, CREATE_TABLE);
    rc = stmt_run(&s, e);
    if (rc != ERR_OK)
        return rc;
    result = stmt_result(db->handle, sqlite3_exec(db->handle, file->bytes, NULL, NULL, NULL));
    if (result != SQLITE_OK)
        return err_set(e, stmt_code(result), "%s: %s", file->path, sqlite3_errstr(result));
    if (sqlite3_get_autocommit(db->handle) != 0)
        return err_bug(e, "%s ends the transaction, which is the runner's", file->path);
    return note(db, stored + 1, file, e);
}

enum err_code migrate_apply(struct db *db, const struct embed_file *files, size_t count,
                            int *out_from, int *out_to, struct err *e)
{
    struct list list = {files, count};
    int from = 0;
    int stored;
    enum err_code rc = check(db, files, count, &from, e);

    for (stored = from; rc == ERR_OK && (size_t)stored < count;) {
        rc = db_tx_run(db, apply_next, &list, e);
        if (rc == ERR_OK)
            rc = check(db, files, count, &stored, e);
        else
            (void)err_wrap(e, "%s: migrating", db->path); /* rc is its code. */
    }
    if (rc == ERR_OK) {
        *out_from = from;
        *out_to = stored;
    }
    return rc;
}

enum err_code db_migrate(struct db *db, int *out_from, int *out_to, struct err *e)
{
    size_t count;
    const struct embed_file *files = migrate_files(&count);

    return migrate_apply(db, files, count, out_from, out_to, e);
}
