/* libFuzzer's entry for the head of a request: any first line and any header lines end in an answer
 * whose headers are one line each, whose errors are JSON and whose redirects stay here.
 * Built by clang with -fsanitize=fuzzer,address,undefined; the corpus is in corpus/request: a
 * method, a target, then names and values of header lines, each on a line of its own. */
#include "server/exchange.h"
#include "tests/support/fuzzing.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static enum err_code echo(const struct http_request *q, struct http_reply *r, void *app,
                          struct err *e)
{
    const struct http_param *param;

    (void)app;
    (void)e;
    for (size_t i = 0; (param = http_query_param(q, i)); i++)
        for (size_t j = 0; http_query_at(q, param->name, j); j++)
            buf_puts(http_reply_body(r), http_query_at(q, param->name, j));
    if (http_arg(q, "a"))
        buf_puts(http_reply_body(r), http_arg(q, "a"));
    return ERR_OK;
}

static enum err_code move(const struct http_request *q, struct http_reply *r, void *app,
                          struct err *e)
{
    (void)q;
    (void)app;
    (void)e;
    http_reply_redirect(r, "/moved");
    return ERR_OK;
}

static const char *const words[] = {"one", "two", NULL};

static const struct http_param params[] = {
    {.name = "text", .kind = HTTP_PARAM_TEXT, .is_list = true},
    {.name = "int", .kind = HTTP_PARAM_INT, .is_nullable = true, .min = 1, .max = 10},
    {.name = "real", .kind = HTTP_PARAM_REAL},
    {.name = "date", .kind = HTTP_PARAM_DATE},
    {.name = "bool", .kind = HTTP_PARAM_BOOL},
    {.name = "word", .kind = HTTP_PARAM_WORD, .is_list = true, .allowed = words},
};

static const struct http_endpoint endpoints[] = {
    {.path = "/",
     .methods = HTTP_GET,
     .formats = HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_HTML),
     .params = params,
     .param_count = sizeof params / sizeof *params,
     .handle = echo},
    {.path = "/a/{a}",
     .methods = HTTP_GET | HTTP_POST,
     .formats = HTTP_BIT(HTTP_CSV) | HTTP_BIT(HTTP_TEXT),
     .first_format = HTTP_TEXT,
     .params = params,
     .param_count = sizeof params / sizeof *params,
     .body_limit = 10,
     .handle = echo},
    {.path = "/move/{a}", .methods = HTTP_GET, .formats = HTTP_BIT(HTTP_CSV), .handle = move},
};

static const struct http_routes routes = {.endpoints = endpoints,
                                          .count = sizeof endpoints / sizeof *endpoints};

static void check_problem(const struct http_answer *answer)
{
    json_t *tree = json_loadb(answer->body, answer->body_len, JSON_REJECT_DUPLICATES, NULL);

    fuzz_require(json_is_string(json_object_get(tree, "detail")));
    fuzz_require(json_integer_value(json_object_get(tree, "status")) == answer->status);
    json_decref(tree);
}

static void check_answer(const struct http_answer *answer)
{
    for (size_t i = 0; i < answer->header_count; i++) {
        const struct http_header *header = &answer->headers[i];

        fuzz_require(!strpbrk(header->value, "\r\n"));
        if (strcmp(header->name, "Location") == 0)
            fuzz_require(header->value[0] == '/' && header->value[1] != '/');
        if (strcmp(header->value, "application/problem+json") == 0)
            check_problem(answer);
    }
    fuzz_require(answer->status < 500 || answer->status == 501);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct log log = {.fd = -1, .has_access = true};
    static const struct net_address peer = {{[10] = 0xFF, [11] = 0xFF, [12] = 10, [15] = 1}};
    static const struct net_block trusted = {{{[10] = 0xFF, [11] = 0xFF, [12] = 10}}, 104};
    struct exchange_site site = {.routes = &routes, .log = &log, .trusted = &trusted};
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *method, *target;
    struct exchange x;
    struct http_answer answer;
    struct err e;

    method = fuzz_next_line(&at);
    target = fuzz_next_line(&at);
    exchange_init(&x, &site, &peer);
    while (*at) {
        const char *name = fuzz_next_line(&at);

        exchange_field(&x, name, fuzz_next_line(&at));
    }
    (void)exchange_judge(&x, method, target, true);
    fuzz_require(exchange_answer(&x, &answer, &e) == ERR_OK);
    check_answer(&answer);
    exchange_log(&x);
    http_answer_done(&answer);
    exchange_done(&x);
    free(text);
    return 0;
}
