/* Inside of db/: prepared statements. A statement is begun, bound, stepped and ended; the first
 * failure sticks, later calls do nothing, and stmt_end tells. Nothing outside db/ includes this. */
#ifndef DB_STMT_H
#define DB_STMT_H

#include "base/arena.h"
#include "base/buf.h"
#include "db/connection.h"

/* One fixed statement.
 *
 * sql:   with named parameters only
 * what:  what it does, for errors: "read a recipe"
 * scans: why it reads a whole table or sorts; NULL: it does not, and a test holds it to that */
struct stmt_row {
    const char *sql;
    const char *what;
    const char *scans;
};

/* The statements of one file of db/. */
struct stmt_table {
    const struct stmt_row *rows;
    size_t count;
};

/* Every table, by enum stmt_module; each stands in the file that uses it. */
extern const struct stmt_table *const stmt_tables[STMT_MODULES];
extern const struct stmt_table tx_statements;
extern const struct stmt_table migrate_statements;
extern const struct stmt_table snapshot_statements;
extern const struct stmt_table facts_statements;
extern const struct stmt_table catalog_statements;
extern const struct stmt_table catalog_load_statements;
extern const struct stmt_table recipes_statements;
extern const struct stmt_table recipes_put_statements;
extern const struct stmt_table rankings_statements;
extern const struct stmt_table ranking_pages_statements;
extern const struct stmt_table figures_statements;
extern const struct stmt_table checkpoints_statements;
extern const struct stmt_table revisions_statements;
extern const struct stmt_table events_statements;
extern const struct stmt_table status_statements;
extern const struct stmt_table scan_statements;
extern const struct stmt_table scan_words_statements;

/* A statement in use.
 *
 * handle:      NULL if it could not be prepared
 * what:        of its row
 * bound:       index of the parameter that was bound last
 * deadline_ns: when it is cut off
 * err:         the first failure; its code is ERR_OK until then */
struct stmt {
    struct db *db;
    sqlite3_stmt *handle;
    const char *what;
    int bound;
    int64_t deadline_ns;
    struct err err;
};

/* Begin a statement of a table, prepared at its first use; ends with stmt_end or stmt_run. */
void stmt_begin(struct stmt *s, struct db *db, enum stmt_module module, size_t row);

/* Begin a statement of a table that asks for one recipe by :model, :gpu and :recipe. The slugs are
 * lent until it ends. */
void stmt_begin_recipe(struct stmt *s, struct db *db, enum stmt_module module, size_t row,
                       const char *model, const char *gpu, const char *recipe);

/* Begin a statement whose text follows from the field table, and is written at its first use.
 *
 * slot:  of the module, below STMT_ROWS; no row of its table has it
 * write: appends the text
 * what:  for errors; lent */
void stmt_begin_written(struct stmt *s, struct db *db, enum stmt_module module, size_t slot,
                        void (*write)(struct buf *sql), const char *what);

/* Begin a statement with text that was put together from fixed fragments.
 *
 * sql:  copied
 * what: for errors; lent */
void stmt_begin_built(struct stmt *s, struct db *db, const char *sql, size_t len, const char *what);

/* Prepare a statement of a table, so that its later use cannot fail for want of memory. */
MUST_USE enum err_code stmt_prepare(struct db *db, enum stmt_module module, size_t row,
                                    struct err *e);

/* Bind the parameter with this name (":id"). Text and bytes are lent until the statement ends; NULL
 * text binds null. A name that the statement lacks is a bug. Without a name it is the parameter
 * after the one that was bound last: for columns of the field table, which come in its order. */
void stmt_bind_int(struct stmt *s, const char *name, int64_t value);
void stmt_bind_real(struct stmt *s, const char *name, double value);
void stmt_bind_text(struct stmt *s, const char *name, const char *text);
void stmt_bind_text_n(struct stmt *s, const char *name, const char *text, size_t len);
void stmt_bind_null(struct stmt *s, const char *name);

/* Go back before the first row; parameters keep what was bound. */
void stmt_restart(struct stmt *s);

/* Go to the next row; false at the end and after a failure. */
bool stmt_next(struct stmt *s);

/* A column of the row, from 0. Text is NULL for null, and lent until the next stmt_next or
 * stmt_end. */
bool stmt_is_null(struct stmt *s, int column);
int64_t stmt_int(struct stmt *s, int column);
double stmt_real(struct stmt *s, int column);
const char *stmt_text(struct stmt *s, int column, size_t *out_len);

/* Copy a text column into an arena; NULL for null and after a failure. */
const char *stmt_copy(struct stmt *s, int column, struct arena *arena);

/* The same, for a column whose text is mostly that of the row before.
 *
 * before: that text, in the arena; NULL: there is none */
const char *stmt_copy_changed(struct stmt *s, int column, struct arena *arena, const char *before);

/* Copy a text column into an array that its CHECK keeps it short enough for; null, and a text that
 * is too long all the same, leave the array as it is. */
void stmt_copy_into(struct stmt *s, int column, char *out, size_t size);

/* Take zeroed memory for rows from an arena; NULL after a failure, this one included. */
void *stmt_array(struct stmt *s, struct arena *arena, size_t count, size_t size);

/* Note a failure of the caller's own; the first one stays. */
void stmt_fail(struct stmt *s, enum err_code code, const char *text);

/* Reset the statement, clear its bindings, and tell how it went. */
MUST_USE enum err_code stmt_end(struct stmt *s, struct err *e);

/* Run a statement without rows to its end, and end it. */
MUST_USE enum err_code stmt_run(struct stmt *s, struct err *e);

/* Finalize every prepared statement of a connection. */
void stmt_close_all(struct db *db);

/* What a result code of SQLite means to a caller. */
enum err_code stmt_code(int result);

/* The result code that tells what happened to a connection: SQLite calls a database damaged
 * (SQLITE_CORRUPT) that it could not read, and then it is the disk that failed (SQLITE_IOERR).
 *
 * handle: NULL: the database could not be opened */
int stmt_result(sqlite3 *handle, int result);

#endif
