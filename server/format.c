/* The one table of representations. */
#include "server/format.h"

#include "base/mem.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* YAML's type is RFC 9512's, CSV's RFC 4180's, Atom's RFC 4287's; NDJSON, shell scripts and BibTeX
 * have none that is registered, and these are what others send. */
static const struct http_format_row rows[] = {
    [HTTP_JSON] = {".json", "application/json", "application/json"},
    [HTTP_HTML] = {".html", "text/html", "text/html; charset=utf-8"},
    [HTTP_CSV] = {".csv", "text/csv", "text/csv; charset=utf-8"},
    [HTTP_NDJSON] = {".ndjson", "application/x-ndjson", "application/x-ndjson"},
    [HTTP_TEXT] = {".txt", "text/plain", "text/plain; charset=utf-8"},
    [HTTP_ATOM] = {".atom", "application/atom+xml", "application/atom+xml; charset=utf-8"},
    [HTTP_YAML] = {".yaml", "application/yaml", "application/yaml"},
    [HTTP_SH] = {".sh", "text/x-shellscript", "text/x-shellscript; charset=utf-8"},
    [HTTP_BIB] = {".bib", "application/x-bibtex", "application/x-bibtex; charset=utf-8"},
    [HTTP_SVG] = {".svg", "image/svg+xml", "image/svg+xml"},
    [HTTP_JS] = {".js", "text/javascript", "text/javascript; charset=utf-8"},
    [HTTP_CSS] = {".css", "text/css", "text/css; charset=utf-8"},
    [HTTP_PROBLEM] = {NULL, "application/problem+json", "application/problem+json"},
    [HTTP_METRICS] = {NULL, "text/plain", "text/plain; version=0.0.4; charset=utf-8"},
};

static_assert(COUNT_OF(rows) == HTTP_FORMATS, "each format has its row");

const struct http_format_row *http_format_row(enum http_format format)
{
    assert(format < HTTP_FORMATS);
    return &rows[format];
}

bool http_format_by_suffix(const char *segment, unsigned formats, enum http_format *out_format,
                           size_t *out_stem_len)
{
    size_t len = strlen(segment);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *suffix = rows[i].suffix;

        if (!(formats & HTTP_BIT(i)) || !suffix || !text_ends(segment, suffix) ||
            len == strlen(suffix))
            continue;
        *out_format = (enum http_format)i;
        *out_stem_len = len - strlen(suffix);
        return true;
    }
    return false;
}
