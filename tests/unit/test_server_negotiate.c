/* Accept and Accept-Encoding, with the headers that real clients send. */
#include "server/negotiate.h"
#include "tests/support/test.h"

enum { NONE = -1 };

static void chooses_a_format(void **state)
{
    static const unsigned all = HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_HTML) | HTTP_BIT(HTTP_CSV) |
                                HTTP_BIT(HTTP_NDJSON) | HTTP_BIT(HTTP_TEXT) | HTTP_BIT(HTTP_ATOM);
    static const struct {
        const char *accept;
        int format;
    } cases[] = {
        {NULL, HTTP_TEXT},
        {"", HTTP_TEXT},
        {" , ,", HTTP_TEXT},
        {"*/*", HTTP_TEXT},
        {"*", HTTP_TEXT},
        {"application/json", HTTP_JSON},
        {"APPLICATION/JSON", HTTP_JSON},
        {"application/json;charset=utf-8", HTTP_JSON},
        {"application/json ; q=0.5", HTTP_JSON},
        {"text/csv", HTTP_CSV},
        {"text/*", HTTP_TEXT},
        {"text/*, text/plain;q=0", HTTP_HTML},
        {"text/*;q=0.5, text/csv", HTTP_CSV},
        {"image/png", NONE},
        {"image/*", NONE},
        {"application/problem+json", NONE},
        {"text/plain;q=0", NONE},
        {"*/*;q=0", NONE},
        {"text/plain;q=0, */*", HTTP_JSON},
        {"text/csv;q=0.5, application/json;q=0.6", HTTP_JSON},
        {"text/csv;q=0.601, application/json;q=0.6", HTTP_CSV},
        {"text/csv;q=1.000, application/json;q=0.999", HTTP_CSV},
        {"text/csv;Q=0.1, application/json;q=0.2", HTTP_JSON},
        {"text/csv, application/json", HTTP_CSV},
        {"application/json, text/csv", HTTP_JSON},
        {"application/json, text/plain, */*", HTTP_JSON},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", HTTP_HTML},
        {"application/atom+xml, application/xml;q=0.9", HTTP_ATOM},
        {"image/avif, image/webp, */*;q=0.1", HTTP_TEXT},
        {"text/csv;x=\"a,b;q=0\", application/json;q=0.5", HTTP_CSV},
        {"text/csv;x=\"\\\",\", application/json;q=0.5", HTTP_CSV},
        {"text/csv;q=2", HTTP_TEXT},
        {"text/csv;q=1.5", HTTP_TEXT},
        {"text/csv;q=-1, application/json", HTTP_JSON},
        {"text/csv;q=0.5x, application/json", HTTP_JSON},
        {"text/csv;q=0.1234, application/json;q=0.05", HTTP_JSON},
        {"text/csv;q=, application/json;q=0.05", HTTP_JSON},
        {"text /csv, application/json;q=0.05", HTTP_JSON},
        {"text/csv;q=.5, application/json;q=0.05", HTTP_JSON},
        {"texting/*", NONE},
        {"tex/*", NONE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum http_format format = HTTP_SVG;
        bool is_found = http_negotiate(cases[i].accept, all, HTTP_TEXT, &format);

        if (is_found != (cases[i].format != NONE) || (is_found && (int)format != cases[i].format))
            fail_msg("Accept: %s gives %d", cases[i].accept, is_found ? (int)format : NONE);
    }
}

static void chooses_a_coding(void **state)
{
    static const struct {
        const char *accept;
        enum http_coding coding;
    } cases[] = {
        {NULL, HTTP_CODING_IDENTITY},
        {"", HTTP_CODING_IDENTITY},
        {"gzip", HTTP_CODING_GZIP},
        {"GZIP", HTTP_CODING_GZIP},
        {"x-gzip", HTTP_CODING_GZIP},
        {"gzip, deflate, br, zstd", HTTP_CODING_GZIP},
        {"deflate, br", HTTP_CODING_IDENTITY},
        {"gzip;q=0", HTTP_CODING_IDENTITY},
        {"gzip;q=0.000", HTTP_CODING_IDENTITY},
        {"gzip;q=0.001", HTTP_CODING_GZIP},
        {"gzip;q=0, *", HTTP_CODING_IDENTITY},
        {"*", HTTP_CODING_GZIP},
        {"*;q=0", HTTP_CODING_IDENTITY},
        {"identity", HTTP_CODING_IDENTITY},
        {"identity, gzip", HTTP_CODING_GZIP},
        {"identity, gzip;q=0.5", HTTP_CODING_IDENTITY},
        {"identity;q=0.5, gzip;q=0.5", HTTP_CODING_GZIP},
        {"identity;q=0, gzip", HTTP_CODING_GZIP_ONLY},
        {"identity;q=0", HTTP_CODING_IDENTITY},
        {"gzip, *;q=0", HTTP_CODING_GZIP_ONLY},
        {"gzip, identity, *;q=0", HTTP_CODING_GZIP},
        {"gzipped", HTTP_CODING_IDENTITY},
        {"gzip;q=high", HTTP_CODING_IDENTITY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (http_negotiate_coding(cases[i].accept) != cases[i].coding)
            fail_msg("Accept-Encoding: %s gives %d", cases[i].accept,
                     (int)http_negotiate_coding(cases[i].accept));
}

static void compares_media_types(void **state)
{
    (void)state;
    assert_true(http_is_media_type("text/yaml", "text/yaml"));
    assert_true(http_is_media_type("Text/YAML; charset=utf-8", "text/yaml"));
    assert_true(http_is_media_type(" text/yaml ;x", "text/yaml"));
    assert_false(http_is_media_type("text/yamls", "text/yaml"));
    assert_false(http_is_media_type("", "text/yaml"));
    assert_false(http_is_media_type("a, text/yaml", "text/yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_a_format),
        cmocka_unit_test(chooses_a_coding),
        cmocka_unit_test(compares_media_types),
    };

    return cmocka_run_group_tests_name("server_negotiate", tests, NULL, NULL);
}
