/* What verifications found of checkpoints, one row for each repository and revision; and what
 * recipes claim of them. */
#ifndef DB_CHECKPOINTS_H
#define DB_CHECKPOINTS_H

#include "base/arena.h"
#include "core/hub_result.h"
#include "db/db.h"

/* Read what was found of a revision.
 *
 * out: HUB_NOT_CHECKED if nothing is stored; a result with a count is judged by it, so that it
 *      comes as confirmed */
MUST_USE enum err_code db_checkpoint_get(struct db *db, const char *repository,
                                         const char *revision, struct hub_result *out,
                                         struct err *e);

/* Store what was found of a revision instead of what was stored before. Inside a write transaction.
 *
 * result: with checked_at; not HUB_NOT_CHECKED */
MUST_USE enum err_code db_checkpoint_put(struct db *db, const char *repository,
                                         const char *revision, const struct hub_result *result,
                                         struct err *e);

/* Read what was found of the checkpoint of a claim, judged by what is stated. */
MUST_USE enum err_code db_checkpoint_judge(struct db *db, const struct hub_claim *claim,
                                           struct hub_result *out, struct err *e);

/* A recipe and its claim. */
struct recipe_claim {
    const char *model;
    const char *gpu;
    const char *recipe;
    struct hub_claim claim;
};

/* Claims of recipes. */
struct claim_list {
    struct recipe_claim *items;
    size_t count;
};

/* Read all claims, those of one checkpoint together, each in the order of model, gpu, recipe.
 *
 * out: in the arena */
MUST_USE enum err_code db_claims_get(struct db *db, struct arena *arena, struct claim_list *out,
                                     struct err *e);

/* Read the claim of one recipe.
 *
 * out:    in the arena
 * Errors: ERR_NOT_FOUND. */
MUST_USE enum err_code db_claim_get(struct db *db, const char *model, const char *gpu,
                                    const char *recipe, struct arena *arena, struct hub_claim *out,
                                    struct err *e);

#endif
