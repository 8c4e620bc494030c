/* Query parameters: values of every kind, and every mistake told at once. */
#include "server/limits.h"
#include "server/params.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sorts[] = {"mfu", "gpus", "measured", NULL};

static const struct http_param params[] = {
    {.name = "model", .kind = HTTP_PARAM_TEXT, .is_list = true},
    {.name = "author", .kind = HTTP_PARAM_TEXT, .is_list = true, .has_commas = true},
    {.name = "q", .kind = HTTP_PARAM_TEXT},
    {.name = "limit", .kind = HTTP_PARAM_INT, .min = 1, .max = 1000},
    {.name = "offset", .kind = HTTP_PARAM_INT},
    {.name = "gpus", .kind = HTTP_PARAM_INT, .is_list = true, .min = 1, .max = 1e6},
    {.name = "vpp", .kind = HTTP_PARAM_INT, .is_nullable = true, .min = 1, .max = 99},
    {.name = "mfu", .kind = HTTP_PARAM_REAL, .min = 0, .max = 1},
    {.name = "delta", .kind = HTTP_PARAM_REAL},
    {.name = "as_of", .kind = HTTP_PARAM_DATE},
    {.name = "sequence_parallel", .kind = HTTP_PARAM_BOOL},
    {.name = "sort", .kind = HTTP_PARAM_WORD, .is_list = true, .allowed = sorts},
};

static const struct http_endpoint endpoint = {.params = params,
                                              .param_count = sizeof params / sizeof *params};

/* A query that was read. */
struct outcome {
    struct arena arena;
    struct http_issues issues;
    struct http_values values;
    enum err_code code;
    struct err e;
};

static void read_query(const char *query, struct outcome *out)
{
    arena_init(&out->arena, HTTP_REQUEST_BYTES);
    out->issues = (struct http_issues){.arena = &out->arena};
    out->code = http_params_parse(&endpoint, query, &out->issues, &out->values, &out->e);
}

