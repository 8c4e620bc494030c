/* Growing text: doubling, a limit, a sticky failure. */
#include "base/buf.h"

#include "base/num.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is printed at once is mostly shorter, and then printed once instead of measured first. */
enum { PRINTED_BYTES = 128 };

void buf_init(struct buf *b, size_t limit)
{
    *b = (struct buf){.limit = limit};
}

void buf_done(struct buf *b)
{
    free(b->data);
    buf_init(b, b->limit);
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

static bool reserve(struct buf *b, size_t more)
{
    size_t cap = b->cap > 0 ? b->cap : 256;
    char *moved;

    if (b->status != ERR_OK)
        return false;
    if (more > b->limit - b->len) {
        b->status = ERR_LIMIT;
        return false;
    }
    if (b->data && b->len + more < b->cap)
        return true;
    /* Past this, doubling would wrap around; no machine has so much. */
    if (b->len + more > SIZE_MAX / 4) {
        b->status = ERR_NOMEM;
        return false;
    }
    while (cap <= b->len + more)
        cap *= 2;
    moved = realloc(b->data, cap);
    if (!moved) {
        b->status = ERR_NOMEM;
        return false;
    }
    b->data = moved;
    b->cap = cap;
    return true;
}

char *buf_room(struct buf *b, size_t len)
{
    return reserve(b, len) ? b->data + b->len : NULL;
}

void buf_end(struct buf *b, const char *end)
{
    b->len = (size_t)(end - b->data);
    b->data[b->len] = '\0';
}

void buf_add(struct buf *b, const char *bytes, size_t len)
{
    if (!reserve(b, len))
        return;
    if (len > 0)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_put_encoded(struct buf *b, const char *text, const char *plain)
{
    while (*text) {
        size_t len = strspn(text, plain);

        buf_add(b, text, len);
        text += len;
        if (*text)
            buf_printf(b, "%%%02X", (unsigned char)*text++);
    }
}

void buf_putc(struct buf *b, char c)
{
    if (!reserve(b, 1))
        return;
    b->data[b->len++] = c;
    b->data[b->len] = '\0';
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args;
    int len;

    char text[PRINTED_BYTES];

    va_start(args, fmt);
    len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (len < 0 && b->status == ERR_OK)
        b->status = ERR_LIMIT; /* It is longer than an int can say. */
    if (len >= 0 && (size_t)len < sizeof text) {
        buf_add(b, text, (size_t)len);
        return;
    }
    if (len < 0 || !reserve(b, (size_t)len))
        return;
    va_start(args, fmt);
    /* Cannot be cut: the room was measured and reserved above. */
    (void)vsnprintf(b->data + b->len, (size_t)len + 1, fmt, args);
    va_end(args);
    b->len += (size_t)len;
}

void buf_put_int(struct buf *b, int64_t value)
{
    char text[NUM_TEXT_BYTES];

    num_format_int(text, value);
    buf_puts(b, text);
}

void buf_put_real(struct buf *b, double value)
{
    char text[NUM_TEXT_BYTES];

    num_format_real(text, value);
    buf_puts(b, text);
}

const char *buf_text(const struct buf *b)
{
    return b->data ? b->data : "";
}

enum err_code buf_check(const struct buf *b, struct err *e)
{
    if (b->status == ERR_LIMIT)
        return err_set(e, ERR_LIMIT, "the text is longer than %zu bytes", b->limit);
    if (b->status != ERR_OK)
        return err_nomem(e);
    return ERR_OK;
}

char *buf_take(struct buf *b, size_t *out_len)
{
    char *text;
    size_t len;

    if (!reserve(b, 0)) {
        buf_done(b);
        return NULL;
    }
    text = b->data;
    len = b->len;
    text[len] = '\0';
    buf_init(b, b->limit);
    if (out_len)
        *out_len = len;
    return text;
}
