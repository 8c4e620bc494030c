/* Atom feeds (RFC 4287) of what happened to the recipes of a list. */
#ifndef API_FEED_H
#define API_FEED_H

#include "api/list.h"

/* Refuse parameters that a feed has no use for: its order is that of time, and it has no pages.
 *
 * Errors: ERR_INPUT with an issue for each. */
MUST_USE enum err_code feed_check(struct api_scope *s, struct err *e);

/* Fill the reply with the newest events of the recipes that a list matches.
 *
 * place: as list_parse got it
 * list:  parsed */
MUST_USE enum err_code feed_reply(struct api_scope *s, const struct parts_place *place,
                                  const struct list *list, struct err *e);

#endif
