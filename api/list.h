/* Parameters of lists of recipes: made from the field table, parsed into a query; and paging of
 * every list. */
#ifndef API_LIST_H
#define API_LIST_H

#include "api/parts.h"

/* Rows of a page when the client does not say, and at most. */
#define LIST_LIMIT_DEFAULT 50
#define LIST_LIMIT_MOST    1000

/* Expand to parameters that several endpoints have; constants in tables need them. */
#define LIST_PARAM_PRICE                                                                           \
    {                                                                                              \
        .name = "price", .kind = HTTP_PARAM_TEXT, .is_list = true,                                 \
        .description = "Your USD per GPU-hour, by GPU: h100:2.10,b200:4.50. Costs are worked "     \
                       "out from it, and pricing.basis becomes custom."                            \
    }
#define LIST_PARAM_LIMIT                                                                           \
    {                                                                                              \
        .name = "limit", .kind = HTTP_PARAM_INT, .min = 1, .max = LIST_LIMIT_MOST,                 \
        .fallback = "50", .description = "Rows on a page."                                         \
    }
#define LIST_PARAM_CURSOR                                                                          \
    {                                                                                              \
        .name = "cursor", .kind = HTTP_PARAM_TEXT,                                                 \
        .description = "Where the page starts: taken from next of the page before."                \
    }

/* Filters that a ranking does not take, since they stand in its path: model and gpu. They come
 * first. */
#define LIST_PATH_FILTERS 2

/* Parameters that choose columns: fields. They come last. */
#define LIST_COLUMN_PARAMS 1

/* Make the parameters of a list of recipes from the field table: filters, min_ and max_, then the
 * list's own (q, sort, as_of, workload, price, limit, cursor, fields).
 *
 * Owns: the caller ends with list_params_free. */
MUST_USE enum err_code list_params_make(struct http_param **out_params, size_t *out_count,
                                        struct err *e);
void list_params_free(struct http_param *params);

/* A parsed list request. The query's parts are in the scope's arena.
 *
 * prices: the client's
 * sort:   as the reply names it: "-tokens_per_s_per_gpu" */
struct list {
    struct recipe_query query;
    struct query_filter filters[QUERY_FILTERS];
    struct query_sort sorts[QUERY_SORTS];
    const struct field *columns[QUERY_COLUMNS];
    struct prices prices;
    const char *sort;
};

/* Parse the request's parameters into a query. The order is by speed when the client names none.
 *
 * place: filters that the path stands for; both NULL for /recipes
 * out:   refers into itself: must not be moved
 * Errors: ERR_INPUT with an issue for each parameter that is wrong. */
MUST_USE enum err_code list_parse(struct api_scope *s, const struct parts_place *place,
                                  struct list *out, struct err *e);

/* Add an equality filter to a parsed list. value is lent. */
MUST_USE enum err_code list_add_filter(struct api_scope *s, struct list *list, const char *column,
                                       const char *value, struct err *e);

/* Write the rows as an array of objects: rank, then model and gpu if has_place, then the card with
 * its cost spliced in, or the chosen columns. */
void list_put_rows(struct api_scope *s, const char *key, const struct list *list,
                   const struct query_page *page, bool has_place);

/* Write "next": the path of the page after this one, or null; and its Link header. */
MUST_USE enum err_code list_put_next(struct api_scope *s, const struct query_page *page,
                                     struct err *e);

/* A window on a small list that is in memory. */
struct list_window {
    size_t first;
    size_t end;
};

/* Read limit and cursor for a list of count items. */
MUST_USE enum err_code list_window_read(struct api_scope *s, size_t count, struct list_window *out,
                                        struct err *e);

/* The same, and write "total" and "next". */
MUST_USE enum err_code list_window(struct api_scope *s, size_t count, struct list_window *out,
                                   struct err *e);

#endif
