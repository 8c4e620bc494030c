/* The import's steps: list the files, read the catalogue, judge and store each recipe, prune, work
 * out the rankings: all inside one transaction. */
#include "importers/import.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"
#include "db/catalog.h"
#include "db/events.h"
#include "db/ranking_pages.h"
#include "db/rankings.h"
#include "db/status.h"
#include "importers/catalog_files.h"
#include "importers/import_run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Files in one import: ten times the largest collection that the service is measured with. */
enum { MOST_FILES = 10 * 1000 * 1000 };

/* How the name of a file ends that is read. */
static const char suffix[] = ".yaml";

void import_result_done(struct import_result *result)
{
    for (size_t i = 0; i < result->problem_count; i++) {
        free(result->problems[i].path);
        report_done(&result->problems[i].report);
    }
    free(result->problems);
    *result = (struct import_result){0};
}

/* Read a file. One that is too long is a problem of that file, not the end of the import. */
static enum err_code read_file(const char *path, struct report *report, char **out_bytes,
                               size_t *out_len, struct err *e)
{
    enum err_code rc = file_read(path, RECIPE_FILE_LIMIT, out_bytes, out_len, e);

    if (rc != ERR_LIMIT)
        return rc;
    report_add(report, SEVERITY_ERROR, 0, 0, "", "the file is longer than %d bytes",
               RECIPE_FILE_LIMIT);
    return ERR_OK;
}

static enum err_code import_catalog_file(struct import_run *run, const char *path, struct err *e)
{
    struct report report;
    char *bytes = NULL;
    size_t len = 0;
    enum err_code rc;

    report_init(&report);
    rc = read_file(path, &report, &bytes, &len, e);
    if (rc == ERR_OK && bytes)
        rc = catalog_file_read(&run->catalog, path, bytes, len, &report, e);
    report_sort(&report);
    if (rc == ERR_OK)
        rc = import_take_report(run, path, &report, e);
    else
        report_done(&report);
    free(bytes);
    run->result->catalog_files++;
    return rc;
}

/* Find the file of this import that a problem of the catalogue's check is in; "catalog" where what
 * it is about was stored before. */
static const char *catalog_file_of(const struct import_run *run, const char *problem)
{
    for (size_t i = 0; i < run->files.count; i++)
        if (catalog_file_has(run->files.paths[i], problem))
            return run->files.paths[i];
    return "catalog";
}

/* What refers to what is looked at once all catalogue files are read; each problem is told with its
 * own file. */
static enum err_code check_catalog(struct import_run *run, struct err *e)
{
    enum err_code rc = ERR_OK;
    struct report all;

    report_init(&all);
    catalog_check(&run->catalog, &all);
    if (all.is_short)
        rc = err_nomem(e);
    for (const struct problem *p = all.first; rc == ERR_OK && p; p = p->next) {
        struct report one;

        report_init(&one);
        report_add(&one, p->severity, 0, 0, p->path, "%s", p->message);
        rc = import_take_report(run, catalog_file_of(run, p->path), &one, e);
    }
    report_done(&all);
    return rc == ERR_OK ? catalog_index(&run->catalog, e) : rc;
}

static enum err_code import_catalog(struct import_run *run, struct err *e)
{
    enum err_code rc = db_catalog_load(run->db, &run->catalog, e);

    for (size_t i = 0; rc == ERR_OK && i < run->files.count; i++) {
        const char *path = run->files.paths[i];
        enum catalog_file which;
        struct report report;

        switch (catalog_path_kind(path, &which)) {
        case CATALOG_PATH_NONE:
            break;
        case CATALOG_PATH_FILE:
            rc = import_catalog_file(run, path, e);
            break;
        case CATALOG_PATH_UNKNOWN:
            report_init(&report);
            report_add(&report, SEVERITY_ERROR, 0, 0, "",
                       "no catalogue file has this name: gpus.yaml, prices.yaml, authors.yaml and "
                       "models/SLUG.yaml are read");
            rc = import_take_report(run, path, &report, e);
            break;
        }
    }
    /* A new database with recipes alone is judged by the catalogue that the program carries. */
    if (rc == ERR_OK && run->catalog.gpus.count == 0 && run->result->catalog_files == 0)
        rc = catalog_load_embedded(&run->catalog, e);
    return rc == ERR_OK ? check_catalog(run, e) : rc;
}

