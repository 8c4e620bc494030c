/* Inside of db/query_*.c: the parts that statements of list queries are put together from. */
#ifndef DB_QUERY_WHERE_H
#define DB_QUERY_WHERE_H

#include "db/query_sql.h"

/* What is looked through, for query_put_from: all recipes, or, for query_is_of_ranking, their
 * cards.
 */
#define QUERY_RECIPES "recipes"
#define QUERY_CARDS   "recipe_cards AS recipes"

/* Write a parameter, or the name of a column that has none of its own: a letter and a number. */
void query_put_numbered(const char *letter, size_t number, struct buf *sql);

/* Write the table that is looked through, and WHERE with a condition that holds. SQLite makes one
 * query of this and the outer one, so that indexes serve with prices too. */
void query_put_from(const struct recipe_query *query, const char *table, struct buf *sql);

/* Write one filter; all of them, each after AND; and all conditions, likewise.
 *
 * is_count: whether what they let through is only counted */
void query_put_filter(const struct recipe_query *query, size_t index, bool is_count,
                      struct buf *sql);
void query_put_filters(const struct recipe_query *query, bool is_count, struct buf *sql);
void query_put_conditions(const struct recipe_query *query, bool is_count, struct buf *sql);

/* Write the first count terms compared with a row's keys, in lexical order:
 * (t0 after k0 OR (t0 = k0 AND (t1 after k1 OR ...))).
 *
 * letter: of the keys' parameters */
void query_put_compare(const struct recipe_query *query, const struct query_order *order,
                       size_t count, bool is_before, char letter, const struct query_value *keys,
                       struct buf *sql);

#endif
