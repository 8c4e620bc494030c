/* What the parts of the audit share while it is made. For core/audit*.c. */
#ifndef CORE_AUDIT_MAKER_H
#define CORE_AUDIT_MAKER_H

#include "base/buf.h"
#include "core/audit.h"
#include "core/shell_script.h"

/* Largest text of one row: lists are cut to AUDIT_ITEMS_SHOWN items of AUDIT_ITEM_BYTES. */
#define AUDIT_TEXT_BYTES ((size_t)32 * 1024)

/* Items of a list that a row shows; how many more there are is said. */
#define AUDIT_ITEMS_SHOWN 50

/* Longest item that is shown whole, in bytes. */
#define AUDIT_ITEM_BYTES 120

/* Largest value of the command or of env with its name: a little more than the largest file. */
#define AUDIT_VALUE_BYTES ((size_t)1100 * 1024)

/* An audit being made.
 *
 * confirmation: NULL: not checked yet
 * problem:      why the command is no whole script, in words; NULL: it is one
 * is_short:     memory ran out: the audit is worth nothing */
struct audit_maker {
    const struct recipe *r;
    const struct catalog *catalog;
    const struct hub_result *confirmation;
    struct audit *audit;
    const char *problem;
    bool is_short;
};

/* Fill a row; found and expected are copied, and may be NULL. */
void audit_put(struct audit_maker *m, enum audit_check check, enum audit_result result,
               const char *found, const char *expected);

/* Fill a row from two buffers, which are emptied; an empty one is NULL. */
void audit_put_bufs(struct audit_maker *m, enum audit_check check, enum audit_result result,
                    struct buf *found, struct buf *expected);

/* Append an item of a list after a separator, unless it is the first; a long one is cut between two
 * characters. */
void audit_add_item(struct buf *out, const char *separator, const char *item);

/* Append all items, at most AUDIT_ITEMS_SHOWN; last_separator stands before the last of them. */
void audit_add_list(struct buf *out, const struct text_list *list, const char *last_separator);

/* Two sides that differ, as two lists in step. An item is written into found_item and
 * expected_item, and added with audit_differ.
 *
 * count: differences, of which the first AUDIT_ITEMS_SHOWN are in the lists */
struct audit_differences {
    struct buf found;
    struct buf expected;
    struct buf found_item;
    struct buf expected_item;
    size_t count;
};

/* Start with no differences; allocates nothing. */
void audit_differences_init(struct audit_differences *d);

/* Add the difference that the items tell, and empty them. */
void audit_differ(struct audit_differences *d);

/* Fill a row: failed for its differences, or as given where there are none. Releases them. */
void audit_put_differences(struct audit_maker *m, enum audit_check check,
                           struct audit_differences *d, enum audit_result result,
                           const char *found);

/* The row of the command's flags against the layout. */
void audit_flags(struct audit_maker *m, const struct shell_script *script);

/* The rows of the run text: flags, env, placeholders, variables; fills the audit's lists.
 *
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code audit_run(struct audit_maker *m, struct err *e);

/* The rows of the evidence: framework, patches, reference, convergence, runs, confirmation. */
void audit_evidence(struct audit_maker *m);

#endif
