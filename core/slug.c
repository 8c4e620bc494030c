/* The grammar of slugs. */
#include "core/slug.h"

#include "base/mem.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

/* What a path may end with to ask for a format; a slug that ended so could not be asked for. */
static const char *const suffixes[] = {".json", ".csv", ".ndjson", ".txt", ".atom",
                                       ".yaml", ".sh",  ".bib",    ".html"};

bool slug_check(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
    size_t len = strspn(text, letters);

    if (len == 0 || len > SLUG_LIMIT || text[len] != '\0' || text[0] == '.' || text[0] == '-')
        return false;
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if (text_ends(text, suffixes[i]))
            return false;
    return true;
}

bool slug_make(char out[SLUG_BYTES], const char *name)
{
    size_t len = name ? strnlen(name, SLUG_BYTES) : 0;

    if (len > SLUG_LIMIT)
        len = 0;
    text_lower(out, name ? name : "", len);
    return slug_check(out);
}
