/* What the formats of rows share; for api/rows*.c only. */
#ifndef API_ROWS_PARTS_H
#define API_ROWS_PARTS_H

#include "api/rows.h"

/* Append a number, true or false; nothing for null. value: no text */
void rows_put_plain(struct buf *out, const struct field *field, const struct query_value *value);

/* Append the standard error of a row's speed, tokens/s per GPU, to six significant digits. */
void rows_put_stderr(struct buf *out, const struct query_row *row);

/* "true", "false", or "" where it is not known. */
const char *rows_near_tie_word(enum rows_near_tie near_tie);

#endif
