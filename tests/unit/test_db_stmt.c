/* The statement tables: each statement compiles, and reads through an index unless its row says why
 * it does not; and what happens to a statement in use. */
#include "db/stmt.h"
#include "tests/support/db_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Tell whether a plan reads a whole table or index, or sorts. FTS5 and other virtual tables say
 * SCAN whatever they do. */
static bool is_slow(const char *detail)
{
    return (strncmp(detail, "SCAN ", 5) == 0 && !strstr(detail, "VIRTUAL TABLE")) ||
           strstr(detail, "TEMP B-TREE") != NULL;
}

static void check_plan(struct db *db, const struct stmt_row *row)
{
    char sql[4096];
    sqlite3_stmt *s;
    bool has_slow = false;
    int len = snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", row->sql);

    assert_in_range(len, 1, sizeof sql - 1);
    if (sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", row->what, sqlite3_errmsg(db->handle));
    while (sqlite3_step(s) == SQLITE_ROW)
        has_slow = has_slow || is_slow((const char *)sqlite3_column_text(s, 3));
    assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
    if (has_slow != (row->scans != NULL))
        fail_msg("%s: %s", row->what, has_slow ? "reads or sorts a whole table" : "does not scan");
}

static void statements_read_through_indexes(void **state)
{
    struct fixture *f = *state;
    size_t checked = 0;

    for (size_t module = 0; module < STMT_MODULES; module++) {
        assert_in_range(stmt_tables[module]->count, 1, STMT_ROWS);
        for (size_t row = 0; row < stmt_tables[module]->count; row++, checked++)
            check_plan(f->db, &stmt_tables[module]->rows[row]);
    }
    assert_true(checked > 40);
}

/* Parameters are named, so that none is bound by its place. */
static void parameters_have_names(void **state)
{
    (void)state;
    for (size_t module = 0; module < STMT_MODULES; module++)
        for (size_t row = 0; row < stmt_tables[module]->count; row++)
            assert_null(strchr(stmt_tables[module]->rows[row].sql, '?'));
}

static void statement_in_use_is_not_begun_again(void **state)
{
    static const char sql[] = "SELECT 1 UNION ALL SELECT 2";
    struct fixture *f = *state;
    struct stmt first;
    struct stmt second;
    struct err e;

    stmt_begin_built(&first, f->db, sql, strlen(sql), "count");
    assert_true(stmt_next(&first));
    stmt_begin_built(&second, f->db, sql, strlen(sql), "count");
    assert_false(stmt_next(&second));
    assert_int_equal(stmt_end(&second, &e), ERR_BUG);
    assert_string_equal(e.text, "could not count: its statement is in use");
    assert_true(stmt_next(&first));
    assert_int_equal(stmt_int(&first, 0), 2);
    assert_int_equal(stmt_end(&first, &e), ERR_OK);
}

static void bindings_do_not_outlive_a_use(void **state)
{
    static const char sql[] = "SELECT :a IS NULL";
    struct fixture *f = *state;
    struct stmt s;
    struct err e;

    stmt_begin_built(&s, f->db, sql, strlen(sql), "look");
    stmt_bind_text(&s, ":a", "text");
    assert_true(stmt_next(&s));
    assert_int_equal(stmt_int(&s, 0), 0);
    assert_int_equal(stmt_end(&s, &e), ERR_OK);
    stmt_begin_built(&s, f->db, sql, strlen(sql), "look");
    assert_true(stmt_next(&s));
    assert_int_equal(stmt_int(&s, 0), 1);
    assert_int_equal(stmt_end(&s, &e), ERR_OK);
}

static void unknown_parameter_is_our_bug(void **state)
{
    static const char sql[] = "SELECT :a";
    struct fixture *f = *state;
    struct stmt s;
    struct err e;

    stmt_begin_built(&s, f->db, sql, strlen(sql), "look");
    stmt_bind_int(&s, ":b", 1);
    stmt_bind_int(&s, ":a", 1);
    assert_false(stmt_next(&s));
    assert_int_equal(stmt_end(&s, &e), ERR_BUG);
    assert_string_equal(e.text, "could not look: no parameter :b");
}

static void built_statements_are_bounded(void **state)
{
    struct fixture *f = *state;
    sqlite3_stmt *handle = NULL;
    size_t alive = 0;
    struct stmt s;
    struct err e;

    for (int i = 0; i < 3 * STMT_BUILT; i++) {
        char sql[40];
        int len = snprintf(sql, sizeof sql, "SELECT %d", i);

        stmt_begin_built(&s, f->db, sql, (size_t)len, "count");
        assert_true(stmt_next(&s));
        assert_int_equal(stmt_int(&s, 0), i);
        assert_int_equal(stmt_end(&s, &e), ERR_OK);
    }
    while ((handle = sqlite3_next_stmt(f->db->handle, handle)) != NULL)
        alive += strncmp(sqlite3_sql(handle), "SELECT ", 7) == 0 && sqlite3_sql(handle)[8] != 'e';
    assert_in_range(alive, STMT_BUILT, STMT_BUILT + STMT_ROWS);
}

static void broken_sql_is_our_bug_and_not_quoted(void **state)
{
    static const char sql[] = "SELECT nonsense FROM nowhere";
    struct fixture *f = *state;
    struct stmt s;
    struct err e;

    stmt_begin_built(&s, f->db, sql, strlen(sql), "look");
    assert_false(stmt_next(&s));
    assert_int_equal(stmt_end(&s, &e), ERR_BUG);
    assert_string_equal(e.text, "could not look: SQL logic error (1)");
}

static void codes_say_what_to_do(void **state)
{
    (void)state;
    assert_int_equal(stmt_code(SQLITE_BUSY_SNAPSHOT), ERR_BUSY);
    assert_int_equal(stmt_code(SQLITE_LOCKED), ERR_BUSY);
    assert_int_equal(stmt_code(SQLITE_FULL), ERR_IO);
    assert_int_equal(stmt_code(SQLITE_IOERR_FSYNC), ERR_IO);
    assert_int_equal(stmt_code(SQLITE_IOERR_NOMEM), ERR_NOMEM);
    assert_int_equal(stmt_code(SQLITE_READONLY_DBMOVED), ERR_IO);
    assert_int_equal(stmt_code(SQLITE_CORRUPT_VTAB), ERR_CORRUPT);
    assert_int_equal(stmt_code(SQLITE_NOTADB), ERR_CORRUPT);
    assert_int_equal(stmt_code(SQLITE_NOMEM), ERR_NOMEM);
    assert_int_equal(stmt_code(SQLITE_CONSTRAINT_FOREIGNKEY), ERR_CONFLICT);
    assert_int_equal(stmt_code(SQLITE_TOOBIG), ERR_LIMIT);
    assert_int_equal(stmt_code(SQLITE_MISUSE), ERR_BUG);
    assert_int_equal(stmt_code(SQLITE_ERROR), ERR_BUG);
}

static void damage_is_not_taken_for_a_failed_disk(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(stmt_result(f->db->handle, SQLITE_CORRUPT_INDEX), SQLITE_CORRUPT_INDEX);
    assert_int_equal(stmt_result(f->db->handle, SQLITE_FULL), SQLITE_FULL);
    assert_int_equal(stmt_result(NULL, SQLITE_CORRUPT), SQLITE_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(statements_read_through_indexes, fixture_set_up_database,
                                        fixture_tear_down),
        cmocka_unit_test(parameters_have_names),
        cmocka_unit_test_setup_teardown(statement_in_use_is_not_begun_again,
                                        fixture_set_up_database, fixture_tear_down),
        cmocka_unit_test_setup_teardown(bindings_do_not_outlive_a_use, fixture_set_up_database,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(unknown_parameter_is_our_bug, fixture_set_up_database,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(built_statements_are_bounded, fixture_set_up_database,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(broken_sql_is_our_bug_and_not_quoted,
                                        fixture_set_up_database, fixture_tear_down),
        cmocka_unit_test(codes_say_what_to_do),
        cmocka_unit_test_setup_teardown(damage_is_not_taken_for_a_failed_disk,
                                        fixture_set_up_database, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_stmt", tests, NULL, NULL);
}
