/* The client of the hub against a network that fails, stalls, floods and leads astray. */
#include "base/clock.h"
#include "base/mem.h"
#include "importers/download.h"
#include "tests/support/hub_trial.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The model whose trials are fastest: a single file, a header of 15 kB. */
static const enum hub_model_id small = HUB_MODEL_LLAMA_3_2_1B;

/* Run a trial with faults, which must end in a confirmation; returns the requests that it took. */
static int64_t confirm(void **state, const struct loopback_fault *faults, size_t count)
{
    struct hub_trial t;

    hub_trial_begin(&t, *state, faults, count);
    hub_trial_run(&t, small);
    hub_trial_end(&t);
    assert_string_equal(t.result.reason, "");
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_int_equal(t.result.computed, 1235746816);
    return t.result.requests;
}

/* Run a trial with one fault, where a transfer may take this long; it must fail for this reason. */
static void give_up(void **state, const struct loopback_fault *fault, unsigned transfer_ms,
                    const char *reason)
{
    struct hub_trial t;

    hub_trial_begin(&t, *state, fault, 1);
    t.config.transfer_ms = transfer_ms;
    hub_trial_run(&t, small);
    hub_trial_end(&t);
    assert_int_equal(t.rc, ERR_OK);
    assert_string_equal(t.result.reason, reason);
    assert_int_equal(t.result.outcome, HUB_UNREACHABLE);
    assert_int_equal(t.result.computed, 0);
}

static void tries_again_what_may_go_away(void **state)
{
    static const int statuses[] = {408, 429, 500, 502, 503, 504};
    static const enum loopback_kind kinds[] = {LOOPBACK_CLOSE, LOOPBACK_CUT};

    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        const struct loopback_fault fault = {.port = LOOPBACK_HUB,
                                             .path = "/config.json",
                                             .times = 5,
                                             .kind = LOOPBACK_REPLY,
                                             .status = statuses[i]};

        assert_int_equal(confirm(state, &fault, 1), 6 + 5);
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const struct loopback_fault fault = {
            .port = LOOPBACK_STORAGE, .path = "/", .times = 2, .kind = kinds[i]};

        /* Each try starts with the hub: the storage's URL is signed for a short time. */
        assert_int_equal(confirm(state, &fault, 1), 6 + 2 * 2);
    }
}

static void gives_up_after_five_more_tries(void **state)
{
    static const struct loopback_fault fault = {
        .port = LOOPBACK_HUB, .path = "/api/", .kind = LOOPBACK_CLOSE};
    struct hub_trial t;

    hub_trial_begin(&t, *state, &fault, 1);
    hub_trial_run(&t, small);
    assert_int_equal(t.result.outcome, HUB_UNREACHABLE);
    assert_string_equal(t.result.reason,
                        "metadata: tried 6 times: Server returned nothing (no headers, no data)");
    assert_int_equal(t.result.requests, 6);
    /* libcurl itself asks once more where a connection that it kept was closed. */
    assert_in_range(loopback_hub_count(t.hub, LOOPBACK_HUB, "/"), 6, 12);
    hub_trial_end(&t);
}

static void never_tries_a_refusal_again(void **state)
{
    static const int statuses[] = {400, 401, 403, 404, 410};

    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        const struct loopback_fault fault = {
            .port = LOOPBACK_HUB, .path = "/api/", .kind = LOOPBACK_REPLY, .status = statuses[i]};
        struct hub_trial t;

        hub_trial_begin(&t, *state, &fault, 1);
        hub_trial_run(&t, small);
        assert_int_equal(t.result.requests, 1);
        assert_int_equal(loopback_hub_count(t.hub, LOOPBACK_HUB, "/"), 1);
        hub_trial_end(&t);
    }
}

