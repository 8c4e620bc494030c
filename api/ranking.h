/* The ranking of one model and GPU, in the pieces that its reply is put together from. */
#ifndef API_RANKING_H
#define API_RANKING_H

#include "api/list.h"

/* The ranked workload, the others, and the rows.
 *
 * rankings: the model's main ones, and all of the GPU; writing the tail keeps the main ones alone
 * ranked:   NULL: there is no recipe */
struct ranking_view {
    struct parts_place place;
    struct list list;
    struct ranking_list rankings;
    const struct ranking *ranked;
    struct query_page page;
};

/* Write the members before next, and those after the recipes, into an open object. */
void ranking_put_head(struct api_scope *s, const struct ranking_view *view);
void ranking_put_tail(struct api_scope *s, struct ranking_view *view);

#endif
