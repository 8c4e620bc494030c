/* URL-safe Base64 without padding, for cursors. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

/* Append the encoding of len bytes. */
void base64_write(struct buf *out, const char *bytes, size_t len);

/* Append what a text encodes.
 *
 * text:   of len bytes, and ended by a zero byte
 * returns false if it is not as base64_write gives it; out may then hold a part */
bool base64_read(struct buf *out, const char *text, size_t len);

#endif
