/* libFuzzer's entry for paths of the real endpoints: what is decoded and encoded again is the same
 * path; redirects end after a few steps; HEAD and OPTIONS agree with GET; a suffix that chose the
 * format is one that the path ends in. The corpus is in corpus/path: a request's target. */
#include "server/format.h"
#include "tests/support/fuzz_service.h"
#include "tests/support/fuzzing.h"

#include <stdlib.h>
#include <string.h>

/* A slash at the end, then another spelling, then the page that is there. */
enum { REDIRECTS = 2 };

/* What a path may take in memory. */
enum { ARENA_LIMIT = 1024 * 1024 };

static void put_path(const struct http_path *path, struct buf *out)
{
    for (size_t i = 0; i < path->count; i++) {
        buf_putc(out, '/');
        fuzz_put_encoded(out, path->segments[i]);
    }
    if (path->has_slash || path->count == 0)
        buf_putc(out, '/');
}

static void check_split(const char *target)
{
    struct http_path path, again;
    struct arena arena;
    struct buf text;
    struct err e;
    enum err_code rc;

    arena_init(&arena, ARENA_LIMIT);
    buf_init(&text, ARENA_LIMIT);
    rc = http_path_split(target, &arena, &path, &e);
    if (rc != ERR_OK) {
        fuzz_require(rc == ERR_INPUT || rc == ERR_NOMEM);
        fuzz_check_line(e.text);
    } else if (path.count <= HTTP_SEGMENTS) {
        put_path(&path, &text);
        fuzz_require(http_path_split(buf_text(&text), &arena, &again, &e) == ERR_OK);
        fuzz_require(again.count == path.count && again.has_slash == path.has_slash);
        for (size_t i = 0; i < path.count; i++)
            fuzz_require(strcmp(again.segments[i], path.segments[i]) == 0);
    }
    buf_done(&text);
    arena_done(&arena);
}

/* What the router says a path's suffix is, the path ends in. */
static void check_format(const struct fuzz_reply *reply)
{
    const struct http_match *match = &reply->exchange.request.match;
    const struct http_format_row *row = http_format_row(match->format);
    const char *type = fuzz_reply_header(reply, "Content-Type");

    for (size_t i = 0; i < match->argument_count; i++)
        fuzz_require(match->arguments[i].value[0] != '\0');
    if (!match->has_format || reply->exchange.status != 200)
        return;
    fuzz_require(strstr(reply->exchange.request.path, row->suffix) != NULL);
    fuzz_require(type && strcmp(type, row->content_type) == 0);
}

static int ask(const char *method, const char *target)
{
    const struct fuzz_question question = {.method = method, .target = target};
    struct fuzz_reply reply;
    int status;

    fuzz_ask(&question, &reply);
    status = reply.exchange.status;
    fuzz_require(status != 405 || fuzz_reply_header(&reply, "Allow"));
    check_format(&reply);
    fuzz_reply_done(&reply);
    return status;
}

static void check_redirects(const char *target)
{
    char *at = fuzz_text((const uint8_t *)target, strlen(target));

    for (int i = 0; at; i++) {
        struct fuzz_reply reply;
        const char *location;
        char *next;

        fuzz_get(at, &reply);
        location = fuzz_reply_header(&reply, "Location");
        fuzz_require(!location || i < REDIRECTS);
        next = location ? fuzz_text((const uint8_t *)location, strlen(location)) : NULL;
        fuzz_reply_done(&reply);
        free(at);
        at = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *target = fuzz_next_line(&at);
    int status = ask("GET", target);
    int options;

    fuzz_require(ask("HEAD", target) == status);
    options = ask("OPTIONS", target);
    fuzz_require(options != 404 || status == 404);
    fuzz_require(status != 405 || options == 204);
    check_redirects(target);
    if (*target == '/' && !strchr(target, '?'))
        check_split(target);
    free(text);
    return 0;
}
