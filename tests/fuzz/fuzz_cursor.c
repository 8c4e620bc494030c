/* libFuzzer's entry for cursors: keys that were written are read back; what is read is written as
 * the same cursor again; no other query takes it; all else is refused with an issue. The corpus is
 * in corpus/cursor: a query, how many keys its order has, a cursor as the client sends it, then
 * keys as they stand behind a cursor's check. */
#include "api/cursor.h"

#include "api/scope.h"
#include "base/base64.h"
#include "base/hash.h"
#include "base/num.h"
#include "server/exchange.h"
#include "tests/support/fuzzing.h"

#include <stdlib.h>
#include <string.h>

/* Keys that an order has at most. */
enum { KEYS = QUERY_SORTS + QUERY_TAIL_KEYS };

/* Longest target that is made here, and hexadecimal digits of a cursor's check. */
enum { TEXT_LIMIT = 64 * 1024, CHECK_DIGITS = 16 };

/* What the handler is to do with the request's cursor, and what came of it.
 *
 * keys:   that are written into out; NULL: the request's are
 * read:   whether the request had a cursor that was taken
 * out:    the cursor, written again from what was read */
struct trial {
    size_t count;
    const struct query_value *keys;
    bool read;
    struct buf out;
};

static enum err_code handle(const struct http_request *request, struct http_reply *reply, void *app,
                            struct err *e)
{
    struct trial *trial = app;
    struct api_scope s = {.request = request, .reply = reply};
    const struct query_value *keys = NULL;
    enum err_code rc;

    arena_init(&s.arena, API_ARENA_LIMIT);
    rc = cursor_read(&s, trial->count, &keys, e);
    trial->read = rc == ERR_OK && keys;
    if (trial->read || trial->keys) {
        struct buf text;

        buf_init(&text, API_ARENA_LIMIT);
        cursor_write_keys(trial->keys ? trial->keys : keys, trial->count, &text);
        fuzz_require(cursor_write(&s, text.data, text.len, &trial->out, e) == ERR_OK);
        buf_done(&text);
    }
    arena_done(&s.arena);
    return rc;
}

static const struct http_param params[] = {
    {.name = "cursor", .kind = HTTP_PARAM_TEXT},
    {.name = "limit", .kind = HTTP_PARAM_INT, .min = 1, .max = 1000},
    {.name = "sort", .kind = HTTP_PARAM_TEXT, .is_list = true},
    {.name = "q", .kind = HTTP_PARAM_TEXT},
};

static const struct http_endpoint endpoint = {.path = "/list",
                                              .methods = HTTP_GET,
                                              .formats = HTTP_BIT(HTTP_JSON),
                                              .params = params,
                                              .param_count = sizeof params / sizeof *params,
                                              .handle = handle};

/* Let the handler run for a query and a cursor; either may be "". */
static int ask(const char *query, const char *cursor, struct trial *trial)
{
    static const struct http_routes routes = {.endpoints = &endpoint, .count = 1};
    static const struct log log = {.fd = -1};
    static const struct net_address peer = {{0}};
    struct exchange_site site = {.routes = &routes, .app = trial, .log = &log};
    struct exchange x;
    struct http_answer answer;
    struct buf target;
    struct err e;
    int status;

    buf_init(&target, TEXT_LIMIT);
    buf_printf(&target, "/list?%s%s%s", query, *query && *cursor ? "&" : "",
               *cursor ? "cursor=" : "");
    buf_puts(&target, cursor);
    exchange_init(&x, &site, &peer);
    exchange_field(&x, "Host", "localhost");
    (void)exchange_judge(&x, "GET", buf_text(&target), true); /* A GET has nothing to wait for. */
    fuzz_require(exchange_answer(&x, &answer, &e) == ERR_OK);
    status = x.status;
    fuzz_require(status < 500);
    http_answer_done(&answer);
    exchange_done(&x);
    buf_done(&target);
    return status;
}

/* A cursor that was made by hand is taken only as it would be written. */
static void check_given(const char *query, const char *cursor, size_t count)
{
    struct trial trial = {.count = count};

    buf_init(&trial.out, TEXT_LIMIT);
    (void)ask(query, cursor, &trial);
    if (trial.read && !strstr(query, "cursor") && !strchr(cursor, '%'))
        fuzz_require(strcmp(buf_text(&trial.out), cursor) == 0);
    buf_done(&trial.out);
}

/* Put the check of a query before keys, as cursors have it, and look at what is taken then. */
static void check_forged(const char *query, const char *keys, size_t len, size_t count)
{
    char check[HASH_HEX_BYTES];
    struct buf text;
    struct buf cursor;

    buf_init(&text, TEXT_LIMIT);
    buf_init(&cursor, TEXT_LIMIT);
    buf_printf(&text, "/list?%s\n", query);
    buf_add(&text, keys, len);
    hash_sha256(buf_text(&text), text.len, check);
    buf_reset(&text);
    buf_add(&text, check, CHECK_DIGITS);
    buf_add(&text, keys, len);
    base64_write(&cursor, buf_text(&text), text.len);
    if (text.status == ERR_OK && cursor.status == ERR_OK)
        check_given(query, buf_text(&cursor), count);
    buf_done(&cursor);
    buf_done(&text);
}

/* Make a key of a line: what it looks like. */
static struct query_value key_of(const char *line)
{
    struct query_value key = {.kind = QUERY_TEXT, .text = line};
    struct err e;

    if (!*line)
        key.kind = QUERY_NULL;
    else if (num_parse_int(line, strlen(line), INT64_MIN, INT64_MAX, &key.integer, &e) == ERR_OK)
        key.kind = QUERY_INT;
    else if (num_parse_real(line, strlen(line), &key.real, &e) == ERR_OK)
        key.kind = QUERY_REAL;
    return key;
}

/* What was written is read, by the same query alone. */
static void check_written(const char *query, char *lines)
{
    struct query_value keys[KEYS];
    struct trial trial = {.keys = keys};
    struct trial again = {.keys = NULL};
    char *cursor;

    while (*lines && trial.count < KEYS)
        keys[trial.count++] = key_of(fuzz_next_line(&lines));
    buf_init(&trial.out, TEXT_LIMIT);
    buf_init(&again.out, TEXT_LIMIT);
    again.count = trial.count;
    if (trial.count == 0 || ask(query, "", &trial) != 200 || trial.out.len > HTTP_PARAM_BYTES)
        goto out;
    cursor = buf_take(&trial.out, NULL);
    fuzz_require(ask(query, cursor, &again) == 200 && again.read);
    fuzz_require(strcmp(buf_text(&again.out), cursor) == 0);
    fuzz_require(strstr(query, "q=") || ask("q=another", cursor, &again) == 400);
    free(cursor);
out:
    buf_done(&again.out);
    buf_done(&trial.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *query = fuzz_next_line(&at);
    const char *count_text = fuzz_next_line(&at);
    const char *cursor = fuzz_next_line(&at);
    int64_t count = 1;
    struct err e;

    if (num_parse_int(count_text, strlen(count_text), 1, KEYS, &count, &e) != ERR_OK)
        count = 1;
    check_given(query, cursor, (size_t)count);
    check_forged(query, at, size - (size_t)(at - text), (size_t)count);
    if (!strstr(query, "cursor"))
        check_written(query, at);
    free(text);
    return 0;
}
