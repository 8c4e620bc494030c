/* The pool: one connection for each thread, while another connection writes. */
#include "db/pool.h"
#include "tests/support/db_fixture.h"

#include "base/mem.h"
#include "db/stmt.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int setup(void **state)
{
    struct fixture *f = mem_array(1, sizeof *f);

    fixture_init(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

/* What one thread does, and what became of it. Threads may not use cmocka's assertions. */
struct worker {
    struct db_pool *pool;
    struct db *db;
    int failures;
};

enum { THREADS = 8, READS = 50 };

static void *work(void *context)
{
    struct worker *worker = context;
    struct err e;

    for (int i = 0; i < READS; i++) {
        struct db *db = NULL;
        char *text = NULL;

        worker->failures += db_pool_get(worker->pool, &db, &e) != ERR_OK ||
                            (worker->db && worker->db != db) ||
                            db_fact_get(db, "n", &text, &e) != ERR_OK || !text;
        worker->db = db;
        free(text);
    }
    return NULL;
}

static void threads_have_their_own_connections(void **state)
{
    struct fixture *f = *state;
    struct worker workers[THREADS] = {{0}};
    pthread_t threads[THREADS];
    struct db_pool *pool;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_fact_put(f->db, "n", "0", &e), ERR_OK);
    assert_int_equal(db_pool_new(f->path, 0, 0, &pool, &e), ERR_OK);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].pool = pool;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < READS; i++)
        assert_int_equal(db_fact_put(f->db, "n", "1", &e), ERR_OK);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].failures, 0);
    }
    db_pool_free(pool);
}

static void failed_opening_is_tried_again(void **state)
{
    struct fixture *f = *state;
    struct db_pool *pool;
    struct db *first = NULL;
    struct db *second = NULL;
    struct err e;

    assert_int_equal(db_pool_new(f->path, 0, 0, &pool, &e), ERR_OK);
    assert_int_equal(db_pool_get(pool, &first, &e), ERR_NOT_FOUND);
    fixture_migrate(f);
    assert_int_equal(db_pool_get(pool, &first, &e), ERR_OK);
    assert_int_equal(db_pool_get(pool, &second, &e), ERR_OK);
    assert_ptr_equal(first, second);
    db_pool_free(pool);
    db_pool_free(NULL);
}

static void expect_fact(struct db_pool *pool, const char *expected)
{
    struct db *db = NULL;
    char *text = NULL;
    struct err e;

    assert_int_equal(db_pool_get(pool, &db, &e), ERR_OK);
    assert_int_equal(db_fact_get(db, "n", &text, &e), ERR_OK);
    assert_string_equal(text, expected);
    free(text);
}

/* Make a snapshot in which the fact n is as given, at a path. */
static void make_snapshot(struct fixture *f, const char *n, const char *path)
{
    struct err e;

    assert_int_equal(db_fact_put(f->db, "n", n, &e), ERR_OK);
    assert_int_equal(db_snapshot(f->db, path, &e), ERR_OK);
}

static void *read_fact(void *pool)
{
    struct db *db = NULL;
    char *text = NULL;
    struct err e;

    if (db_pool_get(pool, &db, &e) != ERR_OK || db_fact_get(db, "n", &text, &e) != ERR_OK)
        return NULL;
    return text;
}

