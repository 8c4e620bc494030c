/* Inside of db/: the conditions of a query over columns in memory. Nothing outside db/ includes
 * this. */
#ifndef DB_SCAN_FILTER_H
#define DB_SCAN_FILTER_H

#include "db/scan_store.h"

/* Filters, and those of status, day and words that a query has beside them. */
#define SCAN_CONDITIONS (QUERY_FILTERS + 3)

/* Ranges of one condition: one for each value, or what is below and above one. */
#define SCAN_RANGES QUERY_VALUES

/* Recipes whose codes are in one of count ranges. */
struct scan_condition {
    const struct scan_column *column;
    struct scan_range ranges[SCAN_RANGES];
    size_t count;
};

/* Conditions that all must hold. recipes: of which there are so many */
struct scan_filter {
    struct scan_condition conditions[SCAN_CONDITIONS];
    size_t count;
    size_t recipes;
};

/* Tell whether all values that a query compares with are of their columns' kinds. */
bool scan_filter_fits(const struct recipe_query *query);

/* Want the columns of a query's conditions.
 *
 * match: the query's text for FTS5, lent as long as the loan */
void scan_filter_want(const struct recipe_query *query, const char *match, struct scan_loan *loan);

/* Put the conditions together, from columns that are lent. out: zeroed */
void scan_filter_make(const struct recipe_query *query, const char *match,
                      const struct scan_loan *loan, struct scan_filter *out);

/* Mark with 1 the recipes of a block that pass, and with 0 the others. marks: SCAN_BLOCK of them */
void scan_filter_mark(const struct scan_filter *filter, size_t block, uint8_t *marks);

#endif
