/* Errors as JSON. */
#include "server/problem.h"
#include "tests/support/test.h"

#include <string.h>

static void a_problem_without_details(void **state)
{
    struct http_issues issues = {.first = NULL};
    struct buf out;

    (void)state;
    buf_init(&out, 10000);
    http_problem_write(&out, err_kind(ERR_NOT_FOUND), NULL, "0123", &issues, "");
    assert_string_equal(buf_text(&out),
                        "{\"type\":\"/problems/not-found\",\"title\":\"There is no such resource\","
                        "\"status\":404,\"instance\":\"0123\"}\n");
    buf_done(&out);
}

static void a_problem_with_all_details(void **state)
{
    const char *const allowed[] = {"limit", "sort", NULL};
    const char *const near[] = {"limit", NULL};
    const char *const none[] = {NULL};
    struct arena arena;
    struct http_issues issues = {.arena = &arena};
    struct buf out;

    (void)state;
    arena_init(&arena, 10000);
    buf_init(&out, 10000);
    http_issues_add(&issues, "limt", "there is no \"limt\"", allowed, near);
    http_issues_add(&issues, NULL, "the body is empty", NULL, NULL);
    http_issues_add(&issues, "x", "y", none, none);
    assert_int_equal(issues.count, 3);
    assert_false(issues.is_short);
    http_problem_write(&out, http_refusal(HTTP_REFUSAL_UNKNOWN_PARAMETER), "three\nthings", "a-b",
                       &issues, "\"history\":[1]");
    assert_string_equal(
        buf_text(&out),
        "{\"type\":\"/problems/unknown-parameter\",\"title\":\"There is no such query parameter\","
        "\"status\":400,\"detail\":\"three?things\",\"instance\":\"a-b\",\"errors\":["
        "{\"parameter\":\"limt\",\"detail\":\"there is no \\\"limt\\\"\","
        "\"allowed\":[\"limit\",\"sort\"],\"did_you_mean\":[\"limit\"]},"
        "{\"detail\":\"the body is empty\"},"
        "{\"parameter\":\"x\",\"detail\":\"y\"}],\"history\":[1]}\n");
    buf_done(&out);
    arena_done(&arena);
}

static void what_is_added_is_copied(void **state)
{
    char parameter[] = "name", detail[] = "detail", word[] = "word";
    const char *const list[] = {word, NULL};
    struct arena arena;
    struct http_issues issues = {.arena = &arena};

    (void)state;
    arena_init(&arena, 10000);
    http_issues_add(&issues, parameter, detail, http_issues_keep(&issues, list),
                    http_issues_keep(&issues, list));
    parameter[0] = detail[0] = word[0] = 'X';
    assert_string_equal(issues.first->parameter, "name");
    assert_string_equal(issues.first->detail, "detail");
    assert_string_equal(issues.first->allowed[0], "word");
    assert_string_equal(issues.first->near[0], "word");
    arena_done(&arena);
}

static void bytes_that_are_not_utf8_are_replaced(void **state)
{
    struct arena arena;
    struct http_issues issues = {.arena = &arena};
    struct buf out;

    (void)state;
    arena_init(&arena, 10000);
    buf_init(&out, 10000);
    http_issues_add(&issues, "\xC3", "\xC3\xA9 \xFF.", NULL, NULL);
    http_problem_write(&out, err_kind(ERR_INPUT), "cut \xE2\x82", "i", &issues, "");
    assert_non_null(strstr(buf_text(&out), "\"detail\":\"cut ??\""));
    assert_non_null(strstr(buf_text(&out), "{\"parameter\":\"?\",\"detail\":\"\xC3\xA9 ?.\"}"));
    buf_done(&out);
    arena_done(&arena);
}

static void short_memory_is_noted(void **state)
{
    const char *const list[] = {"a", "b", NULL};
    size_t limit = 0;
    bool is_short = true;

    (void)state;
    for (; is_short; limit += 16) {
        struct arena arena;
        struct http_issues issues = {.arena = &arena};

        arena_init(&arena, limit);
        http_issues_add(&issues, "p", "d", http_issues_keep(&issues, list),
                        http_issues_keep(&issues, NULL));
        is_short = issues.is_short;
        arena_done(&arena);
        assert_true(limit < 1000);
    }
    assert_true(limit > 150);
}

static void the_refusals_have_their_statuses(void **state)
{
    static const int statuses[] = {400, 400, 405, 406, 413, 414, 415, 429, 431, 501};

    (void)state;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        assert_int_equal(http_refusal((enum http_refusal)i)->http_status, statuses[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_without_details),
        cmocka_unit_test(a_problem_with_all_details),
        cmocka_unit_test(what_is_added_is_copied),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
        cmocka_unit_test(short_memory_is_noted),
        cmocka_unit_test(the_refusals_have_their_statuses),
    };

    return cmocka_run_group_tests_name("server_problem", tests, NULL, NULL);
}
