/* What replies tell, quote and propose, asked of the real binary in queries that are odd. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void get(void **state, const char *target, struct http_response *out)
{
    const struct service *service = *state;

    (void)http_get(service->port, target, NULL, out);
}

static void a_price_that_is_no_number_is_told_once(void **state)
{
    struct http_response r;

    get(state, "/models/gemma-4-31b/h100?price=h100:nan", &r);
    assert_string_equal(json_text_at(&r, "detail"), "price: nan is not a number");
    assert_string_equal(json_text_at(&r, "errors.0.detail"), "nan is not a number");
    http_response_done(&r);
}

static void the_next_page_says_what_an_encoded_query_means(void **state)
{
    static const char *const cases[][2] = {
        {"/recipes?%6Cimit=1", "/recipes?limit=1&cursor="},
        {"/recipes?li%6Dit=%31&mod%65l=gemma%2D4-31b,qwen3.5-397b-a17b",
         "/recipes?model=gemma-4-31b,qwen3.5-397b-a17b&limit=1&cursor="},
        {"/recipes?limit=1&provider=AW%53&%71=tp2+%22pp8%22",
         "/recipes?provider=AWS&q=tp2%20%22pp8%22&limit=1&cursor="},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_response r;
        char next[2048];

        get(state, cases[i][0], &r);
        assert_int_equal(r.status, 200);
        (void)snprintf(next, sizeof next, "%s", json_text_at(&r, "next"));
        assert_memory_equal(next, cases[i][1], strlen(cases[i][1]));
        http_response_done(&r);
        get(state, next, &r);
        assert_int_equal(r.status, 200);
        http_response_done(&r);
    }
}

static void encoded_commas_are_never_taken_silently(void **state)
{
    static const char *const wrong[] = {
        "model=gemma-4-31b%2Cx",       "recipe=a%2cb",          "gpus=8%2C16",
        "status=verified%2Cretracted", "sort=gpus%2Cmfu",       "fields=a%2Cb",
        "framework=slime%2Cmegatron",  "price=h100:2%2Cb200:4", "measured=2026-10-18%2C2026-10-20"};
    struct http_response r;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char path[100];

        (void)snprintf(path, sizeof path, "/recipes?%s", wrong[i]);
        get(state, path, &r);
        if (r.status != 400)
            fail_msg("%s: %d", path, r.status);
        assert_string_equal(json_text_at(&r, "errors.0.detail"),
                            "a list's commas must not be percent-encoded");
        http_response_done(&r);
    }
    get(state, "/recipes?q=tp2%2Cpp8&author=Smith%2C%20J.&family=a%2Cb", &r);
    assert_int_equal(r.status, 200);
    http_response_done(&r);
}

static void names_that_are_far_off_are_not_proposed(void **state)
{
    struct http_response r;

    get(state, "/models/gemma-4-31b/zzzzzzzz", &r);
    assert_int_equal(r.status, 404);
    assert_int_equal(json_count_at(&r, "errors.0.allowed"), 3);
    assert_null(strstr(r.body, "did_you_mean"));
    http_response_done(&r);
}

static void what_a_request_did_not_say_is_not_quoted(void **state)
{
    struct http_response r;

    get(state, "/assets/x/..%2f..%2fetc%2fpasswd", &r);
    assert_int_equal(r.status, 404);
    assert_string_equal(json_text_at(&r, "detail"),
                        "the page has no file /assets/x/..%2f..%2fetc%2fpasswd");
    http_response_done(&r);
}

/* The database is damaged beneath the running service: no caller is told to try again. */
static void a_damaged_database_is_told_as_such(void **state)
{
    struct service *service = calloc(1, sizeof *service);
    struct http_response r;
    char *text;
    size_t len;

    (void)state;
    assert_non_null(service);
    service_start(service, NULL);
    text = scratch_read(service->db, &len);
    scratch_write(service->db, text, 5000);
    free(text);
    (void)http_get(service->port, "/models", NULL, &r);
    assert_int_equal(r.status, 500);
    assert_string_equal(json_text_at(&r, "type"), "/problems/corrupt");
    assert_non_null(strstr(json_text_at(&r, "detail"), "What is stored is damaged"));
    http_response_done(&r);
    (void)http_get(service->port, "/readyz", NULL, &r);
    assert_int_equal(r.status, 503);
    assert_string_equal(json_text_at(&r, "detail"),
                        "The database is damaged. It must be put back from a snapshot, or made "
                        "anew by an import.");
    http_response_done(&r);
    service_stop(service);
    free(service);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_that_is_no_number_is_told_once),
        cmocka_unit_test(the_next_page_says_what_an_encoded_query_means),
        cmocka_unit_test(encoded_commas_are_never_taken_silently),
        cmocka_unit_test(names_that_are_far_off_are_not_proposed),
        cmocka_unit_test(what_a_request_did_not_say_is_not_quoted),
        cmocka_unit_test(a_damaged_database_is_told_as_such),
    };

    return cmocka_run_group_tests(tests, service_group_setup, service_group_teardown);
}
