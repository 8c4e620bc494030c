/* One read-only connection for each thread that asks, opened at its first request and closed when
 * the thread ends, the pool is freed, or another file was put in the database's place. */
#ifndef DB_POOL_H
#define DB_POOL_H

#include "db/db.h"

#include <stddef.h>

struct db_pool;

/* Make a pool.
 *
 * path:     copied
 * threads:  for how many connections are opened at once, so that those that ask later than others
 *           read the same file, whatever stands at the path by then; more open theirs when they ask
 * limit_ms: of one statement, as db_set_time_limit; 0: the default of read connections
 * Errors:   ERR_NOMEM; as db_open_read, unless threads is 0.
 * Owns:     the caller ends with db_pool_free. */
MUST_USE enum err_code db_pool_new(const char *path, size_t threads, int limit_ms,
                                   struct db_pool **out_pool, struct err *e);

/* Keep columns of the recipes in memory for queries that no index serves, shared by the connections
 * that are taken later. Called once, before other threads take any.
 *
 * limit_bytes: of what is kept, > 0
 * Errors:      ERR_NOMEM. */
MUST_USE enum err_code db_pool_keep_columns(struct db_pool *pool, size_t limit_bytes,
                                            struct err *e);

/* Bytes of the columns that are kept now. */
size_t db_pool_columns_bytes(const struct db_pool *pool);

/* The calling thread's connection. Lent until the thread's next call, or its end.
 *
 * Errors: as db_open_read; the next call tries again. */
MUST_USE enum err_code db_pool_get(struct db_pool *pool, struct db **out_db, struct err *e);

/* What has happened to the database since the last look. */
enum db_pool_news {
    DB_POOL_SAME,
    DB_POOL_WRITTEN, /* something was committed to it, or this is the first look */
    DB_POOL_REPLACED /* another file is read from now on */
};

/* Look at the database. Where another file stands at the path than the one that is read, a
 * deployment put it there by rename: if it can be served, each thread goes over to it at its next
 * db_pool_get; if not, the old one is read further. Called by one thread.
 *
 * Errors: why the new file cannot be served; ERR_NOT_FOUND if none is there. */
MUST_USE enum err_code db_pool_look(struct db_pool *pool, enum db_pool_news *out_news,
                                    struct err *e);

/* A number that changes whenever threads go over to another file. */
uint64_t db_pool_generation(const struct db_pool *pool);

/* Close what is open. No thread may still use a connection, or be about to end. NULL is fine. */
void db_pool_free(struct db_pool *pool);

#endif
