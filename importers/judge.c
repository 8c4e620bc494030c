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

static enum err_code read_recipe(const char *bytes, size_t len, const char *path,
                                 struct judgement *out, struct err *e)
{
    char stem[SLUG_BYTES];
    enum err_code rc = yaml_tree_read(bytes, len, &out->tree, &out->root, &out->report, e);

    if (rc != ERR_OK || !out->root)
        return rc;
    rc = recipe_read(&out->recipe, out->root, &out->report, e);
    if (rc != ERR_OK || out->report.errors > 0)
        return rc;
    copy_stem(stem, path);
    recipe_derive(&out->recipe, stem);
    return ERR_OK;
}

/* Audit a recipe without errors, by what an earlier verification found. */
static enum err_code audit(const struct catalog *catalog, struct db *db, struct judgement *out,
                           struct err *e)
{
    struct recipe *r = &out->recipe;
    const struct hub_claim claim = {r->result.active_params.source,
                                    r->result.active_params.revision,
                                    r->result.active_params.count};
    struct hub_result found = {.outcome = HUB_NOT_CHECKED};
    enum err_code rc = ERR_OK;

    if (db)
        rc = db_checkpoint_judge(db, &claim, &found, e);
    r->derived.confirmation = hub_outcome_name(found.outcome);
    if (rc == ERR_OK)
        rc = audit_make(r, catalog, &found, &out->audit, e);
    out->has_audit = rc == ERR_OK;
    return rc;
}

enum err_code judge_read(const char *bytes, size_t len, const char *path, struct judgement *out,
                         struct err *e)
{
    report_init(&out->report);
    recipe_init(&out->recipe);
    out->has_audit = false;
    out->root = NULL;
    arena_init(&out->tree, TREE_ARENA_LIMIT);
    return read_recipe(bytes, len, path, out, e);
}

enum err_code judge_rest(struct judgement *judgement, const char *path,
                         const struct catalog *catalog, struct db *db, struct err *e)
{
    struct report *report = &judgement->report;
    enum err_code rc = ERR_OK;

    if (judgement->root && report->errors == 0)
        rc = recipe_check(&judgement->recipe, path, judgement->root, catalog, report, e);
    if (rc == ERR_OK && report->errors == 0)
        rc = audit(catalog, db, judgement, e);
    if (rc == ERR_OK && report->is_short)
        rc = err_nomem(e);
    report_sort(report);
    judgement->root = NULL;
    arena_done(&judgement->tree);
    return rc;
}

enum err_code judge_recipe(const char *bytes, size_t len, const char *path,
                           const struct catalog *catalog, struct db *db, struct judgement *out,
                           struct err *e)
{
    enum err_code rc = judge_read(bytes, len, path, out, e);

    return rc == ERR_OK ? judge_rest(out, path, catalog, db, e) : rc;
}

void judgement_done(struct judgement *judgement)
{
    if (judgement->has_audit)
        audit_done(&judgement->audit);
    recipe_done(&judgement->recipe);
    report_done(&judgement->report);
    arena_done(&judgement->tree);
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
