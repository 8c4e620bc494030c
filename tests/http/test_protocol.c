/* The protocol as the server speaks it: a real server with a table of routes made for this test,
 * and sockets that send each byte as it stands here. */
#include "server/server.h"
#include "tests/support/test.h"
#include "tests/support/wire.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

/* What the handlers share with the tests.
 *
 * entered:  requests that reached the slow handler
 * is_open:  whether those may go on; a handler waits for it, but not for ever */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned entered;
    bool is_open;
};

enum { BIG_BYTES = 100000 };

static enum err_code handle_hello(const struct http_request *q, struct http_reply *r, void *app,
                                  struct err *e)
{
    const char *name = http_arg(q, "name");

    (void)app;
    (void)e;
    buf_puts(http_reply_body(r), "hello");
    if (name) {
        buf_putc(http_reply_body(r), ' ');
        buf_puts(http_reply_body(r), name);
    }
    buf_putc(http_reply_body(r), '\n');
    return ERR_OK;
}

static enum err_code handle_big(const struct http_request *q, struct http_reply *r, void *app,
                                struct err *e)
{
    (void)q;
    (void)app;
    (void)e;
    for (int i = 0; i < BIG_BYTES / 10; i++)
        buf_puts(http_reply_body(r), "123456789\n");
    return ERR_OK;
}

static enum err_code handle_echo(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    size_t len;
    const char *body = http_request_body(q, &len);

    (void)app;
    (void)e;
    buf_add(http_reply_body(r), body, len);
    return ERR_OK;
}

static enum err_code handle_slow(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    struct gate *gate = app;
    struct timespec until;

    (void)q;
    (void)e;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&gate->lock);
    gate->entered++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->is_open && pthread_cond_timedwait(&gate->changed, &gate->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&gate->lock);
    buf_puts(http_reply_body(r), "slow\n");
    return ERR_OK;
}

static const char *const yaml[] = {"application/yaml", NULL};

static const struct http_endpoint endpoints[] = {
    {.path = "/",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT) | HTTP_BIT(HTTP_JSON),
     .first_format = HTTP_TEXT,
     .handle = handle_hello},
    {.path = "/hello/{name}",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT) | HTTP_BIT(HTTP_CSV),
     .first_format = HTTP_TEXT,
     .handle = handle_hello},
    {.path = "/big",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT),
     .first_format = HTTP_TEXT,
     .handle = handle_big},
    {.path = "/echo",
     .methods = HTTP_POST,
     .formats = HTTP_BIT(HTTP_TEXT),
     .first_format = HTTP_TEXT,
     .body_limit = 1000,
     .body_types = yaml,
     .handle = handle_echo},
    {.path = "/slow",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT),
     .first_format = HTTP_TEXT,
     .handle = handle_slow},
};

static const struct http_routes routes = {endpoints, sizeof endpoints / sizeof *endpoints};

/* A running server, its gate and its log. */
struct fixture {
    struct server *server;
    struct gate gate;
    struct log log;
    unsigned port;
};

static void start_with(struct fixture *f, struct server_config config)
{
    struct err e;

    *f = (struct fixture){.gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false},
                          .log = {.fd = memfd_create("log", MFD_CLOEXEC), .has_access = true}};
    assert_true(f->log.fd >= 0);
    if (!config.listen)
        config.listen = "127.0.0.1:0";
    config.threads = 2;
    if (server_start(&config, &routes, &f->gate, &f->log, &f->server, &e))
        fail_msg("%s", e.text);
    f->port = server_port(f->server);
    assert_true(f->port > 0);
}

static void stop(struct fixture *f)
{
    server_stop(f->server);
    close(f->log.fd);
}

static void open_gate(struct fixture *f)
{
    pthread_mutex_lock(&f->gate.lock);
    f->gate.is_open = true;
    pthread_cond_broadcast(&f->gate.changed);
    pthread_mutex_unlock(&f->gate.lock);
}

static void wait_for_slow(struct fixture *f, unsigned count)
{
    struct timespec until;
    int status = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&f->gate.lock);
    while (f->gate.entered < count && status == 0)
        status = pthread_cond_timedwait(&f->gate.changed, &f->gate.lock, &until);
    assert_int_equal(f->gate.entered, count);
    pthread_mutex_unlock(&f->gate.lock);
}

