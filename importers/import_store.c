/* One recipe: confirmed, stored, its problems kept. */
#include "importers/import_run.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Count a file's problems and keep them for the caller. The report is handed over. */
enum err_code import_take_report(struct import_run *run, const char *path, struct report *report,
                                 struct err *e)
{
    struct import_result *result = run->result;
    struct import_problems *slot;
    bool is_short = report->is_short;

    if (run->options->strict)
        report_make_strict(report);
    result->errors += report->errors;
    result->warnings += report->warnings;
    if (is_short || report->errors + report->warnings == 0 ||
        result->problem_count == IMPORT_PROBLEM_FILES) {
        result->hidden += report->errors + report->warnings > 0;
        report_done(report);
        return is_short ? err_nomem(e) : ERR_OK;
    }
    if (!mem_grow((void **)&result->problems, &result->problem_cap, result->problem_count,
                  sizeof *result->problems)) {
        report_done(report);
        return err_nomem(e);
    }
    slot = &result->problems[result->problem_count];
    slot->path = mem_text(path, strlen(path));
    if (!slot->path) {
        report_done(report);
        return err_nomem(e);
    }
    slot->report = *report;
    report_init(report);
    result->problem_count++;
    return ERR_OK;
}

/* A recipe of a model that no catalogue file describes brings a bare one along. */
static enum err_code ensure_model(struct import_run *run, const struct recipe *r, struct err *e)
{
    if (catalog_model(&run->catalog, r->derived.model) ||
        catalog_model(&run->bare, r->derived.model))
        return ERR_OK;
    return catalog_add_model(&run->bare, r->derived.model, r->model, e);
}

static void copy_place(const struct recipe *r, struct recipe_place *out)
{
    memcpy(out->model, r->derived.model_slug, sizeof out->model);
    memcpy(out->gpu, r->derived.gpu_slug, sizeof out->gpu);
    memcpy(out->recipe, r->derived.recipe_slug, sizeof out->recipe);
}

enum err_code import_store(struct import_run *run, const struct import_source *source,
                           struct import_draft *draft, struct import_outcome *out, struct err *e)
{
    struct judgement *judgement = &draft->judgement;
    const struct report *report = &judgement->report;
    enum err_code rc = import_draft_confirm(draft, source, &run->catalog, run->db, e);

    *out = (struct import_outcome){.is_stored = false};
    if (rc == ERR_OK && report->errors == 0)
        rc = ensure_model(run, &judgement->recipe, e);
    if (rc == ERR_OK && report->errors == 0) {
        const struct recipe_entry entry = import_draft_entry(draft, source);

        rc = db_recipe_put(run->db, &entry, run->now, &out->change, e);
        out->is_stored = rc == ERR_OK;
        copy_place(&judgement->recipe, &out->place);
    }
    if (rc == ERR_OK)
        rc = import_take_report(run, source->path, &judgement->report, e);
    return rc;
}
