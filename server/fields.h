/* The header fields of a request that the server reads, and what they say of its body. */
#ifndef SERVER_FIELDS_H
#define SERVER_FIELDS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields that are read; all others are passed over. */
enum http_field {
    HTTP_FIELD_ACCEPT,
    HTTP_FIELD_ACCEPT_ENCODING,
    HTTP_FIELD_CONTENT_ENCODING,
    HTTP_FIELD_CONTENT_LENGTH,
    HTTP_FIELD_CONTENT_TYPE,
    HTTP_FIELD_EXPECT,
    HTTP_FIELD_HOST,
    HTTP_FIELD_IF_NONE_MATCH,
    HTTP_FIELD_TRANSFER_ENCODING,
    HTTP_FIELD_USER_AGENT,
    HTTP_FIELD_X_FORWARDED_FOR,
    HTTP_FIELD_X_REQUEST_ID,
    HTTP_FIELDS /* how many there are */
};

/* What a request's head has.
 *
 * values:       of lines within the limits, without spaces around; several lines of one field are
 *               joined by ", ". NULL: absent
 * lines:        how many of each field there are
 * total_lines, total_bytes: of all fields, known or not
 * is_malformed: whether a field's name is none
 * has_control:  whether a value has control characters */
struct http_fields {
    const char *values[HTTP_FIELDS];
    unsigned lines[HTTP_FIELDS];
    size_t total_lines;
    size_t total_bytes;
    bool is_malformed;
    bool has_control;
};

/* Take one line.
 *
 * name, value: lent as long as fields is used
 * arena:  keeps what had to be joined
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code http_fields_add(struct http_fields *fields, const char *name,
                                       const char *value, struct arena *arena, struct err *e);

/* Read how long the body is, and refuse what could be read in two ways.
 *
 * is_http_1_1: whether Host is needed
 * out_len:     bytes of the body; UINT64_MAX if it comes in chunks
 * Errors:      ERR_INPUT; the connection can then not be used further. */
MUST_USE enum err_code http_fields_frame(const struct http_fields *fields, bool is_http_1_1,
                                         uint64_t *out_len, struct err *e);

#endif
