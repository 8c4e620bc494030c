/* How columns are kept: built once for all threads, one state at a time, within their limits. */
#include "db/scan_store.h"
#include "tests/support/scan_trial.h"
#include "tests/support/test.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { RECIPES = 100, MANY = 8000 };

/* A column of some recipes takes a block, and what stands around it. */
enum { IDS_BYTES = 4 * SCAN_BLOCK, SMALL_BYTES = SCAN_BLOCK, EXTRA_BYTES = 1000 };

static int setup(void **state)
{
    (void)fixture_set_up_catalog(state); /* Fails by itself. */
    scan_trial_store(*state, RECIPES, 3);
    return 0;
}

static struct scan_store *new_store(size_t limit_bytes)
{
    struct scan_store *store;
    struct err e;

    assert_int_equal(scan_store_new(limit_bytes, &store, &e), ERR_OK);
    return store;
}

static struct scan_subject of(const char *name)
{
    const struct field *field = field_by_column(&recipe_fields, name);

    assert_non_null(field);
    return (struct scan_subject){.field = field};
}

/* Ask for the ids and up to two more columns. */
static bool lend(struct scan_store *store, void **state, const char *name, const char *a,
                 const char *b, struct scan_loan *loan)
{
    const struct fixture *f = *state;

    scan_loan_init(loan);
    if (a)
        scan_loan_want(loan, of(a));
    if (b)
        scan_loan_want(loan, of(b));
    return scan_store_lend(store, f->db, name, loan);
}

static void columns_are_lent_again(void **state)
{
    struct scan_store *store = new_store(1 << 20);
    const struct scan_column *tp;
    struct scan_loan first;
    struct scan_loan second;

    assert_true(lend(store, state, "one", "tp", NULL, &first));
    tp = scan_loan_column(&first, of("tp"));
    assert_int_equal(tp->count, RECIPES);
    assert_true(lend(store, state, "one", "tp", "pp", &second));
    assert_ptr_equal(scan_loan_column(&second, of("tp")), tp);
    assert_ptr_not_equal(scan_loan_column(&second, of("pp")), tp);
    assert_in_range(scan_store_bytes(store), IDS_BYTES + 2 * SMALL_BYTES,
                    IDS_BYTES + 2 * SMALL_BYTES + 2 * EXTRA_BYTES);
    scan_store_release(store, &first);
    scan_store_release(store, &second);
    scan_store_free(store);
    scan_store_free(NULL);
}

static void another_state_has_its_own_columns(void **state)
{
    struct scan_store *store = new_store(1 << 20);
    struct scan_loan old;
    struct scan_loan new;

    assert_true(lend(store, state, "one", "tp", NULL, &old));
    assert_true(lend(store, state, "two", "tp", NULL, &new));
    assert_ptr_not_equal(scan_loan_column(&old, of("tp")), scan_loan_column(&new, of("tp")));
    /* What is lent stays as it is, and is not counted any more. */
    assert_int_equal(scan_loan_column(&old, of("tp"))->count, RECIPES);
    assert_in_range(scan_store_bytes(store), IDS_BYTES + SMALL_BYTES,
                    IDS_BYTES + SMALL_BYTES + 2 * EXTRA_BYTES);
    scan_store_release(store, &old);
    scan_store_release(store, &new);
    scan_store_free(store);
}

static void least_recently_used_columns_leave_first(void **state)
{
    struct scan_store *store = new_store(IDS_BYTES + 2 * SMALL_BYTES + 3 * EXTRA_BYTES);
    const char *const turns[] = {"tp", "pp", "tp", "cp"};
    const struct scan_column *tp = NULL;
    struct scan_loan loan;

    for (size_t i = 0; i < COUNT_OF(turns); i++) {
        assert_true(lend(store, state, "one", turns[i], NULL, &loan));
        if (i == 0)
            tp = scan_loan_column(&loan, of("tp"));
        scan_store_release(store, &loan);
    }
    assert_in_range(scan_store_bytes(store), IDS_BYTES + 2 * SMALL_BYTES,
                    IDS_BYTES + 2 * SMALL_BYTES + 3 * EXTRA_BYTES);
    assert_true(lend(store, state, "one", "tp", NULL, &loan));
    assert_ptr_equal(scan_loan_column(&loan, of("tp")), tp);
    scan_store_release(store, &loan);
    scan_store_free(store);
}

static void what_cannot_be_kept_is_not_built_again(void **state)
{
    struct scan_store *store = new_store(IDS_BYTES + SMALL_BYTES);
    struct scan_loan loan;

    /* Once it was built, it is used. */
    assert_true(lend(store, state, "one", "tp", "pp", &loan));
    scan_store_release(store, &loan);
    assert_false(lend(store, state, "one", "tp", "pp", &loan));
    assert_in_range(scan_store_bytes(store), 0, IDS_BYTES + SMALL_BYTES);
    /* Another state may be smaller. */
    assert_true(lend(store, state, "two", "tp", NULL, &loan));
    scan_store_release(store, &loan);
    scan_store_free(store);
}

