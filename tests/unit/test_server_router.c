/* Paths against a table of templates. */
#include "server/format.h"
#include "server/router.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define JSON_CSV (HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_CSV))

static const struct http_endpoint endpoints[] = {
    {.id = "index", .path = "/", .methods = HTTP_GET, .formats = HTTP_BIT(HTTP_JSON)},
    {.id = "models", .path = "/models", .methods = HTTP_GET, .formats = HTTP_BIT(HTTP_JSON)},
    {.id = "special", .path = "/models/special", .methods = HTTP_GET, .formats = JSON_CSV},
    {.id = "model", .path = "/models/{model}", .methods = HTTP_GET, .formats = JSON_CSV},
    {.id = "ranking", .path = "/models/{model}/{gpu}", .methods = HTTP_GET, .formats = JSON_CSV},
    {.id = "recipes", .path = "/recipes", .methods = HTTP_GET, .formats = JSON_CSV},
    {.id = "history",
     .path = "/models/{model}/{gpu}/{recipe}/history",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_JSON)},
    {.id = "revision",
     .path = "/models/{model}/{gpu}/{recipe}@{hash}",
     .methods = HTTP_GET,
     .formats = JSON_CSV},
    {.id = "check", .path = "/check", .methods = HTTP_POST, .formats = HTTP_BIT(HTTP_JSON)},
    {.id = "any", .path = "/{word}", .methods = HTTP_GET, .formats = HTTP_BIT(HTTP_TEXT)},
    {.id = "openapi", .path = "/doc/openapi.json", .methods = HTTP_GET, .formats = JSON_CSV},
    {.id = "icon", .path = "/doc/favicon.ico", .methods = HTTP_GET, .formats = HTTP_BIT(HTTP_SVG)},
};

static const struct http_routes routes = {.endpoints = endpoints,
                                          .count = sizeof endpoints / sizeof *endpoints};

static void find(const char *raw, unsigned method, struct arena *arena, struct http_match *match)
{
    struct http_path path;
    struct err e;

    arena_init(arena, 65536);
    assert_int_equal(http_path_split(raw, arena, &path, &e), ERR_OK);
    assert_int_equal(http_route(&routes, &path, method, arena, match, &e), ERR_OK);
}

/* Write a match as "id name=value suffix". */
static void describe(const struct http_match *match, char out[200])
{
    int len = snprintf(out, 200, "%s", match->endpoint ? match->endpoint->id : "none");

    for (size_t i = 0; i < match->argument_count; i++)
        len += snprintf(out + len, 200 - (size_t)len, " %.*s=%s", (int)match->arguments[i].name_len,
                        match->arguments[i].name, match->arguments[i].value);
    snprintf(out + len, 200 - (size_t)len, "%s%s", match->has_format ? " " : "",
             match->has_format ? http_format_row(match->format)->suffix : "");
}

