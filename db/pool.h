/* One read-only connection for each thread that asks, opened at its first request and closed when
 * the thread ends, the pool is freed, or another file was put in the database's place. */
#ifndef DB_POOL_H
#define DB_POOL_H

#include "db/db.h"

struct db_pool;

/* Make a pool.
 *
 * path:    copied
 * threads: for how many connections are opened at once, so that those that ask later than others
 *          read the same file, whatever stands at the path by then; more open theirs when they ask
 * Errors:  ERR_NOMEM; as db_open_read, unless threads is 0.
 * Owns:    the caller ends with db_pool_free. */
MUST_USE enum err_code db_pool_new(const char *path, size_t threads, struct db_pool **out_pool,
                                   struct err *e);

/* The calling thread's connection. Lent until the thread's next call, or its end.
 *
 * Errors: as db_open_read; the next call tries again. */
MUST_USE enum err_code db_pool_get(struct db_pool *pool, struct db **out_db, struct err *e);

/* Look whether another file stands at the path than the one that is read: a deployment put it there
 * by rename. If it can be served, each thread goes over to it at its next db_pool_get; if not, the
 * old one is read further. Called by one thread.
 *
 * out_is_new: whether threads go over now
 * Errors:     why the new file cannot be served; ERR_NOT_FOUND if none is there. */
MUST_USE enum err_code db_pool_look(struct db_pool *pool, bool *out_is_new, struct err *e);

/* A number that changes whenever threads go over to another file. */
uint64_t db_pool_generation(const struct db_pool *pool);

/* Close what is open. No thread may still use a connection, or be about to end. NULL is fine. */
void db_pool_free(struct db_pool *pool);

#endif
