/* One lock around the list. Whoever builds holds no lock and waits for nobody, so that no two wait
 * for each other. */
#include "db/scan_store.h"

#include "base/clock.h"
#include "base/mem.h"
#include "db/scan_words.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What took too long is tried again after so long: the machine may have been busy, and a try takes
 * a twelfth of that at most, by the usual limit of a statement. */
static const int64_t again_after_ns = INT64_C(60) * 1000000000;

/* lock:    guards all below, and all entries but the columns that are lent
 * settled: something is not being built any more
 * uses:    counts loans */
struct scan_store {
    pthread_mutex_t lock;
    pthread_cond_t settled;
    struct scan_entries entries;
    uint64_t uses;
};

enum err_code scan_store_new(size_t limit_bytes, struct scan_store **out_store, struct err *e)
{
    struct scan_store *store = mem_array(1, sizeof *store);

    if (!store)
        return err_nomem(e);
    store->entries.limit_bytes = limit_bytes;
    if (pthread_mutex_init(&store->lock, NULL) != 0)
        goto no_lock;
    if (pthread_cond_init(&store->settled, NULL) != 0)
        goto no_condition;
    *out_store = store;
    return ERR_OK;
no_condition:
    (void)pthread_mutex_destroy(&store->lock); /* Nobody holds it. */
no_lock:
    free(store);
    return err_nomem(e);
}

static void lock(struct scan_store *store)
{
    (void)pthread_mutex_lock(&store->lock); /* Fails only for a broken mutex. */
}

static void unlock(struct scan_store *store)
{
    (void)pthread_mutex_unlock(&store->lock);
}

void scan_store_free(struct scan_store *store)
{
    if (!store)
        return;
    scan_entries_done(&store->entries);
    (void)pthread_cond_destroy(&store->settled); /* Nobody waits. */
    (void)pthread_mutex_destroy(&store->lock);
    free(store);
}

size_t scan_store_bytes(struct scan_store *store)
{
    size_t bytes;

    lock(store);
    bytes = store->entries.bytes;
    unlock(store);
    return bytes;
}

static size_t place_of(const struct scan_loan *loan, struct scan_subject subject)
{
    size_t i = 0;

    while (i < loan->count && !scan_subject_is_same(loan->subjects[i], subject))
        i++;
    return i;
}

void scan_loan_init(struct scan_loan *loan)
{
    *loan = (struct scan_loan){.count = 1};
}

void scan_loan_want(struct scan_loan *loan, struct scan_subject subject)
{
    if (place_of(loan, subject) < loan->count)
        return;
    assert(loan->count < SCAN_COLUMNS);
    loan->subjects[loan->count++] = subject;
}

const struct scan_column *scan_loan_column(const struct scan_loan *loan,
                                           struct scan_subject subject)
{
    size_t place = place_of(loan, subject);

    assert(place < loan->count);
    return &loan->entries[place]->column;
}

static void let_all_go(struct scan_store *store, struct scan_loan *loan)
{
    for (size_t i = 0; i < loan->count; i++) {
        if (loan->entries[i])
            scan_entries_release(&store->entries, loan->entries[i]);
        loan->entries[i] = NULL;
    }
}

/* What a loan finds in the store: how many columns are missing, how many another thread builds, and
 * whether one is refused. */
struct finding {
    size_t missing;
    size_t building;
    bool is_refused;
};

static struct finding look(struct scan_store *store, const char *state,
                           const struct scan_loan *loan)
{
    struct finding found = {0};

    for (size_t i = 0; i < loan->count; i++) {
        const struct scan_entry *entry =
            scan_entries_find(&store->entries, state, loan->subjects[i]);

        found.missing += !entry;
        found.building += entry && entry->progress == SCAN_BUILDING;
        found.is_refused |= entry && entry->progress == SCAN_REFUSED;
    }
    return found;
}

/* Wait until no other thread builds what a loan needs. Where that thread failed, others would fail
 * as well, one after the other: they are refused, once. */
static struct finding wait_for_others(struct scan_store *store, const char *state,
                                      const struct scan_loan *loan)
{
    struct finding found = look(store, state, loan);

    while (found.building > 0 && !found.is_refused) {
        const size_t missing = found.missing;

        (void)pthread_cond_wait(&store->settled, &store->lock); /* Fails only if broken. */
        found = look(store, state, loan);
        found.is_refused |= found.missing > missing;
    }
    return found;
}

/* Take what is there, and make entries for what is missing. */
static bool claim(struct scan_store *store, const char *state, struct scan_loan *loan)
{
    store->uses++;
    for (size_t i = 0; i < loan->count; i++) {
        struct scan_entry *entry = scan_entries_find(&store->entries, state, loan->subjects[i]);

        if (!entry)
            entry = scan_entries_add(&store->entries, state, loan->subjects[i]);
        if (!entry)
            return false;
        entry->users++;
        entry->last_use = store->uses;
        loan->entries[i] = entry;
    }
    return true;
}

