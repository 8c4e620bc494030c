/* Requests and their answers without a socket: statuses, headers, bodies and log lines. */
#include "server/exchange.h"
#include "server/limits.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the handler of this test does, by the path's argument. */
static enum err_code handle_fail(const struct http_request *q, struct http_reply *r, void *app,
                                 struct err *e)
{
    const char *how = http_arg(q, "how");

    (void)app;
    buf_puts(http_reply_body(r), "half a reply");
    http_reply_link(r, "/x", "next");
    if (strcmp(how, "bug") == 0)
        return err_bug(e, "SELECT secret FROM /var/lib");
    for (int code = ERR_INPUT; code < ERR_BUG; code++)
        if (strcmp(how, err_kind((enum err_code)code)->name) == 0)
            return err_set(e, (enum err_code)code, "text of %s", how);
    return ERR_OK;
}

static enum err_code handle_misuse(const struct http_request *q, struct http_reply *r, void *app,
                                   struct err *e)
{
    const char *how = http_arg(q, "how");

    (void)app;
    (void)e;
    if (strcmp(how, "redirect-out") == 0)
        http_reply_redirect(r, "//evil.example/");
    if (strcmp(how, "redirect-relative") == 0)
        http_reply_redirect(r, "models");
    if (strcmp(how, "redirect-line") == 0)
        http_reply_redirect(r, "/a\r\nSet-Cookie:");
    if (strcmp(how, "link-line") == 0)
        http_reply_link(r, "/a>\r\n", "next");
    if (strcmp(how, "filename") == 0)
        http_reply_filename(r, "a\"b");
    for (int i = 0; strcmp(how, "links") == 0 && i <= HTTP_LINKS; i++)
        http_reply_link(r, "/a", "next");
    for (int i = 0; strcmp(how, "long") == 0 && i < 33; i++) {
        static const char block[1024 * 1024];

        buf_add(http_reply_body(r), block, sizeof block);
    }
    return ERR_OK;
}

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

static enum err_code handle_cached(const struct http_request *q, struct http_reply *r, void *app,
                                   struct err *e)
{
    const char *how = http_arg(q, "how");

    (void)app;
    (void)e;
    if (strcmp(how, "never") == 0)
        http_reply_cache(r, HTTP_CACHE_NEVER);
    if (strcmp(how, "immutable") == 0)
        http_reply_cache(r, HTTP_CACHE_IMMUTABLE);
    if (strcmp(how, "unready") == 0)
        http_reply_status(r, 503);
    if (strcmp(how, "moved") == 0)
        http_reply_redirect(r, "/new/place%20here");
    return ERR_OK;
}

static enum err_code handle_issues(const struct http_request *q, struct http_reply *r, void *app,
                                   struct err *e)
{
    const char *const near[] = {"h100", NULL};

    (void)q;
    (void)app;
    http_reply_issue(r, "gpu", "there is no GPU h10", near, near);
    return err_set(e, ERR_NOT_FOUND, "there is no GPU h10");
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
    {.name = "list", .kind = HTTP_PARAM_TEXT, .is_list = true},
};

static const char *const yaml[] = {"application/yaml", "text/yaml", NULL};

#define JSON HTTP_BIT(HTTP_JSON)

