/* Compact JSON text: commas, escapes, exact numbers. */
#include "base/json.h"

#include <string.h>

void json_init(struct json *j, struct buf *buf)
{
    j->buf = buf;
    j->needs_comma = false;
}

/* Begin a value, after what stands between it and the one before, and its key. All at once: this is
 * done more often than all else. */
static void start(struct json *j, const char *key)
{
    size_t len = key ? strlen(key) : 0;
    char *at = buf_room(j->buf, j->needs_comma + (key ? len + strlen("\"\":") : 0));

    if (!at)
        return;
    if (j->needs_comma)
        *at++ = ',';
    j->needs_comma = true;
    if (key) {
        *at++ = '"';
        memcpy(at, key, len);
        at += len;
        *at++ = '"';
        *at++ = ':';
    }
    buf_end(j->buf, at);
}

void json_begin(struct json *j, const char *key, char bracket)
{
    start(j, key);
    buf_putc(j->buf, bracket);
    j->needs_comma = false;
}

void json_end(struct json *j, char bracket)
{
    buf_putc(j->buf, bracket);
    j->needs_comma = true;
}

static void put_escaped(struct buf *b, unsigned char c)
{
    static const char letters[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                   ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};

    if (c < sizeof letters && letters[c]) {
        buf_putc(b, '\\');
        buf_putc(b, letters[c]);
    } else {
        buf_printf(b, "\\u%04x", c);
    }
}

static void put_quoted(struct buf *b, const char *text, size_t len)
{
    size_t done = 0;

    buf_putc(b, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        buf_add(b, text + done, i - done);
        put_escaped(b, c);
        done = i + 1;
    }
    buf_add(b, text + done, len - done);
    buf_putc(b, '"');
}

void json_put_key(struct json *j, const char *name)
{
    start(j, NULL);
    put_quoted(j->buf, name, strlen(name));
    buf_putc(j->buf, ':');
    j->needs_comma = false;
}

void json_put_text_n(struct json *j, const char *key, const char *text, size_t len)
{
    start(j, key);
    put_quoted(j->buf, text, len);
}

void json_put_text(struct json *j, const char *key, const char *text)
{
    if (text)
        json_put_text_n(j, key, text, strlen(text));
    else
        json_put_null(j, key);
}

void json_put_int(struct json *j, const char *key, int64_t value)
{
    start(j, key);
    buf_put_int(j->buf, value);
}

void json_put_real(struct json *j, const char *key, double value)
{
    start(j, key);
    buf_put_real(j->buf, value);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
    start(j, key);
    buf_puts(j->buf, value ? "true" : "false");
}

void json_put_null(struct json *j, const char *key)
{
    start(j, key);
    buf_puts(j->buf, "null");
}

void json_put_raw(struct json *j, const char *key, const char *text, size_t len)
{
    start(j, key);
    buf_add(j->buf, text, len);
}
