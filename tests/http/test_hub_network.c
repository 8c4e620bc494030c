/* The client of the hub against a network that fails, stalls and floods. Where it
 * leads astray is in test_hub_redirects.c. */
#include "base/clock.h"
#include "base/mem.h"
#include "tests/support/hub_trial.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Run a trial with one fault, where a transfer may take this long; it must fail for this reason. */
static void give_up(void **state, const struct loopback_fault *fault, unsigned transfer_ms,
                    const char *reason)
{
    struct hub_trial t;

    hub_trial_begin(&t, *state, fault, 1);
    t.config.transfer_ms = transfer_ms;
    hub_trial_run(&t, HUB_MODEL_SMALL);
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

        assert_int_equal(hub_trial_confirm(*state, &fault, 1), 6 + 5);
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const struct loopback_fault fault = {
            .port = LOOPBACK_STORAGE, .path = "/", .times = 2, .kind = kinds[i]};

        /* Each try starts with the hub: the storage's URL is signed for a short time. */
        assert_int_equal(hub_trial_confirm(*state, &fault, 1), 6 + 2 * 2);
    }
}

static void gives_up_after_five_more_tries(void **state)
{
    static const struct loopback_fault fault = {
        .port = LOOPBACK_HUB, .path = "/api/", .kind = LOOPBACK_CLOSE};
    struct hub_trial t;

    hub_trial_begin(&t, *state, &fault, 1);
    hub_trial_run(&t, HUB_MODEL_SMALL);
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
        hub_trial_run(&t, HUB_MODEL_SMALL);
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
    hub_trial_run(&t, HUB_MODEL_SMALL);
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

/* One after the other, the second file would be next; it waits, since its request would be refused
 * too. */
static void holds_all_requests_back_when_a_quota_is_used_up(void **state)
{
    static const struct loopback_fault fault = {.port = LOOPBACK_HUB,
                                                .path = "00001-of",
                                                .times = 1,
                                                .kind = LOOPBACK_REPLY,
                                                .status = 429,
                                                .headers = "Retry-After: 55\r\n"};
    struct loopback_request request;
    struct hub_trial t;
    size_t n = 0;

    hub_trial_begin(&t, *state, &fault, 1);
    t.config.jobs = 1;
    hub_trial_run(&t, HUB_MODEL_GEMMA_4_31B);
    assert_int_equal(t.result.outcome, HUB_CONFIRMED);
    while (loopback_hub_request(t.hub, n, &request) && !strstr(request.path, "00001-of"))
        n++;
    assert_true(loopback_hub_request(t.hub, n + 1, &request));
    assert_non_null(strstr(request.path, "00001-of"));
    hub_trial_end(&t);
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
    hub_trial_run(&t, HUB_MODEL_SMALL);
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

    assert_int_equal(hub_trial_confirm(*state, &refused, 1), 8);
    assert_int_equal(hub_trial_confirm(*state, &ignored, 1), 6);
    assert_int_equal(hub_trial_confirm(*state, &unsized, 1), 6);
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

static void gives_up_where_nobody_listens(void **state)
{
    struct hub_trial t;

    hub_trial_begin(&t, *state, NULL, 0);
    hub_trial_end(&t);
    hub_trial_run(&t, HUB_MODEL_SMALL);
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
    static const enum hub_model_id ids[] = {HUB_MODEL_GEMMA_4_31B, HUB_MODEL_SMALL};
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
    hub_trial_run(&t, HUB_MODEL_SMALL);
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
        cmocka_unit_test(holds_all_requests_back_when_a_quota_is_used_up),
        cmocka_unit_test(gives_up_where_the_wait_is_too_long),
        cmocka_unit_test(limits_time),
        cmocka_unit_test(leaves_a_half_open_connection),
        cmocka_unit_test(limits_bytes),
        cmocka_unit_test(unpacks_nothing),
        cmocka_unit_test(copes_with_storages_that_know_no_ranges),
        cmocka_unit_test(copes_with_them_in_a_second_request),
        cmocka_unit_test(gives_up_where_nobody_listens),
        cmocka_unit_test(keeps_what_is_confirmed_when_it_is_stopped),
        cmocka_unit_test(leaves_no_descriptor_and_no_thread),
        cmocka_unit_test(keeps_within_the_hub_s_limits),
    };

    return cmocka_run_group_tests(tests, hub_trial_setup, hub_trial_teardown);
}