static const struct http_endpoint endpoints[] = {
    {.path = "/fail/{how}", .methods = HTTP_GET, .formats = JSON, .handle = handle_fail},
    {.path = "/misuse/{how}", .methods = HTTP_GET, .formats = JSON, .handle = handle_misuse},
    {.path = "/good",
     .methods = HTTP_GET,
     .formats = JSON | HTTP_BIT(HTTP_HTML),
     .handle = handle_good},
    {.path = "/cached/{how}", .methods = HTTP_GET, .formats = JSON, .handle = handle_cached},
    {.path = "/issues", .methods = HTTP_GET, .formats = JSON, .handle = handle_issues},
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

static const struct http_routes routes = {endpoints, sizeof endpoints / sizeof *endpoints};

/* One exchange, and what it wrote into the log. */
struct talk {
    struct log log;
    struct exchange_site site;
    struct exchange exchange;
    struct http_answer answer;
    char logged[LOG_LINE_BYTES * 2];
};

/* Start an exchange with header lines of the form name, value, ..., NULL. */
static bool begin(struct talk *t, const char *method, const char *target, const char *const *lines)
{
    static const struct net_address peer = {{[10] = 0xFF, [11] = 0xFF, [12] = 192, [15] = 1}};

    *t = (struct talk){.site = {.routes = &routes, .id_seed = 42}};
    t->log = (struct log){.fd = memfd_create("log", MFD_CLOEXEC), .has_access = true};
    assert_true(t->log.fd >= 0);
    t->site.log = &t->log;
    exchange_init(&t->exchange, &t->site, &peer);
    exchange_field(&t->exchange, "Host", "x");
    for (; lines && *lines; lines += 2)
        exchange_field(&t->exchange, lines[0], lines[1]);
    return exchange_judge(&t->exchange, method, target, true);
}

static void answer(struct talk *t)
{
    struct err e;
    ssize_t len;

    assert_int_equal(exchange_answer(&t->exchange, &t->answer, &e), ERR_OK);
    exchange_log(&t->exchange);
    len = pread(t->log.fd, t->logged, sizeof t->logged - 1, 0);
    assert_true(len >= 0);
    t->logged[len] = '\0';
}

static void end(struct talk *t)
{
    http_answer_done(&t->answer);
    exchange_done(&t->exchange);
    close(t->log.fd);
}

static void ask(struct talk *t, const char *method, const char *target, const char *const *lines)
{
    assert_false(begin(t, method, target, lines));
    answer(t);
}

static void get(struct talk *t, const char *target)
{
    ask(t, "GET", target, NULL);
}

static const char *header(const struct talk *t, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < t->answer.header_count; i++)
        if (strcmp(t->answer.headers[i].name, name) == 0) {
            assert_null(value);
            value = t->answer.headers[i].value;
        }
    return value;
}

static void expect_header(const struct talk *t, const char *name, const char *value)
{
    if (!value)
        assert_null(header(t, name));
    else {
        assert_non_null(header(t, name));
        assert_string_equal(header(t, name), value);
    }
}

static void expect_body(const struct talk *t, const char *text)
{
    assert_int_equal(t->answer.body_len, strlen(text));
    assert_memory_equal(t->answer.body ? t->answer.body : "", text, strlen(text));
}

static void expect_in_body(const struct talk *t, const char *text)
{
    assert_non_null(t->answer.body);
    if (!strstr(t->answer.body, text))
        fail_msg("no %s in %s", text, t->answer.body);
}

static void a_good_reply_has_its_headers(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/good");
    assert_int_equal(t.exchange.status, 200);
    expect_header(&t, "Content-Type", "application/json");
    expect_header(&t, "Cache-Control", "public, max-age=60, stale-while-revalidate=600");
    expect_header(&t, "Vary", "Accept, Accept-Encoding");
    expect_header(&t, "Access-Control-Allow-Origin", "*");
    expect_header(&t, "Access-Control-Expose-Headers",
                  "Allow, Content-Disposition, ETag, Link, Retry-After, X-Request-Id");
    expect_header(&t, "X-Content-Type-Options", "nosniff");
    expect_header(&t, "ETag", "\"770e607624d689265ca6c44884d0807d-json\"");
    expect_header(&t, "Link", "</good?cursor=1>; rel=\"next\", </>; rel=\"index\"");
    expect_header(&t, "Content-Disposition", "inline; filename=\"good.txt\"");
    expect_header(&t, "Content-Encoding", NULL);
    expect_header(&t, "X-Request-Id", NULL);
    expect_header(&t, "Content-Security-Policy", NULL);
    assert_int_equal(t.answer.header_count, 9);
    expect_body(&t, "good");
    end(&t);
}

