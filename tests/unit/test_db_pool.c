/* The pool: one connection for each thread, while another connection writes. */
#include "db/pool.h"
#include "tests/support/db_fixture.h"

#include "base/mem.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    assert_int_equal(db_pool_new(f->path, 0, &pool, &e), ERR_OK);
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

    assert_int_equal(db_pool_new(f->path, 0, &pool, &e), ERR_OK);
    assert_int_equal(db_pool_get(pool, &first, &e), ERR_NOT_FOUND);
    fixture_migrate(f);
    assert_int_equal(db_pool_get(pool, &first, &e), ERR_OK);
    assert_int_equal(db_pool_get(pool, &second, &e), ERR_OK);
    assert_ptr_equal(first, second);
    db_pool_free(pool);
    db_pool_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_have_their_own_connections, setup, teardown),
        cmocka_unit_test_setup_teardown(failed_opening_is_tried_again, setup, teardown),
    };

    return cmocka_run_group_tests_name("db_pool", tests, NULL, NULL);
}