/* All of the log so far; free it. */
static char *read_log(const struct fixture *f)
{
    off_t len = lseek(f->log.fd, 0, SEEK_CUR);
    char *text = malloc((size_t)len + 1);

    assert_non_null(text);
    assert_int_equal(pread(f->log.fd, text, (size_t)len, 0), len);
    text[len] = '\0';
    return text;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One server for all tests that change nothing of it. */
static int start_shared(void **state)
{
    struct fixture *f = malloc(sizeof *f);

    assert_non_null(f);
    start_with(f, (struct server_config){.listen = NULL});
    *state = f;
    return 0;
}

static int stop_shared(void **state)
{
    struct fixture *f = *state;

    stop(f);
    free(f);
    return 0;
}

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
    "Access-Control-Expose-Headers: Allow, Content-Disposition, ETag, Link, Retry-After, "         \
    "X-Request-Id\r\n"                                                                             \
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
    struct fixture *f = *state;
    struct wire_reply reply = wire_get(f->port, "/", "", 200);

    assert_string_equal(without_date(&reply), "HTTP/1.1 200 OK\r\n" HELLO_HEADERS);
    assert_string_equal(reply.body, "hello\n");
    wire_reply_done(&reply);
}

static void head_has_the_headers_of_get(void **state)
{
    struct fixture *f = *state;
    int fd = wire_connect(f->port);
    struct wire_reply reply;

    wire_send(fd, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /big HTTP/1.1\r\nHost: x\r\n\r\n");
    reply = wire_read(fd, true);
    assert_string_equal(without_date(&reply), "HTTP/1.1 200 OK\r\n" HELLO_HEADERS);
    wire_reply_done(&reply);
    /* No byte of a body stood between. */
    reply = wire_expect(fd, 200);
    assert_int_equal(reply.len, BIG_BYTES);
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
    struct fixture *f = *state;

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
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct wire_reply reply = wire_get(f->port, "/", other[i], 200);

        assert_string_equal(without_date(&reply), "HTTP/1.1 200 OK\r\n" HELLO_HEADERS);
        assert_string_equal(reply.body, "hello\n");
        wire_reply_done(&reply);
    }
}

static void a_connection_is_kept_after_a_304_and_a_204(void **state)
{
    struct fixture *f = *state;
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
    struct fixture *f = *state;
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
    struct fixture *f = *state;
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
    struct fixture *f = *state;

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
    struct fixture *f = *state;

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
    static const char *const lines[] = {"GET /%cx HTTP/1.1", "GET /hello/a%c HTTP/1.1",
                                        "GET /?%c HTTP/1.1", "GET /?a%c&b HTTP/1.1"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char request[100];
        int len = snprintf(request, sizeof request, lines[i], 0);
        int fd = wire_connect(f->port);
        struct wire_reply reply;

        memcpy(request + len, "\r\nHost: x\r\n\r\n", 14);
        wire_send_bytes(fd, request, (size_t)len + 13);
        reply = wire_expect(fd, 400);
        assert_non_null(strstr(reply.body, "the request's first line is malformed"));
        wire_reply_done(&reply);
        close(fd);
    }
}

static void a_slash_at_the_end_is_308(void **state)
{
    struct fixture *f = *state;
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
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
        "\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    };
    struct fixture *f = *state;

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
    struct fixture *f = *state;
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

static void sizes_are_limited(void **state)
{
    struct fixture *f = *state;
    char *text = malloc(40000);
    struct wire_reply reply;
    int fd;

    assert_non_null(text);
    /* The longest target that is looked at. */
    memset(text, 'x', 8192);
    memcpy(text, "/hello/", 7);
    text[8192] = '\0';
    reply = wire_get(f->port, text, "", 200);
    assert_int_equal(reply.len, strlen("hello ") + 8192 - 7 + 1);
    wire_reply_done(&reply);
    strcpy(text + 8192, "x");
    reply = wire_get(f->port, text, "", 414);
    assert_non_null(strstr(reply.body, "\"/problems/target-too-long\""));
    wire_reply_done(&reply);

    /* A line that is too long, many lines, and what the library refuses by itself. */
    memset(text, 'y', 16000);
    memcpy(text, "A: ", 3);
    strcpy(text + 16000, "\r\n");
    wire_reply_done(&(struct wire_reply){.head = NULL});
    fd = wire_connect(f->port);
    wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\n");
    wire_send(fd, text);
    wire_send(fd, "\r\n");
    reply = wire_expect(fd, 200);
    wire_reply_done(&reply);
    wire_send(fd,
              "GET / HTTP/1.1\r\nHost: x\r\nB: more than sixteen kilobytes in all, with a little "
              "more to be sure of it: 0123456789012345678901234567890123456789012345678901234567"
              "890123456789012345678901234567890123456789012345678901234567890123456789012345678"
              "9012345678901234567890123456789012345678901234567890123456789012345678901234567\r\n"
              "C: 012345678901234567890123456789012345678901234567890123456789012345678901234567"
              "890123456789012345678901234567890123456789\r\n");
    wire_send(fd, text);
    wire_send(fd, "\r\n");
    reply = wire_expect(fd, 431);
    assert_non_null(strstr(reply.body, "\"/problems/headers-too-large\""));
    wire_reply_done(&reply);
    wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < 100; i++)
        wire_send(fd, "A: b\r\n");
    wire_send(fd, "\r\n");
    reply = wire_expect(fd, 431);
    wire_reply_done(&reply);
    close(fd);
    free(text);
}

