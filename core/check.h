/* Judgements across fields: what a recipe file contradicts in itself (errors) and what differs from
 * a recomputed figure (warnings). Types and ranges are the field table's. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include "core/catalog.h"
#include "core/recipe.h"

/* Check a recipe that recipe_read accepted and recipe_derive worked on; finishes its derived
 * members from the catalogue (gpu slug of an alias, family, list price) and from the file's text
 * (half units of stated figures).
 *
 * path:    the file's path as given, or NULL when it has none (standard input, POST /check). Its
 *          name must be a slug, and below a folder named "recipes" it must be
 *          recipes/<model>/<gpu>/<recipe>.yaml with the recipe's slugs
 * root:    the tree that the recipe was read from, for the places of problems
 * Errors:  ERR_NOMEM only; the report has the problems.
 * Owns:    the recipe keeps copies; nothing in it points into the tree or the catalogue. */
MUST_USE enum err_code recipe_check(struct recipe *r, const char *path,
                                    const struct tree_node *root, const struct catalog *catalog,
                                    struct report *report, struct err *e);

#endif
