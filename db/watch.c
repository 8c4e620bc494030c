/* The watching thread. Asking takes a few microseconds, ten times a second. */
#include "db/watch.h"

#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* lock:    guards is_ended
 * version: of the database when it was asked last; the thread's alone */
struct db_watch {
    db_changed *changed;
    void *context;
    struct db *db;
    int64_t version;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_ended;
};

/* Look once. While the database cannot be asked, nothing new can be read from it either. */
static void look(struct db_watch *watch)
{
    int64_t version = 0;
    struct err ignored;

    if (db_data_version(watch->db, &version, &ignored) != ERR_OK || version == watch->version)
        return;
    watch->version = version;
    watch->changed(watch->context);
}

/* Wait for the next look; false when there will be none. */
static bool wait(struct db_watch *watch)
{
    struct timespec until;
    int result = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &until); /* Fails only for an unknown clock. */
    until.tv_nsec += DB_WATCH_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_mutex_lock(&watch->lock); /* Fails only for a broken mutex. */
    while (!watch->is_ended && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&watch->ended, &watch->lock, &until);
    (void)pthread_mutex_unlock(&watch->lock);
    return result == ETIMEDOUT;
}

static void *run(void *context)
{
    while (wait(context))
        look(context);
    return NULL;
}

static enum err_code init_locks(struct db_watch *watch, struct err *e)
{
    pthread_condattr_t steady;
    int result = pthread_condattr_init(&steady);

    if (result != 0)
        return err_nomem(e);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC); /* A clock that there is. */
    result = pthread_mutex_init(&watch->lock, NULL);
    if (result == 0) {
        result = pthread_cond_init(&watch->ended, &steady);
        if (result != 0)
            (void)pthread_mutex_destroy(&watch->lock); /* Nobody holds it. */
    }
    (void)pthread_condattr_destroy(&steady); /* Nothing to fail. */
    return result == 0 ? ERR_OK : err_nomem(e);
}

static void done_locks(struct db_watch *watch)
{
    (void)pthread_cond_destroy(&watch->ended); /* Nobody waits, */
    (void)pthread_mutex_destroy(&watch->lock); /* or holds it. */
}

static enum err_code start(struct db_watch *watch, struct err *e)
{
    enum err_code rc = db_data_version(watch->db, &watch->version, e);
    int result;

    if (rc == ERR_OK)
        rc = init_locks(watch, e);
    if (rc != ERR_OK)
        return rc;
    result = pthread_create(&watch->thread, NULL, run, watch);
    if (result == 0)
        return ERR_OK;
    done_locks(watch);
    return err_set(e, ERR_IO, "cannot start a thread to watch the database: %s", strerror(result));
}

enum err_code db_watch_start(const char *path, db_changed *changed, void *context,
                             struct db_watch **out_watch, struct err *e)
{
    struct db_watch *watch = mem_array(1, sizeof *watch);
    enum err_code rc;

    if (!watch)
        return err_nomem(e);
    watch->changed = changed;
    watch->context = context;
    rc = db_open_read(path, &watch->db, e);
    if (rc == ERR_OK)
        rc = start(watch, e);
    if (rc != ERR_OK) {
        db_close(watch->db);
        free(watch);
        return rc;
    }
    *out_watch = watch;
    return ERR_OK;
}

void db_watch_stop(struct db_watch *watch)
{
    if (!watch)
        return;
    (void)pthread_mutex_lock(&watch->lock); /* Fails only for a broken mutex. */
    watch->is_ended = true;
    (void)pthread_cond_signal(&watch->ended);
    (void)pthread_mutex_unlock(&watch->lock);
    (void)pthread_join(watch->thread, NULL);
    done_locks(watch);
    db_close(watch->db);
    free(watch);
}
