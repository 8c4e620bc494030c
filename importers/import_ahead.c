/* A ring of files. Threads take the next one of the list while there is room; so does the thread
 * that stores, when it would have to wait. */
#include "importers/import_ahead.h"

#include "base/mem.h"
#include "importers/catalog_files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files in the ring: so many that no thread waits for another one's long file, so few that files of
 * the longest kind fit into memory. */
enum { RING = 32 };

/* Beside the one that stores, which is the slowest from here on. */
enum { MOST_THREADS = 3 };

/* Files for which a thread is worth its start. */
enum { FILES_OF_A_THREAD = 64 };

struct slot {
    struct import_file file;
    bool is_done;
};

/* lock:      guards next, taken, is_ended and the slots' is_done
 * has_file:  a file is done
 * has_room:  half of the ring is free
 * next:      file that nobody has begun
 * taken:     files that were handed back, without the one that is lent now
 * is_needed: of import_ahead_expect
 * last:      folder of the thread that stores */
struct import_ahead {
    const struct file_list *files;
    const struct catalog *catalog;
    pthread_mutex_t lock;
    pthread_cond_t has_file;
    pthread_cond_t has_room;
    size_t next;
    size_t taken;
    bool is_lent;
    bool is_ended;
    atomic_bool is_needed;
    struct file_folder last;
    struct slot ring[RING];
    pthread_t threads[MOST_THREADS];
    size_t thread_count;
};

static void file_done(struct import_file *file)
{
    if (file->has_draft)
        import_draft_clear(&file->draft);
    report_done(&file->report);
    free(file->bytes);
    free(file->canonical);
    file->has_draft = false;
    file->bytes = file->canonical = NULL;
}

/* Read a file. One that is too long is a problem of that file, not the end of the import. */
static enum err_code read_bytes(struct import_file *file, const char *path,
                                struct file_folder *last, struct err *e)
{
    enum err_code rc = file_canonical(last, path, &file->canonical, e);

    if (rc != ERR_OK)
        return rc;
    rc = file_read(path, RECIPE_FILE_LIMIT, &file->bytes, &file->len, e);
    if (rc == ERR_LIMIT)
        report_add(&file->report, SEVERITY_ERROR, 0, 0, "", "the file is longer than %d bytes",
                   RECIPE_FILE_LIMIT);
    if (rc == ERR_OK)
        hash_sha256(file->bytes, file->len, file->hash);
    return rc == ERR_LIMIT ? ERR_OK : rc;
}

struct import_source import_file_source(const struct import_file *file, const char *path)
{
    struct import_source source = {
        .path = path, .canonical = file->canonical, .bytes = file->bytes, .len = file->len};

    memcpy(source.hash, file->hash, sizeof source.hash);
    return source;
}

enum err_code import_file_parse(struct import_file *file, const struct import_source *source,
                                const struct catalog *catalog, struct err *e)
{
    if (file->has_draft)
        return ERR_OK;
    file->has_draft = true;
    return import_draft_read(source, catalog, &file->draft, e);
}

/* Fill a slot, whose last file is released by whoever fills it. What was found stays in the file:
 * it is told when its turn comes. */
static void fill(struct import_ahead *a, size_t index, struct file_folder *last)
{
    struct import_file *file = &a->ring[index % RING].file;
    const char *path = a->files->paths[index];
    enum catalog_file which;
    enum err_code rc;
    struct err e;

    file_done(file);
    report_init(&file->report);
    file->error = (struct err){0};
    if (catalog_path_kind(path, &which) != CATALOG_PATH_NONE)
        return;
    rc = read_bytes(file, path, last, &e);
    if (rc == ERR_OK && file->bytes && atomic_load(&a->is_needed)) {
        const struct import_source source = import_file_source(file, path);

        rc = import_file_parse(file, &source, a->catalog, &e);
    }
    if (rc != ERR_OK)
        file->error = e;
}

static void lock(struct import_ahead *a)
{
    (void)pthread_mutex_lock(&a->lock); /* Fails only for a broken mutex. */
}

static void unlock(struct import_ahead *a)
{
    (void)pthread_mutex_unlock(&a->lock); /* Likewise. */
}

