/* What a recipe says that another may say otherwise, as one text: made at import and stored, so
 * that a comparison reads no recipe file and no command. */
#ifndef CORE_COMPARE_FACTS_H
#define CORE_COMPARE_FACTS_H

#include "core/recipe.h"

/* Append a recipe's facts.
 *
 * r:      after recipe_derive
 * Errors: ERR_NOMEM; ERR_LIMIT if out has no room. */
MUST_USE enum err_code compare_facts_write(const struct recipe *r, struct buf *out, struct err *e);

#endif
