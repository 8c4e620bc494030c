/* Header fields by name, and the framing of the body (RFC 9112, 3.2, 5 and 6.3). */
#include "server/fields.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "server/limits.h"

#include <string.h>
#include <strings.h>

static const char *const names[] = {
    [HTTP_FIELD_ACCEPT] = "Accept",
    [HTTP_FIELD_ACCEPT_ENCODING] = "Accept-Encoding",
    [HTTP_FIELD_CONTENT_ENCODING] = "Content-Encoding",
    [HTTP_FIELD_CONTENT_LENGTH] = "Content-Length",
    [HTTP_FIELD_CONTENT_TYPE] = "Content-Type",
    [HTTP_FIELD_EXPECT] = "Expect",
    [HTTP_FIELD_HOST] = "Host",
    [HTTP_FIELD_IF_NONE_MATCH] = "If-None-Match",
    [HTTP_FIELD_TRANSFER_ENCODING] = "Transfer-Encoding",
    [HTTP_FIELD_USER_AGENT] = "User-Agent",
    [HTTP_FIELD_X_FORWARDED_FOR] = "X-Forwarded-For",
    [HTTP_FIELD_X_REQUEST_ID] = "X-Request-Id",
};

/* What a field's name is made of, beside letters and digits; RFC 9110, 5.6.2. */
static const char token[] = "!#$%&'*+-.^_`|~";

/* What a Host may have beside them: a name or an address, and a port; RFC 3986, 3.2.2. */
static const char host[] = "-._~!$&'()*+,;=%[]:";

/* What says how long the body is. */
static const enum http_field framing[] = {HTTP_FIELD_CONTENT_LENGTH, HTTP_FIELD_TRANSFER_ENCODING};

/* Tell whether a name is that of a framing field with something behind it: to this the library
 * makes a folded line (0.9.75), and it would be passed over. No field has a name that begins so. */
static bool is_folded(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(framing); i++) {
        size_t len = strlen(names[framing[i]]);

        if (strncasecmp(name, names[framing[i]], len) == 0 && name[len])
            return true;
    }
    return false;
}

static bool is_framing(size_t field)
{
    bool is_one = false;

    for (size_t i = 0; i < COUNT_OF(framing); i++)
        is_one = is_one || framing[i] == field;
    return is_one;
}

/* Tell whether a value has control characters, of which only the tab may be there: others see a
 * line end in some of them (RFC 9110, 5.5). */
static bool has_control(const char *value)
{
    while (*value && (*value == '\t' || (unsigned char)*value >= ' ') && *value != 0x7f)
        value++;
    return *value;
}

static size_t trimmed_length(const char *value)
{
    size_t len = strlen(value);

    while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
        len--;
    return len;
}

/* Make one value of what there is and what a further line has. */
static const char *join(const char *before, const char *value, size_t len, struct arena *arena)
{
    size_t before_len = strlen(before);
    char *joined = arena_array(arena, before_len + 2 + len + 1, 1);

    if (!joined)
        return NULL;
    memcpy(joined, before, before_len);
    memcpy(joined + before_len, ", ", 2);
    memcpy(joined + before_len + 2, value, len);
    return joined;
}

enum err_code http_fields_add(struct http_fields *fields, const char *name, const char *value,
                              struct arena *arena, struct err *e)
{
    size_t name_len = strlen(name);
    size_t len;
    size_t i = 0;

    fields->total_lines++;
    fields->total_bytes += name_len + strlen(value) + 4; /* Colon, space, end of line. */
    if (name_len == 0 || !text_is_word(name, token) || is_folded(name))
        fields->is_malformed = true;
    if (has_control(value))
        fields->has_control = true;
    while (i < HTTP_FIELDS && strcasecmp(names[i], name) != 0)
        i++;
    /* The library takes no "chunked " for chunked, and reads on until the connection ends. */
    len = is_framing(i) ? strlen(value) : trimmed_length(value);
    /* Beyond the limits, which the caller looks at, lines are only counted. */
    if (i == HTTP_FIELDS || fields->total_lines > HTTP_HEADER_LINES ||
        fields->total_bytes > HTTP_HEADER_BYTES)
        return ERR_OK;
    fields->lines[i]++;
    if (fields->values[i])
        value = join(fields->values[i], value, len, arena);
    else if (value[len])
        value = arena_text(arena, value, len);
    if (!value)
        return err_nomem(e);
    fields->values[i] = value;
    return ERR_OK;
}

static enum err_code check_host(const struct http_fields *fields, bool is_http_1_1, struct err *e)
{
    const char *value = fields->values[HTTP_FIELD_HOST];

    if (fields->lines[HTTP_FIELD_HOST] > 1)
        return err_set(e, ERR_INPUT, "the request has more than one Host");
    if (!value && is_http_1_1)
        return err_set(e, ERR_INPUT, "the request has no Host, which HTTP/1.1 needs");
    if (value && !text_is_word(value, host))
        return err_set(e, ERR_INPUT, "the request's Host is malformed");
    return ERR_OK;
}

enum err_code http_fields_frame(const struct http_fields *fields, bool is_http_1_1,
                                uint64_t *out_len, struct err *e)
{
    const char *coding = fields->values[HTTP_FIELD_TRANSFER_ENCODING];
    const char *length = fields->values[HTTP_FIELD_CONTENT_LENGTH];
    int64_t len = 0;

    if (fields->is_malformed)
        return err_set(e, ERR_INPUT, "the request has a header field with a malformed name");
    if (fields->has_control)
        return err_set(e, ERR_INPUT, "the request has a header field with control characters");
    if (check_host(fields, is_http_1_1, e))
        return e->code;
    if (coding && length)
        return err_set(e, ERR_INPUT, "the request has both Content-Length and Transfer-Encoding");
    if (fields->lines[HTTP_FIELD_CONTENT_LENGTH] > 1)
        return err_set(e, ERR_INPUT, "the request has more than one Content-Length");
    if (coding && (!is_http_1_1 || strcasecmp(coding, "chunked") != 0))
        return err_set(e, ERR_INPUT, "the request's Transfer-Encoding is not chunked");
    if (length && num_parse_int(length, strlen(length), 0, INT64_MAX, &len, e))
        return err_wrap(e, "Content-Length");
    *out_len = coding ? UINT64_MAX : (uint64_t)len;
    return ERR_OK;
}
