/* Finding the recipe of a path, also one that is gone; and telling that it is. */
#ifndef API_RECIPE_FIND_H
#define API_RECIPE_FIND_H

#include "api/parts.h"
#include "db/revisions.h"

/* What a path of a recipe names.
 *
 * place:              its members are NULL for a recipe that left with its model or GPU
 * model, gpu, recipe: slugs; lent for the request
 * tail:               what stands behind the recipe in the path: "", "/history" or "@" and a hash
 */
struct recipe_place {
    struct parts_place place;
    const char *model;
    const char *gpu;
    const char *recipe;
    const char *tail;
};

/* Find what the path names.
 *
 * tail:        as in the place; lent
 * out_is_done: as parts_find
 * Errors:      ERR_NOT_FOUND for a model or a GPU that never had this recipe. */
MUST_USE enum err_code recipe_find(struct api_scope *s, const char *tail, struct recipe_place *out,
                                   bool *out_is_done, struct err *e);

/* Answer for a recipe that is not there: ERR_GONE with its history if it was, a redirect if it has
 * another letter case, else ERR_NOT_FOUND with the nearest. */
MUST_USE enum err_code recipe_missing(struct api_scope *s, const struct recipe_place *at,
                                      struct err *e);

/* Write a revision as an object: hash, first_seen, replaced_at, tokens_per_s_per_gpu, measured,
 * url. */
void recipe_put_revision(struct json *j, const struct recipe_place *at,
                         const struct revision *revision);

#endif
