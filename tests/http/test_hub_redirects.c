/* The client of the hub led astray: redirects, and where its token goes. */
#include "base/mem.h"
#include "importers/download.h"
#include "tests/support/hub_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A trial with this fault must fail for this reason. */
static void give_up(const struct hub_trial_repos *repos, const struct loopback_fault *fault,
                    const char *reason)
{
    hub_trial_assert(repos, HUB_MODEL_SMALL, "", fault, HUB_UNREACHABLE, reason);
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

    assert_int_equal(hub_trial_confirm(*state, faults, COUNT_OF(faults)), 6 + 5);
    give_up(*state, &loop, "metadata: more than 5 redirects");
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

    assert_int_equal(hub_trial_confirm(*state, &fault, 1), 6);
}

/* A renamed repository, as the hub answers for it. */
static void knows_a_renamed_repository(void **state)
{
    static const struct loopback_fault faults[] = {
        {.port = LOOPBACK_HUB,
         .path = "/api/models/meta-llama/Llama-3.2-1B/",
         .kind = LOOPBACK_REPLY,
         .status = 307,
         .headers = "Location: /api/models/meta-llama/Llama-4-1B/revision/"
                    "2222222222222222222222222222222222222222\r\n"},
        {.port = LOOPBACK_HUB,
         .path = "/api/models/meta-llama/Llama-4-1B/",
         .kind = LOOPBACK_REPLY,
         .status = 200,
         .body = "{\"id\":\"meta-llama/Llama-4-1B\","
                 "\"sha\":\"2222222222222222222222222222222222222222\"}"},
    };
    struct hub_trial t;

    hub_trial_begin(&t, *state, faults, COUNT_OF(faults));
    hub_trial_run(&t, HUB_MODEL_SMALL);
    hub_trial_end(&t);
    assert_string_equal(t.result.reason, "the repository is now named meta-llama/Llama-4-1B");
    assert_int_equal(t.result.outcome, HUB_NOT_FOUND);
    assert_int_equal(t.result.requests, 2);
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

        give_up(*state, &fault, "config.json: a redirect leads to no http or https URL");
    }
    give_up(*state, &nowhere, "config.json: status 302 ");
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
    hub_trial_run(&t, HUB_MODEL_SMALL);
    assert_int_equal(t.result.outcome, HUB_UNREACHABLE);
    hub_trial_run(&t, HUB_MODEL_SMALL);
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
        hub_trial_run(&t, HUB_MODEL_SMALL);
        hub_trial_end(&t);
        assert_int_equal(t.rc, ERR_INPUT);
        assert_string_equal(t.e.text, rows[i].message);
        assert_int_equal(t.result.outcome, HUB_NOT_CHECKED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_five_redirects),
        cmocka_unit_test(needs_no_query),
        cmocka_unit_test(knows_a_renamed_repository),
        cmocka_unit_test(refuses_redirects_to_elsewhere),
        cmocka_unit_test(never_falls_from_https_to_http),
        cmocka_unit_test(shows_the_token_to_the_hub_alone),
        cmocka_unit_test(reads_origins_as_libcurl_does),
        cmocka_unit_test(refuses_endpoints_and_tokens_of_no_use),
    };

    return cmocka_run_group_tests(tests, hub_trial_setup, hub_trial_teardown);
}
