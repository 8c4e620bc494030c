/* Each outcome of a check as it is stored and served, and that no later one takes the place of a
 * count. */
#include "base/mem.h"
#include "tests/support/verifying.h"

#include "tests/support/test.h"

#include <string.h>

static const char recipe[] = "gemma-4-31b/h100/attune-tp2-pp4-split13";
static const char *const model[] = {"gemma-4-31b", NULL};
static const char *const expert[] = {"gemma-4-26b-a4b", NULL};

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

/* What a person reads, and a CI job: a line for the recipe, an exit status, and that nothing was
 * asked for twice. */
static void every_outcome_is_told(void **state)
{
    static const struct {
        struct loopback_fault fault;
        int exit_code;
        size_t asked;
        const char *line;
    } told[] = {
        {REPLY("/api/", 418, NULL), 69, 1,
         "unreachable    gemma-4-31b/h100/attune-tp2-pp4-split13: metadata: status 418 \n"},
        {EDIT(LOOPBACK_HUB, "/api/", "\"sha\":\"8", "\"sha\":\"9"), 69, 1,
         "unreachable    gemma-4-31b/h100/attune-tp2-pp4-split13: metadata: the answer is for "
         "revision 942da3794eaa0b77d5f08bae87a17459d91ff475\n"},
        {REPLY("/api/", 401, NULL), 0, 1,
         "not_found      gemma-4-31b/h100/attune-tp2-pp4-split13: metadata: there is no such "
         "repository, or it is private\n"},
        {REPLY("/config.json", 403, "X-Error-Code: GatedRepo\r\n"), 0, 2,
         "gated          gemma-4-31b/h100/attune-tp2-pp4-split13: config.json: the repository is "
         "gated, and access was not given\n"},
        {EDIT(LOOPBACK_HUB, "/config.json", "num_hidden_layers", "layers"), 0, 3,
         "unconfirmable  gemma-4-31b/h100/attune-tp2-pp4-split13: config.json: no "
         "num_hidden_layers: the architecture is not known\n"},
    };
    static const char *const arguments[] = {"--refresh", "gemma-4-31b", NULL};
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    for (size_t i = 0; i < COUNT_OF(told); i++) {
        struct process_result r;

        verifying_new_hub(&v, &told[i].fault, 1);
        verifying_run(&v, arguments, NULL, told[i].exit_code, &r);
        assert_memory_equal(r.out, told[i].line, strlen(told[i].line));
        assert_string_equal(r.err, "");
        process_result_done(&r);
        assert_int_equal(loopback_hub_count(v.hub, LOOPBACK_HUB, "/"), told[i].asked);
        assert_int_equal(loopback_hub_count(v.hub, LOOPBACK_STORAGE, "/"), 0);
    }
    verifying_stop(&v);
}

/* Verify while the hub misbehaves from the n-th request for a checkpoint on, and look at what is
 * said of it: it is counted, or there is no count.
 *
 * returns whether it is counted */
static bool is_counted_with(struct verifying *v, const struct loopback_fault *fault)
{
    static const char *const both[] = {"gemma-4-31b", "gemma-4-26b-a4b", NULL};
    const char *status;
    struct http_response r;
    bool is_counted;

    verifying_new_hub(v, fault, 1);
    verifying_refresh(v, both);
    verifying_take_hub(v); /* The fault is lent to it. */
    verifying_assert(v, "gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8", "confirmed", NULL);
    verifying_get(v, "/verifications?model=gemma-4-31b", &r);
    status = json_text_at(&r, "verifications.0.status");
    is_counted = strcmp(status, "confirmed") == 0;
    if (is_counted)
        assert_int_equal(json_int_at(&r, "verifications.0.computed"), 30696013824);
    else {
        assert_string_equal(status, "unreachable");
        assert_true(json_is_null_at(&r, "verifications.0.computed"));
    }
    http_response_done(&r);
    return is_counted;
}

/* The hub dies after any number of requests for a checkpoint, in each of these ways, and stays
 * dead: no count, until it has answered them all. */
static void a_hub_that_is_cut_off_anywhere_counts_nothing(void **state)
{
    static const enum loopback_kind kinds[] = {LOOPBACK_CLOSE, LOOPBACK_CUT, LOOPBACK_REPLY};
    /* Metadata, config.json and index with their redirects, two files, one of them twice; what the
     * storage is asked for is the last three. */
    static const unsigned requests[LOOPBACK_PORTS] = {[LOOPBACK_HUB] = 8, [LOOPBACK_STORAGE] = 3};

    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (enum loopback_port port = LOOPBACK_HUB; port < LOOPBACK_PORTS; port++) {
            struct loopback_fault fault = {
                .port = port, .path = "gemma-4-31B", .kind = kinds[k], .status = 503};
            struct verifying v;

            verifying_start(&v, *state, NULL, 0);
            verifying_refresh(&v, expert);
            while (!is_counted_with(&v, &fault))
                fault.skip++;
            assert_int_equal(fault.skip, requests[port]);
            verifying_stop(&v);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_is_served),
        cmocka_unit_test(every_outcome_is_told),
        cmocka_unit_test(no_outcome_takes_the_place_of_a_count),
        cmocka_unit_test(a_hub_that_is_away_takes_the_place_of_nothing),
        cmocka_unit_test(a_hub_that_is_cut_off_anywhere_counts_nothing),
    };

    return cmocka_run_group_tests_name("verify_outcomes", tests, hub_trial_setup,
                                       hub_trial_teardown);
}
