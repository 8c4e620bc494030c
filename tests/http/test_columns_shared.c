/* Columns in memory, shared by threads that ask while a writer changes the recipes: each reply is
 * what SQL gives in the same transaction. A part of db/, but one with threads, like the service. */
#include "db/pool.h"
#include "tests/support/scan_trial.h"
#include "tests/support/test.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { RECIPES = 120, THREADS = 4, COMMITS = 25, LEAST_QUERIES = 150, QUERIES_PER_READ = 6 };

/* What threads share, and one of them.
 *
 * is_ending: whether the writer is done
 * queries:   that it compared
 * problem:   NULL: none. Threads may not use cmocka's assertions */
struct asking {
    struct db_pool *pool;
    atomic_bool *is_ending;
    uint32_t seed;
    size_t queries;
    const char *problem;
};

/* Ask some queries of one state. */
static void ask_some(struct asking *a, struct db *db, struct scan_trial *trial)
{
    struct err e;

    for (int i = 0; !a->problem && i < QUERIES_PER_READ; i++, a->queries++) {
        scan_trial_make(trial, &a->seed);
        if (scan_trial_compare(db, &trial->query, 2, &a->problem, &e) != ERR_OK)
            a->problem = "no reply";
    }
}

static void *ask(void *context)
{
    struct asking *a = context;
    struct scan_trial *trial = mem_array(1, sizeof *trial);
    struct err e;

    while (trial && !a->problem && (!atomic_load(a->is_ending) || a->queries < LEAST_QUERIES)) {
        struct db *db = NULL;

        if (db_pool_get(a->pool, &db, &e) != ERR_OK || db_read_begin(db, &e) != ERR_OK) {
            a->problem = "no connection";
            break;
        }
        ask_some(a, db, trial);
        db_read_end(db);
    }
    free(trial);
    return NULL;
}

/* Let threads ask, with so much room for columns, while recipes change. */
static void ask_while_recipes_change(struct fixture *f, size_t columns_bytes)
{
    struct asking asking[THREADS] = {{0}};
    pthread_t threads[THREADS];
    atomic_bool is_ending = false;
    struct db_pool *pool;
    struct err e;

    assert_int_equal(db_pool_new(f->path, 0, 0, &pool, &e), ERR_OK);
    assert_int_equal(db_pool_keep_columns(pool, columns_bytes, &e), ERR_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        asking[i] = (struct asking){.pool = pool, .is_ending = &is_ending, .seed = 1000 + i};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &asking[i]), 0);
    }
    for (uint32_t i = 0; i < COMMITS; i++)
        scan_trial_store(f, RECIPES, i);
    atomic_store(&is_ending, true);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (asking[i].problem)
            fail_msg("thread %zu, query %zu: %s", i, asking[i].queries, asking[i].problem);
    }
    assert_in_range(db_pool_columns_bytes(pool), 0, columns_bytes);
    db_pool_free(pool);
}

static int setup(void **state)
{
    (void)fixture_set_up_catalog(state); /* Fails by itself. */
    scan_trial_store(*state, RECIPES, 99);
    return 0;
}

static void threads_see_the_state_of_their_transaction(void **state)
{
    ask_while_recipes_change(*state, 64 << 20);
}

/* Then columns leave while others use them. */
static void threads_share_little_room(void **state)
{
    ask_while_recipes_change(*state, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_see_the_state_of_their_transaction, setup,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(threads_share_little_room, setup, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("columns_shared", tests, NULL, NULL);
}