/* Take what a build gave.
 *
 * built: of those that were missing, in their order; all empty where the build failed
 * rc:    how the build went */
static void settle(struct scan_store *store, struct scan_loan *loan, struct scan_column *built,
                   enum err_code rc)
{
    const int64_t again_ns = rc == ERR_BUSY ? clock_steady_ns() + again_after_ns : INT64_MAX;

    for (size_t i = 0; i < loan->count; i++) {
        struct scan_entry *entry = loan->entries[i];

        if (!entry || entry->progress != SCAN_BUILDING)
            continue;
        scan_entries_settle_take(&store->entries, entry, built++, again_ns);
        /* Then it may go better next time. */
        if (rc == ERR_NOMEM || rc == ERR_IO)
            scan_entries_drop(&store->entries, entry);
    }
}

static size_t largest(const struct scan_loan *loan)
{
    size_t found = 0;

    for (size_t i = 1; i < loan->count; i++)
        if (loan->entries[i]->progress == SCAN_READY &&
            loan->entries[i]->column.bytes > loan->entries[found]->column.bytes)
            found = i;
    return found;
}

/* Refuse, from the next time on, what would not be there then: columns that together are above the
 * limit would be built again for each query. */
static void refuse_excess(struct scan_store *store, const struct scan_loan *loan)
{
    size_t bytes = 0;

    for (size_t i = 0; i < loan->count; i++)
        bytes += loan->entries[i]->column.bytes;
    if (bytes > store->entries.limit_bytes)
        loan->entries[largest(loan)]->progress = SCAN_REFUSED;
}

static bool are_all_there(const struct scan_loan *loan)
{
    for (size_t i = 0; i < loan->count; i++)
        if (!loan->entries[i]->column.codes)
            return false;
    return true;
}

/* What a thread has to build.
 *
 * fields: count of them, NULL stands for the ids
 * words:  NULL: none
 * ids:    what words need, NULL: they are built too, as the first */
struct work {
    const struct field *fields[SCAN_COLUMNS];
    size_t count;
    const char *words;
    const struct scan_column *ids;
};

static struct work work_of(const struct scan_loan *loan)
{
    struct work work = {.count = 0};

    for (size_t i = 0; i < loan->count; i++)
        if (loan->entries[i]->progress != SCAN_BUILDING)
            continue;
        else if (loan->subjects[i].words)
            work.words = loan->subjects[i].words;
        else
            work.fields[work.count++] = loan->subjects[i].field;
    if (loan->entries[0]->progress == SCAN_READY)
        work.ids = &loan->entries[0]->column;
    return work;
}

/* Build what the calling thread has claimed. Words that cannot be looked for harm nothing else.
 *
 * out: zeroed; of the fields, then of the words */
static enum err_code do_work(const struct work *work, struct db *db, size_t limit_bytes,
                             struct scan_column *out)
{
    const struct scan_column *ids = work->ids ? work->ids : &out[0];
    struct err ignored; /* SQL answers then, and tells what is wrong. */
    enum err_code rc = ERR_OK;

    if (work->count > 0)
        rc = scan_build(db, work->fields, work->count, limit_bytes, out, &ignored);
    if (rc == ERR_OK && work->words && ids->codes)
        scan_words_build(db, work->words, ids, &out[work->count]);
    return rc;
}

/* Lend with some columns missing. */
static bool lend_built(struct scan_store *store, struct db *db, const char *state,
                       struct scan_loan *loan)
{
    struct scan_column built[SCAN_COLUMNS] = {{0}};
    enum err_code rc = ERR_NOMEM;
    bool is_lent;

    if (claim(store, state, loan)) {
        const struct work work = work_of(loan);

        unlock(store);
        rc = do_work(&work, db, store->entries.limit_bytes, built);
        lock(store);
    }
    settle(store, loan, built, rc);
    is_lent = rc == ERR_OK && are_all_there(loan);
    if (is_lent)
        refuse_excess(store, loan);
    else
        let_all_go(store, loan);
    scan_entries_drop_others(&store->entries, state);
    scan_entries_shrink(&store->entries);
    (void)pthread_cond_broadcast(&store->settled); /* Fails only for a broken condition. */
    return is_lent;
}

bool scan_store_lend(struct scan_store *store, struct db *db, const char *state,
                     struct scan_loan *loan)
{
    struct finding found;
    bool is_lent = false;

    lock(store);
    scan_entries_drop_due(&store->entries, clock_steady_ns());
    found = wait_for_others(store, state, loan);
    if (!found.is_refused && found.missing == 0)
        is_lent = claim(store, state, loan); /* Makes no entry. */
    else if (!found.is_refused)
        is_lent = lend_built(store, db, state, loan);
    unlock(store);
    return is_lent;
}

void scan_store_release(struct scan_store *store, struct scan_loan *loan)
{
    lock(store);
    let_all_go(store, loan);
    scan_entries_shrink(&store->entries);
    unlock(store);
}
