/* Replies and errors as answers: statuses, headers and bodies, without a socket. */
#include "tests/support/talk.h"

#include <stdio.h>
#include <string.h>

/* What the handler of this test does, by the path's argument. */
static enum err_code handle_fail(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    const char *how = http_arg(q, "how");

    (void)app;
    buf_puts(http_reply_body(r), "half a reply");
    http_reply_link(r, "/x", "next");
    if (strcmp(how, "bug") == 0)
        return err_bug(e, "SELECT secret FROM /var/lib");
    for (int code = ERR_INPUT; code < ERR_BUG; code++)
        if (strcmp(how, err_kind((enum err_code)code)->name) == 0)
            return err_set(e, (enum err_code)code, "text of %s", how);
    return ERR_OK;
}

static enum err_code handle_misuse(const struct http_request *q, struct http_reply *r, void *app,
                                   struct err *e)
{
    const char *how = http_arg(q, "how");

    (void)app;
    (void)e;
    if (strcmp(how, "redirect-out") == 0)
        http_reply_redirect(r, "//evil.example/");
    if (strcmp(how, "redirect-relative") == 0)
        http_reply_redirect(r, "models");
    if (strcmp(how, "redirect-line") == 0)
        http_reply_redirect(r, "/a\r\nSet-Cookie:");
    if (strcmp(how, "link-line") == 0)
        http_reply_link(r, "/a>\r\n", "next");
    if (strcmp(how, "filename") == 0)
        http_reply_filename(r, "a\"b");
    for (int i = 0; strcmp(how, "links") == 0 && i <= HTTP_LINKS; i++)
        http_reply_link(r, "/a", "next");
    for (int i = 0; strcmp(how, "long") == 0 && i < 33; i++) {
        static const char block[1024 * 1024];

        buf_add(http_reply_body(r), block, sizeof block);
    }
    return ERR_OK;
}

static enum err_code handle_good(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    (void)app;
    (void)e;
    buf_puts(http_reply_body(r), http_request_format(q) == HTTP_HTML ? "<p>good" : "good");
    http_reply_link(r, "/good?cursor=1", "next");
    http_reply_link(r, "/", "index");
    http_reply_filename(r, "good.txt");
    return ERR_OK;
}

static enum err_code handle_cached(const struct http_request *q, struct http_reply *r, void *app,
                                   struct err *e)
{
    const char *how = http_arg(q, "how");

    (void)app;
    (void)e;
    if (strcmp(how, "never") == 0)
        http_reply_cache(r, HTTP_CACHE_NEVER);
    if (strcmp(how, "immutable") == 0)
        http_reply_cache(r, HTTP_CACHE_IMMUTABLE);
    if (strcmp(how, "unready") == 0)
        http_reply_status(r, 503);
    if (strcmp(how, "moved") == 0)
        http_reply_redirect(r, "/new/place%20here");
    return ERR_OK;
}

static enum err_code handle_issues(const struct http_request *q, struct http_reply *r, void *app,
                                   struct err *e)
{
    const char *const near[] = {"h100", NULL};

    (void)q;
    (void)app;
    http_reply_issue(r, "gpu", "there is no GPU h10", near, near);
    return err_set(e, ERR_NOT_FOUND, "there is no GPU h10");
}

#define JSON HTTP_BIT(HTTP_JSON)

static const struct http_endpoint endpoints[] = {
    {.path = "/fail/{how}", .methods = HTTP_GET, .formats = JSON, .handle = handle_fail},
    {.path = "/misuse/{how}", .methods = HTTP_GET, .formats = JSON, .handle = handle_misuse},
    {.path = "/good",
     .methods = HTTP_GET,
     .formats = JSON | HTTP_BIT(HTTP_HTML),
     .handle = handle_good},
    {.path = "/cached/{how}", .methods = HTTP_GET, .formats = JSON, .handle = handle_cached},
    {.path = "/issues", .methods = HTTP_GET, .formats = JSON, .handle = handle_issues},
};

static const struct http_routes routes = {.endpoints = endpoints,
                                          .count = sizeof endpoints / sizeof *endpoints};

