/* Connections over time: limits, clients that are slow, silent or many, and the end of a server. */
#include "tests/support/toy_server.h"
#include "tests/support/wire.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Connect and tell whether the server answers. */
static bool is_served(unsigned port, int *out_fd)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    struct wire_reply reply;
    char byte;

    *out_fd = wire_connect(port);
    /* A server that refuses the connection may have closed it by now. */
    if (send(*out_fd, request, sizeof request - 1, MSG_NOSIGNAL) < 0)
        return false;
    if (recv(*out_fd, &byte, 1, MSG_PEEK) != 1)
        return false;
    reply = wire_expect(*out_fd, 200);
    wire_reply_done(&reply);
    return true;
}

/* Send a byte now and then until the server hangs up; tells after how many seconds it did. */
static double drip(int fd, const char *start_bytes)
{
    double start = seconds_now();

    wire_send(fd, start_bytes);
    while (seconds_now() - start < 20)
        if (send(fd, "x", 1, MSG_NOSIGNAL) != 1 || wire_is_closed(fd, 100))
            return seconds_now() - start;
    fail_msg("the server takes bytes for ever");
    return 0;
}

static void expect_cut(int fd, const char *start_bytes)
{
    double seconds = drip(fd, start_bytes);

    assert_true(seconds > 0.8 && seconds < 5);
    close(fd);
}

static void clients_that_drip_are_cut_off(void **state)
{
    static const char *const starts[] = {
        "",
        "GET / HTTP/1.1\r\nHost: x\r\nA: ",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n",
    };
    enum { COUNT = sizeof starts / sizeof *starts };
    struct toy f;
    int used[COUNT];

    (void)state;
    toy_start(&f, (struct server_config){.request_seconds = 1, .idle_seconds = 60});
    for (int i = 0; i < COUNT; i++)
        assert_true(is_served(f.port, &used[i]));
    /* As the first request of a connection, and as a later one: silence before is no dripping. */
    for (int i = 0; i < COUNT; i++)
        expect_cut(wire_connect(f.port), starts[i]);
    for (int i = 0; i < COUNT; i++)
        expect_cut(used[i], starts[i]);
    toy_stop(&f);
}

