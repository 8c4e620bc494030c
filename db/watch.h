/* Noticing what other processes commit: a thread with a connection of its own asks now and then. */
#ifndef DB_WATCH_H
#define DB_WATCH_H

#include "db/db.h"

struct db_watch;

/* Called on the watch's thread after the database changed. */
typedef void db_changed(void *context);

/* Start watching. What is committed after this returns is noticed within DB_WATCH_MS.
 *
 * changed, context: lent until db_watch_stop
 * Errors: as db_open_read; ERR_IO if no thread can be started.
 * Owns:   the caller ends with db_watch_stop. */
#define DB_WATCH_MS 100
MUST_USE enum err_code db_watch_start(const char *path, db_changed *changed, void *context,
                                      struct db_watch **out_watch, struct err *e);

/* End the thread; no call is under way after that. NULL is fine. */
void db_watch_stop(struct db_watch *watch);

#endif
