/* Each import is a process of its own, and so is the one that mends what it left; its libraries are
 * loaded once for all of them. */
#include "tests/support/importing.h"

#include "tests/support/process.h"
#include "tests/support/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* All that import writes and that must come together, in one line. */
static const char fingerprint_sql[] =
    "SELECT (SELECT count(*) FROM gpus) || ' GPUs, ' || (SELECT count(*) FROM models) || "
    "' models, ' || (SELECT count(*) FROM prices) || ' prices, ' || (SELECT count(*) FROM authors)"
    " || ' authors, ' || (SELECT count(*) FROM published) || ' published, ' || "
    "(SELECT count(*) FROM recipes) || ' recipes, ' || (SELECT count(*) FROM recipe_search) || "
    "' searched, ' || (SELECT count(*) FROM rankings) || ' rankings: ' || coalesce((SELECT "
    "group_concat(digest) FROM (SELECT digest FROM recipe_texts ORDER BY digest)), 'nothing')";

static const char empty[] = "0 GPUs, 0 models, 0 prices, 0 authors, 0 published, 0 recipes, "
                            "0 searched, 0 rankings: nothing";

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
static char *fingerprint(const struct importing *p)
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

static void remove_database(const struct importing *p)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[SCRATCH_BYTES + 16];

        assert_true(snprintf(path, sizeof path, "%s%s", p->db, suffixes[i]) < (int)sizeof path);
        (void)remove(path); /* Not all of them are there. */
    }
}

/* What the database holds after an import that nothing disturbed.
 *
 * Owns: takes the result; the caller frees the fingerprint with free(). */
static char *take_good(struct importing *p, struct process_result *r, const char *after)
{
    if (r->exit_code != 0)
        fail_msg("after %s: import ended with %d, signal %d: %s", after, r->exit_code, r->signal,
                 r->err);
    process_result_done(r);
    return fingerprint(p);
}

/* Tell whether a command may end like this. Where taking a lock gives EIO, SQLite takes the
 * database for a busy one. */
static bool is_documented(int exit_code, enum fault_kind kind)
{
    switch (kind) {
    case FAULT_MALLOC:
        return exit_code == 0 || exit_code == EX_OSERR;
    case FAULT_SPACE:
        return exit_code == 0 || exit_code == EX_IOERR;
    case FAULT_IO:
        return exit_code == 0 || exit_code == EX_IOERR || exit_code == EX_TEMPFAIL;
    case FAULT_KINDS:
        break;
    }
    return false;
}

/* Judge one import that was disturbed.
 *
 * before: what the database held
 * when:   what was done, for messages */
static void check_outcome(struct importing *p, const struct process_result *r, enum fault_kind kind,
                          const char *before, const char *when)
{
    char *found = fingerprint(p);
    bool is_complete = strcmp(found, p->complete) == 0;

    if (r->signal != 0)
        fail_msg("%s: ended by signal %d: %s", when, r->signal, r->err);
    if (!is_documented(r->exit_code, kind))
        fail_msg("%s: exit code %d: %s", when, r->exit_code, r->err);
    if (r->exit_code != 0 && !*r->err)
        fail_msg("%s: exit code %d without a word", when, r->exit_code);
    if (!is_complete && (r->exit_code == 0 || strcmp(found, before) != 0))
        fail_msg("%s: exit code %d, and the database holds %s", when, r->exit_code, found);
    free(found);
}

/* An import where nothing fails makes the database complete. */
static void check_recovery(struct importing *p, const char *when)
{
    struct process_result result;
    char *found;

    faults_run(&p->faults, &p->whole, &result);
    found = take_good(p, &result, when);
    if (strcmp(found, p->complete) != 0)
        fail_msg("after %s: the next import gives %s, not %s", when, found, p->complete);
    free(found);
}

/* Make the database what an import begins with; returns its fingerprint, lent. */
static const char *prepare(struct importing *p, enum importing_start start)
{
    remove_database(p);
    if (start == IMPORTING_NEW)
        return empty;
    scratch_write(p->db, p->older, p->older_len);
    return p->older_print;
}

/* Import with the n-th call failing.
 *
 * out_injected: how many calls failed
 * returns       whether import said that it failed */
static bool disturb(struct importing *p, const struct fault_mode *mode, enum importing_start start,
                    long n, long *out_injected)
{
    const char *before = prepare(p, start);
    struct process_result result;
    bool has_failed;
    char when[100];

    assert_true(snprintf(when, sizeof when, "%s, call %ld", mode->name, n) > 0);
    faults_arm(&p->faults, mode, n);
    faults_run(&p->faults, &p->whole, &result);
    *out_injected = faults_disarm(&p->faults);
    check_outcome(p, &result, mode->kind, before, when);
    has_failed = result.exit_code != 0;
    if (*out_injected == 0)
        assert_false(has_failed);
    process_result_done(&result);
    /* Missing memory loses nothing that is on the disk, so most leave the very same database
     * behind: one in ten is enough of those. */
    if (mode->kind != FAULT_MALLOC || n % 10 == 0)
        check_recovery(p, when);
    return has_failed;
}

void importing_fail_each_call(struct importing *p, enum fault_way way, enum importing_start start)
{
    long injected = 1;
    long failures = 0;

    for (long n = 1; injected > 0; n = faults_next(n))
        failures += disturb(p, &fault_modes[way], start, n, &injected);
    /* Else the faults hit nothing that matters, and the above says nothing. */
    assert_true(failures > 20);
}

void importing_check_count(struct importing *p, enum fault_kind kind, long least)
{
    remove_database(p);
    check_recovery(p, "nothing");
    assert_true(faults_count(&p->faults, kind) > least);
}

/* Make the two databases that each import is measured by. */
static void import_well(struct importing *p)
{
    const char *argv[] = {process_binary(),      "import", "--db", p->db, "catalog",
                          "recipes/gemma-4-31b", NULL};
    struct process_command command = {.argv = argv};
    struct process_result result;

    process_run(&command, &result);
    p->older_print = take_good(p, &result, "nothing");
    assert_non_null(strstr(p->older_print, " 1 recipes, 1 searched"));
    p->older = scratch_read(p->db, &p->older_len);
    faults_run(&p->faults, &p->whole, &result);
    p->complete = take_good(p, &result, "nothing");
    assert_non_null(strstr(p->complete, " 5 recipes, 5 searched"));
}

static void start_whole(struct importing *p)
{
    const char *argv[] = {process_binary(), "import", "--db", p->db, "catalog", "recipes", NULL};

    faults_runs_start(&p->faults, argv, &p->whole);
}

int importing_set_up(void **state)
{
    struct importing *p = calloc(1, sizeof *p);

    assert_non_null(p);
    *state = p;
    scratch_make(p->folder);
    scratch_path(p->db, p->folder, "openrecipes.db");
    faults_init(&p->faults, p->folder);
    start_whole(p);
    import_well(p);
    return 0;
}

int importing_tear_down(void **state)
{
    struct importing *p = *state;

    faults_runs_end(&p->faults, &p->whole);
    faults_done(&p->faults);
    scratch_remove(p->folder);
    free(p->complete);
    free(p->older);
    free(p->older_print);
    free(p);
    return 0;
}
