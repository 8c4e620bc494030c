/* Child processes of a test: run one to its end, or keep one running and end it. A child dies with
 * the test program. Whatever takes longer than PROCESS_SECONDS fails the test. */
#ifndef TESTS_SUPPORT_PROCESS_H
#define TESTS_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Longest wait for one thing to happen. Generous: sanitizers make programs ten times slower, and
 * the machine is shared. */
#define PROCESS_SECONDS 300

/* One variable that is added to the child's environment. */
struct process_variable {
    const char *name;
    const char *value;
};

/* What to run.
 *
 * argv:      ended by NULL; its first is the program's path
 * variables: ended by a NULL name; NULL: none
 * input:     standard input; NULL: empty
 * is_piped:  standard output is read while the child runs (process_line), not afterwards */
struct process_command {
    const char *const *argv;
    const struct process_variable *variables;
    const char *input;
    size_t input_len;
    bool is_piped;
};

/* A running child.
 *
 * pid_fd: readable once it has ended
 * out_fd: a pipe, or a file that has all its standard output
 * err_fd: a file that has all its standard error */
struct process {
    pid_t pid;
    int pid_fd;
    int out_fd;
    int err_fd;
};

/* How a child ended.
 *
 * exit_code: -1 if a signal ended it
 * signal:    0 if it ended by itself
 * out, err:  what it wrote, zero-terminated; out is "" if it was piped */
struct process_result {
    int exit_code;
    int signal;
    char *out;
    char *err;
};

/* The binary under test: $OPENRECIPES_BIN; the test fails if that is not set. Lent for ever. */
const char *process_binary(void);

/* Run a command to its end.
 *
 * Owns: the caller ends with process_result_done. */
void process_run(const struct process_command *command, struct process_result *out_result);

/* Start a command and return.
 *
 * Owns: the caller ends with process_wait. */
void process_start(struct process *p, const struct process_command *command);

/* Read one line of a piped child's standard output, without its newline; false at its end. */
bool process_line(struct process *p, char *out, size_t size);

/* Wait until a child has ended; it is killed, and the test fails, if that takes too long.
 *
 * Owns: the caller ends with process_result_done. */
void process_wait(struct process *p, struct process_result *out_result);

/* The halves of process_wait for a child that stays: drop what it has written so far, and make a
 * result of what it wrote since and a status of waitpid. Its output must not be piped.
 *
 * Owns: the caller ends with process_result_done. */
void process_forget_output(const struct process *p);
void process_result_make(const struct process *p, int status, struct process_result *out_result);

/* Send a signal. */
void process_signal(const struct process *p, int signal);

/* Tell whether the child has not ended yet. */
bool process_is_running(const struct process *p);

/* Fail the test if a sanitizer reported anything on the child's standard error. */
void process_check_sanitizers(const struct process_result *r);

/* Release the texts. */
void process_result_done(struct process_result *r);

#endif
