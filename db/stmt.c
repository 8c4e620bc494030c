/* Prepared statements: kept with their connection, every call checked, every path reset. */
#include "db/stmt.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct stmt_table *const stmt_tables[STMT_MODULES] = {
    [STMT_TX] = &tx_statements,
    [STMT_MIGRATE] = &migrate_statements,
    [STMT_SNAPSHOT] = &snapshot_statements,
    [STMT_FACTS] = &facts_statements,
    [STMT_CATALOG] = &catalog_statements,
    [STMT_CATALOG_LOAD] = &catalog_load_statements,
    [STMT_RECIPES] = &recipes_statements,
    [STMT_RECIPES_PUT] = &recipes_put_statements,
    [STMT_RANKINGS] = &rankings_statements,
    [STMT_RANKING_PAGES] = &ranking_pages_statements,
    [STMT_FIGURES] = &figures_statements,
    [STMT_CHECKPOINTS] = &checkpoints_statements,
    [STMT_REVISIONS] = &revisions_statements,
    [STMT_EVENTS] = &events_statements,
    [STMT_STATUS] = &status_statements,
    [STMT_SCAN] = &scan_statements,
    [STMT_SCAN_WORDS] = &scan_words_statements,
};

/* Primary codes that are somebody's to act on; any other one is our mistake. */
static const struct {
    int result;
    enum err_code code;
} codes[] = {
    {SQLITE_BUSY, ERR_BUSY},      {SQLITE_LOCKED, ERR_BUSY},    {SQLITE_PROTOCOL, ERR_BUSY},
    {SQLITE_SCHEMA, ERR_BUSY},    {SQLITE_INTERRUPT, ERR_BUSY}, {SQLITE_FULL, ERR_IO},
    {SQLITE_IOERR, ERR_IO},       {SQLITE_CANTOPEN, ERR_IO},    {SQLITE_READONLY, ERR_IO},
    {SQLITE_PERM, ERR_IO},        {SQLITE_NOLFS, ERR_IO},       {SQLITE_CORRUPT, ERR_CORRUPT},
    {SQLITE_NOTADB, ERR_CORRUPT}, {SQLITE_NOMEM, ERR_NOMEM},    {SQLITE_CONSTRAINT, ERR_CONFLICT},
    {SQLITE_TOOBIG, ERR_LIMIT},
};

enum err_code stmt_code(int result)
{
    if (result == SQLITE_IOERR_NOMEM)
        return ERR_NOMEM;
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (codes[i].result == (result & 0xff))
            return codes[i].code;
    return ERR_BUG;
}

/* Tell whether an operation on the database's file, or on that of its log, failed at the disk. */
static bool has_disk_failed(sqlite3 *handle)
{
    static const int pointers[] = {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER};

    for (size_t i = 0; i < COUNT_OF(pointers); i++) {
        sqlite3_file *file = NULL;
        int number = 0;

        if (sqlite3_file_control(handle, "main", pointers[i], &file) == SQLITE_OK && file &&
            file->pMethods &&
            file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK &&
            (number == EIO || number == ENXIO))
            return true;
    }
    return false;
}

int stmt_result(sqlite3 *handle, int result)
{
    if ((result & 0xff) == SQLITE_CORRUPT && handle && has_disk_failed(handle))
        return SQLITE_IOERR;
    return result;
}

static bool has_failed(const struct stmt *s)
{
    return s->err.code != ERR_OK;
}

void stmt_fail(struct stmt *s, enum err_code code, const char *text)
{
    if (!has_failed(s))
        (void)err_set(&s->err, code, "could not %s: %s", s->what, text); /* Told by stmt_end. */
}

/* Note what SQLite said. Its own message may quote SQL, so only the code's words are used. */
static void fail(struct stmt *s, int said)
{
    int result = stmt_result(s->db->handle, said);
    enum err_code code = stmt_code(result);

    if (has_failed(s))
        return;
    if (code == ERR_BUG) /* Told by stmt_end, as are the others. */
        (void)err_bug(&s->err, "could not %s: %s (%d)", s->what, sqlite3_errstr(result), result);
    else if (result == SQLITE_INTERRUPT)
        (void)err_set(&s->err, code, "could not %s: it took longer than %d ms", s->what,
                      s->db->time_limit_ms);
    else
        stmt_fail(s, code, sqlite3_errstr(result));
}

static void start(struct stmt *s, struct db *db, const char *what)
{
    *s = (struct stmt){.db = db, .what = what, .deadline_ns = INT64_MAX};
    if (db->time_limit_ms > 0)
        s->deadline_ns = clock_steady_ns() + db->time_limit_ms * INT64_C(1000000);
}

