/* Paths against templates, segment by segment. */
#include "server/router.h"

#include "base/text.h"
#include "server/format.h"

#include <string.h>

/* One segment of a template. */
struct part {
    const char *text;
    size_t len;
    bool is_argument;
};

/* Take the next segment off a template.
 *
 * at: behind the slash before it; moved behind the slash after it */
static struct part next_part(const char **at)
{
    struct part part = {.text = *at, .len = strcspn(*at, "/")};

    *at += part.len;
    if (**at == '/')
        (*at)++;
    if (part.len > 2 && part.text[0] == '{') {
        part.text++;
        part.len -= 2;
        part.is_argument = true;
    }
    return part;
}

static bool is_literal(const struct part *part, const char *text, size_t len)
{
    return part->len == len && memcmp(part->text, text, len) == 0;
}

/* Match a literal that ends the template: whole, or with a suffix after it. A literal that has a
 * suffix of its own ("openapi.json") chooses the format by that, and takes no second one. */
static bool match_last_literal(const struct part *part, const char *segment, unsigned formats,
                               struct http_match *match)
{
    size_t stem_len;

    match->has_format = http_format_by_suffix(segment, formats, &match->format, &stem_len);
    if (is_literal(part, segment, strlen(segment)))
        return true;
    if (!match->has_format || !is_literal(part, segment, stem_len))
        return false;
    return !http_format_by_suffix(part->text, formats, &match->format, &stem_len);
}

static enum err_code take_argument(const struct part *part, const char *segment, bool is_last,
                                   unsigned formats, struct arena *arena, struct http_match *match,
                                   struct err *e)
{
    struct http_argument *argument = &match->arguments[match->argument_count++];
    size_t stem_len;

    *argument = (struct http_argument){part->text, part->len, segment};
    if (!is_last || !http_format_by_suffix(segment, formats, &match->format, &stem_len))
        return ERR_OK;
    match->has_format = true;
    argument->value = arena_text(arena, segment, stem_len);
    return argument->value ? ERR_OK : err_nomem(e);
}

/* Match one row.
 *
 * out_fits: whether it fits; match then has its arguments and format */
static enum err_code match_row(const struct http_endpoint *endpoint, const struct http_path *path,
                               struct arena *arena, struct http_match *match, bool *out_fits,
                               struct err *e)
{
    const char *at = endpoint->path + 1;
    size_t i = 0;

    *match = (struct http_match){.endpoint = endpoint};
    *out_fits = false;
    for (; *at && i < path->count; i++) {
        struct part part = next_part(&at);
        const char *segment = path->segments[i];
        bool is_last = !*at;

        if (!*segment)
            return ERR_OK;
        if (part.is_argument) {
            if (take_argument(&part, segment, is_last, endpoint->formats, arena, match, e))
                return e->code;
        } else if (is_last ? !match_last_literal(&part, segment, endpoint->formats, match)
                           : !is_literal(&part, segment, strlen(segment))) {
            return ERR_OK;
        }
    }
    *out_fits = !*at && i == path->count;
    return ERR_OK;
}

enum err_code http_route(const struct http_routes *routes, const struct http_path *path,
                         unsigned method, struct arena *arena, struct http_match *out_match,
                         struct err *e)
{
    struct http_match found = {.endpoint = NULL};
    unsigned methods = 0;

    for (size_t i = 0; i < routes->count && path->count <= HTTP_SEGMENTS; i++) {
        struct http_match match;
        bool fits;

        if (match_row(&routes->endpoints[i], path, arena, &match, &fits, e))
            return e->code;
        if (!fits)
            continue;
        methods |= match.endpoint->methods;
        if (!found.endpoint && (match.endpoint->methods & method))
            found = match;
    }
    found.methods = methods;
    *out_match = found;
    return ERR_OK;
}