/* Tell whether a file is stored just as it is. Its slugs are those of its place; a file elsewhere
 * is always judged. */
static enum err_code is_unchanged(struct import_run *run, const struct import_source *source,
                                  struct import_outcome *out, struct err *e)
{
    struct recipe_stored stored = {0};
    struct recipe_place *place = &out->place;
    struct arena arena;
    enum err_code rc;

    *out = (struct import_outcome){.change = RECIPE_SAME};
    if (run->renders_all || run->options->strict || !recipe_place_of(source->path, place))
        return ERR_OK;
    arena_init(&arena, PATH_MAX * 2);
    rc = db_recipe_stored(run->db, place->model, place->gpu, place->recipe, &arena, &stored, e);
    if (rc == ERR_OK)
        out->is_stored = stored.is_there && strcmp(stored.hash, source->hash) == 0 &&
                         strcmp(stored.source, source->canonical) == 0;
    arena_done(&arena);
    return rc;
}

static void count_change(struct import_result *result, enum recipe_change change)
{
    switch (change) {
    case RECIPE_SAME:
        result->same++;
        break;
    case RECIPE_ADDED:
        result->added++;
        break;
    case RECIPE_CHANGED:
        result->changed++;
        break;
    case RECIPE_REJUDGED:
        result->same++;
        result->rendered++;
        break;
    }
}

/* Remember that a recipe's file was seen. Its canonical path is taken.
 *
 * returns the path, lent as long as the run lives; NULL without memory, which e tells */
static const char *note_source(struct import_run *run, struct import_file *file, struct err *e)
{
    struct file_list *sources = &run->sources;
    char *canonical = file->canonical;

    if (!mem_grow((void **)&sources->paths, &sources->cap, sources->count,
                  sizeof *sources->paths)) {
        (void)err_nomem(e);
        return NULL;
    }
    sources->paths[sources->count++] = canonical;
    file->canonical = NULL;
    return canonical;
}

/* Store what is new of a file's bytes. */
static enum err_code import_bytes(struct import_run *run, const struct import_source *source,
                                  struct import_file *file, struct err *e)
{
    struct import_outcome outcome = {.is_stored = false};
    enum err_code rc = is_unchanged(run, source, &outcome, e);

    import_ahead_expect(run->ahead, !outcome.is_stored);
    if (rc == ERR_OK && !outcome.is_stored) {
        rc = import_file_parse(file, source, &run->catalog, e);
        if (rc == ERR_OK)
            rc = import_store(run, source, &file->draft, &outcome, e);
    }
    if (rc != ERR_OK || !outcome.is_stored)
        return rc;
    count_change(run->result, outcome.change);
    return import_claim_add(run, &outcome.place, source, e);
}

static enum err_code import_recipe(struct import_run *run, const char *path,
                                   struct import_file *file, struct err *e)
{
    struct import_source source = import_file_source(file, path);
    enum err_code rc = file->error.code;

    run->result->recipe_files++;
    if (rc != ERR_OK) {
        *e = file->error;
        return rc;
    }
    source.canonical = note_source(run, file, e);
    if (!source.canonical)
        return e->code;
    rc = import_take_report(run, path, &file->report, e);
    return rc == ERR_OK && file->bytes ? import_bytes(run, &source, file, e) : rc;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A recipe without a file was not. Without any file there is no list either, which bsearch must not
 * be given. */
static bool is_seen(void *context, const char *source)
{
    const struct import_run *run = context;

    return *source && run->sources.count > 0 &&
           bsearch(&source, run->sources.paths, run->sources.count, sizeof *run->sources.paths,
                   by_text);
}

static enum err_code import_recipes(struct import_run *run, struct err *e)
{
    const struct import_options *options = run->options;
    enum err_code rc = import_ahead_start(&run->files, &run->catalog, &run->ahead, e);

