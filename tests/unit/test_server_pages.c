/* Pages in place of replies and errors, for clients that like HTML better. */
#include "tests/support/talk.h"

#include <string.h>

static enum err_code handle_item(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    const char *name = http_arg(q, "name");

    (void)app;
    if (strcmp(name, "gone") == 0)
        return err_set(e, ERR_NOT_FOUND, "there is no item gone");
    if (strcmp(name, "Old") == 0)
        http_reply_redirect(r, "/items/new");
    if (http_request_format(q) != HTTP_JSON)
        return err_bug(e, "a page stands for JSON");
    buf_puts(http_reply_body(r), "{}");
    return ERR_OK;
}

static enum err_code handle_form(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    (void)q;
    (void)r;
    (void)app;
    return err_set(e, ERR_INPUT, "there is nothing to work on");
}

/* A page that says whose it is; where there is an app, memory is short. */
static enum err_code write_page(const struct http_request *q, struct buf *out, void *app,
                                struct err *e)
{
    const struct http_endpoint *endpoint = http_request_endpoint(q);

    if (app)
        return err_nomem(e);
    buf_printf(out, "<p>%s of %s", http_request_path(q), endpoint ? endpoint->id : "nothing");
    return ERR_OK;
}

static const struct http_param params[] = {{.name = "n", .kind = HTTP_PARAM_INT}};

static const struct http_endpoint endpoints[] = {
    {.id = "item",
     .path = "/items/{name}",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_HTML),
     .params = params,
     .param_count = 1,
     .handle = handle_item},
    {.id = "kept",
     .path = "/kept/{name}",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_HTML),
     .cache = HTTP_CACHE_IMMUTABLE,
     .handle = handle_item},
    {.id = "form",
     .path = "/form",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_HTML),
     .params = params,
     .param_count = 1,
     .is_form = true,
     .handle = handle_form},
    {.id = "docs",
     .path = "/docs",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_HTML),
     .first_format = HTTP_HTML,
     .is_form = true},
};

static const struct http_routes routes = {
    .endpoints = endpoints, .count = sizeof endpoints / sizeof *endpoints, .page = write_page};

static const char *const browser[] = {
    "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", NULL};

/* What a browser gets at an address, with the content type that goes with it. */
static void expect(const char *target, int status, const char *body)
{
    struct talk t;

    talk_ask(&t, &routes, "GET", target, browser);
    assert_int_equal(t.exchange.status, status);
    talk_expect_body(&t, body);
    talk_expect_header(&t, "Content-Type", "text/html; charset=utf-8");
    talk_expect_header(&t, "Cache-Control",
                       status == 200 ? "public, max-age=60, stale-while-revalidate=600"
                                     : "no-store");
    talk_expect_header(&t, "Vary", "Accept, Accept-Encoding");
    talk_expect_header(
        &t, "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    talk_end(&t);
}

static void a_page_has_the_status_of_the_reply(void **state)
{
    (void)state;
    expect("/items/a", 200, "<p>/items/a of item");
    expect("/items/a.html?n=1", 200, "<p>/items/a.html of item");
    expect("/items/gone", 404, "<p>/items/gone of item");
    expect("/items/gone.html", 404, "<p>/items/gone.html of item");
    expect("/items/a?m=1", 400, "<p>/items/a of item");
    expect("/nowhere", 404, "<p>/nowhere of nothing");
}

static void the_page_of_what_never_changes_is_not_kept_for_ever(void **state)
{
    struct talk t;

    (void)state;
    expect("/kept/a", 200, "<p>/kept/a of kept");
    talk_get(&t, &routes, "/kept/a");
    talk_expect_header(&t, "Cache-Control", "public, max-age=31536000, immutable");
    talk_end(&t);
}

static void a_form_is_sent_with_nothing_filled_in(void **state)
{
    struct talk t;

    (void)state;
    expect("/form", 200, "<p>/form of form");
    expect("/form?m=1", 200, "<p>/form of form");
    expect("/docs", 200, "<p>/docs of docs");
    talk_get(&t, &routes, "/form");
    assert_int_equal(t.exchange.status, 400);
    talk_end(&t);
    talk_get(&t, &routes, "/form?m=1");
    assert_int_equal(t.exchange.status, 400);
    talk_end(&t);
}

static void what_is_no_browser_gets_data(void **state)
{
    static const char *const accepts[] = {NULL, "*/*", "application/json", "text/html;q=0.4, */*",
                                          "application/json, text/html"};
    struct talk t;

    (void)state;
    for (size_t i = 0; i < sizeof accepts / sizeof *accepts; i++) {
        const char *const lines[] = {accepts[i] ? "Accept" : NULL, accepts[i], NULL};

        talk_ask(&t, &routes, "GET", "/items/a", lines);
        talk_expect_body(&t, "{}");
        talk_end(&t);
        talk_ask(&t, &routes, "GET", "/items/gone", lines);
        talk_expect_header(&t, "Content-Type", "application/problem+json");
        talk_end(&t);
    }
}

static void a_suffix_beats_the_browsers_wish(void **state)
{
    struct talk t;

    (void)state;
    talk_ask(&t, &routes, "GET", "/items/a.json", browser);
    talk_expect_body(&t, "{}");
    talk_end(&t);
    talk_ask(&t, &routes, "GET", "/items/gone.json", browser);
    talk_expect_header(&t, "Content-Type", "application/problem+json");
    talk_end(&t);
}

static void redirects_and_refusals_are_no_pages(void **state)
{
    struct talk t;

    (void)state;
    talk_ask(&t, &routes, "GET", "/items/Old?n=1", browser);
    assert_int_equal(t.exchange.status, 308);
    talk_expect_header(&t, "Location", "/items/new?n=1");
    talk_end(&t);
    talk_ask(&t, &routes, "GET", "/items/a/", browser);
    assert_int_equal(t.exchange.status, 308);
    talk_expect_header(&t, "Location", "/items/a");
    talk_end(&t);
    talk_ask(&t, &routes, "DELETE", "/items/a", browser);
    assert_int_equal(t.exchange.status, 405);
    talk_expect_header(&t, "Content-Type", "application/problem+json");
    talk_end(&t);
}

static void an_error_without_a_page_is_told_as_data(void **state)
{
    struct talk t;

    (void)state;
    assert_false(talk_begin(&t, &routes, "GET", "/items/gone", browser));
    t.site.app = &t;
    talk_answer(&t);
    assert_int_equal(t.exchange.status, 404);
    talk_expect_header(&t, "Content-Type", "application/problem+json");
    talk_expect_in_body(&t, "there is no item gone");
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_the_status_of_the_reply),
        cmocka_unit_test(the_page_of_what_never_changes_is_not_kept_for_ever),
        cmocka_unit_test(a_form_is_sent_with_nothing_filled_in),
        cmocka_unit_test(what_is_no_browser_gets_data),
        cmocka_unit_test(a_suffix_beats_the_browsers_wish),
        cmocka_unit_test(redirects_and_refusals_are_no_pages),
        cmocka_unit_test(an_error_without_a_page_is_told_as_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
