/* Inside of db/: one walk over columns in memory, which counts what passes a filter and finds the
 * first ones in an order. Nothing outside db/ includes this. */
#ifndef DB_SCAN_WALK_H
#define DB_SCAN_WALK_H

#include "db/scan_filter.h"
#include "db/scan_order.h"

/* A walk.
 *
 * start:    only keys from this one on are for the page, where it has one
 * first:    room for most keys, the lowest that were found so far, count of them; while walking a
 *           heap with the highest on top, then in order
 * total:    recipes that pass
 * before:   of these, with keys below start
 * better:   of these, with better sort keys than start's */
struct scan_walk {
    const struct scan_filter *filter;
    const struct scan_order *order;
    bool has_start;
    struct scan_key start;
    struct scan_key *first;
    size_t most;
    size_t count;
    size_t total;
    size_t before;
    size_t better;
};

/* Walk over all recipes. walk: counts are 0 */
void scan_walk_run(struct scan_walk *walk);

#endif
