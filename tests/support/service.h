/* The real binary with a scratch database, serving on a port that the system gives. */
#ifndef TESTS_SUPPORT_SERVICE_H
#define TESTS_SUPPORT_SERVICE_H

#include "tests/support/process.h"
#include "tests/support/scratch.h"

/* A running service.
 *
 * folder: its scratch folder
 * db:     the database in it
 * port:   on 127.0.0.1 */
struct service {
    struct process process;
    char folder[SCRATCH_BYTES];
    char db[SCRATCH_BYTES];
    unsigned port;
};

/* What is special about it; every member may be NULL.
 *
 * paths:     what to import first, ended by NULL; NULL: catalog and recipes
 * options:   further arguments of serve, ended by NULL
 * variables: for the environment of serve, ended by a NULL name */
struct service_options {
    const char *const *paths;
    const char *const *options;
    const struct process_variable *variables;
};

/* Options of serve with which each reply tells of the database as it is: with the cache a change
 * shows a moment later. */
extern const char *const service_no_cache[];

/* Import into a new database and serve it; returns once the port is open.
 *
 * options: NULL: nothing special
 * Owns:    the caller ends with service_stop. */
void service_start(struct service *s, const struct service_options *options);

/* Import more paths into the database of a running service; fails the test unless that succeeds.
 *
 * arguments: options and paths, ended by NULL */
void service_import(const struct service *s, const char *const *arguments);

/* End the service with SIGTERM and remove its folder. Fails the test unless it ends with 0 and no
 * sanitizer complained. */
void service_stop(struct service *s);

/* The halves of the two above that leave the database alone: end a service, and serve the same
 * database again, on another port. */
void service_end(struct service *s);
void service_serve(struct service *s, const struct service_options *options);

/* For cmocka_run_group_tests: a service as the group's state, with nothing special about it. */
int service_group_setup(void **state);
int service_group_teardown(void **state);

#endif
