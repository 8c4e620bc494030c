/* Requests on their way to a handler: parameters, bodies, ids and log lines, without a socket. */
#include "server/limits.h"
#include "tests/support/talk.h"

#include <stdio.h>
#include <string.h>

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

static enum err_code handle_values(const struct http_request *q, struct http_reply *r, void *app,
                                   struct err *e)
{
    struct buf *out = http_reply_body(r);

    (void)app;
    (void)e;
    buf_printf(out, "%s?%s %ld %s", http_request_path(q), http_request_query(q),
               (long)http_query_int(q, "n", -7),
               http_query(q, "list") ? http_query(q, "list") : "");
    for (size_t i = 0; http_query_at(q, "list", i); i++)
        buf_printf(out, " %s", http_query_at(q, "list", i));
    for (size_t i = 0; http_query_param(q, i); i++)
        buf_printf(out, " <%s", http_query_param(q, i)->name);
    if (!http_query(q, "absent") && !http_arg(q, "absent"))
        buf_puts(out, ".");
    return ERR_OK;
}

static enum err_code handle_body(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    size_t len;
    const char *body = http_request_body(q, &len);

    (void)app;
    (void)e;
    buf_add(http_reply_body(r), body, len);
    return ERR_OK;
}

static const struct http_param params[] = {
    {.name = "n", .kind = HTTP_PARAM_INT, .is_nullable = true},
    {.name = "list", .kind = HTTP_PARAM_TEXT, .is_list = true, .has_commas = true},
};

static const char *const yaml[] = {"application/yaml", "text/yaml", NULL};

#define JSON HTTP_BIT(HTTP_JSON)

static const struct http_endpoint endpoints[] = {
    {.path = "/good", .methods = HTTP_GET, .formats = JSON, .handle = handle_good},
    {.path = "/values",
     .methods = HTTP_GET,
     .formats = JSON,
     .params = params,
     .param_count = 2,
     .handle = handle_values},
    {.path = "/body",
     .methods = HTTP_POST,
     .formats = JSON,
     .body_limit = 10,
     .body_types = yaml,
     .handle = handle_body},
};

static const struct http_routes routes = {.endpoints = endpoints,
                                          .count = sizeof endpoints / sizeof *endpoints};

static void values_reach_the_handler(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/values?list=a,b%2Cc&n=12");
    talk_expect_body(&t, "/values?list=a,b%2Cc&n=12 12 a a b,c <list <n.");
    talk_end(&t);
    talk_get(&t, &routes, "http://example.org/values?n=none");
    talk_expect_body(&t, "/values?n=none -7  <n.");
    talk_end(&t);
    talk_get(&t, &routes, "/values.json");
    talk_expect_body(&t, "/values.json? -7 .");
    talk_end(&t);
}

static void unknown_parameters_are_told_apart_from_bad_ones(void **state)
{
    struct talk t;

    (void)state;
    talk_get(&t, &routes, "/values?lists=a");
    assert_int_equal(t.exchange.status, 400);
    talk_expect_in_body(&t, "{\"type\":\"/problems/unknown-parameter\",");
    talk_expect_in_body(&t, "\"errors\":[{\"parameter\":\"lists\",\"detail\":\"there is no such "
                            "parameter here\",\"allowed\":[\"n\",\"list\"],"
                            "\"did_you_mean\":[\"list\"]}]}\n");
    talk_end(&t);
    talk_get(&t, &routes, "/values?n=x");
    talk_expect_in_body(&t, "{\"type\":\"/problems/invalid-parameter\",");
    talk_end(&t);
}

static void ids_are_taken_if_sane_and_made_otherwise(void **state)
{
    static const struct {
        const char *id;
        bool is_taken;
    } cases[] = {
        {"a", true},
        {"3f2-A_b.C", true},
        {"0123456789012345678901234567890123456789012345678901234567890123", true},
        {"01234567890123456789012345678901234567890123456789012345678901234", false},
        {"", false},
        {"a b", false},
        {"a\"b", false},
        {"a, b", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const lines[] = {"X-Request-Id", cases[i].id, NULL};
        struct talk t;

        talk_ask(&t, &routes, "GET", "/good", lines);
        talk_expect_header(&t, "X-Request-Id", t.exchange.request.id);
        assert_int_equal(strcmp(t.exchange.request.id, cases[i].id) == 0, cases[i].is_taken);
        if (!cases[i].is_taken)
            assert_int_equal(strlen(t.exchange.request.id), 16);
        talk_end(&t);
    }
}

static void ids_that_are_made_differ(void **state)
{
    struct exchange_site site = {.routes = &routes};
    static const struct net_address peer = {{0}};
    char ids[100][HTTP_ID_BYTES + 1];

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct exchange x;

        exchange_init(&x, &site, &peer);
        memcpy(ids[i], x.request.id, sizeof ids[i]);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(ids[i], ids[j]);
        exchange_done(&x);
    }
}

