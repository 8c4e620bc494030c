/* Sorting the parts of a query. */
#include "server/canonical.h"

#include "server/limits.h"

#include <stdlib.h>
#include <string.h>

struct part {
    const char *text;
    size_t len;
};

static int by_text(const void *a, const void *b)
{
    const struct part *x = a;
    const struct part *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

void http_canonical_query(const char *query, struct buf *out)
{
    struct part parts[HTTP_PARAMS];
    const char *at = query;
    size_t count = 0;

    if (!strchr(query, '&')) {
        buf_puts(out, query);
        return;
    }
    for (;;) {
        if (count == HTTP_PARAMS) {
            buf_puts(out, query);
            return;
        }
        parts[count] = (struct part){at, strcspn(at, "&")};
        at += parts[count++].len;
        if (!*at)
            break;
        at++;
    }
    qsort(parts, count, sizeof *parts, by_text);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_putc(out, '&');
        buf_add(out, parts[i].text, parts[i].len);
    }
}
