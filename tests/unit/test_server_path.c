/* Paths: splitting before decoding, and what is refused. */
#include "server/path.h"
#include "tests/support/test.h"

#include <string.h>

static enum err_code split(const char *raw, struct arena *arena, struct http_path *path,
                           struct err *e)
{
    arena_init(arena, HTTP_REQUEST_BYTES);
    return http_path_split(raw, arena, path, e);
}

static void splits_before_it_decodes(void **state)
{
    static const struct {
        const char *raw;
        size_t count;
        bool has_slash;
        const char *segments[4];
    } cases[] = {
        {"/", 0, false, {NULL}},
        {"/models", 1, false, {"models"}},
        {"/models/", 1, true, {"models"}},
        {"/models/qwen3.5-397b-a17b", 2, false, {"models", "qwen3.5-397b-a17b"}},
        {"/a%2Fb/c", 2, false, {"a/b", "c"}},
        {"/a%2fb", 1, false, {"a/b"}},
        {"/%6Dodels", 1, false, {"models"}},
        {"/a+b", 1, false, {"a+b"}},
        {"/a%2520b", 1, false, {"a%20b"}},
        {"/%C3%A9/\xC3\xA9", 2, false, {"\xC3\xA9", "\xC3\xA9"}},
        {"//", 1, true, {""}},
        {"/a//b", 3, false, {"a", "", "b"}},
        {"/..", 1, false, {".."}},
    };
    struct arena arena;
    struct http_path path;
    struct err e;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(split(cases[i].raw, &arena, &path, &e), ERR_OK);
        assert_int_equal(path.count, cases[i].count);
        assert_int_equal(path.has_slash, cases[i].has_slash);
        for (size_t j = 0; j < path.count; j++)
            assert_string_equal(path.segments[j], cases[i].segments[j]);
        arena_done(&arena);
    }
}

static void counts_segments_beyond_its_room(void **state)
{
    struct arena arena;
    struct http_path path;
    struct err e;

    (void)state;
    assert_int_equal(split("/1/2/3/4/5/6/7/8/9/10", &arena, &path, &e), ERR_OK);
    assert_int_equal(path.count, 10);
    assert_string_equal(path.segments[HTTP_SEGMENTS - 1], "8");
    arena_done(&arena);
}

static void refuses_what_cannot_be_decoded(void **state)
{
    static const struct {
        const char *raw;
        const char *text;
    } cases[] = {
        {"/%", "a % is not followed by two hexadecimal digits"},
        {"/%4", "a % is not followed by two hexadecimal digits"},
        {"/%zz", "a % is not followed by two hexadecimal digits"},
        {"/%4/1", "a % is not followed by two hexadecimal digits"},
        {"/a%00b", "%00 is not allowed"},
        {"/%FF", "the text is not UTF-8"},
        {"/%C3/%A9", "the text is not UTF-8"},
        {"/\xED\xA0\x80", "the text is not UTF-8"},
        {"/1/2/3/4/5/6/7/8/9/%", "a % is not followed by two hexadecimal digits"},
    };
    struct arena arena;
    struct http_path path;
    struct err e;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(split(cases[i].raw, &arena, &path, &e), ERR_INPUT);
        assert_string_equal(e.text, cases[i].text);
        arena_done(&arena);
    }
}

static void takes_a_plus_for_a_space_only_in_a_query(void **state)
{
    struct arena arena;
    const char *text;
    struct err e;

    (void)state;
    arena_init(&arena, 1000);
    assert_int_equal(http_decode("a+b%2Bc", 7, true, &arena, &text, &e), ERR_OK);
    assert_string_equal(text, "a b+c");
    assert_int_equal(http_decode("a+b%2Bc", 7, false, &arena, &text, &e), ERR_OK);
    assert_string_equal(text, "a+b+c");
    /* An escape ends where the text ends, whatever stands behind it. */
    assert_int_equal(http_decode("a%41", 3, true, &arena, &text, &e), ERR_INPUT);
    arena_done(&arena);
}

static void runs_out_of_memory(void **state)
{
    struct arena arena;
    struct http_path path;
    struct err e;

    (void)state;
    arena_init(&arena, 16);
    assert_int_equal(http_path_split("/a/b", &arena, &path, &e), ERR_NOMEM);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_before_it_decodes),
        cmocka_unit_test(counts_segments_beyond_its_room),
        cmocka_unit_test(refuses_what_cannot_be_decoded),
        cmocka_unit_test(takes_a_plus_for_a_space_only_in_a_query),
        cmocka_unit_test(runs_out_of_memory),
    };

    return cmocka_run_group_tests_name("server_path", tests, NULL, NULL);
}