/* What a thread reads that asks for the first time. */
static void expect_fact_in_thread(struct db_pool *pool, const char *expected)
{
    pthread_t thread;
    void *text = NULL;

    assert_int_equal(pthread_create(&thread, NULL, read_fact, pool), 0);
    assert_int_equal(pthread_join(thread, &text), 0);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void another_file_is_gone_over_to_when_looked_at(void **state)
{
    struct fixture *f = *state;
    char served[FIXTURE_PATH_BYTES];
    char next[FIXTURE_PATH_BYTES];
    struct db_pool *pool;
    enum db_pool_news news;
    struct err e;

    fixture_migrate(f);
    fixture_path(f, "served.db", served);
    fixture_path(f, "next.db", next);
    make_snapshot(f, "1", served);
    make_snapshot(f, "2", next);
    assert_int_equal(db_pool_new(served, 2, 0, &pool, &e), ERR_OK);
    expect_fact(pool, "1");
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
    assert_int_equal(news, DB_POOL_WRITTEN);
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
    assert_int_equal(news, DB_POOL_SAME);
    assert_int_equal(rename(next, served), 0);
    expect_fact(pool, "1");
    /* A thread that asks before the look reads what the others do. */
    expect_fact_in_thread(pool, "1");
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
    assert_int_equal(news, DB_POOL_REPLACED);
    assert_int_equal(db_pool_generation(pool), 1);
    expect_fact(pool, "2");
    expect_fact_in_thread(pool, "2");
    /* More threads than were planned for are served too. */
    expect_fact_in_thread(pool, "2");
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
    assert_int_not_equal(news, DB_POOL_REPLACED);
    db_pool_free(pool);
}

static void what_cannot_be_read_changes_nothing(void **state)
{
    struct fixture *f = *state;
    char served[FIXTURE_PATH_BYTES];
    char log[FIXTURE_PATH_BYTES];
    struct db_pool *pool;
    enum db_pool_news news;
    struct err e;
    FILE *file;

    fixture_migrate(f);
    fixture_path(f, "served.db", served);
    make_snapshot(f, "1", served);
    assert_int_equal(db_pool_new(served, 2, 0, &pool, &e), ERR_OK);
    assert_int_equal(unlink(served), 0);
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_NOT_FOUND);
    assert_int_not_equal(news, DB_POOL_REPLACED);
    expect_fact(pool, "1");
    /* A snapshot beside the log of another database. */
    make_snapshot(f, "2", served);
    fixture_path(f, "served.db-wal", log);
    file = fopen(log, "w");
    assert_non_null(file);
    assert_true(fputs("frames", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_CONFLICT);
    assert_int_not_equal(news, DB_POOL_REPLACED);
    assert_non_null(strstr(e.text, "served.db-wal is of another database"));
    expect_fact(pool, "1");
    assert_int_equal(unlink(log), 0);
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
    assert_int_equal(news, DB_POOL_REPLACED);
    expect_fact(pool, "2");
    db_pool_free(pool);
}

static void what_is_committed_is_seen_once(void **state)
{
    struct fixture *f = *state;
    struct db_pool *pool;
    enum db_pool_news news;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_pool_new(f->path, 1, 0, &pool, &e), ERR_OK);
    assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(db_fact_put(f->db, "n", i % 2 == 0 ? "even" : "odd", &e), ERR_OK);
        assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
        assert_int_equal(news, DB_POOL_WRITTEN);
        assert_int_equal(db_pool_look(pool, &news, &e), ERR_OK);
        assert_int_equal(news, DB_POOL_SAME);
    }
    db_pool_free(pool);
}

static void connections_have_the_time_limit_of_the_pool(void **state)
{
    /* Some thirty rows, to the eighth power. */
    static const char sql[] = "SELECT count(*) FROM sqlite_schema a, sqlite_schema b, "
                              "sqlite_schema c, sqlite_schema d, sqlite_schema e, sqlite_schema f, "
                              "sqlite_schema g, sqlite_schema h WHERE a.rowid + h.rowid > 0";
    struct fixture *f = *state;
    struct db_pool *pool;
    struct db *db = NULL;
    struct stmt s;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_pool_new(f->path, 0, 7, &pool, &e), ERR_OK);
    assert_int_equal(db_pool_get(pool, &db, &e), ERR_OK);
    stmt_begin_built(&s, db, sql, strlen(sql), "count for ever");
    assert_false(stmt_next(&s));
    assert_int_equal(stmt_end(&s, &e), ERR_BUSY);
    assert_string_equal(e.text, "could not count for ever: it took longer than 7 ms");
    assert_int_equal(err_kind(e.code)->http_status, 503);
    db_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_have_their_own_connections, setup, teardown),
        cmocka_unit_test_setup_teardown(failed_opening_is_tried_again, setup, teardown),
        cmocka_unit_test_setup_teardown(another_file_is_gone_over_to_when_looked_at, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(connections_have_the_time_limit_of_the_pool, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_committed_is_seen_once, setup, teardown),
    };

    return cmocka_run_group_tests_name("db_pool", tests, NULL, NULL);
}