/* The library would keep each parameter, and give no answer at all where they do not fit. */
static void thousands_of_parameters_are_answered(void **state)
{
    struct fixture *f = *state;
    char target[8192] = "/?";
    struct wire_reply reply;

    for (size_t i = 2; i + 2 < sizeof target; i += 2)
        memcpy(target + i, "a&", 3);
    reply = wire_get(f->port, target, "", 400);
    assert_non_null(strstr(reply.body, "there are more than 100 parameters"));
    wire_reply_done(&reply);
}

static void formats_are_negotiated(void **state)
{
    static const struct {
        const char *target;
        const char *lines;
        int status;
        const char *type;
    } cases[] = {
        {"/", "", 200, "text/plain; charset=utf-8"},
        {"/", "Accept: application/json\r\n", 200, "application/json"},
        {"/", "Accept: text/csv;q=0.9\r\nAccept: application/json;q=0.1\r\n", 200,
         "application/json"},
        {"/", "Accept: text/html\r\n", 406, "application/problem+json"},
        {"/hello/a.csv", "Accept: text/html\r\n", 200, "text/csv; charset=utf-8"},
        {"/hello/a.csv", "Accept: text/csv;q=0\r\n", 200, "text/csv; charset=utf-8"},
        {"/none", "Accept: text/html\r\n", 404, "application/problem+json"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wire_reply reply =
            wire_get(f->port, cases[i].target, cases[i].lines, cases[i].status);

        wire_assert_header(&reply, "Content-Type", cases[i].type);
        if (cases[i].status == 406)
            assert_non_null(strstr(reply.body, "\"errors\":[{\"parameter\":\"Accept\",\"detail\":"
                                               "\"none of the resource's representations is "
                                               "accepted\",\"allowed\":[\"application/json\","
                                               "\"text/plain\"]}]}\n"));
        wire_reply_done(&reply);
    }
}

static void bodies_are_compressed_where_it_pays(void **state)
{
    struct fixture *f = *state;
    struct wire_reply plain = wire_get(f->port, "/big", "", 200);
    struct wire_reply packed = wire_get(f->port, "/big", "Accept-Encoding: gzip\r\n", 200);
    struct wire_reply small = wire_get(f->port, "/", "Accept-Encoding: gzip\r\n", 200);
    struct wire_reply refused = wire_get(f->port, "/big", "Accept-Encoding: gzip;q=0\r\n", 200);
    unsigned char *out = malloc(BIG_BYTES + 1);
    z_stream stream = {.next_in = (unsigned char *)packed.body,
                       .avail_in = (uInt)packed.len,
                       .next_out = out,
                       .avail_out = BIG_BYTES + 1};
    char plain_tag[1024], packed_tag[1024];

    assert_non_null(out);
    wire_assert_header(&plain, "Content-Encoding", NULL);
    wire_assert_header(&packed, "Content-Encoding", "gzip");
    wire_assert_header(&packed, "Vary", "Accept, Accept-Encoding");
    wire_assert_header(&small, "Content-Encoding", NULL);
    wire_assert_header(&refused, "Content-Encoding", NULL);
    assert_true(packed.len < plain.len / 10);
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    assert_int_equal(stream.total_out, plain.len);
    assert_memory_equal(out, plain.body, plain.len);
    assert_string_not_equal(wire_header(&plain, "ETag", plain_tag),
                            wire_header(&packed, "ETag", packed_tag));
    free(out);
    wire_reply_done(&plain);
    wire_reply_done(&packed);
    wire_reply_done(&small);
    wire_reply_done(&refused);
}

static void a_compressed_copy_is_known_by_its_own_tag(void **state)
{
    struct fixture *f = *state;
    struct wire_reply packed = wire_get(f->port, "/big", "Accept-Encoding: gzip\r\n", 200);
    struct wire_reply reply;
    char tag[1024], lines[2048];

    wire_header(&packed, "ETag", tag);
    snprintf(lines, sizeof lines, "Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n", tag);
    reply = wire_get(f->port, "/big", lines, 304);
    wire_assert_header(&reply, "Content-Encoding", "gzip");
    wire_assert_header(&reply, "ETag", tag);
    wire_reply_done(&reply);
    snprintf(lines, sizeof lines, "If-None-Match: %s\r\n", tag);
    reply = wire_get(f->port, "/big", lines, 200);
    wire_reply_done(&reply);
    wire_reply_done(&packed);
}

static void bodies_are_taken(void **state)
{
    static const char *const requests[] = {
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: 5\r\n\r\nhello",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/yaml; charset=utf-8\r\n"
        "Content-Length: 5\r\n\r\nhello",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: x\r\n\r\n",
    };
    struct fixture *f = *state;
    int fd = wire_connect(f->port);

    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct wire_reply reply;

        wire_send(fd, requests[i]);
        reply = wire_expect(fd, 200);
        assert_string_equal(reply.body, "hello");
        wire_assert_header(&reply, "Cache-Control", "no-store");
        wire_assert_header(&reply, "ETag", NULL);
        wire_reply_done(&reply);
    }
    close(fd);
}

