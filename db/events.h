/* What happened to the collection: recipes that came, changed and went, and first places that were
 * taken. Noted at import, for feeds. */
#ifndef DB_EVENTS_H
#define DB_EVENTS_H

#include "db/query.h"

/* One event. Figures are as they stood then, 0 where there is none; costs are at the list price.
 *
 * kind:       first_place, addition, improvement (faster), change, removal
 * recipe:     slug of the recipe that it happened to
 * hash:       of its revision; of a removal the last one
 * old_recipe: who was first before; NULL: no first place, or nobody was
 * old_*:      before it */
struct event {
    const char *at;
    const char *kind;
    const char *model;
    const char *gpu;
    const char *workload;
    const char *recipe;
    const char *hash;
    double tokens_per_s_per_gpu;
    double usd_per_million_tokens;
    const char *old_recipe;
    double old_tokens_per_s_per_gpu;
    double old_usd_per_million_tokens;
};

/* Events, newest first. */
struct event_list {
    struct event *items;
    size_t count;
};

/* List the newest events of recipes that a query matches. Filters by model, GPU and workload take
 * those of recipes that are gone too; others look at the recipe as it is now.
 *
 * query: its filters, text, as_of, prices and limit
 * out:   in the arena */
MUST_USE enum err_code db_events_list(struct db *db, const struct recipe_query *query,
                                      struct arena *arena, struct event_list *out, struct err *e);

/* Note who took a first place since the last call. Inside a write transaction, after
 * db_rankings_rebuild.
 *
 * now: time stamp */
MUST_USE enum err_code db_first_places_note(struct db *db, const char *now, struct err *e);

#endif