    for (size_t i = 0; rc == ERR_OK && i < run->files.count; i++) {
        struct import_file *file = import_ahead_next(run->ahead);
        enum catalog_file which;

        if (catalog_path_kind(run->files.paths[i], &which) == CATALOG_PATH_NONE)
            rc = import_recipe(run, run->files.paths[i], file, e);
        if (options->progress)
            options->progress(options->progress_context, i + 1, run->files.count);
    }
    import_ahead_stop(run->ahead);
    run->ahead = NULL;
    if (run->sources.count > 0)
        qsort(run->sources.paths, run->sources.count, sizeof *run->sources.paths, by_text);
    return rc == ERR_OK ? import_claims_check(run, e) : rc;
}

static enum err_code render_unseen(void *context, const struct recipe_stored_text *text,
                                   struct err *e)
{
    struct import_run *run = context;

    return is_seen(run, text->source) ? ERR_OK : import_stored(run, text, e);
}

/* Judge what was not among the files again: prices or the program changed. Mostly all were, and to
 * see that takes no look at the recipes. */
static enum err_code render_rest(struct import_run *run, struct err *e)
{
    bool have = false;
    enum err_code rc = db_recipes_have_unseen(run->db, is_seen, run, &have, e);

    return rc == ERR_OK && have ? db_recipes_visit(run->db, render_unseen, run, e) : rc;
}

static enum err_code prune(struct import_run *run, struct err *e)
{
    struct file_folder last = {0};
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < run->options->path_count; i++) {
        char *folder = NULL;
        size_t removed = 0;

        rc = file_canonical(&last, run->options->paths[i], &folder, e);
        if (rc == ERR_OK)
            rc = db_recipes_prune(run->db, folder, is_seen, run, run->now, &removed, e);
        run->result->removed += removed;
        free(folder);
    }
    file_folder_done(&last);
    return rc;
}

static enum err_code plan_rendering(struct import_run *run, struct err *e)
{
    char *stored = NULL;
    bool is_changed = false;
    enum err_code rc = db_fact_get(run->db, "render_version", &stored, e);

    if (rc == ERR_OK)
        rc = db_catalog_put(run->db, &run->catalog, &is_changed, e);
    run->result->catalog_changed = is_changed;
    run->is_other_program = !stored || strcmp(stored, version_whole()) != 0;
    run->renders_all = is_changed || run->is_other_program;
    if (rc == ERR_OK && run->is_other_program)
        rc = db_fact_put(run->db, "render_version", version_whole(), e);
    if (rc == ERR_OK && run->renders_all)
        rc = db_ranking_pages_clear(run->db, e);
    free(stored);
    return rc;
}

/* Models that recipes brought along are stored too, and leave with their last recipe. */
static enum err_code store_bare_models(struct import_run *run, struct err *e)
{
    const struct model *bare = run->bare.models.items;
    bool is_changed = false;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < run->bare.models.count; i++)
        rc = catalog_add_model(&run->catalog, bare[i].slug, bare[i].name, e);
    for (size_t i = run->catalog.models.count; rc == ERR_OK && i > 0; i--) {
        const struct model *model = (const struct model *)run->catalog.models.items + i - 1;
        bool is_used = true;

        if (!model->family)
            rc = db_model_has_recipes(run->db, model->slug, &is_used, e);
        if (rc == ERR_OK && !is_used)
            catalog_drop_model(&run->catalog, model->slug);
    }
    return rc == ERR_OK ? db_catalog_put(run->db, &run->catalog, &is_changed, e) : rc;
}

static bool has_changes(const struct import_run *run)
{
    const struct import_result *result = run->result;

    return run->is_other_program ||
           result->added + result->changed + result->removed + result->rendered > 0 ||
           result->catalog_changed;
}

static enum err_code note_result(struct import_run *run, struct err *e)
{
    const int64_t counts[DB_IMPORT_COUNTS] = {
        [DB_IMPORT_ADDED] = (int64_t)run->result->added,
        [DB_IMPORT_CHANGED] = (int64_t)run->result->changed,
        [DB_IMPORT_REMOVED] = (int64_t)run->result->removed,
    };