static void bodies_that_are_refused_leave_the_connection_in_step(void **state)
{
    static const struct {
        const char *head;
        size_t len;
        int status;
    } cases[] = {
        {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n", 100, 415},
        {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\n", 100, 415},
        {"POST /echo HTTP/1.1\r\nHost: x\r\n", 1001, 413},
        {"POST /echo HTTP/1.1\r\nHost: x\r\n", 500000, 413},
        {"POST /none HTTP/1.1\r\nHost: x\r\n", 500000, 404},
        {"PUT / HTTP/1.1\r\nHost: x\r\n", 100, 405},
        {"GET / HTTP/1.1\r\nHost: x\r\n", 100, 413},
    };
    struct fixture *f = *state;
    char *body = calloc(1, 500000);
    int fd = wire_connect(f->port);

    assert_non_null(body);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char length[100];
        struct wire_reply reply;

        snprintf(length, sizeof length, "Content-Length: %zu\r\n\r\n", cases[i].len);
        wire_send(fd, cases[i].head);
        wire_send(fd, length);
        wire_send_bytes(fd, body, cases[i].len);
        reply = wire_expect(fd, cases[i].status);
        wire_assert_header(&reply, "Connection", NULL);
        wire_reply_done(&reply);
    }
    close(fd);
    free(body);
}

static void a_client_that_asks_first_is_told(void **state)
{
    struct fixture *f = *state;
    int fd = wire_connect(f->port);
    struct wire_reply reply;

    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                  "Expect: 100-continue\r\n\r\n");
    reply = wire_expect(fd, 100);
    wire_reply_done(&reply);
    wire_send(fd, "hello");
    reply = wire_expect(fd, 200);
    assert_string_equal(reply.body, "hello");
    wire_reply_done(&reply);
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n"
                  "Expect: 100-continue\r\n\r\n");
    reply = wire_expect(fd, 413);
    wire_assert_header(&reply, "Connection", "close");
    assert_non_null(strstr(reply.body, "the body is longer than 1000 bytes"));
    assert_true(wire_is_closed(fd, 20000));
    wire_reply_done(&reply);
    close(fd);
}