/* How long a trial with this fault takes, where a second of waiting has so many milliseconds. */
static int64_t time_ms(void **state, const struct loopback_fault *fault, unsigned second_ms)
{
    int64_t start = clock_steady_ns();
    struct hub_trial t;

    hub_trial_begin(&t, *state, fault, 1);
    t.config.second_ms = second_ms;
    hub_trial_run(&t, small);
    hub_trial_end(&t);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    return (clock_steady_ns() - start) / 1000000;
}

static void waits_longer_before_each_try(void **state)
{
    static const struct loopback_fault fault = {
        .port = LOOPBACK_HUB, .path = "/api/", .times = 5, .kind = LOOPBACK_REPLY, .status = 503};

    assert_true(time_ms(state, &fault, 20) >= (1 + 2 + 4 + 8 + 8) * INT64_C(20));
}

static void waits_as_long_as_it_is_asked_to(void **state)
{
    static const struct loopback_fault faults[] = {
        {.port = LOOPBACK_HUB,
         .path = "/api/",
         .times = 1,
         .kind = LOOPBACK_REPLY,
         .status = 429,
         .headers = "RateLimit: \"api\";r=0;t=55\r\n"},
        {.port = LOOPBACK_HUB,
         .path = "/api/",
         .times = 1,
         .kind = LOOPBACK_REPLY,
         .status = 429,
         .headers = "Retry-After: 55\r\n"},
        {.port = LOOPBACK_HUB,
         .path = "/api/",
         .times = 1,
         .kind = LOOPBACK_REPLY,
         .status = 503,
         .headers = "RateLimit: \"api\";r=7;t=0\r\nRetry-After: 55\r\n"},
        /* The quota is used up by a reply that is fine: the next request would be refused. */
        {.port = LOOPBACK_HUB,
         .path = "/api/",
         .times = 1,
         .kind = LOOPBACK_EDIT,
         .headers = "RateLimit: \"pages\";r=9;t=300, \"api\";r=0;t=55\r\n"},
    };

    for (size_t i = 0; i < COUNT_OF(faults); i++)
        assert_true(time_ms(state, &faults[i], 4) >= INT64_C(55) * 4);
}

static void gives_up_where_the_wait_is_too_long(void **state)
{
    static const struct loopback_fault fault = {.port = LOOPBACK_HUB,
                                                .path = "/api/",
                                                .kind = LOOPBACK_REPLY,
                                                .status = 429,
                                                .headers = "Retry-After: 301\r\n"};

    give_up(state, &fault, 5000, "metadata: asked to wait 301 s: status 429");
}

static void limits_time(void **state)
{
    static const struct loopback_fault silent = {
        .port = LOOPBACK_HUB, .path = "/config.json", .kind = LOOPBACK_SILENT};
    static const struct loopback_fault slow = {
        .port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_SLOW};
    static const char *const reasons[] = {"config.json: tried 6 times: Timeout was reached",
                                          "model.safetensors: tried 6 times: Timeout was reached"};

    give_up(state, &silent, 100, reasons[0]);
    give_up(state, &slow, 100, reasons[1]);
}

/* A connection to the storage that is open and says nothing, long before the transfer's limit. */
static void leaves_a_half_open_connection(void **state)
{
    static const struct loopback_fault fault = {
        .port = LOOPBACK_STORAGE, .path = "/", .times = 1, .kind = LOOPBACK_SILENT};
    struct hub_trial t;

    hub_trial_begin(&t, *state, &fault, 1);
    t.config.transfer_ms = 60000;
    t.config.stall_s = 1;
    hub_trial_run(&t, small);
    hub_trial_end(&t);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_int_equal(t.result.requests, 8);
}

static void limits_bytes(void **state)
{
    static const struct loopback_fault endless = {
        .port = LOOPBACK_HUB, .path = "/config.json", .kind = LOOPBACK_ENDLESS};
    static const struct loopback_fault headers = {
        .port = LOOPBACK_HUB, .path = "/config.json", .kind = LOOPBACK_ENDLESS_HEADERS};
    static const struct loopback_fault weights = {
        .port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_ENDLESS};

    give_up(state, &endless, 5000, "config.json: longer than 4000000 bytes");
    give_up(state, &headers, 5000, "config.json: the headers are longer than 65536 bytes");
    give_up(state, &weights, 5000,
            "model.safetensors: a header of 3687377360294522971 bytes is longer than 25000000");
}

