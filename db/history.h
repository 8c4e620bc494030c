/* Inside of db/: noting what a change of recipes means for their history, for db/recipes_put.c.
 * Nothing outside db/ includes this. */
#ifndef DB_HISTORY_H
#define DB_HISTORY_H

#include "db/recipes.h"

/* The figures of a recipe before it changed; 0: it was not there, or has no price. */
struct history_figures {
    double tokens_per_s_per_gpu;
    double usd_per_million_tokens;
};

/* Note that a stored recipe's revision begins. Inside its transaction, after it was stored.
 *
 * entry: the recipe
 * old:   its figures before
 * now:   time stamp */
MUST_USE enum err_code history_begin(struct db *db, const struct recipe_entry *entry,
                                     const struct history_figures *old, const char *now,
                                     struct err *e);

/* Keep the audit that a stored recipe's revision came with; before the recipe is judged otherwise.
 *
 * id: of the recipe */
MUST_USE enum err_code history_keep(struct db *db, int64_t id, struct err *e);

/* Note that a stored recipe's revision ends, and keep its texts; before it is removed or replaced.
 *
 * id:         of the recipe
 * is_removal: whether nothing follows
 * now:        time stamp */
MUST_USE enum err_code history_end(struct db *db, int64_t id, bool is_removal, const char *now,
                                   struct err *e);

#endif