static void requests_in_a_row_are_answered_in_order(void **state)
{
    enum { COUNT = 50 };
    struct fixture *f = *state;
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
    struct fixture *f = *state;
    struct wire_reply reply =
        wire_get(f->port, "/hello/x\xC3\xA9?a=b", "X-Request-Id: log-1\r\nUser-Agent: t\r\n", 400);
    const char *end = NULL;

    wire_reply_done(&reply);
    /* The line is written when the reply was sent, which the client may see a little earlier. */
    for (int i = 0; i < 2000 && !end; i++) {
        char *log = read_log(f);
        const char *line = strstr(log, " id=log-1 ");

        end = line ? strchr(line, '\n') : NULL;
        if (end) {
            assert_int_equal(strncmp(line,
                                     " id=log-1 client=127.0.0.1 method=GET path=/hello/x\xC3\xA9 "
                                     "status=400 bytes=",
                                     strlen(" id=log-1 client=127.0.0.1 method=GET path=/hello/x"
                                            "\xC3\xA9 status=400 bytes=")),
                             0);
            assert_int_equal(strncmp(end - 13, " user_agent=t", 13), 0);
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
        free(log);
    }
    assert_non_null(end);
}

/* Send a byte now and then until the server hangs up; tells after how many seconds it did. */
static double drip(int fd, const char *bytes)
{
    double start = seconds_now();

    for (; *bytes; bytes++) {
        if (send(fd, bytes, 1, MSG_NOSIGNAL) != 1 || wire_is_closed(fd, 150))
            return seconds_now() - start;
    }
    fail_msg("the server took %s", bytes);
    return 0;
}

static void clients_that_drip_are_cut_off(void **state)
{
    static const char *const starts[] = {
        "",
        "GET / HTTP/1.1\r\nHost: x\r\nA: ",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n",
    };
    char many[200];
    struct fixture f;

    (void)state;
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    start_with(&f, (struct server_config){.request_seconds = 1, .idle_seconds = 15});
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        int fd = wire_connect(f.port);
        struct wire_reply reply;
        double seconds;

        /* The first request of a connection, then a later one. */
        wire_send(fd, starts[i]);
        seconds = drip(fd, many);
        assert_true(seconds > 0.8 && seconds < 5);
        close(fd);
        fd = wire_connect(f.port);
        wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        reply = wire_expect(fd, 200);
        wire_reply_done(&reply);
        /* Silence between requests is not dripping. */
        assert_false(wire_is_closed(fd, 1600));
        wire_send(fd, starts[i]);
        seconds = drip(fd, many);
        assert_true(seconds > 0.8 && seconds < 5);
        close(fd);
    }
    stop(&f);
}

static void a_slow_reply_is_not_a_slow_request(void **state)
{
    struct fixture f;
    struct wire_reply reply;
    int fd;

    (void)state;
    start_with(&f, (struct server_config){.request_seconds = 1});
    fd = wire_connect(f.port);
    wire_send(fd, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_for_slow(&f, 1);
    assert_false(wire_is_closed(fd, 1600));
    open_gate(&f);
    reply = wire_expect(fd, 200);
    assert_string_equal(reply.body, "slow\n");
    wire_reply_done(&reply);
    close(fd);
    stop(&f);
}

static void silent_clients_are_cut_off(void **state)
{
    static const char *const starts[] = {"", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"};
    struct fixture f;

    (void)state;
    start_with(&f, (struct server_config){.idle_seconds = 1});
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        int fd = wire_connect(f.port);

        wire_send(fd, starts[i]);
        if (i == 2) {
            struct wire_reply reply = wire_expect(fd, 200);

            wire_reply_done(&reply);
        }
        assert_false(wire_is_closed(fd, 500));
        assert_true(wire_is_closed(fd, 5000));
        close(fd);
    }
    stop(&f);
}

/* Connect and tell whether the server answers. */
static bool is_served(unsigned port, int *out_fd)
{
    struct wire_reply reply;
    char byte;

    *out_fd = wire_connect(port);
    (void)!send(*out_fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27, MSG_NOSIGNAL);
    if (recv(*out_fd, &byte, 1, MSG_PEEK) != 1)
        return false;
    reply = wire_expect(*out_fd, 200);
    wire_reply_done(&reply);
    return true;
}

static void connections_of_one_address_are_limited(void **state)
{
    struct fixture f;
    int fds[4];

    (void)state;
    start_with(&f, (struct server_config){.connections_per_address = 3});
    for (int i = 0; i < 3; i++)
        assert_true(is_served(f.port, &fds[i]));
    assert_false(is_served(f.port, &fds[3]));
    close(fds[3]);
    /* One that ends makes room, as soon as the server has seen its end. */
    close(fds[0]);
    for (int i = 0; !is_served(f.port, &fds[0]); i++) {
        assert_true(i < 1000);
        close(fds[0]);
    }
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    stop(&f);
}

static void a_trusted_proxy_has_as_many_as_it_likes(void **state)
{
    struct fixture f;
    struct wire_reply reply;
    int fds[5];
    char *log;

    (void)state;
    start_with(
        &f, (struct server_config){.connections_per_address = 1, .trusted_proxy = "127.0.0.0/8"});
    for (int i = 0; i < 5; i++)
        assert_true(is_served(f.port, &fds[i]));
    reply = wire_get(f.port, "/", "X-Forwarded-For: 203.0.113.7, 198.51.100.2\r\n", 200);
    wire_reply_done(&reply);
    for (int i = 0; i < 5; i++)
        close(fds[i]);
    server_stop(f.server);
    log = read_log(&f);
    assert_non_null(strstr(log, " client=198.51.100.2 "));
    assert_null(strstr(log, "203.0.113.7"));
    free(log);
    close(f.log.fd);
}

/* A request that server_stop must wait for. */
static void *ask_slow(void *arg)
{
    struct fixture *f = arg;
    struct wire_reply *reply = malloc(sizeof *reply);

    if (reply)
        *reply = wire_get(f->port, "/slow", "", 200);
    return reply;
}

static void *open_gate_soon(void *arg)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    open_gate(arg);
    return NULL;
}

