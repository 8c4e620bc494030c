/* Content-Range, RateLimit, Retry-After: tolerant of what is not understood, never of a lie. */
#include "importers/fetch_headers.h"

#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/* Read the digits at *at and step over them; -1 if there are none or they do not fit. */
static int64_t take_number(const char **at)
{
    size_t len = strspn(*at, "0123456789");
    int64_t value;
    struct err e;

    if (num_parse_int(*at, len, 0, INT64_MAX, &value, &e) != ERR_OK)
        return -1;
    *at += len;
    return value;
}

static bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

bool fetch_headers_range(const char *text, struct fetch_range *out_range)
{
    static const char unit[] = "bytes ";
    const char *at = text + sizeof unit - 1;
    struct fetch_range r;

    if (strncmp(text, unit, sizeof unit - 1) != 0)
        return false;
    r.first = take_number(&at);
    if (r.first < 0 || !take_char(&at, '-'))
        return false;
    r.last = take_number(&at);
    if (r.last < r.first || !take_char(&at, '/'))
        return false;
    r.total = take_number(&at);
    if (r.total <= r.last || *at != '\0')
        return false;
    *out_range = r;
    return true;
}

/* The number behind ";KEY=" in one quota of len bytes; -1 if it is not there. */
static int64_t parameter(const char *quota, size_t len, char key)
{
    for (size_t i = 0; i + 3 < len; i++) {
        const char *at = quota + i + 1;

        if (quota[i] != ';')
            continue;
        at += strspn(at, " ");
        if (take_char(&at, key) && take_char(&at, '='))
            return take_number(&at);
    }
    return -1;
}

int64_t fetch_headers_rate_limit(const char *text)
{
    int64_t longest = 0;

    while (*text) {
        size_t len = strcspn(text, ",");

        if (parameter(text, len, 'r') == 0) {
            int64_t wait = parameter(text, len, 't');

            longest = wait > longest ? wait : longest;
        }
        text += len;
        (void)take_char(&text, ','); /* There is none behind the last quota. */
    }
    return longest;
}

int64_t fetch_headers_retry_after(const char *text)
{
    int64_t seconds = take_number(&text);

    return *text == '\0' ? seconds : -1;
}

bool fetch_headers_is_passing(long status)
{
    static const long passing[] = {408, 429, 500, 502, 503, 504};

    for (size_t i = 0; i < COUNT_OF(passing); i++)
        if (passing[i] == status)
            return true;
    return false;
}
