/* Inside of db/: the whole order of a list query, and which index serves it. Nothing outside db/
 * includes this. */
#ifndef DB_QUERY_ORDER_H
#define DB_QUERY_ORDER_H

#include "db/query.h"

/* One key of an order.
 *
 * is_nullable: whether rows may lack it; they come last
 * fixed:       the value that all rows have, since a filter says so; NULL: they differ
 * is_idle:     whether it decides nothing: it is fixed, or a key before it has the same column */
struct query_term {
    const struct field *field;
    bool is_descending;
    bool is_nullable;
    const struct query_value *fixed;
    bool is_idle;
};

/* The whole order of a query: its sort keys, then those that end every order.
 *
 * workload: that all rows have; NULL: they differ */
struct query_order {
    struct query_term terms[QUERY_SORTS + QUERY_TAIL_KEYS];
    size_t count;
    const char *workload;
};

/* The column of costs, for which an expression may stand. */
extern const char query_cost_column[];

/* Work out the whole order of a query: its sort keys and the tail that makes it total. */
void query_order_make(const struct recipe_query *query, struct query_order *out);

/* Tell whether a field's column has this name. */
bool query_is_column(const struct field *field, const char *column);

/* What stands for a field's column: the cost is worked out where prices are given. */
const char *query_value_of(const struct recipe_query *query, const struct field *field);

/* Tell whether all that a query asks for is in the cards of one ranking. */
bool query_is_of_ranking(const struct recipe_query *query, const struct query_order *order);

/* Tell whether an index has a query's order, and is the only one that serves it, so that cards may
 * be read while it is walked: where rows are sorted, only those of the page may be. */
bool query_is_served(const struct recipe_query *query, const struct query_order *order);

#endif