static void finds_the_first_row_that_fits(void **state)
{
    static const char *const cases[][2] = {
        {"/", "index"},
        {"/models", "models"},
        {"/models/special", "special"},
        {"/models/special.csv", "special .csv"},
        {"/models/m/g/r@0123", "revision model=m gpu=g recipe=r hash=0123"},
        {"/models/m/g/r@0123.csv", "revision model=m gpu=g recipe=r hash=0123 .csv"},
        {"/models/m/g/r.csv@a@b", "revision model=m gpu=g recipe=r.csv hash=a@b"},
        {"/models/m/g/r%40a", "revision model=m gpu=g recipe=r hash=a"},
        {"/models/m/g/r@", "none"},
        {"/models/m/g/@a", "none"},
        {"/models/m/g/r", "none"},
        {"/models/gemma-4-31b", "model model=gemma-4-31b"},
        {"/models/qwen3.5-397b-a17b", "model model=qwen3.5-397b-a17b"},
        {"/models/qwen3.5-397b-a17b.csv", "model model=qwen3.5-397b-a17b .csv"},
        {"/models/x.json", "model model=x .json"},
        {"/models/x.txt", "model model=x.txt"},
        {"/models/.csv", "model model=.csv"},
        {"/models/x%2Ecsv", "model model=x .csv"},
        {"/models/a%2Fb", "model model=a/b"},
        {"/models/x.csv/y.csv", "ranking model=x.csv gpu=y .csv"},
        {"/models/x.csv.csv", "model model=x.csv .csv"},
        {"/recipes", "recipes"},
        {"/recipes.csv", "recipes .csv"},
        {"/recipes.json", "recipes .json"},
        {"/models/m/g/r/history", "history model=m gpu=g recipe=r"},
        {"/models/m/g/r/history.json", "history model=m gpu=g recipe=r .json"},
        {"/models/m/g/r/histories", "none"},
        {"/models/m/g/r", "none"},
        {"/models/", "models"},
        {"/models/m/", "model model=m"},
        {"/models//g", "none"},
        {"//", "none"},
        {"/recipes.yaml", "any word=recipes.yaml"},
        {"/recipes.txt", "any word=recipes .txt"},
        {"/doc/openapi.json", "openapi .json"},
        {"/doc/openapi.json.csv", "none"},
        {"/doc/openapi", "none"},
        {"/doc/favicon.ico", "icon"},
        {"/Models", "any word=Models"},
        {"/1/2/3/4/5/6/7/8/9", "none"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct http_match match;
        char text[200];

        find(cases[i][0], HTTP_GET, &arena, &match);
        describe(&match, text);
        assert_string_equal(text, cases[i][1]);
        arena_done(&arena);
    }
}

static void tells_the_format_of_a_suffix(void **state)
{
    struct arena arena;
    struct http_match match;

    (void)state;
    find("/models/x.csv", HTTP_GET, &arena, &match);
    assert_true(match.has_format);
    assert_int_equal(match.format, HTTP_CSV);
    arena_done(&arena);
    find("/doc/openapi.json", HTTP_GET, &arena, &match);
    assert_true(match.has_format);
    assert_int_equal(match.format, HTTP_JSON);
    arena_done(&arena);
    find("/models/x", HTTP_GET, &arena, &match);
    assert_false(match.has_format);
    arena_done(&arena);
}

static void gathers_the_methods_of_all_rows_that_fit(void **state)
{
    struct arena arena;
    struct http_match match;

    (void)state;
    find("/models/x", HTTP_POST, &arena, &match);
    assert_null(match.endpoint);
    assert_int_equal(match.methods, HTTP_GET);
    arena_done(&arena);
    /* The first row that takes the method wins over one before it that does not. */
    find("/check", HTTP_GET, &arena, &match);
    assert_string_equal(match.endpoint->id, "any");
    assert_int_equal(match.methods, HTTP_GET | HTTP_POST);
    arena_done(&arena);
    find("/check", HTTP_POST, &arena, &match);
    assert_string_equal(match.endpoint->id, "check");
    assert_int_equal(match.argument_count, 0);
    arena_done(&arena);
    find("/check", 0, &arena, &match);
    assert_null(match.endpoint);
    assert_int_equal(match.methods, HTTP_GET | HTTP_POST);
    arena_done(&arena);
    find("/no/such/path", HTTP_GET, &arena, &match);
    assert_null(match.endpoint);
    assert_int_equal(match.methods, 0);
    arena_done(&arena);
}

static void every_format_has_a_type_and_a_suffix_of_its_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HTTP_PROBLEM; i++) {
        const struct http_format_row *row = http_format_row((enum http_format)i);
        char name[32];
        enum http_format found;
        size_t stem;

        snprintf(name, sizeof name, "stem%s", row->suffix);
        assert_true(http_format_by_suffix(name, ~0u, &found, &stem));
        assert_int_equal(found, i);
        assert_int_equal(stem, 4);
        assert_int_equal(strncmp(row->content_type, row->media_type, strlen(row->media_type)), 0);
    }
    assert_string_equal(http_format_row(HTTP_PROBLEM)->content_type, "application/problem+json");
    assert_string_equal(http_format_row(HTTP_TEXT)->content_type, "text/plain; charset=utf-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_row_that_fits),
        cmocka_unit_test(tells_the_format_of_a_suffix),
        cmocka_unit_test(gathers_the_methods_of_all_rows_that_fit),
        cmocka_unit_test(every_format_has_a_type_and_a_suffix_of_its_own),
    };

    return cmocka_run_group_tests_name("server_router", tests, NULL, NULL);
}
