/* The client of the hub against a loopback hub: what it asks, what it makes of errors. Wrong
 * answers are in test_hub_answers.c, the network in test_hub_network.c. */
#include "base/mem.h"
#include "tests/support/hub_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What hooks were told. */
struct told {
    size_t results;
    size_t confirmed;
    size_t done;
    size_t total;
};

static void on_result(void *ctx, size_t index, const struct hub_result *result)
{
    struct told *told = ctx;

    assert_in_range(index, 0, 2);
    told->results++;
    told->confirmed += result->outcome == HUB_CONFIRMED;
}

static void on_progress(void *ctx, size_t done, size_t total)
{
    struct told *told = ctx;

    assert_true(done >= told->done && total >= told->total && done <= total);
    told->done = done;
    told->total = total;
}

static void confirms_the_checkpoints_that_recipes_cite(void **state)
{
    static const struct {
        enum hub_model_id id;
        int64_t active, total;
        size_t shards;
    } rows[] = {
        {HUB_MODEL_GEMMA_4_31B, 30696013824, 31273088876, 2},
        {HUB_MODEL_GEMMA_4_26B_A4B, 3821830144, 25805936206, 2},
        {HUB_MODEL_QWEN3_5_397B_A17B, 16331407360, 403397928944, 94},
    };
    struct hub_checkpoint checkpoints[COUNT_OF(rows)];
    struct hub_result results[COUNT_OF(rows)];
    struct told told = {0};
    struct hub_hooks hooks = {.on_result = on_result, .on_progress = on_progress, .ctx = &told};
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        checkpoints[i] = (struct hub_checkpoint){
            hub_model_get(rows[i].id)->repo, hub_model_get(rows[i].id)->revision, rows[i].active};
    assert_int_equal(hub_verify(&t.config, checkpoints, COUNT_OF(rows), &hooks, results, &t.e),
                     ERR_OK);
    hub_trial_end(&t);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_string_equal(results[i].reason, "");
        assert_int_equal(results[i].outcome, HUB_CONFIRMED);
        assert_int_equal(results[i].computed, rows[i].active);
        assert_int_equal(results[i].counts.total, rows[i].total);
        assert_int_equal(results[i].hub_total, rows[i].total);
        assert_true(results[i].hub_total_agrees);
        assert_int_equal(results[i].shards, rows[i].shards);
        assert_string_equal(results[i].sha, checkpoints[i].revision);
        assert_string_equal(results[i].gated, "false");
    }
    assert_int_equal(told.results, 3);
    assert_int_equal(told.confirmed, 3);
    assert_int_equal(told.done, 3 * 3 + 98);
    assert_int_equal(told.total, 3 * 3 + 98);
}

static void confirms_a_model_in_a_single_file(void **state)
{
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    hub_trial_run(&t, HUB_MODEL_SMALL);
    hub_trial_end(&t);
    assert_string_equal(t.result.reason, "");
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_int_equal(t.result.computed, 1235746816);
    assert_int_equal(t.result.shards, 1);
    /* Metadata, config.json and its redirect, no index, the weights and their redirect. */
    assert_int_equal(t.result.requests, 6);
}

static void contradicts_another_count(void **state)
{
    const struct hub_model *m = hub_model_get(HUB_MODEL_SMALL);
    const struct hub_checkpoint wrong = {m->repo, m->revision, m->total};
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    t.rc = hub_verify(&t.config, &wrong, 1, NULL, &t.result, &t.e);
    hub_trial_end(&t);
    assert_int_equal(t.rc, ERR_OK);
    assert_int_equal(t.result.outcome, HUB_CONTRADICTED);
    assert_string_equal(t.result.reason, "1235814400 are stated, and the headers give 1235746816");
    hub_result_judge(&t.result, m->active);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_string_equal(t.result.reason, "");
}

