/* Lists of recipes: filters, order and pages, by the field table. The one place that puts SQL
 * together, from fixed fragments; every value is bound. */
#ifndef DB_QUERY_H
#define DB_QUERY_H

#include "base/arena.h"
#include "core/field.h"
#include "db/db.h"

enum query_value_kind { QUERY_NULL, QUERY_INT, QUERY_REAL, QUERY_TEXT };

/* A value of a column; booleans are 0 and 1. */
struct query_value {
    enum query_value_kind kind;
    int64_t integer;
    double real;
    const char *text;
};

enum query_test {
    QUERY_ANY_OF, /* equal to one of the values; QUERY_NULL stands for null */
    QUERY_MIN,    /* at least values[0] */
    QUERY_MAX     /* at most values[0] */
};

/* One condition. field: a row with FIELD_FILTERABLE. */
struct query_filter {
    const struct field *field;
    enum query_test test;
    const struct query_value *values;
    size_t count;
};

/* One sort key. Nulls come last either way. field: a row with FIELD_SORTABLE. */
struct query_sort {
    const struct field *field;
    bool is_descending;
};

/* USD per GPU-hour of a GPU, instead of the list's; 0: there is none, so that its costs are null.
 */
struct query_price {
    const char *gpu; /* slug */
    double usd_per_gpu_hour;
};

/* Most of each in one query: more is refused by the API before it gets here. */
#define QUERY_FILTERS 48
#define QUERY_VALUES  50
#define QUERY_SORTS   8
#define QUERY_PRICES  64
#define QUERY_COLUMNS 80
#define QUERY_LIMIT   1000

/* Keys that end every order: measured, model, gpu, recipe. */
#define QUERY_TAIL_KEYS 4

/* What is asked. Zeroed means everything in the default order.
 *
 * text:   words to look for; each is quoted for FTS5, all must match; NULL: none
 * as_of:  only what was measured by this day; NULL: all
 * sorts:  then measured (newest first), model, gpu, recipe end every order, so that it is total
 * is_ranking: leave out what is retracted, as the rankings do
 * prices: where given, usd_per_million_tokens is worked out from them in filters, order and rows
 * columns: to fetch into each row's values, instead of its card
 * after:  keys of the last row of the page before (query_row.keys), or NULL for the first page
 * limit:  rows, 1 to QUERY_LIMIT
 * is_part: leave total 0, and count nothing before the page: the caller walks on and counts itself
 */
struct recipe_query {
    const struct query_filter *filters;
    size_t filter_count;
    const struct query_sort *sorts;
    size_t sort_count;
    const struct query_price *prices;
    size_t price_count;
    const struct field *const *columns;
    size_t column_count;
    const char *text;
    const char *as_of;
    const struct query_value *after;
    size_t limit;
    bool is_part;
    bool is_ranking;
};

/* One recipe of a list.
 *
 * speed_stderr: of tokens_per_s_per_gpu; cost_speed_stderr
 * usd_per_million_tokens: at the query's prices, else at the list price; 0: no price known
 * card_*: NULL where columns were asked for
 * values: of the columns asked for
 * keys:   of the order: the sort keys, then measured, model, gpu, recipe; key_count of them. Values
 *         that a filter tells are the filter's */
struct query_row {
    const char *model;
    const char *gpu;
    const char *recipe;
    const char *workload;
    double tokens_per_s_per_gpu;
    double speed_stderr;
    double usd_per_million_tokens;
    const char *card_head;
    const char *card_tail;
    const struct query_value *values;
    const struct query_value *keys;
};

/* One page.
 *
 * rows:       in order; count of them, and the first of the next page where one follows
 * key_count:  of each row's keys
 * author:     of the first row; NULL: there is none
 * total:      recipes that match, on all pages
 * first_rank: rank of the first row: one more than the recipes with better sort keys; of a part 1
 * first_position: of the first row in the whole list, from 1: above its rank within a tie; of a
 *         part 1
 * has_more:   whether a page follows */
struct query_page {
    struct query_row *rows;
    size_t count;
    size_t key_count;
    const char *author;
    int64_t total;
    int64_t first_rank;
    int64_t first_position;
    bool has_more;
};

/* Find a page. Between db_read_begin and db_read_end for one state with other reads.
 *
 * out:    in the arena
 * Errors: ERR_BUSY, ERR_NOMEM, ERR_CORRUPT, ERR_LIMIT if the arena is full. */
MUST_USE enum err_code db_query_run(struct db *db, const struct recipe_query *query,
                                    struct arena *arena, struct query_page *out, struct err *e);

/* Tell whether two rows, by their keys, tie on the query's sort keys. */
bool db_query_is_tie(const struct recipe_query *query, const struct query_value *a,
                     const struct query_value *b);

#endif