/* The bytes of a gzip file that unpack to a valid config: they are not unpacked. */
static void unpacks_nothing(void **state)
{
    static const struct loopback_fault fault = {.port = LOOPBACK_HUB,
                                                .path = "/config.json",
                                                .kind = LOOPBACK_REPLY,
                                                .status = 200,
                                                .headers = "Content-Encoding: gzip\r\n",
                                                .body = "\x1f\x8b\x08"};

    give_up(state, &fault, 5000, "config.json: a compressed answer, which was not asked for");
}

static void copes_with_storages_that_know_no_ranges(void **state)
{
    static const struct loopback_fault refused = {
        .port = LOOPBACK_STORAGE, .path = "/", .times = 1, .kind = LOOPBACK_REPLY, .status = 416};
    static const struct loopback_fault ignored = {
        .port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_NO_RANGE};
    static const struct loopback_fault unsized = {
        .port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_CHUNKED};
    static const struct loopback_fault always = {
        .port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_REPLY, .status = 416};

    assert_int_equal(confirm(state, &refused, 1), 8);
    assert_int_equal(confirm(state, &ignored, 1), 6);
    assert_int_equal(confirm(state, &unsized, 1), 6);
    give_up(state, &always, 5000,
            "model.safetensors: the storage behind the hub answered with status 416");
}

/* A header that needs a second request, which may be answered in any of these ways too. */
static void copes_with_them_in_a_second_request(void **state)
{
    static const struct loopback_fault faults[] = {
        {.port = LOOPBACK_STORAGE, .path = "/", .kind = LOOPBACK_NO_RANGE},
        {.port = LOOPBACK_STORAGE, .path = "00001-of", .skip = 1, .kind = LOOPBACK_NO_RANGE},
        {.port = LOOPBACK_STORAGE,
         .path = "00001-of",
         .skip = 1,
         .times = 1,
         .kind = LOOPBACK_REPLY,
         .status = 416},
    };

    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        struct hub_trial t;

        hub_trial_begin(&t, *state, &faults[i], 1);
        hub_trial_run(&t, HUB_MODEL_GEMMA_4_31B);
        hub_trial_end(&t);
        assert_string_equal(t.result.reason, "");
        assert_int_equal(t.result.outcome, HUB_CONFIRMED);
        assert_int_equal(t.result.computed, 30696013824);
        /* No weights are read, however large the answer is. */
        assert_true(t.result.bytes < 2000000);
    }
}

/* Expands to a fault, a redirect; a function could not be used in a constant. */
#define LEAD(at, lines)                                                                            \
    {                                                                                              \
        .port = LOOPBACK_HUB, .path = at, .kind = LOOPBACK_REPLY, .status = 302, .headers = lines  \
    }

static void follows_five_redirects(void **state)
{
    static const struct loopback_fault faults[] = {
        {.port = LOOPBACK_HUB,
         .path = "/api/models",
         .times = 1,
         .kind = LOOPBACK_REPLY,
         .status = 301,
         .headers = "Location: /a1\r\n"},
        {.port = LOOPBACK_HUB,
         .path = "/a1",
         .kind = LOOPBACK_REPLY,
         .status = 303,
         .headers = "Location: ./b/../a2\r\n"},
        {.port = LOOPBACK_HUB,
         .path = "/a2",
         .kind = LOOPBACK_REPLY,
         .status = 307,
         .headers = "Location: {storage}/a3\r\n"},
        {.port = LOOPBACK_STORAGE,
         .path = "/a3",
         .kind = LOOPBACK_REPLY,
         .status = 308,
         .headers = "Location: ?a4\r\n",

         .times = 1},
        {.port = LOOPBACK_STORAGE,
         .path = "?a4",
         .kind = LOOPBACK_REPLY,
         .status = 302,
         .headers = "Location: {hub}/api/models/meta-llama/Llama-3.2-1B/revision/"
                    "2222222222222222222222222222222222222222\r\n"},
    };
    static const struct loopback_fault loop = LEAD("/api/models", "Location: /api/models/a\r\n");

    assert_int_equal(confirm(state, faults, COUNT_OF(faults)), 6 + 5);
    give_up(state, &loop, 5000, "metadata: more than 5 redirects");
}