static void stopping_finishes_what_is_under_way(void **state)
{
    struct fixture f;
    struct wire_reply *reply = NULL;
    pthread_t asker, opener;
    int idle;
    double start;

    (void)state;
    start_with(&f, (struct server_config){.listen = NULL});
    assert_true(is_served(f.port, &idle));
    assert_int_equal(pthread_create(&asker, NULL, ask_slow, &f), 0);
    wait_for_slow(&f, 1);
    assert_int_equal(pthread_create(&opener, NULL, open_gate_soon, &f), 0);
    start = seconds_now();
    server_stop(f.server);
    assert_true(seconds_now() - start > 0.2);
    pthread_join(opener, NULL);
    pthread_join(asker, (void **)&reply);
    assert_non_null(reply);
    assert_string_equal(reply->body, "slow\n");
    wire_assert_header(reply, "Connection", "close");
    wire_reply_done(reply);
    free(reply);
    assert_true(wire_is_closed(idle, 1000));
    close(idle);
    close(f.log.fd);
}

static void stopping_does_not_wait_for_idle_connections(void **state)
{
    struct fixture f;
    int fds[3];
    double start;

    (void)state;
    start_with(&f, (struct server_config){.listen = NULL});
    for (int i = 0; i < 3; i++)
        assert_true(is_served(f.port, &fds[i]));
    start = seconds_now();
    server_stop(f.server);
    assert_true(seconds_now() - start < 1.5);
    for (int i = 0; i < 3; i++) {
        assert_true(wire_is_closed(fds[i], 1000));
        close(fds[i]);
    }
    close(f.log.fd);
}

static void stopping_waits_two_seconds_at_most(void **state)
{
    struct fixture f;
    double start;
    int fd;

    (void)state;
    start_with(&f, (struct server_config){.listen = NULL});
    fd = wire_connect(f.port);
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                  "Expect: 100-continue\r\n\r\n");
    wire_reply_done(&(struct wire_reply){.head = NULL});
    start = seconds_now();
    {
        struct wire_reply reply = wire_expect(fd, 100);

        wire_reply_done(&reply);
    }
    server_stop(f.server);
    assert_true(seconds_now() - start > 1.5);
    assert_true(seconds_now() - start < 6);
    assert_true(wire_is_closed(fd, 1000));
    close(fd);
    close(f.log.fd);
}