static void a_slow_reply_is_not_a_slow_request(void **state)
{
    struct toy f;
    struct wire_reply reply;
    int fd;

    (void)state;
    toy_start(&f, (struct server_config){.request_seconds = 1});
    fd = wire_connect(f.port);
    wire_send(fd, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    toy_wait_for_slow(&f, 1);
    assert_false(wire_is_closed(fd, 1600));
    toy_open_gate(&f);
    reply = wire_expect(fd, 200);
    assert_string_equal(reply.body, "slow\n");
    wire_reply_done(&reply);
    close(fd);
    toy_stop(&f);
}

static void silent_clients_are_cut_off(void **state)
{
    struct toy f;
    int fds[3];
    double start;

    (void)state;
    toy_start(&f, (struct server_config){.idle_seconds = 1});
    start = seconds_now();
    fds[0] = wire_connect(f.port);
    fds[1] = wire_connect(f.port);
    wire_send(fds[1], "GET / HT");
    assert_true(is_served(f.port, &fds[2]));
    for (int i = 0; i < 3; i++)
        assert_true(wire_is_closed(fds[i], 5000));
    assert_true(seconds_now() - start > 0.8);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    toy_stop(&f);
}

static void connections_of_one_address_are_limited(void **state)
{
    struct toy f;
    int fds[4];

    (void)state;
    toy_start(&f, (struct server_config){.connections_per_address = 3});
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
    toy_stop(&f);
}

static void a_trusted_proxy_has_as_many_as_it_likes(void **state)
{
    struct toy f;
    struct wire_reply reply;
    int fds[5];
    char *log;

    (void)state;
    toy_start(&f,
              (struct server_config){.connections_per_address = 1, .trusted_proxy = "127.0.0.0/8"});
    for (int i = 0; i < 5; i++)
        assert_true(is_served(f.port, &fds[i]));
    reply = wire_get(f.port, "/", "X-Forwarded-For: 203.0.113.7, 198.51.100.2\r\n", 200);
    wire_reply_done(&reply);
    for (int i = 0; i < 5; i++)
        close(fds[i]);
    server_stop(f.server);
    log = toy_read_log(&f);
    assert_non_null(strstr(log, " client=198.51.100.2 "));
    assert_null(strstr(log, "203.0.113.7"));
    free(log);
    close(f.log.fd);
}

/* A request that server_stop must wait for. */
static void *ask_slow(void *arg)
{
    struct toy *f = arg;
    struct wire_reply *reply = malloc(sizeof *reply);

    if (reply)
        *reply = wire_get(f->port, "/slow", "", 200);
    return reply;
}

static void *stop_server(void *arg)
{
    server_stop(arg);
    return NULL;
}

/* Ask again and again until a reply says that the server is about to stop. */
static void wait_for_stop(int fd)
{
    double start = seconds_now();
    char value[1024];
    bool is_stopping = false;

    while (!is_stopping) {
        struct wire_reply reply;

        assert_true(seconds_now() - start < 20);
        wire_send(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        reply = wire_expect(fd, 200);
        is_stopping = wire_header(&reply, "Connection", value);
        wire_reply_done(&reply);
    }
    assert_string_equal(value, "close");
    assert_true(wire_is_closed(fd, 5000));
}

static void stopping_finishes_what_is_under_way(void **state)
{
    struct toy f;
    struct wire_reply *reply = NULL;
    pthread_t asker, stopper;
    int other;

    (void)state;
    toy_start(&f, (struct server_config){.listen = NULL});
    assert_int_equal(pthread_create(&asker, NULL, ask_slow, &f), 0);
    toy_wait_for_slow(&f, 1);
    assert_true(is_served(f.port, &other));
    assert_int_equal(pthread_create(&stopper, NULL, stop_server, f.server), 0);
    wait_for_stop(other);
    toy_open_gate(&f);
    pthread_join(asker, (void **)&reply);
    assert_non_null(reply);
    assert_string_equal(reply->body, "slow\n");
    wire_assert_header(reply, "Connection", "close");
    pthread_join(stopper, NULL);
    wire_reply_done(reply);
    free(reply);
    close(other);
    close(f.log.fd);
}

static void stopping_does_not_wait_for_idle_connections(void **state)
{
    struct toy f;
    int fds[3];
    double start;

    (void)state;
    toy_start(&f, (struct server_config){.listen = NULL});
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
    struct toy f;
    struct wire_reply reply;
    double start;
    int fd;

    (void)state;
    toy_start(&f, (struct server_config){.listen = NULL});
    fd = wire_connect(f.port);
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                  "Expect: 100-continue\r\n\r\n");
    reply = wire_expect(fd, 100);
    wire_reply_done(&reply);
    start = seconds_now();
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
    struct toy *f = *state;
    struct server *server = NULL;
    char taken[40], text[100];
    struct err e;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server_config config = {.listen = cases[i].listen, .trusted_proxy = cases[i].proxy};

        assert_int_equal(server_start(&config, &toy_routes, NULL, &f->log, &server, &e),
                         cases[i].code);
        assert_string_equal(e.text, cases[i].text);
        assert_null(server);
    }
    snprintf(taken, sizeof taken, "127.0.0.1:%u", f->port);
    snprintf(text, sizeof text, "cannot listen at %s: Address already in use", taken);
    assert_int_equal(server_start(&(struct server_config){.listen = taken}, &toy_routes, NULL,
                                  &f->log, &server, &e),
                     ERR_IO);
    assert_string_equal(e.text, text);
}

static void every_address_is_listened_at(void **state)
{
    struct toy f;
    struct wire_reply reply;

    (void)state;
    toy_start(&f, (struct server_config){.listen = ":0"});
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
    const struct toy *f = arg;

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
    struct toy *f = *state;
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

    return cmocka_run_group_tests_name("connections", tests, toy_start_shared, toy_stop_shared);
}
