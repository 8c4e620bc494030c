/* Inside of db/: the order of a query over columns in memory. A recipe's key is one number of two
 * words: its codes, each in a few bits, the most important first, then its ordinal. Nothing outside
 * db/ includes this. */
#ifndef DB_SCAN_ORDER_H
#define DB_SCAN_ORDER_H

#include "db/query_order.h"
#include "db/scan_store.h"

/* A number of two words. */
struct scan_key {
    uint64_t high;
    uint64_t low;
};

/* One part of a key: a column's codes, or, where they run down, the reverse of those that are not
 * null.
 *
 * index:   of the query's term
 * is_sort: whether it is one of the sort keys
 * is_high: in which word it is
 * shift:   of its lowest bit there
 * bits:    that it has */
struct scan_term {
    const struct scan_column *column;
    size_t index;
    bool is_descending;
    bool is_sort;
    bool is_high;
    unsigned shift;
    unsigned bits;
};

/* The whole order. The ordinal is in the lowest bits of the lower word.
 *
 * tie_mask: bits of the sort keys: recipes that are equal in them tie */
struct scan_order {
    struct scan_term terms[QUERY_SORTS + 1];
    size_t count;
    unsigned ordinal_bits;
    struct scan_key tie_mask;
};

/* Tell whether the keys of a row, after which a page begins, are of their columns' kinds. */
bool scan_order_fits(const struct query_order *order, const struct query_value *after);

/* Want the columns of an order. sort_count: how many of its terms are sort keys */
void scan_order_want(const struct query_order *order, size_t sort_count, struct scan_loan *loan);

/* Put an order together, from columns that are lent.
 *
 * returns false if its keys do not fit into two words */
bool scan_order_make(const struct query_order *order, size_t sort_count,
                     const struct scan_loan *loan, struct scan_order *out);

/* A recipe's key, and its ordinal by its key. */
struct scan_key scan_order_key(const struct scan_order *order, size_t ordinal);
size_t scan_order_ordinal(const struct scan_order *order, struct scan_key key);

/* Find the lowest key that a recipe may have which comes after a row, whether the row is there or
 * not.
 *
 * after:   keys of the row
 * ordinal: of the first recipe after it by model, gpu and recipe */
struct scan_key scan_order_start(const struct scan_order *order, const struct query_value *after,
                                 size_t ordinal);

/* Tell whether a key is below another: by all of it, or by the sort keys alone. */
bool scan_key_is_less(struct scan_key a, struct scan_key b);
bool scan_order_is_better(const struct scan_order *order, struct scan_key a, struct scan_key b);

/* Split the marked recipes of a block by a key's terms, one after the other, as long as more than a
 * few are equal to it so far.
 *
 * marks:      SCAN_BLOCK of them, as are the outs
 * out_below:  those below the key
 * out_equal:  those that may be equal to it, or below or above: the last terms, or ordinals, say
 * out_better: how many are below it by the sort keys; of those that are equal so far none counts */
void scan_order_split(const struct scan_order *order, size_t block, struct scan_key key,
                      const uint8_t *marks, uint8_t *out_below, uint8_t *out_equal,
                      size_t *out_better);

#endif
