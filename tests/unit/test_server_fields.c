/* Header fields, and the framing of bodies. */
#include "server/fields.h"
#include "tests/support/test.h"

#include <string.h>

/* Take lines of the form name, value, name, value, NULL. */
static void take(struct http_fields *fields, struct arena *arena, const char *const *lines)
{
    struct err e;

    arena_init(arena, 10000);
    *fields = (struct http_fields){.total_lines = 0};
    for (; *lines; lines += 2)
        assert_int_equal(http_fields_add(fields, lines[0], lines[1], arena, &e), ERR_OK);
}

static void fields_are_found_by_name(void **state)
{
    static const char *const lines[] = {"accept", "text/csv \t", "HOST",         "x",      "Cookie",
                                        "a=b",    "Accept",      "text/plain",   "ACCEPT", "",
                                        "Range",  "bytes=0-",    "x-request-id", "abc",    NULL};
    struct http_fields fields;
    struct arena arena;

    (void)state;
    take(&fields, &arena, lines);
    assert_string_equal(fields.values[HTTP_FIELD_ACCEPT], "text/csv, text/plain, ");
    assert_int_equal(fields.lines[HTTP_FIELD_ACCEPT], 3);
    assert_string_equal(fields.values[HTTP_FIELD_HOST], "x");
    assert_string_equal(fields.values[HTTP_FIELD_X_REQUEST_ID], "abc");
    assert_null(fields.values[HTTP_FIELD_USER_AGENT]);
    assert_int_equal(fields.total_lines, 7);
    assert_int_equal(fields.total_bytes, strlen("acceptHOSTCookieAcceptACCEPTRangex-request-id") +
                                             strlen("text/csv \txa=btext/plainbytes=0-abc") +
                                             7 * 4);
    assert_false(fields.is_malformed);
    arena_done(&arena);
}

static void names_are_tokens(void **state)
{
    static const char *const bad[] = {"", "Host ", " Host", "Ho st", "Host\t", "H(st", "H\xC3\xA9",
                                      /* What the library makes of folded lines. */
                                      "Content-Length5", "transfer-encodingchunked"};
    struct http_fields fields;
    struct arena arena;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const lines[] = {"Host", "x", bad[i], "y", NULL};
        uint64_t len;
        struct err e;

        take(&fields, &arena, lines);
        assert_true(fields.is_malformed);
        assert_int_equal(http_fields_frame(&fields, true, &len, &e), ERR_INPUT);
        assert_string_equal(e.text, "the request has a header field with a malformed name");
        arena_done(&arena);
    }
}

static void bodies_are_framed(void **state)
{
    static const struct {
        const char *lines[7];
        uint64_t len;
    } cases[] = {
        {{"Host", "x", NULL}, 0},
        {{"Host", "", NULL}, 0},
        {{"Host", "[::1]:80", NULL}, 0},
        {{"Host", "x", "Content-Length", "0", NULL}, 0},
        {{"Host", "x", "Content-Length", "17", NULL}, 17},
        {{"Host", "x", "Transfer-Encoding", "Chunked", NULL}, UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_fields fields;
        struct arena arena;
        uint64_t len;
        struct err e;

        take(&fields, &arena, cases[i].lines);
        assert_int_equal(http_fields_frame(&fields, true, &len, &e), ERR_OK);
        assert_int_equal(len, cases[i].len);
        arena_done(&arena);
    }
}

static void what_two_servers_could_read_in_two_ways_is_refused(void **state)
{
    static const struct {
        const char *lines[7];
        const char *text;
    } cases[] = {
        {{NULL}, "the request has no Host, which HTTP/1.1 needs"},
        {{"Host", "a", "Host", "a", NULL}, "the request has more than one Host"},
        {{"Host", "a/b", NULL}, "the request's Host is malformed"},
        {{"Host", "a b", NULL}, "the request's Host is malformed"},
        {{"Host", "a@b", NULL}, "the request's Host is malformed"},
        {{"Host", "x", "Content-Length", "5", "Transfer-Encoding", "chunked", NULL},
         "the request has both Content-Length and Transfer-Encoding"},
        {{"Host", "x", "Content-Length", "5", "Content-Length", "5", NULL},
         "the request has more than one Content-Length"},
        {{"Host", "x", "Content-Length", "5, 5", NULL},
         "Content-Length: 5, 5: a number has no commas"},
        {{"Host", "x", "Content-Length", "-1", NULL}, "Content-Length: -1 is below 0"},
        {{"Host", "x", "Content-Length", "+1", NULL},
         "Content-Length: +1: a number has no leading plus"},
        {{"Host", "x", "Transfer-Encoding", "gzip, chunked", NULL},
         "the request's Transfer-Encoding is not chunked"},
        {{"Host", "x", "Transfer-Encoding", "chunked ", NULL},
         "the request's Transfer-Encoding is not chunked"},
        {{"Host", "x", "A", "b\rContent-Length: 5", NULL},
         "the request has a header field with control characters"},
        {{"Host", "x", "A", "\x7f", NULL},
         "the request has a header field with control characters"},
        {{"Host", "x", "Transfer-Encoding", "", NULL},
         "the request's Transfer-Encoding is not chunked"},
        {{"Host", "x", "Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked", NULL},
         "the request's Transfer-Encoding is not chunked"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_fields fields;
        struct arena arena;
        uint64_t len;
        struct err e;

        take(&fields, &arena, cases[i].lines);
        assert_int_equal(http_fields_frame(&fields, true, &len, &e), ERR_INPUT);
        assert_string_equal(e.text, cases[i].text);
        arena_done(&arena);
    }
}

static void http_1_0_needs_no_host_and_has_no_chunks(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const chunked[] = {"Transfer-Encoding", "chunked", NULL};
    struct http_fields fields;
    struct arena arena;
    uint64_t len;
    struct err e;

    (void)state;
    take(&fields, &arena, none);
    assert_int_equal(http_fields_frame(&fields, false, &len, &e), ERR_OK);
    assert_int_equal(len, 0);
    arena_done(&arena);
    take(&fields, &arena, chunked);
    assert_int_equal(http_fields_frame(&fields, false, &len, &e), ERR_INPUT);
    arena_done(&arena);
}

static void joining_needs_memory(void **state)
{
    struct http_fields fields = {.total_lines = 0};
    struct arena arena;
    struct err e;

    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(http_fields_add(&fields, "Accept", "a", &arena, &e), ERR_OK);
    assert_int_equal(http_fields_add(&fields, "Accept", "b", &arena, &e), ERR_NOMEM);
    assert_int_equal(http_fields_add(&fields, "Host", "b ", &arena, &e), ERR_NOMEM);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_name),
        cmocka_unit_test(names_are_tokens),
        cmocka_unit_test(bodies_are_framed),
        cmocka_unit_test(what_two_servers_could_read_in_two_ways_is_refused),
        cmocka_unit_test(http_1_0_needs_no_host_and_has_no_chunks),
        cmocka_unit_test(joining_needs_memory),
    };

    return cmocka_run_group_tests_name("server_fields", tests, NULL, NULL);
}