/* Lines of one name are joined again and again. */
static void as_many_lines_of_one_name_as_there_may_be_are_joined(void **state)
{
    const char *lines[2 * HTTP_HEADER_LINES + 3] = {NULL};
    char value[HTTP_HEADER_BYTES / HTTP_HEADER_LINES - 10];
    struct talk t;

    (void)state;
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (size_t i = 0; i < HTTP_HEADER_LINES - 1; i++) {
        lines[2 * i] = "Accept";
        lines[2 * i + 1] = value;
    }
    talk_ask(&t, &routes, "GET", "/good", lines);
    assert_int_equal(t.exchange.status, 406);
    assert_int_equal(strlen(t.exchange.request.fields.values[HTTP_FIELD_ACCEPT]),
                     (HTTP_HEADER_LINES - 1) * (sizeof value + 1) - 2);
    talk_end(&t);
    lines[2 * HTTP_HEADER_LINES - 2] = "Accept";
    lines[2 * HTTP_HEADER_LINES - 1] = "*/*";
    assert_true(talk_begin(&t, &routes, "GET", "/good", lines));
    talk_answer(&t);
    assert_int_equal(t.exchange.status, 431);
    talk_end(&t);
}

static void a_body_is_kept_up_to_its_limit(void **state)
{
    static const char *const lines[] = {"Content-Length", "10", NULL};
    struct talk t;

    (void)state;
    assert_false(talk_begin(&t, &routes, "POST", "/body", lines));
    assert_true(exchange_body(&t.exchange, "01234", 5));
    assert_true(exchange_body(&t.exchange, "\0abc\n", 5));
    talk_answer(&t);
    assert_int_equal(t.exchange.status, 200);
    assert_int_equal(t.answer.body_len, 10);
    assert_memory_equal(t.answer.body, "01234\0abc\n", 10);
    talk_expect_header(&t, "Cache-Control", "no-store");
    talk_expect_header(&t, "ETag", NULL);
    talk_end(&t);
}

static void a_body_that_is_too_long_is_thrown_away(void **state)
{
    static const char *const chunked[] = {"Transfer-Encoding", "chunked", NULL};
    static const char *const declared[] = {"Content-Length", "11", NULL};
    static const char block[4096];
    struct talk t;
    size_t sent = 0;

    (void)state;
    assert_false(talk_begin(&t, &routes, "POST", "/body", declared));
    assert_true(exchange_body(&t.exchange, block, 11));
    talk_answer(&t);
    assert_int_equal(t.exchange.status, 413);
    talk_expect_in_body(&t, "\"detail\":\"the body is longer than 10 bytes\"");
    talk_end(&t);

    assert_false(talk_begin(&t, &routes, "POST", "/body", chunked));
    while (exchange_body(&t.exchange, block, sizeof block))
        sent += sizeof block;
    assert_int_equal(sent, HTTP_DRAIN_CHUNKED_BYTES);
    assert_int_equal(t.exchange.request.body.len, 0);
    talk_answer(&t);
    assert_int_equal(t.exchange.status, 413);
    talk_end(&t);
}

static void a_body_where_none_belongs_is_refused(void **state)
{
    static const char *const lines[] = {"Content-Length", "1", NULL};
    struct talk t;

    (void)state;
    assert_false(talk_begin(&t, &routes, "GET", "/good", lines));
    assert_true(exchange_body(&t.exchange, "x", 1));
    talk_answer(&t);
    assert_int_equal(t.exchange.status, 413);
    talk_expect_in_body(&t, "\"detail\":\"the request may have no body\"");
    talk_end(&t);
}

static void a_client_that_waits_is_answered_at_once(void **state)
{
    static const struct {
        const char *target;
        const char *length;
        const char *expect;
        bool is_at_once;
        int status;
    } cases[] = {
        {"/body", "10", "100-continue", false, 200},
        {"/body", "11", "100-continue", true, 413},
        {"/none", "1", "100-continue", true, 404},
        {"/none", "1", NULL, false, 404},
        {"/none", "0", "100-continue", false, 404},
        {"/body", "1048586", NULL, false, 413},
        {"/body", "1048587", NULL, true, 413},
        {"/body", "9223372036854775807", NULL, true, 413},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const lines[] = {"Content-Length", cases[i].length,
                                     cases[i].expect ? "Expect" : NULL, cases[i].expect, NULL};
        struct talk t;

        assert_int_equal(talk_begin(&t, &routes, "POST", cases[i].target, lines),
                         cases[i].is_at_once);
        talk_answer(&t);
        assert_int_equal(t.exchange.status, cases[i].status);
        talk_end(&t);
    }
}

