/* Commands of the binary under test, as people and scripts give them, with a database of the test's
 * own. */
#ifndef TESTS_SUPPORT_COMMANDS_H
#define TESTS_SUPPORT_COMMANDS_H

#include "tests/support/process.h"
#include "tests/support/scratch.h"

/* A scratch folder with a database in it. */
struct commands {
    char folder[SCRATCH_BYTES];
    char db[SCRATCH_BYTES];
};

/* The fixture's functions for cmocka: *state is a struct commands. */
int commands_set_up(void **state);
int commands_tear_down(void **state);

/* Run the binary with up to nine arguments, ended by NULL, and with OPENRECIPES_DB set to the
 * fixture's database.
 *
 * Owns: the caller ends with process_result_done. */
void commands_run(void **state, const char *const *arguments, struct process_result *out);

/* Run and compare exit status, standard output and standard error; NULL: not compared. */
void commands_expect(void **state, const char *const *arguments, int code, const char *out,
                     const char *err);

/* Expands to an array of arguments ended by NULL. */
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