/* Prepare text, which must be one statement. */
static sqlite3_stmt *prepare(struct stmt *s, const char *sql, size_t len)
{
    sqlite3_stmt *handle = NULL;
    int result =
        sqlite3_prepare_v3(s->db->handle, sql, (int)len, SQLITE_PREPARE_PERSISTENT, &handle, NULL);

    if (result != SQLITE_OK)
        fail(s, result);
    return handle;
}

static void take(struct stmt *s, sqlite3_stmt *handle)
{
    if (handle && sqlite3_stmt_busy(handle))
        (void)err_bug(&s->err, "could not %s: its statement is in use", s->what); /* By stmt_end. */
    else
        s->handle = handle;
}

void stmt_begin(struct stmt *s, struct db *db, enum stmt_module module, size_t row)
{
    const struct stmt_row *about = &stmt_tables[module]->rows[row];
    sqlite3_stmt **slot = &db->prepared[module][row];

    start(s, db, about->what);
    if (!*slot)
        *slot = prepare(s, about->sql, strlen(about->sql));
    take(s, *slot);
}

void stmt_begin_written(struct stmt *s, struct db *db, enum stmt_module module, size_t slot,
                        void (*write)(struct buf *sql), const char *what)
{
    sqlite3_stmt **place = &db->prepared[module][slot];
    struct buf sql;

    start(s, db, what);
    buf_init(&sql, SQL_LIMIT);
    if (!*place)
        write(&sql);
    if (sql.status != ERR_OK)
        stmt_fail(s, ERR_NOMEM, "out of memory");
    else if (!*place)
        *place = prepare(s, sql.data, sql.len);
    buf_done(&sql);
    take(s, *place);
}

void stmt_begin_recipe(struct stmt *s, struct db *db, enum stmt_module module, size_t row,
                       const char *model, const char *gpu, const char *recipe)
{
    stmt_begin(s, db, module, row);
    stmt_bind_text(s, ":model", model);
    stmt_bind_text(s, ":gpu", gpu);
    stmt_bind_text(s, ":recipe", recipe);
}

static bool has_text(const struct stmt_built *built, const char *sql, size_t len)
{
    return built->sql && built->len == len && memcmp(built->sql, sql, len) == 0;
}

/* The place of a built statement, or the one to use for it: a free one, else the oldest. */
static struct stmt_built *find_built(struct db *db, const char *sql, size_t len)
{
    struct stmt_built *oldest = &db->built[0];

    for (size_t i = 0; i < STMT_BUILT; i++) {
        if (has_text(&db->built[i], sql, len))
            return &db->built[i];
        if (db->built[i].last_use < oldest->last_use)
            oldest = &db->built[i];
    }
    return oldest;
}

static void drop_built(struct stmt_built *built)
{
    (void)sqlite3_finalize(built->handle); /* Repeats the error of the last step. */
    free(built->sql);
    *built = (struct stmt_built){0};
}

void stmt_begin_built(struct stmt *s, struct db *db, const char *sql, size_t len, const char *what)
{
    struct stmt_built *built = find_built(db, sql, len);

    start(s, db, what);
    if (!has_text(built, sql, len)) {
        drop_built(built);
        built->handle = prepare(s, sql, len);
        built->sql = mem_text(sql, len);
        built->len = len;
        if (!built->sql)
            stmt_fail(s, ERR_NOMEM, "out of memory");
        if (has_failed(s)) {
            drop_built(built);
            return;
        }
    }
    built->last_use = ++db->uses;
    take(s, built->handle);
}

enum err_code stmt_prepare(struct db *db, enum stmt_module module, size_t row, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, module, row);
    return stmt_end(&s, e);
}

/* Look a parameter up; 0 if the statement failed before or lacks it. Most are bound in their order,
 * so that the next one is looked at first: SQLite goes through all names. */
static int parameter(struct stmt *s, const char *name)
{
    const char *next;
    int index;

    if (has_failed(s))
        return 0;
    if (!name)
        return ++s->bound; /* SQLite refuses one too many. */
    next = sqlite3_bind_parameter_name(s->handle, s->bound + 1);
    index = next && strcmp(next, name) == 0 ? s->bound + 1
                                            : sqlite3_bind_parameter_index(s->handle, name);
    s->bound = index;
    if (index == 0)
        (void)err_bug(&s->err, "could not %s: no parameter %s", s->what, name); /* By stmt_end. */
    return index;
}

static void check(struct stmt *s, int result)
{
    if (result != SQLITE_OK)
        fail(s, result);
}

void stmt_bind_int(struct stmt *s, const char *name, int64_t value)
{
    int index = parameter(s, name);

    if (index > 0)
        check(s, sqlite3_bind_int64(s->handle, index, value));
}

