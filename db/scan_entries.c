/* A list without an order: there are some dozens of columns, and a query looks for a handful. */
#include "db/scan_entries.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void free_entry(struct scan_entry *entry)
{
    scan_column_done(&entry->column);
    free(entry->words);
    free(entry);
}

void scan_entries_done(struct scan_entries *list)
{
    while (list->first) {
        struct scan_entry *next = list->first->next;

        free_entry(list->first);
        list->first = next;
    }
}

struct scan_entry *scan_entries_find(const struct scan_entries *list, const char *state,
                                     struct scan_subject subject)
{
    struct scan_entry *entry = list->first;

    while (entry &&
           (!scan_subject_is_same((struct scan_subject){entry->field, entry->words}, subject) ||
            strcmp(entry->state, state) != 0))
        entry = entry->next;
    return entry;
}

struct scan_entry *scan_entries_add(struct scan_entries *list, const char *state,
                                    struct scan_subject subject)
{
    struct scan_entry *entry = mem_array(1, sizeof *entry);

    assert(strlen(state) < SCAN_STATE_BYTES);
    if (!entry)
        return NULL;
    entry->field = subject.field;
    if (subject.words)
        entry->words = mem_text(subject.words, strlen(subject.words));
    if (subject.words && !entry->words) {
        free_entry(entry);
        return NULL;
    }
    memcpy(entry->state, state, strlen(state) + 1);
    entry->is_listed = true;
    entry->next = list->first;
    list->first = entry;
    return entry;
}

void scan_entries_settle_take(struct scan_entries *list, struct scan_entry *entry,
                              struct scan_column *column, int64_t again_ns)
{
    entry->column = *column;
    entry->again_ns = again_ns;
    *column = (struct scan_column){0};
    entry->progress = entry->column.codes ? SCAN_READY : SCAN_REFUSED;
    list->bytes += entry->column.bytes;
}

void scan_entries_drop(struct scan_entries *list, struct scan_entry *entry)
{
    struct scan_entry **at = &list->first;

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    entry->is_listed = false;
    list->bytes -= entry->column.bytes;
    if (entry->users == 0)
        free_entry(entry);
}

void scan_entries_drop_others(struct scan_entries *list, const char *state)
{
    struct scan_entry *next;

    for (struct scan_entry *entry = list->first; entry; entry = next) {
        next = entry->next;
        if (entry->progress != SCAN_BUILDING && strcmp(entry->state, state) != 0)
            scan_entries_drop(list, entry);
    }
}

void scan_entries_drop_due(struct scan_entries *list, int64_t now_ns)
{
    struct scan_entry *next;

    for (struct scan_entry *entry = list->first; entry; entry = next) {
        next = entry->next;
        if (entry->progress == SCAN_REFUSED && entry->again_ns <= now_ns)
            scan_entries_drop(list, entry);
    }
}

void scan_entries_release(struct scan_entries *list, struct scan_entry *entry)
{
    if (--entry->users > 0)
        return;
    if (!entry->is_listed) {
        free_entry(entry);
    } else if (entry->progress == SCAN_REFUSED && entry->words) {
        scan_entries_drop(list, entry); /* There is no end of texts that may be asked for. */
    } else if (entry->progress == SCAN_REFUSED) {
        list->bytes -= entry->column.bytes;
        scan_column_done(&entry->column);
    }
}

/* Find what was used least recently, of what nobody uses; NULL: all is used.
 *
 * is_of_words: look at columns of words alone */
static struct scan_entry *oldest(const struct scan_entries *list, bool is_of_words)
{
    struct scan_entry *found = NULL;

    for (struct scan_entry *entry = list->first; entry; entry = entry->next)
        if (entry->progress == SCAN_READY && entry->users == 0 && (entry->words || !is_of_words) &&
            (!found || entry->last_use < found->last_use))
            found = entry;
    return found;
}

static size_t count_texts(const struct scan_entries *list)
{
    size_t count = 0;

    for (const struct scan_entry *entry = list->first; entry; entry = entry->next)
        count += entry->words != NULL;
    return count;
}

void scan_entries_shrink(struct scan_entries *list)
{
    struct scan_entry *entry;

    while (count_texts(list) > SCAN_TEXTS && (entry = oldest(list, true)) != NULL)
        scan_entries_drop(list, entry);
    while (list->bytes > list->limit_bytes && (entry = oldest(list, false)) != NULL)
        scan_entries_drop(list, entry);
}