/* A mirror that answers 308 and drops the query. */
static void needs_no_query(void **state)
{
    static const struct loopback_fault fault = {
        .port = LOOPBACK_HUB,
        .path = "/model.safetensors",
        .skip = 1,
        .kind = LOOPBACK_REPLY,
        .status = 308,
        .headers = "Location: {storage}/meta-llama/Llama-3.2-1B/model.safetensors\r\n"};

    assert_int_equal(confirm(state, &fault, 1), 6);
}

static void refuses_redirects_to_elsewhere(void **state)
{
    static const char *const targets[] = {
        "Location: file:///etc/passwd\r\n",
        "Location: ftp://127.0.0.1/\r\n",
        "Location: http://user:password@127.0.0.1/\r\n",
    };
    static const struct loopback_fault nowhere = LEAD("/config.json", NULL);

    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        const struct loopback_fault fault = LEAD("/config.json", targets[i]);

        give_up(state, &fault, 5000, "config.json: a redirect leads to no http or https URL");
    }
    give_up(state, &nowhere, 5000, "config.json: status 302 ");
}

static void never_falls_from_https_to_http(void **state)
{
    static const char https[] = "https://huggingface.co/a";
    struct err e = {0};

    (void)state;
    assert_int_equal(download_check_redirect(https, "http://huggingface.co/a", &e), ERR_UPSTREAM);
    assert_string_equal(e.text, "a redirect leads from https to http");
    assert_int_equal(download_check_redirect(https, "HTTP://cdn.example/a", &e), ERR_UPSTREAM);
    assert_string_equal(e.text, "a redirect leads from https to http");
    assert_int_equal(download_check_redirect(https, "https://cdn.example/a", &e), ERR_OK);
    assert_int_equal(download_check_redirect("http://a/b", "https://c/d", &e), ERR_OK);
    assert_int_equal(download_check_redirect("http://a/b", "http://c/d", &e), ERR_OK);
}

/* The storage of the loopback hub is the same host on another port. */
static void shows_the_token_to_the_hub_alone(void **state)
{
    static const struct loopback_fault back = {.port = LOOPBACK_HUB,
                                               .path = "/config.json",
                                               .times = 1,
                                               .kind = LOOPBACK_REPLY,
                                               .status = 302,
                                               .headers = "Location: {storage}/elsewhere\r\n"};
    struct loopback_request request;
    size_t to_storage = 0;
    struct hub_trial t;

    hub_trial_begin(&t, *state, &back, 1);
    (void)snprintf(t.config.token, sizeof t.config.token, "hf_secret"); /* Fits. */
    hub_trial_run(&t, small);
    assert_int_equal(t.result.outcome, HUB_UNREACHABLE);
    hub_trial_run(&t, small);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    for (size_t i = 0; loopback_hub_request(t.hub, i, &request); i++) {
        to_storage += request.port == LOOPBACK_STORAGE;
        assert_string_equal(request.authorization,
                            request.port == LOOPBACK_HUB ? "Bearer hf_secret" : "");
    }
    assert_int_equal(to_storage, 2);
    hub_trial_end(&t);
}

