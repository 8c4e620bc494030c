/* Connections to the database: opening, transactions, snapshots. What is stored is in the other
 * headers of db/, one per noun. */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* One connection with its prepared statements; used by one thread at a time. */
struct db;

/* Tell SQLite not to add its memory up: nobody asks for the sum, and each allocation would take a
 * lock for it, which all threads share. To be called before anything is opened; without it all
 * works, slower. */
void db_start(void);

/* Open the database for writing, creating the file if need be: WAL, foreign keys, a busy timeout.
 * The schema may be old or absent: call db_migrate.
 *
 * Errors: ERR_IO if it cannot be opened; ERR_CORRUPT if it is no database; ERR_CONFLICT if it is
 *         another program's, which stays as it is, or from a newer version of this one (both
 *         versions named); ERR_BUSY, ERR_NOMEM.
 * Owns:   the caller ends with db_close. */
MUST_USE enum err_code db_open_write(const char *path, struct db **out_db, struct err *e);

/* Open the database read-only, with query_only and an authorizer as second locks.
 *
 * Errors: as db_open_write; ERR_NOT_FOUND if there is no file; ERR_CONFLICT too if its schema is
 * older than this program's (it says to run `openrecipes migrate`). */
MUST_USE enum err_code db_open_read(const char *path, struct db **out_db, struct err *e);

/* Tell whether reading needs to write: the -shm file beside a database that may change, but not
 * beside a snapshot. */
bool db_is_wal(const struct db *db);

/* Close a connection; NULL is fine. No transaction may be open. */
void db_close(struct db *db);

/* Cut off every later statement that takes longer: it fails with ERR_BUSY.
 *
 * limit_ms: 0: no limit. Read connections start with 5000, others with none. */
void db_set_time_limit(struct db *db, int limit_ms);

/* Bring the schema to this program's version: each migration in one transaction together with its
 * version and checksum.
 *
 * out_from, out_to: versions before and after, 0 for an empty database
 * Errors: ERR_CONFLICT for a newer database, or one whose applied migrations have other checksums
 * than the embedded ones; ERR_IO, ERR_BUSY, ERR_CORRUPT. */
MUST_USE enum err_code db_migrate(struct db *db, int *out_from, int *out_to, struct err *e);

/* The schema's version in this program, and in the open database. */
int db_schema_version(void);
MUST_USE enum err_code db_stored_version(struct db *db, int *out_version, struct err *e);

/* What a transaction does. It may run again after ERR_BUSY, so it starts by resetting its results.
 */
typedef enum err_code db_tx_fn(struct db *db, void *context, struct err *e);

/* Run a function in one IMMEDIATE transaction: committed if it returns ERR_OK, rolled back
 * otherwise. ERR_BUSY is tried again for a quarter of a minute. */
MUST_USE enum err_code db_tx_run(struct db *db, db_tx_fn *fn, void *context, struct err *e);

/* Like db_tx_run, but always rolled back: for --dry-run. */
MUST_USE enum err_code db_tx_try(struct db *db, db_tx_fn *fn, void *context, struct err *e);

/* Hold one state of the database over several reads, until db_read_end. Not nested. */
MUST_USE enum err_code db_read_begin(struct db *db, struct err *e);
void db_read_end(struct db *db);

/* A number that changes when another connection commits. */
MUST_USE enum err_code db_data_version(struct db *db, int64_t *out_version, struct err *e);

/* Write a consistent copy of the database, in use or not, to a new file, in one step: a single file
 * without WAL that opens on read-only media.
 *
 * Errors: ERR_CONFLICT if the file exists, ERR_IO. */
MUST_USE enum err_code db_snapshot(struct db *db, const char *target, struct err *e);

/* Small facts about the collection, by name: "catalog_hash", "render_version", "imported_at";
 * "change" is db_tx_run's own, which gives each state that it commits another one.
 * *out_text is NULL when unset. Owns: the caller frees *out_text with free(). */
MUST_USE enum err_code db_fact_get(struct db *db, const char *name, char **out_text, struct err *e);
MUST_USE enum err_code db_fact_put(struct db *db, const char *name, const char *text,
                                   struct err *e);

#endif
