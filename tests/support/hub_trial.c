/* Trials: a hub for each, with short limits, so that giving up takes milliseconds. */
#include "tests/support/hub_trial.h"

#include "base/clock.h"
#include "base/mem.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

int hub_trial_setup(void **state)
{
    static const enum hub_model_id used[] = {HUB_MODEL_GEMMA_4_31B, HUB_MODEL_GEMMA_4_26B_A4B,
                                             HUB_MODEL_QWEN3_5_397B_A17B, HUB_MODEL_SMALL};
    static const char *const proxies[] = {"http_proxy", "all_proxy", "ALL_PROXY"};
    struct hub_trial_repos *repos = mem_array(1, sizeof *repos);

    if (!repos || signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return -1;
    for (size_t i = 0; i < COUNT_OF(proxies); i++)
        if (unsetenv(proxies[i]) != 0)
            return -1;
    /* Whoever runs the tests may be behind a proxy. */
    if (setenv("no_proxy", "*", 1) != 0)
        return -1;
    for (size_t i = 0; i < COUNT_OF(used); i++)
        hub_repo_make(used[i], &repos->list[repos->count++]);
    *state = repos;
    return 0;
}

int hub_trial_teardown(void **state)
{
    struct hub_trial_repos *repos = *state;

    for (size_t i = 0; i < repos->count; i++)
        hub_repo_done(&repos->list[i]);
    free(repos);
    return 0;
}

void hub_trial_begin(struct hub_trial *t, const struct hub_trial_repos *repos,
                     const struct loopback_fault *faults, size_t fault_count)
{
    *t = (struct hub_trial){
        .config = {.connect_ms = 5000, .stall_s = 5, .transfer_ms = 5000, .second_ms = 1}};
    t->hub = loopback_hub_start(repos->list, repos->count, faults, fault_count);
    /* Fits: an origin has under 40 characters. */
    (void)snprintf(t->config.endpoint, sizeof t->config.endpoint, "%s",
                   loopback_hub_origin(t->hub, LOOPBACK_HUB));
}

void hub_trial_run(struct hub_trial *t, enum hub_model_id id)
{
    const struct hub_model *m = hub_model_get(id);
    const struct hub_checkpoint checkpoint = {
        .repo = m->repo, .revision = m->revision, .stated = m->active};
    int64_t begun = clock_steady_ns();

    t->rc = hub_verify(&t->config, &checkpoint, 1, NULL, &t->result, &t->e);
    assert_true(clock_steady_ns() - begun < HUB_TRIAL_SECONDS * INT64_C(1000000000));
}

void hub_trial_end(struct hub_trial *t)
{
    loopback_hub_stop(t->hub);
}

int64_t hub_trial_confirm(const struct hub_trial_repos *repos, const struct loopback_fault *faults,
                          size_t fault_count)
{
    struct hub_trial t;

    hub_trial_begin(&t, repos, faults, fault_count);
    hub_trial_run(&t, HUB_MODEL_SMALL);
    hub_trial_end(&t);
    assert_string_equal(t.result.reason, "");
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_int_equal(t.result.computed, 1235746816);
    return t.result.requests;
}

void hub_trial_assert(const struct hub_trial_repos *repos, enum hub_model_id id, const char *token,
                      const struct loopback_fault *fault, enum hub_outcome outcome,
                      const char *reason)
{
    struct hub_trial t;

    hub_trial_begin(&t, repos, fault, 1);
    t.config.jobs = 1; /* One after the other, so that the first to be wrong is always the same. */
    (void)snprintf(t.config.token, sizeof t.config.token, "%s", token); /* Short ones of ours. */
    hub_trial_run(&t, id);
    hub_trial_end(&t);
    assert_string_equal(t.result.reason, reason);
    assert_string_equal(hub_outcome_name(t.result.outcome), hub_outcome_name(outcome));
    assert_int_equal(t.rc, ERR_OK);
    if (outcome != HUB_CONFIRMED)
        assert_int_equal(t.result.computed, 0);
}
