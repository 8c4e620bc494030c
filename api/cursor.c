/* Cursors: kind, length and text of each key, behind a check. */
#include "api/cursor.h"

#include "base/base64.h"
#include "base/hash.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

/* Hexadecimal digits of the check: enough that no slip goes through. It is no secret: a forged
 * cursor only starts a page elsewhere. */
enum { CHECK_DIGITS = 16 };

/* Decoded cursor at most: keys are slugs, dates, numbers and short words. */
enum { CURSOR_LIMIT = 8192 };

/* A name that is not part of what a cursor belongs to. */
static bool is_paging(const char *name)
{
    return strcmp(name, "cursor") == 0 || strcmp(name, "limit") == 0;
}

/* Characters without a meaning of their own in a query. */
static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/@";

/* Find the parameter whose name comes next after a name; NULL is before all of them. */
static const struct http_param *param_after(const struct http_request *request, const char *name)
{
    const struct http_param *next = NULL;
    const struct http_param *param;

    for (size_t i = 0; (param = http_query_param(request, i)) != NULL; i++)
        if ((!name || strcmp(param->name, name) > 0) &&
            (!next || strcmp(param->name, next->name) < 0))
            next = param;
    return next;
}

/* Append the client's parameters but cursor and limit: what they say, however it was encoded and
 * ordered. */
static void write_query(const struct http_request *request, struct buf *out)
{
    const struct http_param *param = NULL;
    const char *between = "";

    while ((param = param_after(request, param ? param->name : NULL)) != NULL) {
        const char *value;

        if (is_paging(param->name))
            continue;
        buf_puts(out, between);
        buf_put_encoded(out, param->name, plain);
        for (size_t k = 0; (value = http_query_at(request, param->name, k)) != NULL; k++) {
            buf_putc(out, k == 0 ? '=' : ',');
            buf_put_encoded(out, value, plain);
        }
        between = "&";
    }
}

/* Work out the check over the path, the query and the keys. */
static enum err_code make_check(struct api_scope *s, const char *keys, size_t keys_len,
                                char out[HASH_HEX_BYTES], struct err *e)
{
    struct buf text;
    enum err_code rc;

    buf_init(&text, API_ARENA_LIMIT);
    buf_puts(&text, http_request_path(s->request));
    buf_putc(&text, '?');
    write_query(s->request, &text);
    buf_putc(&text, '\n');
    buf_add(&text, keys, keys_len);
    rc = buf_check(&text, e);
    if (rc == ERR_OK)
        hash_sha256(text.data, text.len, out);
    buf_done(&text);
    return rc;
}

static void write_key(struct buf *out, const struct query_value *key)
{
    char number[NUM_TEXT_BYTES] = "";
    const char *text = number;

    switch (key->kind) {
    case QUERY_NULL:
        break;
    case QUERY_INT:
        num_format_int(number, key->integer);
        break;
    case QUERY_REAL:
        num_format_real(number, key->real);
        break;
    case QUERY_TEXT:
        text = key->text;
        break;
    }
    buf_putc(out, "nirt"[key->kind]);
    buf_printf(out, "%zu:", strlen(text));
    buf_puts(out, text);
}

void cursor_write_keys(const struct query_value *keys, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++)
        write_key(out, &keys[i]);
}

enum err_code cursor_write(struct api_scope *s, const char *keys, size_t len, struct buf *out,
                           struct err *e)
{
    char check[HASH_HEX_BYTES];
    struct buf whole;
    enum err_code rc = make_check(s, keys, len, check, e);

    if (rc != ERR_OK)
        return rc;
    buf_init(&whole, CURSOR_LIMIT);
    buf_add(&whole, check, CHECK_DIGITS);
    buf_add(&whole, keys, len);
    rc = buf_check(&whole, e);
    if (rc == ERR_OK)
        base64_write(out, whole.data, whole.len);
    buf_done(&whole);
    return rc;
}

/* Take one key off the text.
 *
 * Errors: ERR_INPUT if it is malformed (the caller says it better), ERR_NOMEM. */
static enum err_code read_key(struct api_scope *s, const char **at, const char *end,
                              struct query_value *out, struct err *e)
{
    const char *colon = memchr(*at, ':', (size_t)(end - *at));
    int64_t len = 0;
    char *text;
    enum err_code rc;

