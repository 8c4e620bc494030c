/* What /cost, /plan and /compare are asked about: recipes by their names in one parameter, and a
 * number of tokens. */
#ifndef API_ASKED_H
#define API_ASKED_H

#include "api/parts.h"
#include "core/estimate.h"

/* A recipe, or a figure that was published without one.
 *
 * label:     "MODEL/GPU/RECIPE", or "MODEL/GPU" of a published figure
 * recipe:    slug; NULL: a published figure
 * published: NULL: a recipe
 * figures:   of the recipe; of a published figure only tokens_per_s_per_gpu and gpus are set
 *
 * Texts live as long as the request. */
struct asked_recipe {
    const char *label;
    const struct model *model;
    const struct gpu *gpu;
    const char *recipe;
    const struct published *published;
    struct estimate_figures figures;
};

/* Which names a parameter takes. */
enum asked_form {
    ASKED_RECIPE,        /* MODEL/GPU/RECIPE */
    ASKED_RECIPE_OR_BEST /* MODEL/GPU too: its fastest recipe or published figure */
};

/* Find what a parameter names, which was given; every part may be spelled as in the catalogue.
 *
 * Errors: ERR_INPUT if it is of another form, ERR_NOT_FOUND with the nearest names; with an
 *         issue. */
MUST_USE enum err_code asked_recipe_find(struct api_scope *s, const char *parameter,
                                         enum asked_form form, struct asked_recipe *out,
                                         struct err *e);

/* Join slugs to a label.
 *
 * recipe: NULL: "MODEL/GPU"
 * returns the label in the arena; NULL if memory is short */
const char *asked_label(struct api_scope *s, const char *model, const char *gpu,
                        const char *recipe);

/* Write the members model, gpu, recipe (the label; null of a published figure), published (null of
 * a recipe), gpus, tokens_per_s_per_gpu and url into an open object. */
void asked_put_members(struct json *j, const struct asked_recipe *asked);

/* Read the parameters tokens, which was given, and those of parts_prices.
 *
 * Errors: ERR_INPUT with an issue for each mistake. */
MUST_USE enum err_code asked_tokens_and_prices(struct api_scope *s, int64_t *out_tokens,
                                               struct prices *out_prices, struct err *e);

#endif