void stmt_bind_real(struct stmt *s, const char *name, double value)
{
    int index = parameter(s, name);

    if (index > 0)
        check(s, sqlite3_bind_double(s->handle, index, value));
}

void stmt_bind_text(struct stmt *s, const char *name, const char *text)
{
    if (text)
        stmt_bind_text_n(s, name, text, strlen(text));
    else
        stmt_bind_null(s, name);
}

void stmt_bind_text_n(struct stmt *s, const char *name, const char *text, size_t len)
{
    int index = parameter(s, name);

    if (index > 0)
        check(s, sqlite3_bind_text64(s->handle, index, text, len, SQLITE_STATIC, SQLITE_UTF8));
}

void stmt_bind_null(struct stmt *s, const char *name)
{
    int index = parameter(s, name);

    if (index > 0)
        check(s, sqlite3_bind_null(s->handle, index));
}

void stmt_restart(struct stmt *s)
{
    if (!has_failed(s))
        check(s, sqlite3_reset(s->handle));
}

bool stmt_next(struct stmt *s)
{
    int result;

    if (has_failed(s))
        return false;
    s->db->deadline_ns = s->deadline_ns;
    result = sqlite3_step(s->handle);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        fail(s, result);
    return result == SQLITE_ROW;
}

bool stmt_is_null(struct stmt *s, int column)
{
    return sqlite3_column_type(s->handle, column) == SQLITE_NULL;
}

int64_t stmt_int(struct stmt *s, int column)
{
    return sqlite3_column_int64(s->handle, column);
}

double stmt_real(struct stmt *s, int column)
{
    return sqlite3_column_double(s->handle, column);
}

const char *stmt_text(struct stmt *s, int column, size_t *out_len)
{
    const char *text = (const char *)sqlite3_column_text(s->handle, column);

    if (!text && !stmt_is_null(s, column))
        stmt_fail(s, ERR_NOMEM, "out of memory");
    if (out_len)
        *out_len = text ? (size_t)sqlite3_column_bytes(s->handle, column) : 0;
    return text;
}

/* Tell a full arena from a machine without memory. */
static void fail_arena(struct stmt *s, const struct arena *arena, size_t bytes)
{
    if (bytes > arena->limit - arena->used)
        stmt_fail(s, ERR_LIMIT, "the result is too large");
    else
        stmt_fail(s, ERR_NOMEM, "out of memory");
}

const char *stmt_copy(struct stmt *s, int column, struct arena *arena)
{
    size_t len;
    const char *text = stmt_text(s, column, &len);
    const char *copy;

    if (!text || has_failed(s))
        return NULL;
    copy = arena_text(arena, text, len);
    if (!copy)
        fail_arena(s, arena, len + 1);
    return copy;
}

const char *stmt_copy_changed(struct stmt *s, int column, struct arena *arena, const char *before)
{
    const char *text = before ? stmt_text(s, column, NULL) : NULL;

    return text && strcmp(text, before) == 0 ? before : stmt_copy(s, column, arena);
}

void stmt_copy_into(struct stmt *s, int column, char *out, size_t size)
{
    size_t len;
    const char *text = stmt_text(s, column, &len);

    if (text && len < size)
        memcpy(out, text, len + 1);
}

void *stmt_array(struct stmt *s, struct arena *arena, size_t count, size_t size)
{
    void *items;

    if (has_failed(s))
        return NULL;
    items = arena_array(arena, count, size);
    if (!items)
        fail_arena(s, arena, size > 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size);
    return items;
}

enum err_code stmt_end(struct stmt *s, struct err *e)
{
    if (s->handle) {
        (void)sqlite3_reset(s->handle);          /* Repeats the error of the last step. */
        (void)sqlite3_clear_bindings(s->handle); /* Always SQLITE_OK. */
        s->handle = NULL;
    }
    if (has_failed(s))
        *e = s->err;
    return s->err.code;
}

enum err_code stmt_run(struct stmt *s, struct err *e)
{
    if (stmt_next(s))
        (void)err_bug(&s->err, "could not %s: it gave a row", s->what); /* Told by stmt_end. */
    return stmt_end(s, e);
}

void stmt_close_all(struct db *db)
{
    for (size_t module = 0; module < STMT_MODULES; module++)
        for (size_t row = 0; row < STMT_ROWS; row++) {
            (void)sqlite3_finalize(db->prepared[module][row]); /* Repeats an earlier error. */
            db->prepared[module][row] = NULL;
        }
    for (size_t i = 0; i < STMT_BUILT; i++)
        drop_built(&db->built[i]);
}
