/* A connection for each thread, found by a thread-specific key; opened anew when the generation of
 * the file has changed. */
#include "db/pool.h"

#include "base/mem.h"
#include "db/connection.h"
#include "db/scan_store.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One thread's connection, in the pool's list.
 *
 * generation: of the file that it reads */
struct slot {
    struct db_pool *pool;
    struct db *db;
    uint64_t generation;
    struct slot *next;
    struct slot *previous;
};

/* Which file stands at a path. While a connection has it open, no other file gets its number; one
 * always has, since the looking thread takes a connection too. */
struct identity {
    dev_t device;
    ino_t number;
};

/* lock:     guards the list, the spares, and changes of the generation
 * identity: of the file of this generation; of the looking thread alone
 * version:  of what was committed to it, by db_data_version; likewise
 * threads:  that connections are opened for in advance
 * columns:  that all connections share; NULL: none */
struct db_pool {
    char *path;
    size_t threads;
    int limit_ms;
    _Atomic uint64_t generation;
    struct identity identity;
    int64_t version;
    pthread_key_t key;
    pthread_mutex_t lock;
    struct slot *first;
    struct slot *spares;
    struct scan_store *columns;
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

static enum err_code identify(const char *path, struct identity *out, struct err *e)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path,
                       strerror(errno));
    *out = (struct identity){about.st_dev, about.st_ino};
    return ERR_OK;
}

static bool is_same(const struct identity *a, const struct identity *b)
{
    return a->device == b->device && a->number == b->number;
}

/* Close connections that no thread has, linked by next. */
static void close_all(struct slot *slot)
{
    while (slot) {
        struct slot *next = slot->next;

        db_close(slot->db);
        free(slot);
        slot = next;
    }
}

/* Open a connection that no thread has yet.
 *
 * returns NULL if that fails, with the reason in e */
static struct slot *open_slot(struct db_pool *pool, struct err *e)
{
    struct slot *slot = mem_array(1, sizeof *slot);

    if (!slot) {
        (void)err_nomem(e);
        return NULL;
    }
    slot->pool = pool;
    if (db_open_read(pool->path, &slot->db, e) != ERR_OK) {
        free(slot);
        return NULL;
    }
    if (pool->limit_ms > 0)
        db_set_time_limit(slot->db, pool->limit_ms);
    return slot;
}

static enum err_code open_spares(struct db_pool *pool, struct slot **out_spares, struct err *e)
{
    struct slot *spares = NULL;

    for (size_t i = 0; i < pool->threads; i++) {
        struct slot *slot = open_slot(pool, e);

        if (!slot) {
            close_all(spares);
            return e->code;
        }
        slot->next = spares;
        spares = slot;
    }
    *out_spares = spares;
    return ERR_OK;
}

enum err_code db_pool_new(const char *path, size_t threads, int limit_ms, struct db_pool **out_pool,
                          struct err *e)
{
    struct db_pool *pool = mem_array(1, sizeof *pool);
    enum err_code rc = ERR_NOMEM;

    if (!pool)
        return err_nomem(e);
    pool->threads = threads;
    pool->limit_ms = limit_ms;
    pool->path = mem_text(path, strlen(path));
    if (!pool->path || pthread_mutex_init(&pool->lock, NULL) != 0)
        goto no_lock;
    if (pthread_key_create(&pool->key, end_slot) != 0)
        goto no_key;
    /* A file that comes later is a new one. */
    (void)identify(path, &pool->identity, e);
    rc = open_spares(pool, &pool->spares, e);
    if (rc == ERR_OK) {
        *out_pool = pool;
        return ERR_OK;
    }
    (void)pthread_key_delete(pool->key); /* No thread has a connection. */
no_key:
    (void)pthread_mutex_destroy(&pool->lock); /* Nobody holds it. */
no_lock:
    free(pool->path);
    free(pool);
    return rc == ERR_NOMEM ? err_nomem(e) : rc;
}

enum err_code db_pool_keep_columns(struct db_pool *pool, size_t limit_bytes, struct err *e)
{
    return scan_store_new(limit_bytes, &pool->columns, e);
}

size_t db_pool_columns_bytes(const struct db_pool *pool)
{
    return pool->columns ? scan_store_bytes(pool->columns) : 0;
}

/* Take a spare connection.
 *
 * out_generation: of its file, or of the one that will be opened
 * returns NULL if there is none */