static void reads_origins_as_libcurl_does(void **state)
{
    static const struct {
        const char *url;
        const char *origin;
    } rows[] = {
        {"https://HuggingFace.co", "https://huggingface.co:443"},
        {"http://127.0.0.1:8080/a/b?c", "http://127.0.0.1:8080"},
        {"HTTPS://huggingface.co:444/x", "https://huggingface.co:444"},
        {"http://[::1]/", "http://[::1]:80"},
        {"https://huggingface.co.evil.example/", "https://huggingface.co.evil.example:443"},
        {"https://huggingface.co#@evil.example/", "https://huggingface.co:443"},
    };
    static const char *const refused[] = {
        "", "huggingface", "ftp://a/", "https://a@b/", "http://a:99999/", "http://a b/"};
    char origin[FETCH_ORIGIN_BYTES];
    struct err e = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(fetch_origin(rows[i].url, origin, &e), ERR_OK);
        assert_string_equal(origin, rows[i].origin);
    }
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        assert_int_equal(fetch_origin(refused[i], origin, &e), ERR_INPUT);
}

static void refuses_endpoints_and_tokens_of_no_use(void **state)
{
    static const struct {
        const char *endpoint;
        const char *token;
        const char *message;
    } rows[] = {
        {"ftp://127.0.0.1", "", "endpoint ftp://127.0.0.1: ftp is neither http nor https"},
        {"http://a@127.0.0.1", "",
         "endpoint http://a@127.0.0.1: not a URL, or one with a user name"},
        {"http://127.0.0.1/?a", "", "endpoint http://127.0.0.1/?a: it has a query or a fragment"},
        {"http://127.0.0.1", "a\r\nX: y", "the token has characters that no token has"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct hub_trial t;

        hub_trial_begin(&t, *state, NULL, 0);
        (void)snprintf(t.config.endpoint, sizeof t.config.endpoint, "%s", rows[i].endpoint);
        (void)snprintf(t.config.token, sizeof t.config.token, "%s", rows[i].token); /* Both fit. */
        hub_trial_run(&t, small);
        hub_trial_end(&t);
        assert_int_equal(t.rc, ERR_INPUT);
        assert_string_equal(t.e.text, rows[i].message);
        assert_int_equal(t.result.outcome, HUB_NOT_CHECKED);
    }
}

static void gives_up_where_nobody_listens(void **state)
{
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    hub_trial_end(&t);
    hub_trial_run(&t, small);
    assert_int_equal(t.rc, ERR_OK);
    assert_int_equal(t.result.outcome, HUB_UNREACHABLE);
    assert_string_equal(t.result.reason, "metadata: tried 6 times: Couldn't connect to server");
}

static void stop_after_a_result(void *ctx, size_t index, const struct hub_result *result)
{
    (void)index;
    (void)result;
    atomic_store((atomic_bool *)ctx, true);
}

static void keeps_what_is_confirmed_when_it_is_stopped(void **state)
{
    static const enum hub_model_id ids[] = {HUB_MODEL_GEMMA_4_31B, HUB_MODEL_LLAMA_3_2_1B};
    static const struct loopback_fault fault = {
        .port = LOOPBACK_HUB, .path = "/google/", .kind = LOOPBACK_SILENT};
    struct hub_checkpoint checkpoints[COUNT_OF(ids)];
    struct hub_result results[COUNT_OF(ids)];
    atomic_bool is_stopped = false;
    struct hub_hooks hooks = {.on_result = stop_after_a_result, .ctx = &is_stopped};
    struct loopback_request request;
    struct hub_trial t;

    for (size_t i = 0; i < COUNT_OF(ids); i++)
        checkpoints[i] =
            (struct hub_checkpoint){hub_model_get(ids[i])->repo, hub_model_get(ids[i])->revision,
                                    hub_model_get(ids[i])->active};
    hub_trial_begin(&t, *state, &fault, 1);
    t.config.stall_s = 60;
    t.config.is_stopped = &is_stopped;
    assert_int_equal(hub_verify(&t.config, checkpoints, COUNT_OF(ids), &hooks, results, &t.e),
                     ERR_BUSY);
    assert_string_equal(t.e.text, "stopped");
    assert_int_equal(results[0].outcome, HUB_NOT_CHECKED);
    assert_string_equal(results[0].reason, "metadata: stopped");
    assert_int_equal(results[1].outcome, HUB_CONFIRMED);
    hub_trial_end(&t);

    /* Once stopped, nothing begins. */
    hub_trial_begin(&t, *state, NULL, 0);
    t.config.is_stopped = &is_stopped;
    hub_trial_run(&t, small);
    assert_int_equal(t.rc, ERR_BUSY);
    assert_int_equal(t.result.outcome, HUB_NOT_CHECKED);
    assert_false(loopback_hub_request(t.hub, 0, &request));
    hub_trial_end(&t);
}

static size_t count_entries(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    assert_int_equal(closedir(folder), 0);
    return count;
}

static void leaves_no_descriptor_and_no_thread(void **state)
{
    static const struct loopback_fault fault = {
        .port = LOOPBACK_STORAGE, .path = "/", .times = 1, .kind = LOOPBACK_ENDLESS};
    size_t descriptors = count_entries("/proc/self/fd");
    size_t threads = count_entries("/proc/self/task");
    struct hub_trial t;

    hub_trial_begin(&t, *state, &fault, 1);
    hub_trial_run(&t, HUB_MODEL_QWEN3_5_397B_A17B);
    assert_int_equal(t.result.outcome, HUB_UNREACHABLE);
    hub_trial_run(&t, HUB_MODEL_QWEN3_5_397B_A17B);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    hub_trial_end(&t);
    assert_int_equal(count_entries("/proc/self/fd"), descriptors);
    assert_int_equal(count_entries("/proc/self/task"), threads);
}

/* A model of 94 files costs the hub about 100 requests, and the storage two for each long header.
 */
static void keeps_within_the_hub_s_limits(void **state)
{
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    hub_trial_run(&t, HUB_MODEL_QWEN3_5_397B_A17B);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    assert_int_equal(loopback_hub_count(t.hub, LOOPBACK_HUB, "/api/models/"), 1);
    assert_in_range(loopback_hub_count(t.hub, LOOPBACK_HUB, "/resolve/"), 96, 100);
    assert_true(t.result.bytes < 12000000);
    hub_trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tries_again_what_may_go_away),
        cmocka_unit_test(gives_up_after_five_more_tries),
        cmocka_unit_test(never_tries_a_refusal_again),
        cmocka_unit_test(waits_longer_before_each_try),
        cmocka_unit_test(waits_as_long_as_it_is_asked_to),
        cmocka_unit_test(gives_up_where_the_wait_is_too_long),
        cmocka_unit_test(limits_time),
        cmocka_unit_test(leaves_a_half_open_connection),
        cmocka_unit_test(limits_bytes),
        cmocka_unit_test(unpacks_nothing),
        cmocka_unit_test(copes_with_storages_that_know_no_ranges),
        cmocka_unit_test(copes_with_them_in_a_second_request),
        cmocka_unit_test(follows_five_redirects),
        cmocka_unit_test(needs_no_query),
        cmocka_unit_test(refuses_redirects_to_elsewhere),
        cmocka_unit_test(never_falls_from_https_to_http),
        cmocka_unit_test(shows_the_token_to_the_hub_alone),
        cmocka_unit_test(reads_origins_as_libcurl_does),
        cmocka_unit_test(refuses_endpoints_and_tokens_of_no_use),
        cmocka_unit_test(gives_up_where_nobody_listens),
        cmocka_unit_test(keeps_what_is_confirmed_when_it_is_stopped),
        cmocka_unit_test(leaves_no_descriptor_and_no_thread),
        cmocka_unit_test(keeps_within_the_hub_s_limits),
    };

    return cmocka_run_group_tests(tests, hub_trial_setup, hub_trial_teardown);
}
