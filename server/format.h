/* The representations: their suffixes and media types. */
#ifndef SERVER_FORMAT_H
#define SERVER_FORMAT_H

#include "server/http.h"

/* One representation.
 *
 * suffix:       of a path, with the dot; NULL: it has none
 * media_type:   what Accept is compared with
 * content_type: what is sent, with the charset where the type is text */
struct http_format_row {
    const char *suffix;
    const char *media_type;
    const char *content_type;
};

/* Look a format up; never NULL for a format of the enum. */
const struct http_format_row *http_format_row(enum http_format format);

/* Find the format of a set by the suffix that a path's last segment ends in.
 *
 * formats:      set of formats
 * out_format:   the format
 * out_stem_len: bytes of the segment before the suffix, > 0
 * returns false if the segment ends in none of the suffixes */
bool http_format_by_suffix(const char *segment, unsigned formats, enum http_format *out_format,
                           size_t *out_stem_len);

#endif