static void asks_for_what_it_needs_and_no_more(void **state)
{
    static const char *const paths[] = {
        "/api/models/meta-llama/Llama-3.2-1B/revision/2222222222222222222222222222222222222222",
        "/meta-llama/Llama-3.2-1B/resolve/2222222222222222222222222222222222222222/config.json",
        "/api/resolve-cache/meta-llama/Llama-3.2-1B/2222222222222222222222222222222222222222/"
        "config.json",
        "/meta-llama/Llama-3.2-1B/resolve/2222222222222222222222222222222222222222/"
        "model.safetensors.index.json",
        "/meta-llama/Llama-3.2-1B/resolve/2222222222222222222222222222222222222222/"
        "model.safetensors",
        "/meta-llama/Llama-3.2-1B/model.safetensors?signature=s",
    };
    struct loopback_request request;
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    hub_trial_run(&t, HUB_MODEL_SMALL);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        assert_true(loopback_hub_request(t.hub, i, &request));
        assert_string_equal(request.path, paths[i]);
        assert_string_equal(request.accept_encoding, "identity");
        assert_memory_equal(request.user_agent, "openrecipes/", strlen("openrecipes/"));
        assert_non_null(strstr(request.user_agent, "; libcurl/"));
        assert_string_equal(request.range, i < 4 ? "" : "bytes=0-100000");
        assert_string_equal(request.authorization, "");
    }
    assert_false(loopback_hub_request(t.hub, COUNT_OF(paths), &request));
    hub_trial_end(&t);
}

/* Each header's length counts with the eight bytes before it. */
static void reads_headers_around_the_first_range(void **state)
{
    const struct hub_trial_repos *repos = *state;
    struct hub_trial_repos one = {.count = 1, .list = {repos->list[3]}};
    struct hub_file files[2] = {repos->list[3].files[0], repos->list[3].files[1]};

    one.list[0].files = files;
    for (size_t len = 99990; len <= 100002; len++) {
        struct hub_file *weights = &files[1];
        struct loopback_request request;
        struct hub_trial t;
        char *bytes = mem_array(len + 8, 1);

        assert_non_null(bytes);
        memset(bytes, ' ', len + 8);
        memcpy(bytes, repos->list[3].files[1].bytes, repos->list[3].files[1].len);
        for (size_t i = 0; i < 8; i++)
            bytes[i] = (char)(len >> (8 * i) & 0xFF);
        weights->bytes = bytes;
        weights->len = len + 8;
        weights->size = repos->list[3].files[1].size - (int64_t)repos->list[3].files[1].len +
                        (int64_t)weights->len;
        hub_trial_begin(&t, &one, NULL, 0);
        hub_trial_run(&t, HUB_MODEL_SMALL);
        assert_string_equal(t.result.reason, "");
        assert_int_equal(t.result.outcome, HUB_CONFIRMED);
        assert_int_equal(t.result.requests, len <= 99993 ? 6 : 8);
        if (len > 99993) {
            char range[60];

            (void)snprintf(range, sizeof range, "bytes=100001-%zu", len + 8 - 1);
            assert_true(loopback_hub_request(t.hub, 7, &request));
            assert_string_equal(request.range, range);
        }
        hub_trial_end(&t);
        free(bytes);
    }
}

/* Expand to faults: a reply of the hub without a body, and a part of its body replaced. A function
 * could not be used in a constant. */
#define REPLY(at, code, lines)                                                                     \
    {                                                                                              \
        .port = LOOPBACK_HUB, .path = at, .kind = LOOPBACK_REPLY, .status = code, .headers = lines \
    }
#define EDIT(at, old, new)                                                                         \
    {                                                                                              \
        .port = LOOPBACK_HUB, .path = at, .kind = LOOPBACK_EDIT, .from = old, .body = new          \
    }

