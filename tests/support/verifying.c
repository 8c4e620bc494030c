/* Starts both, runs the command, looks at what the service says. */
#include "tests/support/verifying.h"

#include "base/mem.h"
#include "importers/verify.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

/* More arguments and variables than any test gives. */
enum { ARGUMENTS = 16 };

void verifying_new_hub(struct verifying *v, const struct loopback_fault *faults, size_t fault_count)
{
    verifying_take_hub(v);
    v->hub = loopback_hub_start(v->repos->list, v->repos->count, faults, fault_count);
    (void)snprintf(v->endpoint, sizeof v->endpoint, "%s",
                   loopback_hub_origin(v->hub, LOOPBACK_HUB)); /* Fits. */
}

void verifying_take_hub(struct verifying *v)
{
    if (v->hub)
        loopback_hub_stop(v->hub);
    v->hub = NULL;
}

void verifying_start(struct verifying *v, const struct hub_trial_repos *repos,
                     const struct loopback_fault *faults, size_t fault_count)
{
    *v = (struct verifying){.repos = repos};
    service_start(&v->service, &(struct service_options){.options = service_no_cache});
    verifying_new_hub(v, faults, fault_count);
}

void verifying_stop(struct verifying *v)
{
    verifying_take_hub(v);
    service_stop(&v->service);
}

void verifying_begin(const struct verifying *v, const char *const *arguments,
                     const struct process_variable *variables, bool is_piped, struct process *out)
{
    const char *argv[ARGUMENTS] = {process_binary(), "verify", "--db", v->service.db};
    /* Whoever runs the tests may have a token and a cache. */
    struct process_variable all[ARGUMENTS] = {{"HF_ENDPOINT", v->endpoint},
                                              {"HF_TOKEN", ""},
                                              {"HF_TOKEN_PATH", ""},
                                              {"HF_HOME", v->service.folder},
                                              {"HF_HUB_OFFLINE", ""}};
    const struct process_command command = {.argv = argv, .variables = all, .is_piped = is_piped};
    size_t count = 4;

    for (; arguments && *arguments; arguments++) {
        assert_true(count + 1 < ARGUMENTS);
        argv[count++] = *arguments;
    }
    for (count = 5; variables && variables->name; variables++) {
        assert_true(count + 1 < ARGUMENTS);
        all[count++] = *variables;
    }
    process_start(out, &command);
}

void verifying_run(const struct verifying *v, const char *const *arguments,
                   const struct process_variable *variables, int exit_code,
                   struct process_result *out)
{
    struct process p;

    verifying_begin(v, arguments, variables, false, &p);
    process_wait(&p, out);
    process_check_sanitizers(out);
    if (out->exit_code != exit_code)
        fail_msg("verify ended with %d instead of %d: %s%s", out->exit_code, exit_code, out->out,
                 out->err);
}

void verifying_refresh(const struct verifying *v, const char *const *names)
{
    atomic_bool is_stopped = false;
    struct hub_config hub = {
        .stall_s = 5, .transfer_ms = 5000, .second_ms = 1, .jobs = 1, .is_stopped = &is_stopped};
    struct verify_options options = {.hub = &hub, .names = names, .refresh = true};
    struct verify_run run;
    struct db *db = NULL;
    struct err e;

    (void)snprintf(hub.endpoint, sizeof hub.endpoint, "%s", v->endpoint); /* Fits. */
    while (names[options.name_count])
        options.name_count++;
    assert_int_equal(db_open_write(v->service.db, &db, &e), ERR_OK);
    if (verify_run(db, &options, &run, &e) != ERR_OK)
        fail_msg("%s", e.text);
    verify_run_done(&run);
    db_close(db);
}

void verifying_get(const struct verifying *v, const char *target, struct http_response *out)
{
    int status = http_get(v->service.port, target, NULL, out);

    if (status != 200)
        fail_msg("%s: status %d: %s", target, status, out->body);
}

/* What the audit's row says of each outcome but the first two. */
static const char *audit_text(const char *status)
{
    static const char *const texts[][2] = {
        {"unconfirmable", "the count cannot be recomputed from this checkpoint"},
        {"gated", "the checkpoint is gated"},
        {"not_found", "the checkpoint is not found"},
        {"unreachable", "the hub could not be reached"},
        {"not_checked", "not checked"},
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (strcmp(texts[i][0], status) == 0)
            return texts[i][1];
    return NULL;
}

static void assert_reason(struct http_response *r, const char *path, const char *reason)
{
    if (reason)
        assert_string_equal(json_text_at(r, path), reason);
    else
        assert_true(json_is_null_at(r, path));
}

void verifying_assert(const struct verifying *v, const char *path, const char *status,
                      const char *reason)
{
    const char *found = audit_text(status);
    struct http_response r;
    char target[300];
    int len = snprintf(target, sizeof target, "/models/%s", path);

    assert_in_range(len, 1, sizeof target - 1);
    verifying_get(v, target, &r);
    assert_string_equal(json_text_at(&r, "confirmation.status"), status);
    assert_reason(&r, "confirmation.reason", reason);
    assert_int_equal(json_is_null_at(&r, "confirmation.computed"), found != NULL);
    assert_string_equal(json_text_at(&r, "audit.rows.13.check"), "confirmation");
    if (found)
        assert_string_equal(json_text_at(&r, "audit.rows.13.found"), found);
    else
        assert_string_equal(json_text_at(&r, "audit.rows.13.result"),
                            strcmp(status, "confirmed") == 0 ? "pass" : "fail");
    http_response_done(&r);
    (void)snprintf(target, sizeof target, "/verifications?recipe=%s&confirmation=%s",
                   strrchr(path, '/') + 1, status); /* Shorter than the first. */
    verifying_get(v, target, &r);
    assert_int_equal(json_int_at(&r, "total"), 1);
    assert_string_equal(json_text_at(&r, "verifications.0.status"), status);
    assert_reason(&r, "verifications.0.reason", reason);
    http_response_done(&r);
}
