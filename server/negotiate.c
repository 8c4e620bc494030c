/* Lists of weighted names, and the choice between them. */
#include "server/negotiate.h"

#include "server/format.h"

#include <string.h>
#include <strings.h>

/* One element of such a list.
 *
 * name:     without parameters and spaces around it
 * weight:   its q in thousandths; -1 for an element that is malformed */
struct element {
    const char *name;
    size_t len;
    int weight;
};

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

static bool is_name(const struct element *element, const char *name)
{
    return element->len == strlen(name) && strncasecmp(element->name, name, element->len) == 0;
}

/* Parse a weight: 0 or 1, and up to three decimals.
 *
 * returns thousandths, -1 for anything else; at is moved past it */
static int parse_weight(const char **at)
{
    const char *p = *at;
    int value;

    if (*p != '0' && *p != '1')
        return -1;
    value = (*p++ - '0') * 1000;
    if (*p == '.') {
        p++;
        for (int place = 100; place > 0 && *p >= '0' && *p <= '9'; place /= 10)
            value += (*p++ - '0') * place;
    }
    *at = p;
    return value <= 1000 ? value : -1;
}

/* Skip to the end of a parameter; a quoted text may hold commas and semicolons. */
static const char *skip_parameter(const char *at)
{
    bool is_quoted = false;

    for (; *at && (is_quoted || (*at != ',' && *at != ';')); at++) {
        if (*at == '"')
            is_quoted = !is_quoted;
        else if (*at == '\\' && is_quoted && at[1])
            at++;
    }
    return at;
}

/* Take the next element off a list.
 *
 * at: moved past it
 * returns false at the end */
static bool next_element(const char **at, struct element *out)
{
    const char *p = *at + strspn(*at, " \t,");

    if (!*p)
        return false;
    *out = (struct element){.name = p, .len = strcspn(p, " \t,;"), .weight = 1000};
    p = skip_spaces(p + out->len);
    while (*p == ';') {
        p = skip_spaces(p + 1);
        if ((*p == 'q' || *p == 'Q') && p[1] == '=') {
            p += 2;
            out->weight = parse_weight(&p);
            p = skip_spaces(p);
            if (*p && *p != ',' && *p != ';')
                out->weight = -1;
        }
        p = skip_parameter(p);
    }
    if (*p && *p != ',') {
        out->weight = -1;
        p += strcspn(p, ",");
    }
    *at = p;
    return true;
}

/* How well a media type is liked.
 *
 * exactness: 3: a range names the type; 2: its first half; 1: any; 0: no range fits
 * position:  of the range in the header */
struct liking {
    int weight;
    int exactness;
    size_t position;
};

static int exactness_of(const struct element *range, const char *media_type)
{
    size_t type_len = strcspn(media_type, "/") + 1;

    if (is_name(range, media_type))
        return 3;
    if (range->len == type_len + 1 && range->name[type_len] == '*' &&
        strncasecmp(range->name, media_type, type_len) == 0)
        return 2;
    return is_name(range, "*/*") || is_name(range, "*") ? 1 : 0;
}

/* The most exact range that fits decides. */
static struct liking judge(const char *accept, const char *media_type)
{
    struct liking liking = {0};
    struct element range;

    for (size_t i = 0; next_element(&accept, &range); i++) {
        int exactness = range.weight >= 0 ? exactness_of(&range, media_type) : 0;

        if (exactness > liking.exactness)
            liking = (struct liking){range.weight, exactness, i};
    }
    return liking;
}

static bool is_better(const struct liking *a, const struct liking *b)
{
    if (a->weight != b->weight)
        return a->weight > b->weight;
    if (a->exactness != b->exactness)
        return a->exactness > b->exactness;
    return a->position < b->position;
}

static bool has_valid_range(const char *accept)
{
    struct element range;

    while (next_element(&accept, &range))
        if (range.weight >= 0)
            return true;
    return false;
}

bool http_negotiate(const char *accept, unsigned formats, enum http_format first,
                    enum http_format *out_format)
{
    enum http_format best = first;
    struct liking best_liking;

    if (!accept || !has_valid_range(accept)) {
        *out_format = first;
        return true;
    }
    best_liking = judge(accept, http_format_row(first)->media_type);
    for (size_t i = 0; i < HTTP_FORMATS; i++) {
        struct liking liking;

        if (!(formats & HTTP_BIT(i)))
            continue;
        liking = judge(accept, http_format_row((enum http_format)i)->media_type);
        if (is_better(&liking, &best_liking)) {
            best = (enum http_format)i;
            best_liking = liking;
        }
    }
    if (best_liking.weight == 0)
        return false;
    *out_format = best;
    return true;
}

/* Weight of a coding that the list names; -1 if it does not name it. */
static int coding_weight(const char *list, const char *name)
{
    struct element coding;

    while (next_element(&list, &coding))
        if (coding.weight >= 0 && is_name(&coding, name))
            return coding.weight;
    return -1;
}

enum http_coding http_negotiate_coding(const char *accept_encoding)
{
    int any, gzip, identity;

    if (!accept_encoding)
        return HTTP_CODING_IDENTITY;
    any = coding_weight(accept_encoding, "*");
    gzip = coding_weight(accept_encoding, "gzip");
    if (gzip < 0)
        gzip = coding_weight(accept_encoding, "x-gzip");
    if (gzip < 0)
        gzip = any;
    identity = coding_weight(accept_encoding, "identity");
    if (gzip <= 0 || gzip < identity)
        return HTTP_CODING_IDENTITY;
    return identity == 0 || (identity < 0 && any == 0) ? HTTP_CODING_GZIP_ONLY : HTTP_CODING_GZIP;
}

bool http_is_media_type(const char *content_type, const char *media_type)
{
    struct element given;

    return next_element(&content_type, &given) && is_name(&given, media_type);
}
