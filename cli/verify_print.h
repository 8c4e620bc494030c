/* What `openrecipes verify` prints: a line for each recipe, a table of the checkpoints, or JSON. */
#ifndef CLI_VERIFY_PRINT_H
#define CLI_VERIFY_PRINT_H

#include "importers/verify.h"

/* How many recipes came to each outcome: what is known of them in the end.
 *
 * unreachable_now: recipes that the hub was asked about in this run without an answer of use,
 * though more may be known of them */
struct verify_tally {
    size_t recipes;
    size_t outcomes[HUB_OUTCOMES];
    size_t unreachable_now;
};

/* Count the recipes of a run. */
struct verify_tally verify_tally(const struct verify_run *run);

/* Append a line for each recipe of a checkpoint. */
void verify_print_lines(const struct verify_checkpoint *checkpoint, struct buf *out);

/* Append the table of a run's checkpoints with what their counts are made of, and the totals.
 *
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code verify_print_table(const struct verify_run *run, struct buf *out,
                                          struct err *e);

/* Append one JSON object with everything.
 *
 * failure: why the run ended early; NULL: it did not */
void verify_print_json(const struct verify_run *run, const struct err *failure, struct buf *out);

#endif
