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
 * is_main:       the one that /models/{model}/{gpu} ranks: the most recipes, the newest where two
 *                tie, then the smaller id
 * best_*:        of the fastest recipe (ties: newest measured, then slug)
 * first_place_since: when that recipe came to be the fastest; NULL: not noted yet, or left out */
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
    bool is_main;
    const char *best_recipe;
    int64_t best_gpus;
    double best_tokens_per_s_per_gpu;
    const char *best_author;
    int64_t best_active_params;
    const char *first_place_since;
};

/* Rankings. */
struct ranking_list {
    struct ranking *items;
    size_t count;
};

/* Work the rows out again. Inside a write transaction, after the last change of recipes. */
MUST_USE enum err_code db_rankings_rebuild(struct db *db, struct err *e);

/* Load the main ones of all models, in the order of models and of the catalogue's GPUs.
 *
 * out: in the arena; first_place_since is left out */
MUST_USE enum err_code db_rankings_main(struct db *db, struct arena *arena,
                                        struct ranking_list *out, struct err *e);

/* Load the main ones of a model, and all of one GPU with what is known since when; the order is of
 * the catalogue's GPUs, of one GPU that of other_workloads: the main one, the most recipes, ...
 *
 * gpu: NULL: none
 * out: in the arena */
MUST_USE enum err_code db_rankings_of(struct db *db, const char *model, const char *gpu,
                                      struct arena *arena, struct ranking_list *out, struct err *e);

/* Load the main one of a model and a GPU: one, or none.
 *
 * out: in the arena; first_place_since is left out */
MUST_USE enum err_code db_rankings_main_of(struct db *db, const char *model, const char *gpu,
                                           struct arena *arena, struct ranking_list *out,
                                           struct err *e);

/* Tell whether a model has recipes, ranked or retracted. */
MUST_USE enum err_code db_model_has_recipes(struct db *db, const char *model, bool *out_has,
                                            struct err *e);

#endif
