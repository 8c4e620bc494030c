/* Base64 by nettle, in pieces that fit a small array. */
#include "base/base64.h"

#include <nettle/base64.h>
#include <stddef.h>
#include <string.h>

/* Bytes at a time; a multiple of 3 and of 4. */
enum { PIECE = 240 };

void base64_write(struct buf *out, const char *bytes, size_t len)
{
    struct base64_encode_ctx ctx;
    char text[BASE64_ENCODE_LENGTH(PIECE)];

    base64url_encode_init(&ctx);
    for (size_t at = 0; at < len; at += PIECE) {
        size_t piece = len - at < PIECE ? len - at : PIECE;

        buf_add(out, text, base64_encode_update(&ctx, text, piece, (const uint8_t *)bytes + at));
    }
    {
        size_t tail = base64_encode_final(&ctx, text);

        while (tail > 0 && text[tail - 1] == '=')
            tail--;
        buf_add(out, text, tail);
    }
}

/* Tell whether a text is one that base64_write gives: nettle also takes white space, a letter too
 * much, and bits that stand for nothing. */
static bool is_exact(const char *text, size_t len)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    static const ptrdiff_t unused[] = {0, 0, 15, 3};

    if (strspn(text, alphabet) != len || len % 4 == 1)
        return false;
    return len == 0 || ((strchr(alphabet, text[len - 1]) - alphabet) & unused[len % 4]) == 0;
}

bool base64_read(struct buf *out, const char *text, size_t len)
{
    struct base64_decode_ctx ctx;
    uint8_t bytes[BASE64_DECODE_LENGTH(PIECE)];
    size_t got;

    if (!is_exact(text, len))
        return false;
    base64url_decode_init(&ctx);
    for (size_t at = 0; at < len; at += PIECE) {
        size_t piece = len - at < PIECE ? len - at : PIECE;

        got = sizeof bytes;
        if (!base64_decode_update(&ctx, &got, bytes, piece, text + at))
            return false;
        buf_add(out, (const char *)bytes, got);
    }
    for (size_t pad = (4 - len % 4) % 4; pad > 0; pad--) {
        got = sizeof bytes;
        if (!base64_decode_update(&ctx, &got, bytes, 1, "="))
            return false;
        buf_add(out, (const char *)bytes, got);
    }
    return base64_decode_final(&ctx) == 1;
}
