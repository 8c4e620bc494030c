/* Judging stored recipes again, when what they are judged by changed. */
#include "importers/import_run.h"

#include "db/catalog.h"

#include <limits.h>

enum err_code import_stored(struct import_run *run, const struct recipe_stored_text *text,
                            struct err *e)
{
    struct import_source source = {
        .canonical = text->source, .bytes = text->yaml, .len = text->yaml_len};
    struct import_outcome outcome = {.is_stored = false};
    struct import_draft draft;
    struct buf path;
    enum err_code rc;

    buf_init(&path, PATH_MAX);
    buf_printf(&path, "recipes/%s/%s/%s.yaml", text->model, text->gpu, text->recipe);
    source.path = buf_text(&path);
    hash_sha256(source.bytes, source.len, source.hash);
    rc = buf_check(&path, e);
    if (rc == ERR_OK) {
        import_draft_init(&draft);
        rc = import_draft_read(&source, &run->catalog, &draft, e);
        if (rc == ERR_OK)
            rc = import_store(run, &source, &draft, &outcome, e);
        import_draft_clear(&draft);
        import_draft_done(&draft);
    }
    if (rc == ERR_OK && outcome.is_stored && outcome.change == RECIPE_REJUDGED)
        run->result->rendered++;
    buf_done(&path);
    return rc;
}

/* A recipe that this program refuses keeps what it was stored with, until an import tells why. */
static enum err_code judge_again(void *context, const struct recipe_stored_text *text,
                                 struct err *e)
{
    return import_stored(context, text, e);
}

enum err_code import_judge_citing(struct db *db, const char *source, const char *revision,
                                  size_t *out_changed, struct err *e)
{
    const struct import_options options = {0};
    struct import_result result = {0};
    struct import_run run = {.options = &options, .result = &result, .db = db};
    enum err_code rc;

    clock_now_text(run.now);
    catalog_init(&run.catalog);
    catalog_init(&run.bare);
    rc = db_catalog_load(db, &run.catalog, e);
    if (rc == ERR_OK)
        rc = db_recipes_visit_citing(db, source, revision, judge_again, &run, e);
    *out_changed = result.rendered;
    catalog_done(&run.catalog);
    catalog_done(&run.bare);
    import_result_done(&result);
    return rc;
}