/* The hub's table of errors, row by row. */
static void tells_the_hub_s_errors_apart(void **state)
{
    static const struct {
        struct loopback_fault fault;
        const char *token;
        enum hub_outcome outcome;
        const char *reason;
    } rows[] = {
        {REPLY("/api/", 401, NULL), "", HUB_NOT_FOUND,
         "metadata: there is no such repository, or it is private"},
        {REPLY("/api/", 404, "X-Error-Code: RepoNotFound\r\n"), "t", HUB_NOT_FOUND,
         "metadata: there is no such repository, or it is private"},
        {REPLY("/api/", 404, NULL), "", HUB_NOT_FOUND,
         "metadata: there is no such repository, or it is private"},
        {REPLY("/api/", 401, NULL), "t", HUB_UNREACHABLE,
         "metadata: the hub does not accept the token"},
        {REPLY("/api/", 404, "X-Error-Code: RevisionNotFound\r\n"), "", HUB_NOT_FOUND,
         "metadata: there is no such revision"},
        {REPLY("/config.json", 404, "X-Error-Code: EntryNotFound\r\n"), "", HUB_UNCONFIRMABLE,
         "config.json: there is no such file"},
        {REPLY("/config.json", 404, NULL), "", HUB_UNCONFIRMABLE,
         "config.json: there is no such file"},
        {REPLY("/model.safetensors", 404, "X-Error-Code: EntryNotFound\r\n"), "", HUB_UNCONFIRMABLE,
         "there is neither model.safetensors nor model.safetensors.index.json"},
        {REPLY("/config.json", 401, "X-Error-Code: GatedRepo\r\n"), "", HUB_GATED,
         "config.json: the repository is gated, and access was not given"},
        {REPLY("/config.json", 403, "X-Error-Code: GatedRepo\r\n"), "t", HUB_GATED,
         "config.json: the repository is gated, and access was not given"},
        {REPLY("/config.json", 403, "X-Error-Message: Access to this resource is disabled.\r\n"),
         "", HUB_NOT_FOUND, "config.json: the repository is disabled"},
        {REPLY("/api/", 403, "X-Error-Message: no, thank\tyou\r\n"), "", HUB_UNREACHABLE,
         "metadata: status 403 no, thank?you"},
        {REPLY("/api/", 418, NULL), "", HUB_UNREACHABLE, "metadata: status 418 "},
        {REPLY("/api/", 204, NULL), "", HUB_UNREACHABLE, "metadata: status 204 "},
        {REPLY("/api/", 429, NULL), "", HUB_UNREACHABLE, "metadata: tried 6 times: status 429"},
        {REPLY("/config.json", 503, NULL), "", HUB_UNREACHABLE,
         "config.json: tried 6 times: status 503"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        hub_trial_assert(*state, HUB_MODEL_SMALL, rows[i].token, &rows[i].fault, rows[i].outcome,
                         rows[i].reason);
}

/* A storage has no say in what exists and who may see it. */
static void takes_no_word_on_the_repository_from_the_storage(void **state)
{
    static const struct loopback_fault faults[] = {
        {.port = LOOPBACK_STORAGE,
         .path = "/",
         .kind = LOOPBACK_REPLY,
         .status = 403,
         .headers = "X-Error-Code: GatedRepo\r\n"},
        {.port = LOOPBACK_STORAGE,
         .path = "/",
         .kind = LOOPBACK_REPLY,
         .status = 404,
         .headers = "X-Error-Code: EntryNotFound\r\n"},
    };

    hub_trial_assert(*state, HUB_MODEL_SMALL, "", &faults[0], HUB_UNREACHABLE,
                     "model.safetensors: the storage behind the hub answered with status 403");
    hub_trial_assert(*state, HUB_MODEL_SMALL, "", &faults[1], HUB_UNREACHABLE,
                     "model.safetensors: the storage behind the hub answered with status 404");
}

/* Metadata say that a repository is gated; then a refusal of its files needs no error code. */
static void knows_a_gated_repository_by_its_metadata(void **state)
{
    static const struct loopback_fault faults[] = {
        {.port = LOOPBACK_HUB,
         .path = "/api/models",
         .kind = LOOPBACK_EDIT,
         .from = "\"gated\":false",
         .body = "\"gated\":\"manual\""},
        REPLY("/config.json", 403, NULL),
    };
    struct hub_trial t;

    hub_trial_begin(&t, *state, faults, 2);
    hub_trial_run(&t, HUB_MODEL_SMALL);
    hub_trial_end(&t);
    assert_int_equal(t.result.outcome, HUB_GATED);
    assert_string_equal(t.result.gated, "manual");
    /* To whom access was given, the files are shown. */
    hub_trial_begin(&t, *state, faults, 1);
    hub_trial_run(&t, HUB_MODEL_SMALL);
    hub_trial_end(&t);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_string_equal(t.result.gated, "manual");
}

static void only_compares_the_hub_s_own_total(void **state)
{
    static const struct loopback_fault wrong = EDIT("/api/models", "1235814400", "333312");
    static const struct loopback_fault absent =
        EDIT("/api/models", "{\"total\":1235814400}", "null");
    struct hub_trial t;

    hub_trial_begin(&t, *state, &wrong, 1);
    hub_trial_run(&t, HUB_MODEL_SMALL);
    hub_trial_end(&t);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_int_equal(t.result.hub_total, 333312);
    assert_false(t.result.hub_total_agrees);
    hub_trial_begin(&t, *state, &absent, 1);
    hub_trial_run(&t, HUB_MODEL_SMALL);
    hub_trial_end(&t);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_int_equal(t.result.hub_total, 0);
    assert_false(t.result.hub_total_agrees);
}

static void refuses_names_that_no_hub_has(void **state)
{
    static const char revision[] = "2222222222222222222222222222222222222222";
    static const struct hub_checkpoint wrong[] = {
        {"llama", revision, 1}, {"a/b/c", revision, 1},
        {"a/..", revision, 1},  {"a/b?c", revision, 1},
        {"a/b", "main", 1},     {"a/b", "22222222", 1},
        {"/b", revision, 1},    {"a/", revision, 1},
        {"a/b c", revision, 1}, {"a/b", "222222222222222222222222222222222222222/", 1},
    };
    struct hub_result results[COUNT_OF(wrong)];
    struct loopback_request request;
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    assert_int_equal(hub_verify(&t.config, wrong, COUNT_OF(wrong), NULL, results, &t.e), ERR_OK);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        bool is_revision = strcmp(wrong[i].repo, "a/b") != 0;

        assert_int_equal(results[i].outcome, HUB_UNCONFIRMABLE);
        assert_string_equal(results[i].reason, is_revision
                                                   ? "the repository's name is not OWNER/NAME"
                                                   : "the revision is not 40 hexadecimal digits");
    }
    assert_false(loopback_hub_request(t.hub, 0, &request));
    hub_trial_end(&t);
}

static void makes_no_request_while_offline(void **state)
{
    struct loopback_request request;
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    t.config.is_offline = true;
    hub_trial_run(&t, HUB_MODEL_GEMMA_4_31B);
    assert_int_equal(t.rc, ERR_OK);
    assert_int_equal(t.result.outcome, HUB_NOT_CHECKED);
    assert_string_equal(t.result.reason, "offline: no request was made");
    assert_false(loopback_hub_request(t.hub, 0, &request));
    hub_trial_end(&t);
}

static void names_outcomes_and_repositories(void **state)
{
    static const char *const names[] = {
        [HUB_CONFIRMED] = "confirmed",         [HUB_CONTRADICTED] = "contradicted",
        [HUB_UNCONFIRMABLE] = "unconfirmable", [HUB_GATED] = "gated",
        [HUB_NOT_FOUND] = "not_found",         [HUB_UNREACHABLE] = "unreachable",
        [HUB_NOT_CHECKED] = "not_checked",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_string_equal(hub_outcome_name((enum hub_outcome)i), names[i]);
    assert_string_equal(hub_repo_of("https://huggingface.co/google/gemma-4-31B-it"),
                        "google/gemma-4-31B-it");
    assert_null(hub_repo_of("https://huggingface.co/google"));
    assert_null(hub_repo_of("https://huggingface.co/google/gemma/tree/main"));
    assert_null(hub_repo_of("http://huggingface.co/google/gemma"));
    assert_null(hub_repo_of("https://example.com/google/gemma"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confirms_the_checkpoints_that_recipes_cite),
        cmocka_unit_test(confirms_a_model_in_a_single_file),
        cmocka_unit_test(contradicts_another_count),
        cmocka_unit_test(asks_for_what_it_needs_and_no_more),
        cmocka_unit_test(reads_headers_around_the_first_range),
        cmocka_unit_test(tells_the_hub_s_errors_apart),
        cmocka_unit_test(takes_no_word_on_the_repository_from_the_storage),
        cmocka_unit_test(knows_a_gated_repository_by_its_metadata),
        cmocka_unit_test(only_compares_the_hub_s_own_total),
        cmocka_unit_test(refuses_names_that_no_hub_has),
        cmocka_unit_test(makes_no_request_while_offline),
        cmocka_unit_test(names_outcomes_and_repositories),
    };

    return cmocka_run_group_tests(tests, hub_trial_setup, hub_trial_teardown);
}
