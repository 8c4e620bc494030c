/* Replies from the cache: the same bytes as those that are made anew, and never old ones. */
#include "base/clock.h"
#include "server/server.h"
#include "tests/support/http_client.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the handlers below tell, and how often they were asked. */
struct facts {
    atomic_uint state;
    atomic_uint asked;
};

enum { LINES = 300, LINE_BYTES = 16 };

/* Lines that all have the same number: a torn reply would have two. */
static enum err_code handle_page(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    struct facts *facts = app;
    unsigned state = atomic_load(&facts->state);

    (void)q;
    (void)e;
    atomic_fetch_add(&facts->asked, 1);
    for (size_t i = 0; i < LINES; i++)
        buf_printf(http_reply_body(r), "state %09u\n", state);
    http_reply_link(r, "/page?n=1", "next");
    return ERR_OK;
}

static const struct http_param params[] = {
    {.name = "n", .kind = HTTP_PARAM_INT},
    {.name = "word", .kind = HTTP_PARAM_TEXT},
};

static const struct http_endpoint endpoints[] = {
    {.path = "/page",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT) | HTTP_BIT(HTTP_CSV),
     .first_format = HTTP_TEXT,
     .params = params,
     .param_count = 2,
     .handle = handle_page},
    {.path = "/now",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT),
     .first_format = HTTP_TEXT,
     .is_volatile = true,
     .handle = handle_page},
    {.path = "/private",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT),
     .first_format = HTTP_TEXT,
     .cache = HTTP_CACHE_NEVER,
     .handle = handle_page},
};

static const struct http_routes routes = {endpoints, sizeof endpoints / sizeof *endpoints, NULL};

/* A server of these routes with a cache. */
struct site {
    struct facts facts;
    struct log log;
    struct cache *cache;
    struct server *server;
    unsigned port;
};

static void start(struct site *site, size_t cache_bytes)
{
    struct server_config config = {.listen = "127.0.0.1:0", .threads = 4};
    struct err e;

    *site = (struct site){.log = {.fd = STDERR_FILENO}};
    assert_int_equal(cache_new(cache_bytes, &site->cache, &e), ERR_OK);
    config.cache = site->cache;
    if (server_start(&config, &routes, &site->facts, &site->log, &site->server, &e))
        fail_msg("%s", e.text);
    site->port = server_port(site->server);
}

static void stop(struct site *site)
{
    server_stop(site->server);
    cache_free(site->cache);
}

/* A head without the line of the date, which is of the moment. */
static void copy_head(const struct http_response *r, char *out, size_t size)
{
    size_t used = 0;

    for (const char *line = r->head; *line; line += strlen(line) + 1)
        if (strncmp(line, "Date:", 5) != 0)
            used += (size_t)snprintf(out + used, size - used, "%s\n", line);
    assert_true(used < size);
}

static void expect_same(const struct http_response *a, const struct http_response *b)
{
    char heads[2][2000];

    copy_head(a, heads[0], sizeof heads[0]);
    copy_head(b, heads[1], sizeof heads[1]);
    assert_string_equal(heads[0], heads[1]);
    assert_int_equal(a->len, b->len);
    if (a->len > 0)
        assert_memory_equal(a->body, b->body, a->len);
}

static void each_variant_is_the_same_from_the_cache(void **state)
{
    static const struct {
        const char *method;
        const char *target;
        const char *headers;
        int status;
        unsigned asked; /* of the handler, so far */
    } cases[] = {
        {"GET", "/page", NULL, 200, 1},
        {"HEAD", "/page", NULL, 200, 1},
        {"GET", "/page", "Accept: */*\r\n", 200, 1},
        {"GET", "/page", "If-None-Match: *\r\n", 304, 1},
        {"GET", "/page", "If-None-Match: \"other\"\r\n", 200, 1},
        {"GET", "/page", "X-Request-Id: mine\r\n", 200, 1},
        {"GET", "/page", "X-Request-Id: mine\r\nIf-None-Match: *\r\n", 304, 1},
        {"GET", "/page", "Accept-Encoding: gzip\r\n", 200, 2},
        {"HEAD", "/page", "Accept-Encoding: gzip\r\n", 200, 2},
        {"GET", "/page", "Accept-Encoding: gzip;q=0\r\n", 200, 2},
        {"GET", "/page", "Accept: text/csv\r\n", 200, 3},
        {"GET", "/page.csv", NULL, 200, 4},
        {"GET", "/page?n=1&word=a", NULL, 200, 5},
        {"GET", "/page?word=a&n=1", NULL, 200, 5},
        {"GET", "/page?word=b&n=1", NULL, 200, 6},
    };
    struct site site;

    (void)state;
    start(&site, 1000000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_response replies[2];
        struct http_client c;

        http_client_init(&c, site.port);
        for (size_t j = 0; j < 2; j++) {
            assert_int_equal(http_client_send(&c, cases[i].method, cases[i].target,
                                              cases[i].headers, NULL, 0, &replies[j]),
                             cases[i].status);
            assert_false(replies[j].is_closed);
            assert_int_equal(atomic_load(&site.facts.asked), cases[i].asked);
        }
        expect_same(&replies[0], &replies[1]);
        assert_non_null(http_response_header(&replies[1], "ETag"));
        assert_string_equal(http_response_header(&replies[1], "Link"), "</page?n=1>; rel=\"next\"");
        if (cases[i].headers && strncmp(cases[i].headers, "X-Request-Id", 12) == 0)
            assert_string_equal(http_response_header(&replies[1], "X-Request-Id"), "mine");
        else
            assert_null(http_response_header(&replies[1], "X-Request-Id"));
        http_response_done(&replies[0]);
        http_response_done(&replies[1]);
        http_client_done(&c);
    }
    stop(&site);
}

