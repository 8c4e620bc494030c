/* Verification: which checkpoints have to be looked at, asking the hub for those alone, and storing
 * each result as it comes together with the recipes that it judges. */
#ifndef IMPORTERS_VERIFY_H
#define IMPORTERS_VERIFY_H

#include "db/checkpoints.h"
#include "importers/hub.h"

/* One checkpoint of a run.
 *
 * known:     what is stored of it, by now
 * asked:     what came of asking in this run; NULL: it was not asked for. Known is something else
 *            where that says more
 * is_told:   whether on_checkpoint was called
 * claims, claim_count: of the recipes that cite it, among those that were chosen */
struct verify_checkpoint {
    const char *repository;
    const char *revision;
    struct hub_result known;
    const struct hub_result *asked;
    bool is_told;
    const struct recipe_claim *claims;
    size_t claim_count;
};

/* What to tell while it goes on; members may be NULL.
 *
 * on_checkpoint: one is done with; called once for each
 * on_progress:   files read, of how many known so far; total grows as indexes are read */
struct verify_hooks {
    void (*on_checkpoint)(void *ctx, const struct verify_checkpoint *checkpoint);
    void (*on_progress)(void *ctx, size_t done, size_t total);
    void *ctx;
};

/* What to verify.
 *
 * hub:       with is_stopped, which is set here too where storing fails
 * names:     name_count recipes as MODEL/GPU/RECIPE, MODEL/GPU or MODEL; none: all
 * max_age_s: outcomes without a count are asked for again once they are so old; one that only says
 *            that the hub was away always is
 * refresh:   ask for everything again, counts too
 * finish:    as in struct import_options, wherever recipes are judged otherwise now */
struct verify_options {
    struct hub_config *hub;
    const char *const *names;
    size_t name_count;
    int64_t max_age_s;
    bool refresh;
    db_tx_fn *finish;
    const struct verify_hooks *hooks;
};

/* What came of it.
 *
 * arena: has it all
 * asked: checkpoints that the hub was asked for
 * requests, bytes: that it took */
struct verify_run {
    struct arena arena;
    struct verify_checkpoint *checkpoints;
    size_t count;
    size_t asked;
    int64_t requests;
    int64_t bytes;
};

/* Verify.
 *
 * db:     open for writing, migrated
 * out:    filled on failure too; after use, verify_run_done
 * Errors: ERR_NOT_FOUND for a name that no recipe has, with the nearest one; ERR_INPUT as
 *         hub_verify; ERR_BUSY after is_stopped, or if the database is in use too long; of the
 *         database. What a hub does wrong is in the results. */
MUST_USE enum err_code verify_run(struct db *db, const struct verify_options *options,
                                  struct verify_run *out, struct err *e);

/* Release what verify_run filled. */
void verify_run_done(struct verify_run *run);

/* Judge what is known of a checkpoint by the claim of one of its recipes. */
void verify_judge(const struct verify_checkpoint *checkpoint, const struct hub_claim *claim,
                  struct hub_result *out);

#endif
