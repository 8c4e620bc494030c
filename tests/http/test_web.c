/* The page and its assets, asked of the real binary. */
#include "tests/support/http_client.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <string.h>

static const char browser[] = "Accept: text/html,*/*;q=0.8\r\n";

static unsigned port_of(void **state)
{
    const struct service *service = *state;

    return service->port;
}

/* Ask as a browser does; the body must have each text. */
static void expect_page(void **state, const char *target, int status, const char *const *texts)
{
    struct http_response r;

    (void)http_get(port_of(state), target, browser, &r);
    assert_int_equal(r.status, status);
    assert_string_equal(http_response_header(&r, "Content-Type"), "text/html; charset=utf-8");
    for (; *texts; texts++)
        if (!strstr(r.body, *texts))
            fail_msg("%s lacks %s: %s", target, *texts, r.body);
    http_response_done(&r);
}

static void every_view_has_its_page(void **state)
{
    static const char *const targets[] = {
        "/",
        "/models",
        "/models/gemma-4-31b",
        "/models/gemma-4-31b/h100",
        "/models/gemma-4-31b/b200",
        "/models/gemma-4-31b/h100/attune-tp2-pp4-split13",
        "/models/gemma-4-31b/h100/attune-tp2-pp4-split13/history",
        "/recipes",
        "/recipes?limit=1",
        "/verifications",
        "/plan",
        "/plan?model=gemma-4-31b&tokens=1B",
        "/compare",
        "/docs",
    };
    static const char *const texts[] = {"<!doctype html>", "<main id=\"main\"",
                                        "/app.js\"></script>", NULL};

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        expect_page(state, targets[i], 200, texts);
}

static void a_page_names_its_own_data(void **state)
{
    static const char *const ranking[] = {
        "<link rel=\"preload\" as=\"fetch\" crossorigin "
        "href=\"/models/gemma-4-31b/h100.json?price=h100:2.10&#38;sort=gpus\">",
        "<li><a href=\"/models/gemma-4-31b/h100.json?price=h100:2.10&#38;sort=gpus\">"
        "application/json</a></li>",
        NULL};
    static const char *const index[] = {"href=\"/models.json\">", NULL};
    static const char *const recipe[] = {"attune-tp2-pp4-split13.yaml\">application/yaml</a>",
                                         "attune-tp2-pp4-split13.sh\">text/x-shellscript</a>",
                                         NULL};

    expect_page(state, "/models/gemma-4-31b/h100?price=h100:2.10&sort=gpus", 200, ranking);
    expect_page(state, "/models/gemma-4-31b/h100.html?price=h100:2.10&sort=gpus", 200, ranking);
    expect_page(state, "/", 200, index);
    expect_page(state, "/models/gemma-4-31b/h100/attune-tp2-pp4-split13", 200, recipe);
}

static void an_address_cannot_break_out_of_the_page(void **state)
{
    static const char *const texts[] = {
        "href=\"/models/x%22&#62;&#60;script&#62;.json?a=&#34;&#39;&#62;\"", NULL};
    static const char *const braces[] = {"href=\"/models/{{assets}}.json\"", NULL};
    struct http_response r;

    (void)http_get(port_of(state), "/models/x%22><script>?a=\"'>", browser, &r);
    if (r.status == 404)
        expect_page(state, "/models/x%22><script>?a=\"'>", 404, texts);
    assert_null(strstr(r.body, "<script>"));
    http_response_done(&r);
    expect_page(state, "/models/{{assets}}", 404, braces);
}

static void what_is_not_there_is_a_page_too(void **state)
{
    static const char *const texts[] = {"<main id=\"main\"", NULL};
    struct http_response r;

    expect_page(state, "/models/gemma-4-31", 404, texts);
    expect_page(state, "/nowhere", 404, texts);
    expect_page(state, "/recipes?max_gpu=1", 400, texts);
    (void)http_get(port_of(state), "/models/Gemma-4-31B?price=h100:2", browser, &r);
    assert_int_equal(r.status, 308);
    assert_string_equal(http_response_header(&r, "Location"), "/models/gemma-4-31b?price=h100:2");
    http_response_done(&r);
    (void)http_get(port_of(state), "/nowhere", NULL, &r);
    assert_string_equal(http_response_header(&r, "Content-Type"), "application/problem+json");
    http_response_done(&r);
}

/* Copy the address of the page's style sheet, which has the build in it. */
static void find_style(void **state, char out[64])
{
    struct http_response r;
    const char *at;
    size_t len;

    (void)http_get(port_of(state), "/", browser, &r);
    at = strstr(r.body, "/assets/");
    assert_non_null(at);
    len = strcspn(at, "\"");
    assert_true(len < 64);
    memcpy(out, at, len);
    out[len] = '\0';
    http_response_done(&r);
    assert_string_equal(out + strlen("/assets/") + 16, "/page.css");
}

static void assets_are_kept_for_ever(void **state)
{
    static const struct {
        const char *name;
        const char *type;
    } assets[] = {{"page.css", "text/css; charset=utf-8"},
                  {"app.js", "text/javascript; charset=utf-8"},
                  {"ranking.js", "text/javascript; charset=utf-8"}};
    char style[64], target[80];
    struct http_response r;

    find_style(state, style);
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++) {
        assert_in_range(snprintf(target, sizeof target, "%.25s%s", style, assets[i].name), 1, 79);
        (void)http_get(port_of(state), target, "Accept-Encoding: gzip\r\n", &r);
        assert_int_equal(r.status, 200);
        assert_string_equal(http_response_header(&r, "Content-Type"), assets[i].type);
        assert_string_equal(http_response_header(&r, "Cache-Control"),
                            "public, max-age=31536000, immutable");
        assert_string_equal(http_response_header(&r, "Content-Encoding"), "gzip");
        http_response_done(&r);
    }
}

static void addresses_of_assets_that_are_not_right(void **state)
{
    static const char *const missing[] = {"nothing.js", "index.js", "page.js",
                                          "..%2Fmigrations%2F0001_recipes.css", "app.svg"};
    char style[64], target[128];
    struct http_response r;

    find_style(state, style);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        assert_in_range(snprintf(target, sizeof target, "%.25s%s", style, missing[i]), 1, 127);
        assert_int_equal(http_get(port_of(state), target, NULL, &r), 404);
        http_response_done(&r);
    }
    (void)http_get(port_of(state), "/assets/0123456789abcdef/page.css", NULL, &r);
    assert_int_equal(r.status, 308);
    assert_string_equal(http_response_header(&r, "Location"), style);
    http_response_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_has_its_page),
        cmocka_unit_test(a_page_names_its_own_data),
        cmocka_unit_test(an_address_cannot_break_out_of_the_page),
        cmocka_unit_test(what_is_not_there_is_a_page_too),
        cmocka_unit_test(assets_are_kept_for_ever),
        cmocka_unit_test(addresses_of_assets_that_are_not_right),
    };

    return cmocka_run_group_tests(tests, service_group_setup, service_group_teardown);
}
