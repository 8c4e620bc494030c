/* The protocol as the server speaks it: a real server with a table of routes made for tests, and
 * sockets that send each byte as it stands here. */
#include "tests/support/toy_server.h"
#include "tests/support/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A reply's head without its Date line, which must be there and of 35 letters. */
static const char *without_date(struct wire_reply *reply)
{
    char *date = strstr(reply->head, "Date: ");
    char *end = date ? strstr(date, "\r\n") : NULL;

    assert_non_null(end);
    assert_int_equal(end - date, 35);
    memmove(date, end + 2, strlen(end + 2) + 1);
    return reply->head;
}

#define COMMON_HEADERS                                                                             \
    "Access-Control-Allow-Origin: *\r\n"                                                           \
    "Access-Control-Expose-Headers: Allow, Content-Disposition, ETag, Link, RateLimit, "           \
    "RateLimit-Policy, Retry-After, X-Request-Id\r\n"                                              \
    "Vary: Accept, Accept-Encoding\r\n"                                                            \
    "X-Content-Type-Options: nosniff\r\n"

#define HELLO_HEADERS                                                                              \
    COMMON_HEADERS                                                                                 \
    "Cache-Control: public, max-age=60, stale-while-revalidate=600\r\n"                            \
    "Content-Type: text/plain; charset=utf-8\r\n"                                                  \
    "ETag: " HELLO_TAG "\r\n"                                                                      \
    "Content-Length: 6\r\n"

#define HELLO_TAG "\"5891b5b522d5df086d0ff0b110fbd9d2-txt\""

static void a_reply_is_sent_byte_for_byte(void **state)
{
    struct toy *f = *state;
    struct wire_reply reply = wire_get(f->port, "/", "", 200);

    assert_string_equal(without_date(&reply), "HTTP/1.1 200 OK\r\n" HELLO_HEADERS);
    assert_string_equal(reply.body, "hello\n");
    wire_reply_done(&reply);
}

static void head_has_the_headers_of_get(void **state)
{
    struct toy *f = *state;
    int fd = wire_connect(f->port);
    struct wire_reply reply;

    wire_send(fd, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /big HTTP/1.1\r\nHost: x\r\n\r\n");
    reply = wire_read(fd, true);
    assert_string_equal(without_date(&reply), "HTTP/1.1 200 OK\r\n" HELLO_HEADERS);
    wire_reply_done(&reply);
    /* No byte of a body stood between. */
    reply = wire_expect(fd, 200);
    assert_int_equal(reply.len, TOY_BIG_BYTES);
    wire_reply_done(&reply);
    close(fd);
}

static void a_known_copy_is_304_with_the_same_headers(void **state)
{
    static const char *const known[] = {
        "If-None-Match: " HELLO_TAG "\r\n",
        "If-None-Match: W/" HELLO_TAG "\r\n",
        "If-None-Match: *\r\n",
        "If-None-Match: \"x\", " HELLO_TAG "\r\n",
        "If-None-Match: \"x\"\r\nIf-None-Match: " HELLO_TAG "\r\n",
        "if-none-match: \"x\"," HELLO_TAG " ,\r\nRange: bytes=0-1\r\n",
    };
    struct toy *f = *state;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct wire_reply reply = wire_get(f->port, "/", known[i], 304);

        assert_string_equal(without_date(&reply), "HTTP/1.1 304 Not Modified\r\n" HELLO_HEADERS);
        wire_reply_done(&reply);
    }
}

static void another_copy_is_200(void **state)
{
    static const char *const other[] = {
        "If-None-Match: \"5891b5b522d5df086d0ff0b110fbd9d2-txt-gzip\"\r\n",
        "If-None-Match: \"5891b5b522d5df086d0ff0b110fbd9d2-json\"\r\n",
        "If-None-Match: 5891b5b522d5df086d0ff0b110fbd9d2-txt\r\n",
        "If-None-Match:\r\n",
        "If-Modified-Since: Mon, 30 Nov 2026 00:00:00 GMT\r\n",
        "Range: bytes=0-1\r\n",
    };
    struct toy *f = *state;

    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct wire_reply reply = wire_get(f->port, "/", other[i], 200);

        assert_string_equal(without_date(&reply), "HTTP/1.1 200 OK\r\n" HELLO_HEADERS);
        assert_string_equal(reply.body, "hello\n");
        wire_reply_done(&reply);
    }
}

