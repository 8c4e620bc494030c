/* One check of a checkpoint against a loopback hub that misbehaves in a given way. */
#ifndef TESTS_SUPPORT_HUB_TRIAL_H
#define TESTS_SUPPORT_HUB_TRIAL_H

#include "importers/hub.h"
#include "tests/support/loopback_hub.h"

/* Repositories that trials use, made once for all of them. */
struct hub_trial_repos {
    struct hub_repo list[HUB_MODELS];
    size_t count;
};

/* cmocka group fixtures: *state is a struct hub_trial_repos with the three checkpoints that recipes
 * cite and HUB_MODEL_SMALL. */
int hub_trial_setup(void **state);
int hub_trial_teardown(void **state);

/* Longest time that a check may take, whatever the hub does: six tries of config.transfer_ms each,
 * and as much again for a machine that others use too. */
#define HUB_TRIAL_SECONDS 60

/* A trial.
 *
 * hub:    runs until hub_trial_end
 * config: with short limits; to be changed before hub_trial_run
 * result, rc, e: of the run */
struct hub_trial {
    struct loopback_hub *hub;
    struct hub_config config;
    struct hub_result result;
    enum err_code rc;
    struct err e;
};

/* Start a hub with faults, which are lent until hub_trial_end. */
void hub_trial_begin(struct hub_trial *t, const struct hub_trial_repos *repos,
                     const struct loopback_fault *faults, size_t fault_count);

/* Check one model; stated is its true count. The test fails if that takes HUB_TRIAL_SECONDS. */
void hub_trial_run(struct hub_trial *t, enum hub_model_id id);

/* End a trial and release what it holds. */
void hub_trial_end(struct hub_trial *t);

/* All of these at once, with HUB_MODEL_SMALL, which must be confirmed; returns the requests that it
 * took. */
int64_t hub_trial_confirm(const struct hub_trial_repos *repos, const struct loopback_fault *faults,
                          size_t fault_count);

/* All of these at once, with one fault: the outcome and its reason must be these. Files are asked
 * for one after the other. */
void hub_trial_assert(const struct hub_trial_repos *repos, enum hub_model_id id, const char *token,
                      const struct loopback_fault *fault, enum hub_outcome outcome,
                      const char *reason);

#endif
