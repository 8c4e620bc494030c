/* The test's side of the fault shim: which call of a child shall fail, and what came of it. */
#ifndef TESTS_SUPPORT_FAULTS_H
#define TESTS_SUPPORT_FAULTS_H

#include "tests/fault/shim.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"

/* Faults for one child at a time.
 *
 * control:   shared with the child
 * variables: for the child's environment */
struct faults {
    struct fault_control *control;
    char file[SCRATCH_BYTES];
    char shim[SCRATCH_BYTES];
    struct process_variable variables[3];
};

/* One way to fail.
 *
 * error:     what errno becomes, or FAULT_KILL
 * is_sticky: whether all later calls fail too */
struct fault_mode {
    const char *name;
    enum fault_kind kind;
    int error;
    bool is_sticky;
};

/* The ways that are tried. */
enum fault_way {
    FAULT_ONE_ALLOCATION, /* one fails */
    FAULT_NO_MEMORY,      /* one fails, and all after it */
    FAULT_ONE_OPERATION,  /* one operation on a file fails */
    FAULT_NO_DISK,        /* one fails, and all after it */
    FAULT_FULL_DISK,      /* one that needs space fails, and all such after it */
    FAULT_WAYS            /* how many there are */
};
extern const struct fault_mode fault_modes[FAULT_WAYS];

/* Make the shared file in a folder; nothing fails yet.
 *
 * Owns: the caller ends with faults_done. */
void faults_init(struct faults *f, const char *folder);
void faults_done(struct faults *f);

/* Start a command that is run many times; nothing of it runs yet.
 *
 * Owns: the caller ends with faults_runs_end. */
void faults_runs_start(struct faults *f, const char *const *argv, struct process *out_process);
void faults_runs_end(struct faults *f, struct process *p);

/* Run it to its end, as process_run does.
 *
 * Owns: the caller ends with process_result_done. */
void faults_run(struct faults *f, const struct process *p, struct process_result *out_result);

/* Let the n-th call from now on fail, n from 1, and count injected faults from 0. */
void faults_arm(struct faults *f, const struct fault_mode *mode, long n);

/* Let nothing fail any more.
 *
 * returns how many calls failed since faults_arm */
long faults_disarm(struct faults *f);

/* Calls of a kind since the child, or its last run, started. */
long faults_count(const struct faults *f, enum fault_kind kind);

/* The call to fail after the n-th: each one up to 2000, then one in a hundred. */
long faults_next(long n);

#endif
