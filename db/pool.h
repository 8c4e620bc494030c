/* One read-only connection for each thread that asks, opened at its first request and closed when
 * the thread ends or the pool is freed. */
#ifndef DB_POOL_H
#define DB_POOL_H

#include "db/db.h"

struct db_pool;

/* path: copied */
MUST_USE enum err_code db_pool_new(const char *path, struct db_pool **out_pool, struct err *e);

/* The calling thread's connection. Lent until the thread ends.
 *
 * Errors: as db_open_read; the next call tries again. */
MUST_USE enum err_code db_pool_get(struct db_pool *pool, struct db **out_db, struct err *e);

/* Close what is open. No thread may still use a connection, or be about to end. NULL is fine. */
void db_pool_free(struct db_pool *pool);

#endif
