/* What a test and the preloaded shim in the process under test share: a file that both map. The
 * test says which call shall fail, before that process starts or while it runs, and reads what came
 * of it. */
#ifndef TESTS_FAULT_SHIM_H
#define TESTS_FAULT_SHIM_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Environment variable that names the file; without it nothing fails. */
#define FAULT_VARIABLE "FAULT_CONTROL"

/* As the error of a fault: the call does not fail, but is the last of the process, which is killed.
 */
#define FAULT_KILL (-1)

enum fault_kind {
    FAULT_MALLOC, /* malloc, calloc, realloc, and what the C library builds on them */
    FAULT_IO,     /* calls on regular files and folders, by path or descriptor, locks included */
    FAULT_SPACE,  /* those among them that a full disk refuses */
    FAULT_KINDS   /* how many there are */
};

/* One kind of fault.
 *
 * count:     calls since the process, or its last run, started
 * is_armed:  whether left counts down; set last
 * left:      the call that finds 1 here fails
 * is_sticky: whether all later ones fail too
 * injected:  calls that failed
 * error:     errno of those that failed, or FAULT_KILL */
struct fault {
    atomic_long count;
    atomic_bool is_armed;
    atomic_long left;
    atomic_bool is_sticky;
    atomic_long injected;
    atomic_int error;
};

/* How a process is run many times: it stops before main, once its libraries are loaded, and forks
 * there each time it is told to.
 *
 * is_used: set before the process starts
 * is_over: let it end at the next go instead
 * go:      posted for each run
 * done:    posted after each
 * status:  of the last one, as waitpid has it */
struct fault_runs {
    bool is_used;
    bool is_over;
    sem_t go;
    sem_t done;
    int status;
};

/* The whole file. */
struct fault_control {
    struct fault kinds[FAULT_KINDS];
    struct fault_runs runs;
};

#endif
