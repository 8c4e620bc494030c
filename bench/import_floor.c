/* A straight import: read each file, walk its YAML events, insert one row with its bytes, all in
 * one transaction. It checks nothing and works nothing out. Threads read and parse; rows go in one
 * by one.
 *
 *     import_floor FOLDER DATABASE THREADS */
#include "base/file.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { FILE_LIMIT = 1024 * 1024, MOST_FILES = 10000000, MOST_THREADS = 16 };

/* lock: guards next, and the statement */
struct job {
    struct file_list files;
    size_t next;
    pthread_mutex_t lock;
    sqlite3_stmt *insert;
};

static void need(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    (void)fprintf(stderr, "import_floor: %s\n", what);
    exit(1);
}

static int count_events(const char *bytes, size_t len)
{
    yaml_parser_t parser;
    yaml_event_t event;
    bool is_end = false;
    int count = 0;

    need(yaml_parser_initialize(&parser), "memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, len);
    while (!is_end) {
        need(yaml_parser_parse(&parser, &event), "a file is no YAML");
        is_end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        count++;
    }
    yaml_parser_delete(&parser);
    return count;
}

static size_t take_next(struct job *job)
{
    size_t next;

    (void)pthread_mutex_lock(&job->lock);
    next = job->next++;
    (void)pthread_mutex_unlock(&job->lock);
    return next;
}

static void insert(struct job *job, const char *path, const char *bytes, size_t len, int events)
{
    (void)pthread_mutex_lock(&job->lock);
    (void)sqlite3_bind_text(job->insert, 1, path, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int(job->insert, 2, events);
    (void)sqlite3_bind_text(job->insert, 3, bytes, (int)len, SQLITE_STATIC);
    need(sqlite3_step(job->insert) == SQLITE_DONE, "cannot insert");
    (void)sqlite3_reset(job->insert);
    (void)pthread_mutex_unlock(&job->lock);
}

static void *work(void *context)
{
    struct job *job = context;

    for (size_t i = take_next(job); i < job->files.count; i = take_next(job)) {
        const char *path = job->files.paths[i];
        char *bytes = NULL;
        size_t len = 0;
        struct err e;

        need(file_read(path, FILE_LIMIT, &bytes, &len, &e) == ERR_OK, path);
        insert(job, path, bytes, len, count_events(bytes, len));
        free(bytes);
    }
    return NULL;
}

static void run_threads(struct job *job, size_t count)
{
    pthread_t threads[MOST_THREADS];

    for (size_t i = 0; i < count; i++)
        need(pthread_create(&threads[i], NULL, work, job) == 0, "cannot start a thread");
    for (size_t i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    struct job job = {.lock = PTHREAD_MUTEX_INITIALIZER};
    size_t threads = argc == 4 ? (size_t)strtoul(argv[3], NULL, 10) : 0;
    sqlite3 *db = NULL;
    struct err e;

    need(threads >= 1 && threads <= MOST_THREADS, "usage: import_floor FOLDER DATABASE THREADS");
    need(file_list_add(&job.files, argv[1], ".yaml", MOST_FILES, &e) == ERR_OK, e.text);
    need(sqlite3_open(argv[2], &db) == SQLITE_OK &&
             sqlite3_exec(db,
                          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA "
                          "cache_size = -65536; CREATE TABLE files (path TEXT PRIMARY KEY, events "
                          "INTEGER, bytes TEXT) STRICT; BEGIN IMMEDIATE",
                          NULL, NULL, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(db, "INSERT INTO files VALUES (?, ?, ?)", -1, &job.insert, NULL) ==
                 SQLITE_OK,
         "cannot open the database");
    run_threads(&job, threads);
    (void)sqlite3_finalize(job.insert);
    need(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK, "cannot commit");
    need(sqlite3_close(db) == SQLITE_OK, "cannot close");
    file_list_done(&job.files);
    return 0;
}
