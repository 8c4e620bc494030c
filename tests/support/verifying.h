/* A service with the collection, and a loopback hub that its recipes are verified against. */
#ifndef TESTS_SUPPORT_VERIFYING_H
#define TESTS_SUPPORT_VERIFYING_H

#include "tests/support/hub_trial.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"

/* Both.
 *
 * repos: lent
 * hub:   NULL while it is away; its port is then closed
 * endpoint: of the hub that ran last */
struct verifying {
    struct service service;
    const struct hub_trial_repos *repos;
    struct loopback_hub *hub;
    char endpoint[100];
};

/* Start both. faults are lent until the hub ends.
 *
 * repos: as hub_trial_setup makes them
 * Owns:  the caller ends with verifying_stop. */
void verifying_start(struct verifying *v, const struct hub_trial_repos *repos,
                     const struct loopback_fault *faults, size_t fault_count);

/* End both; fails the test as service_stop does. */
void verifying_stop(struct verifying *v);

/* Take the hub away. */
void verifying_take_hub(struct verifying *v);

/* Let another hub take its place. */
void verifying_new_hub(struct verifying *v, const struct loopback_fault *faults,
                       size_t fault_count);

/* Start `openrecipes verify` with further arguments, ended by NULL, and variables, ended by a NULL
 * name; NULL: none.
 *
 * Owns: the caller ends with process_wait. */
void verifying_begin(const struct verifying *v, const char *const *arguments,
                     const struct process_variable *variables, bool is_piped, struct process *out);

/* The same to its end; the test fails unless the exit status is this one.
 *
 * Owns: the caller ends with process_result_done. */
void verifying_run(const struct verifying *v, const char *const *arguments,
                   const struct process_variable *variables, int exit_code,
                   struct process_result *out);

/* Verify in this program, with pauses of milliseconds between tries; all is asked for again.
 *
 * names: ended by NULL */
void verifying_refresh(const struct verifying *v, const char *const *names);

/* Ask the service. Owns: the caller ends with http_response_done. */
void verifying_get(const struct verifying *v, const char *target, struct http_response *out);

/* The test fails unless the service says this of a recipe's confirmation: in the list and, as its
 * audit shows it, on its page.
 *
 * path:   "gemma-4-31b/h100/attune-tp2-pp4-split13"
 * reason: NULL: null */
void verifying_assert(const struct verifying *v, const char *path, const char *status,
                      const char *reason);

#endif
