/* Counters: what is noted by many threads at once is there in the end, to the last one. */
#include "server/metrics.h"

#include "tests/support/test.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, NOTES = 20000 };

static const struct http_endpoint endpoints[] = {{.path = "/a"}, {.path = "/b"}};
static const struct http_routes routes = {.endpoints = endpoints, .count = 2};

static void *note_many(void *arg)
{
    const struct metrics_request request = {
        .endpoint = &endpoints[1], .status = 200, .received = 1, .sent = 10, .duration_ns = 1000};

    for (int i = 0; i < NOTES; i++)
        metrics_note(arg, &request);
    return NULL;
}

static void expect_line(const struct metrics *m, const char *line, bool is_there)
{
    struct buf out;

    buf_init(&out, 1024 * 1024);
    metrics_write(m, &out);
    if ((strstr(buf_text(&out), line) != NULL) != is_there)
        fail_msg("%s is %s in %s", line, is_there ? "not" : "there", buf_text(&out));
    buf_done(&out);
}

static struct metrics *make(void)
{
    struct metrics *m = NULL;
    struct err e;

    assert_int_equal(metrics_new(&routes, &m, &e), ERR_OK);
    return m;
}

static void nothing_is_lost_between_threads(void **state)
{
    struct metrics *m = make();
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, note_many, m), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    expect_line(m, "openrecipes_http_requests_total{route=\"/b\",status=\"200\"} 80000\n", true);
    expect_line(m, "openrecipes_http_received_bytes_total 80000\n", true);
    expect_line(m, "openrecipes_http_sent_bytes_total 800000\n", true);
    expect_line(m, "_bucket{route=\"/b\",le=\"0.00005\"} 80000\n", true);
    expect_line(m, "_sum{route=\"/b\"} 0.080000000\n", true);
    expect_line(m, "route=\"/a\"", false);
    metrics_free(m);
}

static void what_fits_no_route_or_status_is_counted_too(void **state)
{
    const struct metrics_request odd = {.status = 299, .duration_ns = INT64_C(3600000000000)};
    const struct metrics_request none = {.status = 0, .duration_ns = 0};
    struct metrics *m = make();

    (void)state;
    metrics_note(m, &odd);
    metrics_note(m, &none);
    expect_line(m, "openrecipes_http_requests_total{route=\"none\",status=\"other\"} 2\n", true);
    expect_line(m, "_bucket{route=\"none\",le=\"10.0\"} 1\n", true);
    expect_line(m, "_bucket{route=\"none\",le=\"+Inf\"} 2\n", true);
    expect_line(m, "_sum{route=\"none\"} 3600.000000000\n", true);
    metrics_free(m);
}

static void connections_go_up_and_down(void **state)
{
    struct metrics *m = make();

    (void)state;
    metrics_note_connection(m, 1);
    metrics_note_connection(m, 1);
    metrics_note_connection(m, -1);
    expect_line(m, "openrecipes_http_connections 1\n", true);
    metrics_note_connection(NULL, 1);
    metrics_note(NULL, &(struct metrics_request){.status = 200});
    metrics_free(m);
    metrics_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_between_threads),
        cmocka_unit_test(what_fits_no_route_or_status_is_counted_too),
        cmocka_unit_test(connections_go_up_and_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
