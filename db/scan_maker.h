/* Inside of db/: makes a column out of values that come one by one, in the recipes' order. Nothing
 * outside db/ includes this. */
#ifndef DB_SCAN_MAKER_H
#define DB_SCAN_MAKER_H

#include "db/scan_column.h"

/* A column in the making. Values have codes in the order of their coming until the end.
 *
 * field:       NULL: ids
 * codes:       of count recipes
 * values:      value_count of them; of a text its offset in texts
 * slots:       slot_count of them, a power of two: a hash table of codes, each one more, 0: free
 * last:        code of the recipe before */
struct scan_maker {
    const struct field *field;
    enum query_value_kind kind;
    uint32_t *codes;
    size_t code_cap;
    size_t count;
    union scan_value *values;
    size_t value_cap;
    uint32_t value_count;
    char *texts;
    size_t text_cap;
    size_t text_len;
    uint32_t *slots;
    size_t slot_count;
    uint32_t last;
};

/* Start with no recipe; allocates nothing. field: NULL: ids */
void scan_maker_init(struct scan_maker *m, const struct field *field);

/* Release everything. */
void scan_maker_done(struct scan_maker *m);

/* Add the next recipe's value, which is null or of the field's kind; an id is 0 to UINT32_MAX - 1.
 *
 * returns false if memory is short */
bool scan_maker_add(struct scan_maker *m, const struct query_value *value);

/* Bytes that it takes now. A finished column may take a quarter of that. */
size_t scan_maker_bytes(const struct scan_maker *m);

/* Make the column; the maker is empty again.
 *
 * returns false if memory is short
 * Owns: the caller ends with scan_column_done. */
bool scan_maker_finish(struct scan_maker *m, struct scan_column *out);

#endif