    if (!colon || colon == *at)
        return err_set(e, ERR_INPUT, "no key");
    rc = num_parse_int(*at + 1, (size_t)(colon - *at) - 1, 0, end - colon - 1, &len, e);
    if (rc != ERR_OK)
        return rc;
    text = arena_text(&s->arena, colon + 1, (size_t)len);
    if (!text)
        return err_nomem(e);
    *out = (struct query_value){.kind = QUERY_TEXT, .text = text};
    if (**at == 'n') {
        out->kind = QUERY_NULL;
    } else if (**at == 'i') {
        out->kind = QUERY_INT;
        rc = num_parse_int(text, (size_t)len, INT64_MIN, INT64_MAX, &out->integer, e);
    } else if (**at == 'r') {
        out->kind = QUERY_REAL;
        rc = num_parse_real(text, (size_t)len, &out->real, e);
    }
    *at = colon + 1 + len;
    return rc;
}

/* Tell whether keys are written as the bytes that they were read from: each key has one spelling.
 */
static bool is_as_written(const struct query_value *keys, size_t count, const char *bytes,
                          size_t len)
{
    struct buf text;
    bool is_same;

    buf_init(&text, CURSOR_LIMIT);
    cursor_write_keys(keys, count, &text);
    is_same = text.status == ERR_OK && text.len == len && memcmp(buf_text(&text), bytes, len) == 0;
    buf_done(&text);
    return is_same;
}

static enum err_code read_keys(struct api_scope *s, const struct buf *whole, size_t count,
                               struct query_value *out, struct err *e)
{
    const char *start = whole->data + CHECK_DIGITS;
    const char *end = whole->data + whole->len;
    const char *at = start;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < count; i++)
        rc = at < end ? read_key(s, &at, end, &out[i], e) : err_set(e, ERR_INPUT, "too few keys");
    if (rc == ERR_OK && !is_as_written(out, count, start, (size_t)(end - start)))
        rc = err_set(e, ERR_INPUT, "more keys, or spelled otherwise");
    return rc;
}

static enum err_code refuse(struct api_scope *s, struct err *e)
{
    http_reply_issue(s->reply, "cursor",
                     "it does not belong to this query: take it from next of the page before, with "
                     "the same path and parameters",
                     NULL, NULL);
    return err_set(e, ERR_INPUT, "cursor: it does not belong to this query");
}

enum err_code cursor_read(struct api_scope *s, size_t count, const struct query_value **out_keys,
                          struct err *e)
{
    const char *given = http_query(s->request, "cursor");
    struct query_value *keys;
    char check[HASH_HEX_BYTES];
    struct buf whole;
    enum err_code rc = ERR_OK;

    if (!given)
        return ERR_OK;
    keys = arena_array(&s->arena, count, sizeof *keys);
    if (!keys)
        return err_nomem(e);
    buf_init(&whole, CURSOR_LIMIT);
    if (!base64_read(&whole, given, strlen(given)) || whole.len <= CHECK_DIGITS)
        rc = err_set(e, ERR_INPUT, "no cursor");
    if (whole.status != ERR_OK)
        rc = buf_check(&whole, e);
    if (rc == ERR_OK)
        rc = make_check(s, whole.data + CHECK_DIGITS, whole.len - CHECK_DIGITS, check, e);
    if (rc == ERR_OK && memcmp(check, whole.data, CHECK_DIGITS) != 0)
        rc = err_set(e, ERR_INPUT, "changed, or of another query");
    if (rc == ERR_OK)
        rc = read_keys(s, &whole, count, keys, e);
    if (rc == ERR_INPUT || rc == ERR_LIMIT)
        rc = refuse(s, e);
    if (rc == ERR_OK)
        *out_keys = keys;
    buf_done(&whole);
    return rc;
}

void cursor_write_path(struct api_scope *s, const char *cursor, struct buf *out)
{
    const char *limit = http_query(s->request, "limit");
    size_t before;

    buf_puts(out, http_request_path(s->request));
    buf_putc(out, '?');
    before = out->len;
    write_query(s->request, out);
    if (out->len > before)
        buf_putc(out, '&');
    if (limit)
        buf_printf(out, "limit=%s&", limit); /* Digits: its kind is a number. */
    buf_printf(out, "cursor=%s", cursor);
}
