/* Importing while memory fails at every point in turn: the command ends with a code
 * that says so, the database is as before or complete, and the next import makes it right. */
#include "tests/support/faults.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* All that import writes and that must come together, in one line. */
static const char fingerprint_sql[] =
    "SELECT (SELECT count(*) FROM gpus) || ' GPUs, ' || (SELECT count(*) FROM models) || "
    "' models, ' || (SELECT count(*) FROM prices) || ' prices, ' || (SELECT count(*) FROM recipes)"
    " || ' recipes, ' || (SELECT count(*) FROM recipe_search) || ' searched, ' || "
    "(SELECT count(*) FROM rankings) || ' rankings: ' || coalesce((SELECT group_concat(digest) "
    "FROM "
    "(SELECT digest FROM recipe_texts ORDER BY digest)), 'nothing')";

static const char empty[] =
    "0 GPUs, 0 models, 0 prices, 0 recipes, 0 searched, 0 rankings: nothing";

/* What the tests work in.
 *
 * complete:    fingerprint after an import where nothing fails
 * older:       bytes of a database that has one recipe
 * older_print: its fingerprint */
struct place {
    char folder[SCRATCH_BYTES];
    char db[SCRATCH_BYTES];
    struct faults faults;
    char *complete;
    char *older;
    size_t older_len;
    char *older_print;
};

static void import(struct place *p, const char *recipes, struct process_result *out_result)
{
    const char *argv[] = {process_binary(), "import", "--db", p->db, "catalog", recipes, NULL};
    struct process_command command = {.argv = argv, .variables = p->faults.variables};

    process_run(&command, out_result);
}

/* The one value of a statement; the test fails if the database gives none.
 *
 * Owns: the caller frees it with free(). */
static char *ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char *answer;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    answer = strdup((const char *)sqlite3_column_text(statement, 0));
    assert_non_null(answer);
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
    return answer;
}

/* What the database holds; that of an empty one before its schema is there.
 *
 * Owns: the caller frees it with free(). */
static char *fingerprint(const struct place *p)
{
    sqlite3 *db = NULL;
    char *tables;
    char *answer;

    assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
    answer = ask(db, "PRAGMA integrity_check");
    assert_string_equal(answer, "ok");
    free(answer);
    tables = ask(db, "SELECT count(*) FROM sqlite_schema");
    answer = strcmp(tables, "0") == 0 ? strdup(empty) : ask(db, fingerprint_sql);
    assert_non_null(answer);
    free(tables);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return answer;
}

static void remove_database(const struct place *p)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[SCRATCH_BYTES + 16];

        assert_true(snprintf(path, sizeof path, "%s%s", p->db, suffixes[i]) < (int)sizeof path);
        (void)remove(path); /* Not all of them are there. */
    }
}

/* Import with nothing failing, and hand out what the database holds then.
 *
 * Owns: the caller frees it with free(). */
static char *import_well(struct place *p, const char *recipes, const char *after)
{
    struct process_result result;

    import(p, recipes, &result);
    if (result.exit_code != 0)
        fail_msg("after %s: import ended with %d, signal %d: %s", after, result.exit_code,
                 result.signal, result.err);
    process_result_done(&result);
    return fingerprint(p);
}

/* Tell whether a command may end like this. Where a disk fails, SQLite takes a read that gives EIO
 * for a damaged database (SQLITE_IOERR_CORRUPTFS), and a lock that gives it for a busy one. */
static bool is_documented(int exit_code, const struct fault_mode *mode)
{
    switch (mode->kind) {
    case FAULT_MALLOC:
        return exit_code == 0 || exit_code == EX_OSERR;
    case FAULT_SPACE:
        return exit_code == 0 || exit_code == EX_IOERR;
    case FAULT_IO:
        return exit_code == 0 || exit_code == EX_IOERR || exit_code == EX_SOFTWARE ||
               exit_code == EX_TEMPFAIL;
    case FAULT_KINDS:
        break;
    }
    return false;
}

/* Judge one import that was disturbed.
 *
 * before: what the database held
 * when:   what was done, for messages */
static void check_outcome(struct place *p, const struct process_result *r,
                          const struct fault_mode *mode, const char *before, const char *when)
{
    char *found = fingerprint(p);
    bool is_complete = strcmp(found, p->complete) == 0;

    if (r->signal != 0)
        fail_msg("%s: ended by signal %d: %s", when, r->signal, r->err);
    if (!is_documented(r->exit_code, mode))
        fail_msg("%s: exit code %d: %s", when, r->exit_code, r->err);
    if (r->exit_code != 0 && !*r->err)
        fail_msg("%s: exit code %d without a word", when, r->exit_code);
    if (!is_complete && (r->exit_code == 0 || strcmp(found, before) != 0))
        fail_msg("%s: exit code %d, and the database holds %s", when, r->exit_code, found);
    free(found);
}

