/* bytes -> tree -> struct -> checks -> audit. */
#include "importers/judge.h"

#include "core/check.h"
#include "db/checkpoints.h"
#include "importers/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

/* The slug of a recipe that has no file name; it is never stored. */
static const char unnamed[] = "unnamed";

/* Copy the file's name without folders and ".yaml". */
static void copy_stem(char out[SLUG_BYTES], const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path ? path : unnamed;
    size_t len = strlen(name);

    if (len > 5 && strcmp(name + len - 5, ".yaml") == 0)
        len -= 5;
    /* A name that is too long keeps one byte too many for a slug, and is refused by the check. */
    if (len > SLUG_LIMIT)
        len = SLUG_LIMIT;
    memcpy(out, name, len);
    out[len] = '\0';
}

/* Audit a recipe without errors. */
static enum err_code audit(const struct catalog *catalog, const struct hub_result *found,
                           struct judgement *out, struct err *e)
{
    enum err_code rc;

    out->recipe.derived.confirmation = hub_outcome_name(found->outcome);
    rc = audit_make(&out->recipe, catalog, found, &out->audit, e);
    out->has_audit = rc == ERR_OK;
    return rc;
}

/* Judge what a file's tree says. */
static enum err_code judge_tree(const struct tree_node *root, const char *path,
                                const struct catalog *catalog, struct judgement *out, struct err *e)
{
    static const struct hub_result nothing = {.outcome = HUB_NOT_CHECKED};
    char stem[SLUG_BYTES];
    enum err_code rc = recipe_read(&out->recipe, root, &out->report, e);

    if (rc != ERR_OK || out->report.errors > 0)
        return rc;
    copy_stem(stem, path);
    recipe_derive(&out->recipe, stem);
    rc = recipe_check(&out->recipe, path, root, catalog, &out->report, e);
    return rc == ERR_OK && out->report.errors == 0 ? audit(catalog, &nothing, out, e) : rc;
}

enum err_code judge_file(const char *bytes, size_t len, const char *path,
                         const struct catalog *catalog, struct judgement *out, struct err *e)
{
    struct tree_node *root = NULL;
    struct arena tree;
    enum err_code rc;

    report_init(&out->report);
    recipe_init(&out->recipe);
    out->has_audit = false;
    arena_init(&tree, TREE_ARENA_LIMIT);
    rc = yaml_tree_read(bytes, len, &tree, &root, &out->report, e);
    if (rc == ERR_OK && root)
        rc = judge_tree(root, path, catalog, out, e);
    if (rc == ERR_OK && out->report.is_short)
        rc = err_nomem(e);
    report_sort(&out->report);
    arena_done(&tree);
    return rc;
}

enum err_code judge_confirm(struct judgement *judgement, const struct catalog *catalog,
                            struct db *db, bool *out_is_new, struct err *e)
{
    const struct recipe *r = &judgement->recipe;
    const struct hub_claim claim = {r->result.active_params.source,
                                    r->result.active_params.revision,
                                    r->result.active_params.count};
    struct hub_result found;
    enum err_code rc = ERR_OK;

    *out_is_new = false;
    if (!judgement->has_audit)
        return ERR_OK;
    rc = db_checkpoint_judge(db, &claim, &found, e);
    if (rc != ERR_OK || found.outcome == HUB_NOT_CHECKED)
        return rc;
    audit_done(&judgement->audit);
    judgement->has_audit = false;
    *out_is_new = true;
    return audit(catalog, &found, judgement, e);
}

enum err_code judge_recipe(const char *bytes, size_t len, const char *path,
                           const struct catalog *catalog, struct db *db, struct judgement *out,
                           struct err *e)
{
    enum err_code rc = judge_file(bytes, len, path, catalog, out, e);
    bool is_new;

    return rc == ERR_OK && db ? judge_confirm(out, catalog, db, &is_new, e) : rc;
}

void judgement_done(struct judgement *judgement)
{
    if (judgement->has_audit)
        audit_done(&judgement->audit);
    recipe_done(&judgement->recipe);
    report_done(&judgement->report);
}

void judgement_write_json(const struct judgement *judgement, struct json *j)
{
    json_put_bool(j, "valid", judgement->report.errors == 0);
    report_write_json(&judgement->report, "problems", j);
    if (judgement->has_audit)
        audit_write_json(&judgement->audit, "audit", j);
    else
        json_put_null(j, "audit");
}
