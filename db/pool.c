/* A connection for each thread, found by a thread-specific key. */
#include "db/pool.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* One thread's connection, in the pool's list. */
struct slot {
    struct db_pool *pool;
    struct db *db;
    struct slot *next;
    struct slot *previous;
};

/* lock: guards the list */
struct db_pool {
    char *path;
    int limit_ms;
    pthread_key_t key;
    pthread_mutex_t lock;
    struct slot *first;
};

/* Close the connection of a thread that ends. */
static void end_slot(void *value)
{
    struct slot *slot = value;
    struct db_pool *pool = slot->pool;

    (void)pthread_mutex_lock(&pool->lock); /* Fails only for a broken mutex. */
    if (slot->previous)
        slot->previous->next = slot->next;
    else
        pool->first = slot->next;
    if (slot->next)
        slot->next->previous = slot->previous;
    (void)pthread_mutex_unlock(&pool->lock);
    db_close(slot->db);
    free(slot);
}

enum err_code db_pool_new(const char *path, int limit_ms, struct db_pool **out_pool, struct err *e)
{
    struct db_pool *pool = mem_array(1, sizeof *pool);

    if (!pool)
        return err_nomem(e);
    pool->limit_ms = limit_ms;
    pool->path = mem_text(path, strlen(path));
    if (pool->path && pthread_mutex_init(&pool->lock, NULL) == 0) {
        if (pthread_key_create(&pool->key, end_slot) == 0) {
            *out_pool = pool;
            return ERR_OK;
        }
        (void)pthread_mutex_destroy(&pool->lock); /* Nobody holds it. */
    }
    free(pool->path);
    free(pool);
    return err_nomem(e);
}

static void add_slot(struct db_pool *pool, struct slot *slot)
{
    (void)pthread_mutex_lock(&pool->lock); /* Fails only for a broken mutex. */
    slot->next = pool->first;
    if (pool->first)
        pool->first->previous = slot;
    pool->first = slot;
    (void)pthread_mutex_unlock(&pool->lock);
}

enum err_code db_pool_get(struct db_pool *pool, struct db **out_db, struct err *e)
{
    struct slot *slot = pthread_getspecific(pool->key);
    enum err_code rc;

    if (slot) {
        *out_db = slot->db;
        return ERR_OK;
    }
    slot = mem_array(1, sizeof *slot);
    if (!slot)
        return err_nomem(e);
    slot->pool = pool;
    rc = db_open_read(pool->path, &slot->db, e);
    if (rc == ERR_OK && pthread_setspecific(pool->key, slot) != 0)
        rc = err_nomem(e);
    if (rc != ERR_OK) {
        db_close(slot->db);
        free(slot);
        return rc;
    }
    if (pool->limit_ms > 0)
        db_set_time_limit(slot->db, pool->limit_ms);
    add_slot(pool, slot);
    *out_db = slot->db;
    return ERR_OK;
}

void db_pool_free(struct db_pool *pool)
{
    if (!pool)
        return;
    (void)pthread_key_delete(pool->key); /* Threads that end later close nothing. */
    while (pool->first) {
        struct slot *next = pool->first->next;

        db_close(pool->first->db);
        free(pool->first);
        pool->first = next;
    }
    (void)pthread_mutex_destroy(&pool->lock); /* Nobody holds it. */
    free(pool->path);
    free(pool);
}
