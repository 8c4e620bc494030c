/* The toy server's handlers, routes and life. */
#include "tests/support/toy_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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
    for (int i = 0; i < TOY_BIG_BYTES / 10; i++)
        buf_puts(http_reply_body(r), "123456789\n");
    return ERR_OK;
}

static enum err_code next_digits(void *context, struct buf *out, bool *out_is_last, struct err *e)
{
    (void)context;
    *out_is_last = false;
    for (int i = 0; i < TOY_BIG_BYTES / 10; i++)
        buf_puts(out, "123456789\n");
    return buf_check(out, e);
}

static void free_nothing(void *context)
{
    (void)context;
}

static enum err_code handle_endless(const struct http_request *q, struct http_reply *r, void *app,
                                    struct err *e)
{
    (void)q;
    (void)e;
    http_reply_take_stream(r, next_digits, free_nothing, app);
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
    struct toy_gate *gate = app;
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
    {.path = "/endless",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_TEXT),
     .first_format = HTTP_TEXT,
     .handle = handle_endless},
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

const struct http_routes toy_routes = {.endpoints = endpoints,
                                       .count = sizeof endpoints / sizeof *endpoints};

void toy_start(struct toy *f, struct server_config config)
{
    struct err e;

    *f = (struct toy){.gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false},
                      .log = {.fd = memfd_create("log", MFD_CLOEXEC), .has_access = true}};
    assert_true(f->log.fd >= 0);
    if (!config.listen)
        config.listen = "127.0.0.1:0";
    config.threads = 2;
    if (server_start(&config, &toy_routes, &f->gate, &f->log, &f->server, &e))
        fail_msg("%s", e.text);
    f->port = server_port(f->server);
    assert_true(f->port > 0);
}

void toy_stop(struct toy *f)
{
    server_stop(f->server);
    close(f->log.fd);
}

void toy_open_gate(struct toy *f)
{
    pthread_mutex_lock(&f->gate.lock);
    f->gate.is_open = true;
    pthread_cond_broadcast(&f->gate.changed);
    pthread_mutex_unlock(&f->gate.lock);
}

void toy_wait_for_slow(struct toy *f, unsigned count)
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

char *toy_read_log(const struct toy *f)
{
    off_t len = lseek(f->log.fd, 0, SEEK_CUR);
    char *text = malloc((size_t)len + 1);

    assert_non_null(text);
    assert_int_equal(pread(f->log.fd, text, (size_t)len, 0), len);
    text[len] = '\0';
    return text;
}

int toy_start_shared(void **state)
{
    struct toy *f = malloc(sizeof *f);

    assert_non_null(f);
    toy_start(f, (struct server_config){.listen = NULL});
    *state = f;
    return 0;
}

int toy_stop_shared(void **state)
{
    struct toy *f = *state;

    toy_stop(f);
    free(f);
    return 0;
}
