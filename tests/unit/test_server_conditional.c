/* Entity tags, and lists of them, well formed and not. */
#include "server/conditional.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void makes_a_tag_of_hash_format_and_coding(void **state)
{
    static const char hash[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    char tag[HTTP_ETAG_BYTES];

    (void)state;
    http_etag_make(hash, ".ndjson", NULL, tag);
    assert_string_equal(tag, "\"ba7816bf8f01cfea414140de5dae2223-ndjson\"");
    http_etag_make(hash, ".ndjson", "gzip", tag);
    assert_string_equal(tag, "\"ba7816bf8f01cfea414140de5dae2223-ndjson-gzip\"");
}

static void finds_a_tag_in_a_list(void **state)
{
    static const struct {
        const char *list;
        bool has_it;
    } cases[] = {
        {"\"abc\"", true},
        {" \"abc\" ", true},
        {"W/\"abc\"", true},
        {"*", true},
        {" * ", true},
        {"\"x\", \"abc\"", true},
        {"\"x\",\"abc\",\"y\"", true},
        {"W/\"x\" , W/\"abc\"", true},
        {",,\"abc\"", true},
        {"x, \"abc\"", true},
        {"\"a,b\", \"abc\"", true},
        {"", false},
        {",", false},
        {"\"abcd\"", false},
        {"\"ab\"", false},
        {"\"\"", false},
        {"abc", false},
        {"\"abc", false},
        {"abc\"", false},
        {"w/\"abc\"", false},
        {"W/", false},
        {"W/*", false},
        {"*, \"x\"", false},
        {"\"x\", *", false},
        {"\"ABC\"", false},
        {"\"x,\"abc\"", false},
        {"\"", false},
        {"W/\"", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (http_etag_is_in(cases[i].list, "\"abc\"") != cases[i].has_it)
            fail_msg("If-None-Match: %s", cases[i].list);
}

/* A list of opening quotes and one of bad elements, both as long as a header may be. */
static void reads_a_pathological_list_once(void **state)
{
    enum { LEN = 65536 };
    char *list = malloc(LEN + 1);

    (void)state;
    assert_non_null(list);
    memset(list, '"', LEN);
    list[LEN] = '\0';
    assert_false(http_etag_is_in(list, "\"abc\""));
    for (size_t i = 0; i < LEN; i += 2)
        memcpy(list + i, "x,", 2);
    assert_false(http_etag_is_in(list, "\"abc\""));
    for (size_t i = 0; i < LEN; i += 2)
        memcpy(list + i, "W/", 2);
    assert_false(http_etag_is_in(list, "\"abc\""));
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_tag_of_hash_format_and_coding),
        cmocka_unit_test(finds_a_tag_in_a_list),
        cmocka_unit_test(reads_a_pathological_list_once),
    };

    return cmocka_run_group_tests_name("server_conditional", tests, NULL, NULL);
}
