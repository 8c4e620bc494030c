/* Inside of db/: the text of list queries, put together from fixed fragments, and the values bound
 * to it. Nothing outside db/ includes this. */
#ifndef DB_QUERY_SQL_H
#define DB_QUERY_SQL_H

#include "base/buf.h"
#include "db/query_order.h"
#include "db/stmt.h"

/* Longest text for FTS5: that of a parameter, quoted. */
#define MATCH_LIMIT (16 * 1024)

/* Columns of a page's statement before those that were asked for, which stand before the keys that
 * are not fixed. */
enum query_column {
    QUERY_WORKLOAD,
    QUERY_AUTHOR,
    QUERY_SPEED,
    QUERY_STDERR,
    QUERY_USD,
    QUERY_CARD_HEAD,
    QUERY_CARD_TAIL,
    QUERY_FIRST_VALUE
};

/* Parameters, by what is bound to them: ":f0_1" value 1 of filter 0, ":gpu0" and ":price0" of price
 * 0, ":as_of", ":text", ":a0" key 0 of the row after which a page begins, ":b0" of the row that
 * others come before, ":limit", ":id". A null value has none: the text says IS NULL. */

/* Write the statement of a page. */
void query_write_page(const struct recipe_query *query, const struct query_order *order,
                      struct buf *sql);

/* Write the statement of one row of a page, whose id is known (":id"). */
void query_write_row(const struct recipe_query *query, const struct query_order *order,
                     struct buf *sql);

/* Write the statement that counts what matches, on all pages. */
void query_write_total(const struct recipe_query *query, struct buf *sql);

/* Write the statement that counts what comes before a row by the first keys of the order: by the
 * sort keys alone what ranks better, by all of them what stands before it.
 *
 * keys: of the row, key_count of them; they say which are null */
void query_write_before(const struct recipe_query *query, const struct query_order *order,
                        const struct query_value *keys, size_t key_count, struct buf *sql);

/* Write the statement that lists the newest events of what matches: at, kind, model, gpu, workload,
 * recipe, hash, then the figures after and before. */
void query_write_events(const struct recipe_query *query, struct buf *sql);

/* Bind what the conditions of a query need.
 *
 * match: text for FTS5, by query_write_match; not looked at without query->text */
void query_bind_conditions(struct stmt *s, const struct recipe_query *query, const char *match);

/* Write the words of a text for FTS5, each quoted, so that none is an operator. */
void query_write_match(const char *text, struct buf *out);

#endif