static void a_connection_is_kept_after_a_304_and_a_204(void **state)
{
    struct toy *f = *state;
    int fd = wire_connect(f->port);

    for (int i = 0; i < 3; i++) {
        struct wire_reply reply;

        wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n");
        reply = wire_expect(fd, 304);
        wire_reply_done(&reply);
        wire_send(fd, "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n");
        reply = wire_expect(fd, 204);
        wire_reply_done(&reply);
        wire_send(fd, "GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
        reply = wire_expect(fd, 404);
        wire_assert_header(&reply, "Connection", NULL);
        wire_reply_done(&reply);
    }
    close(fd);
}

static void an_error_is_sent_byte_for_byte(void **state)
{
    struct toy *f = *state;
    struct wire_reply reply = wire_get(f->port, "/none", "X-Request-Id: abc\r\n", 404);

    assert_string_equal(without_date(&reply),
                        "HTTP/1.1 404 Not Found\r\n" COMMON_HEADERS "Cache-Control: no-store\r\n"
                        "Content-Type: application/problem+json\r\n"
                        "X-Request-Id: abc\r\n"
                        "Content-Length: 134\r\n");
    assert_string_equal(reply.body,
                        "{\"type\":\"/problems/not-found\",\"title\":\"There is no such resource\","
                        "\"status\":404,\"detail\":\"there is nothing at /none\","
                        "\"instance\":\"abc\"}\n");
    wire_reply_done(&reply);
}

static void options_are_answered(void **state)
{
    struct toy *f = *state;
    struct wire_reply reply = wire_ask(f->port,
                                       "OPTIONS /echo?x=1 HTTP/1.1\r\nHost: x\r\n"
                                       "Origin: https://example.org\r\n"
                                       "Access-Control-Request-Method: POST\r\n\r\n",
                                       204);

    assert_string_equal(without_date(&reply),
                        "HTTP/1.1 204 No Content\r\n" COMMON_HEADERS "Cache-Control: no-store\r\n"
                        "Allow: POST, OPTIONS\r\n"
                        "Access-Control-Allow-Methods: POST, OPTIONS\r\n"
                        "Access-Control-Allow-Headers: Accept, Content-Type, If-None-Match, "
                        "X-Request-Id\r\n"
                        "Access-Control-Max-Age: 86400\r\n");
    wire_reply_done(&reply);
    reply = wire_ask(f->port, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 204);
    wire_assert_header(&reply, "Allow", "GET, HEAD, POST, OPTIONS");
    wire_reply_done(&reply);
    reply = wire_ask(f->port, "OPTIONS /none HTTP/1.1\r\nHost: x\r\n\r\n", 404);
    wire_reply_done(&reply);
}

static void methods_are_told_apart(void **state)
{
    static const struct {
        const char *request;
        int status;
        const char *allow;
    } cases[] = {
        {"POST / HTTP/1.1", 405, "GET, HEAD, OPTIONS"},
        {"PUT / HTTP/1.1", 405, "GET, HEAD, OPTIONS"},
        {"DELETE /echo HTTP/1.1", 405, "POST, OPTIONS"},
        {"GET /echo HTTP/1.1", 405, "POST, OPTIONS"},
        {"PATCH / HTTP/1.1", 405, "GET, HEAD, OPTIONS"},
        {"TRACE / HTTP/1.1", 405, "GET, HEAD, OPTIONS"},
        {"PUT /none HTTP/1.1", 404, NULL},
        {"BREW / HTTP/1.1", 501, NULL},
        {"get / HTTP/1.1", 501, NULL},
        {"CONNECT example.org:443 HTTP/1.1", 501, NULL},
        {"BREW /none HTTP/1.1", 501, NULL},
    };
    struct toy *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char request[200];
        struct wire_reply reply;

        snprintf(request, sizeof request, "%s\r\nHost: x\r\n\r\n", cases[i].request);
        reply = wire_ask(f->port, request, cases[i].status);
        wire_assert_header(&reply, "Allow", cases[i].allow);
        wire_assert_header(&reply, "Access-Control-Allow-Origin", "*");
        wire_assert_header(&reply, "Content-Type", "application/problem+json");
        wire_assert_header(&reply, "Connection", NULL);
        wire_reply_done(&reply);
    }
}

