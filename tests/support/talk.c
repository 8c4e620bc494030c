/* Exchanges, their answers and their log lines. */
#include "tests/support/talk.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool talk_begin(struct talk *t, const struct http_routes *routes, const char *method,
                const char *target, const char *const *lines)
{
    static const struct net_address peer = {{[10] = 0xFF, [11] = 0xFF, [12] = 192, [15] = 1}};

    *t = (struct talk){.site = {.routes = routes, .id_seed = 42}};
    t->log = (struct log){.fd = memfd_create("log", MFD_CLOEXEC), .has_access = true};
    assert_true(t->log.fd >= 0);
    t->site.log = &t->log;
    exchange_init(&t->exchange, &t->site, &peer);
    exchange_field(&t->exchange, "Host", "x");
    for (; lines && *lines; lines += 2)
        exchange_field(&t->exchange, lines[0], lines[1]);
    return exchange_judge(&t->exchange, method, target, true);
}

void talk_answer(struct talk *t)
{
    struct err e;
    ssize_t len;

    assert_int_equal(exchange_answer(&t->exchange, &t->answer, &e), ERR_OK);
    exchange_log(&t->exchange);
    len = pread(t->log.fd, t->logged, sizeof t->logged - 1, 0);
    assert_true(len >= 0);
    t->logged[len] = '\0';
}

void talk_end(struct talk *t)
{
    http_answer_done(&t->answer);
    exchange_done(&t->exchange);
    close(t->log.fd);
}

void talk_ask(struct talk *t, const struct http_routes *routes, const char *method,
              const char *target, const char *const *lines)
{
    assert_false(talk_begin(t, routes, method, target, lines));
    talk_answer(t);
}

void talk_get(struct talk *t, const struct http_routes *routes, const char *target)
{
    talk_ask(t, routes, "GET", target, NULL);
}

static const char *header(const struct talk *t, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < t->answer.header_count; i++)
        if (strcmp(t->answer.headers[i].name, name) == 0) {
            assert_null(value); /* None comes twice. */
            value = t->answer.headers[i].value;
        }
    return value;
}

void talk_expect_header(const struct talk *t, const char *name, const char *value)
{
    const char *found = header(t, name);

    if (!value) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_string_equal(found, value);
}

void talk_expect_body(const struct talk *t, const char *text)
{
    assert_int_equal(t->answer.body_len, strlen(text));
    assert_memory_equal(t->answer.body ? t->answer.body : "", text, strlen(text));
}

void talk_expect_in_body(const struct talk *t, const char *text)
{
    assert_non_null(t->answer.body);
    if (!strstr(t->answer.body, text))
        fail_msg("no %s in %s", text, t->answer.body);
}
