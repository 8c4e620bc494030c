/* One row for each list of comparable recipes: model, GPU and workload, with its size and its best.
 * Kept by import, so that no request counts or groups. */
#ifndef DB_RANKINGS_H
#define DB_RANKINGS_H

#include "base/arena.h"
#include "db/db.h"

/* A list of comparable recipes.
 *
 * workload:      its id; the five members after it are what it stands for
 * recipes:       how many, >= 1
 * newest:        last measured day
 * is_main:       the one that /models/{model}/{gpu} ranks: the most recipes, the newest where two
 *                tie, then the smaller id
 * best_*:        of the fastest recipe (ties: newest measured, then slug)
 * first_place_since: when that recipe came to be the fastest; NULL: not noted yet
 */
struct ranking {
    const char *model;
    const char *gpu;
    const char *workload;
    int64_t row_tokens;
    const char *rows;
    int64_t global_batch;
    const char *precision;
    const char *rows_sha256;
    int64_t recipes;
    const char *newest;
    bool is_main;
    const char *best_recipe;
    int64_t best_gpus;
    double best_tokens_per_s_per_gpu;
    const char *best_measured;
    const char *best_author;
    int64_t best_active_params;
    const char *first_place_since;
};

/* Rankings, in the order that db_rankings_get says. */
struct ranking_list {
    struct ranking *items;
    size_t count;
};

/* Work the rows out again. Inside a write transaction, after the last change of recipes. */
MUST_USE enum err_code db_rankings_rebuild(struct db *db, struct err *e);

/* Load rows in the order of model, GPU (the catalogue's order), main one first.
 *
 * model:     NULL: of all models
 * main_only: leave the others out
 * out:       in the arena */
MUST_USE enum err_code db_rankings_get(struct db *db, const char *model, bool main_only,
                                       struct arena *arena, struct ranking_list *out,
                                       struct err *e);

/* Tell whether a model has recipes, ranked or retracted. */
MUST_USE enum err_code db_model_has_recipes(struct db *db, const char *model, bool *out_has,
                                            struct err *e);

#endif
