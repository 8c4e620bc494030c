/* Opening a connection: what SQLite is told before anything is read, and what is refused before
 * anything is changed. */
#include "db/connection.h"

#include "base/clock.h"
#include "base/mem.h"
#include "db/functions.h"
#include "db/stmt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long a statement waits for another process's write before it gives ERR_BUSY. */
enum { BUSY_TIMEOUT_MS = 5000 };

/* A request that takes longer than this holds its thread from others. */
enum { READ_TIME_LIMIT_MS = 5000 };

/* Operations of SQLite's machine between two looks at the clock: some tens of microseconds. */
enum { OPERATIONS_PER_LOOK = 4000 };

/* How long to wait, and between two attempts, where SQLite itself does not: while another process
 * turns a new file to WAL. */
enum { WAL_WAIT_MS = 10000, WAL_PAUSE_MS = 20 };

/* A new file's pages: large enough for several recipes' cards, so that a list reads few of them.
 * The application id is DB_APPLICATION_ID. In a rollback journal both are there from the
 * first byte on, or the file is empty. */
static const char *const new_file[] = {
    "PRAGMA page_size = 8192",
    "PRAGMA application_id = 1330799714",
    NULL,
};

/* An import that said it is done survives a loss of power, hence FULL: it costs one more fsync for
 * each import. After a large import the log shrinks to 64 MiB again. */
static const char *const write_settings[] = {
    "PRAGMA synchronous = FULL",  "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -32768", "PRAGMA journal_size_limit = 67108864",
    "PRAGMA mmap_size = 0",       NULL,
};

/* A truncated file under mmap would be SIGBUS. Sorting stays off the disk. */
static const char *const read_settings[] = {
    "PRAGMA query_only = ON",
    "PRAGMA cache_size = -16384",
    "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = MEMORY",
    NULL,
};

static const char *const copy_settings[] = {"PRAGMA mmap_size = 0", NULL};

/* How each kind of connection is opened.
 *
 * attached:   databases that may be attached; VACUUM INTO attaches its target
 * is_guarded: whether an authorizer allows nothing but reads */
static const struct {
    int flags;
    int attached;
    bool is_guarded;
    int time_limit_ms;
    const char *const *settings;
} kinds[] = {
    [CONNECTION_WRITE] = {SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0, false, 0, write_settings},
    [CONNECTION_READ] = {SQLITE_OPEN_READONLY, 0, true, READ_TIME_LIMIT_MS, read_settings},
    [CONNECTION_COPY] = {SQLITE_OPEN_READONLY, 1, false, 0, copy_settings},
};

/* Switches that make a hostile file, or a mistake of ours, harmless. */
static const struct {
    int name;
    int value;
} switches[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_DQS_DML, 0},
    {SQLITE_DBCONFIG_DQS_DDL, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
};

/* Bounds far above what our statements need: a query of the API has at most 48 * 50 values. */
static const struct {
    int name;
    int value;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024}, {SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 8000},    {SQLITE_LIMIT_COMPOUND_SELECT, 8},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},         {SQLITE_LIMIT_WORKER_THREADS, 0},
};

/* What the first bytes of a database file say (sqlite.org/fileformat.html, read 2026-11-30). */
enum { HEADER_BYTES = 100, WRITE_VERSION_AT = 18, WRITE_VERSION_WAL = 2, APPLICATION_AT = 68 };

struct header {
    bool is_empty;
    bool is_wal;
};

static enum err_code open_failed(struct db *db, int said, struct err *e)
{
    int number = db->handle ? sqlite3_system_errno(db->handle) : 0;
    int result = stmt_result(db->handle, said);

    /* Then it is left from a look for a file that need not be there. */
    if (number == ENOENT && (result & 0xff) != SQLITE_CANTOPEN)
        number = 0;
    if (stmt_code(result) == ERR_NOMEM)
        return err_nomem(e);
    return err_set(e, stmt_code(result), "%s: cannot be opened: %s", db->path,
                   number != 0 ? strerror(number) : sqlite3_errstr(result));
}

/* Read the file's header through SQLite's own descriptor: closing another one would drop the locks
 * that this process holds on the file. */
static int read_header(struct db *db, unsigned char out[HEADER_BYTES], sqlite3_int64 *out_bytes)
{
    sqlite3_file *file = NULL;
    int result = sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);

    if (result == SQLITE_OK)
        result = file->pMethods->xFileSize(file, out_bytes);
    if (result == SQLITE_OK && *out_bytes >= HEADER_BYTES)
        result = file->pMethods->xRead(file, out, HEADER_BYTES, 0);
    return result;
}

