/* Inside of db/: one column of all recipes in memory, for queries that no index serves. Which there
 * are is scan_store.h, how they come to be scan_build.h. Nothing outside db/ includes this. */
#ifndef DB_SCAN_COLUMN_H
#define DB_SCAN_COLUMN_H

#include "db/query.h"

/* Recipes that are looked at together: a column's part of them stays in the processor's first
 * cache, and compilers make vector code of a loop over so many. */
#define SCAN_BLOCK 4096

/* What a column is of.
 *
 * field: NULL: none
 * words: text for FTS5: which recipes have them; NULL: none, and without a field the recipes' ids
 */
struct scan_subject {
    const struct field *field;
    const char *words;
};

/* Tell whether two columns are of the same. */
bool scan_subject_is_same(struct scan_subject a, struct scan_subject b);

/* A value that is not null; its column says of which kind. */
union scan_value {
    int64_t integer;
    double real;
    const char *text;
};

/* One field of all recipes, in the order of their primary key: model, gpu, recipe. A recipe's place
 * in that order is its ordinal, from 0. A code stands for each value, in the order of values:
 * numbers by value, text by its bytes, as SQLite compares them. Null has the code after the last,
 * since nulls come last. Two kinds of columns are no field's, and have codes alone: the recipes'
 * ids, and 1 for those that have some words beside 0 for the others. Nothing of it changes once it
 * is built.
 *
 * kind:        of its values
 * count:       recipes
 * width:       bytes of a code: 1, 2 or 4
 * codes:       of each recipe, then zeros up to a whole block
 * value_count: different values but null; where codes stand for themselves one more than the
 *              largest
 * values:      by code; NULL where codes stand for themselves
 * texts:       what values point to
 * bytes:       that all of it takes */
struct scan_column {
    enum query_value_kind kind;
    size_t count;
    size_t width;
    void *codes;
    uint32_t value_count;
    union scan_value *values;
    char *texts;
    size_t bytes;
};

/* Codes from first to last. */
struct scan_range {
    uint32_t first;
    uint32_t last;
};

/* Where a value stands in a column.
 *
 * code:  its own, or that of the first value after it
 * is_in: whether the column has it */
struct scan_place {
    uint32_t code;
    bool is_in;
};

/* Release what a column points to; a zeroed one is fine. */
void scan_column_done(struct scan_column *column);

/* Whole blocks that hold so many recipes, and the places in these. */
size_t scan_blocks(size_t count);
size_t scan_places(size_t count);

/* The kind of values that a field's column has. */
enum query_value_kind scan_kind(const struct field *field);

/* Compare two values of a kind: below, equal to or above 0. */
int scan_value_compare(enum query_value_kind kind, union scan_value a, union scan_value b);

/* Find null, which is always there, or a value of the column's kind. */
struct scan_place scan_column_find(const struct scan_column *column,
                                   const struct query_value *value);

/* The code of one recipe. */
uint32_t scan_column_code(const struct scan_column *column, size_t ordinal);

/* Mark with 1 the recipes of a block whose codes are in a range; other marks stay.
 *
 * marks: SCAN_BLOCK of them, each 0 or 1 */
void scan_column_mark(const struct scan_column *column, size_t block, struct scan_range range,
                      uint8_t *marks);

/* Count a block's marks. */
size_t scan_marks_count(const uint8_t *marks);

#endif
