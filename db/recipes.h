/* Recipes in the database: one row each with a column for every scalar field, and their texts
 * (original bytes, rendered JSON) beside it, so that lists never read the texts. */
#ifndef DB_RECIPES_H
#define DB_RECIPES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "core/recipe.h"
#include "db/db.h"

/* A recipe as import stores it.
 *
 * recipe:    checked and derived
 * source:    canonical path of its file, "" when it has none
 * hash:      SHA-256 of the bytes, hexadecimal
 * yaml:      the original bytes
 * document:  the recipe's JSON document
 * audit:     the audit's JSON object
 * card_head, card_tail: members of its object in a list, without braces, those before and those
 * after usd_per_million_tokens: `"recipe":"x","tokens_per_s_per_gpu":1178.1` and `"gpus":8,...`
 * facts:     what it is compared by, of core/compare_facts.h
 * made:      of db_recipe_make; NULL: made when the recipe is stored */
struct recipe_entry {
    const struct recipe *recipe;
    const char *source;
    const char *hash;
    const char *yaml;
    size_t yaml_len;
    const char *document;
    const char *audit;
    const char *card_head;
    const char *card_tail;
    const char *facts;
    const struct recipe_made *made;
};

/* What is stored of an entry beside its texts, and takes time but no database.
 *
 * digest: of all that is stored
 * words:  of full-text search */
struct recipe_made {
    char digest[HASH_HEX_BYTES];
    struct buf words;
};

/* Work out what an entry makes. Any thread may do it, with an entry of its own.
 *
 * out:    its words are a buffer that was started, to which they are appended
 * Errors: ERR_NOMEM, ERR_LIMIT. */
MUST_USE enum err_code db_recipe_make(const struct recipe_entry *entry, struct recipe_made *out,
                                      struct err *e);

/* How a recipe differs from what was stored: CHANGED by its file's bytes, REJUDGED with the same
 * bytes but by what was made of them. */
enum recipe_change { RECIPE_SAME, RECIPE_ADDED, RECIPE_CHANGED, RECIPE_REJUDGED };

/* Store a recipe under its slugs, with its search text; the revision before stays in its history.
 * Inside a write transaction. The date of its first import stays when it changes.
 *
 * now:        time stamp for first_seen, changed_at and the history, as clock_now_text gives it
 * out_change: RECIPE_SAME if everything was stored already; then nothing is written */
MUST_USE enum err_code db_recipe_put(struct db *db, const struct recipe_entry *entry,
                                     const char *now, enum recipe_change *out_change,
                                     struct err *e);

/* What is stored of a file: whether there is a recipe with its slugs, and that one's hash and
 * source.
 */
struct recipe_stored {
    bool is_there;
    char hash[HASH_HEX_BYTES];
    const char *source; /* in the arena */
};

/* Tell what is stored under a recipe's slugs; is_there is false where nothing is. */
MUST_USE enum err_code db_recipe_stored(struct db *db, const char *model, const char *gpu,
                                        const char *recipe, struct arena *arena,
                                        struct recipe_stored *out, struct err *e);

/* Tell whether the source of any stored recipe was not seen. out_have is set on failure too. */
typedef bool recipe_is_seen(void *context, const char *source);
MUST_USE enum err_code db_recipes_have_unseen(struct db *db, recipe_is_seen *is_seen, void *context,
                                              bool *out_have, struct err *e);

/* Remove recipes whose source lies below a folder and was not seen; their history stays.
 *
 * folder:  canonical path, without a slash at its end
 * is_seen: asked for each such source
 * now:     time stamp of their end
 * out_removed: how many */
MUST_USE enum err_code db_recipes_prune(struct db *db, const char *folder, recipe_is_seen *is_seen,
                                        void *context, const char *now, size_t *out_removed,
                                        struct err *e);

/* One recipe with its texts, for the recipe page. All text is in the arena. */
struct recipe_page {
    const char *hash;
    const char *first_seen;
    const char *changed_at;
    const char *document;
    const char *audit;
    const char *yaml;
    size_t yaml_len;
    const char *run;
    const char *author;
    const char *confirmation;
    int64_t gpus;
    int64_t active_params;
    int64_t row_tokens;
    int64_t global_batch;
    int64_t steps; /* measured: of the window */
    double tokens_per_s_per_gpu;
    double step_time_cv_percent;
};

/* Read one recipe.
 *
 * out:    in the arena
 * Errors: ERR_NOT_FOUND. */
MUST_USE enum err_code db_recipe_get(struct db *db, const char *model, const char *gpu,
                                     const char *recipe, struct arena *arena,
                                     struct recipe_page *out, struct err *e);

/* Read what a recipe is compared by.
 *
 * out:    in the arena; "" of a recipe that a program before the column stored
 * Errors: ERR_NOT_FOUND. */
MUST_USE enum err_code db_recipe_facts(struct db *db, const char *model, const char *gpu,
                                       const char *recipe, struct arena *arena, const char **out,
                                       struct err *e);

/* A stored recipe with its texts, as db_recipes_visit shows it. */
struct recipe_stored_text {
    const char *model;
    const char *gpu;
    const char *recipe;
    const char *source;
    const char *hash;
    const char *yaml;
    size_t yaml_len;
    const char *document;
    const char *audit;
};

/* Visit every stored recipe in the order of model, gpu, recipe: for export and for rendering again.
 * The texts are lent for one call, which may store the recipe anew; an error from visit ends the
 * walk and is returned. */
typedef enum err_code recipe_visit(void *context, const struct recipe_stored_text *text,
                                   struct err *e);
MUST_USE enum err_code db_recipes_visit(struct db *db, recipe_visit *visit, void *context,
                                        struct err *e);

/* The same for the recipes that cite one checkpoint, in the order in which they were first stored.
 */
MUST_USE enum err_code db_recipes_visit_citing(struct db *db, const char *source,
                                               const char *revision, recipe_visit *visit,
                                               void *context, struct err *e);

/* Slugs of recipes of one model and GPU, for "did you mean": the first 1000 by name. *out is in the
 * arena, ended by NULL. */
MUST_USE enum err_code db_recipe_slugs(struct db *db, const char *model, const char *gpu,
                                       struct arena *arena, const char *const **out, struct err *e);

#endif