    return db_status_put_import(run->db, run->now, counts, e);
}

/* Store what follows from all recipes together. */
static enum err_code store_rest(struct import_run *run, struct err *e)
{
    enum err_code rc = db_rankings_rebuild(run->db, e);

    if (rc == ERR_OK)
        rc = db_first_places_note(run->db, run->now, e);
    if (rc == ERR_OK)
        rc = store_bare_models(run, e);
    if (rc == ERR_OK)
        rc = note_result(run, e);
    return rc;
}

static enum err_code finish(struct import_run *run, struct err *e)
{
    const struct import_options *options = run->options;
    enum err_code rc = ERR_OK;

    if (run->result->errors > 0)
        return err_set(e, ERR_INPUT, "%zu error%s; nothing was imported", run->result->errors,
                       run->result->errors == 1 ? "" : "s");
    if (has_changes(run))
        rc = store_rest(run, e);
    if (rc == ERR_OK && options->finish && !options->dry_run)
        rc = options->finish(run->db, NULL, e);
    return rc;
}

/* Tell whether somebody meant this to be read, by its name in any letter case. */
static bool is_meant(const char *path)
{
    static const char *const ends[] = {".yaml", ".yml"};
    size_t len = strlen(path);

    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (len > strlen(ends[i]) && strcasecmp(path + len - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* Warn of what is passed over though it looks like a recipe. */
static enum err_code tell_skipped(struct import_run *run, struct err *e)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < run->skipped.count; i++) {
        const char *path = run->skipped.paths[i];
        struct report report;

        if (!is_meant(path))
            continue;
        report_init(&report);
        if (text_ends(path, suffix))
            report_add(&report, SEVERITY_WARNING, 0, 0, "", "passed over: not a regular file");
        else
            report_add(&report, SEVERITY_WARNING, 0, 0, "", "passed over; rename to %s", suffix);
        rc = import_take_report(run, path, &report, e);
    }
    return rc;
}

static enum err_code run_steps(struct import_run *run, struct err *e)
{
    enum err_code rc = tell_skipped(run, e);

    if (rc == ERR_OK)
        rc = import_catalog(run, e);
    /* With a broken catalogue every recipe would be told that its GPU is unknown. */
    if (rc == ERR_OK && run->result->errors == 0)
        rc = plan_rendering(run, e);
    if (rc == ERR_OK && run->result->errors == 0)
        rc = import_recipes(run, e);
    /* What goes is not judged again: nobody can mend it any more. */
    if (rc == ERR_OK && run->options->prune)
        rc = prune(run, e);
    if (rc == ERR_OK && run->renders_all)
        rc = render_rest(run, e);
    return rc == ERR_OK ? finish(run, e) : rc;
}

/* The transaction's function: may run again, so it starts from nothing. */
static enum err_code import_tx(struct db *db, void *context, struct err *e)
{
    struct import_run *run = context;
    enum err_code rc;

    import_result_done(run->result);
    run->db = db;
    run->renders_all = false;
    run->is_other_program = false;
    catalog_init(&run->catalog);
    catalog_init(&run->bare);
    rc = run_steps(run, e);
    import_claims_done(run);
    file_list_done(&run->sources);
    catalog_done(&run->catalog);
    catalog_done(&run->bare);
    return rc;
}

enum err_code import_run(struct db *db, const struct import_options *options,
                         struct import_result *out, struct err *e)
{
    struct import_run run = {.options = options, .result = out};
    enum err_code rc = ERR_OK;

    clock_now_text(run.now);
    for (size_t i = 0; rc == ERR_OK && i < options->path_count; i++)
        rc = file_list_look(&run.files, &run.skipped, options->paths[i], suffix, MOST_FILES, e);
    if (rc == ERR_OK)
        rc = options->dry_run ? db_tx_try(db, import_tx, &run, e)
                              : db_tx_run(db, import_tx, &run, e);
    file_list_done(&run.files);
    file_list_done(&run.skipped);
    return rc;
}
