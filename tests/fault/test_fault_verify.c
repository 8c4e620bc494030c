/* Verifying while something fails at every point in turn, or kills the command there: what was
 * confirmed before stays, nothing is stored that was not found, and the next run makes it whole. */
#include "base/mem.h"
#include "tests/support/faults.h"
#include "tests/support/verifying.h"

#include "tests/support/test.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* All that verifying writes, in one line. */
static const char fingerprint_sql[] =
    "SELECT group_concat(model || ' ' || confirmation) || '; ' || (SELECT group_concat(repository "
    "|| ' ' || outcome || ' ' || coalesce(computed, '')) FROM (SELECT * FROM checkpoints ORDER BY "
    "repository)) FROM (SELECT DISTINCT model, confirmation FROM recipes WHERE model LIKE "
    "'gemma%' ORDER BY model)";

/* One checkpoint was confirmed before the test; the other one is what it is about. */
static const char before[] = "gemma-4-26b-a4b confirmed,gemma-4-31b not_checked; "
                             "google/gemma-4-26B-A4B-it counted 3821830144";
static const char complete[] = "gemma-4-26b-a4b confirmed,gemma-4-31b confirmed; "
                               "google/gemma-4-26B-A4B-it counted 3821830144,"
                               "google/gemma-4-31B-it counted 30696013824";
static const char in_vain[] = "gemma-4-26b-a4b confirmed,gemma-4-31b unreachable; "
                              "google/gemma-4-26B-A4B-it counted 3821830144,"
                              "google/gemma-4-31B-it unreachable ";

/* What the tests work in. There is no server: only the database of v.service is used.
 *
 * template: the database before each run */
struct place {
    struct verifying v;
    struct faults faults;
    char *template;
    size_t template_len;
};

/* Verify both checkpoints; the one that is counted already is asked for again if is_refresh.
 *
 * Owns: the caller ends with process_result_done. */
static void verify(struct place *p, bool is_refresh, struct process_result *out_result)
{
    const char *const arguments[] = {"gemma-4-26b-a4b", "gemma-4-31b",
                                     is_refresh ? "--refresh" : NULL, NULL};
    struct process process;

    verifying_begin(&p->v, arguments, p->faults.variables, false, &process);
    process_wait(&process, out_result);
}

static void use_template(struct place *p)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};

    for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
        char path[SCRATCH_BYTES + 16];

        assert_true(snprintf(path, sizeof path, "%s%s", p->v.service.db, suffixes[i]) <
                    (int)sizeof path);
        (void)remove(path); /* Not all of them are there. */
    }
    scratch_write(p->v.service.db, p->template, p->template_len);
}

