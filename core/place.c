/* Recipe paths, read from the right: the last folder named "recipes" counts. */
#include "core/place.h"

#include <string.h>

const char *recipe_place_below(const char *path)
{
    static const char folder[] = "recipes/";
    const char *found = NULL;

    for (const char *at = strstr(path, folder); at; at = strstr(at + 1, folder))
        if (at == path || at[-1] == '/')
            found = at + sizeof folder - 1;
    return found;
}

/* Copy the part of a path up to an end, if it is a slug. */
static bool take_slug(char out[SLUG_BYTES], const char *from, const char *end)
{
    size_t len = (size_t)(end - from);

    if (len > SLUG_LIMIT)
        return false;
    memcpy(out, from, len);
    out[len] = '\0';
    return slug_check(out);
}

bool recipe_place_of(const char *path, struct recipe_place *out_place)
{
    static const char suffix[] = ".yaml";
    const char *model = recipe_place_below(path);
    const char *gpu = model ? strchr(model, '/') : NULL;
    const char *recipe = gpu ? strchr(gpu + 1, '/') : NULL;
    const char *end = path + strlen(path) - (sizeof suffix - 1);

    if (!recipe || end <= recipe || strcmp(end, suffix) != 0)
        return false;
    return take_slug(out_place->model, model, gpu) && take_slug(out_place->gpu, gpu + 1, recipe) &&
           take_slug(out_place->recipe, recipe + 1, end);
}
