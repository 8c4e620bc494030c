/* What recipes were before: each revision that was ever imported, also of recipes that are gone. */
#ifndef DB_REVISIONS_H
#define DB_REVISIONS_H

#include "base/arena.h"
#include "db/db.h"

/* One revision of a recipe.
 *
 * hash:        SHA-256 of its file
 * first_seen:  when it was imported
 * replaced_at: when another one came, or the recipe was removed; NULL: it is there
 * tokens_per_s_per_gpu: training tokens/s of one GPU, above 0
 * measured:    day of its run */
struct revision {
    const char *hash;
    const char *first_seen;
    const char *replaced_at;
    double tokens_per_s_per_gpu;
    const char *measured;
};

/* A recipe's revisions, newest first; none for a recipe that never was. */
struct revision_list {
    struct revision *items;
    size_t count;
};

/* List the revisions of one recipe.
 *
 * out: in the arena */
MUST_USE enum err_code db_revisions_list(struct db *db, const char *model, const char *gpu,
                                         const char *recipe, struct arena *arena,
                                         struct revision_list *out, struct err *e);

/* What one revision says, the same for ever.
 *
 * first_seen: when these bytes first came
 * audit:      as it was then */
struct revision_text {
    const char *hash;
    const char *first_seen;
    const char *audit;
    const char *document;
    const char *yaml;
    size_t yaml_len;
    const char *run;
};

/* Read one revision by its hash.
 *
 * hash:   whole
 * out:    in the arena
 * Errors: ERR_NOT_FOUND. */
MUST_USE enum err_code db_revision_get(struct db *db, const char *model, const char *gpu,
                                       const char *recipe, const char *hash, struct arena *arena,
                                       struct revision_text *out, struct err *e);

#endif