static void a_good_reply_has_its_headers(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/good");
    assert_int_equal(t.exchange.status, 200);
    talk_expect_header(&t, "Content-Type", "application/json");
    talk_expect_header(&t, "Cache-Control", "public, max-age=60, stale-while-revalidate=600");
    talk_expect_header(&t, "Vary", "Accept, Accept-Encoding");
    talk_expect_header(&t, "Access-Control-Allow-Origin", "*");
    talk_expect_header(
        &t, "Access-Control-Expose-Headers",
        "Allow, Content-Disposition, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, "
        "X-Request-Id");
    talk_expect_header(&t, "X-Content-Type-Options", "nosniff");
    talk_expect_header(&t, "ETag", "\"770e607624d689265ca6c44884d0807d-json\"");
    talk_expect_header(&t, "Link", "</good?cursor=1>; rel=\"next\", </>; rel=\"index\"");
    talk_expect_header(&t, "Content-Disposition", "inline; filename=\"good.txt\"");
    talk_expect_header(&t, "Content-Encoding", NULL);
    talk_expect_header(&t, "X-Request-Id", NULL);
    talk_expect_header(&t, "Content-Security-Policy", NULL);
    assert_int_equal(t.answer.header_count, 9);
    talk_expect_body(&t, "good");
    talk_end(&t);
}

static void html_has_a_policy(void **state)
{
    static const char *const lines[] = {"Accept", "text/html", NULL};
    struct talk t;

    (void)state;
    talk_ask(&t, &routes, "GET", "/good", lines);
    talk_expect_header(&t, "Content-Type", "text/html; charset=utf-8");
    talk_expect_header(
        &t, "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'");
    talk_expect_body(&t, "<p>good");
    talk_end(&t);
}

static void how_long_it_is_kept_is_said(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/cached/never");
    talk_expect_header(&t, "Cache-Control", "no-store");
    talk_expect_header(&t, "ETag", NULL);
    talk_end(&t);
    talk_get(&t, &routes, "/cached/immutable");
    talk_expect_header(&t, "Cache-Control", "public, max-age=31536000, immutable");
    talk_expect_header(&t, "ETag", "\"e3b0c44298fc1c149afbf4c8996fb924-json\"");
    talk_end(&t);
    talk_get(&t, &routes, "/cached/unready");
    assert_int_equal(t.exchange.status, 503);
    talk_expect_header(&t, "Cache-Control", "no-store");
    talk_expect_header(&t, "ETag", NULL);
    talk_expect_header(&t, "X-Request-Id", t.exchange.request.id);
    talk_end(&t);
}

static void a_redirect_keeps_the_suffix_and_the_query(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/cached/moved");
    assert_int_equal(t.exchange.status, 308);
    talk_expect_header(&t, "Location", "/new/place%20here");
    talk_expect_header(&t, "Content-Type", NULL);
    talk_expect_header(&t, "ETag", NULL);
    talk_expect_header(&t, "Cache-Control", "public, max-age=60, stale-while-revalidate=600");
    talk_expect_body(&t, "");
    talk_end(&t);
    talk_get(&t, &routes, "/cached/moved.json");
    talk_expect_header(&t, "Location", "/new/place%20here.json");
    talk_end(&t);
    talk_get(&t, &routes, "/good/?a=%20&b=\xC3\xA9");
    assert_int_equal(t.exchange.status, 308);
    talk_expect_header(&t, "Location", "/good?a=%20&b=%C3%A9");
    talk_end(&t);
}

/* Without a body nobody can send less. */
static void what_is_stored_is_too_large_by_our_fault(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/fail/too-large");
    assert_int_equal(t.exchange.status, 500);
    talk_expect_in_body(&t, "{\"type\":\"/problems/internal\",");
    talk_expect_in_body(&t, "\"detail\":\"The request is not at fault");
    assert_non_null(strstr(t.logged, "text=\"text of too-large\""));
    talk_end(&t);
}