static void html_has_a_policy(void **state)
{
    static const char *const lines[] = {"Accept", "text/html", NULL};
    struct talk t;

    (void)state;
    ask(&t, "GET", "/good", lines);
    expect_header(&t, "Content-Type", "text/html; charset=utf-8");
    expect_header(&t, "Content-Security-Policy",
                  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                  "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                  "frame-ancestors 'none'");
    expect_body(&t, "<p>good");
    end(&t);
}

static void how_long_it_is_kept_is_said(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/cached/never");
    expect_header(&t, "Cache-Control", "no-store");
    expect_header(&t, "ETag", NULL);
    end(&t);
    get(&t, "/cached/immutable");
    expect_header(&t, "Cache-Control", "public, max-age=31536000, immutable");
    expect_header(&t, "ETag", "\"e3b0c44298fc1c149afbf4c8996fb924-json\"");
    end(&t);
    get(&t, "/cached/unready");
    assert_int_equal(t.exchange.status, 503);
    expect_header(&t, "Cache-Control", "no-store");
    expect_header(&t, "ETag", NULL);
    expect_header(&t, "X-Request-Id", t.exchange.request.id);
    end(&t);
}

static void a_redirect_keeps_the_query(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/cached/moved");
    assert_int_equal(t.exchange.status, 308);
    expect_header(&t, "Location", "/new/place%20here");
    expect_header(&t, "Content-Type", NULL);
    expect_header(&t, "ETag", NULL);
    expect_header(&t, "Cache-Control", "public, max-age=60, stale-while-revalidate=600");
    expect_body(&t, "");
    end(&t);
    get(&t, "/good/?a=%20&b=\xC3\xA9");
    assert_int_equal(t.exchange.status, 308);
    expect_header(&t, "Location", "/good?a=%20&b=%C3%A9");
    end(&t);
}

static void each_error_code_has_its_status(void **state)
{
    static const struct {
        const char *name;
        int status;
    } cases[] = {
        {"invalid-input", 400}, {"not-found", 404}, {"gone", 410},     {"conflict", 409},
        {"too-large", 413},     {"busy", 503},      {"upstream", 502}, {"out-of-memory", 503},
        {"storage", 503},       {"corrupt", 500},   {"internal", 500},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_ours = cases[i].status >= 500;
        bool is_bug = strcmp(cases[i].name, "internal") == 0;
        char target[64], text[128];
        struct talk t;

        snprintf(target, sizeof target, "/fail/%s", is_bug ? "bug" : cases[i].name);
        get(&t, target);
        assert_int_equal(t.exchange.status, cases[i].status);
        snprintf(text, sizeof text, "{\"type\":\"/problems/%s\",", cases[i].name);
        assert_int_equal(strncmp(t.answer.body, text, strlen(text)), 0);
        snprintf(text, sizeof text, "\"detail\":\"text of %s\"", cases[i].name);
        if (is_ours)
            strcpy(text, "\"detail\":\"The request is not at fault. ");
        expect_in_body(&t, text);
        assert_null(strstr(t.answer.body, "half a reply"));
        expect_header(&t, "Content-Type", "application/problem+json");
        expect_header(&t, "Cache-Control", "no-store");
        expect_header(&t, "Link", NULL);
        expect_header(&t, "ETag", NULL);
        expect_header(&t, "X-Request-Id", t.exchange.request.id);
        expect_header(&t, "Retry-After", cases[i].status == 503 ? "1" : NULL);
        assert_int_equal(strstr(t.logged, "level=error") != NULL, is_ours);
        end(&t);
    }
}

static void what_failed_is_logged_and_not_told(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/fail/bug");
    assert_null(strstr(t.answer.body, "SELECT"));
    assert_null(strstr(t.answer.body, "/var/lib"));
    assert_non_null(strstr(t.logged, " level=error event=request_failed id="));
    assert_non_null(strstr(t.logged, " code=internal text=\"SELECT secret FROM /var/lib\" "
                                     "file=tests/unit/test_server_exchange.c line="));
    end(&t);
}

static void misuse_is_a_bug_and_not_a_header(void **state)
{
    static const char *const cases[] = {
        "redirect-out", "redirect-relative", "redirect-line", "link-line", "filename", "links",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char target[64];
        struct talk t;

        snprintf(target, sizeof target, "/misuse/%s", cases[i]);
        get(&t, target);
        assert_int_equal(t.exchange.status, 500);
        expect_header(&t, "Location", NULL);
        expect_header(&t, "Link", NULL);
        assert_non_null(strstr(t.logged, " code=internal "));
        assert_non_null(strstr(t.logged, "file=server/reply.c"));
        end(&t);
    }
}

static void a_reply_that_is_too_long_is_the_clients_to_shorten(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/misuse/long");
    assert_int_equal(t.exchange.status, 400);
    expect_in_body(&t, "the reply would be longer than 33554432 bytes; ask for less");
    end(&t);
}

static void a_handlers_issues_are_listed(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/issues");
    assert_int_equal(t.exchange.status, 404);
    expect_in_body(&t, "\"errors\":[{\"parameter\":\"gpu\",\"detail\":\"there is no GPU h10\","
                       "\"allowed\":[\"h100\"],\"did_you_mean\":[\"h100\"]}]}\n");
    end(&t);
}

static void values_reach_the_handler(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/values?list=a,b%2Cc&n=12");
    expect_body(&t, "/values?list=a,b%2Cc&n=12 12 a a b,c <list <n.");
    end(&t);
    get(&t, "http://example.org/values?n=none");
    expect_body(&t, "/values?n=none -7  <n.");
    end(&t);
    get(&t, "/values.json");
    expect_body(&t, "/values.json? -7 .");
    end(&t);
}

static void unknown_parameters_are_told_apart_from_bad_ones(void **state)
{
    struct talk t;

    (void)state;
    get(&t, "/values?lists=a");
    assert_int_equal(t.exchange.status, 400);
    expect_in_body(&t, "{\"type\":\"/problems/unknown-parameter\",");
    expect_in_body(&t, "\"errors\":[{\"parameter\":\"lists\",\"detail\":\"there is no such "
                       "parameter here\",\"allowed\":[\"n\",\"list\"],"
                       "\"did_you_mean\":[\"list\"]}]}\n");
    end(&t);
    get(&t, "/values?n=x");
    expect_in_body(&t, "{\"type\":\"/problems/invalid-parameter\",");
    end(&t);
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

        ask(&t, "GET", "/good", lines);
        expect_header(&t, "X-Request-Id", t.exchange.request.id);
        assert_int_equal(strcmp(t.exchange.request.id, cases[i].id) == 0, cases[i].is_taken);
        if (!cases[i].is_taken)
            assert_int_equal(strlen(t.exchange.request.id), 16);
        end(&t);
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

static void a_body_is_kept_up_to_its_limit(void **state)
{
    static const char *const lines[] = {"Content-Length", "10", NULL};
    struct talk t;

    (void)state;
    assert_false(begin(&t, "POST", "/body", lines));
    assert_true(exchange_body(&t.exchange, "01234", 5));
    assert_true(exchange_body(&t.exchange, "\0abc\n", 5));
    answer(&t);
    assert_int_equal(t.exchange.status, 200);
    assert_int_equal(t.answer.body_len, 10);
    assert_memory_equal(t.answer.body, "01234\0abc\n", 10);
    expect_header(&t, "Cache-Control", "no-store");
    expect_header(&t, "ETag", NULL);
    end(&t);
}

static void a_body_that_is_too_long_is_thrown_away(void **state)
{
    static const char *const chunked[] = {"Transfer-Encoding", "chunked", NULL};
    static const char *const declared[] = {"Content-Length", "11", NULL};
    static const char block[4096];
    struct talk t;
    size_t sent = 0;

    (void)state;
    assert_false(begin(&t, "POST", "/body", declared));
    assert_true(exchange_body(&t.exchange, block, 11));
    answer(&t);
    assert_int_equal(t.exchange.status, 413);
    expect_in_body(&t, "\"detail\":\"the body is longer than 10 bytes\"");
    end(&t);

    assert_false(begin(&t, "POST", "/body", chunked));
    while (exchange_body(&t.exchange, block, sizeof block))
        sent += sizeof block;
    assert_int_equal(sent, HTTP_DRAIN_BYTES);
    assert_int_equal(t.exchange.request.body.len, 0);
    answer(&t);
    assert_int_equal(t.exchange.status, 413);
    end(&t);
}

static void a_body_where_none_belongs_is_refused(void **state)
{
    static const char *const lines[] = {"Content-Length", "1", NULL};
    struct talk t;

    (void)state;
    assert_false(begin(&t, "GET", "/good", lines));
    assert_true(exchange_body(&t.exchange, "x", 1));
    answer(&t);
    assert_int_equal(t.exchange.status, 413);
    expect_in_body(&t, "\"detail\":\"the request may have no body\"");
    end(&t);
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

        assert_int_equal(begin(&t, "POST", cases[i].target, lines), cases[i].is_at_once);
        answer(&t);
        assert_int_equal(t.exchange.status, cases[i].status);
        end(&t);
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
        ask(&t, "POST", "/body", lines);
        assert_int_equal(t.exchange.status, cases[i].status);
        if (cases[i].type && cases[i].status == 415)
            expect_in_body(&t, "\"parameter\":\"Content-Type\"");
        if (cases[i].coding && cases[i].status == 415)
            expect_in_body(&t, "\"parameter\":\"Content-Encoding\"");
        end(&t);
    }
}

static void each_request_has_its_line(void **state)
{
    static const char *const lines[] = {"User-Agent", "a \"b\"", "X-Request-Id", "me", NULL};
    struct talk t;

    (void)state;
    ask(&t, "HEAD", "/good?x=1", lines);
    assert_non_null(strstr(t.logged, " level=info event=request id=me client=192.0.0.1 method=HEAD "
                                     "path=/good status=400 bytes=0 duration_us="));
    assert_non_null(strstr(t.logged, " user_agent=\"a \\\"b\\\"\"\n"));
    end(&t);
    get(&t, "/good");
    assert_non_null(strstr(t.logged, " path=/good status=200 bytes=4 duration_us="));
    assert_non_null(strstr(t.logged, " user_agent=-\n"));
    end(&t);
}

static void a_long_path_is_cut_in_the_log(void **state)
{
    char target[1000] = "/";
    struct talk t;

    (void)state;
    memset(target + 1, 'x', sizeof target - 2);
    get(&t, target);
    target[300] = '\0';
    assert_non_null(strstr(t.logged, target));
    assert_non_null(strstr(t.logged, "xx status=404"));
    assert_true(strlen(t.logged) < 600);
    end(&t);
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
        cmocka_unit_test(a_good_reply_has_its_headers),
        cmocka_unit_test(html_has_a_policy),
        cmocka_unit_test(how_long_it_is_kept_is_said),
        cmocka_unit_test(a_redirect_keeps_the_query),
        cmocka_unit_test(each_error_code_has_its_status),
        cmocka_unit_test(what_failed_is_logged_and_not_told),
        cmocka_unit_test(misuse_is_a_bug_and_not_a_header),
        cmocka_unit_test(a_reply_that_is_too_long_is_the_clients_to_shorten),
        cmocka_unit_test(a_handlers_issues_are_listed),
        cmocka_unit_test(values_reach_the_handler),
        cmocka_unit_test(unknown_parameters_are_told_apart_from_bad_ones),
        cmocka_unit_test(ids_are_taken_if_sane_and_made_otherwise),
        cmocka_unit_test(ids_that_are_made_differ),
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