static void targets_of_every_form(void **state)
{
    static const struct {
        const char *target;
        int status;
        const char *body; /* all of it, or the problem's detail */
    } cases[] = {
        {"/hello/a", 200, "hello a\n"},
        {"/hello/a%2Fb", 200, "hello a/b\n"},
        {"/hello/%C3%A9", 200, "hello \xC3\xA9\n"},
        {"/hello/a.csv", 200, "hello a\n"},
        {"/hello/a.json", 200, "hello a.json\n"},
        {"/hello/a?", 200, "hello a\n"},
        {"http://example.org/hello/a", 200, "hello a\n"},
        {"HTTPS://example.org", 200, "hello\n"},
        {"http://example.org?", 200, "hello\n"},
        {"/hello/%00", 400, "%00 is not allowed"},
        {"/hello/%", 400, "a % is not followed by two hexadecimal digits"},
        {"/hello/%ff", 400, "the text is not UTF-8"},
        {"/hello/a b", 400, "the request's target has bytes that must be %-encoded"},
        {"/hello/a\\b", 400, "the request's target has bytes that must be %-encoded"},
        {"/hello/a\tb", 400, "the request's target has bytes that must be %-encoded"},
        {"/hello/a#b", 400, "the request's target has bytes that must be %-encoded"},
        {"/?a\"b", 400, "the request's target has bytes that must be %-encoded"},
        {"*", 400, "the request's target is not a path"},
        {"hello/a", 400, "the request's target is not a path"},
        {"ftp://example.org/", 400, "the request's target is not a path"},
        {"/hello//", 404, "there is nothing at /hello//"},
        {"//", 404, "there is nothing at //"},
        {"//example.org/", 404, "there is nothing at //example.org/"},
        {"/hello", 404, "there is nothing at /hello"},
        {"/hello/", 404, "there is nothing at /hello/"},
        {"/?x=1", 400, "x: there are no parameters here"},
    };
    struct toy *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wire_reply reply = wire_get(f->port, cases[i].target, "", cases[i].status);

        if (cases[i].status == 200)
            assert_string_equal(reply.body, cases[i].body);
        else if (!strstr(reply.body, cases[i].body))
            fail_msg("GET %s: %s", cases[i].target, reply.body);
        wire_reply_done(&reply);
    }
}

static void a_zero_byte_in_the_first_line_is_refused(void **state)
{
    static const char *const targets[] = {"/|x", "/hello/a|", "/?|", "/?a|&b"};
    struct toy *f = *state;

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char request[100];
        int len =
            snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", targets[i]);
        int fd = wire_connect(f->port);
        struct wire_reply reply;

        *strchr(request, '|') = '\0';
        wire_send_bytes(fd, request, (size_t)len);
        reply = wire_expect(fd, 400);
        assert_non_null(strstr(reply.body, "the request's first line is malformed"));
        wire_reply_done(&reply);
        close(fd);
    }
}

static void a_slash_at_the_end_is_308(void **state)
{
    struct toy *f = *state;
    struct wire_reply reply = wire_get(f->port, "/hello/a%2F/?x=%201", "", 308);

    assert_string_equal(without_date(&reply),
                        "HTTP/1.1 308 Permanent Redirect\r\n" COMMON_HEADERS
                        "Cache-Control: public, max-age=60, stale-while-revalidate=600\r\n"
                        "Location: /hello/a%2F?x=%201\r\n"
                        "Content-Length: 0\r\n");
    wire_reply_done(&reply);
}

static void what_can_be_read_in_two_ways_costs_the_connection(void **state)
{
    static const char *const requests[] = {
        ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
         "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    };
    struct toy *f = *state;

    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        int fd = wire_connect(f->port);
        struct wire_reply reply;

        wire_send(fd, requests[i]);
        reply = wire_expect(fd, 400);
        wire_assert_header(&reply, "Connection", "close");
        wire_assert_header(&reply, "Content-Type", "application/problem+json");
        assert_true(wire_is_closed(fd, 20000));
        wire_reply_done(&reply);
        close(fd);
    }
}

