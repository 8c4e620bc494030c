/* Transactions: all or nothing, tried again while another process writes. */
#include "base/clock.h"
#include "base/mem.h"
#include "db/stmt.h"

/* How long to try, and to rest in between: an attempt may wait for the busy timeout, or find at
 * once that it cannot have the lock now. */
enum { TRY_MS = 15000, REST_MS = 20 };

/* Expands to a row for the fact that names a state, with a name at random. */
#define NEW_NAME "VALUES ('" DB_FACT_CHANGE "', lower(hex(randomblob(16))))"

static const struct stmt_row rows[] = {
    [TX_BEGIN_READ] = {"BEGIN", "begin reading", NULL},
    [TX_BEGIN_WRITE] = {"BEGIN IMMEDIATE", "begin writing", NULL},
    [TX_COMMIT] = {"COMMIT", "commit", NULL},
    [TX_ROLLBACK] = {"ROLLBACK", "roll back", NULL},
    [TX_DATA_VERSION] = {"PRAGMA data_version", "look for changes", NULL},
    [TX_HAS_FACTS] = {"SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'facts'",
                      "look for the facts", "sqlite_schema has no index and few rows"},
    [TX_NAME] = {"INSERT INTO facts (name, text) " NEW_NAME " ON CONFLICT (name) DO NOTHING",
                 "name the state", NULL},
    [TX_RENAME] = {"INSERT INTO facts (name, text) " NEW_NAME
                   " ON CONFLICT (name) DO UPDATE SET text = excluded.text",
                   "name the new state", NULL},
    [TX_WAL] = {"PRAGMA journal_mode = WAL", "turn to WAL", NULL},
};

const struct stmt_table tx_statements = {rows, COUNT_OF(rows)};

static enum err_code run(struct db *db, enum tx_statement row, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_TX, row);
    return stmt_run(&s, e);
}

/* End a transaction without its changes. SQLite may have rolled back by itself already. */
static void roll_back(struct db *db)
{
    struct err ignored;

    /* Prepared before the transaction began, so it cannot want for memory; and where the file
     * fails, SQLite ends the transaction all the same. */
    if (sqlite3_get_autocommit(db->handle) == 0)
        (void)run(db, TX_ROLLBACK, &ignored);
}

/* Refuse recipes without their GPU or model here, where it can be said which. */
static enum err_code check_references(struct db *db, struct err *e)
{
    int open = 0;
    int unused = 0;

    if (sqlite3_db_status(db->handle, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &unused, 0) != SQLITE_OK)
        return err_bug(e, "could not look at foreign keys");
    return open == 0 ? ERR_OK : catalog_check_uses(db, e);
}

/* Give the state that a transaction leaves another name than that of before, unless they are the
 * same and it has one. The first migration makes the table of such facts.
 *
 * changes: rows that the connection had changed before the transaction */
static enum err_code name_state(struct db *db, sqlite3_int64 changes, struct err *e)
{
    bool is_changed = sqlite3_total_changes64(db->handle) != changes;
    bool has_facts;
    struct stmt s;
    enum err_code rc;

    stmt_begin(&s, db, STMT_TX, TX_HAS_FACTS);
    has_facts = stmt_next(&s);
    rc = stmt_end(&s, e);
    if (rc != ERR_OK || !has_facts)
        return rc;
    return run(db, is_changed ? TX_RENAME : TX_NAME, e);
}

static enum err_code attempt(struct db *db, db_tx_fn *fn, void *context, bool keeps, struct err *e)
{
    const sqlite3_int64 changes = sqlite3_total_changes64(db->handle);
    enum err_code rc = stmt_prepare(db, STMT_TX, TX_ROLLBACK, e);

    if (rc == ERR_OK)
        rc = run(db, TX_BEGIN_WRITE, e);
    if (rc != ERR_OK)
        return rc;
    rc = fn(db, context, e);
    if (rc == ERR_OK)
        rc = check_references(db, e);
    if (rc == ERR_OK && keeps)
        rc = name_state(db, changes, e);
    if (rc == ERR_OK && keeps)
        rc = run(db, TX_COMMIT, e);
    roll_back(db);
    return rc;
}

static enum err_code run_tx(struct db *db, db_tx_fn *fn, void *context, bool keeps, struct err *e)
{
    const int64_t end_ns = clock_steady_ns() + TRY_MS * INT64_C(1000000);
    enum err_code rc;

    if (sqlite3_get_autocommit(db->handle) == 0)
        return err_bug(e, "a transaction inside a transaction");
    rc = attempt(db, fn, context, keeps, e);
    while (rc == ERR_BUSY && clock_steady_ns() < end_ns) {
        (void)sqlite3_sleep(REST_MS); /* Says how long it slept. */
        rc = attempt(db, fn, context, keeps, e);
    }
    db->has_written |= rc == ERR_OK && keeps;
    return rc;
}

enum err_code db_tx_run(struct db *db, db_tx_fn *fn, void *context, struct err *e)
{
    return run_tx(db, fn, context, true, e);
}

enum err_code db_tx_try(struct db *db, db_tx_fn *fn, void *context, struct err *e)
{
    return run_tx(db, fn, context, false, e);
}

enum err_code db_read_begin(struct db *db, struct err *e)
{
    enum err_code rc = stmt_prepare(db, STMT_TX, TX_ROLLBACK, e);

    return rc == ERR_OK ? run(db, TX_BEGIN_READ, e) : rc;
}

void db_read_end(struct db *db)
{
    roll_back(db);
}

enum err_code db_data_version(struct db *db, int64_t *out_version, struct err *e)
{
    struct stmt s;
    int64_t version = 0;
    enum err_code rc;

    stmt_begin(&s, db, STMT_TX, TX_DATA_VERSION);
    if (stmt_next(&s))
        version = stmt_int(&s, 0);
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out_version = version;
    return rc;
}
