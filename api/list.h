/* Lists over recipes: parameters made from the field table, parsed into a query; and paging of
 * every list. */
#ifndef API_LIST_H
#define API_LIST_H

#include "api/parts.h"
#include "api/rows.h"

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
#define LIST_PARAM_PURCHASE                                                                        \
    {                                                                                              \
        .name = "purchase", .kind = HTTP_PARAM_WORD, .allowed = list_purchases,                    \
        .fallback = "on_demand",                                                                   \
        .description = "Which of the known prices costs are worked out from: the first of the "    \
                       "price book that is bought this way."                                       \
    }
#define LIST_PARAM_PROVIDER                                                                        \
    {                                                                                              \
        .name = "provider", .kind = HTTP_PARAM_TEXT,                                               \
        .description = "Which of the known prices costs are worked out from: the first of the "    \
                       "price book that this provider asks."                                       \
    }
/* Expands to the three that choose what costs are worked out from. */
#define LIST_PARAMS_PRICES LIST_PARAM_PRICE, LIST_PARAM_PURCHASE, LIST_PARAM_PROVIDER
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

/* Words of the parameter purchase, ended by NULL. */
extern const char *const list_purchases[];

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

struct list;

/* What a list over recipes has rows of.
 *
 * key:       of the rows in JSON: "recipes"
 * noun:      of one row: "recipe"
 * has_costs: whether rows show costs, so that the reply shows the pricing
 * choose:    chooses the query's columns, where the client chose none, and the style of the rows,
 *            by the request's format; out is parsed but for these */
struct list_kind {
    const char *key;
    const char *noun;
    bool has_costs;
    enum err_code (*choose)(struct api_scope *s, const struct parts_place *place, struct list *out,
                            struct err *e);
};

/* Recipes themselves: /recipes and rankings. */
extern const struct list_kind list_of_recipes;

/* A parsed list request. The query's parts are in the scope's arena.
 *
 * kind:   of its rows
 * prices: the client's
 * sort:   as the reply names it: "-tokens_per_s_per_gpu"
 * style:  of its rows, in the request's format */
struct list {
    const struct list_kind *kind;
    struct recipe_query query;
    struct query_filter filters[QUERY_FILTERS];
    struct query_sort sorts[QUERY_SORTS];
    const struct field *columns[QUERY_COLUMNS];
    struct prices prices;
    const char *sort;
    struct rows_style style;
};

/* Parse the request's parameters into a query. The order is by speed when the client
 * names none.
 *
 * place: filters that the path stands for; both NULL for /recipes
 * out:   refers into itself: must not be moved
 * Errors: ERR_INPUT with an issue for each parameter that is wrong. */
MUST_USE enum err_code list_parse(struct api_scope *s, const struct parts_place *place,
                                  const struct list_kind *kind, struct list *out, struct err *e);

/* The ranking of a place where nothing is asked for, its workload aside.
 *
 * s:   needs no request
 * out: as list_parse */
MUST_USE enum err_code list_plain(struct api_scope *s, const struct parts_place *place,
                                  struct list *out, struct err *e);

/* Add an equality filter to a parsed list. value is lent. */
MUST_USE enum err_code list_add_filter(struct api_scope *s, struct list *list, const char *column,
                                       const char *value, struct err *e);

/* Write a page's rows as an array of objects. */
MUST_USE enum err_code list_put_rows(struct api_scope *s, const struct list *list,
                                     const struct query_page *page, struct err *e);

/* Answer with a list over all recipes, in the request's format. */
MUST_USE enum err_code list_answer(struct api_scope *s, const struct list_kind *kind,
                                   struct err *e);

/* Fill the reply with rows in the request's format, which is CSV, NDJSON, text or Atom. CSV and
 * NDJSON have all that match, made while they are sent, unless the client set a limit.
 *
 * place:    as list_parse got it
 * list:     parsed, and narrowed to the workload
 * workload: that it was narrowed to beyond what the client asked for; NULL: none */
MUST_USE enum err_code list_reply(struct api_scope *s, const struct parts_place *place,
                                  const struct list *list, const char *workload, struct err *e);

/* The same without a limit, for CSV and NDJSON: in parts that are made while they are sent. */
MUST_USE enum err_code list_stream(struct api_scope *s, const struct parts_place *place,
                                   const struct list_kind *kind, const char *workload,
                                   struct err *e);

/* Write the rest of a walk as CSV or NDJSON.
 *
 * is_first: whether a header goes before them */
MUST_USE enum err_code list_put_lines(struct api_scope *s, const struct list *list,
                                      struct rows_walk *walk, bool is_first, struct err *e);

/* Find the path of the page after this one, and add its Link header.
 *
 * out_path: in the scope's arena; NULL: this is the last page */
MUST_USE enum err_code list_next(struct api_scope *s, const struct query_page *page,
                                 const char **out_path, struct err *e);

/* The same, written as the member "next". */
MUST_USE enum err_code list_put_next(struct api_scope *s, const struct query_page *page,
                                     struct err *e);

/* Write the member "next" by the last row's keys.
 *
 * keys: by cursor_write_keys, len bytes; NULL: this is the last page */
MUST_USE enum err_code list_put_next_keys(struct api_scope *s, const char *keys, size_t len,
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
