/* What the client would like: Accept and Accept-Encoding with their weights (RFC 9110, 12.4). */
#ifndef SERVER_NEGOTIATE_H
#define SERVER_NEGOTIATE_H

#include "server/http.h"

/* Choose a format.
 *
 * The highest weight wins; then the range that names the type more exactly, then the one that
 * stands earlier in the header, then first, then the order of the enum.
 *
 * accept:     the header's value; NULL, or one without any valid range, takes everything
 * formats:    set of formats on offer
 * first:      one of them
 * out_format: the choice
 * returns false if the client takes none of them */
bool http_negotiate(const char *accept, unsigned formats, enum http_format first,
                    enum http_format *out_format);

/* Whether a body goes out compressed. */
enum http_coding {
    HTTP_CODING_IDENTITY, /* never compressed */
    HTTP_CODING_GZIP,     /* compressed where it is worth while */
    HTTP_CODING_GZIP_ONLY /* the client refuses what is not compressed */
};

/* Choose a coding.
 *
 * accept_encoding: the header's value; NULL: identity */
enum http_coding http_negotiate_coding(const char *accept_encoding);

/* Compare the media type of a Content-Type with another, without regard to case or parameters. */
bool http_is_media_type(const char *content_type, const char *media_type);

#endif
