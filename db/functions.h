/* Inside of db/: the formulas as functions of SQL, so that what is filtered, sorted and migrated is
 * what is shown. */
#ifndef DB_FUNCTIONS_H
#define DB_FUNCTIONS_H

#include <sqlite3.h>

/* Add to a connection:
 *
 *     cost_usd_per_million_tokens(usd_per_gpu_hour, tokens_per_s_per_gpu)   null without a price
 *     cost_speed_stderr(tokens_per_s_per_gpu, cv_percent, steps)
 *     shown_json(value)                                                     as replies have it
 *
 * Errors: SQLite's result code. */
int functions_add(sqlite3 *handle);

#endif
