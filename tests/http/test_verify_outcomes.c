/* Each outcome of a check as it is stored and served, and that no later one takes the place of a
 * count. */
#include "base/mem.h"
#include "tests/support/verifying.h"

#include "tests/support/test.h"

#include <string.h>

static const char recipe[] = "gemma-4-31b/h100/attune-tp2-pp4-split13";
static const char *const model[] = {"gemma-4-31b", NULL};

/* Expand to faults, so that a row shows only what is its own; a function could not be used in a
 * constant. */
#define REPLY(at, code, lines)                                                                     \
    {                                                                                              \
        .port = LOOPBACK_HUB, .path = at, .kind = LOOPBACK_REPLY, .status = code, .headers = lines \
    }
#define EDIT(where, at, old, new)                                                                  \
    {                                                                                              \
        .port = where, .path = at, .kind = LOOPBACK_EDIT, .from = old, .body = new                 \
    }

struct outcome_row {
    struct loopback_fault fault;
    const char *status;
    const char *reason;
};

/* Those that say nothing of the checkpoint come first: later they would not be stored. */
static const struct outcome_row rows[] = {
    {REPLY("/api/", 429, NULL), "unreachable", "metadata: tried 6 times: status 429"},
    {REPLY("/api/", 418, NULL), "unreachable", "metadata: status 418 "},
    {{.port = LOOPBACK_HUB,
      .path = "/config.json",
      .kind = LOOPBACK_REPLY,
      .status = 200,
      .body = "<!doctype html><title>Sign in</title>"},
     "unreachable",
     "config.json: not valid JSON: line 1, column 1: '[' or '{' expected near '<'"},
    {EDIT(LOOPBACK_HUB, "/api/", "\"sha\":\"8", "\"sha\":\"9"), "unreachable",
     "metadata: the answer is for revision 942da3794eaa0b77d5f08bae87a17459d91ff475"},
    {{.port = LOOPBACK_STORAGE, .path = "/", .skip = 1, .kind = LOOPBACK_CUT},
     "unreachable",
     "model-00002-of-00002.safetensors: tried 6 times: Transferred a partial file"},
    {REPLY("/api/", 401, NULL), "not_found",
     "metadata: there is no such repository, or it is private"},
    {REPLY("/api/", 404, "X-Error-Code: RepoNotFound\r\n"), "not_found",
     "metadata: there is no such repository, or it is private"},
    {REPLY("/api/", 404, "X-Error-Code: RevisionNotFound\r\n"), "not_found",
     "metadata: there is no such revision"},
    {REPLY("/config.json", 404, "X-Error-Code: EntryNotFound\r\n"), "unconfirmable",
     "config.json: there is no such file"},
    {REPLY("/config.json", 401, "X-Error-Code: GatedRepo\r\n"), "gated",
     "config.json: the repository is gated, and access was not given"},
    {REPLY("/config.json", 403, "X-Error-Code: GatedRepo\r\n"), "gated",
     "config.json: the repository is gated, and access was not given"},
    {EDIT(LOOPBACK_HUB, "/api/", "\"disabled\":false", "\"disabled\":true"), "not_found",
     "the repository is disabled"},
    {REPLY("/config.json", 403, "X-Error-Message: Access to this resource is disabled.\r\n"),
     "not_found", "config.json: the repository is disabled"},
    {EDIT(LOOPBACK_STORAGE, "/", "embed_tokens.weight\":{\"dtype\":\"BF16",
          "embed_tokens.weight\":{\"dtype\":\"I16"),
     "unconfirmable",
     "model.language_model.embed_tokens.weight is stored as I16: its shape may not be its count"},
    {EDIT(LOOPBACK_HUB, "/config.json", "num_hidden_layers", "layers"), "unconfirmable",
     "config.json: no num_hidden_layers: the architecture is not known"},
};

/* Verify against a hub that misbehaves so. */
static void run_row(struct verifying *v, const struct outcome_row *row)
{
    verifying_new_hub(v, &row->fault, 1);
    verifying_refresh(v, model);
}

static void every_outcome_is_served(void **state)
{
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    verifying_assert(&v, recipe, "not_checked", NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        run_row(&v, &rows[i]);
        verifying_assert(&v, recipe, rows[i].status, rows[i].reason);
    }
    verifying_stop(&v);
}

static void no_outcome_takes_the_place_of_a_count(void **state)
{
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    verifying_refresh(&v, model);
    verifying_assert(&v, recipe, "confirmed", NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        run_row(&v, &rows[i]);
        verifying_assert(&v, recipe, "confirmed", NULL);
    }
    verifying_stop(&v);
}

static void a_hub_that_is_away_takes_the_place_of_nothing(void **state)
{
    static const struct outcome_row gated = {
        REPLY("/config.json", 401, "X-Error-Code: GatedRepo\r\n"), NULL, NULL};
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    run_row(&v, &gated);
    verifying_assert(&v, recipe, "gated",
                     "config.json: the repository is gated, and access was not given");
    verifying_take_hub(&v);
    verifying_refresh(&v, model);
    verifying_assert(&v, recipe, "gated",
                     "config.json: the repository is gated, and access was not given");
    verifying_new_hub(&v, NULL, 0);
    verifying_refresh(&v, model);
    verifying_assert(&v, recipe, "confirmed", NULL);
    verifying_stop(&v);
}

/* The hub dies after one file of weights, then after another: whatever it was in the middle of,
 * nothing is stored as counted that was not. */
static void a_hub_that_is_cut_off_counts_nothing(void **state)
{
    static const unsigned skips[] = {0, 1, 2, 3};
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    for (size_t i = 0; i < COUNT_OF(skips); i++)
        for (enum loopback_port port = LOOPBACK_HUB; port < LOOPBACK_PORTS; port++) {
            const struct loopback_fault fault = {
                .port = port, .path = "/", .skip = skips[i], .kind = LOOPBACK_CLOSE};
            struct http_response r;

            if (port == LOOPBACK_STORAGE && skips[i] > 1)
                continue; /* Two headers of two requests each are all that it is asked for. */
            verifying_new_hub(&v, &fault, 1);
            verifying_refresh(&v, model);
            verifying_get(&v, "/verifications?model=gemma-4-31b", &r);
            assert_string_equal(json_text_at(&r, "verifications.0.status"), "unreachable");
            assert_true(json_is_null_at(&r, "verifications.0.computed"));
            http_response_done(&r);
            verifying_take_hub(&v); /* The fault is lent to it. */
        }
    verifying_stop(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_is_served),
        cmocka_unit_test(no_outcome_takes_the_place_of_a_count),
        cmocka_unit_test(a_hub_that_is_away_takes_the_place_of_nothing),
        cmocka_unit_test(a_hub_that_is_cut_off_counts_nothing),
    };

    return cmocka_run_group_tests_name("verify_outcomes", tests, hub_trial_setup,
                                       hub_trial_teardown);
}