/* Fail unless what the database holds is one of these, ended by NULL. */
static void assert_holds(const struct place *p, const char *const *allowed, const char *when)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    const char *found;

    assert_int_equal(sqlite3_open(p->v.service.db, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, fingerprint_sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("%s: %s", when, sqlite3_errmsg(db));
    found = (const char *)sqlite3_column_text(statement, 0);
    while (*allowed && strcmp(*allowed, found) != 0)
        allowed++;
    if (!*allowed)
        fail_msg("%s: the database holds %s", when, found);
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Nothing fails any more. */
static void verify_well(struct place *p, const char *when)
{
    static const char *const allowed[] = {complete, NULL};
    struct process_result r;

    verify(p, false, &r);
    if (r.exit_code != 0)
        fail_msg("%s: the next run ended with %d, signal %d: %s", when, r.exit_code, r.signal,
                 r.err);
    process_result_done(&r);
    assert_holds(p, allowed, when);
}

/* Out of memory, a failed disk, a lock that could not be had, a hub that could not be asked; and a
 * database that looks damaged to the very process whose write was lost. */
static bool is_documented(const struct process_result *r)
{
    static const int codes[] = {0, EX_UNAVAILABLE, EX_OSERR, EX_IOERR, EX_TEMPFAIL};

    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (r->exit_code == codes[i])
            return true;
    return r->exit_code == EX_SOFTWARE && strstr(r->err, "database disk image is malformed");
}

static void check_outcome(const struct place *p, const struct process_result *r, bool is_kill,
                          const char *when)
{
    static const char *const after_kill[] = {complete, before, NULL};
    static const char *const after_failure[] = {complete, before, in_vain, NULL};
    static const char *const after_success[] = {complete, NULL};

    if (r->signal != 0 && !(is_kill && r->signal == SIGKILL))
        fail_msg("%s: ended by signal %d: %s", when, r->signal, r->err);
    if (r->signal == 0 && !is_documented(r))
        fail_msg("%s: exit code %d: %s%s", when, r->exit_code, r->out, r->err);
    assert_holds(p, r->exit_code == 0 ? after_success : is_kill ? after_kill : after_failure, when);
}

/* Let the n-th call of one run fail, for every step-th n there is.
 *
 * least: runs that must have ended otherwise than well */
static void disturb_each(struct place *p, const struct fault_mode *mode, long step, long least)
{
    bool is_kill = mode->error == FAULT_KILL;
    long injected = 1;
    long disturbed = 0;
    long runs = 0;

    for (long n = 1; injected > 0; n += step) {
        struct process_result r;
        char when[100];

        assert_true(snprintf(when, sizeof when, "%s, call %ld", mode->name, n) > 0);
        use_template(p);
        faults_arm(&p->faults, mode, n);
        verify(p, true, &r);
        injected = faults_disarm(&p->faults);
        check_outcome(p, &r, is_kill, when);
        disturbed += r.exit_code != 0;
        process_result_done(&r);
        /* Each takes as long as the run itself; what it finds was looked at above. */
        if (runs++ % 4 == 0)
            verify_well(p, when);
    }
    assert_in_range(disturbed, least, LONG_MAX);
}

static void killed_at_each_operation_on_a_file(void **state)
{
    static const struct fault_mode mode = {"killed", FAULT_IO, FAULT_KILL, false};

    disturb_each(*state, &mode, 1, 90);
}

/* Memory is taken all the time: while a reply comes, while it is read, between two requests. */
static void killed_anywhere(void **state)
{
    static const struct fault_mode mode = {"killed", FAULT_MALLOC, FAULT_KILL, false};

    disturb_each(*state, &mode, 3001, 15);
}

static void with_a_disk_that_fails(void **state)
{
    static const struct fault_mode modes[] = {{"one operation fails", FAULT_IO, EIO, false},
                                              {"the disk is full", FAULT_SPACE, ENOSPC, true}};

    disturb_each(*state, &modes[0], 5, 8);
    disturb_each(*state, &modes[1], 1, 5);
}

static void with_faulty_memory(void **state)
{
    static const struct fault_mode mode = {"one allocation fails", FAULT_MALLOC, ENOMEM, false};

    disturb_each(*state, &mode, 3001, 5);
}

static int set_up(void **state)
{
    static const char *const first[] = {"gemma-4-26b-a4b", NULL};
    struct place *p = calloc(1, sizeof *p);
    const char *import[] = {"catalog", "recipes", NULL};
    struct process_result r;
    void *repos = NULL;

    assert_non_null(p);
    assert_int_equal(hub_trial_setup(&repos), 0);
    p->v.repos = repos;
    scratch_make(p->v.service.folder);
    scratch_path(p->v.service.db, p->v.service.folder, "openrecipes.db");
    service_import(&p->v.service, import);
    verifying_new_hub(&p->v, NULL, 0);
    verifying_run(&p->v, first, NULL, 0, &r);
    process_result_done(&r);
    p->template = scratch_read(p->v.service.db, &p->template_len);
    faults_init(&p->faults, p->v.service.folder);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    void *repos = NULL;

    memcpy(&repos, &p->v.repos, sizeof repos);
    verifying_take_hub(&p->v);
    faults_done(&p->faults);
    scratch_remove(p->v.service.folder);
    free(p->template);
    free(p);
    return hub_trial_teardown(&repos);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_each_operation_on_a_file),
        cmocka_unit_test(killed_anywhere),
        cmocka_unit_test(with_a_disk_that_fails),
        cmocka_unit_test(with_faulty_memory),
    };

    return cmocka_run_group_tests_name("fault_verify", tests, set_up, tear_down);
}
