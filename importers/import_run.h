/* What the parts of import share: one run's state, and storing one recipe. For importers/import*.c
 * only. */
#ifndef IMPORTERS_IMPORT_RUN_H
#define IMPORTERS_IMPORT_RUN_H

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "core/catalog.h"
#include "core/place.h"
#include "db/recipes.h"
#include "importers/import.h"
#include "importers/import_ahead.h"

/* Everything that one import holds; the part from db on is made anew by each try. */
struct import_run {
    const struct import_options *options;
    struct import_result *result;
    struct file_list files;
    struct file_list skipped; /* what folders have beside them */
    char now[CLOCK_TEXT_BYTES];

    struct db *db;
    struct catalog catalog;
    struct catalog bare;   /* models that recipes brought along: reading threads look at catalog */
    bool is_other_program; /* what is stored was made by another one, the rankings too */
    bool renders_all;      /* the catalogue or the program changed, so nothing may be skipped */
    struct import_ahead *ahead;  /* while recipes are read */
    struct file_list sources;    /* canonical paths of the recipe files seen; sorted when all are */
    struct import_claim *claims; /* what recipe each of the files is */
    size_t claim_count;
    size_t claim_cap;
};

/* A recipe and the file that it is in. path and canonical are lent by the run's lists.
 *
 * place: "MODEL/GPU/RECIPE" */
struct import_claim {
    char *place;
    const char *path;
    const char *canonical;
};

/* Count a file's problems and keep them for the caller. Swallows the report. */
MUST_USE enum err_code import_take_report(struct import_run *run, const char *path,
                                          struct report *report, struct err *e);

/* What became of one file.
 *
 * is_stored: whether it is in the database; the rest is valid only then
 * change:    how it differs from what was stored
 * place:     the recipe's slugs */
struct import_outcome {
    bool is_stored;
    enum recipe_change change;
    struct recipe_place place;
};

/* Store a recipe that was read, unless its file has errors. */
MUST_USE enum err_code import_store(struct import_run *run, const struct import_source *source,
                                    struct import_draft *draft, struct import_outcome *out,
                                    struct err *e);

/* Note which recipe a file is. */
MUST_USE enum err_code import_claim_add(struct import_run *run, const struct recipe_place *place,
                                        const struct import_source *source, struct err *e);

/* Report each recipe that two files claim to be, identical bytes or not; the same file named twice
 * is none. */
MUST_USE enum err_code import_claims_check(struct import_run *run, struct err *e);

/* Release the claims. */
void import_claims_done(struct import_run *run);

/* Judge a stored recipe again, from its stored bytes, and store it if that changes anything. */
MUST_USE enum err_code import_stored(struct import_run *run, const struct recipe_stored_text *text,
                                     struct err *e);

#endif
