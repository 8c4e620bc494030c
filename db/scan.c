/* Which queries columns serve, and what one needs beside them: the state of the database, where
 * its page begins. */
#include "db/scan.h"

#include "base/mem.h"
#include "core/recipe.h"
#include "db/query_where.h"
#include "db/scan_walk.h"

#include <assert.h>

enum { STATE, PLACE };

static const struct stmt_row rows[] = {
    [STATE] = {"SELECT text FROM facts WHERE name = '" DB_FACT_CHANGE "'", "name the state", NULL},
    [PLACE] = {"SELECT id, model = :model AND gpu = :gpu AND recipe = :recipe FROM recipes WHERE "
               "(model, gpu, recipe) >= (:model, :gpu, :recipe) ORDER BY model, gpu, recipe LIMIT "
               "1",
               "find where a page begins", NULL},
};

const struct stmt_table scan_statements = {rows, COUNT_OF(rows)};

/* Tell whether a query works out costs for each recipe. */
static bool needs_costs(const struct recipe_query *query)
{
    if (query->price_count == 0)
        return false;
    for (size_t i = 0; i < query->filter_count; i++)
        if (query_is_column(query->filters[i].field, query_cost_column))
            return true;
    for (size_t i = 0; i < query->sort_count; i++)
        if (query_is_column(query->sorts[i].field, query_cost_column))
            return true;
    return false;
}

static bool is_of_models(const struct recipe_query *query)
{
    for (size_t i = 0; i < query->filter_count; i++)
        if (query->filters[i].test == QUERY_ANY_OF &&
            query_is_column(query->filters[i].field, "model"))
            return true;
    return false;
}

const char *scan_why_not(const struct recipe_query *query, const struct query_order *order)
{
    if (query_is_of_ranking(query, order))
        return "the cards of a ranking lie together, in its order";
    if (is_of_models(query))
        return "the recipes of a model lie together, and are few";
    if (query_is_served(query, order) && query->is_part)
        return "an index has the order, and each part begins where the one before ended";
    if (needs_costs(query))
        return "costs at the client's prices are in no column";
    if (!scan_filter_fits(query) || (query->after && !scan_order_fits(order, query->after)))
        return "a value is of another kind than its column";
    return NULL;
}

/* What one query works with. */
struct scan {
    struct db *db;
    const struct recipe_query *query;
    const struct query_order *terms;
    const char *match;
    struct arena *arena;
    struct scan_loan loan;
    struct scan_filter filter;
    struct scan_order order;
    struct scan_walk walk;
};

/* Name the state that the transaction reads.
 *
 * returns false if it has no name: what wrote it last does not name states */
static bool read_state(struct db *db, char out[SCAN_STATE_BYTES])
{
    struct err ignored;
    struct stmt s;

    *out = '\0';
    stmt_begin(&s, db, STMT_SCAN, STATE);
    if (stmt_next(&s))
        stmt_copy_into(&s, 0, out, SCAN_STATE_BYTES);
    return stmt_end(&s, &ignored) == ERR_OK && *out != '\0';
}

static size_t ordinal_of(const struct scan_column *ids, int64_t id)
{
    const struct scan_range range = {(uint32_t)id, (uint32_t)id};

    for (size_t block = 0; block < scan_blocks(ids->count); block++) {
        uint8_t marks[SCAN_BLOCK] = {0};
        size_t i = 0;

        scan_column_mark(ids, block, range, marks);
        if (scan_marks_count(marks) == 0)
            continue;
        while (!marks[i])
            i++;
        return block * SCAN_BLOCK + i;
    }
    return ids->count;
}

/* What a row has for model, gpu and recipe; where a filter leaves one value, all have that. */
static const char *slug_of(const struct scan *scan, size_t place)
{
    size_t index = scan->terms->count - QUERY_TAIL_KEYS + place;
    const struct query_value *fixed = scan->terms->terms[index].fixed;

    return fixed ? fixed->text : scan->query->after[index].text;
}

/* Find the first recipe after the row that a page begins after, by model, gpu and recipe. */
static bool find_place(struct scan *scan, size_t *out_ordinal)
{
    const struct scan_column *ids = scan_loan_column(&scan->loan, (struct scan_subject){0});
    struct err ignored;
    struct stmt s;

    *out_ordinal = ids->count;
    stmt_begin_recipe(&s, scan->db, STMT_SCAN, PLACE, slug_of(scan, 1), slug_of(scan, 2),
                      slug_of(scan, 3));
    if (stmt_next(&s))
        *out_ordinal = ordinal_of(ids, stmt_int(&s, 0)) + (size_t)stmt_int(&s, 1);
    return stmt_end(&s, &ignored) == ERR_OK;
}

static bool find_start(struct scan *scan)
{
    size_t ordinal;

    if (!scan->query->after)
        return true;
    if (!find_place(scan, &ordinal))
        return false;
    scan->walk.has_start = true;
    scan->walk.start = scan_order_start(&scan->order, scan->query->after, ordinal);
    return true;
}

static bool walk(struct scan *scan, struct scan_found *out)
{
    const struct recipe_query *query = scan->query;
    const struct scan_column *ids = scan_loan_column(&scan->loan, (struct scan_subject){0});
    struct scan_walk *w = &scan->walk;

    scan_filter_make(query, scan->match, &scan->loan, &scan->filter);
    if (!scan_order_make(scan->terms, query->sort_count, &scan->loan, &scan->order) ||
        !find_start(scan))
        return false;
    w->filter = &scan->filter;
    w->order = &scan->order;
    w->most = query->limit + 1;
    w->first = arena_array(scan->arena, w->most, sizeof *w->first);
    out->ids = arena_array(scan->arena, w->most, sizeof *out->ids);
    if (!w->first || !out->ids)
        return false;
    scan_walk_run(w);
    for (size_t i = 0; i < w->count; i++)
        out->ids[i] = scan_column_code(ids, scan_order_ordinal(&scan->order, w->first[i]));
    out->count = w->count;
    out->total = w->total;
    out->before = w->before;
    out->better = w->better;
    return true;
}

bool scan_run(struct db *db, const struct recipe_query *query, const struct query_order *order,
              const char *match, struct arena *arena, struct scan_found *out)
{
    char state[SCAN_STATE_BYTES];
    struct scan *scan;
    bool is_found;

    if (!db->columns || sqlite3_get_autocommit(db->handle) != 0 || scan_why_not(query, order) ||
        !read_state(db, state))
        return false;
    scan = arena_array(arena, 1, sizeof *scan);
    if (!scan)
        return false;
    scan->db = db;
    scan->query = query;
    scan->terms = order;
    scan->match = match;
    scan->arena = arena;
    scan_loan_init(&scan->loan);
    scan_order_want(order, query->sort_count, &scan->loan);
    scan_filter_want(query, match, &scan->loan);
    if (!scan_store_lend(db->columns, db, state, &scan->loan))
        return false;
    is_found = walk(scan, out);
    scan_store_release(db->columns, &scan->loan);
    return is_found;
}