static void each_error_code_has_its_status(void **state)
{
    static const struct {
        const char *name;
        int status;
    } cases[] = {
        {"invalid-input", 400}, {"not-found", 404}, {"gone", 410},          {"conflict", 409},
        {"busy", 503},          {"upstream", 502},  {"out-of-memory", 503}, {"storage", 503},
        {"corrupt", 500},       {"internal", 500},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_ours = cases[i].status >= 500;
        bool is_bug = strcmp(cases[i].name, "internal") == 0;
        char target[64], text[128];
        struct talk t;

        snprintf(target, sizeof target, "/fail/%s", is_bug ? "bug" : cases[i].name);
        talk_get(&t, &routes, target);
        assert_int_equal(t.exchange.status, cases[i].status);
        snprintf(text, sizeof text, "{\"type\":\"/problems/%s\",", cases[i].name);
        assert_int_equal(strncmp(t.answer.body, text, strlen(text)), 0);
        snprintf(text, sizeof text, "\"detail\":\"text of %s\"", cases[i].name);
        if (is_ours)
            strcpy(text, "\"detail\":\"The request is not at fault");
        talk_expect_in_body(&t, text);
        assert_null(strstr(t.answer.body, "half a reply"));
        talk_expect_header(&t, "Content-Type", "application/problem+json");
        talk_expect_header(&t, "Cache-Control", "no-store");
        talk_expect_header(&t, "Link", NULL);
        talk_expect_header(&t, "ETag", NULL);
        talk_expect_header(&t, "X-Request-Id", t.exchange.request.id);
        talk_expect_header(&t, "Retry-After", cases[i].status == 503 ? "1" : NULL);
        assert_int_equal(strstr(t.logged, "level=error") != NULL, is_ours);
        talk_end(&t);
    }
}

static void what_failed_is_logged_and_not_told(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/fail/bug");
    assert_null(strstr(t.answer.body, "SELECT"));
    assert_null(strstr(t.answer.body, "/var/lib"));
    assert_non_null(strstr(t.logged, " level=error event=request_failed id="));
    assert_non_null(strstr(t.logged, " code=internal text=\"SELECT secret FROM /var/lib\" "
                                     "file=tests/unit/test_server_answer.c line="));
    talk_end(&t);
}

static void misuse_is_a_bug_and_not_a_header(void **state)
{
    static const char *const cases[] = {
        "redirect-out", "redirect-relative", "redirect-line", "link-line", "filename", "links",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char target[64];
        struct talk t;

        snprintf(target, sizeof target, "/misuse/%s", cases[i]);
        talk_get(&t, &routes, target);
        assert_int_equal(t.exchange.status, 500);
        talk_expect_header(&t, "Location", NULL);
        talk_expect_header(&t, "Link", NULL);
        assert_non_null(strstr(t.logged, " code=internal "));
        assert_non_null(strstr(t.logged, "file=server/reply.c"));
        talk_end(&t);
    }
}

static void a_reply_that_is_too_long_is_the_clients_to_shorten(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/misuse/long");
    assert_int_equal(t.exchange.status, 400);
    talk_expect_in_body(&t, "the reply would be longer than 33554432 bytes; ask for less");
    talk_end(&t);
}

static void a_handlers_issues_are_listed(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/issues");
    assert_int_equal(t.exchange.status, 404);
    talk_expect_in_body(&t, "\"errors\":[{\"parameter\":\"gpu\",\"detail\":\"there is no GPU h10\","
                            "\"allowed\":[\"h100\"],\"did_you_mean\":[\"h100\"]}]}\n");
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_reply_has_its_headers),
        cmocka_unit_test(html_has_a_policy),
        cmocka_unit_test(how_long_it_is_kept_is_said),
        cmocka_unit_test(a_redirect_keeps_the_suffix_and_the_query),
        cmocka_unit_test(each_error_code_has_its_status),
        cmocka_unit_test(what_is_stored_is_too_large_by_our_fault),
        cmocka_unit_test(what_failed_is_logged_and_not_told),
        cmocka_unit_test(misuse_is_a_bug_and_not_a_header),
        cmocka_unit_test(a_reply_that_is_too_long_is_the_clients_to_shorten),
        cmocka_unit_test(a_handlers_issues_are_listed),
    };

    return cmocka_run_group_tests_name("server_answer", tests, NULL, NULL);
}