static struct slot *take_spare(struct db_pool *pool, uint64_t *out_generation)
{
    struct slot *slot;

    (void)pthread_mutex_lock(&pool->lock); /* Fails only for a broken mutex. */
    slot = pool->spares;
    if (slot)
        pool->spares = slot->next;
    *out_generation = atomic_load(&pool->generation);
    (void)pthread_mutex_unlock(&pool->lock);
    return slot;
}

static void add_slot(struct db_pool *pool, struct slot *slot)
{
    (void)pthread_mutex_lock(&pool->lock); /* Fails only for a broken mutex. */
    slot->previous = NULL;
    slot->next = pool->first;
    if (pool->first)
        pool->first->previous = slot;
    pool->first = slot;
    (void)pthread_mutex_unlock(&pool->lock);
}

/* Get a thread its first connection.
 *
 * returns NULL if that fails, with the reason in e */
static struct slot *new_slot(struct db_pool *pool, struct err *e)
{
    uint64_t generation;
    struct slot *slot = take_spare(pool, &generation);

    if (!slot)
        slot = open_slot(pool, e);
    if (!slot)
        return NULL;
    slot->generation = generation;
    if (pthread_setspecific(pool->key, slot) != 0) {
        slot->next = NULL;
        close_all(slot);
        (void)err_nomem(e);
        return NULL;
    }
    add_slot(pool, slot);
    return slot;
}

/* Go over to another file. Where that fails, old data is better than none, and the next call tries
 * again. */
static void renew(struct slot *slot)
{
    uint64_t generation;
    struct err e;
    struct slot *spare = take_spare(slot->pool, &generation);

    if (!spare)
        spare = open_slot(slot->pool, &e);
    if (!spare)
        return;
    db_close(slot->db);
    slot->db = spare->db;
    slot->generation = generation;
    free(spare);
}

enum err_code db_pool_get(struct db_pool *pool, struct db **out_db, struct err *e)
{
    struct slot *slot = pthread_getspecific(pool->key);

    if (!slot)
        slot = new_slot(pool, e);
    else if (slot->generation != atomic_load(&pool->generation))
        renew(slot);
    if (!slot)
        return e->code;
    slot->db->columns = pool->columns;
    *out_db = slot->db;
    return ERR_OK;
}

/* Ask what was committed. While the database cannot be asked, nothing new is read from it either.
 */
static enum db_pool_news look_inside(struct db_pool *pool)
{
    struct db *db = NULL;
    int64_t version = 0;
    struct err ignored;

    if (db_pool_get(pool, &db, &ignored) != ERR_OK ||
        db_data_version(db, &version, &ignored) != ERR_OK || version == pool->version)
        return DB_POOL_SAME;
    pool->version = version;
    return DB_POOL_WRITTEN;
}

enum err_code db_pool_look(struct db_pool *pool, enum db_pool_news *out_news, struct err *e)
{
    struct identity before = {0};
    struct identity after = {0};
    struct slot *spares = NULL;
    struct slot *old;
    enum err_code rc = identify(pool->path, &before, e);

    *out_news = look_inside(pool);
    if (rc != ERR_OK || is_same(&before, &pool->identity))
        return rc;
    rc = open_spares(pool, &spares, e);
    if (rc == ERR_OK)
        rc = identify(pool->path, &after, e);
    /* If yet another came, the next look is at that. */
    if (rc != ERR_OK || !is_same(&before, &after)) {
        close_all(spares);
        return rc;
    }
    pool->identity = after;
    (void)pthread_mutex_lock(&pool->lock); /* Fails only for a broken mutex. */
    old = pool->spares;
    pool->spares = spares;
    (void)atomic_fetch_add(&pool->generation, 1); /* Gives the old one. */
    (void)pthread_mutex_unlock(&pool->lock);
    close_all(old);
    *out_news = DB_POOL_REPLACED;
    return ERR_OK;
}

uint64_t db_pool_generation(const struct db_pool *pool)
{
    return atomic_load(&pool->generation);
}

void db_pool_free(struct db_pool *pool)
{
    if (!pool)
        return;
    (void)pthread_key_delete(pool->key); /* Threads that end later close nothing. */
    close_all(pool->first);
    close_all(pool->spares);
    scan_store_free(pool->columns);
    (void)pthread_mutex_destroy(&pool->lock); /* Nobody holds it. */
    free(pool->path);
    free(pool);
}