static void good_values_are_taken(void **state)
{
    static const struct {
        const char *query;
        const char *name;
        const char *values[4];
    } cases[] = {
        {"q=a", "q", {"a"}},
        {"q=a+b%20c", "q", {"a b c"}},
        {"q=a%2Bb", "q", {"a+b"}},
        {"q=a=b", "q", {"a=b"}},
        {"q=a%26b%3D", "q", {"a&b="}},
        {"q=a,b", "q", {"a,b"}},
        {"q=none", "q", {"none"}},
        {"%71=x", "q", {"x"}},
        {"q=%C3%A9", "q", {"\xC3\xA9"}},
        {"q=\xC3\xA9", "q", {"\xC3\xA9"}},
        {"author=a,b%2Cc,d", "author", {"a", "b,c", "d"}},
        {"q=a%2Cb", "q", {"a,b"}},
        {"limit=1&q=x", "limit", {"1"}},
        {"limit=1000", "limit", {"1000"}},
        {"offset=-9223372036854775808", "offset", {"-9223372036854775808"}},
        {"gpus=8,16,32", "gpus", {"8", "16", "32"}},
        {"vpp=none", "vpp", {"none"}},
        {"vpp=2", "vpp", {"2"}},
        {"mfu=0", "mfu", {"0"}},
        {"mfu=8.6e-05", "mfu", {"8.6e-05"}},
        {"mfu=1", "mfu", {"1"}},
        {"delta=-1e300", "delta", {"-1e300"}},
        {"as_of=2028-02-29", "as_of", {"2028-02-29"}},
        {"sequence_parallel=false", "sequence_parallel", {"false"}},
        {"sort=mfu,gpus", "sort", {"mfu", "gpus"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome out;
        const struct http_value *value;
        size_t count = 0;

        read_query(cases[i].query, &out);
        if (out.code != ERR_OK)
            fail_msg("%s: %s", cases[i].query, out.e.text);
        value = http_values_find(&out.values, cases[i].name);
        assert_non_null(value);
        for (; cases[i].values[count]; count++)
            assert_string_equal(value->values[count], cases[i].values[count]);
        assert_int_equal(value->count, count);
        arena_done(&out.arena);
    }
}

static void an_empty_query_has_no_values(void **state)
{
    struct outcome out;

    (void)state;
    read_query("", &out);
    assert_int_equal(out.code, ERR_OK);
    assert_int_equal(out.values.count, 0);
    assert_null(http_values_find(&out.values, "q"));
    arena_done(&out.arena);
}

static void bad_values_are_refused_with_the_reason(void **state)
{
    static const struct {
        const char *query;
        const char *text;
    } cases[] = {
        {"q", "q: a value is missing"},
        {"q=", "q: a value is missing"},
        {"=x", "a parameter without a name"},
        {"q=x&", "a parameter without a name"},
        {"&q=x", "a parameter without a name"},
        {"q=x&q=y", "q: it is given more than once"},
        {"model=x&model=y", "model: it is given more than once; join its values with commas"},
        {"model=a,,b", "model: an item of the list is empty"},
        {"model=a,", "model: an item of the list is empty"},
        {"model=a,b%2Cc", "model: a list's commas must not be percent-encoded"},
        {"gpus=8%2C16", "gpus: a list's commas must not be percent-encoded"},
        {"sort=mfu%2cgpus", "sort: a list's commas must not be percent-encoded"},
        {"q=%zz", "q: a % is not followed by two hexadecimal digits"},
        {"q=%00", "q: %00 is not allowed"},
        {"q=%FF", "q: the text is not UTF-8"},
        {"%zz=1", "%zz: a % is not followed by two hexadecimal digits"},
        {"limit=0", "limit: 0 is below 1"},
        {"limit=1001", "limit: 1001 is above 1000"},
        {"limit=1.5", "limit: 1.5 is not a whole number"},
        {"limit=x", "limit: x is not a number"},
        {"limit=0x10", "limit: 0x10: write the number in decimal"},
        {"limit=none", "limit: none is not a number"},
        {"limit=99999999999999999999", "limit: 99999999999999999999 is above 1000"},
        {"limit=-99999999999999999999", "limit: -99999999999999999999 is below 1"},
        {"offset=99999999999999999999",
         "offset: 99999999999999999999 is above 9223372036854775807"},
        {"gpus=8,0", "gpus: 0 is below 1"},
        {"mfu=1.01", "mfu: 1.01 is above 1"},
        {"mfu=nan", "mfu: nan is not a number"},
        {"as_of=2027-02-29", "as_of: 2027-02-29 is not a calendar day, YYYY-MM-DD"},
        {"as_of=today", "as_of: today is not a calendar day, YYYY-MM-DD"},
        {"sequence_parallel=yes", "sequence_parallel: yes is not one of the words that are taken"},
        {"sequence_parallel=True",
         "sequence_parallel: True is not one of the words that are taken"},
        {"sort=gpu", "sort: gpu is not one of the words that are taken"},
        {"models=x", "models: there is no such parameter here"},
        {"MODEL=x", "MODEL: there is no such parameter here"},
        {"q[]=x", "q[]: there is no such parameter here"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome out;

        read_query(cases[i].query, &out);
        assert_int_equal(out.code, ERR_INPUT);
        assert_string_equal(out.e.text, cases[i].text);
        assert_int_equal(out.issues.count, 1);
        arena_done(&out.arena);
    }
}

static void every_mistake_is_told(void **state)
{
    static const char *const names[] = {"limt", "limit", "q", "sort", ""};
    const struct http_issue *issue;
    struct outcome out;
    size_t i = 0;

    (void)state;
    read_query("limt=5&limit=0&q=&sort=gpu&gpus=8&", &out);
    assert_int_equal(out.code, ERR_INPUT);
    assert_string_equal(out.e.text, "the query has 5 mistakes; errors has each");
    assert_true(out.values.has_unknown);
    for (issue = out.issues.first; issue; issue = issue->next)
        assert_string_equal(issue->parameter, names[i++]);
    assert_int_equal(i, 5);
    arena_done(&out.arena);
}

static void what_would_do_is_listed(void **state)
{
    struct outcome out;

    (void)state;
    read_query("limt=5", &out);
    assert_true(out.values.has_unknown);
    assert_string_equal(out.issues.first->near[0], "limit");
    assert_null(out.issues.first->near[1]);
    for (size_t i = 0; i < endpoint.param_count; i++)
        assert_string_equal(out.issues.first->allowed[i], params[i].name);
    assert_null(out.issues.first->allowed[endpoint.param_count]);
    arena_done(&out.arena);

    read_query("zzz=5", &out);
    assert_null(out.issues.first->near[0]);
    arena_done(&out.arena);

    read_query("sort=gpu", &out);
    assert_false(out.values.has_unknown);
    assert_string_equal(out.issues.first->near[0], "gpus");
    assert_string_equal(out.issues.first->allowed[0], "mfu");
    assert_null(out.issues.first->allowed[3]);
    arena_done(&out.arena);
}

/* Fill a query with count copies of a part, each after the first with an ampersand or comma. */
static char *repeat(const char *start, const char *part, size_t count)
{
    char *query = malloc(strlen(start) + count * strlen(part) + 1);

    assert_non_null(query);
    memcpy(query, start, strlen(start) + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(query + strlen(start) + i * strlen(part), part, strlen(part) + 1);
    return query;
}

static void numbers_of_things_are_limited(void **state)
{
    struct outcome out;
    char *query;

    (void)state;
    query = repeat("gpus=8", ",8", HTTP_LIST_VALUES - 1);
    read_query(query, &out);
    assert_int_equal(out.code, ERR_OK);
    assert_int_equal(http_values_find(&out.values, "gpus")->count, HTTP_LIST_VALUES);
    arena_done(&out.arena);
    free(query);

    query = repeat("gpus=8", ",8", HTTP_LIST_VALUES);
    read_query(query, &out);
    assert_int_equal(out.code, ERR_INPUT);
    assert_string_equal(out.e.text, "gpus: there are more than 100 values");
    arena_done(&out.arena);
    free(query);

    query = repeat("q=x", "&q=x", HTTP_PARAMS);
    read_query(query, &out);
    assert_int_equal(out.code, ERR_INPUT);
    assert_int_equal(out.issues.count, HTTP_PARAMS);
    assert_string_equal(out.issues.last->detail, "there are more than 100 parameters");
    arena_done(&out.arena);
    free(query);

    query = repeat("q=", "x", HTTP_PARAM_BYTES);
    read_query(query, &out);
    assert_int_equal(out.code, ERR_OK);
    arena_done(&out.arena);
    free(query);

    query = repeat("q=", "x", HTTP_PARAM_BYTES + 1);
    read_query(query, &out);
    assert_string_equal(out.e.text, "q: the value is longer than 2000 bytes");
    arena_done(&out.arena);
    free(query);
}

/* The most mistakes that a query may have, each with the longest list of what would do. */
static void a_large_table_has_room_for_all_mistakes(void **state)
{
    enum { ROWS = 200 };
    static char names[ROWS][32];
    static struct http_param rows[ROWS];
    const struct http_endpoint large = {.params = rows, .param_count = ROWS};
    struct arena arena;
    struct http_issues issues = {.arena = &arena};
    struct http_values values;
    struct err e;
    char *query = repeat("x=1", "&x=1", HTTP_PARAMS - 1);

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(names[i], sizeof names[i], "some_parameter_of_a_table_%zu", i);
        rows[i].name = names[i];
    }
    arena_init(&arena, HTTP_REQUEST_BYTES);
    assert_int_equal(http_params_parse(&large, query, &issues, &values, &e), ERR_INPUT);
    assert_int_equal(issues.count, HTTP_PARAMS);
    assert_true(arena.used < 100000);
    assert_string_equal(issues.last->allowed[ROWS - 1], "some_parameter_of_a_table_199");
    arena_done(&arena);
    free(query);
}

static void an_endpoint_without_parameters_says_so(void **state)
{
    static const struct http_endpoint bare = {.params = NULL};
    struct arena arena;
    struct http_issues issues = {.arena = &arena};
    struct http_values values;
    struct err e;

    (void)state;
    arena_init(&arena, 1000);
    assert_int_equal(http_params_parse(&bare, "x=1", &issues, &values, &e), ERR_INPUT);
    assert_string_equal(e.text, "x: there are no parameters here");
    assert_null(issues.first->allowed[0]);
    arena_done(&arena);
}

static void what_is_required_is_named_where_it_is_missing(void **state)
{
    static const struct http_param rows[] = {
        {.name = "recipe", .is_required = true},
        {.name = "tokens", .is_required = true},
        {.name = "price"},
    };
    static const struct http_endpoint strict = {.params = rows, .param_count = 3};
    static const struct {
        const char *query;
        size_t issues;
        const char *text;
    } cases[] = {
        {"", 2, "the query has 2 mistakes; errors has each"},
        {"price=1", 2, "the query has 2 mistakes; errors has each"},
        {"recipe=a", 1, "tokens: it is required, and missing"},
        {"recipe=&tokens=1", 1, "recipe: a value is missing"},
        {"recipes=a&tokens=1", 2, "the query has 2 mistakes; errors has each"},
        {"recipe=a&tokens=1", 0, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome out = {.code = ERR_OK};

        arena_init(&out.arena, HTTP_REQUEST_BYTES);
        out.issues = (struct http_issues){.arena = &out.arena};
        out.code = http_params_parse(&strict, cases[i].query, &out.issues, &out.values, &out.e);
        assert_int_equal(out.code, cases[i].text ? ERR_INPUT : ERR_OK);
        assert_int_equal(out.issues.count, cases[i].issues);
        if (cases[i].text)
            assert_string_equal(out.e.text, cases[i].text);
        arena_done(&out.arena);
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    static const char query[] = "model=a,b&limt=5&q=%zz&limit=0";
    enum err_code code = ERR_NOMEM;
    size_t limit = 0;

    (void)state;
    for (; code == ERR_NOMEM; limit += 16) {
        struct arena arena;
        struct http_issues issues = {.arena = &arena};
        struct http_values values;
        struct err e;

        arena_init(&arena, limit);
        code = http_params_parse(&endpoint, query, &issues, &values, &e);
        arena_done(&arena);
        assert_true(limit < 65536);
    }
    assert_int_equal(code, ERR_INPUT);
    assert_true(limit > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_values_are_taken),
        cmocka_unit_test(an_empty_query_has_no_values),
        cmocka_unit_test(bad_values_are_refused_with_the_reason),
        cmocka_unit_test(every_mistake_is_told),
        cmocka_unit_test(what_would_do_is_listed),
        cmocka_unit_test(numbers_of_things_are_limited),
        cmocka_unit_test(a_large_table_has_room_for_all_mistakes),
        cmocka_unit_test(an_endpoint_without_parameters_says_so),
        cmocka_unit_test(what_is_required_is_named_where_it_is_missing),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests_name("server_params", tests, NULL, NULL);
}