static void column_far_too_large_is_given_up(void **state)
{
    struct scan_store *store = new_store(100);
    struct scan_loan loan;

    assert_true(lend(store, state, "one", NULL, NULL, &loan));
    scan_store_release(store, &loan);
    assert_false(lend(store, state, "one", NULL, NULL, &loan));
    assert_int_equal(scan_store_bytes(store), 0);
    scan_store_free(store);
}

/* Ask for the recipes with some words. */
static bool lend_words(struct scan_store *store, void **state, const char *words,
                       struct scan_loan *loan)
{
    const struct fixture *f = *state;

    scan_loan_init(loan);
    scan_loan_want(loan, (struct scan_subject){.words = words});
    return scan_store_lend(store, f->db, "one", loan);
}

static size_t count_marks(const struct scan_column *column)
{
    size_t count = 0;

    for (size_t i = 0; i < column->count; i++)
        count += scan_column_code(column, i);
    return count;
}

static void words_are_kept_for_few_texts(void **state)
{
    struct scan_store *store = new_store(1 << 20);
    struct scan_loan loan;

    assert_true(lend_words(store, state, "\"\" \"zinc\"", &loan));
    assert_int_equal(
        count_marks(scan_loan_column(&loan, (struct scan_subject){.words = "\"\" \"zinc\""})), 0);
    scan_store_release(store, &loan);
    for (char i = 'a'; i <= 'z'; i++) {
        const char words[] = {'"', i, '"', '\0'};

        assert_true(lend_words(store, state, words, &loan));
        scan_store_release(store, &loan);
    }
    assert_in_range(scan_store_bytes(store), IDS_BYTES + SCAN_TEXTS * SMALL_BYTES,
                    IDS_BYTES + SCAN_TEXTS * (SMALL_BYTES + EXTRA_BYTES));
    scan_store_free(store);
}

static void words_that_cannot_be_looked_for_harm_nothing_else(void **state)
{
    struct scan_store *store = new_store(1 << 20);
    struct scan_loan loan;

    assert_false(lend_words(store, state, "\"", &loan));
    assert_false(lend_words(store, state, "\"", &loan));
    assert_true(lend(store, state, "one", "tp", NULL, &loan));
    scan_store_release(store, &loan);
    scan_store_free(store);
}

static void what_took_too_long_is_tried_again_later(void **state)
{
    struct scan_entries list = {.limit_bytes = 1 << 20};
    struct scan_column none = {0};

    (void)state;
    scan_entries_settle_take(&list, scan_entries_add(&list, "one", of("tp")), &none, 100);
    scan_entries_settle_take(&list, scan_entries_add(&list, "one", of("pp")), &none, INT64_MAX);
    scan_entries_drop_due(&list, 99);
    assert_int_equal(scan_entries_find(&list, "one", of("tp"))->progress, SCAN_REFUSED);
    scan_entries_drop_due(&list, 100);
    assert_null(scan_entries_find(&list, "one", of("tp")));
    assert_int_equal(scan_entries_find(&list, "one", of("pp"))->progress, SCAN_REFUSED);
    scan_entries_done(&list);
}

/* The limit is looked at every few thousand of SQLite's steps: there must be more. */
static void column_that_takes_too_long_is_left_to_sql(void **state)
{
    struct fixture *f = *state;
    struct scan_store *store = new_store(1 << 20);
    struct scan_loan loan;

    scan_trial_store(f, MANY, 4);
    db_set_time_limit(f->db, 1);
    assert_false(lend(store, state, "one", "recipe", "tokens_per_s_per_gpu", &loan));
    db_set_time_limit(f->db, 0);
    assert_false(lend(store, state, "one", "recipe", NULL, &loan));
    assert_true(lend(store, state, "two", "recipe", NULL, &loan));
    scan_store_release(store, &loan);
    scan_store_free(store);
}

static void id_too_large_is_refused(void **state)
{
    struct scan_store *store = new_store(1 << 20);
    struct scan_loan loan;

    fixture_sql(*state, "UPDATE recipes SET id = 1 << 40 WHERE id = 1");
    assert_false(lend(store, state, "one", "tp", NULL, &loan));
    assert_false(lend(store, state, "one", NULL, NULL, &loan));
    assert_int_equal(scan_store_bytes(store), 0);
    scan_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(columns_are_lent_again, setup, fixture_tear_down),
        cmocka_unit_test_setup_teardown(another_state_has_its_own_columns, setup,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(least_recently_used_columns_leave_first, setup,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_kept_is_not_built_again, setup,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(column_far_too_large_is_given_up, setup, fixture_tear_down),
        cmocka_unit_test_setup_teardown(words_are_kept_for_few_texts, setup, fixture_tear_down),
        cmocka_unit_test_setup_teardown(words_that_cannot_be_looked_for_harm_nothing_else, setup,
                                        fixture_tear_down),
        cmocka_unit_test(what_took_too_long_is_tried_again_later),
        cmocka_unit_test_setup_teardown(column_that_takes_too_long_is_left_to_sql, setup,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(id_too_large_is_refused, setup, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_scan_store", tests, NULL, NULL);
}