static void a_bodys_type_is_checked(void **state)
{
    static const struct {
        const char *type;
        const char *coding;
        int status;
    } cases[] = {
        {NULL, NULL, 200},
        {"text/yaml; charset=utf-8", NULL, 200},
        {"application/yaml", "identity", 200},
        {"application/x-www-form-urlencoded", NULL, 200},
        {"application/json", NULL, 415},
        {"multipart/form-data; boundary=x", NULL, 415},
        {"", NULL, 415},
        {NULL, "gzip", 415},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *lines[5] = {NULL};
        size_t count = 0;
        struct talk t;

        if (cases[i].type) {
            lines[count++] = "Content-Type";
            lines[count++] = cases[i].type;
        }
        if (cases[i].coding) {
            lines[count++] = "Content-Encoding";
            lines[count++] = cases[i].coding;
        }
        talk_ask(&t, &routes, "POST", "/body", lines);
        assert_int_equal(t.exchange.status, cases[i].status);
        if (cases[i].type && cases[i].status == 415)
            talk_expect_in_body(&t, "\"parameter\":\"Content-Type\"");
        if (cases[i].type && !*cases[i].type)
            talk_expect_in_body(&t, "\"a body whose Content-Type is empty is not read\"");
        if (cases[i].coding && cases[i].status == 415)
            talk_expect_in_body(&t, "\"parameter\":\"Content-Encoding\"");
        talk_end(&t);
    }
}

static void each_request_has_its_line(void **state)
{
    static const char *const lines[] = {"User-Agent", "a \"b\"", "X-Request-Id", "me", NULL};
    struct talk t;

    (void)state;
    talk_ask(&t, &routes, "HEAD", "/good?x=1", lines);
    assert_non_null(strstr(t.logged, " level=info event=request id=me client=192.0.0.1 method=HEAD "
                                     "path=/good status=400 bytes=0 duration_us="));
    assert_non_null(strstr(t.logged, " user_agent=\"a \\\"b\\\"\"\n"));
    talk_end(&t);
    talk_get(&t, &routes, "/good");
    assert_non_null(strstr(t.logged, " path=/good status=200 bytes=4 duration_us="));
    assert_non_null(strstr(t.logged, " user_agent=-\n"));
    talk_end(&t);
}

static void a_long_path_is_cut_in_the_log(void **state)
{
    char target[1000] = "/";
    struct talk t;

    (void)state;
    memset(target + 1, 'x', sizeof target - 2);
    talk_get(&t, &routes, target);
    target[300] = '\0';
    assert_non_null(strstr(t.logged, target));
    assert_non_null(strstr(t.logged, "xx status=404"));
    assert_true(strlen(t.logged) < 600);
    talk_end(&t);
}

static void the_proxys_word_is_taken_only_if_it_is_trusted(void **state)
{
    static const struct net_block block = {{{[10] = 0xFF, [11] = 0xFF, [12] = 10}}, 104};
    static const struct net_address proxy = {{[10] = 0xFF, [11] = 0xFF, [12] = 10, [15] = 9}};
    struct exchange_site site = {.routes = &routes, .trusted = &block};
    struct exchange x;
    char text[NET_TEXT_BYTES];

    (void)state;
    exchange_init(&x, &site, &proxy);
    exchange_field(&x, "Host", "x");
    exchange_field(&x, "X-Forwarded-For", "203.0.113.7");
    exchange_field(&x, "X-Forwarded-For", "198.51.100.2, 10.0.0.8");
    assert_false(exchange_judge(&x, "GET", "/good", true));
    net_address_text(&x.client, text);
    assert_string_equal(text, "198.51.100.2");
    exchange_done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_reach_the_handler),
        cmocka_unit_test(unknown_parameters_are_told_apart_from_bad_ones),
        cmocka_unit_test(ids_are_taken_if_sane_and_made_otherwise),
        cmocka_unit_test(ids_that_are_made_differ),
        cmocka_unit_test(as_many_lines_of_one_name_as_there_may_be_are_joined),
        cmocka_unit_test(a_body_is_kept_up_to_its_limit),
        cmocka_unit_test(a_body_that_is_too_long_is_thrown_away),
        cmocka_unit_test(a_body_where_none_belongs_is_refused),
        cmocka_unit_test(a_client_that_waits_is_answered_at_once),
        cmocka_unit_test(a_bodys_type_is_checked),
        cmocka_unit_test(each_request_has_its_line),
        cmocka_unit_test(a_long_path_is_cut_in_the_log),
        cmocka_unit_test(the_proxys_word_is_taken_only_if_it_is_trusted),
    };

    return cmocka_run_group_tests_name("server_exchange", tests, NULL, NULL);
}
