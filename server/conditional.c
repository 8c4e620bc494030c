/* Entity tags from hashes. */
#include "server/conditional.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* 128 bits of the hash: two bodies of one address never meet by chance. */
enum { HASH_DIGITS = 32 };

void http_etag_make(const char *hash, const char *suffix, const char *coding,
                    char out[HTTP_ETAG_BYTES])
{
    int written = snprintf(out, HTTP_ETAG_BYTES, "\"%.*s-%s%s%s\"", HASH_DIGITS, hash, suffix + 1,
                           coding ? "-" : "", coding ? coding : "");
    assert(written > 0 && written < HTTP_ETAG_BYTES);
    (void)written; /* Suffixes and codings are ours, and short. */
}

bool http_etag_is_in(const char *list, const char *etag)
{
    static const char between[] = " \t,";
    size_t etag_len = strlen(etag);
    const char *at = list + strspn(list, between);

    if (*at == '*')
        return !at[1 + strspn(at + 1, between)];
    while (*at) {
        const char *tag = strncmp(at, "W/", 2) == 0 ? at + 2 : at;
        const char *end = *tag == '"' ? strchr(tag + 1, '"') : NULL;

        if (end && (size_t)(end + 1 - tag) == etag_len && memcmp(tag, etag, etag_len) == 0)
            return true;
        at = end ? end + 1 : tag + strcspn(tag, ",");
        at += strspn(at, between);
    }
    return false;
}