/* Refuse what is not ours before SQLite touches it: even reading may replay another program's
 * journal. */
static enum err_code check_header(struct db *db, struct header *out, struct err *e)
{
    unsigned char bytes[HEADER_BYTES] = {0};
    const unsigned char *id = bytes + APPLICATION_AT;
    sqlite3_int64 size = 0;
    int result = read_header(db, bytes, &size);

    if (result != SQLITE_OK)
        return open_failed(db, result, e);
    out->is_empty = size == 0;
    out->is_wal = bytes[WRITE_VERSION_AT] == WRITE_VERSION_WAL;
    if (out->is_empty)
        return ERR_OK;
    if (memcmp(bytes, "SQLite format 3", 16) != 0)
        return err_set(e, ERR_CORRUPT, "%s: not a database", db->path);
    if (((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) !=
        DB_APPLICATION_ID)
        return err_set(e, ERR_CONFLICT, "%s: a database of another program", db->path);
    return ERR_OK;
}

/* Refuse a log that was left behind by another file under this name: SQLite would play its pages
 * into this one. A file that is no WAL database has none. */
static enum err_code check_log(const struct db *db, const struct header *header, struct err *e)
{
    const char *log = sqlite3_filename_wal(sqlite3_db_filename(db->handle, "main"));
    struct stat about;

    if (header->is_empty || header->is_wal || stat(log, &about) != 0 || about.st_size == 0)
        return ERR_OK;
    return err_set(e, ERR_CONFLICT,
                   "%s: %s is of another database that stood here; move it away, and the -shm "
                   "file with it",
                   db->path, log);
}

/* Allow reads, and of pragmas the one that reports changes (FTS5 asks it too). */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_TRANSACTION:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return !second && strcmp(first, "data_version") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE:
        /* To connect an FTS5 table, SQLite compiles such a change, and never runs it; where it is
         * asked for, the table may not be modified. */
        return strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int is_over_time(void *context)
{
    const struct db *db = context;

    return db->deadline_ns != INT64_MAX && clock_steady_ns() > db->deadline_ns;
}

void db_set_time_limit(struct db *db, int limit_ms)
{
    db->time_limit_ms = limit_ms;
    db->deadline_ns = INT64_MAX;
    sqlite3_progress_handler(db->handle, limit_ms > 0 ? OPERATIONS_PER_LOOK : 0,
                             limit_ms > 0 ? is_over_time : NULL, db);
}

/* Everything that needs no look at the file. */
static int configure(struct db *db, enum connection_kind kind)
{
    int result = sqlite3_busy_timeout(db->handle, BUSY_TIMEOUT_MS);

    for (size_t i = 0; i < COUNT_OF(limits); i++)
        (void)sqlite3_limit(db->handle, limits[i].name, limits[i].value); /* Gives the old one. */
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, kinds[kind].attached);
    for (size_t i = 0; result == SQLITE_OK && i < COUNT_OF(switches); i++)
        result = sqlite3_db_config(db->handle, switches[i].name, switches[i].value, NULL);
    if (result == SQLITE_OK)
        result = functions_add(db->handle);
    return result;
}

static int run_all(struct db *db, const char *const *statements)
{
    int result = SQLITE_OK;

    for (size_t i = 0; result == SQLITE_OK && statements[i]; i++)
        result = sqlite3_exec(db->handle, statements[i], NULL, NULL, NULL);
    return result;
}

/* Turn the file to WAL, in which readers and a writer do not wait for each other. */
static enum err_code set_wal(struct db *db, struct err *e)
{
    const char *mode;
    struct stmt s;

    stmt_begin(&s, db, STMT_TX, TX_WAL);
    mode = stmt_next(&s) ? stmt_text(&s, 0, NULL) : NULL;
    if (mode && strcmp(mode, "wal") != 0)
        stmt_fail(&s, ERR_IO, "its file system has no shared memory");
    return stmt_end(&s, e);
}

static enum err_code prepare_file(struct db *db, const struct header *header, struct err *e)
{
    int64_t end_ns = clock_steady_ns() + WAL_WAIT_MS * INT64_C(1000000);
    int result = header->is_empty ? run_all(db, new_file) : SQLITE_OK;
    enum err_code rc;

