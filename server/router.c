/* Paths against templates, segment by segment. */
#include "server/router.h"

#include "base/text.h"
#include "server/format.h"

#include <string.h>

/* One segment of a template: a literal, an argument "{a}" or two of them, "{a}@{b}".
 *
 * text, len: the literal, or the name of the (first) argument
 * second:    name of the second one, second_len bytes; NULL: there is none */
struct part {
    const char *text;
    size_t len;
    bool is_argument;
    const char *second;
    size_t second_len;
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
        size_t name_len = strcspn(++part.text, "}");

        if (name_len + 2 < part.len) {
            part.second = part.text + name_len + strlen("}@{");
            part.second_len = part.len - 2 * strlen("{}") - name_len - 1;
        }
        part.len = name_len;
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

/* Take an argument, the last one of a path without its suffix.
 *
 * name: of name_len bytes */
static enum err_code take_argument(const char *name, size_t name_len, const char *value,
                                   bool is_last, struct arena *arena, struct http_match *match,
                                   struct err *e)
{
    struct http_argument *argument = &match->arguments[match->argument_count++];
    size_t stem_len;

    *argument = (struct http_argument){name, name_len, value};
    if (!is_last ||
        !http_format_by_suffix(value, match->endpoint->formats, &match->format, &stem_len))
        return ERR_OK;
    match->has_format = true;
    argument->value = arena_text(arena, value, stem_len);
    return argument->value ? ERR_OK : err_nomem(e);
}

/* Take the one or two arguments of a segment.
 *
 * out_fits: whether there are as many, and none is empty */
static enum err_code take_arguments(const struct part *part, const char *segment, bool is_last,
                                    struct arena *arena, struct http_match *match, bool *out_fits,
                                    struct err *e)
{
    const char *at = strchr(segment, '@');
    const char *first;

    *out_fits = true;
    if (!part->second)
        return take_argument(part->text, part->len, segment, is_last, arena, match, e);
    if (!at || at == segment || !at[1]) {
        *out_fits = false;
        return ERR_OK;
    }
    first = arena_text(arena, segment, (size_t)(at - segment));
    if (!first)
        return err_nomem(e);
    if (take_argument(part->text, part->len, first, false, arena, match, e))
        return e->code;
    return take_argument(part->second, part->second_len, at + 1, is_last, arena, match, e);
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
        bool is_taken = false;

        if (!*segment)
            return ERR_OK;
        if (part.is_argument) {
            enum err_code rc = take_arguments(&part, segment, is_last, arena, match, &is_taken, e);

            if (rc != ERR_OK || !is_taken)
                return rc;
        } else if (is_last ? !match_last_literal(&part, segment, endpoint->formats, match)
                           : !is_literal(&part, segment, strlen(segment))) {
            return ERR_OK;
        }
    }
    *out_fits = !*at && i == path->count;
    return ERR_OK;
}

/* Most rows differ from a path in their first letter. */
static bool may_fit(const struct http_endpoint *endpoint, const struct http_path *path)
{
    char first = endpoint->path[1];

    return first == '{' || path->count == 0 || first == path->segments[0][0];
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

        if (!may_fit(&routes->endpoints[i], path))
            continue;
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
