/* Where a recipe file belongs: recipes/<model>/<gpu>/<recipe>.yaml. */
#ifndef CORE_PLACE_H
#define CORE_PLACE_H

#include "core/recipe.h"

/* The three slugs that a path gives. */
struct recipe_place {
    char model[SLUG_BYTES];
    char gpu[SLUG_BYTES];
    char recipe[SLUG_BYTES];
};

/* Find what follows the last folder named "recipes" in a path; NULL if there is none. */
const char *recipe_place_below(const char *path);

/* Take a path's place apart.
 *
 * returns false if the path has no folder named "recipes", or what follows is not of the form
 *         <model>/<gpu>/<recipe>.yaml with three slugs */
bool recipe_place_of(const char *path, struct recipe_place *out_place);

#endif