    if (result != SQLITE_OK)
        return open_failed(db, result, e);
    rc = set_wal(db, e);
    while (rc == ERR_BUSY && clock_steady_ns() < end_ns) {
        (void)sqlite3_sleep(WAL_PAUSE_MS); /* Says how long it slept. */
        rc = set_wal(db, e);
    }
    return rc == ERR_OK ? ERR_OK : err_wrap(e, "%s", db->path);
}

/* Read for the first time. */
static enum err_code touch(struct db *db, const struct header *header, struct err *e)
{
    int result = sqlite3_exec(db->handle, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    int primary = result & 0xff;

    if (header->is_wal && (primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY))
        return err_set(e, ERR_IO,
                       "%s: cannot be read without writing %s-shm beside it; on read-only media, "
                       "serve a copy that `openrecipes snapshot` made",
                       db->path, db->path);
    return result == SQLITE_OK ? ERR_OK : open_failed(db, result, e);
}

/* A new file needs its folder, which is not made: its path may have been mistyped. */
static enum err_code check_folder(const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');
    int len = slash ? (int)(slash - path) : 0;
    char *folder;
    bool is_there;

    if (len == 0)
        return ERR_OK; /* Here, or in the root. */
    folder = mem_text(path, (size_t)len);
    if (!folder)
        return err_nomem(e);
    is_there = access(folder, F_OK) == 0 || errno != ENOENT;
    free(folder);
    return is_there ? ERR_OK
                    : err_set(e, ERR_NOT_FOUND, "%s: there is no folder %.*s", path, len, path);
}

/* Refuse what SQLite would take: it opens folders late, and an unwritable file read-only. */
static enum err_code check_path(const char *path, enum connection_kind kind, struct err *e)
{
    struct stat about;

    if (!*path)
        return err_set(e, ERR_IO, "the database's path is empty");
    if (stat(path, &about) == 0)
        return S_ISREG(about.st_mode) ? ERR_OK
                                      : err_set(e, ERR_NOT_FOUND, "%s: not a regular file", path);
    if (errno == ENOENT && kind == CONNECTION_WRITE)
        return check_folder(path, e);
    return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
}

static enum err_code set_up(struct db *db, enum connection_kind kind, struct err *e)
{
    struct header header = {0};
    enum err_code rc;
    int result = configure(db, kind);

    if (result != SQLITE_OK)
        return open_failed(db, result, e);
    rc = check_header(db, &header, e);
    if (rc == ERR_OK)
        rc = check_log(db, &header, e);
    if (rc != ERR_OK)
        return rc;
    if (kind == CONNECTION_WRITE && sqlite3_db_readonly(db->handle, "main") == 1)
        return err_set(e, ERR_IO, "%s: may not be written", db->path);
    db->is_wal = header.is_wal || kind == CONNECTION_WRITE;
    if (kind == CONNECTION_WRITE)
        rc = prepare_file(db, &header, e);
    if (rc == ERR_OK)
        rc = touch(db, &header, e);
    if (rc != ERR_OK)
        return rc;
    result = run_all(db, kinds[kind].settings);
    if (result == SQLITE_OK && kinds[kind].is_guarded)
        result = sqlite3_set_authorizer(db->handle, authorize, NULL);
    if (result != SQLITE_OK)
        return open_failed(db, result, e);
    db_set_time_limit(db, kinds[kind].time_limit_ms);
    return ERR_OK;
}

void db_start(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* Fails only where it comes too late. */
}

/* Open by a path that SQLite takes as it stands: "file:x" and ":memory:" are file names here. */
static int open_file(struct db *db, int flags)
{
    static const int always =
        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    char *name = sqlite3_mprintf("%s%s", db->path[0] == '/' ? "" : "./", db->path);
    int result = SQLITE_NOMEM;

    if (name)
        result = sqlite3_open_v2(name, &db->handle, flags | always, NULL);
    sqlite3_free(name);
    return result;
}

enum err_code connection_open(const char *path, enum connection_kind kind, struct db **out_db,
                              struct err *e)
{
    struct db *db = NULL;
    enum err_code rc = check_path(path, kind, e);
    int result;

    if (rc != ERR_OK)
        return rc;
    db = mem_array(1, sizeof *db);
    if (!db)
        return err_nomem(e);
    db->deadline_ns = INT64_MAX;
    db->path = mem_text(path, strlen(path));
    if (!db->path) {
        rc = err_nomem(e);
        goto out;
    }
    result = open_file(db, kinds[kind].flags);
    rc = result == SQLITE_OK ? set_up(db, kind, e) : open_failed(db, result, e);
out:
    if (rc == ERR_OK)
        *out_db = db;
    else
        db_close(db);
    return rc;
}
