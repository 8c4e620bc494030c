/* The judgement of one recipe file, from bytes to audit: the same for import, `openrecipes check`
 * and POST /check. */
#ifndef IMPORTERS_JUDGE_H
#define IMPORTERS_JUDGE_H

#include "base/json.h"
#include "core/audit.h"
#include "core/catalog.h"
#include "core/recipe.h"
#include "core/report.h"
#include "db/db.h"

/* What is known of a file after it was judged.
 *
 * recipe: valid when the report has no errors
 * audit:  likewise; see has_audit */
struct judgement {
    struct report report;
    struct recipe recipe;
    struct audit audit;
    bool has_audit;
};

/* Judge a recipe file.
 *
 * bytes, len: the file
 * path:       as given by the user; NULL where there is none (standard input, POST /check)
 * catalog:    what GPUs, prices, models and authors are known
 * db:         where it is looked up whether the active parameters are confirmed; NULL: nowhere
 * out:        also on problems; after use, judgement_done
 * Errors:     ERR_NOMEM; of the database; problems of the file are in the report. */
MUST_USE enum err_code judge_recipe(const char *bytes, size_t len, const char *path,
                                    const struct catalog *catalog, struct db *db,
                                    struct judgement *out, struct err *e);

/* The first half of it, which looks at no database, so that any thread may do it: the audit is made
 * as if nobody had checked the active parameters.
 *
 * out: stays where it is from now on; after use, on failure too, judgement_done */
MUST_USE enum err_code judge_file(const char *bytes, size_t len, const char *path,
                                  const struct catalog *catalog, struct judgement *out,
                                  struct err *e);

/* The second half: audit anew what somebody has checked.
 *
 * catalog:    the same
 * out_is_new: whether there is another audit now */
MUST_USE enum err_code judge_confirm(struct judgement *judgement, const struct catalog *catalog,
                                     struct db *db, bool *out_is_new, struct err *e);

/* Release what they filled. */
void judgement_done(struct judgement *judgement);

/* Write the members valid, problems and audit (null when invalid) into an open object. */
void judgement_write_json(const struct judgement *judgement, struct json *j);

#endif
