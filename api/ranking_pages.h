/* Rankings where nothing is asked for: their text is made once, at import, by what makes it for a
 * request too, and is put together again for as many rows as a client wants. */
#ifndef API_RANKING_PAGES_H
#define API_RANKING_PAGES_H

#include "api/parts.h"

/* Make the pages that are missing; a db_tx_fn, for the end of a write transaction that changed
 * recipes or the catalogue.
 *
 * context: not used
 * Errors:  as db_query_run; ERR_IO, ERR_LIMIT for a page above API_ARENA_LIMIT. */
MUST_USE enum err_code ranking_pages_write(struct db *db, void *context, struct err *e);

/* Answer with a page, if the request asks for nothing but the number of rows, and they are there.
 *
 * out_is_done: whether the reply is written */
MUST_USE enum err_code ranking_pages_reply(struct api_scope *s, const struct parts_place *place,
                                           bool *out_is_done, struct err *e);

#endif
