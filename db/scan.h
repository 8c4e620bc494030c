/* Inside of db/: list queries that no index serves, answered from columns in memory, which the
 * connections of a pool share. SQL remains what says how a query is answered: whatever is in the
 * way here is left to it. Nothing outside db/ includes this. */
#ifndef DB_SCAN_H
#define DB_SCAN_H

#include "db/query_sql.h"

/* What a query found.
 *
 * ids:    of a page's rows in order, and of the first of the next page where one follows
 * total:  recipes that match, on all pages
 * before: of these, before the page
 * better: of these, with better sort keys than the row after which the page begins */
struct scan_found {
    int64_t *ids;
    size_t count;
    size_t total;
    size_t before;
    size_t better;
};

/* Tell why a query is left to SQL; NULL: columns serve it. */
const char *scan_why_not(const struct recipe_query *query, const struct query_order *order);

/* Find a page. In the transaction in which its rows are read.
 *
 * match: text for FTS5, by query_write_match; not looked at without query->text
 * out:   in the arena
 * returns false if SQL has to find it: the query is of that kind, the connection shares no columns
 *         or is in no transaction, or they cannot be had now */
bool scan_run(struct db *db, const struct recipe_query *query, const struct query_order *order,
              const char *match, struct arena *arena, struct scan_found *out);

#endif
