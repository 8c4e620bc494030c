/* Lists from columns in memory beside the same lists from SQL: recipes whose every column is made
 * up, random queries over every column, and the comparison of both pages. */
#ifndef TESTS_SUPPORT_SCAN_TRIAL_H
#define TESTS_SUPPORT_SCAN_TRIAL_H

#include "db/query.h"
#include "tests/support/db_fixture.h"

/* Most of each in a random query. */
enum { TRIAL_FILTERS = 4, TRIAL_VALUES = 4, TRIAL_SORTS = 4, TRIAL_COLUMNS = 3 };

/* A random query and what it refers to.
 *
 * probe: the recipe that values are of; not one that is stored, so that some stand in no column */
struct scan_trial {
    struct recipe_query query;
    struct recipe probe;
    struct query_filter filters[TRIAL_FILTERS];
    struct query_value values[TRIAL_FILTERS][TRIAL_VALUES];
    struct query_sort sorts[TRIAL_SORTS];
    struct query_price prices[2];
    const struct field *columns[TRIAL_COLUMNS];
    struct query_value after[TRIAL_SORTS + QUERY_TAIL_KEYS];
};

/* Store recipes over the fixture's catalogue, in one transaction, and rank them. Values are few
 * enough that recipes tie, and null where they may be. The same seed makes the same ones. */
void scan_trial_store(struct fixture *f, size_t count, uint32_t seed);

/* Make a query; the seed moves on. out: must not be moved */
void scan_trial_make(struct scan_trial *out, uint32_t *seed);

/* Answer a query both ways, and walk on from its page, up to a number of pages. The connection
 * shares columns, and is in a transaction.
 *
 * out_problem: what differs; NULL: nothing
 * Errors:      as db_query_run. */
MUST_USE enum err_code scan_trial_compare(struct db *db, const struct recipe_query *query,
                                          size_t pages, const char **out_problem, struct err *e);

#endif