/* Tell whether there is a file that nobody has begun, and room for it; the lock being held. */
static bool has_next(const struct import_ahead *a)
{
    return a->next < a->files->count && a->next - a->taken < RING;
}

/* Read that file; the lock is held before and after. */
static void read_next(struct import_ahead *a, struct file_folder *last)
{
    size_t index = a->next++;

    unlock(a);
    fill(a, index, last);
    lock(a);
    a->ring[index % RING].is_done = true;
    (void)pthread_cond_signal(&a->has_file); /* Fails only for a broken one, as do the others. */
}

/* Whoever has waited for room waits for half of the ring, so that threads do not wake each other
 * for each file. */
static void *work(void *context)
{
    struct import_ahead *a = context;
    struct file_folder last = {0};

    lock(a);
    while (!a->is_ended && a->next < a->files->count) {
        if (has_next(a))
            read_next(a, &last);
        else
            (void)pthread_cond_wait(&a->has_room, &a->lock);
    }
    unlock(a);
    file_folder_done(&last);
    return NULL;
}

/* Beside the thread that stores there is one for each further processor. Where one cannot be
 * started, the others do its work. */
static void start_threads(struct import_ahead *a)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = processors > 1 ? (size_t)processors - 1 : 1;

    if (wanted > MOST_THREADS)
        wanted = MOST_THREADS;
    if (wanted > a->files->count / FILES_OF_A_THREAD)
        wanted = a->files->count / FILES_OF_A_THREAD;
    while (a->thread_count < wanted &&
           pthread_create(&a->threads[a->thread_count], NULL, work, a) == 0)
        a->thread_count++;
}

enum err_code import_ahead_start(const struct file_list *files, const struct catalog *catalog,
                                 struct import_ahead **out, struct err *e)
{
    struct import_ahead *a = mem_array(1, sizeof *a);

    if (!a)
        return err_nomem(e);
    a->files = files;
    a->catalog = catalog;
    for (size_t i = 0; i < RING; i++) {
        report_init(&a->ring[i].file.report);
        import_draft_init(&a->ring[i].file.draft);
    }
    atomic_init(&a->is_needed, true);
    /* These allocate nothing here, and fail for nothing else. */
    (void)pthread_mutex_init(&a->lock, NULL);
    (void)pthread_cond_init(&a->has_file, NULL);
    (void)pthread_cond_init(&a->has_room, NULL);
    start_threads(a);
    *out = a;
    return ERR_OK;
}

/* While the file that is wanted is being read, this thread reads others. */
struct import_file *import_ahead_next(struct import_ahead *a)
{
    struct slot *slot;

    lock(a);
    if (a->is_lent) {
        a->ring[a->taken % RING].is_done = false;
        a->taken++;
    }
    a->is_lent = true;
    if (a->next - a->taken == RING / 2)
        (void)pthread_cond_broadcast(&a->has_room);
    slot = &a->ring[a->taken % RING];
    while (!slot->is_done) {
        if (has_next(a))
            read_next(a, &a->last);
        else
            (void)pthread_cond_wait(&a->has_file, &a->lock);
    }
    unlock(a);
    return &slot->file;
}

void import_ahead_expect(struct import_ahead *a, bool is_needed)
{
    atomic_store(&a->is_needed, is_needed);
}

void import_ahead_stop(struct import_ahead *a)
{
    if (!a)
        return;
    lock(a);
    a->is_ended = true;
    (void)pthread_cond_broadcast(&a->has_room);
    unlock(a);
    for (size_t i = 0; i < a->thread_count; i++)
        (void)pthread_join(a->threads[i], NULL); /* Each was started, and none is detached. */
    for (size_t i = 0; i < RING; i++) {
        file_done(&a->ring[i].file);
        import_draft_done(&a->ring[i].file.draft);
    }
    file_folder_done(&a->last);
    (void)pthread_cond_destroy(&a->has_room); /* Nobody waits, */
    (void)pthread_cond_destroy(&a->has_file);
    (void)pthread_mutex_destroy(&a->lock); /* or holds it. */
    free(a);
}
