/* What goes through the server: sizes that are limited, representations that are negotiated and
 * compressed, bodies that are taken or refused. */
#include "tests/support/toy_server.h"
#include "tests/support/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

static void sizes_are_limited(void **state)
{
    struct toy *f = *state;
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
    fd = wire_connect(f->port);
    wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\n");
    wire_send(fd, text);
    wire_send(fd, "\r\n");
    reply = wire_expect(fd, 200);
    wire_reply_done(&reply);
    wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < 60; i++)
        wire_send(fd, "B: some\r\n");
    wire_send(fd, text);
    wire_send(fd, "\r\n");
    reply = wire_expect(fd, 431);
    assert_non_null(strstr(reply.body, "\"/problems/headers-too-large\""));
    wire_assert_header(&reply, "Connection", "close");
    wire_reply_done(&reply);
    close(fd);
    fd = wire_connect(f->port);
    wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < 100; i++)
        wire_send(fd, "A: b\r\n");
    wire_send(fd, "\r\n");
    reply = wire_expect(fd, 431);
    wire_reply_done(&reply);
    close(fd);
    free(text);
}

/* Target, head and the reply's Location share the memory of a connection. */
static void the_longest_head_gets_the_longest_reply(void **state)
{
    struct toy *f = *state;
    char target[8192 + 1] = "/hello/";
    char line[200] = "X-00: ";
    struct wire_reply reply;
    char location[8192 + 16];
    int fd = wire_connect(f->port);

    memset(target + strlen(target), 'x', sizeof target - 1 - strlen(target));
    target[sizeof target - 2] = '/';
    memset(line + 6, 'y', 159);
    strcpy(line + 6 + 159, "\r\n");
    wire_send(fd, "GET ");
    wire_send(fd, target);
    wire_send(fd, " HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < 98; i++)
        wire_send(fd, line);
    wire_send(fd, "\r\n");
    reply = wire_expect(fd, 308);
    target[sizeof target - 2] = '\0'; /* Without its slash. */
    (void)snprintf(location, sizeof location, "\r\nLocation: %s\r\n", target); /* Fits. */
    assert_non_null(strstr(reply.head, location));
    wire_reply_done(&reply);
    close(fd);
}

/* The library would keep each parameter, and give no answer at all where they do not fit. */
static void thousands_of_parameters_are_answered(void **state)
{
    struct toy *f = *state;
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
    struct toy *f = *state;

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
    struct toy *f = *state;
    struct wire_reply plain = wire_get(f->port, "/big", "", 200);
    struct wire_reply packed = wire_get(f->port, "/big", "Accept-Encoding: gzip\r\n", 200);
    struct wire_reply small = wire_get(f->port, "/", "Accept-Encoding: gzip\r\n", 200);
    struct wire_reply refused = wire_get(f->port, "/big", "Accept-Encoding: gzip;q=0\r\n", 200);
    unsigned char *out = malloc(TOY_BIG_BYTES + 1);
    z_stream stream = {.next_in = (unsigned char *)packed.body,
                       .avail_in = (uInt)packed.len,
                       .next_out = out,
                       .avail_out = TOY_BIG_BYTES + 1};
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
    struct toy *f = *state;
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
    struct toy *f = *state;
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
    struct toy *f = *state;
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

static void a_long_body_of_unknown_length_is_refused_with_words(void **state)
{
    enum { CHUNK = 65536, CHUNKS = 80 };
    struct toy *f = *state;
    char *chunk = calloc(1, CHUNK);
    int fd = wire_connect(f->port);
    struct wire_reply reply;

    assert_non_null(chunk);
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < CHUNKS; i++) {
        wire_send(fd, "10000\r\n");
        wire_send_bytes(fd, chunk, CHUNK);
        wire_send(fd, "\r\n");
    }
    wire_send(fd, "0\r\n\r\n");
    reply = wire_expect(fd, 413);
    assert_non_null(strstr(reply.body, "the body is longer than 1000 bytes"));
    wire_reply_done(&reply);
    close(fd);
    free(chunk);
}

static void a_client_that_asks_first_is_told(void **state)
{
    struct toy *f = *state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(the_longest_head_gets_the_longest_reply),
        cmocka_unit_test(thousands_of_parameters_are_answered),
        cmocka_unit_test(formats_are_negotiated),
        cmocka_unit_test(bodies_are_compressed_where_it_pays),
        cmocka_unit_test(a_compressed_copy_is_known_by_its_own_tag),
        cmocka_unit_test(bodies_are_taken),
        cmocka_unit_test(bodies_that_are_refused_leave_the_connection_in_step),
        cmocka_unit_test(a_long_body_of_unknown_length_is_refused_with_words),
        cmocka_unit_test(a_client_that_asks_first_is_told),
    };

    return cmocka_run_group_tests_name("transfer", tests, toy_start_shared, toy_stop_shared);
}
