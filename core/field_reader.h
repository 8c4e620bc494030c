/* One reading of a tree by a field table: what core/field_read.c (maps and lists) and
 * core/field_scalar.c (single values) share. Nobody else needs it: see core/field.h. */
#ifndef CORE_FIELD_READER_H
#define CORE_FIELD_READER_H

#include "core/field.h"

/* Room for the path of any field of any table, with a piece of a wrong key at its end. */
#define FIELD_PATH_BYTES 256

/* One reading.
 *
 * is_short: memory ran out
 * path:     of the value in hand */
struct field_reader {
    struct arena *arena;
    struct report *report;
    bool is_short;
    char path[FIELD_PATH_BYTES];
    size_t path_len;
};

/* A piece of text from the document that fits into a message: the start of its first line, in whole
 * characters. To be printed with "%.*s%s". */
struct field_shown {
    int len;
    const char *dots; /* "..." where text is left out, else "" */
};

/* Cut a text of the document to what a message shows, between characters. */
struct field_shown field_show(const char *text);

/* Note an error at a node, under the path in hand. */
void field_refuse(struct field_reader *rd, const struct tree_node *node, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Tell whether a node is there for its kind: neither null, nor a map, a list or a single value
 * where the kind is none. Where it is not, an error is noted. */
bool field_is_shape(struct field_reader *rd, enum field_kind kind, const struct tree_node *node);

/* Copy text for the record; NULL, and is_short, if memory is short. */
const char *field_copy_text(struct field_reader *rd, const char *text, size_t len);

/* Read a value that field_is_shape found fit. out is written only where the value is good; where it
 * is not, an error is noted. */
void field_read_int(struct field_reader *rd, const struct field *field,
                    const struct tree_node *node, int64_t *out);
void field_read_real(struct field_reader *rd, const struct field *field,
                     const struct tree_node *node, double *out);
void field_read_bool(struct field_reader *rd, const struct tree_node *node, bool *out);
void field_read_text(struct field_reader *rd, const struct field *field,
                     const struct tree_node *node, const char **out);

#endif
