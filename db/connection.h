/* Inside of db/: what a connection is made of. Nothing outside db/ includes this. */
#ifndef DB_CONNECTION_H
#define DB_CONNECTION_H

#include "base/hash.h"
#include "db/db.h"
#include "db/status.h"

#include <sqlite3.h>
#include <stddef.h>

struct catalog;
struct scan_store;

/* Marks our files (PRAGMA application_id), so that another program's database is left alone: the
 * letters ORdb. */
#define DB_APPLICATION_ID 0x4f526462

/* The statement tables, one for each file of db/ that has fixed statements. */
enum stmt_module {
    STMT_TX,
    STMT_MIGRATE,
    STMT_SNAPSHOT,
    STMT_FACTS,
    STMT_CATALOG,
    STMT_CATALOG_LOAD,
    STMT_RECIPES,
    STMT_RECIPES_PUT,
    STMT_RANKINGS,
    STMT_RANKING_PAGES,
    STMT_FIGURES,
    STMT_CHECKPOINTS,
    STMT_REVISIONS,
    STMT_EVENTS,
    STMT_STATUS,
    STMT_SCAN,
    STMT_SCAN_WORDS,
    STMT_MODULES /* how many there are */
};

/* Rows of the table in tx.c. */
enum tx_statement {
    TX_BEGIN_READ,
    TX_BEGIN_WRITE,
    TX_COMMIT,
    TX_ROLLBACK,
    TX_DATA_VERSION,
    TX_HAS_FACTS,
    TX_NAME,
    TX_RENAME,
    TX_WAL
};

/* The fact that names a state of the database: another name at random in each transaction that
 * changed something, so that no two states have the same one, of whatever file. */
#define DB_FACT_CHANGE "change"

/* Longest statement that is put together: 48 conditions of 50 values each take half of it. */
#define SQL_LIMIT ((size_t)128 * 1024)

/* Most rows of one statement table. */
#define STMT_ROWS 24

/* Statements with built text that a connection keeps; the least recently used one goes. A page of
 * the site uses a handful; more would only be memory. */
#define STMT_BUILT 32

/* A statement whose text was put together. sql: NULL in a free place; last_use: db->uses then. */
struct stmt_built {
    char *sql;
    size_t len;
    sqlite3_stmt *handle;
    uint64_t last_use;
};

/* A connection.
 *
 * is_wal:        whether its file is a WAL database
 * has_written:   whether something was committed
 * time_limit_ms: of one statement, 0: none
 * deadline_ns:   of the statement that runs now, by the steady clock
 * prepared:      by module and row of its table; NULL until first used
 * uses:          counts uses of built statements
 * catalog:       kept by db_catalog_get; NULL: not loaded
 * catalog_version, catalog_hash: data version and content that catalog stands for
 * status:        kept by db_status_get if has_status, as of status_version
 * columns:       that it shares with the other connections of its pool; NULL: none. Lent */
struct db {
    sqlite3 *handle;
    char *path;
    bool is_wal;
    bool has_written;
    int time_limit_ms;
    int64_t deadline_ns;
    sqlite3_stmt *prepared[STMT_MODULES][STMT_ROWS];
    struct stmt_built built[STMT_BUILT];
    uint64_t uses;
    struct catalog *catalog;
    int64_t catalog_version;
    char catalog_hash[HASH_HEX_BYTES];
    bool has_status;
    int64_t status_version;
    struct db_status status;
    struct scan_store *columns;
};

enum connection_kind {
    CONNECTION_WRITE,
    CONNECTION_READ,
    CONNECTION_COPY /* read-only, but may write a copy beside it */
};

/* Open a connection of a kind, refusing what is not ours; the schema is not looked at.
 *
 * Errors: as db_open_write and db_open_read.
 * Owns:   the caller ends with db_close. */
MUST_USE enum err_code connection_open(const char *path, enum connection_kind kind,
                                       struct db **out_db, struct err *e);

/* Refuse a transaction's outcome in which recipes use a GPU or a model that the catalogue lacks.
 *
 * Errors: ERR_CONFLICT naming it. */
MUST_USE enum err_code catalog_check_uses(struct db *db, struct err *e);

/* Forget the catalogue that db_catalog_get keeps. */
void catalog_forget(struct db *db);

#endif
