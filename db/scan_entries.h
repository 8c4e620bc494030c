/* Inside of db/: the list of columns that a store keeps, with how long each is kept. It knows no
 * threads: the store's lock guards it. Nothing outside db/ includes this. */
#ifndef DB_SCAN_ENTRIES_H
#define DB_SCAN_ENTRIES_H

#include "db/scan_column.h"

/* Room for the name of a state of the database. */
#define SCAN_STATE_BYTES 48

/* Texts whose recipes are kept: their columns are small, but anybody may ask for any text. */
#define SCAN_TEXTS 16

enum scan_progress {
    SCAN_BUILDING, /* by the thread that added the entry */
    SCAN_READY,
    SCAN_REFUSED /* it cannot be had, or not be kept, in this state */
};

/* A column of one state.
 *
 * words:     of its subject, its own
 * users:     to whom it is lent, the one who builds it too
 * again_ns:  when it may be tried again if it is refused, by the steady clock; INT64_MAX: not in
 *            this state
 * is_listed: whether it is in the list; if not, its last user frees it */
struct scan_entry {
    const struct field *field;
    char *words;
    char state[SCAN_STATE_BYTES];
    enum scan_progress progress;
    struct scan_column column;
    size_t users;
    uint64_t last_use;
    int64_t again_ns;
    bool is_listed;
    struct scan_entry *next;
};

/* The list. Zeroed with a limit: empty.
 *
 * limit_bytes: of the columns in it, as far as nobody uses them
 * bytes:       of the columns in it */
struct scan_entries {
    struct scan_entry *first;
    size_t limit_bytes;
    size_t bytes;
};

/* Free all; nobody uses them. */
void scan_entries_done(struct scan_entries *list);

/* Find an entry; NULL: there is none. */
struct scan_entry *scan_entries_find(const struct scan_entries *list, const char *state,
                                     struct scan_subject subject);

/* Add an entry for a column that the calling thread will build; NULL: memory is short.
 *
 * state: shorter than SCAN_STATE_BYTES */
struct scan_entry *scan_entries_add(struct scan_entries *list, const char *state,
                                    struct scan_subject subject);

/* End the building of an entry: ready, or refused where the column has no codes. The column is
 * swallowed. again_ns: of the entry */
void scan_entries_settle_take(struct scan_entries *list, struct scan_entry *entry,
                              struct scan_column *column, int64_t again_ns);

/* Take an entry off the list; it is freed now, or by its last user. */
void scan_entries_drop(struct scan_entries *list, struct scan_entry *entry);

/* Drop the entries of other states: requests are short, and those that come now read this one. */
void scan_entries_drop_others(struct scan_entries *list, const char *state);

/* Drop what is refused and may be tried again. now_ns: by the steady clock */
void scan_entries_drop_due(struct scan_entries *list, int64_t now_ns);

/* One user less. */
void scan_entries_release(struct scan_entries *list, struct scan_entry *entry);

/* Keep to the limits: what was used least recently is dropped, as far as nobody uses it. */
void scan_entries_shrink(struct scan_entries *list);

#endif