static void addresses_that_cannot_be_had_are_told(void **state)
{
    static const struct {
        const char *listen;
        const char *proxy;
        enum err_code code;
        const char *text;
    } cases[] = {
        {"8080", NULL, ERR_INPUT,
         "8080 is not an address to listen at; write 127.0.0.1:8080, [::1]:8080 or :8080"},
        {"localhost:80", NULL, ERR_INPUT,
         "localhost:80 is not an address to listen at; write 127.0.0.1:8080, [::1]:8080 or :8080"},
        {"::1:80", NULL, ERR_INPUT,
         "::1:80 is not an address to listen at; write 127.0.0.1:8080, [::1]:8080 or :8080"},
        {":65536", NULL, ERR_INPUT, "the port of :65536: 65536 is above 65535"},
        {":", NULL, ERR_INPUT, "the port of :: a number is needed, and nothing is here"},
        {"203.0.113.1:0", NULL, ERR_IO,
         "cannot listen at 203.0.113.1:0: Cannot assign requested address"},
        {"127.0.0.1:0", "nginx", ERR_INPUT,
         "trusted proxy: nginx is not an IP address or CIDR block"},
    };
    struct fixture *f = *state;
    struct server *server = NULL;
    char taken[40], text[100];
    struct err e;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server_config config = {.listen = cases[i].listen, .trusted_proxy = cases[i].proxy};

        assert_int_equal(server_start(&config, &routes, NULL, &f->log, &server, &e), cases[i].code);
        assert_string_equal(e.text, cases[i].text);
        assert_null(server);
    }
    snprintf(taken, sizeof taken, "127.0.0.1:%u", f->port);
    snprintf(text, sizeof text, "cannot listen at %s: Address already in use", taken);
    assert_int_equal(
        server_start(&(struct server_config){.listen = taken}, &routes, NULL, &f->log, &server, &e),
        ERR_IO);
    assert_string_equal(e.text, text);
}

static void every_address_is_listened_at(void **state)
{
    struct fixture f;
    struct wire_reply reply;

    (void)state;
    start_with(&f, (struct server_config){.listen = ":0"});
    reply = wire_get(f.port, "/", "", 200);
    wire_reply_done(&reply);
    server_stop(f.server);
    close(f.log.fd);
}

/* Many requests from two threads at once, of every kind of answer. */
static void *hammer(void *arg)
{
    static const char requests[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
                                   "GET /hello/a HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n"
                                   "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"
                                   "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
                                   "GET /big HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n";
    static const int statuses[] = {200, 304, 404, 200, 200};
    const struct fixture *f = arg;

    for (int i = 0; i < 40; i++) {
        int fd = wire_connect(f->port);

        for (int j = 0; j < 10; j++) {
            wire_send(fd, requests);
            for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++) {
                struct wire_reply reply = wire_expect(fd, statuses[k]);

                wire_reply_done(&reply);
            }
        }
        close(fd);
    }
    return arg;
}

static void two_thousand_requests_of_two_clients_are_answered(void **state)
{
    struct fixture *f = *state;
    pthread_t other;
    void *result = NULL;

    assert_int_equal(pthread_create(&other, NULL, hammer, f), 0);
    assert_ptr_equal(hammer(f), f);
    pthread_join(other, &result);
    assert_ptr_equal(result, f);
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
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(thousands_of_parameters_are_answered),
        cmocka_unit_test(formats_are_negotiated),
        cmocka_unit_test(bodies_are_compressed_where_it_pays),
        cmocka_unit_test(a_compressed_copy_is_known_by_its_own_tag),
        cmocka_unit_test(bodies_are_taken),
        cmocka_unit_test(bodies_that_are_refused_leave_the_connection_in_step),
        cmocka_unit_test(a_client_that_asks_first_is_told),
        cmocka_unit_test(requests_in_a_row_are_answered_in_order),
        cmocka_unit_test(each_request_is_logged),
        cmocka_unit_test(clients_that_drip_are_cut_off),
        cmocka_unit_test(a_slow_reply_is_not_a_slow_request),
        cmocka_unit_test(silent_clients_are_cut_off),
        cmocka_unit_test(connections_of_one_address_are_limited),
        cmocka_unit_test(a_trusted_proxy_has_as_many_as_it_likes),
        cmocka_unit_test(stopping_finishes_what_is_under_way),
        cmocka_unit_test(stopping_does_not_wait_for_idle_connections),
        cmocka_unit_test(stopping_waits_two_seconds_at_most),
        cmocka_unit_test(addresses_that_cannot_be_had_are_told),
        cmocka_unit_test(every_address_is_listened_at),
        cmocka_unit_test(two_thousand_requests_of_two_clients_are_answered),
    };

    return cmocka_run_group_tests_name("protocol", tests, start_shared, stop_shared);
}
