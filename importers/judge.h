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
 * audit:  likewise; see has_audit
 * root:   of the file's tree, in the arena tree, between judge_read and judge_rest; NULL: it has
 *         none */
struct judgement {
    struct report report;
    struct recipe recipe;
    struct audit audit;
    bool has_audit;
    struct arena tree;
    struct tree_node *root;
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

/* The first half of it, which depends on nothing but the file, so that any thread may do it.
 *
 * out: stays where it is from now on; judge_rest follows, or judgement_done, on failure too */
MUST_USE enum err_code judge_read(const char *bytes, size_t len, const char *path,
                                  struct judgement *out, struct err *e);

/* The second half: what depends on the catalogue and on what is stored. As judge_recipe. */
MUST_USE enum err_code judge_rest(struct judgement *judgement, const char *path,
                                  const struct catalog *catalog, struct db *db, struct err *e);

/* Release what they filled. */
void judgement_done(struct judgement *judgement);

/* Write the members valid, problems and audit (null when invalid) into an open object. */
void judgement_write_json(const struct judgement *judgement, struct json *j);

#endif