/* An import where nothing fails makes the database complete. */
static void check_recovery(struct place *p, const char *when)
{
    char *found = import_well(p, "recipes", when);

    if (strcmp(found, p->complete) != 0)
        fail_msg("after %s: the next import gives %s, not %s", when, found, p->complete);
    free(found);
}

/* Fail the n-th call of one import, for each n there is.
 *
 * prepare: makes the database as it is before each import; returns its fingerprint */
static void fail_each_call(struct place *p, const struct fault_mode *mode,
                           const char *(*prepare)(struct place *p))
{
    long injected = 1;
    long failures = 0;

    for (long n = 1; injected > 0; n = faults_next(n)) {
        struct process_result result;
        const char *before = prepare(p);
        char when[100];

        assert_true(snprintf(when, sizeof when, "%s, call %ld", mode->name, n) > 0);
        faults_arm(&p->faults, mode, n);
        import(p, "recipes", &result);
        injected = faults_disarm(&p->faults);
        check_outcome(p, &result, mode, before, when);
        if (injected == 0)
            assert_int_equal(result.exit_code, 0);
        failures += result.exit_code != 0;
        process_result_done(&result);
        /* Most leave the very same database behind; one in ten is enough of those. */
        if (n <= 200 || n % 10 == 0)
            check_recovery(p, when);
    }
    /* Else the faults hit nothing that matters, and the above says nothing. */
    assert_true(failures > 20);
}

static const char *prepare_nothing(struct place *p)
{
    remove_database(p);
    return empty;
}

static const char *prepare_older(struct place *p)
{
    remove_database(p);
    scratch_write(p->db, p->older, p->older_len);
    return p->older_print;
}

static void a_new_database_while_one_allocation_fails(void **state)
{
    fail_each_call(*state, &fault_modes[FAULT_ONE_ALLOCATION], prepare_nothing);
}

static void a_new_database_without_memory(void **state)
{
    fail_each_call(*state, &fault_modes[FAULT_NO_MEMORY], prepare_nothing);
}

static void a_new_database_while_one_operation_fails(void **state)
{
    fail_each_call(*state, &fault_modes[FAULT_ONE_OPERATION], prepare_nothing);
}

static void a_new_database_on_a_full_disk(void **state)
{
    fail_each_call(*state, &fault_modes[FAULT_FULL_DISK], prepare_nothing);
}

static void an_older_database_while_one_operation_fails(void **state)
{
    fail_each_call(*state, &fault_modes[FAULT_ONE_OPERATION], prepare_older);
}

static void an_older_database_on_a_full_disk(void **state)
{
    fail_each_call(*state, &fault_modes[FAULT_FULL_DISK], prepare_older);
}

static void the_shim_sees_what_import_does(void **state)
{
    struct place *p = *state;
    struct process_result result;

    remove_database(p);
    import(p, "recipes", &result);
    assert_int_equal(result.exit_code, 0);
    process_result_done(&result);
    assert_true(faults_count(&p->faults, FAULT_MALLOC) > 500);
    assert_true(faults_count(&p->faults, FAULT_IO) > 50);
    assert_true(faults_count(&p->faults, FAULT_SPACE) > 50);
}

static int set_up(void **state)
{
    struct place *p = calloc(1, sizeof *p);

    assert_non_null(p);
    scratch_make(p->folder);
    scratch_path(p->db, p->folder, "openrecipes.db");
    faults_init(&p->faults, p->folder);
    p->older_print = import_well(p, "recipes/gemma-4-31b", "nothing");
    assert_non_null(strstr(p->older_print, " 1 recipes, 1 searched"));
    p->older = scratch_read(p->db, &p->older_len);
    p->complete = import_well(p, "recipes", "nothing");
    assert_non_null(strstr(p->complete, " 5 recipes, 5 searched"));
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;

    faults_done(&p->faults);
    scratch_remove(p->folder);
    free(p->complete);
    free(p->older);
    free(p->older_print);
    free(p);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shim_sees_what_import_does),
        cmocka_unit_test(a_new_database_while_one_allocation_fails),
        cmocka_unit_test(a_new_database_without_memory),
        cmocka_unit_test(a_new_database_while_one_operation_fails),
        cmocka_unit_test(a_new_database_on_a_full_disk),
        cmocka_unit_test(an_older_database_while_one_operation_fails),
        cmocka_unit_test(an_older_database_on_a_full_disk),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
