/* A growing text with a hard limit. Appending never fails in the caller's face: the first failure
 * sticks, later appends do nothing, and buf_check tells at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer.
 *
 * data:   len bytes and a zero byte after them; NULL while nothing was appended
 * limit:  bytes that data may hold, the zero byte not counted
 * status: ERR_OK, or the first failure: ERR_NOMEM or ERR_LIMIT */
struct buf {
    char *data;
    size_t len;
    size_t cap;
    size_t limit;
    enum err_code status;
};

/* Start an empty buffer; allocates nothing. */
void buf_init(struct buf *b, size_t limit);

/* Release the text; the buffer is empty again, with its limit kept. */
void buf_done(struct buf *b);

/* Forget the text, keep the memory. A failure stays, so that a buffer that is used again and again
 * is checked once, at the end; buf_done forgets it. */
void buf_reset(struct buf *b);

/* Make room for len bytes, for the caller to write behind the text, and then to say where they end.
 *
 * end:    behind what was written, len bytes at most
 * Errors: NULL if there is no room: nothing may be written */
char *buf_room(struct buf *b, size_t len);
void buf_end(struct buf *b, const char *end);

/* Append len bytes. */
void buf_add(struct buf *b, const char *bytes, size_t len);

/* Append a zero-terminated text. */
void buf_puts(struct buf *b, const char *text);

/* Append a text percent-encoded (RFC 3986, 2.1), but for the characters in plain. */
void buf_put_encoded(struct buf *b, const char *text, const char *plain);

/* Append one byte. */
void buf_putc(struct buf *b, char c);

/* Append formatted text. Never for input inside JSON, SQL, URLs or shell text. */
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append an integer in decimal. */
void buf_put_int(struct buf *b, int64_t value);

/* Append a real as the shortest decimal that reads back (num_format_real). */
void buf_put_real(struct buf *b, double value);

/* The text so far, zero-terminated; "" while empty. Lent until the next change of b. */
const char *buf_text(const struct buf *b);

/* Tell whether every append so far worked.
 *
 * Errors: ERR_NOMEM; ERR_LIMIT if the text would have passed the limit. */
MUST_USE enum err_code buf_check(const struct buf *b, struct err *e);

/* Hand the text over, zero-terminated; the buffer is empty again.
 *
 * out_len: length without the zero byte; may be NULL
 * Errors:  NULL if an append failed or memory is short.
 * Owns:    the caller frees it with free(). */
char *buf_take(struct buf *b, size_t *out_len);

#endif
