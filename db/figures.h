/* The measured figures of recipes that estimates are made from, without anything that is only
 * shown.
 */
#ifndef DB_FIGURES_H
#define DB_FIGURES_H

#include "base/arena.h"
#include "core/estimate.h"
#include "db/db.h"

/* One recipe's.
 *
 * gpu, recipe: slugs
 * confirmation: of its active parameters: "confirmed" */
struct recipe_figures {
    const char *gpu;
    const char *recipe;
    const char *confirmation;
    struct estimate_figures figures;
};

/* Those of a model's recipes. */
struct figures_list {
    struct recipe_figures *items;
    size_t count;
};

/* Load the figures of all recipes of a model but the retracted ones, in the order of GPU and
 * recipe.
 *
 * out:    in the arena; empty if there are none
 * Errors: ERR_LIMIT if the arena is full. */
MUST_USE enum err_code db_figures_of_model(struct db *db, const char *model, struct arena *arena,
                                           struct figures_list *out, struct err *e);

/* Load the figures of one recipe.
 *
 * Errors: ERR_NOT_FOUND. */
MUST_USE enum err_code db_figures_of_recipe(struct db *db, const char *model, const char *gpu,
                                            const char *recipe, struct estimate_figures *out,
                                            struct err *e);

#endif
