/* Making the service, asking it, and what holds for every answer. */
#include "tests/support/fuzz_service.h"

#include "api/api.h"
#include "base/text.h"
#include "db/db.h"
#include "importers/import.h"
#include "server/limits.h"
#include "tests/support/fuzzing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for a path of the scratch folder. */
enum { PATH_BYTES = 256 };

/* Longest body: a stream has no limit of its own, but the recipes are few. */
enum { BODY_LIMIT = 64 * 1024 * 1024 };

/* What a stream is read in; odd, so that parts are cut anywhere. */
enum { STREAM_BYTES = 1021 };

struct service {
    struct api *api;
    struct log log;
    struct exchange_site site;
};

static void fill_database(const char *path, const char *copy)
{
    static const char *const paths[] = {"catalog", "recipes"};
    const struct import_options options = {.paths = paths,
                                           .path_count = sizeof paths / sizeof *paths};
    struct import_result result = {0};
    struct db *db = NULL;
    int from, to;
    struct err e;

    fuzz_require(db_open_write(path, &db, &e) == ERR_OK);
    fuzz_require(db_migrate(db, &from, &to, &e) == ERR_OK);
    fuzz_require(import_run(db, &options, &result, &e) == ERR_OK);
    fuzz_require(db_snapshot(db, copy, &e) == ERR_OK);
    import_result_done(&result);
    db_close(db);
}

static void make_path(char out[PATH_BYTES], const char *folder, const char *name)
{
    int len = snprintf(out, PATH_BYTES, "%s/%s", folder, name);

    fuzz_require(len > 0 && len < PATH_BYTES);
}

/* The files are removed as soon as they are open: targets end by signals too. */
static void make_service(struct service *s)
{
    const char *scratch = getenv("TMPDIR");
    char folder[PATH_BYTES], filled[PATH_BYTES], served[PATH_BYTES];
    const struct api_config config = {.db_path = served, .threads = 1};
    struct err e;

    make_path(folder, scratch && *scratch ? scratch : "/tmp", "openrecipes-fuzz.XXXXXX");
    fuzz_require(mkdtemp(folder) != NULL);
    make_path(filled, folder, "filled.db");
    make_path(served, folder, "served.db");
    fill_database(filled, served);
    fuzz_require(api_new(&config, &s->api, &e) == ERR_OK);
    fuzz_require(unlink(filled) == 0 && unlink(served) == 0 && rmdir(folder) == 0);
    s->log = (struct log){.fd = -1, .has_access = true};
    s->site.routes = api_routes(s->api);
    s->site.app = s->api;
    s->site.log = &s->log;
}

/* libFuzzer hands its targets nothing of theirs, so that the service can only be kept here. */
static struct service *get_service(void)
{
    static struct service service;

    if (!service.api)
        make_service(&service);
    return &service;
}

const struct http_routes *fuzz_service_routes(void)
{
    return get_service()->site.routes;
}

const char *fuzz_reply_header(const struct fuzz_reply *reply, const char *name)
{
    for (size_t i = 0; i < reply->answer.header_count; i++)
        if (strcmp(reply->answer.headers[i].name, name) == 0)
            return reply->answer.headers[i].value;
    return NULL;
}

/* Whether the content type begins with this one, and the body goes out as it is. */
static bool is_of_type(const struct fuzz_reply *reply, const char *type)
{
    const char *content_type = fuzz_reply_header(reply, "Content-Type");

    return content_type && text_starts(content_type, type) &&
           !fuzz_reply_header(reply, "Content-Encoding");
}

json_t *fuzz_reply_json(const struct fuzz_reply *reply)
{
    if (reply->exchange.status != 200 || reply->exchange.request.verb == HTTP_VERB_HEAD ||
        !is_of_type(reply, "application/json"))
        return NULL;
    return json_loadb(buf_text(&reply->body), reply->body.len, JSON_REJECT_DUPLICATES, NULL);
}

/* A problem says what is wrong in one line, and so does each of its errors. */
static void check_problem(const struct fuzz_reply *reply)
{
    const struct buf *body = &reply->body;
    json_t *tree = json_loadb(buf_text(body), body->len, JSON_REJECT_DUPLICATES, NULL);
    const char *detail = json_string_value(json_object_get(tree, "detail"));
    json_t *issue;
    size_t i;

    fuzz_require(json_integer_value(json_object_get(tree, "status")) == reply->exchange.status);
    fuzz_require(detail && *detail);
    json_array_foreach(json_object_get(tree, "errors"), i, issue)
    {
        const char *text = json_string_value(json_object_get(issue, "detail"));

        fuzz_require(text && *text);
    }
    json_decref(tree);
}

static void check_headers(const struct fuzz_reply *reply)
{
    const char *location = fuzz_reply_header(reply, "Location");

    for (size_t i = 0; i < reply->answer.header_count; i++)
        fuzz_check_line(reply->answer.headers[i].value);
    if (location)
        fuzz_require(location[0] == '/' && location[1] != '/' && location[1] != '\\');
    fuzz_require((location != NULL) == (reply->exchange.status == 308));
}

static void check_reply(const struct fuzz_reply *reply)
{
    int status = reply->exchange.status;

    fuzz_require(status >= 200 && (status < 500 || status == 501));
    check_headers(reply);
    if (is_of_type(reply, "application/problem+json"))
        check_problem(reply);
    if (status == 200 && is_of_type(reply, "application/json")) {
        json_t *tree = fuzz_reply_json(reply);

        fuzz_require(tree || reply->exchange.request.verb == HTTP_VERB_HEAD);
        json_decref(tree);
    }
    if (is_of_type(reply, "text/"))
        fuzz_require(text_is_utf8(buf_text(&reply->body), reply->body.len));
}

static void read_body(struct fuzz_reply *reply)
{
    char part[STREAM_BYTES];
    size_t len = 0;

    if (!reply->answer.stream)
        buf_add(&reply->body, reply->answer.body ? reply->answer.body : "", reply->answer.body_len);
    while (reply->answer.stream) {
        fuzz_require(exchange_read(&reply->exchange, part, sizeof part, &len));
        if (len == 0)
            break;
        buf_add(&reply->body, part, len);
    }
    fuzz_require(reply->body.status == ERR_OK);
}

void fuzz_ask(const struct fuzz_question *question, struct fuzz_reply *out_reply)
{
    static const struct net_address peer = {{[10] = 0xFF, [11] = 0xFF, [12] = 127, [15] = 1}};
    struct exchange *x = &out_reply->exchange;
    struct err e;

    exchange_init(x, &get_service()->site, &peer);
    exchange_field(x, "Host", "localhost");
    for (size_t i = 0; i < question->header_count; i++)
        exchange_field(x, question->headers[i].name, question->headers[i].value);
    if (!exchange_judge(x, question->method, question->target, true) && question->body_len > 0)
        (void)exchange_body(x, question->body, question->body_len); /* Far below what is cut. */
    fuzz_require(exchange_answer(x, &out_reply->answer, &e) == ERR_OK);
    buf_init(&out_reply->body, BODY_LIMIT);
    read_body(out_reply);
    exchange_log(x);
    check_reply(out_reply);
}

void fuzz_get(const char *target, struct fuzz_reply *out_reply)
{
    const struct fuzz_question question = {.method = "GET", .target = target};

    fuzz_ask(&question, out_reply);
}

void fuzz_reply_done(struct fuzz_reply *reply)
{
    buf_done(&reply->body);
    http_answer_done(&reply->answer);
    exchange_done(&reply->exchange);
}

void fuzz_put_encoded(struct buf *out, const char *text)
{
    buf_put_encoded(out, text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~");
}