static void http_1_0_is_spoken(void **state)
{
    struct toy *f = *state;
    int fd = wire_connect(f->port);
    struct wire_reply reply;

    wire_send(fd, "GET / HTTP/1.0\r\n\r\n");
    reply = wire_expect(fd, 200);
    wire_assert_header(&reply, "Connection", "close");
    assert_string_equal(reply.body, "hello\n");
    assert_true(wire_is_closed(fd, 20000));
    wire_reply_done(&reply);
    close(fd);
}

static void requests_in_a_row_are_answered_in_order(void **state)
{
    enum { COUNT = 50 };
    struct toy *f = *state;
    char requests[COUNT * 60] = "";
    size_t len = 0;
    int fd = wire_connect(f->port);

    for (int i = 0; i < COUNT; i++)
        len += (size_t)snprintf(requests + len, sizeof requests - len,
                                "GET /hello/%d HTTP/1.1\r\nHost: x\r\n\r\n", i);
    wire_send_bytes(fd, requests, len);
    for (int i = 0; i < COUNT; i++) {
        struct wire_reply reply = wire_expect(fd, 200);
        char text[20];

        snprintf(text, sizeof text, "hello %d\n", i);
        assert_string_equal(reply.body, text);
        wire_reply_done(&reply);
    }
    close(fd);
}

static void each_request_is_logged(void **state)
{
    static const char expected[] = " level=info event=request id=log-1 client=127.0.0.1 method=GET "
                                   "path=/hello/x\xC3\xA9 status=400 bytes=226 duration_us=";
    struct toy f;
    struct wire_reply reply;
    char *log;

    (void)state;
    toy_start(&f, (struct server_config){.listen = NULL});
    reply =
        wire_get(f.port, "/hello/x\xC3\xA9?a=b", "X-Request-Id: log-1\r\nUser-Agent: t\r\n", 400);
    /* A request's line is written when its reply was sent; at the end all are. */
    server_stop(f.server);
    log = toy_read_log(&f);
    if (!strstr(log, expected) || !strstr(log, " user_agent=t\n"))
        fail_msg("%s", log);
    assert_int_equal(reply.len, 226);
    wire_reply_done(&reply);
    free(log);
    close(f.log.fd);
}

static void an_answer_that_is_cut_off_is_logged_as_such(void **state)
{
    struct toy f;
    struct wire_reply reply;
    const char *line;
    char *log;
    char byte;
    int fd;

    (void)state;
    toy_start(&f, (struct server_config){.listen = NULL});
    reply = wire_get(f.port, "/big", "", 200);
    wire_reply_done(&reply);
    fd = wire_connect(f.port);
    wire_send(fd, "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(recv(fd, &byte, 1, 0), 1);
    server_stop(f.server);
    close(fd);
    log = toy_read_log(&f);
    line = strstr(log, " path=/endless status=200 ");
    assert_non_null(line);
    assert_non_null(strstr(line, " cut=true user_agent="));
    line = strstr(log, " path=/big status=200 ");
    assert_non_null(line);
    assert_null(memmem(line, strcspn(line, "\n"), "cut=", 4));
    free(log);
    close(f.log.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_is_sent_byte_for_byte),
        cmocka_unit_test(head_has_the_headers_of_get),
        cmocka_unit_test(a_known_copy_is_304_with_the_same_headers),
        cmocka_unit_test(another_copy_is_200),
        cmocka_unit_test(a_connection_is_kept_after_a_304_and_a_204),
        cmocka_unit_test(an_error_is_sent_byte_for_byte),
        cmocka_unit_test(options_are_answered),
        cmocka_unit_test(methods_are_told_apart),
        cmocka_unit_test(targets_of_every_form),
        cmocka_unit_test(a_zero_byte_in_the_first_line_is_refused),
        cmocka_unit_test(a_slash_at_the_end_is_308),
        cmocka_unit_test(what_can_be_read_in_two_ways_costs_the_connection),
        cmocka_unit_test(http_1_0_is_spoken),
        cmocka_unit_test(requests_in_a_row_are_answered_in_order),
        cmocka_unit_test(each_request_is_logged),
        cmocka_unit_test(an_answer_that_is_cut_off_is_logged_as_such),
    };

    return cmocka_run_group_tests_name("protocol", tests, toy_start_shared, toy_stop_shared);
}
