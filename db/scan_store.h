/* Inside of db/: the columns in memory that the connections of a pool share. Each is good for one
 * state of the database, is built when it is first asked for, and is lent to whoever uses it;
 * bounded in bytes, the least recently used ones leave first. Every function may be called by many
 * threads. Nothing outside db/ includes this. */
#ifndef DB_SCAN_STORE_H
#define DB_SCAN_STORE_H

#include "db/scan_build.h"
#include "db/scan_entries.h"

struct scan_store;

/* Columns that a query uses, the ids always.
 *
 * subjects: count of them, each once, lent as long as the loan; the ids are the first
 * entries:  of each, while they are lent */
struct scan_loan {
    struct scan_subject subjects[SCAN_COLUMNS];
    struct scan_entry *entries[SCAN_COLUMNS];
    size_t count;
};

/* Make an empty store.
 *
 * limit_bytes: of the columns that are kept; those in use and in the making may come on top
 * Errors: ERR_NOMEM.
 * Owns:   the caller ends with scan_store_free, once nothing is lent any more. */
MUST_USE enum err_code scan_store_new(size_t limit_bytes, struct scan_store **out_store,
                                      struct err *e);

/* Release the store with what it keeps. NULL is fine. */
void scan_store_free(struct scan_store *store);

/* Bytes of the columns that are kept now. */
size_t scan_store_bytes(struct scan_store *store);

/* Start a loan of the ids alone. */
void scan_loan_init(struct scan_loan *loan);

/* Want a column too; twice is fine. Words are wanted last, and once. */
void scan_loan_want(struct scan_loan *loan, struct scan_subject subject);

/* Lend all columns of a loan, building those that are missing; one that another thread builds is
 * waited for.
 *
 * db:    of the calling thread, in a transaction that reads the state
 * state: its name
 * returns false if they cannot be had: memory is short, they take too much, or cannot be read in
 *         the time of a statement. What takes too much is not tried again for this state, what
 *         took too long a minute later
 * Owns:  the caller ends with scan_store_release. */
bool scan_store_lend(struct scan_store *store, struct db *db, const char *state,
                     struct scan_loan *loan);

/* A column that is lent. */
const struct scan_column *scan_loan_column(const struct scan_loan *loan,
                                           struct scan_subject subject);

/* Give columns back. */
void scan_store_release(struct scan_store *store, struct scan_loan *loan);

#endif
