/* Splitting and decoding of paths. */
#include "server/path.h"

#include "base/text.h"

#include <string.h>

/* Value of a hexadecimal digit, -1 for any other byte. */
static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* Value of the escape whose percent sign is at raw, -1 for a bad one. */
static int escape_value(const char *raw, size_t len)
{
    int high = len >= 3 ? hex_value(raw[1]) : -1;
    int low = len >= 3 ? hex_value(raw[2]) : -1;

    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

enum err_code http_decode(const char *raw, size_t len, bool is_query, struct arena *arena,
                          const char **out_text, struct err *e)
{
    char *text = arena_text(arena, raw, len);
    size_t used = 0;

    if (!text)
        return err_nomem(e);
    for (size_t i = 0; i < len; i++) {
        char c = raw[i];

        if (c == '%') {
            int value = escape_value(raw + i, len - i);

            if (value < 0)
                return err_set(e, ERR_INPUT, "a %% is not followed by two hexadecimal digits");
            if (value == 0)
                return err_set(e, ERR_INPUT, "%%00 is not allowed");
            c = (char)value;
            i += 2;
        } else if (c == '+' && is_query) {
            c = ' ';
        }
        text[used++] = c;
    }
    text[used] = '\0';
    if (!text_is_utf8(text, used))
        return err_set(e, ERR_INPUT, "the text is not UTF-8");
    *out_text = text;
    return ERR_OK;
}

enum err_code http_path_split(const char *raw, struct arena *arena, struct http_path *out_path,
                              struct err *e)
{
    struct http_path path = {.has_slash = false};
    const char *at = raw + 1;

    while (*at) {
        size_t len = strcspn(at, "/");
        const char *text = NULL;

        if (http_decode(at, len, false, arena, &text, e))
            return e->code;
        if (path.count < HTTP_SEGMENTS)
            path.segments[path.count] = text;
        path.count++;
        at += len;
        path.has_slash = *at == '/';
        if (path.has_slash)
            at++;
    }
    *out_path = path;
    return ERR_OK;
}