static void what_is_of_the_moment_is_made_anew(void **state)
{
    static const char *const targets[] = {"/now", "/private", "/page?n=x", "/nothing", "/page/"};
    struct site site;

    (void)state;
    start(&site, 1000000);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (size_t j = 0; j < 2; j++) {
            struct http_response r;

            (void)http_get(site.port, targets[i], NULL, &r);
            http_response_done(&r);
        }
    assert_int_equal(atomic_load(&site.facts.asked), 4);
    assert_int_equal(cache_count(site.cache).entries, 0);
    stop(&site);
}

static void a_request_with_a_body_is_refused_as_ever(void **state)
{
    struct http_response r;
    struct site site;

    (void)state;
    start(&site, 1000000);
    assert_int_equal(http_get(site.port, "/page", NULL, &r), 200);
    http_response_done(&r);
    assert_int_equal(http_get(site.port, "/page", "Content-Length: 0\r\n", &r), 200);
    http_response_done(&r);
    {
        struct http_client c;

        http_client_init(&c, site.port);
        assert_int_equal(http_client_send(&c, "GET", "/page", NULL, "x", 1, &r), 413);
        http_response_done(&r);
        http_client_done(&c);
    }
    stop(&site);
}

/* One client of several, and what it saw. */
struct reader {
    struct site *site;
    pthread_t thread;
    unsigned index;
    unsigned torn;
    unsigned old;
};

enum { READERS = 4, REQUESTS = 300, CHANGES = 100 };

static unsigned state_of(const char *line)
{
    return (unsigned)strtoul(line + 6, NULL, 10);
}

/* Ask again and again: what comes must be whole, and no older than what was true before asking. */
static void *read_pages(void *context)
{
    struct reader *reader = context;
    struct http_client c;

    http_client_init(&c, reader->site->port);
    for (unsigned i = 0; i < REQUESTS; i++) {
        unsigned least = (unsigned)cache_generation(reader->site->cache);
        struct http_response r;
        char target[40];

        (void)snprintf(target, sizeof target, "/page?n=%u", (reader->index + i) % 40);
        (void)http_client_send(&c, "GET", target, NULL, NULL, 0, &r);
        if (r.status != 200 || r.len != LINES * LINE_BYTES ||
            memcmp(r.body, r.body + r.len - LINE_BYTES, LINE_BYTES) != 0)
            reader->torn++;
        else if (state_of(r.body) < least)
            reader->old++;
        http_response_done(&r);
    }
    http_client_done(&c);
    return NULL;
}

/* The state changes first, then the cache is cleared: whoever sees the new generation must never
 * get an older state again. The cache is so small that it evicts all the time. */
static void replies_under_change_are_whole_and_never_older_than_the_cache(void **state)
{
    struct reader readers[READERS];
    struct site site;

    (void)state;
    start(&site, 10 * (LINES * LINE_BYTES + 2048 + 100));
    for (unsigned i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.site = &site, .index = i * 7};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_pages, &readers[i]), 0);
    }
    for (unsigned i = 0; i < CHANGES; i++) {
        struct http_response r;

        atomic_fetch_add(&site.facts.state, 1);
        cache_clear(site.cache);
        (void)http_get(site.port, "/page", NULL, &r);
        assert_int_equal(state_of(r.body), i + 1);
        http_response_done(&r);
    }
    for (unsigned i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        assert_int_equal(readers[i].torn, 0);
        assert_int_equal(readers[i].old, 0);
    }
    assert_true(cache_count(site.cache).evictions > 0);
    stop(&site);
}

static bool lists(const struct service *s, const char *recipe)
{
    struct http_response r;
    bool is_there;

    assert_int_equal(http_get(s->port, "/models/qwen3.5-397b-a17b/b200.csv?limit=50", NULL, &r),
                     200);
    is_there = strstr(r.body, recipe) != NULL;
    http_response_done(&r);
    return is_there;
}

static void an_import_by_another_process_shows_up(void **state)
{
    static const char recipe[] = "attune-48gpu-tp2-pp6-ep8";
    static const char *const first[] = {
        "catalog", "recipes/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k.yaml", NULL};
    static const char *const all[] = {"recipes", NULL};
    struct service s;
    int64_t end_ns;

    (void)state;
    service_start(&s, &(struct service_options){.paths = first});
    assert_false(lists(&s, recipe));
    assert_false(lists(&s, recipe));
    service_import(&s, all);
    end_ns = clock_steady_ns() + PROCESS_SECONDS * INT64_C(1000000000);
    while (!lists(&s, recipe) && clock_steady_ns() < end_ns)
        continue;
    assert_true(lists(&s, recipe));
    service_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_variant_is_the_same_from_the_cache),
        cmocka_unit_test(what_is_of_the_moment_is_made_anew),
        cmocka_unit_test(a_request_with_a_body_is_refused_as_ever),
        cmocka_unit_test(replies_under_change_are_whole_and_never_older_than_the_cache),
        cmocka_unit_test(an_import_by_another_process_shows_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
