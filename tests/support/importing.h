/* Imports into a scratch database while calls of the fault shim fail, and the judgement of what
 * came of each: it ends with a code that says so, the database is as before or complete, and the
 * next import makes it complete. */
#ifndef TESTS_SUPPORT_IMPORTING_H
#define TESTS_SUPPORT_IMPORTING_H

#include "tests/support/faults.h"
#include "tests/support/scratch.h"

/* What the tests work in.
 *
 * whole:       import of all recipes, run many times
 * complete:    fingerprint of the database after an import where nothing fails
 * older:       bytes of a database that has one recipe
 * older_print: its fingerprint */
struct importing {
    char folder[SCRATCH_BYTES];
    char db[SCRATCH_BYTES];
    struct faults faults;
    struct process whole;
    char *complete;
    char *older;
    size_t older_len;
    char *older_print;
};

/* What an import begins with. */
enum importing_start {
    IMPORTING_NEW,  /* no database */
    IMPORTING_OLDER /* one with a recipe */
};

/* For cmocka_run_group_tests: a struct importing as the group's state. */
int importing_set_up(void **state);
int importing_tear_down(void **state);

/* Import with the n-th call failing, for each n until none fails (faults_next), and judge each. */
void importing_fail_each_call(struct importing *p, enum fault_way way, enum importing_start start);

/* Import with nothing failing; the test fails unless the shim saw more calls of a kind than this.
 */
void importing_check_count(struct importing *p, enum fault_kind kind, long least);

#endif
